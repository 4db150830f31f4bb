//! What a write commits, and as whose.

use crate::story::{NOON, Story, node};

#[test]
fn every_write_is_a_commit_that_names_actor_face_and_session() {
    let story = Story::of("notes");
    let mut before = story.head();
    let writes: [(&[&str], &str, &str); 6] = [
        (&["call", "put", r#"{"slug": "page", "content": "One\n"}"#], "Create page.md", "A page.md"),
        (&["edit", "page", "--append", "Two"], "Update page.md", "M page.md"),
        (&["tag", "page", "red"], "Update page.md", "M page.md"),
        (&["raw", "page", "--source", "web", "--data", "{}"], "Create .raw/page.json", "A .raw/page.json"),
        (
            &["capture", "Something quite different", "--title", "Other"],
            "Capture captures/other.md",
            "A captures/other.md",
        ),
        (&["rm", "page", "--yes"], "Delete page.md", "D .raw/page.json D page.md"),
    ];
    for (arguments, subject, file) in writes {
        story.lore(arguments).ok();
        assert_eq!(story.subjects_since(&before), [subject], "{arguments:?}");
        assert_eq!(story.files_of("HEAD").join(" "), file, "{arguments:?}");
        let face = if arguments[0] == "call" { "pipe" } else { "cli" };
        let trailers = story.git(&["log", "-1", "--format=%(trailers)"]);
        assert_eq!(trailers.trim(), format!("Lore-Actor: tester\nLore-Face: {face}\nLore-Session: s1"));
        assert_eq!(story.git(&["log", "-1", "--format=%an <%ae>"]), "Ada <ada@example.org>");
        before = story.head();
    }
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn a_write_that_changes_nothing_is_no_commit() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    let before = story.head();
    let again = story.put("page", "One\n").ok().json();
    assert_eq!(again["outcome"], "unchanged");
    assert_eq!(again.get("commit"), None);
    assert_eq!(story.head(), before);
}

#[test]
fn the_commit_that_a_write_tells_is_the_one_it_made() {
    let story = Story::of("notes");
    let told = story.put("page", "One\n").ok().json();
    assert_eq!(told["commit"], story.head());
}

#[test]
fn a_session_of_its_own_is_made_where_none_is_given() {
    let story = Story::of("notes");
    let mut command = story.at(NOON, &["call", "put", r#"{"slug": "page", "content": "One\n"}"#]);
    let output = command.env_remove("LORE_SESSION").output().expect("it runs");
    assert!(output.status.success());
    let session = story.git(&["log", "-1", "--format=%(trailers:key=Lore-Session,valueonly)"]);
    assert!(session.contains('-') && session != "s1", "{session:?}");
}

#[test]
fn a_move_and_the_links_that_follow_it_are_one_commit() {
    let story = Story::of("notes");
    story.put("people/ada", "# Ada\n").ok();
    story.put("log", "Met [[people/ada]] and [her](people/ada.md).\n").ok();
    story.put("plan", "- with [[people/ada|Ada]]\n").ok();
    let before = story.head();
    story.lore(&["mv", "people/ada", "people/ada-lovelace"]).ok();
    assert_eq!(story.subjects_since(&before).len(), 1, "{:?}", story.subjects_since(&before));
    let expected = ["M log.md", "D people/ada.md", "A people/ada-lovelace.md", "M plan.md"];
    let mut files = story.files_of("HEAD");
    files.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(files, expected);
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    assert_eq!(story.read("log.md"), "Met [[people/ada-lovelace]] and [her](people/ada-lovelace.md).\n");
}

#[test]
fn the_generated_index_goes_with_the_write_that_made_it_stale() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    let mut files = story.files_of("HEAD");
    files.sort();
    assert_eq!(files, ["A one.md", "M index.md"]);
}

#[test]
fn a_vault_in_a_part_of_a_repository_commits_that_part_only() {
    let story = Story::untold();
    let root = story.sandbox.root.join("v");
    let notes = root.join("docs/notes");
    std::fs::create_dir_all(&notes).expect("folders");
    story.git(&["init", "--quiet"]);
    story.sandbox.write("code.rs", "fn main() {}\n");
    story.commit_by_hand("Code");
    story.sandbox.write("code.rs", "fn main() { todo!() }\n");
    story.sandbox.write("new.rs", "mod code;\n");
    let lore = |arguments: &[&str]| {
        let mut command = story.at(NOON, arguments);
        crate::sandbox::Ran::from(command.current_dir(&notes).output().expect("it runs"))
    };
    lore(&["init", ".", "--profile", "notes"]).ok();
    assert!(!notes.join(".git").exists(), "it lies in a repository already");
    let before = story.head();
    lore(&["call", "put", r#"{"slug": "page", "content": "One\n"}"#]).ok();
    assert_eq!(story.subjects_since(&before), ["Create page.md"]);
    assert_eq!(story.files_of("HEAD"), ["A docs/notes/page.md"]);
    assert_eq!(story.uncommitted(), [" M code.rs", "?? new.rs"]);
    let state = lore(&["git", "status"]).ok().json();
    assert_eq!(state["uncommitted"], serde_json::json!([]), "what lies outside the vault is not its own");
    let history = lore(&["history", "page"]).ok().json();
    assert_eq!(history["commits"][0]["subject"], "Create page.md");
}

#[test]
fn names_that_git_or_a_shell_could_misread_are_committed_like_any_other() {
    let story = Story::of("notes");
    for path in [
        "Größe.md",
        "a b.md",
        "folder/-dash.md",
        "[set].md",
        "star*.md",
        "it's \"quoted\".md",
        ":(top)x.md",
        "#1.md",
    ] {
        story.put(path, "One\n").ok();
        story.lore(&["edit", path, "--append", "Two"]).ok();
        assert_eq!(story.uncommitted(), Vec::<String>::new(), "{path}");
        let shown =
            story.git(&["-c", "core.quotepath=false", "show", "-z", "--name-only", "--format=", "HEAD"]);
        assert_eq!(shown.trim_matches('\0'), path);
    }
}

#[test]
fn a_further_work_tree_is_a_vault_like_any_other() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.git(&["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = story.sandbox.root.join("side");
    let mut command = story.at(NOON, &["edit", "page", "--append", "Two"]);
    crate::sandbox::Ran::from(command.current_dir(&side).output().expect("it runs")).exits(0);
    assert_eq!(story.git_in(&side, &["log", "-1", "--format=%s %D"]), "Update page.md HEAD -> side");
    assert_eq!(story.read("page.md"), "One\n");
}
