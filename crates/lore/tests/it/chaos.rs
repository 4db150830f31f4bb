//! Eight processes write through every face while a person edits files and uses git, processes are killed, suspended and
//! resumed, and some of their clocks are wrong. In the end every acknowledged write and every edit is in a file, a commit or
//! a snapshot, no version was given twice, and a rebuilt index gives the same answers.
//!
//! `LORE_STRESS_OPS` sets the number of operations; `LORE_STRESS_SEED` repeats the choices of a run, not its timing.

mod disorder;
mod evidence;
mod face;
mod person;
mod worker;

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::invariants::{assert_git_is_clean, assert_index_matches_rebuild, assert_no_leftovers};
use crate::sandbox::Sandbox;
use crate::stress::{Seed, number};

use disorder::{Disorder, Processes};
use evidence::everything_kept;
use face::FACES;
use person::Person;
use worker::{ChaosWorker, Journal};

/// Two workers for each face.
const WORKERS: usize = 2 * FACES.len();

fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init"]).ok();
    for page in worker::SHARED {
        sandbox.pipe(&["put", page], format!("# {page}\n\nA harbour.\n").as_bytes()).ok();
    }
    sandbox.sh("git config user.name p && git config user.email p@example.org").exits(0);
    sandbox
}

/// Runs the workers until the operations are used up, and the person and the disorder until the workers are done.
fn run(sandbox: &Sandbox, seed: u64, operations: usize) -> (Vec<ChaosWorker<'_>>, Person<'_>, Disorder) {
    let processes = Processes::new(WORKERS);
    let left = AtomicUsize::new(operations);
    let mut workers: Vec<ChaosWorker<'_>> =
        (0..WORKERS).map(|number| ChaosWorker::new(sandbox, number, seed)).collect();
    let (mut person, mut disorder) = (Person::new(sandbox, seed), Disorder::new(seed));
    let (stop_person, person_stopped) = mpsc::channel::<()>();
    let (stop_disorder, disorder_stopped) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let (processes, left, person, disorder) = (&processes, &left, &mut person, &mut disorder);
        let running: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                scope.spawn(move || {
                    let next = || {
                        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                    };
                    while next().is_ok() {
                        worker.step(processes);
                    }
                    worker.end(processes);
                })
            })
            .collect();
        scope.spawn(move || person.run(&person_stopped));
        scope.spawn(move || disorder.run(processes, &disorder_stopped));
        let ended: Vec<_> = running.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        drop((stop_person, stop_disorder));
        for worker in ended {
            worker.expect("a worker panicked");
        }
    });
    (workers, person, disorder)
}

/// Prints what was done, for `make stress`.
#[expect(clippy::print_stderr, reason = "the counts are what a stress run reports")]
fn report(
    workers: &[ChaosWorker<'_>],
    person: &Person<'_>,
    disorder: &Disorder,
    kept: &BTreeMap<&str, usize>,
) {
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for (outcome, count) in workers.iter().flat_map(|worker| &worker.outcomes) {
        *outcomes.entry(outcome).or_default() += count;
    }
    eprintln!("outcomes: {outcomes:?}");
    eprintln!("person: {:?}", person.done);
    eprintln!("kills {}, suspensions {}", disorder.kills, disorder.suspensions);
    eprintln!("found: {kept:?}");
}

#[test]
fn nothing_is_lost_in_disorder() {
    let seed = Seed(number("LORE_STRESS_SEED").unwrap_or_else(|| u64::from(std::process::id())));
    let operations = number("LORE_STRESS_OPS").unwrap_or(400) as usize;
    let sandbox = vault();
    let (workers, person, disorder) = run(&sandbox, seed.0, operations);
    sandbox.run(&["sync"]).exits(0);
    person.end();
    // What a kill left uncommitted, and the person's last edits.
    let rest = sandbox.run(&["git", "commit", "-m", "The rest"]);
    let journals: Vec<&Journal> =
        workers.iter().map(|worker| &worker.journal).chain([&person.journal]).collect();
    let kept = everything_kept(&sandbox, &journals);
    report(&workers, &person, &disorder, &kept);
    worker::assert_versions_rise(&workers);
    assert_no_leftovers(&sandbox, "at the end");
    assert_index_matches_rebuild(&sandbox, "at the end");
    let status = sandbox.sh("git status").text();
    assert!(rest.code == 0 && crate::invariants::uncommitted(&sandbox).is_empty(), "{rest:?}\n{status}");
    assert_git_is_clean(&sandbox, &[], "at the end");
}
