//! The labelled set of unlinked mentions (`eval/mentions`), and the result of linking each case.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sandbox::Sandbox;

struct Case {
    name: String,
    policy: String,
    pages: Vec<(String, String)>,
    expected: BTreeSet<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/mentions");
    let entries = fs::read_dir(folder).expect("eval/mentions");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cases"));
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).expect("a file of cases"));
    texts.flat_map(|text| format!("\n{text}").split("\n## ").skip(1).map(read).collect::<Vec<_>>()).collect()
}

fn read(text: &str) -> Case {
    let mut parts = text.split("\n=== ");
    let name = parts.next().unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    let mut case = Case { name, policy: String::new(), pages: Vec::new(), expected: BTreeSet::new() };
    for part in parts {
        let (what, rest) = part.split_once('\n').unwrap_or((part, ""));
        match what.split_once(' ') {
            None => case.policy = rest.to_owned(),
            Some(("page", path)) => case.pages.push((path.to_owned(), format!("{}\n", rest.trim_end()))),
            Some(("expect", mention)) => {
                case.expected.insert(mention.trim().to_owned());
            }
            _ => panic!("{}: unknown section {what:?}", case.name),
        }
    }
    case
}

impl Case {
    fn vault(&self) -> Sandbox {
        let sandbox = Sandbox::with_vault();
        sandbox.write("lore.toml", format!("name = \"v\"\n{}", self.policy));
        for (path, text) in &self.pages {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// Returns what is wrong with the result.
    fn wrong(&self) -> Option<String> {
        let sandbox = self.vault();
        let found = missing(&sandbox);
        if found != self.expected {
            return Some(format!("{}: found {found:?}, not {:?}", self.name, self.expected));
        }
        let planned = sandbox.run(&["lint", "--fix", "--links", "--dry-run"]).exits(0).json();
        assert_eq!(mentions(&planned["linked"]), found, "{}", self.name);
        let unchanged = self.pages.iter().all(|(path, text)| sandbox.read(path) == text.as_bytes());
        assert!(unchanged, "{}: a dry run changes nothing", self.name);
        let done = sandbox.run(&["lint", "--fix", "--links"]).exits(0).json();
        assert_eq!(mentions(&done["linked"]), found, "{}", self.name);
        let left = missing(&sandbox);
        (!left.is_empty())
            .then(|| format!("{}: still missing {left:?}", self.name))
            .or(self.changed(&sandbox))
    }

    /// Returns a line that differs after linking other than by an expected link.
    fn changed(&self, sandbox: &Sandbox) -> Option<String> {
        for (path, before) in &self.pages {
            let after = String::from_utf8(sandbox.read(path)).expect("text");
            let expected =
                |line: usize| self.expected.iter().any(|one| one.starts_with(&format!("{path}:{line} ")));
            for (at, (old, new)) in before.lines().zip(after.lines()).enumerate() {
                let linked = expected(at + 1);
                if (old != new) != linked || shown(new) != shown(old) {
                    return Some(format!("{}: {path}:{} {old:?} became {new:?}", self.name, at + 1));
                }
            }
            assert_eq!(
                before.len() - before.lines().map(str::len).sum::<usize>(),
                after.len() - after.lines().map(str::len).sum::<usize>()
            );
        }
        None
    }
}

/// Returns a line with its wiki links as a reader sees them.
fn shown(line: &str) -> String {
    let mut text = line.to_owned();
    while let Some(start) = text.rfind("[[") {
        let Some(end) = text[start..].find("]]").map(|end| start + end) else { break };
        let inside = text[start + 2..end].to_owned();
        text.replace_range(start..end + 2, inside.rsplit('|').next().unwrap_or(&inside));
    }
    text
}

fn missing(sandbox: &Sandbox) -> BTreeSet<String> {
    let found = sandbox.run(&["curate", "--dry-run", "--limit", "1000"]).ok().json();
    mentions(&found["missing_links"]["first"])
}

fn mentions(list: &Value) -> BTreeSet<String> {
    let text = |one: &Value, key: &str| one[key].as_str().expect(key).to_owned();
    let shown = |one: &Value| {
        format!("{}:{} {} -> {}", text(one, "path"), one["line"], text(one, "words"), text(one, "to"))
    };
    list.as_array().map(|list| list.iter().map(shown).collect()).unwrap_or_default()
}

#[test]
fn labelled_set_has_no_missed_or_false_mentions() {
    let cases = cases();
    assert!(cases.len() >= 50, "{} cases", cases.len());
    let quiet = cases.iter().filter(|case| case.expected.is_empty()).count();
    assert!(quiet * 2 >= cases.len(), "at least half of the cases must have no findings: {quiet}");
    let wrong: Vec<String> = cases.iter().filter_map(Case::wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lint_reports_unlinked_mentions_only_on_request() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("acme.md", "# Acme Corp\n\nText.\n");
    sandbox.write("ada.md", "Runs Acme Corp.\n");
    assert_eq!(sandbox.run(&["lint"]).ok().json()["findings"], serde_json::json!([]));
    let reported = sandbox.run(&["lint", "--links"]).ok().json();
    assert_eq!(reported["findings"][0]["rule"], "link-missing", "{reported}");
    assert_eq!(reported["warnings"], 1);
    sandbox.write("lore.toml", "name = \"v\"\n[lint.levels]\nlink-missing = \"error\"\n");
    let output = sandbox.run(&["lint"]).exits(4).json();
    assert_eq!(output["findings"].as_array().map(Vec::len), Some(1), "{output}");
    assert_eq!(output["findings"][0]["message"], "\"Acme Corp\" mentions acme without a link");
    // A suggestion never refuses a write, whatever its level.
    sandbox.run(&["edit", "ada", "--append", "More of Acme Corp."]).ok();
    let fixed = sandbox.run(&["lint", "--fix"]).ok();
    assert_eq!(fixed.json()["linked"][0]["words"], "Acme Corp");
    assert_eq!(sandbox.read("ada.md"), b"Runs [[Acme Corp]].\nMore of Acme Corp.\n");
    sandbox.run(&["lint"]).ok();
}

#[test]
fn only_the_given_pages_are_linked_and_their_text_stays() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/ada.md", "---\ntitle: Ada Lovelace\naliases: [Countess Ada]\n---\nText.\n");
    sandbox.write("a.md", "Met Countess Ada.\r\nAnd more.\r\n");
    sandbox.write("b.md", "Met Ada Lovelace.\n");
    let output = sandbox.run(&["lint", "a", "--fix", "--links", "--format", "human"]).ok().text();
    assert!(output.contains("linked   a.md:1  \"Countess Ada\" mentions people/ada"), "{output}");
    assert_eq!(sandbox.read("a.md"), b"Met [[Ada Lovelace|Countess Ada]].\r\nAnd more.\r\n");
    assert_eq!(sandbox.read("b.md"), b"Met Ada Lovelace.\n");
}
