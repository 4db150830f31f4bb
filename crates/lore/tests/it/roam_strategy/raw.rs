//! Captures of outside sources, and the project a page is about.

use std::fs;

use serde_json::json;

use crate::sandbox::Ran;
use crate::story::{NOON, Story};

/// Captures a text with an outside file of these bytes; gives the path of the stub.
#[track_caller]
fn capture(story: &Story, file: &str, bytes: &[u8], more: &[&str]) -> Ran {
    let path = story.sandbox.root.join(file);
    fs::write(&path, bytes).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let text = format!("What was learnt from {file}.");
    let title = file.split('.').next().expect("a name");
    let arguments = [&["capture", &text, "--title", title, "--keep", "--raw", &path][..], more].concat();
    story.lore(&arguments)
}

/// The excerpt of a stub: what stands after its frontmatter, without the note on the cut.
fn excerpt(stub: &str) -> String {
    let (_, body) = stub.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("a stub");
    body.replace("(The source goes on; this is an excerpt.)", "").trim().to_owned()
}

#[test]
fn an_outside_source_becomes_a_stub_with_address_day_and_excerpt() {
    let story = Story::of("roam");
    let written = capture(&story, "short.txt", b"A short article.\n", &["--source", "https://example.org/a"])
        .ok()
        .json();
    assert_eq!(written["also"], json!(["raw/2026-11-01-short.md"]));
    assert_eq!(
        story.read("raw/2026-11-01-short.md"),
        "---\ntitle: \"short\"\nurl: \"https://example.org/a\"\nretrieved: 2026-11-01\n---\n\nA short article.\n"
    );
    let page = story.lore(&["show", written["slug"].as_str().expect("a slug")]).ok().json();
    assert_eq!(page["properties"]["source"], "raw/2026-11-01-short.md");
    let mut files = story.files_of("HEAD");
    files.sort();
    assert_eq!(files, ["A 20261101120000-short.md", "A raw/2026-11-01-short.md", "M index.md"]);
    assert!(!story.sandbox.vault().join("raw/files").exists());
}

#[test]
fn an_excerpt_has_at_most_two_thousand_words_and_sixteen_kilobytes() {
    let story = Story::of("roam");
    let words = "ab ".repeat(3000);
    capture(&story, "words.txt", words.as_bytes(), &[]).ok();
    let stub = story.read("raw/2026-11-01-words.md");
    assert_eq!(excerpt(&stub).split_whitespace().count(), 2000);
    assert!(stub.contains("(The source goes on; this is an excerpt.)"));
    let bytes = "ein-überaus-langes-wort ".repeat(1500);
    capture(&story, "bytes.txt", bytes.as_bytes(), &[]).ok();
    let cut = excerpt(&story.read("raw/2026-11-01-bytes.md"));
    assert!(cut.len() <= 16 * 1024 && cut.len() > 16 * 1024 - 50, "{}", cut.len());
    assert!(cut.ends_with("wort"), "cut between words");
    let exact = "ab ".repeat(2000);
    capture(&story, "exact.txt", exact.as_bytes(), &[]).ok();
    assert!(!story.read("raw/2026-11-01-exact.md").contains("this is an excerpt"));
    assert_eq!(story.findings(), []);
}

#[test]
fn the_whole_file_is_kept_on_request_only() {
    let story = Story::of("roam");
    let words = "ab ".repeat(3000);
    capture(&story, "article.html", words.as_bytes(), &["--whole"]).ok();
    assert_eq!(story.sandbox.read("raw/files/2026-11-01-article.html"), words.as_bytes());
    let stub = story.read("raw/2026-11-01-article.md");
    assert!(stub.contains("file: \"raw/files/2026-11-01-article.html\"\n"), "{stub}");
    assert_eq!(excerpt(&stub).split_whitespace().count(), 2000, "the stub stays small");
    let binary = b"%PDF\0\x01\x02\x03";
    capture(&story, "paper.pdf", binary, &["--whole"]).ok();
    assert_eq!(story.sandbox.read("raw/files/2026-11-01-paper.pdf"), binary);
    assert!(!story.read("raw/2026-11-01-paper.md").contains("PDF\0"));
    assert_eq!((story.findings(), story.uncommitted()), (vec![], vec![]));
}

#[test]
fn a_capture_over_a_quarter_megabyte_is_flagged() {
    let story = Story::of("roam");
    let limit = 256 * 1024;
    capture(&story, "fits.txt", &b"word ".repeat(limit / 5), &["--whole"]).ok();
    assert_eq!(story.findings(), []);
    capture(&story, "large.txt", &b"word ".repeat(limit / 5 + 1), &["--whole"]).exits(0);
    let path = "raw/files/2026-11-01-large.txt".to_owned();
    assert_eq!(story.findings(), [("size".to_owned(), path.clone())]);
    story.lore(&["lint"]).ok();
    let found = story.lore(&["curate", "--dry-run"]).ok().json();
    assert_eq!(found["large_captures"], json!([{ "path": path, "bytes": (limit / 5 + 1) * 5 }]));
    assert_eq!(found["unused_captures"], json!([]));
    let doctor = story.lore(&["doctor"]).text();
    assert!(doctor.contains("raw captures: 4 files"), "{doctor}");
}

#[test]
fn a_capture_is_evidence_and_is_not_changed() {
    let story = Story::of("roam");
    capture(&story, "short.txt", b"A short article.\n", &[]).ok();
    let put = r#"{"slug": "raw/2026-11-01-short.md", "content": "Another article.\n"}"#;
    story.refuses(|| story.lore(&["call", "put", put])).says("captured sources");
    // Another one of the same title gets a name of its own.
    capture(&story, "short.txt", b"A later article.\n", &[]).ok();
    assert!(story.read("raw/2026-11-01-short.md").contains("A short article."));
    assert!(story.read("raw/2026-11-01-short-2.md").contains("A later article."));
}

