//! A write whose process is killed, at every fault point and each time it is reached: the next command finds the whole
//! change or none of it, in the files, the index, the history and the repository alike.

use lore_vault::fault::POINTS;

use crate::crash_support::{self, CrashHarness, Scenario};

/// Kills the process at every fault point, each time it is reached.
fn at_every_point(scenario: Scenario) {
    let harness = CrashHarness::new(scenario);
    let (mut undone, mut finished) = (0, 0);
    for point in POINTS {
        for time in 1.. {
            let fault = format!("{point}:{time}");
            harness.reset();
            let killed = harness.killed_at(&fault);
            if killed {
                let stderr = harness.next_command(&[]).exits(0).err;
                assert!(!stderr.contains("error"), "{fault}: {stderr}");
            }
            let done = harness.assert_atomic(&fault);
            assert!(done || killed, "{fault}: it succeeded without making the change");
            if !killed {
                break;
            }
            if done { finished += 1 } else { undone += 1 }
        }
    }
    assert!(
        undone >= 1 && finished >= 4,
        "the fault points were not reached: {undone} undone, {finished} finished"
    );
}

#[test]
fn new_page_is_atomic() {
    at_every_point(crash_support::new_page());
}

#[test]
fn edit_is_atomic() {
    at_every_point(crash_support::edit());
}

#[test]
fn delete_is_atomic() {
    at_every_point(crash_support::delete());
}

#[test]
fn move_with_links_is_atomic() {
    at_every_point(crash_support::move_with_links());
}

#[test]
fn capture_with_source_and_generated_index_is_atomic() {
    at_every_point(crash_support::capture());
}

#[test]
fn rotation_is_atomic() {
    at_every_point(crash_support::rotate());
}
