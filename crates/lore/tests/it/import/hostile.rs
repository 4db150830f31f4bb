//! Sources that are odd or hostile: each is read whole, or refused with a reason, and nothing is half imported.

use std::fs;

use serde_json::json;

use super::archives::archive;
use super::{export, files, import, paths, reason, tree};
use crate::sandbox::Sandbox;

#[test]
fn names_that_differ_only_in_case_and_equal_titles() {
    let sandbox = Sandbox::with_vault();
    let bytes = archive(&[
        ("Note.md", b"# Same\n\n[[note]]\n"),
        ("note.md", b"# Same\n"),
        ("sub/NOTE.md", b"# Same\n"),
        ("Sub/other.md", b"# Same\n"),
    ]);
    fs::write(sandbox.root.join("x.zip"), bytes).expect("a file");
    let output = import(&sandbox, &["../x.zip", "--from", "obsidian"]);
    assert_eq!(paths(&output, "pages"), ["Note.md", "Sub/other.md", "note-2.md", "sub/NOTE.md"], "{output}");
    assert_eq!(import(&sandbox, &["../x.zip", "--from", "obsidian"])["outcome"], "unchanged");
    sandbox.validate();
}

#[test]
fn names_with_newlines_and_control_characters() {
    let sandbox = Sandbox::with_vault();
    let names = ["a\nb.md", "tab\there.md", "bell\u{7}.md", "-dash.md", "con.md"];
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, b"# N\n".as_slice())).collect();
    fs::write(sandbox.root.join("x.zip"), archive(&entries)).expect("a file");
    let output = import(&sandbox, &["../x.zip", "--from", "markdown"]);
    let pages = paths(&output, "pages");
    assert_eq!(pages.len() + paths(&output, "skipped").len(), names.len(), "{output}");
    assert!(pages.iter().all(|path| !path.chars().any(char::is_control)), "{pages:?}");
    // The text of the report has one line for each.
    let shown = sandbox.run(&["import", "../x.zip", "--from", "markdown", "--format", "human"]).ok().text();
    assert!(shown.lines().count() <= 3 + names.len(), "{shown}");
    sandbox.validate();
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_links_in_a_directory() {
    let sandbox = Sandbox::with_vault();
    tree(&sandbox, "src", &[("a.md", b"# A\n")]);
    sandbox.sh("mkfifo ../src/pipe.md ../src/log.jsonl && ln -s /dev/zero ../src/zero.md").exits(0);
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.root.join("src/s.md")).expect("a socket");
    let output = import(&sandbox, &["../src", "--from", "markdown"]);
    assert_eq!(paths(&output, "pages"), ["a.md"]);
    for path in ["pipe.md", "log.jsonl", "s.md"] {
        assert!(reason(&output, "skipped", path).contains("not a regular file"), "{path}");
    }
    assert!(reason(&output, "skipped", "zero.md").contains("symlink"));
    sandbox.sh("mkfifo ../alone.zip").exits(0);
    sandbox.run(&["import", "../alone.zip"]).exits(2).says("alone.zip");
    sandbox.run(&["import", "/dev/zero"]).exits(2).says("/dev/zero");
}

#[test]
fn every_encoding_becomes_utf_8() {
    let sandbox = Sandbox::with_vault();
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(unit).collect()
    };
    let (little, big) = (utf16("# Käse\n", false), utf16("# Käse\n", true));
    tree(
        &sandbox,
        "src",
        &[
            ("le.md", &little),
            ("be.md", &big),
            ("1252.md", b"# K\xe4se \x80\n"),
            ("bom.md", b"\xef\xbb\xbf# K\xc3\xa4se\n"),
        ],
    );
    let output = import(&sandbox, &["../src", "--from", "markdown"]);
    for page in ["le", "be", "1252", "bom"] {
        let shown = sandbox.run(&["show", page]).ok().json();
        assert!(shown["title"].as_str().is_some_and(|title| title.starts_with("Käse")), "{page}: {shown}");
    }
    let id = output["import_id"].as_str().expect("an id");
    export(&sandbox, "raw", &["--raw", "--import-id", id]).ok();
    assert_eq!(files(&sandbox.root.join("raw")), files(&sandbox.root.join("src")));
}

/// A huge conversation is imported in pages of limited size; a damaged one leaves nothing.
#[test]
fn huge_conversation() {
    let sandbox = Sandbox::with_vault();
    let text = "zeppelin ".repeat(50_000);
    let message = |number: usize| json!({ "uuid": format!("m{number}"), "sender": "human", "text": text });
    let messages: Vec<_> = (0..54).map(message).collect();
    let list = json!([{ "uuid": "c", "name": "Long", "created_at": "2026-01-02T03:04:05Z", "chat_messages": messages }]);
    let bytes = list.to_string();
    assert!(bytes.len() > 24_000_000);
    tree(&sandbox, "src", &[("conversations.json", &bytes.as_bytes()[..bytes.len() - 3])]);
    let before = sandbox.files();
    sandbox.run(&["import", "../src", "--from", "claude"]).exits(2).says("not a list of conversations");
    assert_eq!(sandbox.files(), before);
    tree(&sandbox, "src", &[("conversations.json", bytes.as_bytes())]);
    let output = import(&sandbox, &["../src", "--from", "claude"]);
    let pages = paths(&output, "pages");
    assert!(pages.len() > 2 && pages[0] == "sessions/claude/2026-01-02-long.md", "{pages:?}");
    let size = |path: &String| fs::metadata(sandbox.vault().join(path)).expect("a page").len();
    assert!(pages.iter().map(size).all(|size| size < 3 * 1024 * 1024));
    assert_eq!(import(&sandbox, &["../src", "--from", "claude"])["outcome"], "unchanged");
}

/// A source that is damaged after what would have been a part of the import leaves nothing.
#[test]
fn damaged_end_of_a_large_source() {
    let sandbox = Sandbox::with_vault();
    let text = "zeppelin ".repeat(11_000);
    let message = |number: usize| json!({ "uuid": format!("m{number}"), "sender": "human", "text": text });
    let talk = |id: &str, length: usize| {
        let messages: Vec<_> = (0..length).map(message).collect();
        json!({ "uuid": id, "name": id, "created_at": "2026-01-02T03:04:05Z", "chat_messages": messages })
    };
    let bytes = json!([talk("a", 360), talk("b", 1)]).to_string();
    assert!(bytes.len() > 34_000_000);
    tree(&sandbox, "src", &[("conversations.json", &bytes.as_bytes()[..bytes.len() - 3])]);
    let before = sandbox.files();
    sandbox.run(&["import", "../src", "--from", "claude"]).exits(2).says("nothing was imported");
    assert_eq!(sandbox.files(), before);
    sandbox.run(&["imports"]).exits(1);
}

#[test]
fn conversations_in_a_file_of_another_name() {
    let sandbox = Sandbox::with_vault();
    let talk =
        json!([{ "uuid": "c", "chat_messages": [{ "uuid": "m", "sender": "human", "text": "Hello" }] }]);
    fs::write(sandbox.root.join("my chats.json"), talk.to_string()).expect("a file");
    let output = import(&sandbox, &["../my chats.json", "--from", "claude"]);
    assert_eq!(paths(&output, "pages"), ["sessions/claude/hello.md"]);
}
