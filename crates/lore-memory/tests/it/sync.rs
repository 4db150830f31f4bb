//! Files are created, changed, moved and deleted, and the index follows.

use lore_engine::{ScanMode, Scope, refresh};
use lore_ports::{StatementFilter, StatementKind, no_progress};
use lore_text::ContentHash;

use super::fixture::{World, context, problems};

const NOTE: &str = "\
-- test.md --
---
title: Test Note
---
- [idea] first thought
- uses [[Other]]
";

fn observations(world: &World) -> Vec<String> {
    let (store, project) = (world.context.store(), world.context.project());
    let wanted = StatementFilter { pages: None, kind: Some(StatementKind::Observation), naming: None };
    store.statements(project, &wanted).unwrap().into_iter().map(|row| row.statement.object).collect()
}

#[test]
fn new_files_are_indexed() {
    let world = World::new(NOTE);
    assert_eq!(world.sync(), "+test.md");
    let page = world.page("test.md");
    assert_eq!((page.title.as_str(), page.slug.as_str(), page.version), ("Test Note", "test", 1));
    assert_eq!(page.hash, ContentHash::of(world.text("test.md").as_bytes()));
    assert_eq!(observations(&world), ["first thought"]);
    assert_eq!(world.sync(), "");
    world.check_consistency();
}

#[test]
fn changed_files_are_reindexed() {
    let world = World::synced(NOTE);
    let before = world.page("test.md");
    world.files("-- test.md --\n- [idea] second thought\n");
    assert_eq!(world.sync(), "~test.md");
    let after = world.page("test.md");
    assert_eq!((after.id, after.version, after.title.as_str()), (before.id, 2, "test"));
    assert_ne!(after.hash, before.hash);
    assert!(after.created == before.created && after.updated > before.updated);
    assert_eq!(observations(&world), ["second thought"]);
    assert_eq!(world.sync(), "");
    world.check_consistency();
}

#[test]
fn deleted_files_are_removed_with_their_rows() {
    let world = World::synced(&format!("{NOTE}-- other.md --\n[[test]]\n"));
    world.remove("test.md");
    assert_eq!(world.sync(), "-test.md");
    assert_eq!(world.state(), "other.md other \"other\"\n  links_to test -> ?\n");
    assert_eq!(observations(&world), [""; 0]);
    world.check_consistency();
}

#[test]
fn moved_files_keep_id_version_and_history() {
    let world = World::synced("-- old.md --\nfirst\n-- other.md --\n[[old]] and [[new]]\n");
    world.put("old.md", "second\n");
    let before = world.page("old.md");
    world.rename("old.md", "sub/new.md");
    assert_eq!(world.sync(), "old.md>sub/new.md");
    let after = world.page("sub/new.md");
    assert_eq!((&after.id, after.version, after.created), (&before.id, 2, before.created));
    assert_eq!(after.number, before.number);
    let (store, project) = (world.context.store(), world.context.project());
    let kept = store.snapshots(project, "sub/new.md").unwrap();
    assert_eq!(store.snapshot_bytes(project, kept[0].number).unwrap().unwrap(), b"first\n");
    assert_eq!(store.snapshots(project, "old.md").unwrap(), []);
    assert_eq!(world.context.page(&before.id).unwrap().path, "sub/new.md");
    world.check_consistency();
}

#[test]
fn swapped_files_keep_their_data_by_path() {
    let world = World::synced("-- a.md --\nalpha\n-- b.md --\nbeta\n");
    let (a, b) = (world.page("a.md"), world.page("b.md"));
    world.files("-- a.md --\nbeta\n-- b.md --\nalpha\n");
    assert_eq!(world.sync(), "~a.md ~b.md");
    assert_eq!((world.page("a.md").id, world.page("b.md").id), (a.id, b.id));
    world.check_consistency();
}

#[test]
fn identical_files_that_move_keep_their_ids() {
    let world = World::synced("-- p/a.md --\ntwin\n-- p/b.md --\ntwin\n");
    let (a, b) = (world.page("p/a.md").id, world.page("p/b.md").id);
    world.rename("p/a.md", "q/a.md");
    world.rename("p/b.md", "q/b.md");
    assert_eq!(world.sync(), "p/a.md>q/a.md p/b.md>q/b.md");
    assert_eq!((world.page("q/a.md").id, world.page("q/b.md").id), (a, b.clone()));
    world.remove("q/a.md");
    world.rename("q/b.md", "r/b.md");
    assert_eq!(world.sync(), "q/b.md>r/b.md -q/a.md");
    assert_eq!(world.page("r/b.md").id, b);
}

#[test]
fn pages_move_with_their_folder() {
    let world = World::synced("-- a/x.md --\n[[y]]\n-- a/y.md --\n[up](../top.md)\n-- top.md --\n[[a/x]]\n");
    world.rename("a", "b");
    assert_eq!(world.sync(), "a/x.md>b/x.md a/y.md>b/y.md");
    world.check_consistency();
}

#[test]
fn touched_files_with_the_same_bytes_are_unchanged() {
    let world = World::synced(NOTE);
    world.files(NOTE);
    assert_eq!(world.sync(), "");
    assert_eq!(world.page("test.md").version, 1);
    assert_eq!(world.sync_paths(&["test.md"]), "");
}

