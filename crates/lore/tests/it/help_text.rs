//! The help, the suggestions for mistyped commands, and `lore` without a command.

use crate::sandbox::Sandbox;

const GROUPS: [&str; 8] =
    ["Start:", "Find:", "Write:", "Knowledge:", "Vault:", "Agents:", "Machine:", "Options:"];

#[test]
fn top_level_help_is_grouped_and_fits_on_a_page() {
    let sandbox = Sandbox::empty();
    let help = sandbox.run(&["--help"]).ok().text();
    let headings: Vec<&str> = help.lines().filter(|line| line.ends_with(':')).collect();
    assert_eq!(headings, GROUPS);
    assert!(help.lines().count() <= 70, "{} lines", help.lines().count());
    let long = help.lines().find(|line| line.chars().count() > 80);
    assert_eq!(long, None, "a line does not fit in 80 columns");
    for same in [&["-h"][..], &["help"]] {
        assert_eq!(sandbox.run(same).ok().text(), help, "{same:?}");
    }
}

#[test]
fn listed_commands_have_help_with_an_example() {
    let sandbox = Sandbox::empty();
    let help = sandbox.run(&["--help"]).ok().text();
    let grouped = help.split("Start:").nth(1).and_then(|rest| rest.split("Options:").next()).expect("groups");
    let lines = grouped.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.flat_map(|line| line.split("  ").next().unwrap_or_default().split(", "));
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 60, "{names:?}");
    for name in names {
        let text = sandbox.run(&[name, "--help"]).ok().text();
        assert!(text.contains("\nExamples:\n  "), "{name}: {text}");
    }
}

/// Asserts what a command line that names no command is answered with.
#[track_caller]
fn check(line: &str, given: &str, hint: &str) {
    let arguments: Vec<&str> = line.split(' ').collect();
    let ran = Sandbox::empty().run(&arguments).exits(2);
    assert_eq!(ran.err, format!("error: unrecognized command '{given}'\nhint: {hint}\n"));
    assert_eq!(ran.text(), "");
}

#[test]
fn mistyped_commands_suggest_the_nearest() {
    check("serch x", "serch", "did you mean 'lore search'?");
    check("lsit", "lsit", "did you mean 'lore list'?");
    check("Staus --json", "Staus", "did you mean 'lore status'?");
    check("--project notes captrue x", "captrue", "did you mean 'lore capture'?");
    check("hist", "hist", "did you mean 'lore history'?");
    check("gap aprove 12", "gap aprove", "did you mean 'lore gap approve'?");
    check("help serch", "serch", "did you mean 'lore search'?");
    check("man serch", "serch", "did you mean 'lore search'?");
    check("approve 12", "approve", "did you mean 'lore gap approve'?");
    check("pull", "pull", "did you mean 'lore git pull' or 'lore model pull'?");
    check("zeppelin", "zeppelin", "run 'lore --help' for the list of commands");
    check("gap zeppelin", "gap zeppelin", "run 'lore gap --help' for the list of commands");
}

#[test]
fn former_names_run_the_command_but_are_not_shown() {
    let sandbox = Sandbox::empty();
    sandbox.run(&["init"]).ok();
    let current = sandbox.run(&["generate", "--json"]).ok().text();
    for line in [&["index", "--json"][..], &["call", "index"], &["call", "generate"]] {
        assert_eq!(sandbox.run(line).ok().text(), current, "{line:?}");
    }
    let help = sandbox.run(&["generate", "--help"]).ok().text();
    assert!(help.contains("Regenerate generated files") && !help.contains("alias"), "{help}");
    assert!(!sandbox.run(&["--help"]).ok().text().contains("index,"));
    check("indx", "indx", "run 'lore --help' for the list of commands");
}

#[test]
fn usual_synonyms_suggest_the_command() {
    for (synonym, command) in [
        ("find", "search"),
        ("grep", "search"),
        ("open", "show"),
        ("cat", "get"),
        ("read", "get"),
        ("remove", "rm"),
        ("rename", "mv"),
        ("move", "mv"),
        ("ask", "query"),
        ("log", "history"),
        ("undo", "restore"),
        ("inbox", "triage"),
        ("site", "export"),
        ("watch", "sync"),
    ] {
        check(synonym, synonym, &format!("did you mean 'lore {command}'?"));
    }
    for (line, command) in [
        ("model ls", "model list"),
        ("project rm", "project remove"),
        ("token new", "token add"),
        ("config show", "config get"),
        ("skills get", "skills show"),
        ("schema check", "schema validate"),
        ("gap close", "gap resolve"),
        ("routine start", "routine run"),
    ] {
        check(line, line, &format!("did you mean 'lore {command}'?"));
    }
    for synonym in ["new", "create", "add"] {
        check(synonym, synonym, "did you mean 'lore put' or 'lore capture'?");
    }
}

#[test]
fn hidden_commands_are_never_suggested() {
    check("hok", "hok", "run 'lore --help' for the list of commands");
    check("referenc", "referenc", "run 'lore --help' for the list of commands");
    check("search-note", "search-note", "run 'lore --help' for the list of commands");
    check("edit-notes", "edit-notes", "run 'lore --help' for the list of commands");
}

#[test]
fn bare_lore_prints_the_status_of_the_vault() {
    let sandbox = Sandbox::with_vault();
    let status = sandbox.run(&["status", "--format", "human"]).ok().text();
    let bare = sandbox.run(&["--format", "human"]).exits(0).says("run `lore --help`");
    assert_eq!(bare.text(), status);
    assert_eq!(sandbox.run(&[]).ok().json()["project"], "v");
    sandbox.run(&["--project", "missing"]).exits(5).says("missing");
}

#[test]
fn bare_lore_without_a_vault_says_how_to_begin() {
    let sandbox = Sandbox::empty();
    let text = sandbox.run(&["--format", "human"]).ok().text();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  lore ")).collect();
    assert_eq!(commands.len(), 3, "{text}");
    assert!(text.starts_with("There is no vault yet") && commands[0].starts_with("init "), "{text}");
    assert_eq!(sandbox.run(&[]).ok().json()["next"][0]["command"], "lore init ~/notes");
    sandbox.run(&["--project", "missing"]).exits(5).says("missing");
}
