//! A recovery that is itself killed, repeatedly: the one that completes leaves the whole change or none of it.

use lore_vault::fault::POINTS;

use crate::crash_support::{self, CrashHarness, Scenario, was_killed};

/// Kills the change once, then each recovery at every fault point, first on a fresh copy of the vault, then on one
/// where all earlier recoveries were killed too.
fn kill_recoveries_of(scenario: Scenario, first: &[&str]) {
    let harness = CrashHarness::new(scenario);
    for first in first {
        let mut deaths = 0;
        for point in POINTS {
            for time in 1.. {
                let what = format!("{first}, then {point}:{time}");
                harness.reset();
                assert!(harness.killed_at(first), "{what}: the change was not killed");
                let killed = was_killed(&harness.next_command(&[("LORE_FAULT", &format!("{point}:{time}"))]));
                if !killed {
                    break;
                }
                deaths += 1;
                harness.next_command(&[]).exits(0);
                assert!(harness.assert_atomic(&what), "{what}: a started change must be finished");
            }
        }
        assert!(deaths >= 2, "{first}: only {deaths} recoveries were killed");
        harness.reset();
        assert!(harness.killed_at(first), "the change was not killed");
        for point in POINTS {
            was_killed(&harness.next_command(&[("LORE_FAULT", point)]));
        }
        harness.next_command(&[]).exits(0);
        assert!(
            harness.assert_atomic(&format!("{first}, then every point")),
            "a started change must be finished"
        );
    }
}

#[test]
fn edit_recovers_from_killed_recoveries() {
    kill_recoveries_of(crash_support::edit(), &["noted", "before-commit"]);
}

#[test]
fn move_recovers_from_killed_recoveries() {
    kill_recoveries_of(crash_support::move_with_links(), &["noted", "installed:3"]);
}

#[test]
fn capture_recovers_from_killed_recoveries() {
    kill_recoveries_of(crash_support::capture(), &["installed:1", "committed:1"]);
}

#[test]
fn generated_file_recovers_from_killed_recoveries() {
    kill_recoveries_of(crash_support::capture(), &["noted:2"]);
}

#[test]
fn rotation_recovers_from_killed_recoveries() {
    kill_recoveries_of(crash_support::rotate(), &["installed:2"]);
}

#[test]
fn write_recovers_an_earlier_change_first() {
    for scenario in [crash_support::edit(), crash_support::delete(), crash_support::move_with_links()] {
        let harness = CrashHarness::new(scenario);
        for fault in ["kept", "noted", "installed", "before-commit", "committed", "published"] {
            harness.reset();
            assert!(harness.killed_at(fault), "{fault}: the change was not killed");
            harness.sandbox.pipe(&["put", "own"], b"own work").exits(0);
            assert_eq!(harness.sandbox.read("own.md"), b"own work");
            harness.sandbox.run(&["rm", "own", "--yes"]).ok();
            let now = harness.observe().files;
            assert!(now == harness.before.files || now == harness.after.files, "{fault}: {:?}", now.keys());
            crate::invariants::assert_no_leftovers(&harness.sandbox, fault);
            crate::invariants::assert_index_matches_rebuild(&harness.sandbox, fault);
            crate::invariants::assert_git_is_clean(&harness.sandbox, &[], fault);
        }
    }
}

#[test]
fn another_home_recovers_a_killed_change() {
    let harness = CrashHarness::new(crash_support::move_with_links());
    harness.sandbox.trust_in("other");
    for fault in ["kept:2", "noted", "installed:2", "before-commit", "committed"] {
        harness.reset();
        assert!(harness.killed_at(fault), "{fault}: the change was not killed");
        let other = harness.sandbox.root.join("other");
        let other = other.to_string_lossy();
        harness.next_command(&[("LORE_HOME", &other)]).exits(0);
        harness.sandbox.run(&["status"]).exits(0);
        let now = harness.observe().files;
        assert!(now == harness.before.files || now == harness.after.files, "{fault}: {:?}", now.keys());
        crate::invariants::assert_no_leftovers(&harness.sandbox, fault);
        crate::invariants::assert_index_matches_rebuild(&harness.sandbox, fault);
        crate::invariants::assert_git_is_clean(&harness.sandbox, &[], fault);
    }
}
