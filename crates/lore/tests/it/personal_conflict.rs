//! A journal day that a person has edited: later texts of the agent are appended and replace nothing.

use crate::personal::{AGENT, DAY, PERSON, Personal};

const PAGE: &str = "journal/daily/2026-05-17";
const FILE: &str = "journal/daily/2026-05-17.md";

/// Returns the day with another summary.
fn rewritten(words: &str) -> String {
    DAY.replace("I shipped it.", words)
}

/// Returns the appended revision: the day without its title, one heading level deeper.
fn revision(time: &str, words: &str) -> String {
    let body = rewritten(words);
    let body = body.split_once("# 2026-05-17\n\n").expect("a title").1;
    format!("\n## Agent revision — {time}\n\n{}", body.replace("## ", "### "))
}

/// Creates a day written by the agent, with words appended directly to the file.
fn edited_by_hand(words: &str) -> Personal {
    let vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.append(FILE, words);
    vault
}

#[test]
fn agent_may_replace_its_own_text() {
    let vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.put(PAGE, &rewritten("I shipped it late.")).ok();
    assert_eq!(vault.text(FILE), rewritten("I shipped it late."));
}

#[test]
fn new_text_is_appended_to_a_file_edited_by_hand() {
    let vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.put(PAGE, &rewritten("I shipped it late.")).ok();
    let expected = persons + &revision("2026-05-18T12:00:00+00:00", "I shipped it late.");
    assert_eq!(vault.text(FILE), expected);
    vault.run(&["lint", PAGE]).ok();
}

#[test]
fn new_text_is_appended_to_another_actors_edit() {
    let mut vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.by(PERSON).run(&["edit", PAGE, "--find", "I shipped it", "--replace", "We shipped it"]).ok();
    let persons = vault.text(FILE);
    vault.by(AGENT).put(PAGE, &rewritten("I shipped it late.")).ok();
    let expected = persons + &revision("2026-05-18T12:00:00+00:00", "I shipped it late.");
    assert_eq!(vault.text(FILE), expected);
}

#[test]
fn edit_of_a_file_edited_by_hand_is_appended() {
    let vault = edited_by_hand("\nI want to remember the rain.\n");
    vault.write(FILE, &vault.text(FILE).replace("I shipped it.", "I shipped it, tired."));
    let persons = vault.text(FILE);
    vault.run(&["edit", PAGE, "--section", "## Summary", "--with", "I shipped it late."]).ok();
    let expected = persons.clone()
        + "\n## Agent revision — 2026-05-18T12:00:00+00:00\n\n### Summary\n\nI shipped it late.\n";
    assert_eq!(vault.text(FILE), expected);
    // Repeated and found text is not replaced either.
    vault.run(&["edit", PAGE, "--section", "## Summary", "--with", "I shipped it late."]).ok();
    assert_eq!(vault.text(FILE), expected);
    vault.run(&["edit", PAGE, "--find", "I shipped it, tired.", "--replace", "Nothing."]).ok();
    assert!(vault.text(FILE).starts_with(&expected), "{}", vault.text(FILE));
    // What only adds is a revision too.
    let before = vault.text(FILE);
    vault.run(&["edit", PAGE, "--append", "One more line."]).ok();
    let added = "\n## Agent revision — 2026-05-18T12:00:00+00:00\n\nOne more line.\n";
    assert_eq!(vault.text(FILE), before.clone() + added);
    let before = vault.text(FILE);
    vault.run(&["edit", PAGE, "--section", "## Tasks", "--append", "- [x] Ship"]).ok();
    let added = "\n## Agent revision — 2026-05-18T12:00:00+00:00\n\n### Tasks\n\n- [x] Ship\n";
    assert_eq!(vault.text(FILE), before + added);
    vault.run(&["lint", PAGE]).ok();
}

#[test]
fn line_endings_stay_as_they_are() {
    let vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    let persons = format!("{}\r\n\tthe last line", DAY.replace('\n', "\r\n").trim_end());
    vault.write(FILE, &persons);
    vault.put(PAGE, &rewritten("I shipped it late.")).ok();
    let text = vault.text(FILE);
    assert!(text.starts_with(&persons), "{text:?}");
    assert!(text[persons.len()..].contains("## Agent revision — "), "{text:?}");
}

#[test]
fn same_text_again_appends_nothing() {
    let mut vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.put(PAGE, DAY).ok();
    let expected = persons + &revision("2026-05-18T12:00:00+00:00", "I shipped it.");
    assert_eq!(vault.text(FILE), expected);
    for again in ["2026-05-18T12:00:00Z", "2026-05-18T18:00:00Z"] {
        vault.at(again).put(PAGE, DAY).ok();
        assert_eq!(vault.text(FILE), expected, "at {again}");
    }
}

#[test]
fn third_text_keeps_the_persons_text() {
    let mut vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.put(PAGE, &rewritten("I shipped it late.")).ok();
    vault.at("2026-05-18T13:00:00Z").put(PAGE, &rewritten("I did not ship it.")).ok();
    let text = vault.text(FILE);
    assert!(text.starts_with(&persons), "the person's text is gone: {text}");
    assert!(text.contains("I did not ship it."), "{text}");
}

#[test]
fn small_edit_by_the_agent_does_not_make_it_the_author() {
    let vault = edited_by_hand("\nI want to remember the rain.\n");
    vault.run(&["edit", PAGE, "--set", "messages_handled=6"]).ok();
    let before = vault.text(FILE);
    vault.put(PAGE, &rewritten("I shipped it late.")).ok();
    assert!(vault.text(FILE).starts_with(&before), "the person's text is gone: {}", vault.text(FILE));
}

#[test]
fn revision_on_another_day_changes_only_the_date() {
    let mut vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.at("2026-05-20T06:00:00Z").put(PAGE, &rewritten("I shipped it late.")).ok();
    let stamped = persons.replace("updated: 2026-05-18", "updated: 2026-05-20");
    assert_eq!(vault.text(FILE), stamped + &revision("2026-05-20T06:00:00+00:00", "I shipped it late."));
}

#[test]
fn day_of_unknown_author_counts_as_a_persons() {
    let vault = Personal::new();
    vault.write(FILE, DAY);
    vault.put(PAGE, &rewritten("In July.")).ok();
    let text = vault.text(FILE);
    assert!(text.starts_with(&format!("{DAY}\n## Agent revision — ")), "{text}");
    assert!(text.contains("\n\nIn July.\n"), "{text}");
}

#[test]
fn snapshot_is_restored_by_any_actor() {
    let mut vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.put(PAGE, &rewritten("I shipped it late.")).ok();
    let history = vault.run(&["history", PAGE]).ok().json();
    let number = history["snapshots"][0]["snapshot"].to_string();
    vault.by(PERSON).run(&["restore", PAGE, "--at", &number, "--yes"]).ok();
    assert_eq!(vault.text(FILE), DAY);
}
