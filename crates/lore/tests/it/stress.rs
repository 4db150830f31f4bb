//! Four processes run random operations, are killed at random and restarted, while files are edited by hand. In the end
//! every acknowledged write is there, once, and nothing else.
//!
//! `LORE_STRESS_OPS` sets the number of operations; `LORE_STRESS_SEED` repeats a run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::invariants::{
    assert_git_is_clean, assert_index_matches_rebuild, assert_no_leftovers, tree, uncommitted,
};
use crate::sandbox::Sandbox;
use crate::stress_worker::{Marks, Outcome, SHARED, Worker, marks_of};

const WORKERS: usize = 4;

/// Requires a property on pages of `own/`, which `lint --fix` adds.
const POLICY: &str = r#"
[[rule]]
name = "own"
paths = ["own/*"]
schema = "own"

[schema.own]
required = ["kind"]
defaults = { kind = "thing" }

[lint.levels]
field-missing = "warning"
"#;

/// Reads a number from the environment.
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Prints the seed when a test fails.
pub struct Seed(pub u64);

impl Drop for Seed {
    #[expect(clippy::print_stderr, reason = "the seed is needed to reproduce the failure")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat it with LORE_STRESS_SEED={}", self.0);
        }
    }
}

fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init"]).ok();
    let policy = fs::read_to_string(sandbox.vault().join("lore.toml")).expect("a policy");
    sandbox.write("lore.toml", format!("{policy}{POLICY}"));
    for page in SHARED {
        sandbox.pipe(&["put", page], format!("# {page}\n").as_bytes()).ok();
    }
    sandbox.sh("git add -A && git -c user.name=p -c user.email=p commit -qm Prepared").exits(0);
    sandbox
}

/// Runs the next operation of a worker.
fn step(worker: &mut Worker<'_>, hand: &Mutex<BTreeSet<String>>, sandbox: &Sandbox) {
    let own = worker.own();
    match (worker.random.below(100), own) {
        (0..15, _) | (_, None) => put(worker),
        (15..30, _) => append_to_shared(worker),
        (30..42, Some(path)) => append(worker, &path),
        (42..50, Some(path)) => replace(worker, &path),
        (50..56, Some(path)) => tag(worker, &path),
        (56..62, Some(path)) => entry(worker, &path),
        (62..68, Some(path)) => rename(worker, &path),
        (68..73, Some(path)) => delete(worker, &path),
        (73..79, Some(path)) => restore(worker, &path),
        (79..83, _) => capture(worker),
        (83..85, _) => drop(worker.run("lint", json!({ "fix": true }))),
        (85..91, path) => edit_by_hand(worker, path, hand, sandbox),
        (_, Some(path)) => read(worker, &path),
    }
}

/// Checks a change to one of the worker's pages against the disk; after a kill, it may have been made or not.
fn changed(worker: &mut Worker<'_>, path: &str, after: Marks, outcome: Outcome) {
    let before = worker.pages.get(path).cloned();
    match outcome {
        Outcome::Done(answer) => worker.record(path, after, Some(&answer)),
        Outcome::Refused(answer) => panic!("{path}: {answer}"),
        Outcome::Unknown => match worker.text(path).map(|text| marks_of(&text)) {
            None => assert!(before.is_none(), "{path} is gone"),
            Some(found) => {
                assert!(
                    found == after || Some(&found) == before.as_ref(),
                    "{path}: {found:?}, not {after:?}"
                );
                worker.record(path, found, None);
            }
        },
    }
}

fn put(worker: &mut Worker<'_>) {
    let mark = worker.mark();
    let old = worker.own().filter(|_| worker.random.below(3) == 0);
    let gone = worker.deleted.iter().next().cloned().filter(|_| worker.random.below(3) == 0);
    let path = old.or(gone).unwrap_or_else(|| worker.fresh_path());
    let text = format!("# Page\n\nmarker {mark} of a zeppelin, see [[shared/one]]\n");
    let outcome = worker.run("put", json!({ "slug": path, "content": text, "drop": ["all"] }));
    changed(worker, &path, Marks::from([mark]), outcome);
    if worker.pages.contains_key(&path) {
        worker.gone.remove(&path);
        worker.deleted.remove(&path);
    }
}

fn with(worker: &Worker<'_>, path: &str, mark: &str) -> Marks {
    let mut marks = worker.pages[path].clone();
    marks.insert(mark.to_owned());
    marks
}

fn append(worker: &mut Worker<'_>, path: &str) {
    let mark = worker.mark();
    let after = with(worker, path, &mark);
    let outcome = worker.run("edit", json!({ "reference": path, "append": format!("marker {mark}") }));
    changed(worker, path, after, outcome);
}

