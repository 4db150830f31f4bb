//! The projects of Basic Memory are registered where they are.

use std::fs;

use serde_json::json;

use super::{files, import, tree};
use crate::sandbox::Sandbox;

fn installed(sandbox: &Sandbox) {
    tree(sandbox, "notes/main", &[("people/ada.md", b"---\ntitle: Ada\npermalink: main/people/ada\n---\n# Ada\n\n- [fact] Wrote notes #engine\n- knows [[Bob]]\n")]);
    tree(sandbox, "notes/work", &[("plan.md", b"# Plan\n"), (".bmignore", b"*.tmp\n")]);
    let at = |name: &str| sandbox.root.join("notes").join(name).display().to_string();
    let settings = json!({
        "projects": {
            "main": { "path": at("main"), "mode": "local" },
            "work": at("work"),
            "gone": { "path": at("gone") },
            "cloud": { "path": "", "mode": "cloud", "workspace_id": "w" },
        },
        "default_project": "work",
        "sync_delay": 1000,
    });
    tree(sandbox, ".basic-memory", &[("config.json", settings.to_string().as_bytes())]);
}

#[test]
fn projects_are_registered_in_place() {
    let sandbox = Sandbox::empty();
    installed(&sandbox);
    let before = (files(&sandbox.root.join("notes")), files(&sandbox.root.join(".basic-memory")));
    let planned = import(&sandbox, &["--from", "basic-memory", "--dry-run"]);
    assert_eq!(
        (planned["outcome"].as_str(), planned["projects"].as_array().map(Vec::len)),
        (Some("planned"), Some(2))
    );
    assert_eq!(sandbox.run(&["project", "list"]).json()["projects"], json!([]));
    let output = import(&sandbox, &["--from", "basic-memory"]);
    let found = |name: &str| {
        let projects = output["projects"].as_array().expect("projects");
        projects.iter().find(|project| project["name"] == name).expect(name).clone()
    };
    assert_eq!(
        (found("main")["outcome"].as_str(), found("main")["pages"].as_u64()),
        (Some("registered"), Some(1))
    );
    assert_eq!(
        (found("work")["default"].as_bool(), found("main")["default"].as_bool()),
        (Some(true), Some(false))
    );
    assert!(super::reason(&output, "skipped", "gone").contains("does not exist"));
    assert!(super::reason(&output, "skipped", "cloud").contains("cloud"));
    // Both are in use, and not a byte has changed.
    sandbox.run(&["--project", "main", "show", "people/ada"]).exits(0).prints("Wrote notes");
    let list = sandbox.run(&["project", "list"]).ok().json();
    let default = list["projects"].as_array().expect("a list").iter().find(|one| one["default"] == true);
    assert_eq!(default.expect("a default")["name"], "work");
    assert_eq!((files(&sandbox.root.join("notes")), files(&sandbox.root.join(".basic-memory"))), before);
    let again = import(&sandbox, &["basic-memory"]);
    assert_eq!(
        (again["outcome"].as_str(), again["projects"][0]["outcome"].as_str()),
        (Some("unchanged"), Some("unchanged"))
    );
}

/// What somebody sends cannot make vaults of other directories by a file in it.
#[test]
fn settings_elsewhere_register_nothing_unasked() {
    let sandbox = Sandbox::with_vault();
    installed(&sandbox);
    fs::rename(sandbox.root.join(".basic-memory"), sandbox.root.join("download")).expect("a directory");
    let names = || sandbox.run(&["project", "list"]).ok().json()["projects"].as_array().map(Vec::len);
    let before = names();
    sandbox.run(&["import", "../download"]).exits(2).says("--from basic-memory");
    assert_eq!(names(), before);
    import(&sandbox, &["../download", "--from", "basic-memory"]);
    assert_ne!(names(), before);
}

#[test]
fn a_name_in_use_is_not_taken() {
    let sandbox = Sandbox::with_vault();
    installed(&sandbox);
    sandbox.run(&["project", "add", "main", "../own", "--default"]).exits(0);
    let settings = sandbox.root.join(".basic-memory").display().to_string();
    let output = import(&sandbox, &[&settings]);
    assert!(super::reason(&output, "skipped", "main").contains("main"), "{output}");
    let list = sandbox.run(&["project", "list"]).ok().json();
    let default = list["projects"].as_array().expect("a list").iter().find(|one| one["default"] == true);
    assert_eq!(default.expect("a default")["name"], "main", "a default that was set stays");
}
