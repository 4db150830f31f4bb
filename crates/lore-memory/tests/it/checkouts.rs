//! Vaults that are moved, copied or given an id keep to their own rows in the database.

use std::fs::{self, File};
use std::path::Path;

use lore_engine::{ScanMode, Scope, VaultContext, refresh};
use lore_ports::no_progress;

use super::fixture::{World, context, named_context, pages, problems, shown};

const WITH_ID: &str = "-- lore.toml --\nid = \"vault-1\"\n-- a.md --\none\n";

const WITHOUT_ID: &str = "-- a.md --\none\n";

/// Creates a synced vault whose page has version 2 and a snapshot.
fn written(files: &str) -> World {
    let world = World::synced(files);
    world.put("a.md", "two\n");
    world
}

/// Opens a directory beside the vault with the vault's database.
fn beside(world: &World, root: &str) -> VaultContext {
    context(&world.outside(""), root, "lore.db")
}

/// Opens a directory beside the vault under another name.
fn renamed(world: &World, root: &str) -> VaultContext {
    named_context(&world.outside(""), root, "lore.db", root)
}

fn move_vault(world: &World, to: &str) {
    fs::rename(world.at(""), world.outside(to)).unwrap();
}

/// Copies a directory with the times of its files.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
            let time = fs::metadata(&from).unwrap().modified().unwrap();
            File::options().write(true).open(&to).unwrap().set_modified(time).unwrap();
        }
    }
}

