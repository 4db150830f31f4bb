//! Credentials: refused with line and rule, never shown, allowed by a person for one line or one rule.

use serde_json::Value;

use crate::git_support::{GitVault, TOKEN};
use crate::sandbox::Ran;

/// Asserts that neither half of the credential is in the output of a command.
#[track_caller]
fn shows_nothing(ran: Ran) -> Ran {
    let output = (ran.text() + &ran.err).to_lowercase();
    assert!(TOKEN.iter().all(|part| !output.contains(&part[4..].to_lowercase())), "{output}");
    ran
}

fn text() -> String {
    format!("# Keys\n\nThe key is {} as of today.\n", TOKEN.concat())
}

#[test]
fn refusal_shows_line_and_rule_but_not_the_secret() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "One\n").ok();
    let secret = format!("key {}", TOKEN.concat());
    let file = vault.sandbox.root.join("secret.md");
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
        let ran = shows_nothing(vault.refuses(|| vault.lore(arguments)));
        // A capture is refused before it has a name.
        let place = if arguments[0] == "capture" { "the text:" } else { ".md:" };
        ran.says("[github-token]").says(place).says("at column").says("store the secret elsewhere");
    }
    let ran = shows_nothing(vault.lore(&["put", "keys", &file, "-v"]).exits(4));
    ran.says("error: keys.md:3: a credential at column 12 [github-token]");
    let input = serde_json::json!({ "slug": "keys", "content": text() }).to_string();
    shows_nothing(vault.lore(&["call", "put", &input]).exits(4));
}

#[test]
fn generated_name_does_not_contain_the_secret() {
    let vault = GitVault::with_profile("notes");
    let title = format!("Key {}", TOKEN.concat());
    shows_nothing(vault.lore(&["capture", "It opens everything.", "--title", &title]).exits(4));
    shows_nothing(vault.lore(&["capture", &title]).exits(4));
}

#[test]
fn refused_secret_is_stored_nowhere() {
    let vault = GitVault::with_profile("notes");
    shows_nothing(vault.put("keys", &text()).exits(4));
    let found = vault.sandbox.sh(&format!("grep -rl -e {} . ../home", TOKEN[0]));
    assert_eq!((found.text().as_str(), found.code), ("", 1), "{found:?}");
}

#[test]
fn lint_finds_secrets_without_showing_them() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("keys.md", text());
    let ran = shows_nothing(vault.lore(&["lint"]).exits(4));
    let found = &ran.json()["findings"][0];
    assert_eq!(
        (&found["rule"], &found["path"], &found["line"]),
        (&"secret".into(), &"keys.md".into(), &3.into())
    );
    shows_nothing(vault.lore(&["lint", "--format", "human"]).exits(4));
    shows_nothing(vault.lore(&["doctor"]).exits(5));
    // In a less strict vault other pages can be written, and this one once it is fixed.
    vault.put("page", "One\n").ok();
    shows_nothing(vault.lore(&["edit", "keys", "--append", "More."]).exits(4));
    vault.lore(&["edit", "keys", "--section", "Keys", "--with", "In the safe."]).ok();
}

/// Returns the fingerprint in a finding.
#[track_caller]
fn fingerprint(ran: &Ran) -> String {
    let message = ran.json()["findings"][0]["message"].as_str().expect("a message").to_owned();
    let (_, rest) = message.split_once("line = \"").unwrap_or_else(|| panic!("{message}"));
    rest.split('"').next().expect("an end").to_owned()
}

#[test]
fn line_is_allowed_by_rule_and_fingerprint_until_it_changes() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("keys.md", text());
    let line = fingerprint(&vault.lore(&["lint"]).exits(4));
    assert!(line.len() == 16 && line.chars().all(|digit| digit.is_ascii_hexdigit()), "{line}");
    let policy = |rule: &str| format!("[[secrets.allow]]\nrule = \"{rule}\"\nline = \"{line}\"\n");
    vault.sandbox.write("lore.toml", policy("jwt"));
    vault.lore(&["lint"]).exits(4);
    vault.sandbox.write("lore.toml", policy("github-token"));
    vault.lore(&["lint"]).ok();
    vault.lore(&["edit", "keys", "--append", "More."]).ok();
    vault.put("copy", &text()).ok();
    shows_nothing(vault.put("other", &text().replace("today", "yesterday")).exits(4));
    shows_nothing(vault.put("other", &text().replace("2Wq4E", "2Wq4F")).exits(4));
    vault.sandbox.write("lore.toml", policy("no-such-rule"));
    vault.lore(&["lint"]).exits(5).says("lore.toml:2").says("no-such-rule");
}

#[test]
fn rule_can_be_disabled_by_name() {
    let vault = GitVault::with_profile("notes");
    vault.sandbox.write("lore.toml", "[secrets]\noff = [\"github-token\"]\n");
    vault.put("keys", &text()).ok();
    let aws = format!("id: {}{}\n", "AKIA", "Q3EGRZ7WPL5XNV2K");
    let ran = vault.put("aws", &aws).exits(4).says("[aws-access-key-id]");
    assert!(!ran.err.contains("Q3EGRZ7W"), "{}", ran.err);
    vault.sandbox.write("lore.toml", "[secrets]\noff = [\"github-tokens\"]\n");
    vault.put("page", "One\n").exits(5).says("github-tokens");
}

#[test]
fn policy_cannot_allow_credentials() {
    let vault = GitVault::with_profile("notes");
    for level in ["off", "warning"] {
        vault.sandbox.write("lore.toml", format!("[lint.levels]\nsecret = \"{level}\"\n"));
        vault.put("page", &format!("token {}\n", TOKEN.concat())).exits(4).says("a credential");
        vault.sandbox.write(".env", format!("TOKEN={}\n", TOKEN.concat()));
        vault.lore(&["git", "commit"]);
        assert!(!vault.sandbox.sh("git log -p --all").text().contains(&TOKEN.concat()), "{level}");
    }
}

#[test]
fn likely_secret_is_a_warning() {
    let vault = GitVault::with_profile("notes");
    let likely = format!("key {}{}\n", "sk_test_", "4eC39HqLyjWDarjtT1zdp7dc");
    let written = vault.put("page", &likely).exits(0).json();
    let warnings = written["warnings"].to_string();
    assert!(warnings.contains("[stripe-test-key]") && !warnings.contains("39HqLyjW"), "{warnings}");
    let found = vault.lore(&["lint"]).ok().json();
    assert_eq!((&found["errors"], &found["warnings"]), (&Value::from(0), &Value::from(1)), "{found}");
    vault.sandbox.write("lore.toml", "[lint.levels]\nsecret-likely = \"error\"\n");
    vault.put("other", &likely).exits(4);
    vault.sandbox.write("lore.toml", "[lint.levels]\nsecret-likely = \"off\"\n");
    assert_eq!(vault.put("other", &likely).ok().json().get("warnings"), None);
}
