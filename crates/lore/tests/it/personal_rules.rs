//! Page schemas of a personal vault, the injected pages, and errors in its policy.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::personal::{DAY, Personal, TODAY};

/// Asserts that a text is refused at a path with this message, and that no file changes.
#[track_caller]
fn check_refused(vault: &Personal, path: &str, text: &str, words: &str) {
    let before = vault.files();
    vault.put(path, text).exits(4).says(&format!("error: {path}.md")).says(words);
    assert!(vault.files() == before, "a refused write changed a file");
}

#[test]
fn daily_page_needs_its_properties() {
    let vault = Personal::new();
    let page = "journal/daily/2026-05-17";
    let names =
        ["date", "weekday", "type", "owner", "agent_generated", "calendar_events", "messages_handled"];
    for name in names {
        let missing: String =
            DAY.split_inclusive('\n').filter(|line| !line.starts_with(&format!("{name}:"))).collect();
        check_refused(&vault, page, &missing, &format!("the property `{name}` is missing (field-missing)"));
    }
    for (line, wrong, words) in [
        ("date: 2026-05-17", "date: Sunday", "`date` is \"Sunday\", not a date such as 2026-05-24"),
        ("type: daily", "type: weekly", "`type` is \"weekly\", not one of daily"),
        ("owner: agent", "owner: ada", "`owner` is \"ada\", not one of agent"),
        ("agent_generated: true", "agent_generated: false", "`agent_generated` is \"False\", not one of"),
        ("calendar_events: 2", "calendar_events: many", "`calendar_events` is \"many\", not a whole number"),
        ("messages_handled: 5", "messages_handled: 1.5", "`messages_handled` is \"1.5\", not a whole number"),
    ] {
        check_refused(&vault, page, &DAY.replace(line, wrong), words);
    }
    // Lore sets the date of the last change, here and in every other write.
    vault.put(page, &DAY.replace("updated: 2026-05-18\n", "")).ok();
    assert!(vault.text("journal/daily/2026-05-17.md").contains("\nupdated: 2026-05-18\n"));
    check_refused(&vault, page, "No frontmatter at all.\n", "the property `date` is missing");
}

#[test]
fn refusal_lists_everything_that_is_missing() {
    let vault = Personal::new();
    let ran = vault.put("journal/daily/2026-05-17", "Nothing of a day.\n").exits(4);
    for name in ["date", "weekday", "type", "owner", "agent_generated", "calendar_events", "messages_handled"]
    {
        assert!(ran.err.contains(&format!("the property `{name}` is missing")), "{name}: {}", ran.err);
    }
    for name in ["Summary", "Schedule", "Tasks", "Conversations"] {
        assert!(ran.err.contains(&format!("the section `## {name}` is missing")), "{name}: {}", ran.err);
    }
}

#[test]
fn daily_page_needs_its_sections_in_order() {
    let vault = Personal::new();
    for name in ["Summary", "Schedule", "Tasks", "Conversations"] {
        let missing = DAY.replace(&format!("## {name}\n"), "");
        let words = format!("the section `## {name}` is missing (section-missing)");
        check_refused(&vault, "journal/daily/2026-05-17", &missing, &words);
    }
    let swapped =
        DAY.replace("## Tasks", "## X").replace("## Schedule", "## Tasks").replace("## X", "## Schedule");
    check_refused(&vault, "journal/daily/2026-05-17", &swapped, "is out of order");
    vault.put("journal/daily/2026-05-17", &DAY.replace("## Tasks", "## Weather\n\nRain.\n\n## Tasks")).ok();
    // An edit must not break it either.
    let before = vault.files();
    for edit in [&["--find", "## Tasks", "--replace", "## Jobs"][..], &["--unset", "weekday"]] {
        vault.run(&[&["edit", "journal/daily/2026-05-17"], edit].concat()).exits(4).says("is missing");
    }
    assert!(vault.files() == before);
}

#[test]
fn template_of_a_day_uses_the_date_in_its_name() {
    let vault = Personal::new();
    vault.run(&["put", "journal/daily/2026-05-17", "--template"]).ok();
    let text = vault.text("journal/daily/2026-05-17.md");
    assert!(text.starts_with("---\ndate: 2026-05-17\nweekday: Sunday\n"), "{text}");
    assert!(text.contains("\n# 2026-05-17\n"), "{text}");
}

