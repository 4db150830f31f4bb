//! Transcripts: Markdown files whose `console` blocks are run and compared with the recorded output.
//!
//! A line that starts with `$ ` is run by `sh`, with the following lines that start with `> `. The lines after it are
//! its expected output, stdout before stderr, and `? N` if its exit status is not 0. Every file starts in its own
//! directory with a copy of `tests/brain` whose pages changed on the days before 2026-11-01. `UPDATE_EXPECT=1`
//! rewrites the expected output.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::sandbox::{Ran, Sandbox};

/// Declares one test per transcript.
macro_rules! transcripts {
    ($($name:ident)*) => {
        const LISTED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

transcripts! { config editing errors finding graph help intake lint listing machine pages personal projects roam save secrets state tags timeline vaults }

#[test]
fn every_transcript_is_listed() {
    let mut found: Vec<String> = fs::read_dir(folder())
        .expect("tests/cmd")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace(".md", ""))
        .collect();
    found.sort();
    assert_eq!(found, LISTED);
}

#[test]
fn replay_detects_changed_output() {
    let text = "# T\n```console\n$ echo a; exit 3\nb\n```\nend\n";
    assert_eq!(replay(text), "# T\n```console\n$ echo a; exit 3\na\n? 3\n```\nend\n");
    assert_eq!(difference("x\nold\n", "x\nnew\n"), "  x\n- old\n+ new\n");
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd")
}

#[track_caller]
fn check(name: &str) {
    let path = folder().join(format!("{name}.md"));
    let expected = fs::read_to_string(&path).expect(name);
    let found = replay(&expected);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, found).expect("a file that can be written");
    } else if expected != found {
        let difference = difference(&expected, &found);
        panic!("{} is out of date (UPDATE_EXPECT=1 rewrites it):\n{difference}", path.display());
    }
}

/// Returns the transcript with its actual output.
fn replay(text: &str) -> String {
    let sandbox = Sandbox::empty();
    copy_brain(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/brain"), &sandbox.root.join("brain"));
    let mut replayed = String::new();
    let mut lines = text.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        inside = if inside { line != "```" } else { line == "```console" };
        let Some(command) = line.strip_prefix("$ ").filter(|_| inside) else {
            // Lines between the commands of a block are output, which is replaced.
            if !inside || line == "```console" {
                replayed.push_str(&format!("{line}\n"));
            }
            continue;
        };
        let mut script = command.to_owned();
        replayed.push_str(&format!("{line}\n"));
        while let Some(more) = lines.next_if(|next| next.starts_with("> ") || *next == ">") {
            script.push_str(&format!("\n{}", more[1..].strip_prefix(' ').unwrap_or_default()));
            replayed.push_str(&format!("{more}\n"));
        }
        let output = run(&sandbox, &script);
        let first = output.lines().next().unwrap_or_default();
        assert!(!first.starts_with('>'), "{script}: its output looks like a continued command: {first}");
        replayed.push_str(&output);
    }
    replayed
}

fn run(sandbox: &Sandbox, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    sandbox.isolate(&mut command);
    command.current_dir(&sandbox.root).env("LORE_NOW", "2026-11-01T12:00:00Z");
    let began = today();
    let ran = Ran::from(command.output().expect("a shell"));
    let mut output = ran.text();
    for part in [ran.err, if ran.code == 0 { String::new() } else { format!("? {}\n", ran.code) }] {
        if !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        output.push_str(&part);
    }
    assert!(!output.lines().any(|line| line == "```"), "{script}: its output ends the block");
    let days = [began, today()];
    let output = output.replace(&*sandbox.root.to_string_lossy(), "[DIR]");
    without_sizes(&without_vault_ids(&without_hashes(&without_times(&output, &days))))
}

fn today() -> String {
    Timestamp::now().to_zoned(TimeZone::UTC).date().to_string()
}

/// Replaces the time of this run, which pages written by Lore have, by `[TIME]` or `[DATE]`.
fn without_times(text: &str, days: &[String; 2]) -> String {
    let mut text = text.to_owned();
    for day in days {
        while let Some(at) = text.find(&format!("{day}T")) {
            text.replace_range(at..at + "2026-11-01T12:00:00Z".len(), "[TIME]");
        }
        text = text.replace(day, "[DATE]");
    }
    text
}

/// Replaces hashes by `[HASH]`.
fn without_hashes(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_hexdigit()) {
        let length = rest[at..].find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(rest.len() - at);
        kept.push_str(&rest[..at]);
        kept.push_str(if length == 64 { "[HASH]" } else { &rest[at..at + length] });
        rest = &rest[at + length..];
    }
    kept + rest
}

/// Replaces the id of a vault in its policy by `[ID]`.
fn without_vault_ids(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("id = \"") {
        Some(rest) => format!("id = \"[ID]{}", &rest[rest.find('"').unwrap_or(0)..]),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Replaces the size of the database, which changes with the schema, by `[SIZE]`.
fn without_sizes(text: &str) -> String {
    let mut text = text.to_owned();
    for (before, after) in [("\"database_bytes\":", "}"), ("database          ", "\n")] {
        if let Some(from) = text.find(before).map(|at| at + before.len())
            && let Some(length) = text[from..].find(after)
        {
            text.replace_range(from..from + length, "[SIZE]");
        }
    }
    text
}

/// Copies the pages; the first by path changed on 2026-10-27, each next one a day later.
fn copy_brain(from: &Path, to: &Path) {
    let first: Timestamp = "2026-10-27T12:00:00Z".parse().expect("a time");
    let mut files = Vec::new();
    let mut folders = vec![from.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("tests/brain") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    for (number, file) in files.iter().enumerate() {
        let copy = to.join(file.strip_prefix(from).expect("below it"));
        fs::create_dir_all(copy.parent().expect("a folder")).expect("folders");
        fs::write(&copy, fs::read(file).expect("a page")).expect("a copy");
        let time =
            SystemTime::from(first) + Duration::from_secs(86_400) * u32::try_from(number).expect("few");
        File::options().write(true).open(copy).and_then(|file| file.set_modified(time)).expect("a time");
    }
}

/// Returns the lines that differ, with context.
fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    // The longest common subsequence; transcripts are small.
    let mut best = vec![vec![0; new.len() + 1]; old.len() + 1];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            best[a][b] =
                if old[a] == new[b] { best[a + 1][b + 1] + 1 } else { best[a + 1][b].max(best[a][b + 1]) };
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut shown = Vec::new();
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            shown.push((' ', old[a]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len() && (b == new.len() || best[a + 1][b] >= best[a][b + 1]) {
            shown.push(('-', old[a]));
            a += 1;
        } else {
            shown.push(('+', new[b]));
            b += 1;
        }
    }
    let near =
        |at: usize| shown[at.saturating_sub(3)..shown.len().min(at + 4)].iter().any(|(mark, _)| *mark != ' ');
    let lines = shown.iter().enumerate().filter(|(at, _)| near(*at));
    lines.map(|(_, (mark, line))| format!("{mark} {line}\n")).collect()
}
