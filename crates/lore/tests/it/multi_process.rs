//! Several processes at once, on one vault and one index.

use std::process::Child;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// Writes pages that link to each other, with an unresolved link on each.
pub fn fill(sandbox: &Sandbox, pages: usize) {
    for number in 0..pages {
        let next = (number * 7 + 1) % pages;
        let text = format!(
            "---\ntitle: Page {number}\ntags: [t{}]\n---\n# Page {number}\n\nText number{number} about zeppelins.\n\n\
             - follows [[page-{next}]] {{2020..}}\n- [note] Sees [[Nothing {}]] #seen\n- size:: {number}\n\n---\n\n\
             - **2024-01-01** | log — Made\n",
            number % 5,
            number % 3,
        );
        sandbox.write(&format!("folder-{}/page-{number}.md", number % 10), text);
    }
}

/// Returns everything in the index, in a stable order.
pub fn state(sandbox: &Sandbox) -> Vec<Value> {
    let limit = ["--limit", "10000"];
    let search = [&["search", "zeppelins"][..], &limit].concat();
    let list = [&["list", "--sort", "title"][..], &limit].concat();
    let mut numbers = sandbox.run(&["stats"]).ok().json();
    numbers["database_bytes"] = Value::Null;
    let links = ["page-0", "page-1", "page-2"].map(|page| sandbox.run(&["backlinks", page]).ok().json());
    let mut state = vec![numbers, sandbox.run(&search).ok().json(), sandbox.run(&list).ok().json()];
    state.extend(links);
    state
}

fn finish(children: Vec<Child>) -> Vec<Ran> {
    children.into_iter().map(|child| Ran::from(child.wait_with_output().expect("it ran"))).collect()
}

#[test]
fn concurrent_syncs_give_the_same_index_as_one() {
    let sandbox = Sandbox::with_vault();
    fill(&sandbox, 300);
    let start = || sandbox.spawn(&mut sandbox.command(&["sync"]));
    let mut added = 0;
    for ran in finish((0..4).map(|_| start()).collect()) {
        let report = ran.ok().json();
        assert_eq!((&report["skipped"], &report["removed"]), (&json!([]), &json!([])));
        added += report["added"].as_array().expect("a list").len();
    }
    assert_eq!(added, 300, "each page was added by one process");
    sandbox.validate();
    let fresh = Sandbox::with_vault();
    fill(&fresh, 300);
    fresh.sync();
    let (mut together, mut alone) = (state(&sandbox), state(&fresh));
    together.iter_mut().chain(&mut alone).for_each(without_times);
    assert_eq!(together, alone);
}

/// Removes times: the files of the two vaults were not written in the same second.
fn without_times(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(without_times),
        Value::Object(all) => {
            all.remove("updated");
            all.values_mut().for_each(without_times);
        }
        _ => {}
    }
}

#[test]
fn readers_and_writers_do_not_interfere() {
    let sandbox = Sandbox::with_vault();
    fill(&sandbox, 100);
    let mut children = Vec::new();
    for number in 0..6 {
        let slug = format!("new-{number}");
        let input = format!(r#"{{"slug": "{slug}", "content": "zeppelins {number}"}}"#);
        children.push(sandbox.spawn(&mut sandbox.command(&["call", "put", &input])));
        children.push(sandbox.spawn(&mut sandbox.command(&["search", "zeppelins"])));
        children.push(sandbox.spawn(&mut sandbox.command(&["sync", "--full"])));
    }
    for ran in finish(children) {
        ran.ok();
    }
    assert_eq!(sandbox.run(&["status"]).ok().json()["pages"], 106);
    sandbox.validate();
}

#[test]
fn exactly_one_of_eight_writers_of_a_version_wins() {
    let sandbox = Sandbox::with_vault();
    sandbox.pipe(&["put", "page", "--expected-version", "0"], b"start").ok();
    for version in 1..=4_u64 {
        let expected = version.to_string();
        let put = |writer: usize| {
            let input = format!(
                r#"{{"slug": "page", "content": "writer {writer} of {version}", "expected_version": {expected}}}"#
            );
            sandbox.spawn(&mut sandbox.command(&["call", "put", &input]))
        };
        let ended = finish((0..8).map(put).collect());
        let winners: Vec<usize> = (0..8).filter(|writer| ended[*writer].code == 0).collect();
        let [winner] = winners[..] else { panic!("version {version} was written by {winners:?}: {ended:?}") };
        let losers = ended.into_iter().filter(|ran| ran.code != 0);
        losers.for_each(|ran| {
            drop(ran.exits(3).says(&format!("page is at version {}, not {version}", version + 1)))
        });
        assert_eq!(sandbox.read("page.md"), format!("writer {winner} of {version}").as_bytes());
    }
    assert_eq!(sandbox.run(&["get", "page", "--json"]).ok().json()["version"], 5);
    sandbox.validate();
}

#[test]
fn concurrent_appends_are_all_kept() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "start\n");
    let append = |number: usize| {
        sandbox.spawn(&mut sandbox.command(&["edit", "page", "--append", &format!("line {number}")]))
    };
    finish((0..8).map(append).collect()).into_iter().for_each(|ran| drop(ran.ok()));
    let text = String::from_utf8(sandbox.read("page.md")).expect("text");
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    let expected: Vec<String> =
        (0..8).map(|number| format!("line {number}")).chain(["start".into()]).collect();
    assert_eq!(lines, expected);
}

#[test]
fn concurrent_vault_registrations_are_all_kept() {
    let sandbox = Sandbox::empty();
    let init = |number: usize| {
        let name = format!("vault-{number}");
        sandbox.spawn(&mut sandbox.command(&["init", &name, "--no-git"]))
    };
    finish((0..8).map(init).collect()).into_iter().for_each(|ran| drop(ran.ok()));
    let known = sandbox.run(&["project", "list"]).ok().json();
    assert_eq!(known["projects"].as_array().expect("a list").len(), 8, "{known}");
}
