//! Tables that are read back after edits by hand, the list of active policies, activity views, mirrors, and what is
//! generated on file events.

use serde_json::json;

use crate::personal::{DAY, Personal};

#[test]
fn active_policies_are_listed_on_the_management_page() {
    let vault = Personal::new();
    vault.run(&["put", "policies/management-captures/quiet-mornings", "--template"]).ok();
    vault.run(&["put", "policies/management-captures/loud-evenings", "--template"]).ok();
    let section = |vault: &Personal| {
        let text = vault.text("policies/management.md");
        text.split_once("## C. Active policies").expect("a section").1.to_owned()
    };
    assert!(
        section(&vault).contains("- `loud-evenings`: Loud Evenings\n- `quiet-mornings`: Quiet Mornings\n"),
        "{}",
        section(&vault)
    );
    vault.run(&["edit", "policies/management-captures/loud-evenings", "--set", "status=removed"]).ok();
    assert!(!section(&vault).contains("loud-evenings"), "{}", section(&vault));
    let context = vault.run(&["context"]).ok().text();
    assert!(context.contains("`quiet-mornings`"), "{context}");
}

#[test]
fn tables_are_read_back_after_an_edit_by_hand() {
    let vault = Personal::new();
    let rows =
        |name: &str| vault.run(&["table", "show", name, "--json"]).ok().json()["tables"][0]["rows"].clone();
    assert_eq!(rows("tasks"), json!([]));
    let text = vault.text("policies/management.md");
    vault.write(
        "policies/management.md",
        &text.replace(
            "| task | when | report |\n|---|---|---|\n",
            "| task | when | report |\n|---|---|---|\n| Check Zoom | daily at 10 | today |\n",
        ),
    );
    assert_eq!(rows("tasks"), json!([{ "task": "Check Zoom", "when": "daily at 10", "report": "today" }]));
    vault.run(&["table", "set", "bindings", "Tasks", "source=Todoist", "mirror=state/today"]).ok();
    vault.run(&["table", "set", "bindings", "Tasks", "source=Things"]).ok();
    let tasks = rows("bindings").as_array().and_then(|rows| rows.last().cloned()).expect("a row");
    assert_eq!(tasks, json!({ "about": "Tasks", "source": "Things", "mirror": "state/today" }));
    vault.run(&["table", "remove", "tasks", "Check Zoom"]).ok();
    assert_eq!(rows("tasks"), json!([]));
    vault.run(&["table", "set", "integrations", "github", "mode=read", "notes=issues | pulls"]).ok();
    assert_eq!(rows("integrations")[0]["notes"], "issues | pulls");
    vault
        .run(&["table", "set", "integrations", "github", "mode=sometimes"])
        .exits(4)
        .says("is \"sometimes\", not one of off, read, ask, act");
    vault
        .run(&["table", "set", "integrations", "github", "nonsense=1"])
        .exits(2)
        .says("has no column \"nonsense\"");
    vault.run(&["table", "remove", "tasks", "none"]).exits(2).says("has no row \"none\"");
    vault.run(&["table", "show", "none"]).exits(2).says("use one of bindings, integrations, tasks");
    // A row that somebody broke by hand is reported with its line.
    vault.write(
        "policies/integrations.md",
        "# Integrations\n\n| integration | mode |\n|---|---|\n| mail | maybe |\n| mail | read |\n",
    );
    let found = vault.run(&["lint", "--json"]).exits(4).json().to_string();
    assert!(found.contains("\\\"mail\\\" occurs twice") && found.contains("is \\\"maybe\\\""), "{found}");
}

#[test]
fn activity_views_keep_ninety_days() {
    let mut vault = Personal::new();
    let text = "# GitHub\n\n- 2026-02-16: old\n- 2026-02-17: kept\n\n## 2026-01-01\n\nOld.\n\n## 2026-05-01\n\nNew.\n";
    vault.put("state/activity/github", text).ok();
    let done = vault.at("2026-05-18T12:00:00Z").run(&["retention", "run", "--json"]).ok().json();
    assert_eq!(done["rolled_up"][0]["path"], "state/activity/github.md", "{done}");
    let kept = vault.text("state/activity/github.md");
    assert_eq!(kept, "# GitHub\n\n- 2026-02-17: kept\n\n## 2026-05-01\n\nNew.\n");
}

