//! The watcher's events are fed by hand: each only says where to look.

use std::sync::mpsc::channel;
use std::time::Duration;

use lore_engine::{Event, follow};

use super::fixture::{World, shown};

/// Lets the watcher follow these events to their end and gives what it told, a report per wake.
fn told(world: &World, events: &[&str]) -> Vec<String> {
    let (sender, receiver) = channel();
    for event in events {
        let event = match *event {
            "lost" => Event::Lost,
            path => Event::Path(world.memory.vault().root().join(path)),
        };
        sender.send(event).unwrap();
    }
    // Without a sender a quiet time ends at once, and after the last burst the watcher ends.
    drop(sender);
    let mut told = Vec::new();
    follow(&world.memory, &receiver, Duration::ZERO, &mut |report| told.push(shown(&report.unwrap())));
    told
}

#[test]
fn a_burst_is_one_look_at_its_pages() {
    let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n-- c.md --\nthree\n");
    world.files("-- a.md --\nchanged\n-- new.md --\n[[a]]\n-- unnoticed.md --\nx\n");
    world.remove("b.md");
    world.rename("c.md", "sub/c.md");
    let events = ["new.md", "a.md", "b.md", "a.md", "c.md", "sub/c.md", "image.png", ".git/index", "a.md~"];
    assert_eq!(told(&world, &events), ["+new.md ~a.md c.md>sub/c.md -b.md"]);
    assert_eq!(world.sync(), "+unnoticed.md");
    world.check_sound();
}

#[test]
fn lost_events_a_folder_or_an_ignore_file_mean_everything() {
    for event in ["lost", "folder", ".gitignore", ".loreignore", "sub/.gitignore", "lore.toml"] {
        let world = World::synced("-- a.md --\none\n");
        world.files("-- folder/b.md --\ntwo\n");
        assert_eq!(told(&world, &[event]), ["+folder/b.md"], "{event}");
    }
}

#[test]
fn what_is_not_about_pages_wakes_nobody() {
    let world = World::synced("-- a.md --\none\n");
    world.files("-- b.md --\ntwo\n");
    assert_eq!(told(&world, &["image.png", ".git/HEAD", ".obsidian/x.md", ".lore-abc.tmp"]), [""; 0]);
}

#[test]
fn a_stop_ends_it_at_once() {
    let world = World::new("-- a.md --\none\n");
    let (sender, receiver) = channel();
    sender.send(Event::Path(world.at("a.md"))).unwrap();
    sender.send(Event::Stop).unwrap();
    follow(&world.memory, &receiver, Duration::from_secs(600), &mut |report| panic!("{report:?}"));
    assert_eq!(world.pages(), []);
}

#[test]
fn an_ignored_page_is_looked_at_and_left() {
    let world = World::synced("-- .gitignore --\nsecret.md\n-- a.md --\none\n");
    world.files("-- secret.md --\nx\n");
    assert_eq!(told(&world, &["secret.md"]), [""]);
    assert_eq!(world.pages().len(), 1);
}

#[test]
fn a_folder_with_a_dot_in_its_name_means_everything_too() {
    let world = World::synced("-- a.md --\none\n");
    world.files("-- notes.old/b.md --\ntwo\n");
    assert_eq!(told(&world, &["notes.old"]), ["+notes.old/b.md"]);
}
