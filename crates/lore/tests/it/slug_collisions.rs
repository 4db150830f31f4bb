//! A page keeps its slug when a file is written whose name would give it the same one.

use crate::sandbox::Sandbox;

#[test]
fn write_note_does_not_take_the_slug_of_a_page() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("Root Note.md", "# Root Note\n\nThe old one.\n");
    sandbox.sync();
    let before = sandbox.run(&["get", "root-note", "--json"]).ok().json();
    let call = r#"{"title": "Root Note", "content": "New."}"#;
    sandbox.run(&["call", "write-note", call]).exits(2).says("Root Note.md already exists");
    let call = r#"{"title": "Root Note", "content": "New.", "overwrite": true}"#;
    assert_eq!(sandbox.run(&["call", "write-note", call]).ok().json()["file_path"], "Root Note.md");
    let ran = sandbox.pipe(&["put", "root-note.md"], b"new\n");
    assert!(ran.code == 0 || ran.err.contains("would take the slug"), "{ran:?}");
    assert!(!sandbox.vault().join("root-note.md").exists());
    sandbox.run(&["mv", "root-note", "elsewhere"]).exits(0);
    sandbox.pipe(&["put", "other"], b"other\n").exits(0);
    sandbox.run(&["mv", "elsewhere", "Root Note.md"]).exits(0);
    sandbox
        .run(&["mv", "other", "root-note"])
        .exits(2)
        .says("would take the slug root-note from Root Note.md");
    let after = sandbox.run(&["get", "root-note", "--json"]).ok().json();
    assert_eq!(before["path"], after["path"]);
}

#[test]
fn version_of_a_page_is_not_accepted_for_another_one_with_its_slug() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("Root Note.md", "# Root Note\n\nThe old one.\n");
    sandbox.sync();
    let version = sandbox.run(&["get", "root-note", "--json"]).ok().json()["version"].to_string();
    sandbox.write("root-note.md", "Created by hand.\n");
    let put =
        format!(r#"{{"slug": "root-note", "content": "overwritten\n", "expected_version": {version}}}"#);
    sandbox.run(&["call", "put", &put]).exits(3);
    assert_eq!(sandbox.read("root-note.md"), b"Created by hand.\n");
    assert_eq!(sandbox.read("Root Note.md"), b"# Root Note\n\nThe old one.\n");
}