#[test]
fn the_project_is_called_after_the_directory_the_work_is_done_in() {
    let story = Story::of("roam");
    for (number, (directory, slug)) in
        [(".emacs.d", "emacs"), ("DeepSat", "deepsat"), ("My_Project.git", "my-project"), ("v", "general")]
            .into_iter()
            .enumerate()
    {
        let here = story.sandbox.root.join(directory);
        fs::create_dir_all(&here).expect("a directory");
        let title = format!("Lesson {number}");
        let text = format!("Learnt in {directory} about matter number {number}.");
        let mut command = story.at(NOON, &["capture", &text, "--title", &title, "--keep", "--project", "v"]);
        let ran = Ran::from(command.current_dir(&here).output().expect("it runs")).ok().json();
        let page = story.lore(&["show", ran["slug"].as_str().expect("a slug")]).ok().json();
        assert_eq!(page["properties"]["projects"], json!([slug]), "{directory}");
    }
    let index = story.read("index.md");
    assert!(
        index.ends_with("## Projects\n\n- deepsat (1)\n- emacs (1)\n- general (2)\n- my-project (1)\n"),
        "{index}"
    );
}

#[test]
fn what_a_capture_says_of_itself_goes_before_the_defaults() {
    let story = Story::of("roam");
    let text = "---\nconfidence: user-stated\nprojects: [emacs]\nsummary: Say it.\n---\n# Tabs\n\nTabs, never spaces.\n";
    let file = story.sandbox.root.join("tabs.md");
    fs::write(&file, text).expect("a file");
    let written =
        story.lore(&["capture", "--file", &file.to_string_lossy(), "--tag", "preference"]).ok().json();
    let page = story.lore(&["show", written["slug"].as_str().expect("a slug")]).ok().json();
    let properties = &page["properties"];
    assert_eq!(
        (&properties["confidence"], &properties["projects"]),
        (&json!("user-stated"), &json!(["emacs"]))
    );
    assert_eq!((&properties["summary"], &properties["title"]), (&json!("Say it."), &json!("Tabs")));
    assert_eq!((&properties["created_by"], &properties["status"]), (&json!("tester"), &json!("current")));
    assert_eq!(
        (&properties["visibility"], &properties["source"]),
        (&json!("personal"), &json!("chat 2026-11-01"))
    );
    assert_eq!(properties["tags"], json!(["preference"]));
}

#[test]
fn a_text_that_begins_with_a_dash_is_a_text() {
    let story = Story::of("roam");
    let texts = [
        "---\nconfidence: inferred\n---\n# Looms\n\nThey weave.\n",
        "- a list of one matter",
        "-5 degrees are cold",
    ];
    for text in texts {
        let written = story.lore(&["capture", text, "--keep"]).ok().json();
        let page = story.read(written["path"].as_str().expect("a path"));
        let body = text.rsplit("---\n").next().expect("a body");
        assert!(page.trim_end().ends_with(body.trim_end()), "{page}");
    }
}

#[test]
fn a_captured_page_ends_with_a_line_and_has_a_blank_one_under_its_title() {
    let story = Story::of("roam");
    let written = story.lore(&["capture", "Looms weave.", "--title", "Looms"]).ok().json();
    let page = story.read(written["path"].as_str().expect("a path"));
    assert!(page.ends_with("\n---\n# Looms\n\nLooms weave.\n"), "{page}");
}

#[test]
fn what_is_added_to_a_page_brings_its_outside_source_and_tags_along() {
    let story = Story::of("roam");
    story.lore(&["capture", "Looms weave.", "--title", "Looms"]).ok();
    let article = story.sandbox.root.join("article.txt");
    fs::write(&article, "Looms were invented twice.\n").expect("a file");
    let article = article.to_string_lossy().into_owned();
    let extended =
        story.lore(&["capture", "They were invented twice.", "--extend", "Looms", "--raw", &article]);
    // Either it is kept or the command says that it cannot be; it is not dropped in silence.
    assert!(extended.code != 0 || story.sandbox.vault().join("raw").exists(), "{extended:?}");
    let tagged = story.lore(&["capture", "They are loud.", "--extend", "Looms", "--tag", "procedure"]);
    assert!(
        tagged.code != 0 || story.read("index.md").contains("## Procedures") || {
            story.lore(&["tags", "Looms"]).text().contains("procedure")
        },
        "{tagged:?}"
    );
}

#[test]
fn a_person_may_take_a_capture_away() {
    let story = Story::of("roam");
    capture(&story, "article.txt", b"A short article.\n", &["--whole"]).ok();
    capture(&story, "paper.pdf", b"%PDF\0\x01\x02\x03", &["--whole"]).ok();
    story.sandbox.write("raw/by-hand.txt", "Put there by hand.\n");
    story.commit_by_hand("By hand");
    let captures = [
        "raw/2026-11-01-article.md",
        "raw/files/2026-11-01-article.txt",
        "raw/files/2026-11-01-paper.pdf",
        "raw/by-hand.txt",
    ];
    for path in captures {
        story.lore(&["rm", path]).exits(2).says("this needs a yes");
        assert_eq!(story.lore(&["rm", path, "--yes"]).ok().json()["outcome"], "deleted", "{path}");
        assert!(!story.sandbox.vault().join(path).exists(), "{path}");
        assert_eq!(story.files_of("HEAD"), [format!("D {path}")]);
    }
}
