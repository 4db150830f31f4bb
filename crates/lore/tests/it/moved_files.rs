//! Files moved outside Lore keep their inbound links, and properties follow a moved page.

use serde_json::Value;

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;

fn vault() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("people/ada.md", "Countess.\n");
    sandbox.write("a.md", "# A\n\nSee [Ada](people/ada.md) and [[people/ada]].\n");
    sandbox.write("b.md", "---\nowner: people/ada\n---\n# B\n\n- knows [[ada]]\n");
    sandbox.run(&["init", "--no-git"]).ok();
    sandbox
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

fn rename(sandbox: &Sandbox, from: &str, to: &str) {
    let to = sandbox.vault().join(to);
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
    std::fs::rename(sandbox.vault().join(from), to).expect("a move");
}

fn backlinks(sandbox: &Sandbox, page: &str) -> usize {
    let links = sandbox.run(&["backlinks", page]).ok().json();
    assert!(
        links["links"].as_array().is_some_and(|all| all.iter().all(|link| link["to"] == page)),
        "{links}"
    );
    links["links"].as_array().map_or(0, Vec::len)
}

#[test]
fn links_resolve_through_the_former_path_and_lint_rewrites_them() {
    let sandbox = vault();
    let id = sandbox.run(&["show", "people/ada"]).ok().json()["id"].clone();
    rename(&sandbox, "people/ada.md", "archive/countess.md");
    sandbox.sync();
    assert_eq!(sandbox.run(&["show", "archive/countess"]).ok().json()["id"], id);
    assert_eq!(backlinks(&sandbox, "archive/countess"), 3);
    assert_eq!(sandbox.run(&["stats"]).ok().json()["pending_links"], 0);
    let lint = sandbox.run(&["lint"]).json();
    let findings = lint["findings"].as_array().expect("findings");
    let moved = findings.iter().filter(|found| found["rule"] == "link-moved");
    assert_eq!(moved.count(), 3, "{lint}");

    // A second move, and every file read again.
    rename(&sandbox, "archive/countess.md", "people/ada-lovelace.md");
    sandbox.sync();
    assert_eq!(backlinks(&sandbox, "people/ada-lovelace"), 3);
    sandbox.run(&["sync", "--full"]).ok();
    assert_eq!(backlinks(&sandbox, "people/ada-lovelace"), 3);

    sandbox.run(&["lint", "--fix"]).ok();
    assert_eq!(
        text(&sandbox, "a.md"),
        "# A\n\nSee [Ada](people/ada-lovelace.md) and [[people/ada-lovelace]].\n"
    );
    let b = text(&sandbox, "b.md");
    assert!(b.contains("owner: people/ada-lovelace") && b.contains("[[ada-lovelace]]"), "{b}");
    assert_eq!(sandbox.run(&["lint"]).ok().json()["findings"], Value::Array(Vec::new()));
    sandbox.validate();
}

#[test]
fn new_page_at_a_former_path_takes_its_links() {
    let sandbox = vault();
    rename(&sandbox, "people/ada.md", "archive/countess.md");
    sandbox.sync();
    sandbox.write("people/ada.md", "Another Ada.\n");
    sandbox.sync();
    assert_eq!(backlinks(&sandbox, "people/ada"), 3);
    std::fs::remove_file(sandbox.vault().join("people/ada.md")).expect("removed");
    std::fs::remove_file(sandbox.vault().join("archive/countess.md")).expect("removed");
    sandbox.sync();
    assert_eq!(sandbox.run(&["stats"]).ok().json()["pending_links"], 3);
}

#[test]
fn page_is_not_written_by_its_former_path() {
    let sandbox = vault();
    rename(&sandbox, "people/ada.md", "archive/countess.md");
    sandbox.sync();
    sandbox.pipe(&["put", "people/ada"], b"# New\n").ok();
    assert_eq!(text(&sandbox, "archive/countess.md"), "Countess.\n");
    assert_eq!(text(&sandbox, "people/ada.md"), "# New\n");
}

#[test]
fn properties_follow_a_page_that_lore_moves() {
    let sandbox = vault();
    sandbox.write(
        "c.md",
        "---\nstakeholders: [people/bob, people/ada] # two\nnote: people/ada is here\nsource: people/ada\n---\n# C\n",
    );
    sandbox.run(&["mv", "people/ada", "people/countess"]).ok();
    assert!(text(&sandbox, "b.md").contains("owner: people/countess\n"));
    let c = text(&sandbox, "c.md");
    assert!(c.contains("people/bob, people/countess"), "{c}");
    assert!(c.contains("note: people/ada is here\nsource: people/ada\n"), "{c}");
}

/// Pages that were moved, and properties that are missing, are one write.
#[test]
fn fixes_of_one_run_are_one_commit() {
    let vault = GitVault::with_profile("notes");
    let sandbox = &vault.sandbox;
    sandbox.write(
        "lore.toml",
        "name = \"v\"\n[[rule]]\npaths = [\"**\"]\nschema = \"note\"\n[schema.note]\nrequired = [\"kind\"]\n\
         [schema.note.defaults]\nkind = \"plain\"\n",
    );
    for name in ["one", "two"] {
        sandbox.write(&format!("in/{name}.md"), format!("---\nkind: x\n---\n# Page {name}\n"));
    }
    sandbox.write("in/one.md", "---\nkind: x\n---\n# Page one\n\n[t](two.md) [[in/two]]\n");
    sandbox.write("a.md", "# A\n\n[o](in/one.md) [[in/two]]\n");
    sandbox.write("b.md", "---\nkind: x\nparent: in/two\n---\n# B\n\n[[in/one]]\n");
    vault.commit_by_hand("Fill");
    sandbox.sync();
    for name in ["one", "two"] {
        rename(sandbox, &format!("in/{name}.md"), &format!("out/{name}.md"));
    }
    vault.commit_by_hand("Move");
    sandbox.sync();
    let before = vault.head();
    vault.lore(&["lint", "--fix"]).ok();
    assert_eq!(vault.subjects_since(&before), ["Fix 3 pages"]);
    let a = text(sandbox, "a.md");
    assert!(a.contains("kind: plain") && a.contains("[o](out/one.md) [[out/two]]"), "{a}");
    assert_eq!(text(sandbox, "b.md"), "---\nkind: x\nparent: out/two\n---\n# B\n\n[[out/one]]\n");
    assert!(text(sandbox, "out/one.md").contains("[[out/two]]"));
    assert_eq!(sandbox.run(&["lint"]).ok().json()["findings"], Value::Array(Vec::new()));
}
