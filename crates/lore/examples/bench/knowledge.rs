//! Measures commands that look at the whole vault, at the bench size and at ten times as many pages.

use std::fs;
use std::path::Path;

use super::vault;
use super::{Bench, Cost, milli};

/// Runs per command; the median counts.
const RUNS: usize = 5;

/// Factor between the two sizes.
const TIMES: usize = 10;

/// A day on which every page of the vault is stale.
const LATE: &str = "2040-01-01T12:00:00Z";

/// Prints each cost at both sizes and the growth factor.
pub(super) fn grow(bench: &Bench, folder: &Path, pages: usize) {
    let root = folder.join("ten-times");
    fs::create_dir_all(&root).expect("a folder");
    vault::write(&root, pages * TIMES);
    let few = Bench { home: folder.join("home-grow"), model: Some("wordllama-256".into()), ..bench.copy() };
    let many = Bench { root, ..few.copy() };
    for one in [&few, &many] {
        fs::write(one.root.join("lore.toml"), "[lifecycle]\nage = true\n").expect("a policy");
        one.run(&["sync"]);
        one.run(&["sync"]);
    }
    let page = vault::path(17);
    let asked: [(&str, Vec<&str>, Option<&str>); 5] = [
        ("check --all", vec!["check", "--all"], None),
        ("graph --depth 3", vec!["graph", &page, "--depth", "3"], None),
        ("context", vec!["context"], None),
        ("stale", vec!["stale"], Some(LATE)),
        ("compact --plan", vec!["compact", "--plan", "--no-text"], Some(LATE)),
    ];
    println!("{:<28} {:>12} {:>12} {:>8}", "CPU ms by pages", pages, pages * TIMES, "times");
    for (what, arguments, now) in asked {
        let (small, large) = (median(&few, &arguments, now), median(&many, &arguments, now));
        let times = large.cpu.as_secs_f64() / small.cpu.as_secs_f64();
        println!("{what:<28} {:>12.1} {:>12.1} {times:>8.1}", milli(small.cpu), milli(large.cpu));
    }
}

fn median(bench: &Bench, arguments: &[&str], now: Option<&str>) -> Cost {
    let mut costs: Vec<Cost> = (0..RUNS).map(|_| bench.run_at(arguments, now)).collect();
    costs.sort_by_key(|cost| cost.cpu);
    costs.swap_remove(RUNS / 2)
}
