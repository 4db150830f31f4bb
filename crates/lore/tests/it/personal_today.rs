//! Today's page and the pages that are named after a date, a week or a slug: what a write may do to them.

use crate::personal::{DAY, Personal, TODAY};

/// Asserts that a text is refused at a path with this message, and that no file changes.
#[track_caller]
fn check_refused(vault: &Personal, path: &str, text: &str, words: &str) {
    let before = vault.files();
    vault.put(path, text).exits(4).says(words);
    assert!(vault.files() == before, "a refused write changed a file");
}

#[test]
fn future_date_is_refused() {
    let mut vault = Personal::new();
    let tomorrow = TODAY.replace("2026-05-18", "2026-05-19");
    check_refused(&vault, "state/today", &tomorrow, "`date` is 2026-05-19, but the day is 2026-05-18");
    vault.run(&["edit", "state/today", "--set", "date=2026-05-19"]).exits(4).says("but the day is");
    // Until four o'clock it is still the day before.
    vault.at("2026-05-19T03:59:59Z");
    check_refused(&vault, "state/today", &tomorrow, "but the day is 2026-05-18");
    vault.at("2026-05-19T04:00:00Z").put("state/today", &tomorrow).ok();
    check_refused(
        &vault,
        "journal/daily/2026-05-21",
        &DAY.replace("2026-05-17", "2026-05-21").replace("Sunday", "Thursday"),
        "but the day is",
    );
}

#[test]
fn sections_are_unique() {
    let vault = Personal::new();
    let twice = format!("{TODAY}\n## User Tasks\n");
    check_refused(&vault, "state/today", &twice, "the section `## User Tasks` occurs more than once");
    vault
        .run(&["edit", "state/today", "--section", "Handoff", "--append", "## Handoff\n"])
        .exits(4)
        .says("more than once");
}

#[test]
fn agent_log_is_append_only_for_every_verb() {
    let vault = Personal::new();
    let append =
        |entry: &str| vault.run(&["edit", "state/today", "--section", "Agent Log", "--append", entry]);
    append("- 09:00 began").ok();
    append("- 10:00 went on").ok();
    let page = vault.text("state/today.md");
    assert!(page.contains("## Agent Log\n\n- 09:00 began\n- 10:00 went on\n\n## Handoff\n"), "{page}");
    let section = &["edit", "state/today", "--section", "Agent Log"];
    let before = vault.files();
    for arguments in [
        &["--with", "- 11:00 rewritten"][..],
        &["--find", "- 09:00 began", "--replace", ""],
        &["--find", "- 09:00 began", "--replace", "- 09:00 slept"],
    ] {
        vault.run(&[section, arguments].concat()).exits(4).says("append-only").says("nothing was changed");
    }
    check_refused(&vault, "state/today", TODAY, "the section \"Agent Log\" of state/today.md is append-only");
    assert!(vault.files() == before);
    vault.put("state/today", &page.replace("- 10:00 went on\n", "- 10:00 went on\n- 11:00 done\n")).ok();
}

