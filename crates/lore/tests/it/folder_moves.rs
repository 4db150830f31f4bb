//! `mv-folder`: all pages of a folder or none, with one commit, and every link between them and to them follows.

use std::collections::BTreeSet;

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;

const POINTS: [&str; 6] = ["staged", "noted", "installed", "before-commit", "committed", "ended"];

fn fill(sandbox: &Sandbox) {
    for number in 0..12 {
        let next = (number + 1) % 12;
        sandbox.write(
            &format!("papers/p{number}.md"),
            format!(
                "---\nparent: papers/p{next}\n---\n# Paper {number}\n\n[next](p{next}.md), [[papers/p{next}]], [out](../index.md), \
                 [sub](sub/s.md)\n"
            ),
        );
    }
    sandbox.write("papers/sub/s.md", "# Sub\n\n[up](../p0.md) and [[papers/p1|one]]\n");
    sandbox.write(
        "index.md",
        "---\nrelated: [papers/p3]\n---\n# Index\n\n[a](papers/p0.md) [[papers/sub/s]] [[p2]]\n",
    );
}

fn pages(sandbox: &Sandbox) -> BTreeSet<String> {
    let files = sandbox.files().into_iter().map(|(path, _)| path.to_string_lossy().into_owned());
    files.filter(|path| path.ends_with(".md")).collect()
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

#[test]
fn folder_moves_with_one_commit_and_its_links_follow() {
    let vault = GitVault::with_profile("notes");
    fill(&vault.sandbox);
    vault.commit_by_hand("Fill");
    let before = vault.head();
    vault.lore(&["mv-folder", "papers", "archive/old"]).ok();
    assert_eq!(vault.subjects_since(&before), ["Move papers to archive/old"]);
    assert_eq!(vault.uncommitted(), [""; 0]);
    assert_eq!(
        text(&vault.sandbox, "archive/old/p0.md"),
        "---\nparent: archive/old/p1\n---\n# Paper 0\n\n[next](p1.md), [[archive/old/p1]], [out](../../index.md), [sub](sub/s.md)\n"
    );
    assert_eq!(
        text(&vault.sandbox, "archive/old/sub/s.md"),
        "# Sub\n\n[up](../p0.md) and [[archive/old/p1|one]]\n"
    );
    assert_eq!(
        text(&vault.sandbox, "index.md"),
        "---\nrelated: [archive/old/p3]\n---\n# Index\n\n[a](archive/old/p0.md) [[archive/old/sub/s]] [[p2]]\n"
    );
    vault.sandbox.validate();
}

#[test]
fn a_page_is_not_moved_to_itself() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("deep/acme.md", "# Acme\n");
    sandbox.sync();
    for to in ["deep/acme", "deep/acme.md", "./deep/acme.md", "deep/"] {
        sandbox.run(&["mv", "deep/acme", to]).exits(2).says("source and destination are the same page");
    }
    sandbox.run(&["mv-folder", "deep", "deep/"]).exits(2).says("the same folder");
    sandbox.run(&["mv", "deep/acme", "deep/Acme.md"]).ok();
    assert!(sandbox.vault().join("deep/Acme.md").exists());
}

#[test]
fn emptied_directories_are_removed() {
    let sandbox = Sandbox::with_vault();
    for path in ["deep/papers/a.md", "deep/papers/sub/b.md", "deep/papers/kept/c.md"] {
        sandbox.write(path, "# Page\n");
    }
    sandbox.write("deep/papers/.raw/a.json", "{\"sources\":{}}");
    sandbox.write("deep/papers/kept/photo.png", "x");
    sandbox.sync();
    sandbox.run(&["mv-folder", "deep/papers/sub", "deep/papers/new"]).ok();
    let is_there = |path: &str| sandbox.vault().join(path).exists();
    assert!(!is_there("deep/papers/sub") && is_there("deep/papers/new/b.md"));
    sandbox.run(&["mv-folder", "deep/papers", "other"]).ok();
    assert!(is_there("other/.raw/a.json") && is_there("deep/papers/kept/photo.png"));
    for gone in ["deep/papers/.raw", "deep/papers/new"] {
        assert!(!is_there(gone), "{gone}");
    }
    sandbox.run(&["rm-folder", "other", "--yes"]).ok();
    assert!(!is_there("other") && is_there("deep/papers"));
}

#[test]
fn killed_move_leaves_the_whole_folder_on_one_side() {
    for point in POINTS {
        let sandbox = Sandbox::with_vault();
        fill(&sandbox);
        sandbox.sync();
        let before = pages(&sandbox);
        sandbox.sh(&format!("LORE_FAULT={point} lore mv-folder papers moved"));
        sandbox.sh("lore sync").exits(0);
        let after = pages(&sandbox);
        let moved = before.iter().map(|path| path.replace("papers/", "moved/")).collect();
        assert!(after == before || after == moved, "{point}: {after:?}");
        let link = text(&sandbox, "index.md");
        assert_eq!(after == moved, link.contains("moved/p0.md"), "{point}: {link}");
        sandbox.validate();
    }
}

#[test]
fn nothing_moves_if_one_page_cannot() {
    let sandbox = Sandbox::with_vault();
    fill(&sandbox);
    sandbox.write("moved/p7.md", "# There\n");
    sandbox.sync();
    let before = sandbox.files();
    sandbox.run(&["mv-folder", "papers", "moved"]).exits(2).says("moved/p7.md");
    assert_eq!(sandbox.files(), before);
}

#[test]
fn fixes_of_several_pages_are_one_commit() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write(
        "lore.toml",
        "name = \"v\"\n[[rule]]\npaths = [\"**\"]\nschema = \"note\"\n[schema.note]\nrequired = [\"kind\"]\n\
         [schema.note.defaults]\nkind = \"plain\"\n",
    );
    for number in 0..5 {
        vault.sandbox.write(&format!("n{number}.md"), format!("# N{number}\n"));
    }
    vault.commit_by_hand("Fill");
    let before = vault.head();
    vault.lore(&["lint", "--fix"]);
    assert_eq!(vault.subjects_since(&before), ["Fix 5 pages"]);
}