#[test]
fn changes_hidden_by_mtime_and_size_are_found_by_hashing() {
    let world = World::synced("-- a.md --\none\n");
    let time = world.time("a.md");
    world.file("a.md", "two\n");
    std::fs::File::options().write(true).open(world.at("a.md")).unwrap().set_modified(time).unwrap();
    assert_eq!(world.sync(), "");
    let report = refresh(&world.context, Scope::Vault(ScanMode::Nothing), &no_progress).unwrap();
    assert_eq!(report.modified, ["a.md"]);
}

/// A file as new as the scan may change again within the same tick of its clock.
#[test]
fn just_written_files_are_rechecked() {
    let world = World::new("-- a.md --\none\n");
    let now: jiff::Zoned = super::fixture::NOW.parse().unwrap();
    let now = std::time::SystemTime::from(now.timestamp());
    let set = || {
        let file = std::fs::File::options().write(true).open(world.at("a.md")).unwrap();
        file.set_modified(now).unwrap();
    };
    set();
    assert_eq!(world.sync(), "+a.md");
    world.file("a.md", "two\n");
    set();
    assert_eq!(world.sync(), "~a.md");
}

#[test]
fn partial_syncs_see_only_the_given_paths() {
    let world = World::new("-- a.md --\n[[b]]\n-- b.md --\nx\n-- c.md --\nx\n");
    assert_eq!(world.sync_paths(&["b.md", "a.md", "none.md"]), "+a.md +b.md");
    world.remove("b.md");
    world.rename("a.md", "d/a.md");
    assert_eq!(world.sync_paths(&["a.md", "b.md", "d/a.md"]), "a.md>d/a.md -b.md");
    assert_eq!(world.sync(), "+c.md");
    world.check_consistency();
}

#[test]
fn progress_is_reported_to_the_end() {
    let world = World::new("");
    // Long enough for more than one transaction.
    let text = "word ".repeat(600);
    for number in 0..620 {
        world.file(&format!("{number:03}.md"), format!("[[{:03}]]\n{text}", (number + 1) % 620));
    }
    let reported = std::cell::RefCell::new(Vec::new());
    let listener = |done, all| {
        reported.borrow_mut().push((done, all));
        Ok(())
    };
    refresh(&world.context, Scope::Vault(ScanMode::Stat), &listener).unwrap();
    let reported = reported.into_inner();
    assert_eq!(reported.last(), Some(&(620, 620)));
    assert!(reported.is_sorted() && reported.len() > 1, "{reported:?}");
    let counts = world.context.store().counts(world.context.project()).unwrap();
    assert_eq!((counts.pages, counts.links, counts.pending), (620, 620, 0), "links resolve across batches");
    assert_eq!(problems(&world.context), [""; 0]);
}

#[test]
fn cancelled_syncs_stop_between_pages_and_resume() {
    let world = World::new("");
    let text = "word ".repeat(600);
    for number in 0..1100 {
        world.file(&format!("{number:04}.md"), format!("[[{:04}]]\n{text}", number / 2));
    }
    let cancel = |_, _| Err(lore_ports::Error::Cancelled);
    let ended = refresh(&world.context, Scope::Vault(ScanMode::Stat), &cancel).unwrap_err();
    assert_eq!(ended.to_string(), "the request was cancelled");
    let there = world.pages().len();
    assert!(there > 0 && there < 1100, "{there}");
    let report = refresh(&world.context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
    assert_eq!(there + report.added.len(), 1100);
    world.check_consistency();
}

#[test]
fn concurrent_syncs_make_one_index() {
    let world = World::new("");
    (0..150).for_each(|number| world.file(&format!("{number:03}.md"), format!("[[{:03}]]\n", number / 2)));
    let folder = world.outside("");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let context = context(&folder, "vault", "lore.db");
                refresh(&context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap()
            });
        }
    });
    assert_eq!(world.sync(), "");
    assert_eq!(world.pages().len(), 150);
    world.check_consistency();
}

#[test]
fn new_pages_at_a_vacated_path_get_a_new_id() {
    let world = World::synced("-- a.md --\nfirst\n");
    world.rename("a.md", "b.md");
    world.sync();
    world.files("-- a.md --\nsecond\n");
    world.sync();
    assert_ne!(world.page("a.md").id, world.page("b.md").id);
}

#[test]
fn pages_moved_to_a_vacated_path_continue_its_versions_without_its_history() {
    let world = World::synced("-- gone.md --\nx\n-- a.md --\nkept\n");
    world.put("gone.md", "y\n");
    world.put("gone.md", "z\n");
    world.remove("gone.md");
    world.sync();
    world.rename("a.md", "gone.md");
    assert_eq!(world.sync(), "a.md>gone.md");
    assert_eq!(world.page("gone.md").version, 4, "version 3 of this path was another text");
    assert_eq!(world.context.store().snapshots(world.context.project(), "gone.md").unwrap(), []);
}

#[test]
fn policy_changes_update_page_types() {
    let world = World::synced("-- people/ada.md --\nx\n");
    world.files("-- lore.toml --\n[types]\npeople = \"person\"\n");
    let again = world.again();
    refresh(&again, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
    assert_eq!(again.page("people/ada").unwrap().kind, "person");
}
