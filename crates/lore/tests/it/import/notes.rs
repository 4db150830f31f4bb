//! Notes of other programs.

use std::fs;

use super::archives::archive;
use super::{export, files, import, paths, reason, tree};
use crate::sandbox::Sandbox;

const ID: &str = "0123456789abcdef0123456789abcdef";

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

/// Asserts that the raw export of the last import equals the source.
#[track_caller]
fn gives_back(sandbox: &Sandbox, import_id: &serde_json::Value, source: &str) {
    export(sandbox, "raw", &["--raw", "--import-id", import_id.as_str().expect("an id")]).ok();
    assert_eq!(files(&sandbox.root.join("raw")), files(&sandbox.root.join(source)));
}

#[test]
fn logseq() {
    let sandbox = Sandbox::with_vault();
    let id = "64a1b2c3-0000-4000-8000-0123456789ab";
    tree(
        &sandbox,
        "src",
        &[
            ("logseq/config.edn", b"{}"),
            ("journals/2024_01_05.md", format!("- Met [[Ada]] (({id}))\n").as_bytes()),
            (
                "pages/Ada.md",
                format!("tags:: person, [[old friend]]\nalias:: Countess\n\n- Wrote notes\n  id:: {id}\n")
                    .as_bytes(),
            ),
            ("pages/engine___parts.md", b"- A wheel ![w](../assets/w.png)\n"),
            ("pages/plan.org", b"* Plan\n"),
            ("assets/w.png", b"\x89PNG"),
        ],
    );
    let output = import(&sandbox, &["../src"]);
    assert_eq!(output["kind"], "logseq");
    assert_eq!(
        paths(&output, "pages"),
        ["journals/2024-01-05.md", "pages/Ada.md", "pages/engine___parts.md", "pages/plan.org"]
    );
    assert_eq!(paths(&output, "attachments"), ["assets/w.png"]);
    assert_eq!(text(&sandbox, "journals/2024-01-05.md"), format!("- Met [[Ada]] [[Ada#^{id}]]\n"));
    assert!(text(&sandbox, "pages/Ada.md").contains(&format!("- Wrote notes ^{id}")));
    let shown = sandbox.run(&["show", "engine/parts"]).ok().json();
    assert_eq!(shown["title"], "engine/parts", "a namespace is part of the title");
    assert_eq!(sandbox.run(&["show", "Countess"]).ok().json()["path"], "pages/Ada.md");
    assert!(sandbox.run(&["links", "journals/2024-01-05"]).exits(0).text().contains("pages/ada"));
    gives_back(&sandbox, &output["import_id"], "src");
}

#[test]
fn logseq_in_org() {
    let sandbox = Sandbox::with_vault();
    let id = "64a1b2c3-0000-4000-8000-0123456789ab";
    let ship = format!(
        ":PROPERTIES:\n:tags: sea, boat\n:alias: Vessel\n:END:\n\n* TODO Paint\n:PROPERTIES:\n:id: {id}\n:END:\n"
    );
    let harbour = format!("#+title: Harbour\n\n* Here is (({id}))\n* {{{{embed [[projects/ship]]}}}}\n");
    tree(
        &sandbox,
        "src",
        &[
            ("logseq/config.edn", b"{}"),
            ("pages/projects___ship.org", ship.as_bytes()),
            ("pages/Harbour.org", harbour.as_bytes()),
        ],
    );
    let output = import(&sandbox, &["../src"]);
    assert_eq!((&output["kind"], output["links_pending"].as_u64()), (&"logseq".into(), Some(0)), "{output}");
    let page = text(&sandbox, "pages/projects___ship.org");
    assert!(page.starts_with(":PROPERTIES:\n") && page.contains("#+title: projects/ship\n"), "{page}");
    let shown = sandbox.run(&["show", "Vessel"]).ok().json();
    assert_eq!(shown["title"], "projects/ship");
    assert_eq!(shown["tags"], serde_json::json!(["sea", "boat"]));
    assert_eq!(
        text(&sandbox, "pages/Harbour.org"),
        format!("#+title: Harbour\n\n* Here is [[id:{id}]]\n* [[projects/ship]]\n")
    );
    gives_back(&sandbox, &output["import_id"], "src");
}

