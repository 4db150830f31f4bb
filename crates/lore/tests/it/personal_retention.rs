//! Retention in a personal vault, rule by rule, with a fixed clock.

use serde_json::{Value, json};

use crate::personal::{DAY, NOON, Personal};

/// Runs retention at a time.
#[track_caller]
fn run_retention(vault: &mut Personal, now: &str) -> Value {
    vault.at(now).run(&["retention", "run"]).ok().json()
}

/// Asserts that a file exists one second before its expiry and is gone at that time.
#[track_caller]
fn check_end(vault: &mut Personal, path: &str, before: &str, end: &str) {
    let kept = vault.text(path);
    assert_eq!(run_retention(vault, before)["expired"], json!([]), "{path} at {before}");
    assert_eq!(vault.text(path), kept);
    let status = vault.at(end).run(&["retention", "status"]).ok().json();
    let over = status["files"].as_array().expect("files").iter().find(|file| file["path"] == *path);
    assert_eq!(over.map(|file| &file["expired"]), Some(&json!(true)), "{status}");
    assert_eq!(run_retention(vault, end)["expired"], json!([path]), "{path} at {end}");
    assert_eq!(vault.find(path), None, "{path} at {end}");
    assert_eq!(run_retention(vault, end)["expired"], json!([]), "a second run expires nothing");
}

#[test]
fn weeks_expire_a_year_after_the_week_in_their_name() {
    let mut vault = Personal::new();
    vault.put("journal/weekly/2026-W20", "# Week\n").ok();
    // The mtime does not count.
    vault.set_mtime("journal/weekly/2026-W20.md", "2030-01-01T00:00:00Z");
    // The week ends with Sunday, 2026-05-17.
    check_end(&mut vault, "journal/weekly/2026-W20.md", "2027-05-17T23:59:59Z", "2027-05-18T00:00:00Z");
}

#[test]
fn repository_days_expire_a_year_after_the_day_in_their_name() {
    let mut vault = Personal::new();
    vault.put("journal/repos/lore/2026-05-17", "# Day\n").ok();
    vault.set_mtime("journal/repos/lore/2026-05-17.md", "2020-01-01T00:00:00Z");
    check_end(&mut vault, "journal/repos/lore/2026-05-17.md", "2027-05-17T23:59:59Z", "2027-05-18T00:00:00Z");
}

#[test]
fn scratch_expires_two_days_after_its_last_change() {
    let mut vault = Personal::new();
    for path in ["state/scratch/2020-01-01-sums", "state/scratch/inbox-2020-01-01-call"] {
        vault.put(path, "# Scratch\n").ok();
        let file = format!("{path}.md");
        vault.set_mtime(&file, "2026-05-18T10:00:00Z");
        check_end(&mut vault, &file, "2026-05-20T09:59:59Z", "2026-05-20T10:00:00Z");
    }
}

#[test]
fn files_without_an_expiry_are_kept() {
    let mut vault = Personal::new();
    let kept = [
        "journal/daily/1999-01-01.md",
        "journal/daily/2026-05-17.md",
        "journal/monthly/1999-01.md",
        "journal/weekly/notes.md",
        "journal/weekly/2026-W60.md",
        "journal/agent.md",
        "knowledge/repos/lore/overview.md",
        "state/inbox/1999-01-01-call.md",
        "state/activity/github.md",
        "plans/projects/lore.md",
    ];
    for path in kept.iter().filter(|path| **path != "journal/agent.md") {
        vault.write(path, &DAY.replace("2026-05-17", "1999-01-01"));
        vault.set_mtime(path, "1999-01-02T00:00:00Z");
    }
    let before = vault.files();
    let done = run_retention(&mut vault, "2126-05-18T12:00:00Z");
    assert_eq!((&done["expired"], &done["rolled_up"]), (&json!([]), &json!([])), "{done}");
    assert!(vault.files() == before, "no file changes in a hundred years");
}

/// Returns a section of the agent's journal for a week of 2026 or a month from 2024 on.
fn section(kind: &str, number: usize, text: &str) -> String {
    match kind {
        "Weekly" => format!("## Weekly 2026-W{number:02}\n\n{text}\n\n"),
        _ => format!("## Monthly {}-{:02}\n\n{text}\n\n", 2024 + (number - 1) / 12, (number - 1) % 12 + 1),
    }
}

#[test]
fn agent_journal_keeps_twelve_weeks_and_twenty_four_months() {
    let mut vault = Personal::new();
    let head = vault.text("journal/agent.md") + "\n## About mail\n\nAsk first.\n\n";
    let weeks = |from: usize| (from..=14).map(|week| section("Weekly", week, "w")).collect::<String>();
    let months = |from: usize| (from..=26).map(|month| section("Monthly", month, "m")).collect::<String>();
    vault.write("journal/agent.md", &format!("{head}{}{}", weeks(1), months(1)));
    let done = run_retention(&mut vault, NOON);
    let gone = ["Weekly 2026-W01", "Weekly 2026-W02", "Monthly 2024-01", "Monthly 2024-02"];
    assert_eq!(done["rolled_up"], json!([{ "path": "journal/agent.md", "sections": gone }]));
    let rolled = format!("{head}{}{}", weeks(3), months(3));
    assert_eq!(vault.text("journal/agent.md"), rolled);
    assert_eq!(run_retention(&mut vault, NOON)["rolled_up"], json!([]));
    assert_eq!(vault.text("journal/agent.md"), rolled, "no further change");
    // Weeks are ordered by name, not by position.
    vault.run(&["edit", "journal/agent", "--append", "## Weekly 2025-W50\n\nLate."]).ok();
    run_retention(&mut vault, NOON);
    assert_eq!(vault.text("journal/agent.md").trim_end(), rolled.trim_end());
}