#[test]
fn index_maps_routines_to_their_pages() {
    let vault = Personal::new();
    let index = vault.text("_index.md");
    assert!(index.contains("| Routine | Reads |"), "{index}");
    assert!(
        index.contains("| weekly | `policies/routines/weekly`, `knowledge/dossiers/weekly`, `plans/roadmap`"),
        "{index}"
    );
    vault.put("policies/routines/custom/water", "---\nschedule: \"0 10 * * *\"\n---\n# Water\n").ok();
    assert!(vault.text("_index.md").contains("| custom/water | `policies/routines/custom/water`"));
}

#[test]
fn journal_is_mirrored_by_its_rules() {
    let vault = Personal::new();
    vault
        .put("journal/daily/2026-05-17", &DAY.replace("I shipped it.", "I shipped it.\nMy salary rose."))
        .ok();
    let secret = DAY
        .replace("2026-05-17", "2026-05-16")
        .replace("Sunday", "Saturday")
        .replace("type: daily", "type: daily\nno_journal_export: true");
    vault.put("journal/daily/2026-05-16", &secret).ok();
    let rules = vault.text("policies/journal-export.md");
    vault.write(
        "policies/journal-export.md",
        &rules.replace("## Always leave out\n", "## Always leave out\n\n- ## Conversations\n- salary\n"),
    );
    let out = tempfile::tempdir().expect("a directory");
    let to = out.path().join("Journal");
    let to = to.to_str().expect("UTF-8");
    let planned = vault.run(&["mirror", "journal", "--to", to, "--dry-run", "--json"]).ok().json();
    assert_eq!(planned["written"], json!(["2026-05-17.md"]));
    assert!(!std::path::Path::new(to).exists(), "a dry run writes nothing");
    let done = vault.run(&["mirror", "journal", "--to", to, "--json"]).ok().json();
    assert_eq!(
        (&done["written"], &done["kept_back"]),
        (&json!(["2026-05-17.md"]), &json!(["journal/daily/2026-05-16.md"]))
    );
    let copy = std::fs::read_to_string(format!("{to}/2026-05-17.md")).expect("a copy");
    assert!(
        copy.contains("I shipped it.") && !copy.contains("salary") && !copy.contains("Conversations"),
        "{copy}"
    );
    assert!(!std::path::Path::new(&format!("{to}/2026-05-16.md")).exists());
    assert_eq!(vault.run(&["mirror", "journal", "--to", to, "--json"]).ok().json()["unchanged"], 1);
    // A day that opts out later is removed; a copy that somebody edited is not.
    vault.write(
        "journal/daily/2026-05-17.md",
        &DAY.replace("type: daily", "type: daily\nno_journal_export: true"),
    );
    let done = vault.run(&["mirror", "journal", "--to", to, "--json"]).ok().json();
    assert_eq!(done["removed"], json!(["2026-05-17.md"]));
    std::fs::write(format!("{to}/2026-05-17.md"), "mine").expect("a file");
    let done = vault.run(&["mirror", "journal", "--to", to, "--json"]).exits(0).json();
    assert!(done["warnings"][0].as_str().is_some_and(|warning| warning.contains("left alone")), "{done}");
    vault.run(&["mirror", "none", "--to", to]).exits(2).says("use one of journal");
}

#[test]
fn brief_says_when_todays_page_was_read() {
    let vault = Personal::new();
    let context = vault.run(&["context", "--format", "human"]).ok().text();
    assert!(
        context.contains("<today path=\"state/today.md\" snapshot_at=\"2026-05-18T12:00:00+00:00\">"),
        "{context}"
    );
    assert!(context.contains("<user path=\"identity/profile.md\">"), "{context}");
}
