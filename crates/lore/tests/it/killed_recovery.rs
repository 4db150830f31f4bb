//! A recovery that is itself killed, once and again: the one that survives leaves all of the change or nothing.

use lore_engine::fault::POINTS;

use crate::stage::{self, Stage, Story, died};

/// Lets the change die once, then each recovery at one point further, on a vault as it was and on one in which the
/// recoveries before have died already.
fn again_and_again(story: Story, first: &[&str]) {
    let stage = Stage::new(story);
    for first in first {
        let mut deaths = 0;
        for point in POINTS {
            for time in 1.. {
                let what = format!("{first}, then {point}:{time}");
                stage.reset();
                assert!(stage.dies(first), "{what}: the change did not die");
                let killed = died(&stage.next(&[("LORE_FAULT", &format!("{point}:{time}"))]));
                if !killed {
                    break;
                }
                deaths += 1;
                stage.next(&[]).exits(0);
                assert!(stage.settled(&what), "{what}: it was begun, so it is to be finished");
            }
        }
        assert!(deaths >= 2, "{first}: only {deaths} recoveries died");
        stage.reset();
        assert!(stage.dies(first), "the change did not die");
        for point in POINTS {
            died(&stage.next(&[("LORE_FAULT", point)]));
        }
        stage.next(&[]).exits(0);
        assert!(
            stage.settled(&format!("{first}, then every point")),
            "it was begun, so it is to be finished"
        );
    }
}

#[test]
fn of_an_edit() {
    again_and_again(stage::edit(), &["noted", "before-commit"]);
}

#[test]
fn of_a_move_with_its_links() {
    again_and_again(stage::move_with_links(), &["noted", "installed:3"]);
}

#[test]
fn of_a_capture_with_its_source_and_the_generated_index() {
    again_and_again(stage::capture(), &["installed:1", "committed:1"]);
}

#[test]
fn of_a_generated_file_that_was_under_way() {
    again_and_again(stage::capture(), &["noted:2"]);
}

#[test]
fn of_a_turn_of_the_day() {
    again_and_again(stage::rotate(), &["installed:2"]);
}

#[test]
fn a_write_recovers_first_and_then_does_its_own_work() {
    for story in [stage::edit(), stage::delete(), stage::move_with_links()] {
        let stage = Stage::new(story);
        for fault in ["kept", "noted", "installed", "before-commit", "committed", "published"] {
            stage.reset();
            assert!(stage.dies(fault), "{fault}: the change did not die");
            stage.sandbox.pipe(&["put", "own"], b"own work").exits(0);
            assert_eq!(stage.sandbox.read("own.md"), b"own work");
            stage.sandbox.run(&["rm", "own", "--yes"]).ok();
            let now = stage.seen().files;
            assert!(now == stage.before.files || now == stage.after.files, "{fault}: {:?}", now.keys());
            crate::aftermath::nothing_left_over(&stage.sandbox, fault);
            crate::aftermath::index_is_true(&stage.sandbox, fault);
            crate::aftermath::git_is_sound(&stage.sandbox, &[], fault);
        }
    }
}

#[test]
fn a_home_of_its_own_recovers_what_another_left() {
    let stage = Stage::new(stage::move_with_links());
    for fault in ["kept:2", "noted", "installed:2", "before-commit", "committed"] {
        stage.reset();
        assert!(stage.dies(fault), "{fault}: the change did not die");
        let other = stage.sandbox.root.join("other");
        let other = other.to_string_lossy();
        stage.next(&[("LORE_HOME", &other)]).exits(0);
        stage.sandbox.run(&["status"]).exits(0);
        let now = stage.seen().files;
        assert!(now == stage.before.files || now == stage.after.files, "{fault}: {:?}", now.keys());
        crate::aftermath::nothing_left_over(&stage.sandbox, fault);
        crate::aftermath::index_is_true(&stage.sandbox, fault);
        crate::aftermath::git_is_sound(&stage.sandbox, &[], fault);
    }
}
