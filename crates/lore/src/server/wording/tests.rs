use std::sync::Arc;

use serde_json::{Map, Value};

use super::*;
use crate::ops::{self, OperationInfo};

/// A face that offers every operation but `init`, and names it in capitals.
struct Capitals;

impl Face for Capitals {
    fn name(&self) -> &'static str {
        "capitals"
    }

    fn call(&self, operation: &OperationInfo, parameters: &Map<String, Value>) -> Option<String> {
        let given =
            if parameters.is_empty() { String::new() } else { Value::Object(parameters.clone()).to_string() };
        (operation.name != "init").then(|| operation.tool().to_uppercase() + &given)
    }

    fn parameter(&self, _: &OperationInfo, name: &str) -> Option<String> {
        (name != "force").then(|| name.to_owned())
    }

    fn project(&self) -> &'static str {
        "`PROJECT`"
    }

    fn catalog(&self) -> &'static str {
        "ALL"
    }
}

fn wording(operation: &str, writes: bool) -> RequestWording {
    let grant = Some(Grant { actor: "ada".into(), projects: None, writes });
    RequestWording { face: Arc::new(Capitals), grant, machine: true, operation: ops::find(operation).ok() }
}

#[test]
fn commands_become_calls_and_flags_become_parameters() {
    for (hint, expected) in [
        ("find it with `lore search`", "find it with `SEARCH`"),
        (
            "run `lore model list`, then `lore model use NAME`",
            "run `MODEL_LIST`, then `MODEL_USE{\"name\":\"NAME\"}`",
        ),
        ("see `lore gaps --resolved`", "see `GAPS{\"resolved\":true}`"),
        ("see `lore doctor --path my notes.md`", "see `DOCTOR{\"path\":\"my notes.md\"}`"),
        ("as in `lore query \"who knows Ada?\"`", "as in `QUERY{\"question\":\"who knows Ada?\"}`"),
        ("run `lore links 12 --project work`", "run `LINKS{\"reference\":12,\"project\":\"work\"}`"),
        // Options that read a file have no parameter.
        ("pass them to `lore compact --apply FILE`", "pass them to `COMPACT`"),
        ("pass --yes; nothing was changed", "pass `\"yes\": true`; nothing was changed"),
        ("select one with --project: a, b", "select one with `PROJECT`: a, b"),
        ("see `lore --tools-json`", "see `ALL`"),
        ("use a text such as a--b -- or `x`", "use a text such as a--b -- or `x`"),
    ] {
        assert_eq!(wording("rm", true).hint(hint), expected, "{hint}");
    }
    let hint = "use a smaller --limit, or `--summarizer extractive`";
    assert_eq!(
        wording("compact", true).hint(hint),
        "use a smaller `limit`, or `\"summarizer\": \"extractive\"`"
    );
}

#[test]
fn what_is_not_offered_is_dropped_or_left_to_the_command_line() {
    for (hint, expected) in [
        ("create a vault with `lore init PATH`, or find it with `lore list`", "find it with `LIST`"),
        (
            "create a vault with `lore init PATH`; nothing was changed",
            "on the command line: create a vault with `lore init PATH`; nothing was changed",
        ),
        ("update Lore, or use another database with --db", "update Lore"),
        ("start `lore serve --http 8080`", "on the command line: start `lore serve` with http 8080"),
        (
            "merge with `git pull --rebase` and retry",
            "on the command line: merge with `git pull` with rebase and retry",
        ),
        (
            "run `lore trust x`, or to read it only, run `lore trust --read-only x`; nothing was changed",
            "on the command line: run `lore trust x`; nothing was changed",
        ),
        ("--force ingests it again", "on the command line: force ingests it again"),
    ] {
        assert_eq!(wording("ingest", true).hint(hint), expected, "{hint}");
    }
    let hint = "change it with `lore edit`, or choose another slug";
    assert_eq!(wording("put", false).hint(hint), "choose another slug", "the token is read-only");
}

#[test]
fn messages_name_parameters_and_keep_quoted_text() {
    let message = "--limit is 0: \"--limit \\\" --limit\" and `--limit`, --unknown";
    let expected = "`limit` is 0: \"--limit \\\" --limit\" and `--limit`, --unknown";
    assert_eq!(wording("list", true).message(message), expected);
}