#[test]
fn todays_page_needs_its_structure() {
    let vault = Personal::new();
    let page = "state/today";
    check_refused(&vault, page, &TODAY.replace("# Today", "# Now"), "the heading `# Today` is missing");
    check_refused(&vault, page, &TODAY.replace("date: 2026-05-18\n", ""), "the property `date` is missing");
    check_refused(&vault, page, &TODAY.replace("2026-05-18", "today"), "`date` is \"today\", not a date");
    for name in ["User Schedule", "User Tasks", "Agent Plan", "Agent Notes", "Agent Log", "Handoff"] {
        let missing = TODAY.replace(&format!("## {name}\n"), &format!("### {name}\n"));
        check_refused(&vault, page, &missing, &format!("the section `## {name}` is missing"));
    }
    let swapped = TODAY.replace("## Handoff\n", "").replace("## Agent Log", "## Handoff\n\n## Agent Log");
    check_refused(&vault, page, &swapped, "is out of order");
    vault.put(page, &TODAY.replace("## Agent Log\n", "## Agent Log\n\n- 09:00 began\n")).ok();
}

/// Returns the injected names and paths in order, the warnings, and the daily page of `lore context`.
fn context(vault: &Personal, arguments: &[&str]) -> (Value, Value, String) {
    let given = vault.run(&[&["context", "--json"], arguments].concat()).ok().json();
    let files = given["injected"].as_array().expect("files").clone();
    let today = files.last().and_then(|file| file["text"].as_str()).expect("a text").to_owned();
    let names = files.iter().map(|file| json!([file["name"], file["path"]])).collect();
    (names, given["warnings"].clone(), today)
}

#[test]
fn three_pages_are_injected_in_order() {
    let vault = Personal::new();
    let three = json!([
        ["user", "identity/profile.md"],
        ["management_rules", "policies/management.md"],
        ["today", "state/today.md"]
    ]);
    let entries =
        |from: usize| (from..=14).map(|at| format!("- {at:02}:00 step {at}\n  more\n")).collect::<String>();
    let log = |entries: &str| TODAY.replace("## Agent Log\n", &format!("## Agent Log\n\n{entries}"));
    vault.put("state/today", &log(&entries(1))).ok();
    let cut = log(&format!("(4 earlier entries left out)\n{}", entries(5)));
    assert_eq!(context(&vault, &[]), (three.clone(), json!([]), cut));
    assert_eq!(context(&vault, &["--whole"]), (three.clone(), json!([]), log(&entries(1))));
    vault.write("state/today.md", &log(&entries(5)));
    assert_eq!(context(&vault, &[]), (three.clone(), json!([]), log(&entries(5))), "ten entries are not cut");

    let full = |bytes: usize| "# Management\n".to_owned() + &"x".repeat(bytes - "# Management\n".len());
    vault.put("policies/management", &full(32768)).ok();
    assert_eq!(context(&vault, &[]).0, three, "a page at its limit is injected");
    vault.put("policies/management", &full(32769)).ok();
    let without = json!([["user", "identity/profile.md"], ["today", "state/today.md"]]);
    let warning = "policies/management.md is not injected: 32769 bytes exceed the limit of 32768";
    for arguments in [&[][..], &["--whole"]] {
        let (names, warnings, _) = context(&vault, arguments);
        assert_eq!((names, warnings), (without.clone(), json!([warning])), "{arguments:?}");
    }
}

#[track_caller]
fn check_doctor(vault: &Personal, path: &str, expected: Expect) {
    expected.assert_eq(&vault.run(&["doctor", "--path", path, "--format", "human"]).ok().text());
}

