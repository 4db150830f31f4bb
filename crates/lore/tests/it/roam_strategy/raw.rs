//! Captures of external sources, and the project of a page.

use std::fs;

use serde_json::json;

use crate::git_support::{GitVault, NOON};
use crate::sandbox::Ran;

/// Captures a text with an external file of these bytes.
#[track_caller]
fn capture(vault: &GitVault, file: &str, bytes: &[u8], more: &[&str]) -> Ran {
    let path = vault.sandbox.root.join(file);
    fs::write(&path, bytes).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let text = format!("What was learnt from {file}.");
    let title = file.split('.').next().expect("a name");
    let arguments = [&["capture", &text, "--title", title, "--keep", "--raw", &path][..], more].concat();
    vault.lore(&arguments)
}

/// Returns the excerpt of a stub: the text after its frontmatter, without the note on the cut.
fn excerpt(stub: &str) -> String {
    let (_, body) = stub.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("a stub");
    body.replace("(The source goes on; this is an excerpt.)", "").trim().to_owned()
}

#[test]
fn external_source_becomes_a_stub_with_url_date_and_excerpt() {
    let vault = GitVault::with_profile("roam");
    let written = capture(&vault, "short.txt", b"A short article.\n", &["--source", "https://example.org/a"])
        .ok()
        .json();
    assert_eq!(written["also"], json!(["raw/2026-11-01-short.md"]));
    assert_eq!(
        vault.read("raw/2026-11-01-short.md"),
        "---\ntitle: \"short\"\nurl: \"https://example.org/a\"\nretrieved: 2026-11-01\n---\n\nA short article.\n"
    );
    let page = vault.lore(&["show", written["slug"].as_str().expect("a slug")]).ok().json();
    assert_eq!(page["properties"]["source"], "raw/2026-11-01-short.md");
    let mut files = vault.files_of("HEAD");
    files.sort();
    assert_eq!(files, ["A 20261101120000-short.md", "A raw/2026-11-01-short.md", "M index.md"]);
    assert!(!vault.sandbox.vault().join("raw/files").exists());
}

#[test]
fn excerpt_is_limited_to_two_thousand_words_and_sixteen_kilobytes() {
    let vault = GitVault::with_profile("roam");
    let words = "ab ".repeat(3000);
    capture(&vault, "words.txt", words.as_bytes(), &[]).ok();
    let stub = vault.read("raw/2026-11-01-words.md");
    assert_eq!(excerpt(&stub).split_whitespace().count(), 2000);
    assert!(stub.contains("(The source goes on; this is an excerpt.)"));
    let bytes = "ein-überaus-langes-wort ".repeat(1500);
    capture(&vault, "bytes.txt", bytes.as_bytes(), &[]).ok();
    let cut = excerpt(&vault.read("raw/2026-11-01-bytes.md"));
    assert!(cut.len() <= 16 * 1024 && cut.len() > 16 * 1024 - 50, "{}", cut.len());
    assert!(cut.ends_with("wort"), "cut between words");
    let exact = "ab ".repeat(2000);
    capture(&vault, "exact.txt", exact.as_bytes(), &[]).ok();
    assert!(!vault.read("raw/2026-11-01-exact.md").contains("this is an excerpt"));
    assert_eq!(vault.findings(), []);
}

#[test]
fn whole_file_is_kept_only_on_request() {
    let vault = GitVault::with_profile("roam");
    let words = "ab ".repeat(3000);
    capture(&vault, "article.html", words.as_bytes(), &["--whole"]).ok();
    assert_eq!(vault.sandbox.read("raw/files/2026-11-01-article.html"), words.as_bytes());
    let stub = vault.read("raw/2026-11-01-article.md");
    assert!(stub.contains("file: \"raw/files/2026-11-01-article.html\"\n"), "{stub}");
    assert_eq!(excerpt(&stub).split_whitespace().count(), 2000, "the stub holds only an excerpt");
    let binary = b"%PDF\0\x01\x02\x03";
    capture(&vault, "paper.pdf", binary, &["--whole"]).ok();
    assert_eq!(vault.sandbox.read("raw/files/2026-11-01-paper.pdf"), binary);
    assert!(!vault.read("raw/2026-11-01-paper.md").contains("PDF\0"));
    assert_eq!((vault.findings(), vault.uncommitted()), (vec![], vec![]));
}

#[test]
fn capture_over_a_quarter_megabyte_is_reported() {
    let vault = GitVault::with_profile("roam");
    let limit = 256 * 1024;
    capture(&vault, "fits.txt", &b"word ".repeat(limit / 5), &["--whole"]).ok();
    assert_eq!(vault.findings(), []);
    capture(&vault, "large.txt", &b"word ".repeat(limit / 5 + 1), &["--whole"]).exits(0);
    let path = "raw/files/2026-11-01-large.txt".to_owned();
    assert_eq!(vault.findings(), [("size".to_owned(), path.clone())]);
    vault.lore(&["lint"]).ok();
    let found = vault.lore(&["curate", "--dry-run"]).ok().json();
    assert_eq!(found["large_captures"], json!([{ "path": path, "bytes": (limit / 5 + 1) * 5 }]));
    assert_eq!(found["unused_captures"], json!([]));
    let doctor = vault.lore(&["doctor"]).text();
    assert!(doctor.contains("raw captures: 4 files"), "{doctor}");
}

