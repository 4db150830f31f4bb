//! Invalid configuration is an error naming file and line; valid configuration follows the order of precedence.

use std::fs;

use crate::sandbox::Sandbox;

#[track_caller]
fn refused(sandbox: &Sandbox, file: &str, line: usize, part: &str, exit: i32) {
    let place = format!("{}:{line}: ", sandbox.root.join(file).display());
    let ran = sandbox.run(&["status"]).exits(exit).says(&format!("error: {place}")).says(part);
    assert!(ran.err.contains("\nhint: "), "{}", ran.err);
}

#[test]
fn broken_config_error_names_file_and_line() {
    let sandbox = Sandbox::with_vault();
    let good = fs::read_to_string(sandbox.root.join("home/config.toml")).expect("made by init");
    let config = |text: &str| fs::write(sandbox.root.join("home/config.toml"), text).expect("a file");
    for (text, line) in [("a = [\n", 1), ("# ok\n\nformat = human\n", 3), ("x = 1\nx = 2\n", 2), ("[p\n", 1)]
    {
        config(text);
        refused(&sandbox, "home/config.toml", line, "", 2);
        sandbox.run(&["config", "set", "format", "json"]).exits(2);
        assert_eq!(fs::read_to_string(sandbox.root.join("home/config.toml")).expect("kept"), text);
    }
    fs::write(sandbox.root.join("home/config.toml"), b"\xff\xfe").expect("a file");
    sandbox.run(&["status"]).exits(2).says("config.toml");
    config(&good);
    sandbox.run(&["status"]).ok();
}

#[test]
fn broken_policy_error_names_file_and_line() {
    let sandbox = Sandbox::with_vault();
    for (text, line, part) in [
        ("profile = \"notes\"\ncolour = \"red\"\n", 2, "colour"),
        ("profile = \"zoo\"\n", 1, "zoo"),
        ("\n\n[limits]\npage_bytes = \"many\"\n", 4, "string"),
        ("[limits]\npages = 3\n", 2, "pages"),
        ("profile =\n", 1, ""),
    ] {
        sandbox.write("lore.toml", text);
        refused(&sandbox, "v/lore.toml", line, part, 5);
    }
    sandbox.write("lore.toml", "");
    sandbox.run(&["status"]).ok();
}

#[test]
fn unknown_settings_are_refused_with_a_list_of_known_ones() {
    let sandbox = Sandbox::with_vault();
    for command in
        [&["config", "get", "colour"][..], &["config", "set", "colour", "x"], &["config", "unset", "colour"]]
    {
        sandbox.run(command).exits(2).says("unknown setting \"colour\"").says("hint: known settings: db, ");
    }
    for (key, value) in
        [("format", "xml"), ("search.limit", "-1"), ("search.limit", "x"), ("watch.debounce_ms", "")]
    {
        sandbox.run(&["config", "set", key, "--", value]).exits(2).says("invalid value");
    }
    let kept = sandbox.run(&["config", "list"]).ok().text();
    assert!(!kept.contains("\"default\":false"), "{kept}");
}

#[test]
fn flag_overrides_variable_overrides_setting() {
    let sandbox = Sandbox::with_vault();
    for name in ["one", "two", "three"] {
        sandbox.run(&["init", &format!("../{name}"), "--no-git"]).ok();
        fs::write(sandbox.root.join(name).join(format!("{name}.md")), name).expect("a page");
    }
    sandbox.run(&["config", "set", "default_project", "one"]).ok();
    for (script, expected) in [
        ("lore list --format brief", "one\n"),
        ("LORE_PROJECT=two lore list --format brief", "two\n"),
        ("LORE_PROJECT=two lore --project three list --format brief", "three\n"),
        ("LORE_PROJECT= lore list --format brief", "one\n"),
        ("LORE_FORMAT=brief lore list", "one\n"),
        ("LORE_FORMAT=human lore list --format brief", "one\n"),
        ("lore config set format human > /dev/null; LORE_FORMAT=brief lore list", "one\n"),
        ("lore config set format brief > /dev/null; lore list", "one\n"),
    ] {
        assert_eq!(sandbox.sh(&format!("cd .. && {script}")).ok().text(), expected, "{script}");
    }
    sandbox.sh("LORE_FORMAT=xml lore list").exits(2).says("LORE_FORMAT is \"xml\", which is not a format");
    sandbox.sh("cd .. && LORE_PROJECT=four lore list").exits(5).says("one, three, two, v");
}

#[test]
fn search_limit_setting_applies() {
    let sandbox = Sandbox::with_vault();
    (0..9).for_each(|number| sandbox.write(&format!("{number}.md"), "zeppelin"));
    let config = sandbox.root.join("home/config.toml");
    let text = fs::read_to_string(&config).expect("made by init");
    fs::write(&config, format!("{text}\n[search]\nlimit = 4   # few\n")).expect("a file");
    assert_eq!(sandbox.search("zeppelin").len(), 4);
}
