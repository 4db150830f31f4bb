//! A source that changes, a vault that changes, and processes that die.

use std::fs;

use serde_json::json;

use super::{export, files, import, paths, reason, tree};
use crate::crash_support::{CrashHarness, Scenario};
use crate::git_support::TOKEN;
use crate::sandbox::Sandbox;
use lore_vault::fault::POINTS;

#[test]
fn changed_source_updates_what_nobody_edited() {
    let sandbox = Sandbox::with_vault();
    tree(
        &sandbox,
        "src",
        &[("a.md", b"# A\n\n- [fact] one\n"), ("b.md", b"# B\n"), ("c.md", b"# C\n"), ("d.md", b"# D\n")],
    );
    import(&sandbox, &["../src"]);
    sandbox.run(&["edit", "b", "--append", "Mine."]).ok();
    sandbox.write("c.md", "# C by hand\n");
    fs::remove_file(sandbox.vault().join("d.md")).expect("removed");
    tree(
        &sandbox,
        "src",
        &[
            ("a.md", b"# A\n\n- [fact] two\n"),
            ("b.md", b"# B2\n"),
            ("c.md", b"# C2\n"),
            ("d.md", b"# D2\n"),
            ("e.md", b"# E\n"),
        ],
    );
    let output = import(&sandbox, &["../src"]);
    assert_eq!(paths(&output, "pages"), ["a.md", "e.md"], "{output}");
    assert_eq!(paths(&output, "conflicts"), ["b.md", "c.md", "d.md"]);
    assert!(reason(&output, "conflicts", "b.md").contains("edited"));
    assert!(reason(&output, "conflicts", "d.md").contains("deleted"));
    assert_eq!(sandbox.read("a.md"), b"# A\n\n- [fact] two\n", "the old line is gone");
    assert_eq!(sandbox.read("c.md"), b"# C by hand\n");
    assert!(!sandbox.vault().join("d.md").exists());
    let again = import(&sandbox, &["../src"]);
    assert_eq!(paths(&again, "conflicts").len(), 3, "a conflict stays listed: {again}");
    assert_eq!(again["pages"], json!([]));
}

#[test]
fn existing_files_are_never_replaced() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# Mine\n");
    sandbox.write("b.md", "# Same\n");
    tree(&sandbox, "src", &[("a.md", b"# Theirs\n"), ("b.md", b"# Same\n")]);
    let output = import(&sandbox, &["../src"]);
    assert_eq!(
        (paths(&output, "conflicts"), output["unchanged"].as_u64()),
        (vec!["a.md".to_owned()], Some(1))
    );
    assert_eq!(sandbox.read("a.md"), b"# Mine\n");
}

#[test]
fn credentials_are_left_out_of_pages_and_originals() {
    let sandbox = Sandbox::with_vault();
    let key = format!("# K\n\nThe key is {}\n", TOKEN.concat());
    tree(&sandbox, "src", &[("key.md", key.as_bytes()), ("ok.md", b"# Ok\n")]);
    let output = import(&sandbox, &["../src"]);
    assert_eq!(paths(&output, "pages"), ["ok.md"], "{output}");
    assert!(reason(&output, "skipped", "key.md").contains("credential"));
    assert!(reason(&output, "not_kept", "key.md").contains("credential"));
    sandbox.run(&["secrets", "scan"]).exits(0);
}

#[test]
fn a_vault_is_not_imported_into_itself() {
    let sandbox = Sandbox::with_vault();
    sandbox.run(&["import", "."]).exits(2).says("is the vault itself");
    sandbox.run(&["import", ".."]).exits(2).says("is the vault itself");
    sandbox.run(&["import", "../nowhere"]).exits(2).says("nowhere");
    fs::create_dir(sandbox.root.join("void")).expect("a directory");
    sandbox.run(&["import", "../void"]).exits(2).says("--from");
}

#[cfg(unix)]
#[test]
fn symlinks_are_not_followed() {
    let sandbox = Sandbox::with_vault();
    tree(&sandbox, "src", &[("a.md", b"# A\n")]);
    fs::write(sandbox.root.join("private.md"), "# Private\n").expect("a file");
    std::os::unix::fs::symlink("../private.md", sandbox.root.join("src/link.md")).expect("a symlink");
    std::os::unix::fs::symlink("..", sandbox.root.join("src/up")).expect("a symlink");
    let output = import(&sandbox, &["../src"]);
    assert_eq!(paths(&output, "pages"), ["a.md"]);
    assert!(reason(&output, "skipped", "link.md").contains("symlink"));
    assert!(reason(&output, "skipped", "up").contains("symlink"));
}

/// An import that ends while another one is under way leaves the originals of that one alone.
#[test]
fn imports_at_the_same_time_keep_their_originals() {
    let sandbox = Sandbox::with_vault();
    let names: Vec<String> = (0..400).map(|number| format!("n{number}.md")).collect();
    let texts: Vec<String> = (0..400).map(|number| format!("# Big {number}\n")).collect();
    let big: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    tree(&sandbox, "big", &big);
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| import(&sandbox, &["../big", "--into", "big"]));
        for number in 0.. {
            let small = format!("small{number}");
            tree(&sandbox, &small, &[("s.md", format!("# Small {number}\n").as_bytes())]);
            import(&sandbox, &[&format!("../{small}"), "--into", &small]);
            if running.is_finished() {
                break;
            }
        }
        running.join().expect("an import")
    });
    let id = output["import_id"].as_str().expect("an id");
    export(&sandbox, "raw", &["--raw", "--import-id", id]).ok();
    assert_eq!(files(&sandbox.root.join("raw")), files(&sandbox.root.join("big")));
}

/// An import with pages, an attachment and an update, killed at every fault point each time it is reached.
#[test]
fn killed_import_is_whole_or_nothing() {
    let prepare = |sandbox: &Sandbox| {
        tree(sandbox, "src", &[("a.md", b"# A\n\n[[b]]\n"), ("b.md", b"# B\n"), ("w.canvas", b"{}")]);
        sandbox.write("b.md", "# B\n");
    };
    let scenario = Scenario { profile: "notes", prepare, change: &["import", "../src"], input: "" };
    let harness = CrashHarness::new(scenario);
    let (mut undone, mut finished) = (0, 0);
    for point in POINTS {
        for time in 1.. {
            let fault = format!("{point}:{time}");
            harness.reset();
            let killed = harness.killed_at(&fault);
            if killed {
                harness.next_command(&[]).exits(0);
            }
            let done = harness.assert_atomic(&fault);
            assert!(done || killed, "{fault}");
            // Running it again completes it, or finds it complete.
            harness.start(&[]).exits(0);
            let imports = harness.sandbox.run(&["imports"]).exits(0).json();
            assert_eq!(imports["imports"].as_array().map(Vec::len), Some(1), "{fault}: {imports}");
            if !killed {
                break;
            }
            if done { finished += 1 } else { undone += 1 }
        }
    }
    assert!(undone >= 1 && finished >= 4, "{undone} undone, {finished} finished");
}
