//! `lore check` and the contradiction guard of writes.

use std::path::Path;

use serde_json::{Value, json};

use crate::check_set::{Outcome, accuracy, cases, table};
use crate::ending_set::{ENDINGS, HELD_OUT, sentences};
use crate::git_support::{GitVault, node};
use crate::sandbox::{LORE, Sandbox};

#[test]
fn labelled_set_has_no_missed_or_false_findings() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let outcomes: Vec<Outcome> =
        cases().iter().map(|case| case.run(Path::new(LORE), folder.path())).collect();
    let quiet = outcomes.iter().filter(|outcome| outcome.expected.is_empty()).count();
    assert!(outcomes.len() >= 60 && quiet * 2 >= outcomes.len(), "{quiet} of {} are quiet", outcomes.len());
    println!("{}", table("labelled vaults", &outcomes));
    let wrong: Vec<String> = outcomes.iter().filter_map(Outcome::wrong).collect();
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The held-out sentences are reported by their score only, so that nobody adjusts the grammar to one of them.
#[test]
fn stated_endings_are_told_from_other_prose() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let mut outcomes = sentences(ENDINGS, Path::new(LORE), folder.path());
    let wrong: Vec<String> = outcomes.iter().filter_map(Outcome::wrong).collect();
    println!("{}\n{}", table("sentences", &outcomes), wrong.join("\n"));
    let held_out = sentences(HELD_OUT, Path::new(LORE), folder.path());
    println!("{}", table("held-out sentences", &held_out));
    outcomes.extend(held_out);
    let (precision, recall) = accuracy(&outcomes);
    assert!(precision >= 0.98 && recall >= 0.9, "precision {precision:.3}, recall {recall:.3}");
}

/// Creates a vault in which Ada has two roles and has left a company whose relation is still open.
fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/ada.md", ADA);
    sandbox.write("companies/brex.md", "# Brex\n");
    sandbox
}

const ADA: &str =
    "# Ada\n- works_at [[Brex]] {2018..}\n- role:: CEO\n- role:: CTO\n\nAda left Brex in 2025.\n";

#[track_caller]
fn check(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    sandbox.run(&[&["check"], arguments].concat()).ok().json()
}

