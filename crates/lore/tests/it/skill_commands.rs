//! Runs every command in the `sh` blocks of every skill against a vault, in order; each must succeed.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;

/// Declares one test per skill.
macro_rules! skills {
    ($($name:ident)*) => {
        const LISTED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

skills! { agent alerts briefing capture compact curate distill enrich ingest maintain query research upgrade }

#[test]
fn every_skill_is_listed() {
    let mut there: Vec<String> = fs::read_dir(folder())
        .expect("skills")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().replace("lore-", ""))
        .collect();
    there.sort();
    assert_eq!(there, LISTED);
}

#[test]
fn commands_are_parsed_from_sh_blocks() {
    let text = "x\n```sh\nlore a\n# why\n\nlore b \\\n  c\n```\n1. y\n\n   ```sh\n   lore d <<'EOF'\n   {}\n   EOF\n   ```\n```text\nlore e\n```\n";
    assert_eq!(commands(text), ["lore a", "lore b \\\n  c", "lore d <<'EOF'\n{}\nEOF"]);
}

/// Values of the placeholders; the rest is looked up when needed.
const TABLE: [(&str, &str); 15] = [
    ("<conversation>", "sessions/codex/2026-01-02-tables"),
    ("<slug>", "people/ada-lovelace"),
    ("<other>", "companies/analytical-engines"),
    ("<new>", "captures/new-thing"),
    ("<movable>", "notes/loose"),
    ("<question>", "who met Charles Babbage at a party?"),
    ("<words>", "Bernoulli numbers"),
    ("<old>", "Works with"),
    ("<now>", "Worked with"),
    ("<wing>", "ada-lovelace"),
    ("<name>", "Mary"),
    ("<date>", "2026-03-01"),
    ("<past>", "1842"),
    ("<file>", "../source.md"),
    ("<backup>", "../backup.db"),
];

/// Pages of the vault in addition to `tests/brain`.
const PAGES: [(&str, &str); 15] = [
    (
        "sessions/codex/2026-01-02-tables.md",
        "---\ntype: conversation\norigin: external\nsession: c-1\n---\n# Tables\n\n## User 2026-01-02 10:03 ^t-1a2b3c4d\n\n```text\nWe decided to print the tables of Ada Lovelace twice.\n```\n",
    ),
    ("captures/new-thing.md", "# A new thing\n\nTables are printed twice from now on.\n"),
    ("notes/loose.md", "# Loose\n\nNobody links here.\n\n## Open Threads\n- [ ] Ask the harbour board\n"),
    ("deals/harbour.md", "---\ntitle: Harbour\ntags: [active]\n---\nThe harbour wants two engines.\n"),
    (
        "commitments/table.md",
        "---\ntitle: The table\nowner: people/ada-lovelace\ndue: 2026-01-01\nstatus: open\n---\nThe table is due.\n",
    ),
    (
        "actions/print.md",
        "---\ntitle: Print\nowner: people/charles-babbage\nstatus: open\n---\nPrint the plates.\n",
    ),
    (
        "meetings/spring.md",
        "---\ndate: 2024-03-12\nattendees: [Mary]\n---\n# Spring\n\nThe board gave a party in the garden.\n",
    ),
    ("meetings/move.md", "# The move\n\n- Ada Lovelace | lives_in:: Paris {1840..} (source: gossip)\n"),
    (
        "clients/january.md",
        "---\nstatus: stale\n---\nWe offered sprints at a fixed price.\n\n- related [[clients/march]]\n",
    ),
    (
        "clients/march.md",
        "---\nstatus: stale\n---\nThey rejected the sprints.\n\n- related [[clients/may]]\n",
    ),
    ("clients/may.md", "---\nstatus: stale\n---\nA retainer takes the place of sprints.\n"),
    ("ships/one.md", "---\nstatus: stale\n---\nThe first hull was of iron.\n\n- related [[ships/two]]\n"),
    ("ships/two.md", "---\nstatus: stale\n---\nThe second hull was of steel.\n\n- related [[ships/three]]\n"),
    ("ships/three.md", "---\nstatus: stale\n---\nThe third hull was never built.\n"),
    (
        "expectations.toml",
        "[[question]]\nask = \"who met Charles Babbage at a party?\"\npage = \"people/ada-lovelace\"\n\n[[fact]]\nsubject = \"people/ada-lovelace\"\npredicate = \"lives_in\"\nvalue = \"London\"\nas_of = \"1836\"\n",
    ),
];

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin/skills")
}