#[test]
fn edit_of_todays_page_names_its_section() {
    let vault = Personal::new();
    let before = vault.files();
    for arguments in [
        &["edit", "state/today", "--append", "- lost"][..],
        &["edit", "state/today", "--prepend", "- lost"],
        &["edit", "state/today", "--find", "# Today", "--replace", "# Today\n\nlost"],
        &["edit-note", "state/today", "lost"],
        &["timeline-add", "state/today", "--date", "2026-05-18", "--summary", "lost"],
        &["call", "edit", r#"{"reference": "state/today", "append": "lost"}"#],
    ] {
        vault.run(arguments).exits(4).says("must name its section: User Schedule, User Tasks, Agent Plan");
    }
    assert!(vault.files() == before);
    let json = r#"{"reference": "state/today", "section": "Agent Log", "append": "- 09:00 began"}"#;
    vault.run(&["call", "edit", json]).ok();
    vault.run(&["edit", "state/today", "--section", "User Tasks", "--append", "- [ ] one"]).ok();
    vault.run(&["edit", "state/today", "--section", "User Tasks", "--find", "[ ]", "--replace", "[x]"]).ok();
    vault.run(&["edit", "state/today", "--set", "mood=calm"]).ok();
    assert!(vault.text("state/today.md").contains("- [x] one\n"));
    // Links in any section follow a page that moves.
    vault.put("state/scratch/sums", "# Sums\n").ok();
    vault
        .run(&["edit", "state/today", "--section", "Agent Log", "--append", "- see [[state/scratch/sums]]"])
        .ok();
    vault.run(&["mv", "state/scratch/sums", "state/scratch/numbers"]).ok();
    assert!(
        vault.text("state/today.md").contains("[[state/scratch/numbers]]"),
        "{}",
        vault.text("state/today.md")
    );
}

#[test]
fn pages_match_their_file_names() {
    let vault = Personal::new();
    let project =
        "---\ntype: project\nslug: loom\nstate: active\nowner: ada\nstart: 2026-05-01\n---\n# Loom\n";
    let weekly = "---\ntype: weekly\nweek: 2026-W19\n---\n# Week\n";
    for (path, text, words) in [
        (
            "journal/daily/2026-05-16",
            DAY,
            "`date` is \"2026-05-17\", but the date in its path is \"2026-05-16\"",
        ),
        (
            "journal/daily/2026-05-17",
            &DAY.replace("Sunday", "Monday"),
            "`weekday` is \"Monday\", not the weekday of its date",
        ),
        ("journal/daily/2026-02-30", DAY, "the date in its path is \"2026-02-30\""),
        (
            "journal/daily/notes",
            "# Notes\n",
            "rule \"the name of a day, such as 2026-05-18,\" allows nothing",
        ),
        (
            "journal/weekly/2026-W20",
            weekly,
            "`week` is \"2026-W19\", but the week in its path is \"2026-W20\"",
        ),
        ("journal/weekly/2026-W60", "# Week\n", "the week in its path is \"2026-W60\", not a week"),
        ("journal/weekly/notes", "# Week\n", "rule \"the name of a week, such as 2026-W19,\" allows nothing"),
        ("journal/monthly/2026-13", "# Month\n", "the month in its path is \"2026-13\", not a month"),
        ("plans/projects/engine", project, "`slug` is \"loom\", but the slug in its path is \"engine\""),
        ("journal/repos/lore/2026-02-30", "# Day\n", "the date in its path is \"2026-02-30\""),
    ] {
        check_refused(&vault, path, text, words);
    }
    vault.put("journal/weekly/2026-W19", weekly).ok();
    vault.put("plans/projects/loom", project).ok();
    for template in ["journal/weekly/2026-W20", "journal/monthly/2026-05", "journal/daily/2026-05-17"] {
        vault.run(&["put", template, "--template"]).ok();
    }
}

#[test]
fn entities_routines_dossiers_and_captures_have_schemas() {
    let vault = Personal::new();
    for domain in ["work", "travel", "finance", "personal", "health", "learning"] {
        vault.put(&format!("knowledge/entities/{domain}/notes/tea"), "# Tea\n").ok();
    }
    for (path, text, words) in [
        (
            "knowledge/entities/cooking/notes/tea",
            "# Tea\n",
            "the domain in its path is \"cooking\", not one of work, travel",
        ),
        ("knowledge/entities/work/notes/tea", "---\ndomain: health\n---\n# Tea\n", "`domain` is \"health\""),
        ("policies/routines/evening", "# Evening\n", "the section `## Checks` is missing"),
        ("policies/routines/custom/water", "# Water\n", "the property `schedule` is missing"),
        (
            "policies/routines/custom/water",
            "---\nschedule: \"0 25 * * *\"\n---\n# Water\n",
            "`schedule` is \"0 25 * * *\", not a cron schedule",
        ),
        (
            "policies/routines/custom/water",
            "---\nschedule: daily at ten\n---\n# Water\n",
            "not a cron schedule",
        ),
        ("knowledge/dossiers/morning", "# Morning\n", "the section `## Open items` is missing"),
        ("policies/management-captures/quiet", "# Quiet\n", "the property `status` is missing"),
        (
            "policies/management-captures/quiet",
            "---\nstatus: paused\n---\n# Quiet\n",
            "`status` is \"paused\", not one of active, removed",
        ),
        (
            "policies/skills/tea/SKILL",
            "---\nname: coffee\ndescription: x\n---\n# Tea\n",
            "`name` is \"coffee\", but the name in its path is \"tea\"",
        ),
    ] {
        check_refused(&vault, path, text, words);
    }
    for path in
        ["policies/routines/custom/water", "policies/management-captures/quiet", "knowledge/dossiers/own"]
    {
        vault.run(&["put", path, "--template"]).ok();
    }
    vault.run(&["lint"]).ok();
}
