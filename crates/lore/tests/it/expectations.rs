//! `lore test`: a vault checked against its expectations.

use std::fs;

use serde_json::Value;

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;

const FILE: &str = "expectations.toml";

fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "people/ada.md",
        "# Ada\n\nMet Charles at a party.\n\n- lives_in:: London {1835..1840}\n- lives_in:: Paris {1841..}\n",
    );
    sandbox.write("people/charles.md", "# Charles\n\nDesigns engines.\n");
    sandbox.write("old/prices.md", "# Prices of 1830\n\nAn engine costs ten pounds.\n");
    sandbox
}

fn failures(run: &Value) -> Vec<String> {
    let results = run["results"].as_array().expect("results").iter();
    results.filter_map(|one| one["failure"].as_str()).map(str::to_owned).collect()
}

#[test]
fn questions_and_facts_that_hold_pass() {
    let sandbox = vault();
    let text = "top = 2\n\n[[question]]\nask = \"who met Charles at a party?\"\npage = \"Ada\"\nnot = \"old/prices\"\n\n[[question]]\nask = \"engines\"\npage = [\"people/charles\"]\nmode = \"lexical\"\ntop = 1\n\n[[fact]]\nsubject = \"people/ada\"\npredicate = \"lives_in\"\nvalue = \"london\"\nnot = \"Paris\"\nas_of = \"1838\"\n\n[[fact]]\nsubject = \"Ada\"\npredicate = \"lives_in\"\nvalue = \"Paris\"\n";
    sandbox.write(FILE, text);
    let run = sandbox.run(&["test"]).ok().json();
    assert_eq!((&run["passed"], &run["failed"]), (&4.into(), &0.into()), "{run}");
    assert_eq!(sandbox.run(&["test", "--format", "human"]).ok().text(), "4 expectations, all passed\n");
    assert!(sandbox.run(&["gaps"]).exits(1).json()["gaps"].as_array().expect("gaps").is_empty());
}

#[test]
fn failures_are_reported_with_line_and_reason() {
    let sandbox = vault();
    let text = "[[question]]\nask = \"who met Charles at a party?\"\npage = \"people/ada\"\ntop = 1\n\n[[question]]\nask = \"what does an engine cost\"\nnot = \"old/prices\"\n\n[[fact]]\nsubject = \"people/ada\"\npredicate = \"lives_in\"\nvalue = \"Rome\"\n\n[[fact]]\nsubject = \"people/ada\"\npredicate = \"lives_in\"\nnot = \"Paris\"\n";
    sandbox.write(FILE, text);
    let run = sandbox.run(&["test"]).exits(1).json();
    assert_eq!((&run["passed"], &run["failed"]), (&1.into(), &3.into()), "{run}");
    let failed = failures(&run);
    assert!(failed[0].contains("old/prices must not be in the first 5 hits"), "{failed:?}");
    assert!(failed[1].contains("the value is not Rome; it is Paris"), "{failed:?}");
    assert!(failed[2].contains("must not be Paris"), "{failed:?}");
    fs::remove_file(sandbox.vault().join("people/ada.md")).expect("a page");
    let text = sandbox.run(&["test", "--format", "human"]).exits(1).text();
    assert!(
        text.starts_with("expectations.toml:1: who met Charles at a party?\n    no page \"people/ada\"\n"),
        "{text}"
    );
}

#[test]
fn page_ranked_too_low_fails() {
    let sandbox = vault();
    sandbox.write(
        FILE,
        "[[question]]\nask = \"designs engines\"\npage = [\"people/charles\", \"people/ada\"]\ntop = 1\n",
    );
    let failed = failures(&sandbox.run(&["test"]).exits(1).json());
    assert_eq!(failed, ["people/ada is not in the first 1 hits; found: people/charles"]);
}

#[test]
fn junit_report_is_valid_xml() {
    let sandbox = vault();
    let text = "[[question]]\nask = \"who says <a> & \\\"b\\\"?\"\npage = \"people/ada\"\ntop = 1\nmode = \"lexical\"\n\n[[fact]]\nsubject = \"people/ada\"\npredicate = \"lives_in\"\nvalue = \"Paris\"\n";
    sandbox.write(FILE, text);
    let report = sandbox.root.join("out/report.xml");
    sandbox.run(&["test", "--junit", &report.to_string_lossy()]).exits(1);
    let xml = fs::read_to_string(&report).expect("a report");
    let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
    assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("2"), Some("1")));
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases[0].attribute("name"), Some("who says <a> & \"b\"?"));
    assert_eq!((cases[0].attribute("line"), cases[1].attribute("line")), (Some("1"), Some("7")));
    assert!(cases[0].children().any(|node| node.has_tag_name("failure")));
    assert!(!cases[1].has_children());
}

#[test]
fn added_question_goes_through_the_write_path() {
    let vault = GitVault::with_profile("notes");
    vault.put("people/ada", "# Ada\n\nMet Charles at a party.\n").ok();
    let added = vault.lore(&["test", "--add", "who met Charles?", "Ada"]).ok().json();
    assert_eq!(added["outcome"], "created");
    let file = vault.sandbox.read(FILE);
    assert_eq!(
        String::from_utf8_lossy(&file),
        "[[question]]\nask = \"who met Charles?\"\npage = \"people/ada\"\n"
    );
    assert_eq!(vault.git(&["status", "--porcelain"]), "", "the file is committed");
    assert_eq!(vault.lore(&["test", "--add", "who met Charles?", "Ada"]).ok().json()["outcome"], "unchanged");
    vault.lore(&["test", "--add", "who was at the party?", "people/ada", "--not", "--top", "3"]).ok();
    vault.lore(&["test"]).exits(1);
    vault.lore(&["test", "--add", "who?", "people/nobody"]).exits(1).says("people/nobody");
    vault.lore(&["test", "--add", " ", "people/ada"]).exits(2);
    vault.lore(&["test", "people/ada"]).exits(2);
    let call = vault.lore(&[
        "call",
        "test",
        r#"{"add": "who went to a party?", "reference": "people/ada", "top": 1}"#,
    ]);
    assert_eq!(call.ok().json()["outcome"], "updated");
}

#[test]
fn errors_in_the_file_name_the_line_and_prevent_writes() {
    let sandbox = vault();
    sandbox.run(&["test"]).exits(2).says("has no expectations.toml").says("--add");
    for (text, line) in
        [("[[question]]\nask = 3\n", 2), ("\n[[fact]]\nsubject = \"x\"\npredicate = \"y\"\n", 2)]
    {
        sandbox.write(FILE, text);
        sandbox.run(&["test"]).exits(2).says(&format!("expectations.toml:{line}"));
        sandbox.run(&["test", "--add", "who?", "people/ada"]).exits(2).says("expectations.toml");
        assert_eq!(sandbox.read(FILE), text.as_bytes());
    }
    sandbox.write(
        FILE,
        "[[fact]]\nsubject = \"people/ada\"\npredicate = \"lives_in\"\nvalue = \"x\"\nas_of = \"someday\"\n",
    );
    sandbox.run(&["test"]).exits(2).says("expectations.toml:1: --as-of: \"someday\"");
}