#[test]
fn later_section_of_the_same_week_is_kept() {
    let mut vault = Personal::new();
    let head = vault.text("journal/agent.md");
    let twice = |kind: &str, number| section(kind, number, "old") + &section(kind, number, "new");
    vault.write("journal/agent.md", &format!("{head}\n{}{}", twice("Weekly", 5), twice("Monthly", 5)));
    let done = run_retention(&mut vault, NOON);
    assert_eq!(done["rolled_up"][0]["sections"], json!(["Weekly 2026-W05", "Monthly 2024-05"]));
    let kept = section("Weekly", 5, "new") + &section("Monthly", 5, "new");
    assert_eq!(vault.text("journal/agent.md"), format!("{head}\n{kept}"));
}

#[test]
fn long_section_is_a_warning_and_not_cut() {
    let mut vault = Personal::new();
    let long = section("Weekly", 5, &"word ".repeat(800));
    vault.write("journal/agent.md", &format!("# Agent journal\n\n{long}"));
    vault.run(&["sync"]).ok();
    let done = vault.run(&["retention", "run"]).exits(0).json();
    let bytes = long.trim_end().len();
    let warning = format!(
        "journal/agent.md: the section \"Weekly 2026-W05\" has {bytes} bytes, which is more than 4000"
    );
    assert_eq!(done["warnings"], json!([warning]));
    assert_eq!(vault.text("journal/agent.md"), format!("# Agent journal\n\n{long}"));
    vault.write("journal/agent.md", "");
    assert_eq!(run_retention(&mut vault, "2126-05-18T12:00:00Z")["expired"], json!([]));
    assert_eq!(vault.text("journal/agent.md"), "", "an empty journal is still there");
}

/// Returns the number of snapshots of a page.
#[track_caller]
fn snapshots(vault: &Personal, path: &str) -> usize {
    let history = vault.run(&["history", path]);
    assert!(history.code <= 1, "{history:?}");
    // A deleted page without snapshots is unknown.
    if history.code == 1 {
        return 0;
    }
    history.json()["snapshots"].as_array().expect("snapshots").len()
}

#[test]
fn snapshots_expire_after_thirty_days() {
    let mut vault = Personal::new();
    vault.put("identity/profile", "# One\n").ok();
    vault.put("identity/profile", "# Two\n").ok();
    vault.at("2026-06-01T12:00:00Z").put("identity/profile", "# Three\n").ok();
    vault.put("state/scratch/sums", "# Sums\n").ok();
    vault.run(&["rm", "state/scratch/sums", "--yes"]).ok();
    assert_eq!(run_retention(&mut vault, "2026-06-10T12:00:00Z")["snapshots"], json!(0));
    assert_eq!(run_retention(&mut vault, "2026-06-17T11:59:59Z")["snapshots"], json!(0));
    assert_eq!(snapshots(&vault, "identity/profile"), 3);
    assert_ne!(run_retention(&mut vault, "2026-06-17T12:00:01Z")["snapshots"], json!(0));
    assert_eq!(snapshots(&vault, "identity/profile"), 1, "the snapshot of June 1 is younger");
    assert_eq!(snapshots(&vault, "state/scratch/sums.md"), 1);
    run_retention(&mut vault, "2026-06-24T12:00:01Z");
    run_retention(&mut vault, "2026-07-01T12:00:01Z");
    assert_eq!(snapshots(&vault, "identity/profile"), 0);
    assert_eq!(snapshots(&vault, "state/scratch/sums.md"), 0, "snapshots of deleted pages expire too");
    assert_eq!(vault.text("identity/profile.md"), "# Three\n");
}

#[test]
fn expired_snapshots_are_counted_when_a_file_expires_too() {
    let mut vault = Personal::new();
    vault.put("identity/profile", "# One\n").ok();
    vault.put("journal/weekly/2024-W20", "# Week\n").ok();
    vault.at("2026-06-28T12:00:00Z").put("identity/health", "# Health\n").ok();
    let done = run_retention(&mut vault, "2026-07-01T12:00:00Z");
    assert_eq!(
        (&done["expired"], snapshots(&vault, "identity/profile")),
        (&json!(["journal/weekly/2024-W20.md"]), 0)
    );
    assert_ne!(done["snapshots"], json!(0), "the deleted snapshot must be counted: {done}");
}

#[test]
fn expired_file_can_be_restored_for_thirty_days() {
    let mut vault = Personal::new();
    vault.put("journal/weekly/2024-W20", "# Week\n\nKept.\n").ok();
    assert_eq!(run_retention(&mut vault, NOON)["expired"], json!(["journal/weekly/2024-W20.md"]));
    let history = vault.run(&["history", "journal/weekly/2024-W20.md"]).ok().json();
    let number = history["snapshots"][0]["snapshot"].to_string();
    vault.run(&["restore", "journal/weekly/2024-W20.md", "--at", &number]).ok();
    assert_eq!(vault.text("journal/weekly/2024-W20.md"), "# Week\n\nKept.\n");
}
