//! Credentials: refused with their place and rule, never shown, allowed by a person for one line or one rule.

use serde_json::Value;

use crate::sandbox::Ran;
use crate::story::{Story, TOKEN};

/// Asserts that neither half of the credential is anywhere in what a command said.
#[track_caller]
fn shows_nothing(ran: Ran) -> Ran {
    let said = (ran.text() + &ran.err).to_lowercase();
    assert!(TOKEN.iter().all(|part| !said.contains(&part[4..].to_lowercase())), "{said}");
    ran
}

fn text() -> String {
    format!("# Keys\n\nThe key is {} as of today.\n", TOKEN.concat())
}

#[test]
fn a_refusal_shows_place_and_rule_and_never_the_secret() {
    let story = Story::of("notes");
    story.put("page", "One\n").ok();
    let secret = format!("key {}", TOKEN.concat());
    let file = story.sandbox.root.join("secret.md");
    std::fs::write(&file, text()).expect("a file");
    let file = file.to_string_lossy().into_owned();
    let ways: [&[&str]; 6] = [
        &["put", "keys", &file],
        &["capture", "--file", &file],
        &["edit", "page", "--append", &secret],
        &["edit", "page", "--set", &format!("key={}", TOKEN.concat())],
        &["edit", "page", "--find", "One", "--replace", &secret],
        &["timeline-add", "page", "--date", "2026-11-01", "--summary", &secret],
    ];
    for arguments in ways {
        let ran = shows_nothing(story.refuses(|| story.lore(arguments)));
        // A capture is refused before it has a name.
        let place = if arguments[0] == "capture" { "the text:" } else { ".md:" };
        ran.says("[github-token]").says(place).says("at column").says("store the secret elsewhere");
    }
    let ran = shows_nothing(story.lore(&["put", "keys", &file, "-v"]).exits(4));
    ran.says("error: keys.md:3: a credential at column 12 [github-token]");
    let input = serde_json::json!({ "slug": "keys", "content": text() }).to_string();
    shows_nothing(story.lore(&["call", "put", &input]).exits(4));
}

#[test]
fn a_name_made_from_a_text_does_not_show_its_secret() {
    let story = Story::of("notes");
    let title = format!("Key {}", TOKEN.concat());
    shows_nothing(story.lore(&["capture", "It opens everything.", "--title", &title]).exits(4));
    shows_nothing(story.lore(&["capture", &title]).exits(4));
}

#[test]
fn a_secret_is_neither_in_a_name_nor_in_the_database_nor_in_git() {
    let story = Story::of("notes");
    shows_nothing(story.put("keys", &text()).exits(4));
    let found = story.sandbox.sh(&format!("grep -rl -e {} . ../home", TOKEN[0]));
    assert_eq!((found.text().as_str(), found.code), ("", 1), "{found:?}");
}

#[test]
fn lint_finds_what_a_person_wrote_and_shows_as_little() {
    let story = Story::of("notes");
    story.sandbox.write("keys.md", text());
    let ran = shows_nothing(story.lore(&["lint"]).exits(4));
    let found = &ran.json()["findings"][0];
    assert_eq!(
        (&found["rule"], &found["path"], &found["line"]),
        (&"secret".into(), &"keys.md".into(), &3.into())
    );
    shows_nothing(story.lore(&["lint", "--format", "human"]).exits(4));
    shows_nothing(story.lore(&["doctor"]).exits(5));
    // Another page may be written in a vault that is not so strict; and this one where it is mended.
    story.put("page", "One\n").ok();
    shows_nothing(story.lore(&["edit", "keys", "--append", "More."]).exits(4));
    story.lore(&["edit", "keys", "--section", "Keys", "--with", "In the safe."]).ok();
}

/// The fingerprint in a finding, as a person would copy it.
#[track_caller]
fn fingerprint(ran: &Ran) -> String {
    let message = ran.json()["findings"][0]["message"].as_str().expect("a message").to_owned();
    let (_, rest) = message.split_once("line = \"").unwrap_or_else(|| panic!("{message}"));
    rest.split('"').next().expect("an end").to_owned()
}

#[test]
fn a_line_is_allowed_by_rule_and_fingerprint_until_it_changes() {
    let story = Story::of("notes");
    story.sandbox.write("keys.md", text());
    let line = fingerprint(&story.lore(&["lint"]).exits(4));
    assert!(line.len() == 16 && line.chars().all(|digit| digit.is_ascii_hexdigit()), "{line}");
    let policy = |rule: &str| format!("[[secrets.allow]]\nrule = \"{rule}\"\nline = \"{line}\"\n");
    story.sandbox.write("lore.toml", policy("jwt"));
    story.lore(&["lint"]).exits(4);
    story.sandbox.write("lore.toml", policy("github-token"));
    story.lore(&["lint"]).ok();
    story.lore(&["edit", "keys", "--append", "More."]).ok();
    story.put("copy", &text()).ok();
    shows_nothing(story.put("other", &text().replace("today", "yesterday")).exits(4));
    shows_nothing(story.put("other", &text().replace("2Wq4E", "2Wq4F")).exits(4));
    story.sandbox.write("lore.toml", policy("no-such-rule"));
    story.lore(&["lint"]).exits(2).says("lore.toml:2").says("no-such-rule");
}

#[test]
fn a_rule_is_switched_off_by_its_name() {
    let story = Story::of("notes");
    story.sandbox.write("lore.toml", "[secrets]\noff = [\"github-token\"]\n");
    story.put("keys", &text()).ok();
    let aws = format!("id: {}{}\n", "AKIA", "Q3EGRZ7WPL5XNV2K");
    let ran = story.put("aws", &aws).exits(4).says("[aws-access-key-id]");
    assert!(!ran.err.contains("Q3EGRZ7W"), "{}", ran.err);
    story.sandbox.write("lore.toml", "[secrets]\noff = [\"github-tokens\"]\n");
    story.put("page", "One\n").exits(2).says("github-tokens");
}

#[test]
fn what_may_be_a_secret_is_a_warning() {
    let story = Story::of("notes");
    let likely = format!("key {}{}\n", "sk_test_", "4eC39HqLyjWDarjtT1zdp7dc");
    let written = story.put("page", &likely).exits(0).json();
    let told = written["warnings"].to_string();
    assert!(told.contains("[stripe-test-key]") && !told.contains("39HqLyjW"), "{told}");
    let found = story.lore(&["lint"]).ok().json();
    assert_eq!((&found["errors"], &found["warnings"]), (&Value::from(0), &Value::from(1)), "{found}");
    story.sandbox.write("lore.toml", "[lint.levels]\nsecret-likely = \"error\"\n");
    story.put("other", &likely).exits(4);
    story.sandbox.write("lore.toml", "[lint.levels]\nsecret-likely = \"off\"\n");
    assert_eq!(story.put("other", &likely).ok().json().get("warnings"), None);
}