fn replace(worker: &mut Worker<'_>, path: &str) {
    let Some(old) = worker.pages[path].iter().next().cloned() else { return append(worker, path) };
    let mark = worker.mark();
    let mut after = with(worker, path, &mark);
    after.remove(&old);
    let outcome = worker.run("edit", json!({ "reference": path, "find": old, "replace": mark }));
    changed(worker, path, after, outcome);
}

fn tag(worker: &mut Worker<'_>, path: &str) {
    let mark = worker.mark();
    let after = with(worker, path, &mark);
    let outcome = worker.run("tag", json!({ "reference": path, "tags": [mark] }));
    changed(worker, path, after, outcome);
}

fn entry(worker: &mut Worker<'_>, path: &str) {
    let mark = worker.mark();
    let after = with(worker, path, &mark);
    let date = format!("2024-01-{:02}", 1 + worker.random.below(28));
    let outcome = worker.run("timeline_add", json!({ "reference": path, "date": date, "summary": mark }));
    changed(worker, path, after, outcome);
}

fn append_to_shared(worker: &mut Worker<'_>) {
    let (page, mark) = (worker.shared_page(), worker.mark());
    let link =
        worker.own().map(|path| format!(" about [[{}]]", path.trim_end_matches(".md"))).unwrap_or_default();
    let line = format!("marker {mark}{link}");
    match worker.run("edit", json!({ "reference": page, "append": line })) {
        Outcome::Done(answer) => {
            worker.shared.push((page.into(), mark));
            worker.versions.push((page.into(), answer["version"].as_u64().expect("a version")));
        }
        Outcome::Refused(answer) => panic!("{page}: {answer}"),
        Outcome::Unknown => worker.uncertain.push((page.into(), mark)),
    }
}

fn rename(worker: &mut Worker<'_>, path: &str) {
    let to = worker.fresh_path();
    let marks = worker.pages[path].clone();
    let outcome = worker.run("mv", json!({ "reference": path, "to": to }));
    let there = [path, &to].map(|path| worker.text(path).is_some());
    match outcome {
        Outcome::Done(answer) => {
            assert_eq!(there, [false, true], "{path} moved to {to}");
            worker.moved(path, &to);
            worker.record(&to, marks, Some(&answer));
        }
        Outcome::Refused(answer) => panic!("{path} to {to}: {answer}"),
        Outcome::Unknown if there == [false, true] => {
            worker.moved(path, &to);
            worker.record(&to, marks, None);
        }
        Outcome::Unknown => assert_eq!(there, [true, false], "{path} possibly moved to {to}"),
    }
}

fn delete(worker: &mut Worker<'_>, path: &str) {
    let outcome = worker.run("rm", json!({ "reference": path, "yes": true }));
    match outcome {
        Outcome::Refused(answer) => panic!("{path}: {answer}"),
        Outcome::Unknown if worker.text(path).is_some() => {}
        Outcome::Done(_) | Outcome::Unknown => {
            assert!(worker.text(path).is_none(), "{path} was deleted");
            worker.pages.remove(path);
            worker.gone.insert(path.to_owned());
            worker.deleted.insert(path.to_owned());
        }
    }
}

fn restore(worker: &mut Worker<'_>, path: &str) {
    let Outcome::Done(history) = worker.run("history", json!({ "reference": path })) else { return };
    let kept = history["snapshots"].as_array().cloned().unwrap_or_default();
    let known =
        |one: &Value| Some((one["snapshot"].clone(), worker.at_version(path, one["version"].as_u64()?)?));
    let Some((snapshot, after)) = kept.iter().find_map(known) else { return };
    let outcome = worker.run("restore", json!({ "reference": path, "at": snapshot, "yes": true }));
    changed(worker, path, after, outcome);
}

fn capture(worker: &mut Worker<'_>) {
    let mark = worker.mark();
    let title = format!("Capture {mark}");
    let outcome = worker.run("capture", json!({ "text": "A harbour.", "title": title, "keep": true }));
    match outcome {
        Outcome::Done(answer) => {
            let path = answer["path"].as_str().expect("a path").to_owned();
            worker.record(&path, marks_of(&worker.text(&path).expect("it is there")), Some(&answer));
            assert!(worker.pages[&path].iter().any(|found| found.starts_with(&mark)), "{path}");
        }
        Outcome::Refused(answer) => panic!("{answer}"),
        Outcome::Unknown => {}
    }
}