#[track_caller]
fn check(name: &str) {
    let path = folder().join(format!("lore-{name}/SKILL.md"));
    let text = fs::read_to_string(&path).expect(name);
    let commands = commands(&text);
    assert!(commands.len() >= 5, "{name} has {} commands", commands.len());
    let vault = vault();
    let mut failed = Vec::new();
    for command in commands {
        let script = filled(&vault.sandbox, &command);
        assert!(!script.contains('<') || script.contains("<<'EOF'"), "{script}: unknown placeholder");
        let ran = vault.sandbox.sh(&script);
        if ran.code != 0 {
            failed.push(format!("$ {script}\n{ran:?}"));
        }
    }
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
}

/// Creates a vault in which every skill has something to do.
fn vault() -> GitVault {
    let vault = GitVault::without_vault();
    let sandbox = &vault.sandbox;
    let brain = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/brain");
    for entry in fs::read_dir(&brain).expect("tests/brain") {
        let folder = entry.expect("an entry").path();
        for page in fs::read_dir(&folder).expect("a folder") {
            let page = page.expect("an entry").path();
            let relative = page.strip_prefix(&brain).expect("inside").to_string_lossy().into_owned();
            sandbox.write(&relative, fs::read(&page).expect("a page"));
        }
    }
    PAGES.iter().for_each(|(path, text)| sandbox.write(path, text));
    fs::write(sandbox.root.join("source.md"), "# Minutes\n\nThe board met and chose the second plan.\n")
        .expect("a file");
    sandbox.run(&["init", "--profile", "brain"]).exits(0);
    vault.git(&["add", "-A"]);
    vault.git(&["commit", "--quiet", "-m", "All of it"]);
    let raw = ["raw", "people/ada-lovelace", "--source", "letters", "--data", "{\"count\": 3}"];
    sandbox.run(&raw).exits(0);
    sandbox
        .run(&["timeline-add", "people/ada-lovelace", "--date", "1843-08-01", "--summary", "Rested"])
        .exits(0);
    sandbox.run(&["gap", "add", "who audits the engine works?"]).exits(0);
    vault
}

/// A placeholder whose value is an output of Lore.
struct LookUp {
    word: &'static str,
    command: &'static [&'static str],
    pick: fn(&Value) -> &Value,
}

const LOOK_UPS: [LookUp; 5] = [
    LookUp { word: "<version>", command: &["show", "people/ada-lovelace"], pick: |shown| &shown["version"] },
    LookUp { word: "<link-id>", command: &["links", "people/ada-lovelace"], pick: open_link },
    LookUp { word: "<gap-id>", command: &["gaps", "--resolved"], pick: |gaps| &gaps["gaps"][0]["id"] },
    LookUp { word: "<finding-id>", command: &["check", "--all"], pick: |found| &found["findings"][0]["id"] },
    LookUp {
        word: "<cluster>",
        command: &["compact", "--plan", "--no-text"],
        pick: |plan| &plan["clusters"][0]["cluster"],
    },
];

fn open_link(links: &Value) -> &Value {
    let open = |link: &&Value| link["valid_until"].is_null() && link["relationship"] != "links_to";
    &links["links"].as_array().expect("links").iter().find(open).expect("a link that can be ended")["id"]
}

fn filled(sandbox: &Sandbox, command: &str) -> String {
    let mut script =
        TABLE.iter().fold(command.to_owned(), |script, (word, value)| script.replace(word, value));
    for LookUp { word, command, pick } in LOOK_UPS {
        if script.contains(word) {
            let answer = sandbox.run(command).json();
            let value = pick(&answer);
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_ne!(value, "null", "{word} of {answer}");
            script = script.replace(word, &value);
        }
    }
    script
}

/// Returns the commands in the `sh` blocks, with their continuation lines.
fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut lines = text.lines();
    while let Some(fence) = lines.next() {
        if fence.trim() != "```sh" {
            continue;
        }
        let indent = fence.len() - fence.trim_start().len();
        let mut open = None::<String>;
        for line in lines.by_ref().take_while(|line| line.trim() != "```") {
            let line = line.get(indent..).unwrap_or_default();
            match &mut open {
                Some(command) => command.push_str(&format!("\n{line}")),
                None if line.is_empty() || line.starts_with('#') => continue,
                None => open = Some(line.to_owned()),
            }
            let command = open.clone().unwrap_or_default();
            let continues = line.ends_with('\\') || (command.contains("<<'EOF'") && line != "EOF");
            if !continues {
                found.extend(open.take());
            }
        }
        assert_eq!(open, None, "a block ends in the middle of a command");
    }
    found
}
