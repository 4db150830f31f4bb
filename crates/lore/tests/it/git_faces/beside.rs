//! A person's own changes: left alone, refused, or kept apart from an agent's.

use serde_json::{Value, json};

use crate::story::{Story, id, node, texts};

#[test]
fn changes_and_staged_changes_of_others_are_left_alone() {
    let story = Story::of("notes");
    story.put("mine", "One\n").ok();
    story.put("staged", "One\n").ok();
    story.put("changed", "One\n").ok();
    story.sandbox.write("staged.md", "Two\n");
    story.git(&["add", "staged.md"]);
    story.sandbox.write("staged.md", "Three\n");
    story.sandbox.write("changed.md", "Two\n");
    story.sandbox.write("new.md", "New\n");
    story.sandbox.write("added.md", "New\n");
    story.git(&["add", "added.md"]);
    let theirs = ["A  added.md", " M changed.md", "MM staged.md", "?? new.md"];
    let before = story.uncommitted();
    assert_eq!(before.len(), theirs.len(), "{before:?}");
    for arguments in
        [&["edit", "mine", "--append", "Two"][..], &["mv", "mine", "ours"], &["rm", "ours", "-y"]]
    {
        let head = story.head();
        story.lore(arguments).ok();
        assert_eq!(story.subjects_since(&head).len(), 1, "{arguments:?}");
        assert_eq!(story.uncommitted(), before, "{arguments:?}");
        assert!(theirs.iter().all(|line| before.contains(&(*line).to_owned())), "{before:?}");
    }
    assert_eq!(story.git(&["show", ":staged.md"]), "Two", "what was staged is still what is staged");
}

#[test]
fn in_roam_they_refuse_every_write_until_they_are_committed() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.put("two", &node(2, "Two", "Text.")).ok();
    story.edit_by_hand("one.md", "Text.", "Text by Ada.");
    let writes: [&[&str]; 3] = [
        &["capture", "A lesson about something else entirely", "--title", "Lesson"],
        &["edit", "two", "--append", "More."],
        &["rm", "two", "--yes"],
    ];
    for arguments in writes {
        let ran = story.refuses(|| story.lore(arguments));
        ran.says("one.md").says("`lore git commit`");
    }
    let state = story.lore(&["git", "status"]).ok().json();
    assert_eq!(texts(&state["uncommitted"]), ["one.md"]);
    let head = story.head();
    story.lore(&["git", "commit", "-m", "Ada's own words"]).ok();
    assert_eq!(story.subjects_since(&head), ["Ada's own words"]);
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    story.lore(writes[0]).ok();
}

#[test]
fn in_roam_a_new_file_of_any_kind_refuses_too() {
    let story = Story::of("roam");
    story.sandbox.write("picture.png", b"\x89PNG\0");
    story.refuses(|| story.lore(&["capture", "A lesson"])).says("picture.png");
    story.sandbox.write(".gitignore", "*.png\n");
    story.refuses(|| story.lore(&["capture", "A lesson"])).says(".gitignore");
    story.commit_by_hand("Ignore pictures");
    story.lore(&["capture", "A lesson"]).ok();
}

#[test]
fn committing_by_hand_writes_the_index_and_refuses_what_is_invalid() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    let head = story.head();
    story.sandbox.write("two.md", node(2, "Two", "Text.").replace("summary: What Two is about.\n", ""));
    let ran = story.lore(&["git", "commit"]).exits(4).says("two.md:1: the property `summary` is missing");
    assert!(ran.err.contains("\nhint: "), "{}", ran.err);
    assert_eq!(story.head(), head);
    assert!(story.read("two.md").contains("# Two"), "what the person wrote stays as it is");
    story.sandbox.write("two.md", node(2, "Two", "Text."));
    let done = story.lore(&["git", "commit"]).ok().json();
    assert_eq!(done["message"], "committed 2 files");
    let mut files = story.files_of("HEAD");
    files.sort();
    assert_eq!(files, ["A two.md", "M index.md"]);
    assert!(story.read("index.md").contains(&id(2)));
    assert_eq!(story.lore(&["git", "commit"]).ok().json()["message"], "nothing to commit");
}

#[test]
fn a_commit_that_is_refused_changes_nothing() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.edit_by_hand("one.md", "summary: What One is about.\n", "");
    story.refuses(|| story.lore(&["git", "commit"])).says("nothing was changed");
}

