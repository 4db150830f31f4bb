//! Measures writes: one from a cold process, a hundred in one process, and lint, index and capture in a strict vault.

use std::fs;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::{Bench, Cost, RUNS, children, median, milli, pipe, report, vault};

/// Number of puts in one process.
const PUTS: usize = 100;

/// Measures puts from a cold process and in one process, first without git, then with a commit each.
pub(super) fn puts(bench: &Bench) {
    cold_put(bench, "cold put, no git", 0);
    identity(bench);
    git(&bench.root, &["init", "--quiet", "--initial-branch=main"]);
    git(&bench.root, &["add", "--all"]);
    git(&bench.root, &["commit", "--quiet", "--message", "Begin"]);
    cold_put(bench, "cold put, committed", 1);
    warm_puts(bench);
}

/// Gives git an author.
fn identity(bench: &Bench) {
    fs::create_dir_all(&bench.home).expect("a folder");
    fs::write(bench.home.join(".gitconfig"), "[user]\nname = bench\nemail = bench@localhost\n")
        .expect("a file");
}

fn cold_put(bench: &Bench, what: &str, round: usize) {
    let file = bench.home.join("page.md");
    let put = |run: usize| {
        let path = vault::path(run * 17 + 3);
        let text = fs::read_to_string(bench.root.join(&path)).expect("a page");
        fs::write(&file, format!("{text}\nPut {round} {run}.\n")).expect("a file");
        bench.run(&["put", &path, file.to_str().expect("UTF-8")])
    };
    let costs: Vec<Cost> = (0..RUNS).map(put).collect();
    report(what, &median(costs), "lint, snapshot, index; freshness scan included");
}

fn warm_puts(bench: &Bench) {
    let (mut child, mut input, mut output) = pipe(bench);
    let (before, started) = (children(), Instant::now());
    let own = super::process_cpu(child.id());
    for number in 0..PUTS {
        let content = format!("# Note {number}\n\nSomething about {}.\n", vault::word(number * 7));
        let line = serde_json::json!({ "tool": "put", "input": { "slug": format!("new/note-{number}"), "content": content } });
        writeln!(input, "{line}").expect("a put");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("an answer");
        assert!(answer.contains("\"created\""), "{answer}");
    }
    let (wall, own) = (started.elapsed(), super::process_cpu(child.id()) - own);
    drop(input);
    child.wait().expect("lore pipe ends");
    let all = children() - before;
    println!(
        "{:<28} {:.1} ms wall per put; {:.1} ms CPU with git, {:.1} ms without",
        format!("{PUTS} puts in one process"),
        milli(wall) / PUTS as f64,
        milli(all) / PUTS as f64,
        milli(own) / PUTS as f64,
    );
}

/// Measures the operations of the strictest profile, which have budgets, in a vault of Org nodes.
pub(super) fn nodes(bench: &Bench, folder: &Path, pages: usize) {
    let root = folder.join(format!("roam-{pages}"));
    let strict = Bench { lore: bench.lore.clone(), home: bench.home.clone(), root, model: None };
    fs::create_dir_all(&strict.root).expect("a folder");
    identity(bench);
    strict.run(&["init", ".", "--profile", "roam"]);
    write_nodes(&strict.root, pages);
    let first = strict.run(&["sync"]);
    report(&format!("first sync, {pages} nodes"), &first, "every page read and indexed");
    strict.run(&["git", "commit"]);
    let one = |run: usize| {
        append(&strict.root.join(format!("node-{}.org", run % pages)), &format!("Edit {run}.\n"));
        strict.run(&["sync"])
    };
    report(&format!("sync, {pages} nodes"), &median((0..RUNS).map(one).collect()), "one file changed");
    strict.run(&["git", "commit"]);
    let query =
        |run: usize| strict.run(&["query", &format!("{} {}", vault::word(run * 7), vault::word(run * 31))]);
    report(&format!("query, {pages} nodes"), &median((0..RUNS).map(query).collect()), "fields, as in `roam`");
    report(&format!("lint, {pages} nodes"), &strict.median(&["lint"]), "every page, link, id, secret");
    let index = |_| {
        fs::remove_file(strict.root.join("index.org")).expect("the index");
        strict.run(&["generate"])
    };
    report(
        &format!("generate, {pages} nodes"),
        &median((0..RUNS).map(index).collect()),
        "written and committed",
    );
    let capture = |run: usize| {
        let text =
            format!("{} {} {} makes {run}", vault::word(run), vault::word(run + 99), vault::word(run + 777));
        strict.run(&["remember", &text, "--tag", "procedure", "--keep"])
    };
    let note = "whole vault linted, index written, committed";
    report(&format!("remember, {pages} nodes"), &median((0..RUNS).map(capture).collect()), note);
}

fn write_nodes(root: &Path, pages: usize) {
    for number in 0..pages {
        let tag = ["procedure", "preference", "principle", "observation", "reference"][number % 5];
        let body: Vec<String> = (0..150).map(|word| vault::word(number * 31 + word * 7)).collect();
        let next = (number + 1) % pages;
        let text = format!(
            ":PROPERTIES:\n:ID: 00000000-0000-7000-8000-{number:012x}\n:PROJECTS: :general:\n:CREATED: 2026-01-01\n\
             :UPDATED: 2026-01-01\n:CREATED_BY: bench\n:CONFIDENCE: observed\n:VISIBILITY: personal\n:SOURCE: bench\n\
             :STATUS: current\n:SUMMARY: What node {number} says.\n:END:\n#+title: Node {number}\n#+filetags: :{tag}:\n\n\
             {}\n\n- RELATES_TO [[id:00000000-0000-7000-8000-{next:012x}][Node {next}]]\n",
            body.join(" "),
        );
        fs::write(root.join(format!("node-{number}.org")), text).expect("a page");
    }
}

fn append(path: &Path, text: &str) {
    let before = fs::read_to_string(path).expect("a page");
    fs::write(path, before + text).expect("a page");
}

fn git(root: &PathBuf, arguments: &[&str]) {
    let identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    let status = Command::new("git").arg("-C").arg(root).args(identity).args(arguments).status();
    assert!(status.expect("git runs").success(), "git {arguments:?}");
}
