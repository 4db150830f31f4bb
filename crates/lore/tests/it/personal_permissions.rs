//! The permissions of the `personal` profile, path by path: allowed operations work, others change no byte.

use crate::personal::{DAY, Personal, TODAY};
use crate::sandbox::Ran;

/// The operations of a policy rule.
const VERBS: [&str; 5] = ["create", "put", "patch", "append", "delete"];

/// What most pages allow: writes and edits.
const WRITE: &[&str] = &["create", "put", "patch", "append"];

/// What pages that may be deleted allow.
const WRITE_AND_DELETE: &[&str] = &["create", "put", "patch", "append", "delete"];

/// The word on the page before an operation, and the word it writes.
const OLD: &str = "aardvark";
const NEW: &str = "zeppelin";

/// A rule, what it allows, and some of its paths.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const STATE: &[Row] = &[
    ("map of the vault", WRITE, &["_index"]),
    ("today's page", WRITE, &["state/today"]),
    ("yesterday's page", WRITE, &["state/yesterday"]),
    ("working state", WRITE, &["state/profile-questions", "state/activity/github", "state/activity/mail"]),
    ("inbox", WRITE_AND_DELETE, &["state/inbox/2026-05-18-call", "state/inbox/Anything"]),
    ("scratch", WRITE_AND_DELETE, &["state/scratch/2026-05-18-sums", "state/scratch/inbox-2026-05-18-call"]),
    (
        "identity",
        WRITE,
        &["identity/_index", "identity/profile", "identity/new", "identity/health/sleep-log"],
    ),
];

const PLANS_AND_JOURNAL: &[Row] = &[
    ("roadmap", WRITE, &["plans/roadmap"]),
    ("list of projects", WRITE, &["plans/projects/_index"]),
    ("view of active projects", &["create", "put"], &["plans/projects/_active"]),
    ("projects", WRITE, &["plans/projects/lore"]),
    ("agent's journal", &["create", "append"], &["journal/agent"]),
    ("days", WRITE, &["journal/daily/2026-05-17"]),
    ("weeks", WRITE, &["journal/weekly/2026-W20"]),
    ("months", WRITE, &["journal/monthly/2026-04"]),
    ("days of a repository", WRITE, &["journal/repos/lore/2026-05-17"]),
];

const KNOWLEDGE: &[Row] = &[
    ("overview of a repository", WRITE, &["knowledge/repos/lore/overview"]),
    ("old repository entries", WRITE, &["knowledge/repos/legacy-registry/gone"]),
    ("lists of entities", WRITE, &["knowledge/entities/work/_index"]),
    ("entities", WRITE, &["knowledge/entities/work/meetings/kick-off"]),
    ("wiki inbox", WRITE_AND_DELETE, &["knowledge/wiki/main/00_inbox/paper"]),
    (
        "wiki sources",
        &["create"],
        &["knowledge/wiki/main/10_raw/paper", "knowledge/wiki/x/10_raw/2026/paper"],
    ),
    ("wiki pages", WRITE, &["knowledge/wiki/main/20_wiki/topic", "knowledge/wiki/main/30_outputs/report"]),
    ("wiki pages", WRITE, &["knowledge/wiki/main/90_meta/rules", "knowledge/wiki/main/_index"]),
    ("wiki log", &["create", "append"], &["knowledge/wiki/main/log/2026-05-18"]),
    ("entities", WRITE, &["knowledge/entities/travel/trips/2026-lisbon"]),
    ("list of dossiers", WRITE, &["knowledge/dossiers/_index"]),
    ("dossiers", WRITE, &["knowledge/dossiers/morning", "knowledge/dossiers/roadmap"]),
    ("dossiers", WRITE, &["knowledge/dossiers/of-my-own"]),
];

const POLICIES: &[Row] = &[
    ("policies", WRITE, &["policies/_index", "policies/management", "policies/mcp", "policies/redaction"]),
    ("policies", WRITE, &["policies/journal-format", "policies/journal-export", "policies/integrations"]),
    ("policies", WRITE, &["policies/new"]),
    ("list of captured policies", WRITE, &["policies/management-captures/_index"]),
    ("captured policies", WRITE, &["policies/management-captures/quiet-mornings"]),
    ("list of routines", WRITE, &["policies/routines/_index"]),
    ("routines", WRITE, &["policies/routines/hourly", "policies/routines/new"]),
    ("own skills", WRITE_AND_DELETE, &["policies/skills/tea/SKILL"]),
    ("own routines", WRITE_AND_DELETE, &["policies/routines/custom/water"]),
];

