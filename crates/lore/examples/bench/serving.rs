//! Measures the HTTP server under load: many concurrent clients on persistent connections.

use std::fs;
use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::vault::{self, Dice};
use super::{Bench, mega, memory, milli, process_cpu};

/// Number of concurrent clients.
const CLIENTS: usize = 200;

/// Duration of the load.
const LOAD: Duration = Duration::from_secs(60);

/// Time after which the server's memory should no longer grow.
const WARM: Duration = Duration::from_secs(5);

/// Stack size of a client thread.
const STACK: usize = 256 * 1024;

/// The server process with its address and token.
struct Server {
    process: Child,
    address: String,
    token: String,
}

/// Measurements of one client.
#[derive(Default)]
struct Seen {
    took: Vec<Duration>,
    errors: usize,
}

/// Runs searches from all clients and prints the results.
pub(super) fn searches(bench: &Bench) {
    let mut server = start(bench);
    let until = Instant::now() + LOAD;
    let before = process_cpu(server.process.id());
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (address, token) = (server.address.clone(), server.token.clone());
            let asks = move || ask(&address, &token, number as u64, until);
            thread::Builder::new().stack_size(STACK).spawn(asks).expect("a thread")
        })
        .collect();
    thread::sleep(WARM);
    let warm = memory(server.process.id(), "VmRSS:");
    let seen: Vec<Seen> = clients.into_iter().map(|client| client.join().expect("a client")).collect();
    let (spent, last) = (process_cpu(server.process.id()) - before, memory(server.process.id(), "VmRSS:"));
    server.process.kill().expect("the server is there");
    server.process.wait().expect("the server ends");
    report(seen, spent, (warm, last));
}

fn report(seen: Vec<Seen>, spent: Duration, (warm, last): (u64, u64)) {
    let errors: usize = seen.iter().map(|seen| seen.errors).sum();
    let mut took: Vec<Duration> = seen.into_iter().flat_map(|seen| seen.took).collect();
    took.sort();
    assert!(!took.is_empty(), "no search was answered");
    println!(
        "{:<28} {:.0} requests/s, {errors} errors; p50 {:.0} ms, p99 {:.0} ms wall; {:.2} ms CPU per request; \
         memory {:.0} MB after {} s, {:.0} MB at the end",
        format!("{CLIENTS} clients search, {} s", LOAD.as_secs()),
        took.len() as f64 / LOAD.as_secs_f64(),
        milli(took[took.len() / 2]),
        milli(took[took.len() * 99 / 100]),
        milli(spent) / took.len() as f64,
        mega(warm),
        WARM.as_secs(),
        mega(last),
    );
}

fn start(bench: &Bench) -> Server {
    let mut command = bench.command(&["serve", "--http", "127.0.0.1:0"]);
    let mut process = command.stderr(Stdio::piped()).spawn().expect("lore serve");
    let mut said = BufReader::new(process.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("the server says where it listens");
    // Drains the rest of its standard error, so that the server does not block on a full pipe.
    thread::spawn(move || said.lines().count());
    let address = line.split("http://").nth(1).and_then(|rest| rest.split(';').next()).expect("an address");
    Server { process, address: address.trim().to_owned(), token: token(&bench.home) }
}

fn token(home: &Path) -> String {
    let text = fs::read_to_string(home.join("tokens.toml")).expect("the server makes a token");
    let line = text.lines().find(|line| line.starts_with("token = ")).expect("a token");
    line.split('"').nth(1).expect("a token").to_owned()
}

/// Searches over one connection; a failed connection counts as an error and is replaced.
fn ask(address: &str, token: &str, seed: u64, until: Instant) -> Seen {
    let (mut seen, mut dice, mut open) = (Seen::default(), Dice::new(seed + 1), None);
    while Instant::now() < until {
        let query = format!("{} {}", vault::word(dice.below(2000)), vault::word(dice.below(4096)));
        let body = format!("{{\"query\": \"{query}\", \"limit\": 10}}");
        let request = format!(
            "POST /api/search HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let started = Instant::now();
        let connection = match open.take() {
            Some(connection) => Ok(connection),
            None => TcpStream::connect(address).map(BufReader::new),
        };
        match connection.and_then(|connection| answered(connection, &request)) {
            Ok(connection) => {
                open = Some(connection);
                seen.took.push(started.elapsed());
            }
            Err(_) => seen.errors += 1,
        }
    }
    seen
}

/// Sends a request and reads the answer; an answer without hits is an error.
fn answered(mut connection: BufReader<TcpStream>, request: &str) -> Result<BufReader<TcpStream>> {
    connection.get_mut().write_all(request.as_bytes())?;
    let (mut line, mut length, mut is_ok) = (String::new(), 0, false);
    while line != "\r\n" {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Err(Error::other("the server closed the connection"));
        }
        is_ok |= line.starts_with("HTTP/1.1 200 ");
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(Error::other)?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    if is_ok && body.windows(6).any(|part| part == b"\"hits\"") {
        return Ok(connection);
    }
    Err(Error::other("the search failed"))
}
