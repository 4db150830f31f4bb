//! Ledger notes of a change: recorded in its transaction, and once.

use lore_engine::{
    Action, Error, ImportNote, LedgerNotes, PageChange, Receipt, Result, WriteOptions, write_as,
};
use lore_memory::{NewGap, add_gap};
use lore_ports::ImportFilter;
use lore_text::ContentHash;

use lore_vault::VaultPath;

use super::fixture::World;

/// Puts a page together with the import of a source of these bytes.
fn import(world: &World, path: &str, text: &str, bytes: &[u8], again: bool) -> Result<Receipt> {
    let import = ImportNote {
        batch: path.into(),
        source: "meeting/1".into(),
        source_type: "meeting".into(),
        page: path.into(),
        hash: ContentHash::of(bytes),
        bytes: bytes.to_vec(),
        again,
    };
    let noted = LedgerNotes { import: Some(import), ..LedgerNotes::default() };
    let change =
        PageChange { path: VaultPath::known(path), action: Action::Put(text.into()), expected_version: None };
    write_as(&world.context, &[change], &WriteOptions { noted, ..WriteOptions::default() })
}

fn imports(world: &World) -> Vec<(String, bool)> {
    let rows = world.context.store().imports(world.context.project(), &ImportFilter::All).unwrap();
    rows.into_iter().map(|row| (row.page, row.active)).collect()
}

/// A writer that planned its page before another imported the same bytes fails when it writes.
#[test]
fn concurrently_imported_bytes_reject_the_change() {
    let world = World::synced("");
    import(&world, "a.md", "one\n", b"bytes", false).unwrap();
    for text in ["two\n", "one\n"] {
        let path = if text == "one\n" { "a.md" } else { "b.md" };
        match import(&world, path, text, b"bytes", false) {
            Err(Error::Exists { path }) => assert_eq!(path, "a.md"),
            other => panic!("{path}: {other:?}"),
        }
        assert_eq!((world.listing().as_str(), imports(&world)), ("a.md", vec![("a.md".into(), true)]));
    }
    import(&world, "b.md", "two\n", b"bytes", true).unwrap();
    import(&world, "a.md", "one\n", b"bytes", true).unwrap();
    let expected = [("a.md", true), ("b.md", true), ("a.md", false)];
    assert_eq!(imports(&world), expected.map(|(page, active)| (page.to_owned(), active)));
    world.check_consistency();
}

#[test]
fn gaps_are_resolved_only_with_their_change() {
    let world = World::synced("-- a.md --\none\n");
    let question = NewGap { question: "who?".into(), ..NewGap::default() };
    let id = add_gap(&world.context, &question).unwrap().id;
    let fill = |expected_version: u64, text: &str| {
        let action = Action::Put(text.into());
        let change =
            PageChange { path: VaultPath::known("a.md"), action, expected_version: Some(expected_version) };
        write_as(
            &world.context,
            &[change],
            &WriteOptions { noted: LedgerNotes::filling(&[id, 7], "a.md"), ..WriteOptions::default() },
        )
    };
    let closed = || world.context.store().gap(world.context.project(), id).unwrap().unwrap().resolved;
    assert!(matches!(fill(9, "two\n"), Err(Error::Conflict { .. })));
    assert_eq!(closed(), None);
    fill(1, "two\n").unwrap();
    assert_eq!(closed().unwrap().0, "a.md");
    assert_eq!(add_gap(&world.context, &question).unwrap().times, 2, "asking again reopens it");
    assert_eq!(closed(), None);
    fill(2, "two\n").unwrap();
    assert_eq!(closed().unwrap().0, "a.md", "also if the page is unchanged");
}