/// Paths that no rule covers.
const UNLISTED: &[&str] = &[
    "notes",
    "deep/er/notes",
    "identity",
    "state/other",
    "state/activity/github/issues",
    "state/scratch/box/sums",
    "plans/_index",
    "plans/other",
    "plans/projects/lore/notes",
    "journal/_index",
    "journal/other",
    "journal/agent/more",
    "journal/daily/2026/2026-05-17",
    "journal/weekly/2026/2026-W20",
    "journal/repos/_index",
    "journal/repos/lore/notes",
    "journal/repos/lore/2026/2026-05-17",
    "knowledge/_index",
    "knowledge/other",
    "knowledge/wiki/main/page",
    "knowledge/wiki/main/40_other/page",
    "knowledge/wiki/page",
    "knowledge/repos/lore/notes",
    "knowledge/repos/lore/more/overview",
    "knowledge/repos/overview",
    "knowledge/entities/work/note",
    "knowledge/entities/work/meetings/2026/kick-off",
    "knowledge/dossiers/morning/more",
    "policies/skills/tea/other",
    "policies/other/page",
    "policies/management-captures/quiet/mornings",
    "policies/routines/custom/water/more",
];

/// Returns a valid text for a path, containing a word.
fn text(path: &str, word: &str) -> String {
    let sections = |names: &[&str]| names.iter().map(|name| format!("\n## {name}\n")).collect::<String>();
    let dossier = ["Standing checklist", "Focus this period", "Open items", "Last run"];
    let roadmap = ["Annual Goals", "Quarterly Focus", "Long-term Plans", "Agent Action Plan", "Recurring"];
    match path {
        "state/today" => TODAY.replace("## User Tasks\n", &format!("## User Tasks\n\n{word}\n")),
        "state/yesterday" => text("state/today", word).replace("# Today", "# Yesterday"),
        "plans/roadmap" => format!("# Roadmap\n\n{word}\n{}", sections(&roadmap)),
        "plans/projects/lore" => format!(
            "---\ntype: project\nslug: lore\nstate: active\nowner: ada\nstart: 2026-05-01\n---\n# Lore\n\n{word}\n"
        ),
        "plans/projects/_active" => format!("# {word}\nfilters: []\n"),
        "journal/daily/2026-05-17" => DAY.replace("I shipped it.", word),
        "policies/skills/tea/SKILL" => {
            format!("---\nname: tea\ndescription: How to make tea\n---\n# Tea\n\n{word}\n")
        }
        "policies/management-captures/quiet-mornings" => {
            format!("---\ntype: capture\nstatus: active\n---\n# Quiet\n\n{word}\n")
        }
        "policies/routines/custom/water" => {
            format!("---\nschedule: \"0 10 * * *\"\n---\n# Water\n\n{word}\n")
        }
        "policies/routines/hourly" | "policies/routines/new" => format!("# R\n\n{word}\n\n## Checks\n"),
        _ if path.starts_with("knowledge/dossiers/") => format!("# D\n\n{word}\n{}", sections(&dossier)),
        _ => format!("# P\n\nBefore it.\n\n{word}\n\nAfter it.\n"),
    }
}

/// Tries an operation on a path, on a page with the old word if it needs one.
fn attempt(vault: &Personal, verb: &str, path: &str, file: &str) -> Ran {
    match verb {
        "create" if vault.find(file).is_some() => vault.remove(file),
        "create" => {}
        // On a day edited by somebody else a change is a revision, which has its own tests.
        "put" | "patch" if path == "journal/daily/2026-05-17" => {
            vault.put(path, &text(path, OLD)).ok();
        }
        _ => vault.write(file, &text(path, OLD)),
    }
    match verb {
        "create" | "put" => vault.put(path, &text(path, NEW)),
        "patch" if path == "state/today" => {
            vault.run(&["edit", path, "--section", "User Tasks", "--find", OLD, "--replace", NEW])
        }
        "append" if path == "state/today" => {
            vault.run(&["edit", path, "--section", "User Tasks", "--append", NEW])
        }
        "patch" => vault.run(&["edit", path, "--find", OLD, "--replace", NEW]),
        "append" => vault.run(&["edit", path, "--append", NEW]),
        _ => vault.run(&["rm", path, "--yes"]),
    }
}

/// Asserts the state of the file after an allowed operation.
#[track_caller]
fn assert_done(vault: &Personal, verb: &str, file: &str) {
    let found = vault.find(file);
    match verb {
        "delete" => assert_eq!(found, None, "{file} is still there"),
        _ => {
            let found = found.unwrap_or_else(|| panic!("{verb} {file}: the file does not exist"));
            assert!(found.contains(NEW), "{verb} {file}: {found}");
            assert_eq!(found.contains(OLD), verb == "append", "{verb} {file}: {found}");
        }
    }
}

/// Tries every operation on a path: allowed ones work, others are refused and change nothing.
#[track_caller]
fn check(vault: &Personal, path: &str, file: &str, allowed: &[&str], reason: &str) {
    for verb in VERBS {
        let ran = attempt(vault, verb, path, file);
        if allowed.contains(&verb) {
            assert_eq!(ran.code, 0, "{verb} {path} is allowed: {ran:?}");
            assert_done(vault, verb, file);
            continue;
        }
        let untouched = if verb == "create" { None } else { Some(text(path, OLD)) };
        assert_eq!(ran.code, 4, "{verb} {path} is not allowed: {ran:?}");
        ran.says(&format!("the policy does not allow {verb} on {file} ({reason}"));
        assert_eq!(vault.find(file), untouched, "{verb} {path} must change nothing");
    }
}

