//! Unusual files: indexed if possible, reported if not, and never blocking the others.

use lore_engine::{Action, SearchRequest, search};

use super::fixture::{World, done, edit, problems};

fn diagnostics(world: &World, path: &str) -> String {
    world
        .page(path)
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.clone())
        .collect::<Vec<_>>()
        .join("; ")
}

fn found(world: &World, text: &str) -> Vec<String> {
    let request = SearchRequest { text: text.into(), limit: 10, ..Default::default() };
    search(&world.context, &request).unwrap().hits.into_iter().map(|hit| hit.page.path).collect()
}

#[test]
fn non_utf8_pages_are_indexed_and_not_edited() {
    let world = World::new("");
    world.file("a.md", b"J\xfcrgen isst gern K\xe4se im Caf\xe9\n");
    assert_eq!(world.sync(), "+a.md");
    assert_eq!(diagnostics(&world, "a.md"), "the file is not UTF-8; it was read as windows-1252");
    assert_eq!(found(&world, "Jürgen"), ["a.md"]);
    let more = edit(|text| Ok(format!("{text}more")));
    assert_eq!(done(&world.change("a.md", more, None)), "edit");
    assert_eq!(std::fs::read(world.at("a.md")).unwrap()[1], 0xfc, "the file is unchanged");
    assert_eq!(done(&world.change("a.md", Action::Put("new\n".into()), None)), "updated a.md v2");
    assert_eq!(diagnostics(&world, "a.md"), "");
    world.check_consistency();
}

#[test]
fn nul_bytes_are_reported_and_harmless() {
    let world = World::new("");
    world.file("a.md", b"before\0after [[b]]\n");
    world.file("b.md", b"---\ntitle: x\0y\n---\n\0");
    assert_eq!(world.sync(), "+a.md +b.md");
    assert!(diagnostics(&world, "a.md").contains("NUL"), "{}", diagnostics(&world, "a.md"));
    assert_eq!(found(&world, "after"), ["a.md"]);
    world.check_consistency();
}

#[test]
fn empty_files_are_pages_titled_after_the_file() {
    let world = World::new("");
    world.file("my-note.md", "");
    assert_eq!(world.sync(), "+my-note.md");
    assert_eq!(world.state(), "my-note.md my-note \"my-note\"\n");
    world.check_consistency();
}

#[test]
fn broken_frontmatter_is_reported_and_the_page_kept() {
    let world = World::new("-- a.md --\n---\ntitle: [unclosed\n---\nheron\n");
    assert_eq!(world.sync(), "+a.md");
    assert_ne!(diagnostics(&world, "a.md"), "");
    assert_eq!(found(&world, "heron"), ["a.md"]);
    let counts = world.context.store().counts(world.context.project()).unwrap();
    assert_eq!(counts.diagnosed, 1);
}

#[test]
fn directories_named_like_pages_are_reported_and_scanned() {
    let world = World::new("-- dir.md/inside.md --\nx\n");
    assert_eq!(world.sync(), "+dir.md/inside.md !dir.md (it is a directory, not a page)");
    assert_eq!(world.sync_paths(&["dir.md"]), "");
    let put = world.change("dir.md", Action::Put("x".into()), None);
    assert!(put.is_err(), "{put:?}");
    assert_eq!(done(&world.change("dir.md", Action::Delete, None)), "denied");
    assert_eq!(world.listing(), "dir.md/inside.md");
    assert_eq!(problems(&world.context), [""; 0]);
}

#[test]
fn files_that_become_directories_and_back_are_tracked() {
    let world = World::synced("-- x.md --\nfirst\n");
    world.remove("x.md");
    world.files("-- x.md/y.md --\nsecond\n");
    assert_eq!(world.sync(), "+x.md/y.md -x.md !x.md (it is a directory, not a page)");
    std::fs::remove_dir_all(world.at("x.md")).unwrap();
    world.files("-- x.md --\nthird\n");
    assert_eq!(world.sync(), "+x.md -x.md/y.md");
    world.check_consistency();
}

#[cfg(unix)]
#[test]
fn symlinks_to_pages_inside_count_as_pages() {
    let world = World::new("-- real.md --\nheron\n");
    std::os::unix::fs::symlink("real.md", world.at("alias.md")).unwrap();
    assert_eq!(world.sync(), "+alias.md +real.md");
    assert_eq!(world.sync_paths(&["alias.md"]), "");
    world.files("-- real.md --\nbadger\n");
    assert_eq!(world.sync(), "~alias.md ~real.md", "its mtime is that of its target");
    assert_eq!(world.sync(), "");
}

#[cfg(unix)]
#[test]
fn dangling_and_cyclic_symlinks_are_reported() {
    let world = World::new("-- a.md --\nx\n");
    std::os::unix::fs::symlink("gone.md", world.at("dangling.md")).unwrap();
    std::os::unix::fs::symlink("round.md", world.at("round.md")).unwrap();
    let reason = "it is a symlink that is broken or leaves the vault";
    assert_eq!(world.sync(), format!("+a.md !dangling.md ({reason}) !round.md ({reason})"));
    assert_eq!(world.sync_paths(&["dangling.md", "round.md"]), "");
    assert_eq!(problems(&world.context), [""; 0]);
}

#[cfg(unix)]
#[test]
fn symlinks_to_folders_are_not_pages() {
    let world = World::new("-- folder/a.md --\nx\n");
    std::os::unix::fs::symlink("folder", world.at("folder.md")).unwrap();
    assert_eq!(world.sync(), "+folder/a.md !folder.md (it is not a regular file)");
    assert_eq!(world.sync_paths(&["folder.md"]), "");
}

#[cfg(unix)]
#[test]
fn pages_replaced_by_escaping_symlinks_are_removed() {
    let world = World::synced("-- a.md --\nx\n");
    std::fs::write(world.outside("out.md"), "outside\n").unwrap();
    world.remove("a.md");
    std::os::unix::fs::symlink(world.outside("out.md"), world.at("a.md")).unwrap();
    assert_eq!(world.sync(), "-a.md !a.md (it is a symlink that is broken or leaves the vault)");
    assert_eq!(found(&world, "outside"), [""; 0]);
}

#[cfg(unix)]
#[test]
fn linked_folders_are_treated_the_same_by_every_scan() {
    let world = World::synced("-- real/a.md --\nx\n");
    std::os::unix::fs::symlink("real", world.at("linked")).unwrap();
    assert_eq!(world.sync(), "");
    assert_eq!(world.sync_paths(&["linked/a.md"]), "");
}

#[cfg(target_os = "linux")]
#[test]
fn non_utf8_names_are_reported() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new("-- a.md --\nx\n");
    std::fs::write(world.at("").join(std::ffi::OsStr::from_bytes(b"\xff.md")), "x").unwrap();
    let report = world.sync();
    assert!(report.starts_with("+a.md !") && report.ends_with("(its name is not UTF-8)"), "{report}");
}

#[test]
fn files_of_all_sizes_and_line_endings_are_tracked() {
    let world = World::new("");
    world.file("crlf.md", "---\r\ntitle: Windows\r\n---\r\n- [a] one\r\n- knows [[bom]]\r\n");
    world.file("bom.md", "\u{feff}---\ntitle: Marked\n---\ntext\n");
    world.file("long.md", "word ".repeat(200_000));
    assert_eq!(world.sync(), "+bom.md +crlf.md +long.md");
    let titles: Vec<String> = world.pages().into_iter().map(|page| page.title).collect();
    assert_eq!(titles, ["Marked", "Windows", "long"]);
    assert!(world.state().contains("knows bom -> bom.md"), "{}", world.state());
    world.check_consistency();
}
