//! What a write commits, and under which author.

use crate::git_support::{GitVault, NOON, node};

#[test]
fn every_write_is_a_commit_with_actor_face_and_session() {
    let vault = GitVault::with_profile("notes");
    let mut before = vault.head();
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
        vault.lore(arguments).ok();
        assert_eq!(vault.subjects_since(&before), [subject], "{arguments:?}");
        assert_eq!(vault.files_of("HEAD").join(" "), file, "{arguments:?}");
        let face = if arguments[0] == "call" { "pipe" } else { "cli" };
        let trailers = vault.git(&["log", "-1", "--format=%(trailers)"]);
        assert_eq!(trailers.trim(), format!("Lore-Actor: tester\nLore-Face: {face}\nLore-Session: s1"));
        assert_eq!(vault.git(&["log", "-1", "--format=%an <%ae>"]), "Ada <ada@example.org>");
        before = vault.head();
    }
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
}

#[test]
fn unchanged_write_makes_no_commit() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let before = vault.head();
    let again = vault.put("page", "One\n").ok().json();
    assert_eq!(again["outcome"], "unchanged");
    assert_eq!(again.get("commit"), None);
    assert_eq!(vault.head(), before);
}

#[test]
fn reported_commit_is_the_one_made() {
    let vault = GitVault::with_profile("notes");
    let written = vault.put("page", "One\n").ok().json();
    assert_eq!(written["commit"], vault.head());
}

#[test]
fn missing_session_is_generated() {
    let vault = GitVault::with_profile("notes");
    let mut command = vault.at(NOON, &["call", "put", r#"{"slug": "page", "content": "One\n"}"#]);
    let output = command.env_remove("LORE_SESSION").output().expect("it runs");
    assert!(output.status.success());
    let session = vault.git(&["log", "-1", "--format=%(trailers:key=Lore-Session,valueonly)"]);
    assert!(session.contains('-') && session != "s1", "{session:?}");
}

#[test]
fn move_and_updated_links_are_one_commit() {
    let vault = GitVault::with_profile("notes");
    vault.put("people/ada", "# Ada\n").ok();
    vault.put("log", "Met [[people/ada]] and [her](people/ada.md).\n").ok();
    vault.put("plan", "- with [[people/ada|Ada]]\n").ok();
    let before = vault.head();
    vault.lore(&["mv", "people/ada", "people/ada-lovelace"]).ok();
    assert_eq!(vault.subjects_since(&before).len(), 1, "{:?}", vault.subjects_since(&before));
    let expected = ["M log.md", "D people/ada.md", "A people/ada-lovelace.md", "M plan.md"];
    let mut files = vault.files_of("HEAD");
    files.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(files, expected);
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert_eq!(vault.read("log.md"), "Met [[people/ada-lovelace]] and [her](people/ada-lovelace.md).\n");
}

#[test]
fn generated_index_is_part_of_the_same_commit() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let mut files = vault.files_of("HEAD");
    files.sort();
    assert_eq!(files, ["A one.md", "M index.md"]);
}

#[test]
fn vault_in_a_subdirectory_commits_only_its_files() {
    let vault = GitVault::without_vault();
    let root = vault.sandbox.root.join("v");
    let notes = root.join("docs/notes");
    std::fs::create_dir_all(&notes).expect("folders");
    vault.git(&["init", "--quiet"]);
    vault.sandbox.write("code.rs", "fn main() {}\n");
    vault.commit_by_hand("Code");
    vault.sandbox.write("code.rs", "fn main() { todo!() }\n");
    vault.sandbox.write("new.rs", "mod code;\n");
    let lore = |arguments: &[&str]| {
        let mut command = vault.at(NOON, arguments);
        crate::sandbox::Ran::from(command.current_dir(&notes).output().expect("it runs"))
    };
    lore(&["init", ".", "--profile", "notes"]).ok();
    assert!(!notes.join(".git").exists(), "it is in a repository already");
    let before = vault.head();
    lore(&["call", "put", r#"{"slug": "page", "content": "One\n"}"#]).ok();
    assert_eq!(vault.subjects_since(&before), ["Create page.md"]);
    assert_eq!(vault.files_of("HEAD"), ["A docs/notes/page.md"]);
    assert_eq!(vault.uncommitted(), [" M code.rs", "?? new.rs"]);
    let state = lore(&["git", "status"]).ok().json();
    assert_eq!(state["uncommitted"], serde_json::json!([]), "files outside the vault are not listed");
    let history = lore(&["history", "page"]).ok().json();
    assert_eq!(history["commits"][0]["subject"], "Create page.md");
}

#[test]
fn unusual_file_names_are_committed() {
    let vault = GitVault::with_profile("notes");
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
        vault.put(path, "One\n").ok();
        vault.lore(&["edit", path, "--append", "Two"]).ok();
        assert_eq!(vault.uncommitted(), Vec::<String>::new(), "{path}");
        let shown =
            vault.git(&["-c", "core.quotepath=false", "show", "-z", "--name-only", "--format=", "HEAD"]);
        assert_eq!(shown.trim_matches('\0'), path);
    }
}

#[test]
fn linked_worktree_is_a_vault() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    vault.git(&["worktree", "add", "--quiet", "-b", "side", "../side"]);
    let side = vault.sandbox.root.join("side");
    let mut command = vault.at(NOON, &["edit", "page", "--append", "Two"]);
    crate::sandbox::Ran::from(command.current_dir(&side).output().expect("it runs")).exits(0);
    assert_eq!(vault.git_in(&side, &["log", "-1", "--format=%s %D"]), "Update page.md HEAD -> side");
    assert_eq!(vault.read("page.md"), "One\n");
}