#[track_caller]
fn check_rows(rows: &[Row]) {
    let vault = Personal::new();
    for (rule, allowed, paths) in rows {
        let reason = format!("rule {rule:?} allows {})", allowed.join(", "));
        for path in *paths {
            let extension = if *path == "plans/projects/_active" { "base" } else { "md" };
            check(&vault, path, &format!("{path}.{extension}"), allowed, &reason);
        }
    }
    vault.run(&["validate", "--all"]).ok();
}

#[test]
fn identity_and_state_follow_their_rules() {
    check_rows(STATE);
}

#[test]
fn plans_and_journal_follow_their_rules() {
    check_rows(PLANS_AND_JOURNAL);
}

#[test]
fn knowledge_follows_its_rules() {
    check_rows(KNOWLEDGE);
}

#[test]
fn policies_follow_their_rules() {
    check_rows(POLICIES);
}

#[test]
fn paths_without_a_rule_are_read_only() {
    let vault = Personal::new();
    for path in UNLISTED {
        let file = format!("{path}.md");
        check(&vault, &file, &file, &[], "no rule matches it, so it is read-only)");
        assert_eq!(vault.run(&["get", &file]).ok().text(), text(path, OLD), "{path} can be read");
    }
}

#[test]
fn agent_journal_is_created_once_and_then_append_only() {
    let vault = Personal::new();
    vault.remove("journal/agent.md");
    vault.put("journal/agent", "# Agent journal\n\nBegun.\n").ok();
    assert_eq!(vault.text("journal/agent.md"), "# Agent journal\n\nBegun.\n");
    let refused = |ran: Ran| {
        ran.exits(4).says("journal/agent.md (rule \"agent's journal\" allows create, append)");
    };
    refused(vault.put("journal/agent", "# Another\n"));
    refused(vault.put("journal/agent", "# Agent journal\n\nBegun.\n\nA longer one.\n"));
    vault.run(&["edit", "journal/agent", "--append", "## Weekly 2026-W20\n\nCalm."]).ok();
    refused(vault.run(&["edit", "journal/agent", "--find", "Calm", "--replace", "Busy"]));
    refused(vault.run(&["edit", "journal/agent", "--prepend", "First."]));
    refused(vault.run(&["edit", "journal/agent", "--section", "Weekly 2026-W20", "--with", "Busy."]));
    refused(vault.run(&["edit", "journal/agent", "--set", "title=Mine"]));
    refused(vault.run(&["rm", "journal/agent", "--yes"]));
    refused(vault.run(&["mv", "journal/agent", "state/scratch/agent"]));
    let grown = "# Agent journal\n\nBegun.\n## Weekly 2026-W20\n\nCalm.\n";
    assert_eq!(vault.text("journal/agent.md"), grown);
    vault.run(&["edit", "journal/agent", "--append", "## Monthly 2026-05\n\nCalm too."]).ok();
    assert!(vault.text("journal/agent.md").starts_with(grown), "text is only appended");
}

#[test]
fn no_command_bypasses_the_rules() {
    let vault = Personal::new();
    vault.write("knowledge/wiki/page.md", "# Page\n\nSee [[state/scratch/sums]].\n");
    vault.put("state/scratch/sums", "# Sums\n").ok();
    let before = vault.files();
    for command in [
        &["tag", "knowledge/wiki/page", "seen"][..],
        &["timeline-add", "knowledge/wiki/page", "--date", "2026-05-18", "--summary", "Read"],
        &["raw", "knowledge/wiki/page", "--source", "web", "--data", "{}"],
        &["edit", "knowledge/wiki/page", "--set", "status=active"],
        &["capture", "More about it", "--extend", "knowledge/wiki/page"],
        &["call", "put", r#"{"slug": "knowledge/wiki/page", "content": "Mine"}"#],
        // A move deletes and creates, and updating links changes the pages that contain them.
        &["mv", "knowledge/wiki/page", "state/scratch/page"],
        &["mv", "identity/work", "identity/job"],
        &["mv", "state/scratch/sums", "knowledge/wiki/sums"],
        &["mv", "state/scratch/sums", "state/scratch/numbers"],
    ] {
        vault.run(command).exits(4).says("the policy does not allow ").says("nothing was changed");
        assert!(vault.files() == before, "{command:?} changed a file");
    }
}

#[test]
fn view_of_active_projects_can_be_written_and_read() {
    let vault = Personal::new();
    let view = "filters: []\n";
    vault.put("plans/projects/_active", view).ok();
    assert_eq!(vault.text("plans/projects/_active.base"), view);
    vault.put("plans/projects/_active.base", "filters: [a]\n").ok();
    assert_eq!(vault.text("plans/projects/_active.base"), "filters: [a]\n");
    for name in ["plans/projects/_active.base", "plans/projects/_active"] {
        assert_eq!(vault.run(&["get", name]).ok().text(), "filters: [a]\n", "{name}");
    }
}