#[test]
fn notion() {
    let sandbox = Sandbox::with_vault();
    let (row, table) = (format!("Work {ID}/Tasks {ID}/Fix {ID}.md"), format!("Work {ID}/Tasks {ID}_all.csv"));
    let inner = archive(&[
        (&format!("Work {ID}.md"), format!("# Work\n\n[Tasks](Work%20{ID}/Tasks%20{ID}.csv) [Fix](Work%20{ID}/Tasks%20{ID}/Fix%20{ID}.md)\n").as_bytes()),
        (&row, b"# Fix\n\nStatus: Done\nDue: May 1, 2024\n\nThe wheel.\n"),
        (&table, b"\xef\xbb\xbfName,Status\nFix,Done\n\"a, \"\"b\"\"\",Open\n"),
        (&format!("Work {ID}/Tasks {ID}.csv"), b"Name\nFix\n"),
        ("Twice 11111111111111111111111111111111.md", b"# One\n"),
        ("Twice 22222222222222222222222222222222.md", b"# Two\n"),
    ]);
    fs::write(sandbox.root.join("n.zip"), archive(&[("Export-1-Part-1.zip", &inner)])).expect("a file");
    let output = import(&sandbox, &["../n.zip"]);
    assert_eq!(output["kind"], "notion");
    assert_eq!(
        paths(&output, "pages"),
        ["Twice.md", "Twice 2.md", "Work.md", "Work/Tasks/Fix.md", "Work/Tasks.md"]
    );
    assert!(reason(&output, "skipped", &format!("Work {ID}/Tasks {ID}.csv")).contains("all rows"));
    let fix = text(&sandbox, "Work/Tasks/Fix.md");
    assert!(fix.contains("Status: Done") && fix.contains("The wheel."), "{fix}");
    assert_eq!(
        text(&sandbox, "Work/Tasks.md"),
        "---\ntype: database\n---\n# Tasks\n\n| Name | Status |\n| --- | --- |\n| [Fix](Tasks/Fix.md) | Done |\n| a, \"b\" | Open |\n"
    );
    assert!(text(&sandbox, "Work.md").contains("[Fix](Work/Tasks/Fix.md)"), "{}", text(&sandbox, "Work.md"));
    assert_eq!(output["links_pending"].as_u64(), Some(0), "{output}");
}

#[test]
fn roam_and_bear_and_org() {
    let sandbox = Sandbox::with_vault();
    let roam = r#"[{"title":"January 5th, 2024","uid":"01-05-2024","children":[{"string":"Met [[Ada]] ((abcdef123))","uid":"b1"}]},
                   {"title":"Ada","children":[{"string":"{{[[TODO]]}} write","uid":"abcdef123"}]}]"#;
    fs::write(sandbox.root.join("roam.json"), roam).expect("a file");
    let output = import(&sandbox, &["../roam.json", "--into", "roam"]);
    assert_eq!(
        (output["kind"].as_str(), paths(&output, "pages")),
        (Some("roam-json"), vec!["roam/daily/2024-01-05.md".to_owned(), "roam/ada.md".to_owned()])
    );
    assert!(text(&sandbox, "roam/ada.md").ends_with("- [ ] write ^abcdef123\n"));
    assert_eq!(output["links_pending"], 0, "{output}");
    tree(
        &sandbox,
        "bear",
        &[
            ("My note.textbundle/text.md", b"# My note\n\n![](assets/a%20b.png)\n"),
            ("My note.textbundle/assets/a b.png", b"x"),
            ("My note.textbundle/info.json", b"{}"),
        ],
    );
    let output = import(&sandbox, &["../bear", "--into", "bear"]);
    assert_eq!(
        (output["kind"].as_str(), paths(&output, "pages")),
        (Some("bear"), vec!["bear/My note.md".to_owned()])
    );
    assert_eq!(paths(&output, "attachments"), ["bear/My note.assets/a b.png"]);
    assert!(text(&sandbox, "bear/My note.md").contains("](My%20note.assets/a%20b.png)"));
    gives_back(&sandbox, &output["import_id"], "bear");
    tree(&sandbox, "org", &[("a.org", b":PROPERTIES:\n:ID: 1\n:END:\n#+title: A\n")]);
    let output = import(&sandbox, &["../org"]);
    assert_eq!(
        (output["kind"].as_str(), sandbox.read("a.org")),
        (Some("org-roam"), b":PROPERTIES:\n:ID: 1\n:END:\n#+title: A\n".to_vec())
    );
}
