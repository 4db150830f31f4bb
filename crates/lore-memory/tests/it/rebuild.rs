//! The index is a cache: a rebuild from the files gives the same rows; what no file contains survives in the ledger.

use lore_engine::{ScanMode, Scope, refresh};
use lore_ports::{Forget, LinkFilter, PageRow, no_progress};

use super::fixture::{World, pages, state};

const VAULT: &str = "\
-- people/ada.md --
---
id: 0192f3a1-7c4e
title: Ada
type: person
tags: [math]
---
- [belief] Machines can compose #music (letter)
- founded [[brex]] {2017..}
- knows [[Bob]]
- knows [[Bob]]
-- people/bob.md --
[ada](ada.md) [[nobody]]

- likes:: tea

---
- **2024-03-01** | meeting — talked
-- companies/brex.md --
---
aliases: [Brex Inc]
---
text
";

/// Returns the page rows without their numbers.
fn rows(context: &lore_engine::VaultContext) -> Vec<PageRow> {
    pages(context).into_iter().map(|page| PageRow { number: 0, ..page }).collect()
}

/// Returns the ids of all links, in order.
fn link_ids(context: &lore_engine::VaultContext) -> Vec<u64> {
    let numbers: Vec<i64> = pages(context).iter().map(|page| page.number).collect();
    let rows = context.store().links(context.project(), &LinkFilter::From(&numbers)).unwrap();
    rows.into_iter().map(|row| row.link.id).collect()
}

#[test]
fn fresh_indexes_have_the_same_rows_and_link_ids() {
    let world = World::synced(VAULT);
    let fresh = world.fresh();
    assert_eq!(rows(&fresh), rows(&world.context));
    let ids = link_ids(&world.context);
    assert_eq!(link_ids(&fresh), ids);
    let unique: std::collections::BTreeSet<u64> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "also for a duplicated relation");
    assert!(ids.iter().all(|id| *id < 1 << 53), "exactly representable in JSON");
    assert_eq!(state(&fresh), world.state());
}

#[test]
fn rebuilt_indexes_keep_their_versions() {
    let world = World::synced(VAULT);
    world.put("people/bob.md", "second\n");
    world.put("people/bob.md", "third [[ada]]\n");
    let (before, ids) = (rows(&world.context), link_ids(&world.context));
    let (store, project) = (world.context.store(), world.context.project());
    store.forget(project, Forget::IndexOnly).unwrap();
    assert_eq!(world.pages(), []);
    assert_eq!(world.sync(), "+companies/brex.md +people/ada.md +people/bob.md");
    // The creation date comes from the file's content if it is declared there, otherwise from the mtime.
    let without_creation_dates = |rows: Vec<PageRow>| -> Vec<PageRow> {
        rows.into_iter().map(|row| PageRow { created: 0, ..row }).collect()
    };
    assert_eq!(without_creation_dates(rows(&world.context)), without_creation_dates(before));
    assert_eq!(link_ids(&world.context), ids);
    assert_eq!(world.page("people/bob.md").version, 3);
    assert_eq!(store.snapshots(project, "people/bob.md").unwrap().len(), 2);
    world.check_consistency();
}

#[test]
fn moved_pages_keep_their_id_after_a_rebuild() {
    let world = World::synced("-- a.md --\none\n");
    world.rename("a.md", "b.md");
    world.sync();
    let id = world.page("b.md").id;
    world.context.store().forget(world.context.project(), Forget::IndexOnly).unwrap();
    world.sync();
    assert_eq!(world.page("b.md").id, id);
}

#[test]
fn edits_made_without_an_index_are_new_versions() {
    let world = World::synced(VAULT);
    world.put("people/bob.md", "second\n");
    world.context.store().forget(world.context.project(), Forget::IndexOnly).unwrap();
    world.files("-- people/bob.md --\nthird, by hand\n");
    world.sync();
    assert_eq!(world.page("people/bob.md").version, 3);
}

#[test]
fn recreated_pages_continue_their_versions() {
    let world = World::synced("-- a.md --\none\n");
    world.put("a.md", "two\n");
    world.remove("a.md");
    world.sync();
    world.files("-- a.md --\nthree\n");
    assert_eq!(world.sync(), "+a.md");
    assert_eq!(world.page("a.md").version, 3);
}

#[test]
fn full_rereads_of_unchanged_files_change_nothing() {
    let world = World::synced(VAULT);
    let before = rows(&world.context);
    let report = refresh(&world.context, Scope::Vault(ScanMode::Nothing), &no_progress).unwrap();
    assert!(report.is_empty(), "{report:?}");
    assert_eq!(rows(&world.context), before);
}
