//! Most tests feed events by hand: each event only says where to look. The last test uses real file system events.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{fs, thread};

use lore_engine::{Follow, follow};
use lore_vault::{Event, watch};

use super::fixture::{World, context, shown};

/// Feeds these events to the watcher until it ends, and returns one report per wake-up.
fn reports(world: &World, events: &[&str]) -> Vec<String> {
    let (sender, receiver) = channel();
    for event in events {
        let event = match *event {
            "lost" => Event::Lost,
            path => Event::Path(world.context.vault().root().join(path)),
        };
        sender.send(event).unwrap();
    }
    // Without a sender the quiet period ends immediately, and the watcher ends after the last burst.
    drop(sender);
    let mut reports = Vec::new();
    let mut followed = Follow { events: &receiver, watching: None, quiet: Duration::ZERO };
    follow(&world.context, &mut followed, &mut |report| reports.push(shown(&report.unwrap()))).unwrap();
    reports
}

#[test]
fn bursts_are_reconciled_once() {
    let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n-- c.md --\nthree\n");
    world.files("-- a.md --\nchanged\n-- new.md --\n[[a]]\n-- unnoticed.md --\nx\n");
    world.remove("b.md");
    world.rename("c.md", "sub/c.md");
    let events = ["new.md", "a.md", "b.md", "a.md", "c.md", "sub/c.md", "image.png", ".git/index", "a.md~"];
    assert_eq!(reports(&world, &events), ["+new.md ~a.md c.md>sub/c.md -b.md"]);
    assert_eq!(world.sync(), "+unnoticed.md");
    world.check_consistency();
}

#[test]
fn lost_events_folders_and_ignore_files_trigger_a_full_scan() {
    for event in ["lost", "folder", ".gitignore", ".loreignore", "sub/.gitignore", "lore.toml"] {
        let world = World::synced("-- a.md --\none\n");
        world.files("-- folder/b.md --\ntwo\n");
        assert_eq!(reports(&world, &[event]), ["+folder/b.md"], "{event}");
    }
}

#[test]
fn unrelated_events_are_ignored() {
    let world = World::synced("-- a.md --\none\n");
    world.files("-- b.md --\ntwo\n");
    assert_eq!(reports(&world, &["image.png", ".git/HEAD", ".obsidian/x.md", ".lore-abc.tmp"]), [""; 0]);
}

#[test]
fn stop_ends_the_watcher() {
    let world = World::new("-- a.md --\none\n");
    let (sender, receiver) = channel();
    sender.send(Event::Path(world.at("a.md"))).unwrap();
    sender.send(Event::Stop).unwrap();
    let mut followed = Follow { events: &receiver, watching: None, quiet: Duration::from_secs(600) };
    follow(&world.context, &mut followed, &mut |report| panic!("{report:?}")).unwrap();
    assert_eq!(world.pages(), []);
}

#[test]
fn ignored_pages_stay_out_of_the_index() {
    let world = World::synced("-- .gitignore --\nsecret.md\n-- a.md --\none\n");
    world.files("-- secret.md --\nx\n");
    assert_eq!(reports(&world, &["secret.md"]), [""]);
    assert_eq!(world.pages().len(), 1);
}

#[test]
fn folders_with_a_dot_trigger_a_full_scan() {
    let world = World::synced("-- a.md --\none\n");
    world.files("-- notes.old/b.md --\ntwo\n");
    assert_eq!(reports(&world, &["notes.old"]), ["+notes.old/b.md"]);
}

/// Waits until all of these changes have been reported, in any bursts.
#[track_caller]
fn expect_reports(reports: &Receiver<String>, expected: &[&str]) {
    let mut received = String::new();
    while !expected.iter().all(|what| received.split(' ').any(|one| one == *what)) {
        let report = reports.recv_timeout(Duration::from_secs(30));
        received.push_str(&format!(" {}", report.unwrap_or_else(|_| panic!("{expected:?} in {received:?}"))));
    }
}

#[test]
fn recreated_folders_are_watched() {
    let world = World::synced("-- a.md --\none\n-- old/b.md --\ntwo\n-- .gitignore --\nbuild\n");
    let (sender, events) = channel();
    let watching = Some(watch(world.context.vault(), sender.clone()).unwrap());
    let (report_sender, reports) = channel();
    let folder = world.outside("");
    thread::scope(|scope| {
        let folder = &folder;
        scope.spawn(move || {
            let follower = context(folder, "vault", "lore.db");
            let mut followed = Follow { events: &events, watching, quiet: Duration::from_millis(20) };
            let mut send = |report: Result<_, _>| drop(report_sender.send(shown(&report.unwrap())));
            follow(&follower, &mut followed, &mut send).unwrap();
        });
        world.files("-- old/c.md --\nx\n-- new/inner/d.md --\nx\n");
        expect_reports(&reports, &["+old/c.md", "+new/inner/d.md"]);
        world.files("-- new/inner/e.md --\nx\n-- new/f.md --\nx\n");
        expect_reports(&reports, &["+new/inner/e.md", "+new/f.md"]);
        fs::remove_dir_all(world.at("new")).unwrap();
        expect_reports(&reports, &["-new/f.md", "-new/inner/d.md", "-new/inner/e.md"]);
        world.files("-- new/g.md --\nx\n");
        expect_reports(&reports, &["+new/g.md"]);
        world.files("-- new/h.md --\nx\n");
        expect_reports(&reports, &["+new/h.md"]);
        fs::rename(world.at("old"), world.at("moved")).unwrap();
        expect_reports(&reports, &["old/b.md>moved/b.md", "old/c.md>moved/c.md"]);
        world.files("-- moved/i.md --\nx\n-- build/ignored.md --\nx\n");
        expect_reports(&reports, &["+moved/i.md"]);
        sender.send(Event::Stop).unwrap();
    });
    assert_eq!(world.sync(), "");
    world.check_consistency();
}
