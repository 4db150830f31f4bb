//! A write whose process dies, at every point of it and each time it passes there: whoever comes next finds all of
//! the change or nothing of it, in the files, the index, the history and the repository alike.

use lore_engine::fault::POINTS;

use crate::stage::{self, Stage, Story};

/// Lets the process die at every point, as often as it passes there.
fn at_every_point(story: Story) {
    let stage = Stage::new(story);
    let (mut undone, mut finished) = (0, 0);
    for point in POINTS {
        for time in 1.. {
            let fault = format!("{point}:{time}");
            stage.reset();
            let killed = stage.dies(&fault);
            if killed {
                let told = stage.next(&[]).exits(0).err;
                assert!(!told.contains("error"), "{fault}: {told}");
            }
            let done = stage.settled(&fault);
            assert!(done || killed, "{fault}: it ended well, and the change is not there");
            if !killed {
                break;
            }
            if done { finished += 1 } else { undone += 1 }
        }
    }
    assert!(undone >= 1 && finished >= 4, "the points were not passed: {undone} undone, {finished} finished");
}

#[test]
fn a_new_page_is_there_or_not() {
    at_every_point(stage::new_page());
}

#[test]
fn an_edit_is_made_or_not() {
    at_every_point(stage::edit());
}

#[test]
fn a_page_is_deleted_or_not() {
    at_every_point(stage::delete());
}

#[test]
fn a_move_takes_all_its_links_along_or_none() {
    at_every_point(stage::move_with_links());
}

#[test]
fn a_capture_comes_with_its_source_and_the_generated_index() {
    at_every_point(stage::capture());
}

#[test]
fn a_day_turns_with_its_whole_inbox() {
    at_every_point(stage::rotate());
}
