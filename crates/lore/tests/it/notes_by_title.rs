//! `write_note` and `edit_note`: the note with the title is found first, types are kept, nothing is replaced unasked.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

fn call(sandbox: &Sandbox, operation: &str, parameters: &Value) -> Ran {
    sandbox.run(&["call", operation, &parameters.to_string()])
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

fn files(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.vault().join(folder)).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn title_is_resolved_before_a_file_is_made() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("People/Ada Lovelace.md", "Old.\n");
    sandbox.write("People/Grace Hopper.md", "Grace.\n");
    sandbox.sync();
    for directory in [json!("people"), json!("People"), json!(""), Value::Null] {
        let new = json!({ "title": "Ada Lovelace", "content": "New.", "directory": directory });
        call(&sandbox, "write-note", &new).exits(2).says("People/Ada Lovelace.md already exists");
        let over =
            json!({ "title": "ada lovelace", "content": "New.", "directory": directory, "overwrite": true });
        let written = call(&sandbox, "write-note", &over).ok().json();
        assert_eq!(written["file_path"], "People/Ada Lovelace.md", "{written}");
    }
    // The root is named by a slash.
    let root = json!({ "title": "Grace Hopper", "content": "Another.", "directory": "/" });
    assert_eq!(call(&sandbox, "write-note", &root).ok().json()["slug"], "grace-hopper");
    let new = json!({ "title": "Bob Smith", "content": "Bob.", "directory": "people" });
    assert_eq!(call(&sandbox, "write-note", &new).ok().json()["file_path"], "People/Bob Smith.md");
    assert_eq!(files(&sandbox, "People"), ["Ada Lovelace.md", "Bob Smith.md", "Grace Hopper.md"]);
    sandbox.write("Other/Bob Smith.md", "Another.\n");
    let either = json!({ "title": "Bob Smith", "content": "x", "overwrite": true });
    call(&sandbox, "write-note", &either).exits(2).says("several notes have the title");
}

#[test]
fn titles_with_one_slug_are_two_files() {
    let sandbox = Sandbox::with_vault();
    for title in ["C++", "C#", "C"] {
        call(&sandbox, "write-note", &json!({ "title": title, "content": title, "directory": "lang" }))
            .exits(0);
    }
    assert_eq!(files(&sandbox, "lang").len(), 3);
    for title in ["C++", "C#", "C"] {
        let again = json!({ "title": title, "content": format!("{title} again"), "directory": "lang", "overwrite": true });
        let path = call(&sandbox, "write-note", &again).ok().json()["file_path"]
            .as_str()
            .expect("a path")
            .to_owned();
        assert!(text(&sandbox, &path).contains(&format!("{title} again")), "{path}");
    }
    assert_eq!(files(&sandbox, "lang").len(), 3);
}

#[test]
fn metadata_keep_their_types_and_the_content_its_type() {
    let sandbox = Sandbox::with_vault();
    let metadata = json!({
        "draft": true, "none": null, "count": 42, "ratio": 1.5, "list": [1, "2", true, "x"], "word": "true",
        "digits": "007", "map": { "a": 1, "b": "no" },
    });
    let note = json!({ "title": "Typed", "content": "---\ntype: idea\n---\nText.", "metadata": metadata });
    call(&sandbox, "write-note", &note).exits(0);
    let written = text(&sandbox, "typed.md");
    for line in [
        "type: idea\n",
        "draft: true\n",
        "none: null\n",
        "count: 42\n",
        "ratio: 1.5\n",
        "list: [1, \"2\", true, x]\n",
        "word: \"true\"\n",
        "digits: \"007\"\n",
        "map: {a: 1, b: \"no\"}\n",
    ] {
        assert!(written.contains(line), "{line} in {written}");
    }
    let note = json!({ "title": "Plain", "content": "Text.", "note_type": "log" });
    call(&sandbox, "write-note", &note).exits(0);
    assert!(text(&sandbox, "plain.md").contains("type: log\n"));
    call(&sandbox, "write-note", &json!({ "title": "Bare", "content": "Text." })).exits(0);
    assert!(text(&sandbox, "bare.md").contains("type: note\n"));
    let put = json!({ "slug": "typed", "frontmatter": { "draft": false }, "expected_version": 1 });
    call(&sandbox, "put", &put).exits(0);
    assert!(text(&sandbox, "typed.md").contains("draft: false\n"));
}

#[test]
fn edit_note_appends_and_creates() {
    let sandbox = Sandbox::with_vault();
    let page = "---\ntitle: A\n---\n# A\n\nIntro.\n\n## State\nOld.\n";
    sandbox.write("a.md", page);
    sandbox.sync();
    let mut expected = page.to_owned();
    for new in ["---\ntitle: B\n---\nB.", "# A\n\nMore.", "## State\nNew."] {
        call(&sandbox, "edit-note", &json!({ "path": "a", "content_updates": new })).exits(0);
        expected.push_str(&format!("\n{new}\n"));
        assert_eq!(text(&sandbox, "a.md"), expected);
    }
    for nothing in ["", " \n"] {
        call(&sandbox, "edit-note", &json!({ "path": "a", "content_updates": nothing })).exits(0);
        assert_eq!(text(&sandbox, "a.md"), expected, "{nothing:?}");
    }
    assert_eq!(sandbox.run(&["get", "a", "--json"]).ok().json()["version"], 4);
    let section = json!({ "path": "a", "content_updates": "{\"section\": \"State\", \"with\": \"x\"}" });
    call(&sandbox, "edit-note", &section).exits(2);
    call(&sandbox, "edit-note", &json!({ "path": "new/Tea Times", "content_updates": "Four." })).exits(0);
    let created = text(&sandbox, "new/tea-times.md");
    assert!(created.contains("title: Tea Times\n") && created.ends_with("Four.\n"), "{created}");
    let append = json!({ "path": "new/other", "content_updates": "{\"append\": \"More.\"}" });
    call(&sandbox, "edit-note", &append).exits(0);
    let find = json!({ "path": "nowhere", "content_updates": "{\"find\": \"a\", \"replace\": \"b\"}" });
    call(&sandbox, "edit-note", &find).exits(1);
    let versioned = json!({ "path": "nowhere", "content_updates": "x", "expected_version": 3 });
    call(&sandbox, "edit-note", &versioned).exits(1);
}