#[track_caller]
fn ids(answer: &Value) -> Vec<String> {
    let findings = answer["findings"].as_array().expect("findings");
    findings.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn finding_names_both_lines() {
    let sandbox = vault();
    let answer = check(&sandbox, &["--type", "cross_page"]);
    let mut finding = answer["findings"][0].clone();
    finding.as_object_mut().expect("an object").remove("id");
    let place = |line: u32, text: &str| json!({ "path": "people/ada.md", "slug": "people/ada", "line": line, "text": text });
    assert_eq!(
        finding,
        json!({
            "type": "cross_page",
            "kind": "two_values",
            "subject": "people/ada",
            "message": "Ada has two values of `role` at the same time: \"CEO\" and \"CTO\"",
            "places": [place(3, "- role:: CEO"), place(4, "- role:: CTO")],
        })
    );
    let human = sandbox.run(&["check", "--format", "human"]).ok().text();
    for part in [
        "people/ada.md:6  Ada left Brex in 2025.",
        "people/ada.md:2  - works_at [[Brex]] {2018..}",
        "2 findings",
    ] {
        assert!(human.contains(part), "{part:?} is not in: {human}");
    }
}

#[test]
fn check_covers_one_page_or_all() {
    let sandbox = vault();
    sandbox.write("b.md", "- role:: x\n- role:: y\n");
    let all = ids(&check(&sandbox, &[]));
    assert_eq!((all.len(), ids(&check(&sandbox, &["--all"]))), (3, all.clone()));
    assert_eq!(ids(&check(&sandbox, &["ada"])).len(), 2);
    assert_eq!(ids(&check(&sandbox, &["companies/brex"])), [""; 0]);
    assert_eq!(ids(&check(&sandbox, &["ada", "--type", "temporal"])).len(), 1);
    assert_eq!(ids(&check(&sandbox, &["--type", "stale"])), [""; 0]);
    sandbox.run(&["check", "nobody"]).exits(1).says("no page matches");
    sandbox.run(&["check", "--type", "other"]).exits(2);
}

#[test]
fn open_findings_fail_only_with_strict() {
    let sandbox = vault();
    sandbox.run(&["check", "--strict"]).exits(4);
    for id in ids(&check(&sandbox, &[])) {
        check(&sandbox, &["--resolve", &id]);
    }
    sandbox.run(&["check", "--strict"]).exits(0);
    sandbox.write("people/ada.md", "# Ada\n");
    sandbox.run(&["check", "--strict"]).ok();
}

#[test]
fn resolved_findings_stay_resolved_until_their_lines_change() {
    let sandbox = vault();
    let id = ids(&check(&sandbox, &["--type", "cross_page"])).remove(0);
    let resolved = check(&sandbox, &["--resolve", &id[..6].to_uppercase()]);
    assert_eq!(resolved["findings"][0]["resolved"]["by"], "tester");
    let open = || ids(&check(&sandbox, &["--type", "cross_page"]));
    assert_eq!(open(), [""; 0]);
    assert_eq!(
        ids(&check(&sandbox, &["--type", "cross_page", "--include-resolved"])),
        std::slice::from_ref(&id)
    );
    assert_eq!(check(&sandbox, &[])["resolved"], 1);

    // Other lines move and change; these two stay.
    sandbox.write(
        "people/ada.md",
        ADA.replace("# Ada\n", "# Ada\n\nNew words above.\n\n").replace("- role:: CEO", "-  role:: CEO "),
    );
    assert_eq!(open(), [""; 0]);
    sandbox.run(&["mv", "people/ada", "persons/ada"]).exits(0);
    assert_eq!(open(), [""; 0]);
    sandbox.run(&["sync", "--full"]).ok();
    assert_eq!(open(), [""; 0]);

    sandbox.write("persons/ada.md", ADA.replace("CTO", "CFO"));
    let other = open();
    assert!(other.len() == 1 && other[0] != id, "{other:?}");
    sandbox.write("persons/ada.md", ADA);
    assert_eq!(open(), [""; 0], "the lines are those that were resolved");
}

#[test]
fn ids_survive_a_database_rebuild() {
    let sandbox = vault();
    let before = check(&sandbox, &[]);
    std::fs::remove_dir_all(sandbox.root.join("home")).expect("the home directory");
    sandbox.trust_in("home");
    sandbox.write("lore.toml", "name = \"v\"\n");
    assert_eq!(sandbox.run(&["check"]).exits(0).json(), before);
}

#[test]
fn ambiguous_ids_are_refused() {
    let sandbox = vault();
    sandbox.run(&["check", "--resolve", "zzz"]).exits(1).says("no finding with id");
    sandbox.run(&["check", "--resolve", ""]).exits(1);
    for number in 0..20 {
        sandbox.write(&format!("n{number}.md"), format!("- role:: a{number}\n- role:: b{number}\n"));
    }
    let all = ids(&check(&sandbox, &[]));
    let first = |id: &String| id[..1].to_owned();
    let shared = all.iter().map(first).find(|one| all.iter().filter(|id| first(id) == *one).count() > 1);
    sandbox
        .run(&["check", "--resolve", &shared.expect("22 ids and 16 digits")])
        .exits(2)
        .says("use a longer id");
    assert_eq!(ids(&check(&sandbox, &[])).len(), 22, "nothing was resolved");
}

/// Creates a `roam` vault with a user-stated owner of Brex.
fn guarded() -> GitVault {
    let vault = GitVault::with_profile("roam");
    let stated = node(1, "Brex", "- owner:: Pedro").replace("observed", "user-stated");
    vault.put("brex", &stated).ok();
    vault
}

#[test]
fn contradiction_of_equal_authority_marks_both_pages() {
    let vault = guarded();
    let head = vault.head();
    let ran = vault.put("meeting", &node(2, "Meeting", "- Brex | owner:: Henrique")).exits(0);
    let answer = ran.json();
    let warning = answer["warnings"][0].as_str().expect("a warning");
    for part in ["meeting.md:17 `owner:: Henrique`", "brex.md:17 `owner:: Pedro`", "both pages are marked"] {
        assert!(warning.contains(part), "{part:?} is not in {warning:?}");
    }
    assert_eq!(answer["also"], json!(["brex"]));
    for (path, marked) in [("meeting.md", true), ("brex.md", true)] {
        assert_eq!(vault.read(path).contains("status: contested"), marked, "{path}");
    }
    assert!(vault.read("meeting.md").contains("- contradicts [[Brex]]\n"), "{}", vault.read("meeting.md"));
    assert!(!vault.read("brex.md").contains("contradicts"));
    assert_eq!(vault.subjects_since(&head).len(), 1, "one commit");
    assert_eq!(vault.files_of("HEAD"), ["M brex.md", "M index.md", "A meeting.md"]);
    vault.lore(&["lint"]).ok();

    // Nothing is marked or added twice.
    let again = vault.lore(&["edit", "meeting", "--append", "More."]).ok();
    assert!(again.json().get("warnings").is_none(), "{again:?}");
    assert_eq!(vault.read("meeting.md").matches("contradicts").count(), 1);
}

#[test]
fn every_write_operation_is_guarded() {
    let vault = guarded();
    vault.put("meeting", &node(2, "Meeting", "Text.")).ok();
    vault.lore(&["edit", "meeting", "--append", "- Brex | owner:: Henrique"]).exits(0);
    assert!(vault.read("brex.md").contains("status: contested"));
    let vault = guarded();
    let captured =
        vault.lore(&["capture", "- Brex | owner:: Henrique", "--title", "Heard", "--keep"]).exits(0);
    assert!(captured.text().contains("both pages are marked"), "{captured:?}");
    assert!(vault.read("brex.md").contains("status: contested"));
}

#[test]
fn contradicted_page_of_less_authority_is_only_reported() {
    let vault = GitVault::with_profile("roam");
    vault.put("brex", &node(1, "Brex", "- owner:: Pedro").replace("observed", "external")).ok();
    let ran = vault.put("meeting", &node(2, "Meeting", "- Brex | owner:: Henrique")).exits(0);
    let warning = ran.json()["warnings"][0].as_str().expect("a warning").to_owned();
    assert!(warning.contains("has higher authority than brex.md:17"), "{warning}");
    for path in ["brex.md", "meeting.md"] {
        assert!(vault.read(path).contains("status: current"), "{path}");
    }
    // Who recorded a fact outranks how its page was learnt.
    let vault = GitVault::with_profile("roam");
    vault.put("brex", &node(1, "Brex", "- owner:: Pedro (by: manual)").replace("observed", "external")).ok();
    vault.put("meeting", &node(2, "Meeting", "- Brex | owner:: Henrique")).exits(0);
    assert!(vault.read("brex.md").contains("status: contested"));
}

#[test]
fn guard_ignores_compatible_facts() {
    let vault = guarded();
    let quiet = |slug: &str, number: u32, body: &str| {
        let ran = vault.put(slug, &node(number, &format!("Node {number}"), body)).ok();
        assert!(ran.json().get("warnings").is_none(), "{body}: {ran:?}");
    };
    quiet("same", 2, "- Brex | owner:: pedro.");
    quiet("past", 3, "- Brex | owner:: Ann {2010..2012}");
    quiet("future", 4, "- Brex | owner:: Ann {2030..}");
    quiet("many", 5, "- Brex | knows:: Ann");
    quiet("another", 6, "- Acme | owner:: Ann");
    quiet("newer", 7, "- supersedes [[Brex]]\n- supersedes [[Node 2]]\n- Brex | owner:: Ann");
    // A superseded page does not count, whatever it says now.
    vault.lore(&["edit", "same", "--append", "- Brex | owner:: Carol"]).ok();
    // A page that changes its own value supersedes itself.
    let vault = guarded();
    let page = node(1, "Brex", "- owner:: Maria").replace("observed", "user-stated");
    vault.put("brex", &page.replace("- owner", "- owner:: Pedro {..2026-10}\n- owner")).exits(0);
    assert!(vault.read("brex.md").contains("status: current"));
}

#[test]
fn guard_is_enabled_by_policy() {
    let sandbox = Sandbox::with_vault();
    let put =
        |sandbox: &Sandbox, slug: &str, text: &str| sandbox.pipe(&["put", slug], text.as_bytes()).exits(0);
    put(&sandbox, "brex", "# Brex\n- owner:: Pedro\n");
    let ran = put(&sandbox, "meeting", "- Brex | owner:: Henrique\n");
    assert!(ran.json().get("warnings").is_none(), "{ran:?}");
    sandbox.sh("printf '[check]\\nguard = true\\n' >> lore.toml").exits(0);
    let ran = put(&sandbox, "second", "- Brex | owner:: Carol\n");
    assert_eq!(ran.json()["also"], json!(["brex", "meeting"]));
    let text = String::from_utf8(sandbox.read("second.md")).expect("text");
    assert_eq!(
        text,
        "---\nstatus: contested\n---\n- Brex | owner:: Carol\n- contradicts [[Brex]]\n- contradicts [[meeting]]\n"
    );
}

#[test]
fn guard_sees_preferences_in_prose() {
    let vault = GitVault::with_profile("roam");
    vault.put("style", &node(1, "Code style", "The user prefers tabs.")).ok();
    vault.put("editor", &node(2, "Editor", "The user prefers dark mode.")).ok().prints("\"created\"");
    let ran = vault.put("indent", &node(3, "Indentation", "The user prefers spaces.")).exits(0);
    let output = ran.text();
    assert!(output.contains("prefers spaces") && output.contains("prefers tabs"), "{output}");
    assert!(output.contains("status: contested"), "{output}");
}

/// A page that is tagged as a preference is about what is preferred: without a name, the user prefers it.
#[test]
fn guard_sees_preferences_without_a_subject() {
    let vault = GitVault::with_profile("roam");
    let preference =
        |number, title: &str, body: &str| node(number, title, body).replace("[observation]", "[preference]");
    vault.put("style", &preference(1, "Code style", "Prefers tabs.")).ok();
    vault.put("seats", &node(2, "Ada", "Prefers spaces.")).ok();
    assert!(vault.read("style.md").contains("status: current"), "Ada is somebody else");
    let ran = vault.put("indent", &preference(3, "Indentation", "Prefers spaces.")).exits(0);
    assert!(ran.text().contains("both pages are marked"), "{ran:?}");
    assert!(vault.read("style.md").contains("status: contested"));
    vault.put("mode", &preference(4, "Mode", "Prefers dark mode.")).ok();
    let ran = vault.put("screen", &preference(5, "Screen", "The user prefers light mode.")).exits(0);
    assert!(ran.text().contains("mode.md"), "{ran:?}");
}

/// In Org, only a link by id is one for org-roam.
#[test]
fn guard_links_org_pages_by_id() {
    let vault = GitVault::with_profile("roam-org");
    let capture = |text: &str| {
        vault.lore(&["capture", text, "--tag", "preference", "--keep"]).exits(0).json()["path"].clone()
    };
    capture("Ada prefers tabs.");
    let second = capture("Ada prefers spaces.");
    let text = vault.read(second.as_str().expect("a path"));
    assert!(text.contains("- CONTRADICTS [[id:") && text.contains("][Ada prefers tabs]]"), "{text}");
}

#[test]
fn supersession_cycles_are_refused_and_found() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n- supersedes [[b]]\n");
    sandbox.write("b.md", "# B\n");
    sandbox.write("c.md", "# C\n");
    sandbox.run(&["link", "b", "c", "--relationship", "supersedes"]).ok();
    sandbox
        .run(&["link", "c", "a", "--relationship", "supersedes"])
        .exits(4)
        .says("would supersede each other");
    sandbox.run(&["link", "a", "c", "--relationship", "superseded_by"]).exits(4);
    sandbox.pipe(&["put", "a", "--expected-version", "1"], b"# A\n- supersedes [[a]]\n").exits(4);
    assert_eq!(sandbox.read("c.md"), b"# C\n");
    assert_eq!(ids(&check(&sandbox, &[])), [""; 0]);
    // A hand edit is not refused, but found, and other writes to these pages are possible.
    sandbox.write("c.md", "# C\n- supersedes [[a]]\n");
    let answer = check(&sandbox, &["--type", "cross_page"]);
    assert_eq!(answer["findings"][0]["kind"], "supersession_cycle", "{answer}");
    assert_eq!(ids(&answer).len(), 1, "one finding for a cycle");
    sandbox.run(&["fact-add", "c", "role", "x"]).ok();
    sandbox.run(&["mv", "c", "d"]).ok();
}

