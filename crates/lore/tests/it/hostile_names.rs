//! Names that try to leave the vault, passed to every command that takes one.

use std::fs;

use crate::sandbox::Sandbox;

/// Names that must never be accepted as a page.
const OUTSIDE: &[&str] = &[
    "../../etc/passwd",
    "../canary",
    "../canary.md",
    "a/../../canary",
    "./../canary.md",
    "/etc/passwd",
    "/tmp/canary.md",
    "~/canary",
    "C:\\canary",
    "..\\canary",
    "a\\..\\..\\canary",
    ".git/config",
    ".lore/templates/person.md",
    ".hidden.md",
    "a/.hidden",
    "people/\u{2025}/x",
    "people/\u{ff0e}\u{ff0e}/x",
    "a\u{2215}b",
    "line\nbreak",
    "tab\there",
    "",
    " ",
    "/",
    ".",
    "..",
    "memory://../canary",
    "memory:///etc/passwd",
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    fs::write(sandbox.root.join("canary"), "alive").expect("a file");
    fs::write(sandbox.root.join("canary.md"), "alive").expect("a file");
    sandbox.write("good.md", "good [[good]]\n");
    sandbox.write("a/page.md", "page\n");
    sandbox.write(".git/config", "[core]\n");
    sandbox.sync();
    sandbox
}

#[test]
fn nothing_is_written_outside_or_to_hidden_names() {
    let sandbox = sandbox();
    let before = sandbox.files();
    for name in OUTSIDE {
        let put = sandbox.pipe(&["put", name], b"overwritten").says("error: ").says("hint: ");
        assert!([2, 4].contains(&put.code), "put {name:?}: {put:?}");
        assert_eq!(sandbox.files(), before, "put {name:?}");
    }
    // `mv` treats a `memory://` address like any path, which stays inside.
    for name in OUTSIDE.iter().filter(|name| !name.starts_with("memory:")) {
        let moved = sandbox.run(&["mv", "good", name]).says("error: ").says("hint: ");
        assert!([2, 4].contains(&moved.code), "mv {name:?}: {moved:?}");
        assert_eq!(sandbox.files(), before, "mv {name:?}");
    }
    let json = sandbox.pipe(&["put", "../../etc/passwd", "--json"], b"x").exits(4).err;
    assert!(json.starts_with(r#"{"error":{"code":"denied""#), "{json}");
    let call = r#"{"slug": "../canary", "content": "x"}"#;
    sandbox.run(&["call", "put", call]).exits(4).says("leads outside the vault");
    assert_eq!(sandbox.files(), before);
}

#[test]
fn nothing_outside_is_read_changed_or_deleted() {
    let sandbox = sandbox();
    let before = sandbox.files();
    for name in OUTSIDE {
        for command in [
            &["get", name][..],
            &["show", name],
            &["edit", name, "--append", "x"],
            &["edit", name, "--find", "alive", "--replace", "dead"],
            &["rm", name, "--yes"],
            &["tag", name, "x"],
            &["timeline-add", name, "--date", "2024-01-01", "--summary", "x"],
            &["links", name],
            &["graph", name],
        ] {
            let ran = sandbox.run(command).says("error: ").says("hint: ");
            assert!([1, 2, 4].contains(&ran.code), "{command:?}: {ran:?}");
            assert!(!ran.text().contains("alive"), "{command:?}");
        }
    }
    assert_eq!(sandbox.files(), before);
}

#[test]
fn directories_outside_are_not_listed() {
    let sandbox = sandbox();
    for name in ["..", "../", "a/../..", "/..", "a/../../", "../v", ".git", ".lore", "~"] {
        let ran = sandbox.run(&["ls", name]).says("error: ");
        assert!([2, 4].contains(&ran.code) && ran.out.is_empty(), "{name}: {ran:?}");
    }
}

#[test]
fn move_never_overwrites_and_invalid_slugs_are_refused() {
    let sandbox = sandbox();
    sandbox.run(&["mv", "good", "a/page"]).exits(2).says("already exists");
    sandbox.pipe(&["put", "!!!"], b"x").exits(2).says("cannot derive a slug");
    sandbox.pipe(&["put", "a/!!!/b"], b"x").exits(2).says("cannot derive a slug");
    let long = "x".repeat(300);
    sandbox.pipe(&["put", &long], b"x").exits(4).says("longer than 255 bytes");
    assert_eq!(sandbox.run(&["status"]).ok().json()["pages"], 2);
}

#[test]
fn ignored_paths_are_not_written() {
    let sandbox = sandbox();
    sandbox.write(".gitignore", "private/\n");
    sandbox.pipe(&["put", "private/x"], b"x").exits(4).says("ignore file");
    assert!(!sandbox.vault().join("private/x.md").exists());
    sandbox.pipe(&["put", "public/x"], b"x").ok();
}