/// Edits a file like an editor, by renaming a new file over it. It holds the vault lock: a simultaneous edit by an
/// editor and Lore has its own test.
fn edit_by_hand(
    worker: &mut Worker<'_>,
    own: Option<String>,
    hand: &Mutex<BTreeSet<String>>,
    sandbox: &Sandbox,
) {
    let lock = fs::File::open(sandbox.vault()).expect("the vault");
    lock.lock().expect("a lock");
    let mark = worker.mark();
    let own = own.filter(|_| worker.random.below(2) == 0);
    let path = own.clone().unwrap_or_else(|| format!("{}.md", worker.shared_page()));
    let text = worker.text(&path).unwrap_or_else(|| panic!("{path} is gone"));
    let temporary = sandbox.root.join(format!("aside-{mark}"));
    fs::write(&temporary, format!("{text}\nby hand {mark}\n")).expect("a file");
    fs::rename(&temporary, sandbox.vault().join(&path)).expect("a rename");
    hand.lock().expect("nobody panicked").insert(path.clone());
    drop(lock);
    match own {
        Some(path) => {
            let after = with(worker, &path, &mark);
            worker.record(&path, after, None);
        }
        None => worker.shared.push((path.trim_end_matches(".md").to_owned(), mark)),
    }
}

fn read(worker: &mut Worker<'_>, path: &str) {
    if let Outcome::Done(answer) = worker.run("get", json!({ "reference": path })) {
        let found = marks_of(answer["content"].as_str().expect("text"));
        assert_eq!(found, worker.pages[path], "{path} as returned by get");
    }
}

/// Checks the shared pages against what all workers added to them.
fn check_shared(sandbox: &Sandbox, workers: &[Worker<'_>]) {
    for page in SHARED {
        let text = String::from_utf8(sandbox.read(&format!("{page}.md"))).expect("text");
        let found = marks_of(&text);
        let is_on_page = |added: &&(String, String)| added.0 == page;
        let mark = |added: &(String, String)| added.1.clone();
        let certain: Marks =
            workers.iter().flat_map(|worker| &worker.shared).filter(is_on_page).map(mark).collect();
        let uncertain: Marks =
            workers.iter().flat_map(|worker| &worker.uncertain).filter(is_on_page).map(mark).collect();
        let lost: Vec<&String> = certain.difference(&found).collect();
        assert!(lost.is_empty(), "{page} lost {lost:?}");
        let unexpected: Vec<&String> =
            found.difference(&certain).filter(|mark| !uncertain.contains(*mark)).collect();
        assert!(unexpected.is_empty(), "{page} has {unexpected:?}");
    }
}

/// Asserts that every write of a page has its own version, and that each worker sees versions grow.
fn check_versions(workers: &[Worker<'_>]) {
    let mut reported: BTreeSet<&(String, u64)> = BTreeSet::new();
    for worker in workers {
        let mut last: BTreeMap<&str, u64> = BTreeMap::new();
        for one in &worker.versions {
            let (path, version) = (one.0.as_str(), one.1);
            let before = last.insert(path, version).unwrap_or(0);
            assert!(version > before, "{path} went from version {before} to {version}");
            assert!(reported.insert(one), "{path} was at version {version} twice");
        }
    }
}

#[test]
fn acknowledged_writes_survive_random_kills() {
    let seed = Seed(number("LORE_STRESS_SEED").unwrap_or_else(|| u64::from(std::process::id())));
    let operations = number("LORE_STRESS_OPS").unwrap_or(500) as usize;
    let sandbox = vault();
    let hand = Mutex::new(BTreeSet::new());
    let mut workers: Vec<Worker<'_>> =
        (0..WORKERS).map(|number| Worker::new(&sandbox, number, seed.0)).collect();
    std::thread::scope(|scope| {
        for worker in &mut workers {
            let (hand, sandbox) = (&hand, &sandbox);
            scope.spawn(move || {
                (0..operations / WORKERS).for_each(|_| step(worker, hand, sandbox));
                worker.end();
            });
        }
    });
    let kills: usize = workers.iter().map(|worker| worker.kills).sum();
    assert!(kills > operations / 50, "only {kills} were killed");
    sandbox.run(&["sync"]).exits(0);
    let files = tree(&sandbox);
    for (path, marks) in workers.iter().flat_map(|worker| &worker.pages) {
        let text = files.get(path).unwrap_or_else(|| panic!("{path} is lost"));
        assert_eq!(marks_of(&String::from_utf8_lossy(text)), *marks, "{path}");
    }
    for path in workers.iter().flat_map(|worker| &worker.gone) {
        assert!(!files.contains_key(path), "{path} exists again");
    }
    check_shared(&sandbox, &workers);
    check_versions(&workers);
    assert_no_leftovers(&sandbox, "at the end");
    assert_index_matches_rebuild(&sandbox, "at the end");
    let open = uncommitted(&sandbox);
    let hand = hand.into_inner().expect("nobody panicked");
    let unexpected: Vec<&String> = open.iter().filter(|path| !hand.contains(*path)).collect();
    assert!(unexpected.is_empty(), "not committed: {unexpected:?}");
    assert_git_is_clean(&sandbox, &open.iter().map(String::as_str).collect::<Vec<_>>(), "at the end");
    let _: Value = sandbox.run(&["doctor"]).json();
}