#[test]
fn doctor_explains_a_path() {
    let vault = Personal::new();
    check_doctor(
        &vault,
        "journal/agent",
        expect![[r#"
        ok       rule: agent's journal
        ok       allowed: create, append
        ok       owner: agent
        ok       retention: forever
        ok       type: journal
    "#]],
    );
    check_doctor(
        &vault,
        "journal/daily/2026-05-17",
        expect![[r#"
        ok       rule: days
        ok       allowed: create, put, patch, append
        ok       owner: agent
        ok       schema: daily
        ok       retention: forever
        ok       a write after a foreign edit is added as a revision
        ok       type: daily
    "#]],
    );
    check_doctor(
        &vault,
        "today.md",
        expect![[r#"
            ok       today.md is an old name of state/today.md
            ok       rule: today's page
            ok       allowed: create, put, patch, append
            ok       owner: agent
            ok       schema: today
            ok       retention: until the daily rollover at 04:00
            ok       type: today
            ok       injected into every agent's context
            ok       generated by Lore, as a whole or between markers
        "#]],
    );
    check_doctor(
        &vault,
        "knowledge/wiki/main/page",
        expect![[r#"
        ok       no rule matches knowledge/wiki/main/page; allowed: nothing
        ok       type: wiki
    "#]],
    );
    check_doctor(
        &vault,
        "knowledge/entities/work/_index",
        expect![[r#"
        ok       rule: lists of entities
        ok       allowed: create, put, patch, append
        ok       owner: both
        ok       schema: domain
        ok       retention: forever
        ok       type: entity
        ok       generated by Lore, as a whole or between markers
    "#]],
    );
    check_doctor(
        &vault,
        "state/scratch/2026-05-18-sums",
        expect![[r#"
        ok       rule: scratch
        ok       allowed: create, put, patch, append, delete
        ok       owner: agent
        ok       retention: 48 hours
        ok       type: scratch
    "#]],
    );
}

/// Asserts that a policy with one line changed is refused by every command, naming that line.
#[track_caller]
fn check_policy(vault: &Personal, line: &str, wrong: &str, words: &str) {
    let good = vault.text("lore.toml");
    let number = good.lines().position(|found| found == line).expect(line) + 1;
    vault.policy(&format!("\n{line}\n"), &format!("\n{wrong}\n"));
    let before = vault.files();
    for command in [&["status"][..], &["edit", "identity/profile", "--append", "More."], &["rotate"]] {
        vault.run(command).exits(5).says(&format!("/lore.toml:{number}: ")).says(words);
    }
    assert!(vault.files() == before, "{wrong}: a file was changed");
    vault.write("lore.toml", &good);
}

#[test]
fn invalid_policy_is_refused_with_its_line() {
    let vault = Personal::new();
    let verbs = "allow = [\"create\", \"put\", \"patch\", \"append\"]";
    for (line, wrong, words) in [
        ("unmatched = \"read-only\"", "unmatchd = \"read-only\"", "unknown field `unmatchd`"),
        ("unmatched = \"read-only\"", "unmatched = \"closed\"", "unknown variant `closed`"),
        (
            verbs,
            "allow = [\"create\", \"write\"]",
            "unknown variant `write`, expected one of `create`, `put`",
        ),
        ("paths = [\"plans/roadmap\"]", "paths = [\"plans/[roadmap\"]", "plans/[roadmap"),
        (
            "paths = [\"plans/roadmap\"]",
            "paths = [\"../roadmap\"]",
            "not a pattern of paths inside the vault",
        ),
        (
            "schema = \"roadmap\"",
            "schema = \"road\"",
            "unknown schema \"road\"; known schemas: capture, daily, domain, dossier,",
        ),
        ("keep = \"48 hours\"", "keep = \"soon\"", "\"soon\" is not an age"),
        ("make = \"files\"", "make = \"magic\"", "unknown variant `magic`"),
        ("last = 10", "last = \"ten\"", "invalid type: string \"ten\""),
    ] {
        check_policy(&vault, line, wrong, words);
    }
    vault.run(&["status"]).ok();
}

#[test]
fn invalid_times_are_refused_with_their_line() {
    let vault = Personal::new();
    check_policy(&vault, "day_begins = 4", "day_begins = 24", "24 is not an hour from 0 to 23");
    let zone = "# time_zone = \"Europe/Berlin\"    # default: the system's";
    check_policy(&vault, zone, "time_zone = \"Europe/Atlantis\"", "unknown time zone \"Europe/Atlantis\"");
}
