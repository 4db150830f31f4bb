//! `make bench-shapes`: runs commands on vaults of unusual shape, each at one size and at twice that size.
//!
//! What is measured is growth, not speed: the CPU time at twice the size over that at the size. It is about 2 where a
//! command is linear and 4 where it is quadratic. A ratio over the limit fails the run.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a benchmark, not part of Lore"
)]

mod shapes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use nix::sys::resource::{Usage, UsageWho, getrusage};

use shapes::{SHAPES, Shape};

/// The greatest ratio that still counts as n log n, with room for noise.
const LIMIT: f64 = 2.9;

/// Below this time, start-up and noise decide; a ratio means nothing.
const FLOOR: Duration = Duration::from_millis(100);

/// The commands, after a first `sync`. `PAGE` stands for the page that the shape is about.
const COMMANDS: [&[&str]; 10] = [
    &["sync", "--full"],
    &["search", "heron", "--limit", "10"],
    &["query", "where does the heron live"],
    &["show", "PAGE"],
    &["lint"],
    &["check"],
    &["links", "PAGE"],
    &["backlinks", "PAGE"],
    &["graph", "PAGE"],
    &["validate", "--all"],
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: bench_shapes LORE FOLDER [SHAPE...]";
    let lore = fs::canonicalize(arguments.next().expect(usage)).expect("the lore binary");
    let folder = PathBuf::from(arguments.next().expect(usage));
    let asked: Vec<String> = arguments.collect();
    let mut steep = Vec::new();
    for shape in SHAPES.iter().filter(|shape| asked.is_empty() || asked.iter().any(|name| name == shape.name))
    {
        measure(&lore, &folder, shape, &mut steep);
    }
    let _ = fs::remove_dir_all(&folder);
    if steep.is_empty() {
        println!("every ratio is within {LIMIT}");
        return ExitCode::SUCCESS;
    }
    println!("over {LIMIT}: {}", steep.join("; "));
    ExitCode::FAILURE
}

/// Measures one shape at both sizes and prints a line per command.
fn measure(lore: &Path, folder: &Path, shape: &Shape, steep: &mut Vec<String>) {
    let [once, twice] = [shape.size, shape.size * 2].map(|size| times(lore, folder, shape, size));
    println!("{} ({} and {})", shape.name, shape.size, shape.size * 2);
    for ((name, once), (_, twice)) in once.iter().zip(&twice) {
        let ratio = twice.as_secs_f64() / once.as_secs_f64().max(1e-3);
        let counts = *twice >= FLOOR;
        let (once, twice) = (once.as_secs_f64() * 1e3, twice.as_secs_f64() * 1e3);
        println!(
            "  {name:<12} {once:>9.0} ms {twice:>9.0} ms  {ratio:.2}{}",
            if counts { "" } else { " (short)" }
        );
        if counts && ratio > LIMIT {
            steep.push(format!("{} {name} {ratio:.2}", shape.name));
        }
    }
}

/// Returns the CPU time of the first sync and of every command.
fn times(lore: &Path, folder: &Path, shape: &Shape, size: usize) -> Vec<(&'static str, Duration)> {
    let _ = fs::remove_dir_all(folder);
    let root = folder.join("vault");
    fs::create_dir_all(&root).expect("a folder");
    fs::write(root.join("lore.toml"), "name = \"shape\"\n[limits]\npage_bytes = 100000000\n")
        .expect("a policy");
    (shape.write)(&root, size);
    // A file that changed in the last two seconds is read again by every command.
    settle(&root);
    let mut times = vec![("first sync", run(lore, folder, &["sync"]))];
    for command in COMMANDS {
        let arguments: Vec<&str> =
            command.iter().map(|word| if *word == "PAGE" { shape.page } else { *word }).collect();
        times.push((command[0], run(lore, folder, &arguments)));
    }
    times
}

/// Sets the mtime of every file to the past.
fn settle(folder: &Path) {
    let past = std::time::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        if entry.file_type().expect("a type").is_dir() {
            settle(&entry.path());
        } else {
            let file = fs::File::options().write(true).open(entry.path()).expect("a file");
            file.set_modified(past).expect("a time");
        }
    }
}

fn run(lore: &Path, folder: &Path, arguments: &[&str]) -> Duration {
    let mut command = Command::new(lore);
    command.args(arguments).current_dir(folder.join("vault"));
    command.env("LORE_HOME", folder.join("home")).env("HOME", folder.join("home"));
    command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let before = children();
    let status = command.status().expect("lore runs");
    assert!(status.code().is_some_and(|code| code < 6), "lore {arguments:?} was killed");
    children() - before
}

/// Returns the CPU time of all child processes that have ended.
fn children() -> Duration {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage");
    let micro = |time: nix::sys::time::TimeVal| time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64;
    Duration::from_micros(micro(usage.user_time()) + micro(usage.system_time()))
}
