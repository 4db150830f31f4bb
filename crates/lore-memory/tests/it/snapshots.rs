//! Writes keep snapshots of what they replace or remove.

use lore_engine::Action;

use super::fixture::{World, edit, move_to};

/// Formats the snapshots of a path as `version:text`, newest first.
fn kept(world: &World, path: &str) -> String {
    let (store, project) = (world.context.store(), world.context.project());
    let rows = store.snapshots(project, path).unwrap();
    let shown = rows.iter().map(|row| {
        let bytes = store.snapshot_bytes(project, row.number).unwrap().unwrap();
        format!("{}:{}", row.version, String::from_utf8_lossy(&bytes).trim_end())
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn put_snapshots_the_replaced_page() {
    let world = World::synced("-- a.md --\none\n");
    world.put("a.md", "two\n");
    world.put("a.md", "three\n");
    assert_eq!(kept(&world, "a.md"), "2:two 1:one");
    world.put("new.md", "x\n");
    assert_eq!(kept(&world, "new.md"), "", "there was nothing to snapshot");
    let rows = world.context.store().snapshots(world.context.project(), "a.md").unwrap();
    let now: jiff::Zoned = super::fixture::NOW.parse().unwrap();
    assert_eq!((rows[0].actor.as_str(), rows[0].at), ("tester", now.timestamp().as_millisecond()));
}

#[test]
fn edit_snapshots_the_file_and_not_the_indexed_state() {
    let world = World::synced("-- a.md --\none\n");
    world.files("-- a.md --\nby hand\n");
    world.change("a.md", edit(|text| Ok(text.to_uppercase())), None).unwrap();
    assert_eq!(kept(&world, "a.md"), "2:by hand");
}

#[test]
fn delete_snapshots_the_removed_page() {
    let world = World::synced("-- a.md --\none\n");
    world.change("a.md", Action::Delete, None).unwrap();
    assert_eq!(kept(&world, "a.md"), "1:one");
    assert_eq!((world.pages().len(), world.listing().as_str()), (0, ""));
}

#[test]
fn move_snapshots_under_the_new_path() {
    let world = World::synced("-- a.md --\none\n");
    world.put("a.md", "two\n");
    world.change("a.md", move_to("b/c.md", |_| Ok("three\n".into())), None).unwrap();
    assert_eq!(kept(&world, "a.md"), "");
    assert_eq!(kept(&world, "b/c.md"), "2:two 1:one");
    let page = world.page("b/c.md");
    assert_eq!((page.version, world.listing().as_str()), (3, "b/c.md"));
}

#[test]
fn rejected_writes_take_no_snapshot() {
    let world = World::synced("-- a.md --\none\n");
    world.change("a.md", Action::Put("two\n".into()), Some(7)).unwrap_err();
    assert_eq!(kept(&world, "a.md"), "");
}

#[test]
fn binary_content_is_snapshotted_unchanged() {
    let world = World::new("");
    world.file("a.md", b"J\xfcrgen\0");
    world.sync();
    world.put("a.md", "two\n");
    let (store, project) = (world.context.store(), world.context.project());
    let row = store.snapshots(project, "a.md").unwrap().remove(0);
    assert_eq!(store.snapshot_bytes(project, row.number).unwrap().unwrap(), b"J\xfcrgen\0");
}
