//! Routines of a personal vault: their briefs, their record, when they are due, and the agent's command.

use serde_json::json;

use crate::personal::{Personal, TODAY};

#[test]
fn brief_has_what_the_routine_needs() {
    let mut vault = Personal::new();
    vault.put("state/today", &TODAY.replace("## Handoff\n", "## Handoff\n\n- call Grace\n")).ok();
    vault.write("state/inbox/note.txt", "unsorted\n");
    let brief = vault.at("2026-05-19T04:00:00Z").run(&["routine", "run", "morning", "--json"]).ok().json();
    let names = |key: &str| -> Vec<(String, String)> {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let pages = brief[key].as_array().expect("pages").iter();
        pages.map(|page| (text(&page["name"]), text(&page["path"]))).collect()
    };
    let pair = |name: &str, path: &str| (name.to_owned(), path.to_owned());
    assert_eq!(
        names("injected"),
        [
            pair("user", "identity/profile.md"),
            pair("management_rules", "policies/management.md"),
            pair("today", "state/today.md")
        ]
    );
    assert_eq!(
        names("pages"),
        [
            pair("rulebook", "policies/routines/morning.md"),
            pair("dossier", "knowledge/dossiers/morning.md"),
            pair("page", "state/yesterday.md"),
            pair("page", "plans/roadmap.md")
        ]
    );
    assert_eq!(brief["handoff"], "- call Grace");
    assert_eq!(brief["inbox"], json!(["state/inbox/note.txt"]));
    assert_eq!((&brief["routine"], &brief["recorded"]), (&json!("morning"), &json!(true)));
    // The morning begins with the rollover.
    assert!(vault.text("state/today.md").contains("date: 2026-05-19\n"));
    let text = vault.run(&["routine", "run", "evening", "--dry-run", "--format", "human"]).ok().text();
    for part in
        ["<rulebook path=\"policies/routines/evening.md\">", "<dossier path", "<today path", "Changed since"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn journal_stage_has_no_management_rules_and_evening_the_whole_log() {
    let vault = Personal::new();
    let log: String = (1..=14).map(|at| format!("- {at:02}:00 step\n")).collect();
    vault.put("state/today", &TODAY.replace("## Agent Log\n", &format!("## Agent Log\n\n{log}"))).ok();
    let brief = |name: &str| vault.run(&["routine", "run", name, "--dry-run"]).ok().text();
    assert!(!brief("journal").contains("management_rules"));
    assert!(brief("journal").contains("policies/journal-format.md"));
    assert!(brief("evening").contains("01:00 step"));
    assert!(!brief("hourly").contains("01:00 step") && brief("hourly").contains("14:00 step"));
}

#[test]
fn run_is_recorded_and_the_next_one_sees_what_changed_since() {
    let mut vault = Personal::new();
    vault.run(&["routine", "run", "hourly"]).ok();
    let dossier = vault.text("knowledge/dossiers/hourly.md");
    assert!(
        dossier.contains("last_run: \"2026-05-18T12:00:00+00:00\"")
            || dossier.contains("last_run: 2026-05-18T12:00:00+00:00"),
        "{dossier}"
    );
    assert!(dossier.contains("Run at 2026-05-18T12:00:00+00:00 by agent."), "{dossier}");
    vault.put("identity/new", "# New\n").ok();
    vault.set_mtime("identity/new.md", "2026-05-18T12:30:00Z");
    vault.set_mtime("identity/work.md", "2026-05-18T10:00:00Z");
    vault.run(&["sync", "--full"]).ok();
    let brief = vault
        .at("2026-05-18T13:00:00Z")
        .run(&["routine", "run", "hourly", "--dry-run", "--json"])
        .ok()
        .json();
    assert_eq!(brief["since"], "2026-05-18T12:00:00Z");
    let changed = brief["changes"].to_string();
    assert!(changed.contains("identity/new.md") && !changed.contains("identity/work.md"), "{changed}");
    assert_eq!(brief["recorded"], json!(false), "a dry run is not recorded");
}

#[test]
fn routines_are_due_by_their_schedule() {
    let mut vault = Personal::new();
    vault
        .put(
            "policies/routines/custom/water",
            "---\nschedule: \"30 12 * * *\"\n---\n# Water\n\nWater the plants.\n",
        )
        .ok();
    let due = |vault: &mut Personal, now: &str| {
        let due = vault.at(now).run(&["routine", "due", "--json"]).ok().json()["routines"].to_string();
        due.contains("custom/water")
    };
    assert!(!due(&mut vault, "2026-05-18T12:00:00Z"), "its time has not come since the vault was created");
    assert!(due(&mut vault, "2026-05-18T12:30:00Z"), "it has never run");
    vault.at("2026-05-18T12:00:00Z");
    vault.run(&["routine", "run", "custom/water"]).ok();
    assert!(vault.text("knowledge/dossiers/custom-water.md").contains("Run at 2026-05-18T12:00:00+00:00"));
    assert!(!due(&mut vault, "2026-05-18T12:29:59Z"));
    assert!(due(&mut vault, "2026-05-18T12:30:00Z"));
    // A dossier that an agent replaced does not start it again.
    vault.at("2026-05-18T12:31:00Z").run(&["routine", "run", "custom/water"]).ok();
    vault
        .put(
            "knowledge/dossiers/custom-water",
            "# D\n\n## Standing checklist\n\n## Focus this period\n\n## Open items\n\n## Last run\n",
        )
        .ok();
    assert!(!due(&mut vault, "2026-05-18T12:40:00Z"));
    // A schedule that somebody broke by hand is reported, and never due.
    vault.write("policies/routines/custom/water.md", "---\nschedule: sometimes\n---\n# Water\n");
    assert!(!due(&mut vault, "2026-05-19T12:40:00Z"));
    let list = vault.run(&["routine", "list", "--json"]).ok().json().to_string();
    assert!(list.contains("is not a cron schedule"), "{list}");
    vault.run(&["rm", "policies/routines/custom/water", "--yes"]).ok();
    vault
        .run(&["routine", "run", "custom/water"])
        .exits(2)
        .says("no routine named \"custom/water\"")
        .says("morning");
}

#[test]
#[cfg(unix)]
fn command_gets_the_brief_and_its_failure_is_not_recorded() {
    let vault = Personal::new();
    let ran =
        vault.run(&["routine", "run", "evening", "--format", "human", "--", "grep", "-c", "<rulebook"]).ok();
    assert_eq!(ran.text(), "1\n");
    assert!(vault.text("knowledge/dossiers/evening.md").contains("Run at "));
    vault.run(&["routine", "run", "weekly", "--", "false"]).exits(5);
    assert!(vault.text("knowledge/dossiers/weekly.md").contains("Not run yet."));
    vault.run(&["routine", "run", "monthly", "--", "no-such-program-here"]).exits(2).says("cannot run");
    // Only a person at the command line names a program.
    for (operation, input) in [
        ("routine_run", r#"{"name": "evening", "command": ["touch", "x"]}"#),
        ("routine_due", r#"{"command": ["touch", "x"]}"#),
        ("service_install", r#"{"agent": ["touch", "x"], "dry_run": true}"#),
    ] {
        vault.run(&["call", operation, input]).exits(2);
    }
    assert_eq!(vault.find("x"), None);
}

#[test]
fn new_vault_waits_for_the_schedule_of_each_routine() {
    let mut vault = Personal::new();
    let due = |vault: &mut Personal, now: &str| {
        vault.at(now).run(&["routine", "due", "--json"]).ok().json()["routines"].to_string()
    };
    assert_eq!(due(&mut vault, "2026-05-18T12:00:00Z"), "[]");
    let next_day = due(&mut vault, "2026-05-19T12:00:00Z");
    assert!(next_day.contains("morning") && !next_day.contains("weekly"), "{next_day}");
    assert!(!next_day.contains("monthly"), "{next_day}");
    let later = due(&mut vault, "2026-07-02T12:00:00Z");
    assert!(later.contains("weekly") && later.contains("monthly"), "{later}");
}

#[test]
#[cfg(unix)]
fn failed_run_stays_due_and_is_shown() {
    let mut vault = Personal::new();
    vault.at("2026-05-19T12:00:00Z");
    let due = |vault: &Personal| vault.run(&["routine", "due"]).ok().json()["routines"].clone();
    let before = due(&vault);
    assert_ne!(before, json!([]));
    let failed = vault.run(&["routine", "due", "--", "false"]).exits(5).json();
    assert_eq!((&failed["failed"], &due(&vault)), (&before, &before));
    let list = vault.run(&["routine", "list", "--format", "human"]).ok().text();
    let morning = list.lines().find(|line| line.starts_with("morning")).expect("the routine");
    assert!(
        morning.ends_with(
            "last run never  due  failed 2026-05-19T12:00:00Z: the command ended with exit status 1"
        ),
        "{morning}"
    );
    vault.run(&["routine", "due", "--", "no-such-program-here"]).exits(2);
    assert_eq!(due(&vault), before);
    vault.run(&["routine", "due", "--", "true"]).ok();
    assert_eq!(due(&vault), json!([]));
    let list = vault.run(&["routine", "list", "--format", "human"]).ok().text();
    assert!(!list.contains("failed") && !list.contains("due"), "{list}");
}

#[test]
#[cfg(target_os = "linux")]
fn service_runs_due_routines_and_rebuilds_at_night() {
    let vault = Personal::new();
    let files = vault.run(&["service", "install", "--dry-run", "--", "claude", "-p"]).ok().text();
    assert!(files.contains("routine due -- claude -p\\n"), "{files}");
    assert!(files.contains("OnUnitActiveSec=5min"), "{files}");
    assert!(files.contains("OnCalendar=*-*-* 03:45:00\\n"), "{files}");
    let without = vault.run(&["service", "install", "--dry-run"]).ok().text();
    assert!(!without.contains("routine due"), "{without}");
}
