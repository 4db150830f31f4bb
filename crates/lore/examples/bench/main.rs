//! `make bench`: measures the shipped binary from outside, on a generated vault.
//!
//! Times are CPU time (user and system) of the process itself, so that other work on the machine does not count; memory
//! is the peak resident size. Of repeated runs the median is shown, with the best in parentheses.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a benchmark, not part of Lore")]

mod agents;
#[path = "../../tests/it/capture_set.rs"]
mod capture_set;
mod capturing;
#[path = "../../tests/it/check_set.rs"]
mod check_set;
mod checking;
#[path = "../../tests/it/ending_set.rs"]
mod ending_set;
mod knowledge;
mod meaning;
mod serving;
mod vault;
mod writing;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};

use vault::Dice;

/// Runs per cold command; the median counts.
const RUNS: usize = 15;

/// Queries per process in the warm measurement.
const QUERIES: usize = 300;

struct Bench {
    lore: PathBuf,
    home: PathBuf,
    root: PathBuf,
    /// The embedding model; default: Lore's own choice.
    model: Option<String>,
}

struct Cost {
    cpu: Duration,
    wall: Duration,
    /// The lowest CPU time of all runs: the cost without interference from other work.
    best: Duration,
}

impl Bench {
    fn command(&self, arguments: &[&str]) -> Command {
        if !self.home.join("state/trust.json").exists() {
            let folder = self.root.parent().expect("a folder");
            let mut trust = Command::new(&self.lore);
            trust.args(["trust", "--below"]).arg(folder).env("LORE_HOME", &self.home).env("HOME", &self.home);
            assert!(trust.stdout(Stdio::null()).status().expect("lore runs").success());
        }
        let mut command = Command::new(&self.lore);
        command.args(arguments).env("LORE_HOME", &self.home).current_dir(&self.root);
        // Isolates git from this machine's identity and hooks.
        command.env("HOME", &self.home).env("GIT_CONFIG_NOSYSTEM", "1");
        command.envs(self.model.iter().map(|model| ("LORE_MODEL", model)));
        command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        command
    }

    fn copy(&self) -> Bench {
        let (lore, home, root) = (self.lore.clone(), self.home.clone(), self.root.clone());
        Bench { lore, home, root, model: self.model.clone() }
    }

    fn run(&self, arguments: &[&str]) -> Cost {
        self.run_at(arguments, None)
    }

    /// Runs a command with a fixed clock.
    fn run_at(&self, arguments: &[&str], now: Option<&str>) -> Cost {
        let mut command = self.command(arguments);
        command.envs(now.map(|now| ("LORE_NOW", now)));
        let (before, started) = (children(), Instant::now());
        let status = command.status().expect("lore runs");
        assert!(status.code().is_some_and(|code| code < 2), "lore {arguments:?} failed");
        let cpu = children() - before;
        Cost { cpu, wall: started.elapsed(), best: cpu }
    }

    fn median(&self, arguments: &[&str]) -> Cost {
        median((0..RUNS).map(|_| self.run(arguments)).collect())
    }
}

fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by_key(|cost| cost.cpu);
    let best = costs[0].cpu;
    Cost { best, ..costs.swap_remove(RUNS / 2) }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: bench LORE FOLDER [PAGES] [transformer] [million] [roam]";
    let lore = PathBuf::from(arguments.next().expect(usage));
    let folder = PathBuf::from(arguments.next().expect(usage));
    let pages: usize = arguments.next().map_or(5000, |text| text.parse().expect("a number of pages"));
    let more: Vec<String> = arguments.collect();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("vault")).expect("a folder");
    let folder = fs::canonicalize(&folder).expect("a folder");
    let bench = Bench {
        lore: fs::canonicalize(lore).expect("the lore binary"),
        home: folder.join("home"),
        root: folder.join("vault"),
        model: None,
    };
    if more.iter().any(|one| one == "roam") {
        return strict(&bench, &folder);
    }
    vault::write(&bench.root, pages);
    let bytes = size_of(&bench.root);
    println!(
        "{pages} pages, {:.1} MB of Markdown, about {} words per page",
        mega(bytes),
        words(&bench.root, pages)
    );
    bench.run(&["project", "add", "empty-start", bench.home.join("nothing").to_str().expect("UTF-8")]);
    bench.run(&["project", "default", "empty-start"]);
    fs::write(bench.root.join("lore.toml"), "name = \"bench\"\n").expect("a policy");
    cold(&bench, pages, bytes);
    steady(&bench);
    warm(&bench);
    let asked = |what: &str| more.iter().any(|one| one == what);
    meaning::questions(&bench, &folder, asked("transformer"));
    let served = meaning::with_model(&bench, &folder, meaning::STATIC);
    agents::costs(&served);
    serving::searches(&served);
    if asked("million") {
        meaning::million(&bench, &folder);
    }
    checking::check(&bench, &folder);
    capturing::capture(&bench, &folder);
    knowledge::grow(&bench, &folder, pages);
    writing::puts(&bench);
    strict(&bench, &folder);
}

/// Measures vaults of Org nodes, of the sizes that have budgets.
fn strict(bench: &Bench, folder: &Path) {
    for nodes in [100, 1000] {
        writing::nodes(bench, folder, nodes);
    }
}