#[test]
fn after_a_refused_commit_the_page_can_be_mended_through_lore() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.edit_by_hand("one.md", "summary: What One is about.\n", "");
    story.lore(&["git", "commit"]).exits(4);
    story.lore(&["edit", "one", "--set", "summary=One."]).ok();
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn what_a_person_changed_on_the_page_is_committed_before_what_the_agent_changes() {
    for profile in ["notes", "roam"] {
        let story = Story::of(profile);
        story.put("page", &node(1, "Page", "Line of the agent.")).ok();
        story.edit_by_hand("page.md", "Line of the agent.", "Line of the agent.\nLine of Ada.");
        let before = story.head();
        story.by("codex", &["edit", "page", "--append", "Line of codex."]).ok();
        let subjects = story.subjects_since(&before);
        assert_eq!(subjects, ["Commit edits made outside Lore to page.md", "Update page.md"], "{profile}");
        let person = story.git(&[
            "show",
            "--format=%an|%(trailers:key=Lore-Actor,valueonly)",
            "HEAD~1",
            "--",
            "page.md",
        ]);
        assert!(person.starts_with("Ada|\n") && person.contains("\n+Line of Ada."), "{profile}: {person}");
        assert!(!person.contains("codex"), "{profile}: {person}");
        let blame = story.lore(&["blame", "page"]).ok().json();
        assert_eq!(blame["from"], "git");
        let writer = |text: &str| -> Vec<Value> {
            let lines = blame["lines"].as_array().expect("lines").iter();
            lines
                .filter(|line| line["text"] == text)
                .map(|line| json!([line["actor"], line["face"]]))
                .collect()
        };
        assert_eq!(writer("Line of the agent."), [json!(["tester", "pipe"])], "{profile}");
        assert_eq!(writer("Line of Ada."), [json!(["Ada", "file"])], "{profile}");
        assert_eq!(writer("Line of codex."), [json!(["codex", "cli"])], "{profile}");
        assert_eq!(story.uncommitted(), Vec::<String>::new(), "{profile}");
    }
}

#[test]
fn a_page_that_a_person_made_is_committed_as_theirs_too() {
    let story = Story::of("notes");
    story.put("first", "So that there is a commit.\n").ok();
    let before = story.head();
    story.sandbox.write("page.md", "Line of Ada.\n");
    story.lore(&["edit", "page", "--append", "Line of the agent."]).ok();
    assert_eq!(story.subjects_since(&before).len(), 2, "{:?}", story.subjects_since(&before));
    assert_eq!(story.git(&["show", "HEAD~1:page.md"]), "Line of Ada.");
}

#[test]
fn what_a_person_committed_by_themselves_is_not_committed_again() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.sandbox.write("page.md", "One\nTwo by Ada\n");
    story.commit_by_hand("Ada's");
    let before = story.head();
    story.lore(&["edit", "page", "--append", "Three"]).ok();
    assert_eq!(story.subjects_since(&before), ["Update page.md"]);
}

#[test]
fn a_page_that_a_person_edited_and_staged_is_kept_as_it_is_on_the_disk() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    story.sandbox.write("page.md", "One\nStaged by Ada\n");
    story.git(&["add", "page.md"]);
    story.sandbox.write("page.md", "One\nStaged by Ada\nAnd changed\n");
    story.lore(&["edit", "page", "--append", "Three"]).ok();
    assert_eq!(story.git(&["show", "HEAD~1:page.md"]), "One\nStaged by Ada\nAnd changed");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
}

#[test]
fn a_refused_write_does_not_commit_what_the_person_changed() {
    let story = Story::of("roam");
    story.put("page", &node(1, "Page", "Text.")).ok();
    story.edit_by_hand("page.md", "Text.", "Text of Ada.");
    story.refuses(|| story.lore(&["edit", "page", "--set", "status=unheard-of"])).says("unheard-of");
    story.refuses(|| story.lore(&["edit", "page", "--append", "See [[Nowhere]]."])).says("Nowhere");
}

#[test]
fn what_a_person_adds_while_a_commit_waits_is_not_committed_as_the_agent_s() {
    let story = Story::of("notes");
    story.put("one", "One\n").ok();
    story.put("two", "One\n").ok();
    let hook = story.sandbox.vault().join(".git/hooks/pre-commit");
    story
        .sandbox
        .sh("printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit")
        .ok();
    story.lore(&["edit", "one", "--append", "Line of the agent."]).exits(0);
    story.edit_by_hand("one.md", "Line of the agent.", "Line of the agent.\nLine of Ada.");
    std::fs::remove_file(hook).expect("a hook");
    story.lore(&["edit", "two", "--append", "Two"]).ok();
    let lines = story.lore(&["blame", "one"]).ok().json()["lines"].clone();
    let ada = lines.as_array().expect("lines").iter().find(|line| line["text"] == "Line of Ada.").cloned();
    assert_ne!(ada.expect("her line")["actor"], "tester", "{lines}");
}
