//! After any sequence of file changes, the index equals a fresh one.

use std::fs;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::fixture::World;

/// Names that collide as slugs, as titles, by folder and by the case of their links.
const PATHS: [&str; 10] = [
    "x-y.md",
    "x y.md",
    "X_Y.md",
    "x-y-1.md",
    "sub/x-y.md",
    "sub/plan.md",
    "plan.md",
    "sub/deep/plan.md",
    "z.md",
    "sub/z.markdown",
];

const TEXTS: [&str; 8] = [
    "---\nid: ID\ntitle: Plan\n---\n[[x-y]] [[plan]] [[z]]\n",
    "---\nid: ID\ntitle: Other\naliases: [z, X Y]\n---\n- knows [[x-y-1]] {2020..2021}\n- knows [[Plan]]\n",
    "---\nid: ID\n---\n# Plan\n[up](../plan.md) [down](sub/z.markdown) [[sub/x-y]]\n",
    "---\nid: ID\n---\n- [a] thing #t\n- fact:: one\n\n---\n- **2024-01-01** | x — y [[Other]]\n",
    "---\nid: ID\ntitle: x-y\n---\n[[x-y]] [[x-y-1]] [[x-y-2]] [[deep/plan]]\n",
    "---\nid: ID\naliases: [Plan, plan]\n---\n[[X Y]] [[z.md]]\n",
    "---\nid: ID\ntype: person\n---\n[[nobody]]\n",
    "---\nid: ID\n---\n",
];

#[derive(Debug, Clone)]
enum Step {
    Write(usize, usize),
    Remove(usize),
    Move(usize, usize),
    Sync,
    ReconcileScope(Vec<usize>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // The first four compete for the same slugs.
    let path = prop_oneof![3 => 0..4usize, 2 => 0..PATHS.len()];
    let step = prop_oneof![
        4 => (path.clone(), 0..TEXTS.len()).prop_map(|(path, text)| Step::Write(path, text)),
        2 => path.clone().prop_map(Step::Remove),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Move(from, to)),
        2 => Just(Step::Sync),
        1 => prop::collection::vec(path, 1..4).prop_map(Step::ReconcileScope),
    ];
    prop::collection::vec(step, 1..40)
}

/// Applies the steps. Every page has an id, because a page without one gets it from the path where it was first seen.
fn take(world: &World, steps: &[Step]) {
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Write(path, text) => {
                world.file(PATHS[*path], TEXTS[*text].replace("ID", &format!("id-{path}-{at}")));
            }
            Step::Remove(path) => drop(fs::remove_file(world.at(PATHS[*path]))),
            Step::Move(from, to) if world.at(PATHS[*from]).exists() => world.rename(PATHS[*from], PATHS[*to]),
            Step::Move(..) => {}
            Step::Sync => drop(world.sync()),
            Step::ReconcileScope(paths) => {
                let paths: Vec<&str> = paths.iter().map(|path| PATHS[*path]).collect();
                world.sync_paths(&paths);
            }
        }
    }
    world.sync();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_equals_a_fresh_one_after_any_steps(steps in steps()) {
        let world = World::new("");
        take(&world, &steps);
        world.check_consistency();
        prop_assert_eq!(world.sync(), "", "a second sync finds no changes");
    }
}