fn cold(bench: &Bench, pages: usize, bytes: u64) {
    let cost = bench.run(&["sync"]);
    let rate = pages as f64 / cost.cpu.as_secs_f64();
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage").max_rss() as u64 * 1024;
    report("cold sync", &cost, &format!("{rate:.0} pages per CPU-second, peak memory {:.0} MB", mega(peak)));
    let index = size_of(&bench.home);
    println!(
        "{:<28} {:.1} MB, {:.1} times the Markdown",
        "index size",
        mega(index),
        index as f64 / bytes as f64
    );
    bench.run(&["sync"]);
}

fn steady(bench: &Bench) {
    report("no-change sync", &bench.median(&["sync"]), "");
    let mut dice = Dice::new(7);
    let costs: Vec<Cost> = (0..RUNS)
        .map(|run| {
            let path = bench.root.join(vault::path(run * 31 + 5));
            let text = fs::read_to_string(&path).expect("a page");
            fs::write(&path, format!("{text}\nAdded {}.\n", vault::word(dice.below(4096)))).expect("a page");
            bench.run(&["sync"])
        })
        .collect();
    report("one-file sync", &median(costs), "");
    bench.run(&["sync"]);
    let two = format!("{} {}", vault::word(300), vault::word(777));
    let many =
        format!("what did {} say about the {} and {}", vault::word(90), vault::word(451), vault::word(33));
    report(
        "cold search, one rare word",
        &bench.median(&["search", &vault::word(3500)]),
        "freshness scan included",
    );
    report("cold search, two words", &bench.median(&["search", &two]), "freshness scan included");
    report("cold search, a question", &bench.median(&["search", &many]), "freshness scan included");
    report("cold search, --no-sync", &bench.median(&["search", &two, "--no-sync"]), "");
    report("cold show", &bench.median(&["show", &vault::path(17)]), "freshness scan included");
}

/// Starts `lore pipe`.
fn pipe(bench: &Bench) -> (Child, ChildStdin, BufReader<ChildStdout>) {
    let mut command = bench.command(&["pipe", "--no-sync"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("lore pipe");
    let input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    (child, input, output)
}

fn warm(bench: &Bench) {
    let (mut child, mut input, mut output) = pipe(bench);
    let mut dice = Dice::new(3);
    let mut times = Vec::new();
    let before = process_cpu(child.id());
    for _ in 0..QUERIES {
        let query = format!("{} {}", vault::word(dice.below(2000)), vault::word(dice.below(4096)));
        let started = Instant::now();
        writeln!(input, "{{\"tool\": \"search\", \"input\": {{\"query\": \"{query}\", \"limit\": 10}}}}")
            .expect("a query");
        let mut line = String::new();
        output.read_line(&mut line).expect("an answer");
        assert!(line.contains("\"result\""), "{line}");
        times.push(started.elapsed());
    }
    let spent = process_cpu(child.id()) - before;
    let peak = peak_memory(child.id());
    drop(input);
    child.wait().expect("lore pipe ends");
    times.sort();
    println!(
        "{:<28} p50 {:.2} ms, p95 {:.2} ms wall; {:.2} ms CPU per query; peak memory {:.0} MB",
        "search in one process",
        milli(times[QUERIES / 2]),
        milli(times[QUERIES * 95 / 100]),
        milli(spent) / QUERIES as f64,
        mega(peak),
    );
}

fn report(what: &str, cost: &Cost, note: &str) {
    let note = if note.is_empty() { String::new() } else { format!("; {note}") };
    let (cpu, best, wall) = (milli(cost.cpu), milli(cost.best), milli(cost.wall));
    println!("{what:<28} {cpu:.1} ms CPU (best {best:.1}), {wall:.1} ms wall{note}");
}

/// Returns the CPU time of all child processes that have ended.
fn children() -> Duration {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage");
    let micro = |time: nix::sys::time::TimeVal| time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64;
    Duration::from_micros(micro(usage.user_time()) + micro(usage.system_time()))
}

/// Returns the CPU time of a running process, from the scheduler's nanosecond counters.
fn process_cpu(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).expect("the process runs");
    let of = |folder: &Path| fs::read_to_string(folder.join("schedstat")).unwrap_or_default();
    let texts = threads.flatten().map(|thread| of(&thread.path()));
    let nanos = texts.map(|text| text.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0));
    Duration::from_nanos(nanos.sum())
}

fn peak_memory(process: u32) -> u64 {
    memory(process, "VmHWM:")
}

/// Returns a memory figure of a process from `/proc`.
fn memory(process: u32, figure: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(figure)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| match entry.metadata().expect("metadata") {
            found if found.is_dir() => size_of(&entry.path()),
            found => found.len(),
        })
        .sum()
}

fn words(root: &Path, pages: usize) -> usize {
    let sample: Vec<String> = (0..pages.min(20))
        .map(|number| fs::read_to_string(root.join(vault::path(number))).expect("a page"))
        .collect();
    sample.iter().map(|text| text.split_whitespace().count()).sum::<usize>() / sample.len()
}

fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn milli(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