#[test]
fn captured_source_is_never_changed() {
    let vault = GitVault::with_profile("roam");
    capture(&vault, "short.txt", b"A short article.\n", &[]).ok();
    let put = r#"{"slug": "raw/2026-11-01-short.md", "content": "Another article.\n"}"#;
    vault.refuses(|| vault.lore(&["call", "put", put])).says("captured sources");
    // Another source of the same title gets its own name.
    capture(&vault, "short.txt", b"A later article.\n", &[]).ok();
    assert!(vault.read("raw/2026-11-01-short.md").contains("A short article."));
    assert!(vault.read("raw/2026-11-01-short-2.md").contains("A later article."));
}

#[test]
fn project_is_named_after_the_working_directory() {
    let vault = GitVault::with_profile("roam");
    for (number, (directory, slug)) in
        [(".emacs.d", "emacs"), ("DeepSat", "deepsat"), ("My_Project.git", "my-project"), ("v", "general")]
            .into_iter()
            .enumerate()
    {
        let here = vault.sandbox.root.join(directory);
        fs::create_dir_all(&here).expect("a directory");
        let title = format!("Lesson {number}");
        let text = format!("Learnt in {directory} about matter number {number}.");
        let mut command = vault.at(NOON, &["capture", &text, "--title", &title, "--keep", "--project", "v"]);
        let ran = Ran::from(command.current_dir(&here).output().expect("it runs")).ok().json();
        let page = vault.lore(&["show", ran["slug"].as_str().expect("a slug")]).ok().json();
        assert_eq!(page["properties"]["projects"], json!([slug]), "{directory}");
    }
    let index = vault.read("index.md");
    assert!(
        index.ends_with("## Projects\n\n- deepsat (1)\n- emacs (1)\n- general (2)\n- my-project (1)\n"),
        "{index}"
    );
}

#[test]
fn frontmatter_of_a_capture_overrides_defaults() {
    let vault = GitVault::with_profile("roam");
    let text = "---\nconfidence: user-stated\nprojects: [emacs]\nsummary: Say it.\n---\n# Tabs\n\nTabs, never spaces.\n";
    let file = vault.sandbox.root.join("tabs.md");
    fs::write(&file, text).expect("a file");
    let written =
        vault.lore(&["capture", "--file", &file.to_string_lossy(), "--tag", "preference"]).ok().json();
    let page = vault.lore(&["show", written["slug"].as_str().expect("a slug")]).ok().json();
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
fn text_may_start_with_a_dash() {
    let vault = GitVault::with_profile("roam");
    let texts = [
        "---\nconfidence: inferred\n---\n# Looms\n\nThey weave.\n",
        "- a list of one matter",
        "-5 degrees are cold",
    ];
    for text in texts {
        let written = vault.lore(&["capture", text, "--keep"]).ok().json();
        let page = vault.read(written["path"].as_str().expect("a path"));
        let body = text.rsplit("---\n").next().expect("a body");
        assert!(page.trim_end().ends_with(body.trim_end()), "{page}");
    }
}

#[test]
fn captured_page_has_a_blank_line_after_the_title_and_a_final_newline() {
    let vault = GitVault::with_profile("roam");
    let written = vault.lore(&["capture", "Looms weave.", "--title", "Looms"]).ok().json();
    let page = vault.read(written["path"].as_str().expect("a path"));
    assert!(page.ends_with("\n---\n# Looms\n\nLooms weave.\n"), "{page}");
}

#[test]
fn extending_a_page_keeps_source_and_tags() {
    let vault = GitVault::with_profile("roam");
    vault.lore(&["capture", "Looms weave.", "--title", "Looms"]).ok();
    let article = vault.sandbox.root.join("article.txt");
    fs::write(&article, "Looms were invented twice.\n").expect("a file");
    let article = article.to_string_lossy().into_owned();
    let extended =
        vault.lore(&["capture", "They were invented twice.", "--extend", "Looms", "--raw", &article]);
    // Either the source is kept or the command fails; it is not dropped silently.
    assert!(extended.code != 0 || vault.sandbox.vault().join("raw").exists(), "{extended:?}");
    let tagged = vault.lore(&["capture", "They are loud.", "--extend", "Looms", "--tag", "procedure"]);
    assert!(
        tagged.code != 0 || vault.read("index.md").contains("## Procedures") || {
            vault.lore(&["tags", "Looms"]).text().contains("procedure")
        },
        "{tagged:?}"
    );
}

#[test]
fn captured_sources_can_be_deleted() {
    let vault = GitVault::with_profile("roam");
    capture(&vault, "article.txt", b"A short article.\n", &["--whole"]).ok();
    capture(&vault, "paper.pdf", b"%PDF\0\x01\x02\x03", &["--whole"]).ok();
    vault.sandbox.write("raw/by-hand.txt", "Put there by hand.\n");
    vault.commit_by_hand("By hand");
    let captures = [
        "raw/2026-11-01-article.md",
        "raw/files/2026-11-01-article.txt",
        "raw/files/2026-11-01-paper.pdf",
        "raw/by-hand.txt",
    ];
    for path in captures {
        vault.lore(&["rm", path]).exits(2).says("confirmation required");
        assert_eq!(vault.lore(&["rm", path, "--yes"]).ok().json()["outcome"], "deleted", "{path}");
        assert!(!vault.sandbox.vault().join(path).exists(), "{path}");
        assert_eq!(vault.files_of("HEAD"), [format!("D {path}")]);
    }
}
