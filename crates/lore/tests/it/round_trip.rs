//! Files are the truth: their bytes are returned unchanged, and the index can be rebuilt from them.

use std::fs;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Pages in every encoding and line ending in which a byte could get lost, by path.
const SHAPES: &[(&str, &[u8])] = &[
    ("empty.md", b""),
    ("one-newline.md", b"\n"),
    ("no-newline-at-the-end.md", b"# Title\n\nlast line"),
    ("crlf.md", b"---\r\ntitle: Windows\r\n---\r\n# Windows\r\n\r\n- [fact] kept #crlf\r\n"),
    ("cr.md", b"# Old Mac\rsecond\rthird"),
    ("mixed.md", b"a\r\nb\nc\rd\n\r\n"),
    ("bom.md", b"\xef\xbb\xbf---\ntitle: Mark\n---\ntext\n"),
    ("utf16.md", b"\xff\xfeh\0i\0\n\0"),
    ("latin.md", b"K\xe4se und Br\xf6tchen\n"),
    ("nul.md", b"a\0b\n"),
    ("tabs and spaces.md", b"  \t # x  \n\t\n   \n"),
    ("Groß/Über uns.md", "Straße\n".as_bytes()),
    ("日本/東京.md", "東京は大きい\n".as_bytes()),
    ("😀.md", b"smile\n"),
    ("deep/a/b/c/d/e.md", b"deep\n"),
    ("UPPER.MD", b"upper\n"),
    ("long.markdown", b"markdown\n"),
];

/// Queries that each match at least one page.
const QUERIES: &[&str] = &["windows", "straße", "東京", "brötchen", "title last", "deep OR upper", "text"];

fn shapes() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    for (path, bytes) in SHAPES {
        sandbox.write(path, bytes);
    }
    sandbox
}

/// Returns the complete answers to all queries.
fn answers(sandbox: &Sandbox) -> Vec<Value> {
    QUERIES.iter().map(|query| sandbox.run(&["search", query]).ok().json()).collect()
}

#[test]
fn pages_are_returned_byte_for_byte_and_sync_writes_none() {
    let sandbox = shapes();
    let before = sandbox.files();
    let report = sandbox.sync();
    assert_eq!(report["added"].as_array().expect("a list").len(), SHAPES.len());
    assert_eq!((&report["pages"], &report["skipped"]), (&json!(SHAPES.len()), &json!([])));
    for (path, bytes) in SHAPES {
        assert_eq!(sandbox.run(&["get", path]).ok().out, *bytes, "{path}");
    }
    let pages = sandbox.run(&["list", "--limit", "1000"]).ok().json();
    for page in pages["pages"].as_array().expect("a list") {
        let (slug, path) = (page["slug"].as_str().expect("a slug"), page["path"].as_str().expect("a path"));
        assert_eq!(sandbox.run(&["get", slug]).ok().out, sandbox.read(path), "{slug}");
    }
    assert_eq!(sandbox.files(), before);
}

#[test]
fn second_sync_changes_nothing() {
    let sandbox = shapes();
    sandbox.sync();
    for arguments in [&["sync"][..], &["sync", "--full"]] {
        let report = sandbox.run(arguments).ok().json();
        for kind in ["added", "modified", "moved", "removed", "skipped"] {
            assert_eq!(report[kind], json!([]), "{kind}: {report}");
        }
    }
    sandbox.validate();
}

#[test]
fn rebuilt_index_gives_the_same_answers() {
    let sandbox = shapes();
    sandbox.write("links.md", "Sees [[Windows]] and [[Nowhere]].\n\n- knows [[deep/a/b/c/d/e]] {2020..}\n");
    let (before, graph) = (answers(&sandbox), sandbox.run(&["graph", "links"]).ok().json());
    assert!(before.iter().all(|answer| answer["hits"] != json!([])), "{before:?}");
    fs::remove_dir_all(sandbox.root.join("home/state")).ok();
    sandbox.trust_in("home");
    for ending in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{ending}", sandbox.database().display())).ok();
    }
    assert_eq!(sandbox.sync()["added"].as_array().expect("a list").len(), SHAPES.len() + 1);
    assert_eq!(answers(&sandbox), before);
    assert_eq!(sandbox.run(&["graph", "links"]).ok().json(), graph);
    sandbox.validate();
}

#[test]
fn external_edit_is_found_at_once() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "wordaa\n");
    // Same size and within the resolution of the mtime: only the bytes differ.
    for round in 0..20 {
        let word = format!("word{}{}", char::from(b'a' + round / 5), char::from(b'f' + round % 5));
        sandbox.write("page.md", format!("{word}\n"));
        assert_eq!(sandbox.search(&word), ["page"], "round {round}");
    }
    fs::rename(sandbox.vault().join("page.md"), sandbox.vault().join("moved.md")).expect("a rename");
    assert_eq!(sandbox.search("worddj"), ["moved"]);
    fs::remove_file(sandbox.vault().join("moved.md")).expect("a removal");
    assert_eq!(sandbox.search("worddj"), Vec::<String>::new());
}

#[test]
fn page_moved_by_hand_keeps_id_version_and_backlinks() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a/page.md", "# A Page\n\nunlike any other\n");
    sandbox.write("other.md", "See [[A Page]].\n");
    sandbox.sync();
    sandbox.run(&["edit", "a/page", "--append", "more"]).ok();
    let before = sandbox.run(&["show", "a/page", "--json"]).ok().json();
    fs::create_dir(sandbox.vault().join("b")).expect("a folder");
    fs::rename(sandbox.vault().join("a/page.md"), sandbox.vault().join("b/page.md")).expect("a rename");
    assert_eq!(sandbox.sync()["moved"], json!([{ "from": "a/page.md", "to": "b/page.md" }]));
    let after = sandbox.run(&["show", "b/page", "--json", "--with-links"]).ok().json();
    assert_eq!((&after["id"], &after["version"]), (&before["id"], &json!(2)));
    assert_eq!(after["backlinks"][0]["from"], "other");
}

#[test]
fn closed_pipe_is_not_an_error() {
    let sandbox = Sandbox::with_vault();
    for number in 0..500 {
        sandbox.write(&format!("page-{number:03}.md"), "x".repeat(200));
    }
    sandbox.sync();
    for command in ["list --limit 500", "search xxx* --limit 500", "--tools-json", "get page-001"] {
        let ran = sandbox.sh(&format!("{{ lore {command}; echo $? >&3; }} 3>status | head -c 1"));
        assert_eq!((ran.out.len(), ran.err.as_str()), (1, ""), "{command}");
        let status = fs::read_to_string(sandbox.vault().join("status")).expect("written");
        assert!(["0\n", "1\n"].contains(&status.as_str()), "{command}: {status}");
    }
}
