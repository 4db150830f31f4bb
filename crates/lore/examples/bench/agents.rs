//! Measures the MCP server over stdio: start-up, a search, a query, and idle.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Duration;

use super::vault::{self, Dice};
use super::{Bench, QUERIES, RUNS, mega, memory, milli, process_cpu};

/// Time after which the server's background work is done.
const SETTLED: Duration = Duration::from_secs(5);

/// Duration of the idle measurement.
const IDLE: Duration = Duration::from_secs(10);

/// An MCP server process and its client.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    fn start(bench: &Bench) -> Server {
        let mut command = bench.command(&["serve"]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("lore serve");
        let input = process.stdin.take().expect("a pipe");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Server { process, input, output, asked: 0 }
    }

    /// Sends a request and waits for the answer.
    fn ask(&mut self, method: &str, parameters: &str) {
        self.asked += 1;
        let id = self.asked;
        writeln!(self.input, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{parameters}}}"#)
            .expect("the server reads");
        let mut line = String::new();
        while !line.contains(&format!("\"id\":{id},")) && !line.contains(&format!("\"id\":{id}}}")) {
            line.clear();
            assert!(
                self.output.read_line(&mut line).expect("the server writes") > 0,
                "the server closed the connection"
            );
        }
        assert!(line.contains("\"result\"") && !line.contains("\"isError\":true"), "{line}");
    }

    fn greet(&mut self) {
        let client = r#"{"name":"bench","version":"1"}"#;
        self.ask(
            "initialize",
            &format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{client}}}"#),
        );
        writeln!(self.input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#)
            .expect("it reads");
    }

    fn call(&mut self, tool: &str, parameter: &str, text: &str) {
        let call = format!(r#"{{"name":"{tool}","arguments":{{"{parameter}":"{text}","limit":10}}}}"#);
        self.ask("tools/call", &call);
    }

    fn spent(&self) -> Duration {
        process_cpu(self.process.id())
    }

    fn memory(&self) -> f64 {
        mega(memory(self.process.id(), "VmRSS:"))
    }

    fn end(mut self) {
        drop(self.input);
        self.process.wait().expect("the server ends with its client");
    }
}

/// Prints the cost of start-up, idling, searches and queries.
pub(super) fn costs(bench: &Bench) {
    first_answers(bench);
    let mut server = Server::start(bench);
    server.greet();
    thread::sleep(SETTLED);
    let (before, memory) = (server.spent(), server.memory());
    thread::sleep(IDLE);
    let share = (server.spent() - before).as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    println!("{:<28} {share:.2} % of a core, {memory:.0} MB", "server, idle");
    let mut dice = Dice::new(3);
    let mut two = move || format!("{} {}", vault::word(dice.below(2000)), vault::word(dice.below(4096)));
    for (tool, parameter) in [("memory_search", "query"), ("memory_query", "question")] {
        server.call(tool, parameter, &two());
        let before = server.spent();
        (0..QUERIES).for_each(|_| server.call(tool, parameter, &two()));
        let each = milli(server.spent() - before) / QUERIES as f64;
        println!(
            "{:<28} {each:.2} ms CPU per call; memory {:.0} MB",
            format!("server, {tool}"),
            server.memory()
        );
    }
    server.end();
}

/// Prints the server's CPU time up to its first answer and up to its first search result.
fn first_answers(bench: &Bench) {
    let mut costs: Vec<(Duration, Duration)> = (0..RUNS)
        .map(|number| {
            let mut server = Server::start(bench);
            server.greet();
            let greeted = server.spent();
            server.call("memory_search", "query", &vault::word(number + 500));
            let searched = server.spent();
            server.end();
            (greeted, searched)
        })
        .collect();
    costs.sort();
    let greeted = costs[RUNS / 2].0;
    costs.sort_by_key(|(_, searched)| *searched);
    println!(
        "{:<28} {:.1} ms CPU to the first answer, {:.1} to the first search (best {:.1}); freshness scan included",
        "server, start-up",
        milli(greeted),
        milli(costs[RUNS / 2].1),
        milli(costs[0].1),
    );
}
