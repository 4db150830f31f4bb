//! Measures precision, recall and cost of `lore check`.

use std::fs;
use std::path::Path;

use super::{Bench, report};
use crate::check_set::{Outcome, accuracy, cases, table};
use crate::ending_set::{ENDINGS, HELD_OUT, sentences};

/// Prints precision and recall on the labelled set, and the time of a check of the whole vault.
pub(super) fn check(bench: &Bench, folder: &Path) {
    let below = folder.join("check");
    fs::create_dir_all(&below).expect("a folder");
    let outcomes: Vec<Outcome> = cases().iter().map(|case| case.run(&bench.lore, &below)).collect();
    print!("{}", table("labelled vaults", &outcomes));
    outcomes.iter().filter_map(Outcome::wrong).for_each(|wrong| println!("  wrong: {wrong}"));
    let mut endings = sentences(ENDINGS, &bench.lore, &below);
    print!("{}", table("sentences", &endings));
    let held_out = sentences(HELD_OUT, &bench.lore, &below);
    print!("{}", table("held-out sentences", &held_out));
    endings.extend(held_out);
    let (precision, recall) = accuracy(&endings);
    println!("  all sentences: precision {precision:.3}, recall {recall:.3}");
    report("check --all", &bench.median(&["check", "--all"]), "every page stale: all files read");
    report("check of a page", &bench.median(&["check", &super::vault::path(17)]), "");
    let facts = bench.median(&["check", "--all", "--type", "cross_page"]);
    report("check --type cross_page", &facts, "rows only");
}