fn sync(context: &VaultContext) -> String {
    shown(&refresh(context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap())
}

/// Formats the pages as `path version`, and the number of snapshots of the first page.
fn rows(context: &VaultContext) -> String {
    let pages = pages(context);
    let shown: Vec<String> = pages.iter().map(|page| format!("{} v{}", page.path, page.version)).collect();
    let snapshots = context.store().snapshots(context.project(), "a.md").unwrap();
    format!("{}, {} snapshots", shown.join(" "), snapshots.len())
}

#[test]
fn copies_do_not_mix_their_pages_with_the_original() {
    let world = written(WITH_ID);
    copy_folder(&world.at(""), &world.outside("copy"));
    fs::write(world.outside("copy/a.md"), "changed in the copy\n").unwrap();
    fs::write(world.outside("copy/b.md"), "new in the copy\n").unwrap();
    let copy = beside(&world, "copy");
    assert_ne!(copy.project(), world.context.project());
    assert_eq!(sync(&copy), "+a.md +b.md");
    assert_eq!(rows(&copy), "a.md v1 b.md v1, 0 snapshots");
    assert_eq!(world.sync(), "", "nothing changed in the original");
    assert_eq!(rows(&world.context), "a.md v2, 1 snapshots");
    for _ in 0..2 {
        assert_eq!(beside(&world, "copy").project(), copy.project());
        assert_eq!(world.again().project(), world.context.project());
    }
    assert_eq!(sync(&beside(&world, "copy")), "");
    assert_eq!(problems(&world.context), [""; 0]);
    assert_eq!(problems(&copy), [""; 0]);
}

#[test]
fn copies_do_not_join_a_vault_that_was_there_before() {
    let world = written(WITH_ID);
    fs::create_dir(world.outside("place")).unwrap();
    fs::write(world.outside("place/lore.toml"), "id = \"vault-2\"\n").unwrap();
    fs::write(world.outside("place/b.md"), "another vault\n").unwrap();
    let before = renamed(&world, "place");
    sync(&before);
    fs::remove_dir_all(world.outside("place")).unwrap();
    copy_folder(&world.at(""), &world.outside("place"));
    let copy = renamed(&world, "place");
    assert_eq!(sync(&copy), "+a.md");
    assert!(![before.project(), world.context.project()].contains(&copy.project()));
    assert_eq!(pages(&before).len(), 1);
}

#[test]
fn copies_remain_apart_when_the_original_is_removed() {
    let world = written(WITH_ID);
    copy_folder(&world.at(""), &world.outside("copy"));
    let copy = renamed(&world, "copy");
    assert_eq!(sync(&copy), "+a.md");
    fs::remove_dir_all(world.at("")).unwrap();
    assert_eq!(renamed(&world, "copy").project(), copy.project());
}

#[test]
fn moved_copies_keep_their_rows() {
    let world = written(WITH_ID);
    copy_folder(&world.at(""), &world.outside("copy"));
    let copy = renamed(&world, "copy");
    sync(&copy);
    fs::rename(world.outside("copy"), world.outside("copy-2")).unwrap();
    let moved = named_context(&world.outside(""), "copy-2", "lore.db", "copy");
    assert_eq!(moved.project(), copy.project());
    assert_eq!(world.again().project(), world.context.project());
}

#[test]
fn moved_vaults_keep_their_history() {
    let world = written(WITH_ID);
    move_vault(&world, "moved");
    let moved = renamed(&world, "moved");
    assert_eq!(moved.project(), world.context.project());
    assert_eq!(rows(&moved), "a.md v2, 1 snapshots");
    assert_eq!(sync(&moved), "", "the pages are known");
    let old = world.at("").canonicalize().unwrap_or_else(|_| world.at(""));
    let store = moved.store();
    assert_eq!(store.projects_at(&old.to_string_lossy()).unwrap(), [0; 0], "it is no longer there");
    fs::write(world.outside("moved/a.md"), "three\n").unwrap();
    assert_eq!(sync(&moved), "~a.md");
    assert_eq!(rows(&moved), "a.md v3, 2 snapshots", "what Lore had written is kept");
}

#[test]
fn vaults_without_an_id_keep_their_history_by_their_name() {
    let world = written(WITHOUT_ID);
    move_vault(&world, "moved");
    let moved = beside(&world, "moved");
    assert_eq!(sync(&moved), "");
    assert_eq!(rows(&moved), "a.md v2, 1 snapshots");
    assert_eq!(beside(&world, "moved").project(), moved.project());
}

#[test]
fn vaults_of_one_name_are_apart_while_both_exist() {
    let world = written(WITHOUT_ID);
    copy_folder(&world.at(""), &world.outside("copy"));
    let copy = beside(&world, "copy");
    assert_eq!(sync(&copy), "+a.md");
    assert_eq!(rows(&copy), "a.md v1, 0 snapshots");
    assert_eq!(world.sync(), "");
    assert_eq!(rows(&world.again()), "a.md v2, 1 snapshots");
}

#[test]
fn moved_vaults_keep_their_history_from_a_new_vault_in_their_place() {
    let world = written(WITH_ID);
    move_vault(&world, "moved");
    fs::create_dir(world.at("")).unwrap();
    world.files("-- lore.toml --\nid = \"vault-2\"\n-- b.md --\nnew\n");
    let new = renamed(&world, "vault");
    assert_eq!(sync(&new), "+b.md");
    let moved = beside(&world, "moved");
    assert_eq!(rows(&moved), "a.md v2, 1 snapshots");
    assert_ne!(moved.project(), new.project());
    assert_eq!(rows(&renamed(&world, "vault")), "b.md v1, 0 snapshots");
}

#[test]
fn folders_in_the_place_of_a_moved_vault_are_vaults_of_their_own() {
    for files in [WITH_ID, WITHOUT_ID] {
        let world = written(files);
        move_vault(&world, "moved");
        let moved = beside(&world, "moved");
        fs::create_dir(world.at("")).unwrap();
        world.files("-- b.md --\nnew\n");
        let new = beside(&world, "vault");
        assert_ne!(new.project(), moved.project());
        assert_eq!(sync(&new), "+b.md");
        assert_eq!(sync(&moved), "");
        assert_eq!(rows(&beside(&world, "moved")), "a.md v2, 1 snapshots");
    }
}

#[test]
fn vaults_moved_away_and_back_keep_their_history_from_a_copy() {
    let world = written(WITH_ID);
    move_vault(&world, "moved");
    let project = beside(&world, "moved").project();
    copy_folder(&world.outside("moved"), &world.at(""));
    assert_ne!(beside(&world, "vault").project(), project, "a copy where the vault once was");
    assert_eq!(beside(&world, "moved").project(), project);
    fs::remove_dir_all(world.at("")).unwrap();
    fs::rename(world.outside("moved"), world.outside("third")).unwrap();
    assert_eq!(beside(&world, "third").project(), project);
}

#[test]
fn vaults_that_get_an_id_keep_their_history() {
    let world = written(WITHOUT_ID);
    world.files("-- lore.toml --\nid = \"vault-1\"\n");
    let again = world.again();
    assert_eq!(again.project(), world.context.project());
    assert_eq!(sync(&again), "");
    assert_eq!(rows(&again), "a.md v2, 1 snapshots");
    move_vault(&world, "moved");
    let moved = renamed(&world, "moved");
    assert_eq!(moved.project(), world.context.project(), "the id identifies it from now on");
    assert_eq!(rows(&moved), "a.md v2, 1 snapshots");
}

#[test]
fn vaults_whose_id_disappears_keep_their_history() {
    let world = written(WITH_ID);
    world.remove("lore.toml");
    assert_eq!(rows(&world.again()), "a.md v2, 1 snapshots");
    copy_folder(&world.at(""), &world.outside("copy"));
    fs::write(world.outside("copy/lore.toml"), "id = \"vault-1\"\n").unwrap();
    assert_ne!(beside(&world, "copy").project(), world.context.project(), "the id alone takes nothing away");
    assert_eq!(rows(&world.again()), "a.md v2, 1 snapshots");
}

#[test]
fn vaults_moved_and_given_an_id_keep_their_history() {
    let world = written(WITHOUT_ID);
    move_vault(&world, "moved");
    fs::write(world.outside("moved/lore.toml"), "id = \"vault-1\"\n").unwrap();
    assert_eq!(rows(&beside(&world, "moved")), "a.md v2, 1 snapshots");
}

#[test]
fn empty_ids_identify_nothing() {
    let world = written("-- lore.toml --\nid = \"\"\n-- a.md --\none\n");
    let other = World::new("-- lore.toml --\nid = \"\"\n-- b.md --\none\n");
    copy_folder(&other.at(""), &world.outside("other"));
    let other = renamed(&world, "other");
    assert_ne!(other.project(), world.context.project());
    fs::remove_dir_all(world.at("")).unwrap();
    fs::rename(world.outside("other"), world.outside("third")).unwrap();
    assert_ne!(renamed(&world, "third").project(), world.context.project());
}
