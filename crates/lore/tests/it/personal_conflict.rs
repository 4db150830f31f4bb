//! A day that a person has edited: what the agent writes later is added below it, and takes nothing away.

use crate::personal::{AGENT, DAY, PERSON, Personal};

const PAGE: &str = "journal/daily/2026-05-17";
const FILE: &str = "journal/daily/2026-05-17.md";

/// The day as the agent tells it again.
fn told_again(words: &str) -> String {
    DAY.replace("I shipped it.", words)
}

/// What the agent adds: the day without its title, a level deeper.
fn revision(time: &str, words: &str) -> String {
    let body = told_again(words);
    let body = body.split_once("# 2026-05-17\n\n").expect("a title").1;
    format!("\n## Agent revision — {time}\n\n{}", body.replace("## ", "### "))
}

/// A day by the agent, and words that somebody adds to the file itself.
fn edited_by_hand(words: &str) -> Personal {
    let vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.write_more(FILE, words);
    vault
}

#[test]
fn the_agent_may_replace_what_only_the_agent_wrote() {
    let vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.put(PAGE, &told_again("I shipped it late.")).ok();
    assert_eq!(vault.text(FILE), told_again("I shipped it late."));
}

#[test]
fn a_new_text_comes_below_what_a_person_wrote_into_the_file() {
    let vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.put(PAGE, &told_again("I shipped it late.")).ok();
    let expected = persons + &revision("2026-05-18T12:00:00+00:00", "I shipped it late.");
    assert_eq!(vault.text(FILE), expected);
    vault.run(&["lint", PAGE]).ok();
}

#[test]
fn a_new_text_comes_below_what_another_actor_edited() {
    let mut vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.by(PERSON).run(&["edit", PAGE, "--find", "I shipped it", "--replace", "We shipped it"]).ok();
    let persons = vault.text(FILE);
    vault.by(AGENT).put(PAGE, &told_again("I shipped it late.")).ok();
    let expected = persons + &revision("2026-05-18T12:00:00+00:00", "I shipped it late.");
    assert_eq!(vault.text(FILE), expected);
}

#[test]
fn odd_line_ends_and_a_missing_one_stay_as_they_are() {
    let vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    let persons = format!("{}\r\n\tthe last line", DAY.replace('\n', "\r\n").trim_end());
    vault.write(FILE, &persons);
    vault.put(PAGE, &told_again("I shipped it late.")).ok();
    let text = vault.text(FILE);
    assert!(text.starts_with(&persons), "{text:?}");
    assert!(text[persons.len()..].contains("## Agent revision — "), "{text:?}");
}

#[test]
fn the_same_text_again_adds_nothing() {
    let mut vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.put(PAGE, DAY).ok();
    let told = persons + &revision("2026-05-18T12:00:00+00:00", "I shipped it.");
    assert_eq!(vault.text(FILE), told);
    for again in ["2026-05-18T12:00:00Z", "2026-05-18T18:00:00Z"] {
        vault.at(again).put(PAGE, DAY).ok();
        assert_eq!(vault.text(FILE), told, "at {again}");
    }
}

#[test]
fn a_third_text_keeps_the_persons_words_too() {
    let mut vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.put(PAGE, &told_again("I shipped it late.")).ok();
    vault.at("2026-05-18T13:00:00Z").put(PAGE, &told_again("I did not ship it.")).ok();
    let text = vault.text(FILE);
    assert!(text.starts_with(&persons), "the person's words are gone: {text}");
    assert!(text.contains("I did not ship it."), "{text}");
}

#[test]
fn a_small_edit_by_the_agent_does_not_make_the_page_its_own() {
    let vault = edited_by_hand("\nI want to remember the rain.\n");
    vault.run(&["edit", PAGE, "--set", "messages_handled=6"]).ok();
    let before = vault.text(FILE);
    vault.put(PAGE, &told_again("I shipped it late.")).ok();
    assert!(vault.text(FILE).starts_with(&before), "the person's words are gone: {}", vault.text(FILE));
}

#[test]
fn on_another_day_only_the_date_of_the_change_differs() {
    let mut vault = edited_by_hand("\nI want to remember the rain.\n");
    let persons = vault.text(FILE);
    vault.at("2026-05-20T06:00:00Z").put(PAGE, &told_again("I shipped it late.")).ok();
    let stamped = persons.replace("updated: 2026-05-18", "updated: 2026-05-20");
    assert_eq!(vault.text(FILE), stamped + &revision("2026-05-20T06:00:00+00:00", "I shipped it late."));
}

#[test]
fn a_day_without_a_writer_that_lore_knows_is_a_persons() {
    let vault = Personal::new();
    vault.write("journal/daily/holidays.md", "# Holidays\n\nIn June.\n");
    vault.put("journal/daily/holidays", "# Holidays\n\nIn July.\n").ok();
    let text = vault.text("journal/daily/holidays.md");
    assert!(text.starts_with("# Holidays\n\nIn June.\n\n## Agent revision — "), "{text}");
    assert!(text.ends_with("\n\nIn July.\n"), "{text}");
}

#[test]
fn a_snapshot_is_restored_whoever_wrote_the_page_last() {
    let mut vault = Personal::new();
    vault.put(PAGE, DAY).ok();
    vault.put(PAGE, &told_again("I shipped it late.")).ok();
    let history = vault.run(&["history", PAGE]).ok().json();
    let number = history["snapshots"][0]["snapshot"].to_string();
    vault.by(PERSON).run(&["restore", PAGE, "--at", &number, "--yes"]).ok();
    assert_eq!(vault.text(FILE), DAY);
}
