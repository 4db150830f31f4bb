//! No path, whatever its source, leads out of the vault.

use std::fs;

use lore_engine::{Action, PageChange, relocate, write};

use lore_vault::VaultPath;

use super::fixture::{World, done, edit, move_to, same};

const CANARY: &str = "nobody writes here\n";

/// A vault with a canary file next to it.
fn caged(files: &str) -> World {
    let world = World::synced(files);
    fs::create_dir(world.outside("beyond")).unwrap();
    for path in ["canary.md", "beyond/canary.md"] {
        fs::write(world.outside(path), CANARY).unwrap();
    }
    world
}

#[track_caller]
fn check_canary(world: &World) {
    for path in ["canary.md", "beyond/canary.md"] {
        assert_eq!(fs::read_to_string(world.outside(path)).unwrap(), CANARY, "{path}");
    }
    assert_eq!(fs::read_dir(world.outside("beyond")).unwrap().count(), 1, "no file was added outside");
}

/// Checks that every action on a path is rejected.
#[track_caller]
fn check_refused(world: &World, path: &str) {
    for action in [Action::Put("x".into()), edit(same), move_to("moved.md", same), Action::Delete] {
        assert_eq!(done(&world.change(path, action, None)), "denied", "{path:?}");
    }
    // An existing target is rejected for that reason.
    let refused = |code: &str| code == "denied" || code == "exists";
    let moved = done(&world.change("a.md", move_to(path, same), None));
    assert!(refused(&moved), "moving to {path:?}: {moved}");
    let relocated = relocate(&world.context, &world.page("a.md"), path, None);
    assert!(refused(relocated.expect_err(path).code().name()), "relocating to {path:?}");
    check_canary(world);
}

#[test]
fn escaping_absolute_and_hidden_paths_are_rejected() {
    let world = caged("-- a.md --\none\n");
    let absolute = world.outside("canary.md").to_string_lossy().into_owned();
    for path in [
        "../canary.md",
        "../beyond/canary.md",
        "x/../../canary.md",
        "./../canary.md",
        &absolute,
        "~/canary.md",
        "..\\canary.md",
        "C:\\canary.md",
        ".git/config.md",
        "x/.hidden.md",
        "a.md\0.png",
        "\u{ff0e}\u{ff0e}/canary.md",
        "..\u{2215}canary.md",
        "",
        " ",
        ".",
        "/",
    ] {
        check_refused(&world, path);
    }
    assert_eq!(world.listing(), "a.md");
    assert_eq!(world.text("a.md"), "one\n");
}

#[test]
fn reads_and_scans_stay_inside_the_vault() {
    let world = caged("-- a.md --\none\n");
    assert_eq!(world.sync_paths(&["../canary.md", "../beyond/canary.md"]), "");
    assert!(world.context.vault().read("../canary.md", u64::MAX).is_err());
    assert_eq!(world.pages().len(), 1);
}

#[cfg(unix)]
#[test]
fn directory_symlinks_out_of_the_vault_are_rejected() {
    let world = caged("-- a.md --\none\n");
    std::os::unix::fs::symlink(world.outside("beyond"), world.at("out")).unwrap();
    for path in ["out/canary.md", "out/new.md", "out/deep/new.md"] {
        let put = world.change(path, Action::Put("x".into()), None);
        assert_eq!(done(&put), "denied", "{path}");
        let moved = world.change("a.md", move_to(path, same), None);
        assert!(moved.is_err(), "{path}");
    }
    assert_eq!(done(&world.change("out/canary.md", Action::Delete, None)), "denied");
    check_canary(&world);
    assert_eq!(world.sync(), "");
    assert_eq!(world.sync_paths(&["out/canary.md"]), "");
}

#[cfg(unix)]
#[test]
fn page_symlinks_out_of_the_vault_are_neither_read_nor_written() {
    let world = caged("-- a.md --\none\n");
    std::os::unix::fs::symlink(world.outside("canary.md"), world.at("out.md")).unwrap();
    assert_eq!(world.sync(), "!out.md (it is a symlink that is broken or leaves the vault)");
    assert_eq!(world.sync_paths(&["out.md"]), "");
    check_refused(&world, "out.md");
    assert_eq!(world.pages().len(), 1);
}

#[cfg(unix)]
#[test]
fn batches_with_an_escaping_path_are_rejected() {
    let world = caged("-- a.md --\none\n");
    std::os::unix::fs::symlink(world.outside("beyond"), world.at("out")).unwrap();
    let put = |path: &str| PageChange {
        path: VaultPath::known(path),
        action: Action::Put("x".into()),
        expected_version: None,
    };
    write(&world.context, &[put("b.md"), put("out/new.md")]).unwrap_err();
    check_canary(&world);
    assert_eq!(world.listing(), "a.md out");
}