/// The start of a job is not the age of a truth; its last change is.
#[test]
fn truth_is_as_old_as_its_text() {
    let sandbox = Sandbox::with_vault();
    let page = |text: &str| {
        format!("# Ada\n{text}\n- works_at:: Brex {{2019..}}\n\n---\n\n- **2020-06-01** | x — Met.\n")
    };
    sandbox.write("ada.md", page("Runs the lab."));
    let stale = || ids(&check(&sandbox, &["--type", "stale"])).len();
    assert_eq!(stale(), 0, "nothing says how old it is");
    sandbox.run(&["timeline-add", "ada", "--date", "2020-07-01", "--summary", "Met again"]).ok();
    assert_eq!(stale(), 0, "and adding an entry does not");
    sandbox.write("ada.md", page("As of January 5, 2020, she runs the lab."));
    assert_eq!(stale(), 0, "a text that replaces a known one is as old as the edit");
    sandbox.write("bob.md", page("As of January 5, 2020, he runs the lab."));
    assert_eq!(stale(), 1, "the truth gives its own date");
    let rewritten = page("As of January 5, 2020, he runs the laboratory.");
    sandbox.pipe(&["put", "bob", "--expected-version", "1"], rewritten.as_bytes()).exits(0);
    assert_eq!(stale(), 0, "it was rewritten after that");
}

#[test]
fn contradictions_do_not_make_a_vault_invalid() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("ada.md", "# Ada\n\n- role:: clerk {2019..}\n- role:: boss {2020..}\n");
    sandbox.sync();
    let validate = || sandbox.run(&["validate", "--all"]).ok().json();
    let found = validate();
    assert_eq!(found["problems"], json!([]), "{found}");
    let line = found["contradictions"][0].as_str().expect("a contradiction");
    assert!(line.contains("two values at the same time: clerk and boss"), "{found}");
    let id = ids(&check(&sandbox, &[])).pop().expect("a finding");
    sandbox.run(&["check", "--resolve", &id]).ok();
    assert_eq!(validate().get("contradictions"), None);
}
