//! Writes: all of a change or none of it, and not a byte more than intended.

use lore_engine::{Action, Error, PageChange, write};

use lore_vault::VaultPath;

use super::fixture::{World, done, edit, move_to, same};

fn change<'a>(path: &str, action: Action<'a>, expected_version: Option<u64>) -> PageChange<'a> {
    PageChange { path: VaultPath::known(path), action, expected_version }
}

fn put<'a>(path: &str, text: &str) -> PageChange<'a> {
    change(path, Action::Put(text.into()), None)
}

#[test]
fn writes_create_folders_and_are_indexed_immediately() {
    let world = World::synced("-- from.md --\n[[deep]]\n");
    let written = world.put("research/ai/deep.md", "# Deep\n");
    assert_eq!((written.slug.as_str(), written.version), ("research/ai/deep", 1));
    assert_eq!(world.text("research/ai/deep.md"), "# Deep\n");
    assert!(world.state().contains("links_to deep -> research/ai/deep.md"), "{}", world.state());
    assert_eq!(world.sync(), "", "a sync finds no changes");
    assert_eq!(world.listing(), "from.md research/ai/deep.md");
    world.check_consistency();
}

#[test]
fn no_op_writes_do_not_touch_the_file() {
    let world = World::synced("-- a.md --\none\n");
    let time = world.time("a.md");
    assert_eq!(done(&world.change("a.md", Action::Put("one\n".into()), Some(1))), "unchanged a.md v1");
    assert_eq!(done(&world.change("a.md", edit(same), None)), "unchanged a.md v1");
    assert_eq!(world.time("a.md"), time);
    assert_eq!(world.context.store().snapshots(world.context.project(), "a.md").unwrap(), []);
}

#[test]
fn edits_receive_the_current_file() {
    let world = World::synced("-- a.md --\none\n");
    world.files("-- a.md --\nby hand\n\n\n");
    let hands = edit(|text| Ok(text.replace("hand", "two hands")));
    assert_eq!(done(&world.change("a.md", hands, None)), "updated a.md v3");
    assert_eq!(world.text("a.md"), "by two hands\n\n\n");
}

#[test]
fn missing_pages_cannot_be_edited_moved_or_deleted() {
    let world = World::synced("");
    for action in [edit(same), move_to("b.md", same), Action::Delete] {
        assert_eq!(done(&world.change("a.md", action, None)), "not_found");
    }
    assert_eq!(world.listing(), "");
}

#[test]
fn failed_edits_change_nothing() {
    let world = World::synced("-- a.md --\none\n");
    let refuse = edit(|_| Err(Error::Exists { path: "on purpose".into() }));
    assert_eq!(done(&world.change("a.md", refuse, None)), "exists");
    assert_eq!((world.text("a.md").as_str(), world.page("a.md").version), ("one\n", 1));
}

#[test]
fn multiple_changes_are_atomic() {
    let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n-- c.md --\nthree [[d]]\n");
    let add = |text: &str| Ok(format!("{text}more\n"));
    let written = write(
        &world.context,
        &[
            put("new.md", "[[a]]\n"),
            change("a.md", edit(add), Some(1)),
            change("b.md", Action::Delete, Some(1)),
            change("c.md", move_to("d.md", add), Some(1)),
        ],
    )
    .unwrap();
    let shown: Vec<String> = written.files.into_iter().map(|one| done(&Ok(one))).collect();
    assert_eq!(shown, ["created new.md v1", "updated a.md v2", "deleted b.md v1", "moved d.md v2"]);
    assert_eq!(world.listing(), "a.md d.md new.md");
    assert_eq!(world.text("d.md"), "three [[d]]\nmore\n");
    world.check_consistency();
}

#[test]
fn one_rejection_rolls_back_all_changes() {
    let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n");
    let before = world.state();
    for refused in [
        change("b.md", Action::Put("x\n".into()), Some(9)),
        change("none.md", Action::Delete, None),
        change("b.md", move_to("a.md", same), None),
        put("../out.md", "x\n"),
    ] {
        let changes = [put("new.md", "x\n"), refused];
        write(&world.context, &changes).unwrap_err();
        assert_eq!(world.listing(), "a.md b.md");
        assert_eq!((world.text("b.md").as_str(), world.state().as_str()), ("two\n", before.as_str()));
        assert_eq!(world.page("b.md").version, 1);
    }
}

#[test]
fn pages_can_be_changed_only_once_per_write() {
    let world = World::synced("-- a.md --\none\n");
    let error = write(&world.context, &[put("a.md", "x\n"), put("./a.md", "y\n")]).unwrap_err();
    assert_eq!(error.code().name(), "usage");
    assert_eq!(world.text("a.md"), "one\n");
}

#[test]
fn oversized_pages_are_rejected() {
    let world = World::synced("-- lore.toml --\n[limits]\npage_bytes = 10\n");
    let error = world.change("a.md", Action::Put("eleven byte".into()), None).unwrap_err();
    assert_eq!(error.code().name(), "too_large");
    assert_eq!(done(&world.change("a.md", Action::Put("ten bytes\n".into()), None)), "created a.md v1");
    assert_eq!(world.listing(), "a.md lore.toml");
}

#[cfg(unix)]
#[test]
fn file_modes_are_kept_and_new_files_are_readable() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::synced("-- a.md --\none\n");
    let mode = |path: &str| std::fs::metadata(world.at(path)).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(world.at("a.md"), std::fs::Permissions::from_mode(0o640)).unwrap();
    world.put("a.md", "two\n");
    world.put("b.md", "new\n");
    assert_eq!((mode("a.md"), mode("b.md")), (0o640, 0o644));
}

#[test]
fn changes_to_the_same_target_are_rejected() {
    let to = |path: &str, target: &str| change(path, move_to(target, same), None);
    for changes in [[to("a.md", "c.md"), to("b.md", "c.md")], [put("c.md", "new\n"), to("a.md", "c.md")]] {
        let world = World::synced("-- a.md --\none\n-- b.md --\ntwo\n");
        let result = write(&world.context, &changes);
        assert!(result.is_err(), "{result:?}, files: {}", world.listing());
        assert_eq!(world.listing(), "a.md b.md");
    }
}

#[test]
fn non_page_paths_cannot_be_written() {
    let world = World::synced("-- lore.toml --\n[limits]\n-- notes.txt --\nkeep me\n-- a.md --\none\n");
    let mut accepted = Vec::new();
    for path in ["lore.toml", "notes.txt", "new", "script.sh"] {
        let put = world.change(path, Action::Put("[limits]\npage_bytes = 1\n".into()), None);
        accepted.extend(put.is_ok().then(|| format!("put {path}")));
        let deleted = world.change(path, Action::Delete, None);
        accepted.extend(deleted.is_ok().then(|| format!("delete {path}")));
    }
    let moved = world.change("a.md", move_to("a.txt", same), None);
    accepted.extend(moved.is_ok().then(|| "move to a.txt".to_owned()));
    assert_eq!(accepted, [""; 0]);
    assert_eq!(world.listing(), "a.md lore.toml notes.txt");
}

#[cfg(target_os = "linux")]
#[test]
fn pages_with_decomposed_file_names_can_be_changed() {
    let world = World::synced("-- cafe\u{301}.md --\none\n");
    let path = world.pages()[0].path.clone();
    assert_eq!(
        world.change(&path, Action::Put("two\n".into()), Some(1)).map(|done| done.version).ok(),
        Some(2)
    );
    assert_eq!(world.pages().len(), 1);
}
