//! `lore compact`: planned by an agent, or done by the built-in summarizer, a command or a language model.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::crash_support::{CrashHarness, Scenario};
use crate::sandbox::{Ran, Sandbox};

/// Three stale pages about prices, connected by links, and two that link to them in every syntax.
const FILES: [(&str, &str); 5] = [
    (
        "clients/january.md",
        "---\ntitle: Pricing in January # the first\nstatus: stale\ntags: [pricing, client]\n---\n# January\n\nWe offered \
         sprints at a fixed price because the client asked for them.\n\n- related [[clients/march]]\n- owner:: Ada {2023..}\n",
    ),
    (
        "clients/march.md",
        "---\r\nstatus: \"stale\"\r\ntags: [client, pricing]\r\n---\r\nThey rejected the sprints since quarterly planning \
         comes first.\r\n\r\n- related [[may]]\r\n",
    ),
    ("clients/may.md", "Decided to offer a retainer instead of sprints. <!-- odd -->\n\n* a list\t\n"),
    (
        "clients/now.md",
        "# Now\n\n- supersedes [[clients/may]]\n- rests_on [[clients/january#January|the start]] (since then) {2024-01-01..}\n\n\
         Compare [March](march.md#x), [[may]] and `[[may]]`.\n",
    ),
    (
        "far/away.md",
        "---\nrelated: \"[[clients/march]]\"\n---\nSee [[clients/may|May]], and [now](../clients/now.md).\n",
    ),
];

const SUMMARY: &str = "clients/pricing-what-holds";

fn fill(sandbox: &Sandbox) {
    FILES.iter().for_each(|(path, text)| sandbox.write(path, text));
}

/// Creates a vault with these pages, with or without a repository.
fn vault(git: bool) -> Sandbox {
    let sandbox = Sandbox::empty();
    std::fs::create_dir(sandbox.vault()).expect("a new directory");
    fill(&sandbox);
    sandbox.run(if git { &["init"] } else { &["init", "--no-git"] }).exits(0);
    sandbox
}

fn plan(sandbox: &Sandbox) -> Value {
    sandbox.run(&["compact", "--plan", "--json"]).exits(0).json()
}

fn pages(sandbox: &Sandbox) -> BTreeMap<PathBuf, Vec<u8>> {
    sandbox
        .files()
        .into_iter()
        .filter(|(path, _)| path.extension().is_some_and(|kind| kind == "md"))
        .collect()
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

fn id(plan: &Value) -> String {
    plan["clusters"][0]["cluster"].as_str().expect("an id").to_owned()
}

/// Applies a summary to the cluster of a plan.
fn apply(sandbox: &Sandbox, plan: &Value) -> Ran {
    let content = "Sprints were rejected; a [[clients/now|retainer]] is offered instead. Zeppelin.";
    let summary =
        json!({ "cluster": id(plan), "slug": SUMMARY, "title": "Pricing: what holds", "content": content });
    sandbox.pipe(
        &["compact", "--apply", "-", "--json"],
        json!({ "summaries": [summary] }).to_string().as_bytes(),
    )
}

#[test]
fn plan_lists_clusters_with_reasons_and_texts() {
    let sandbox = vault(false);
    let before = pages(&sandbox);
    let plan = plan(&sandbox);
    assert_eq!((&plan["stale"], &plan["found"]), (&json!(3), &json!(1)), "{plan}");
    let cluster = &plan["clusters"][0];
    assert_eq!(cluster["held_by"], "links");
    let slugs: Vec<&Value> =
        cluster["pages"].as_array().expect("pages").iter().map(|page| &page["slug"]).collect();
    assert_eq!(slugs, ["clients/january", "clients/march", "clients/may"]);
    assert_eq!(cluster["pages"][0]["reason"], "status: stale");
    assert_eq!(cluster["pages"][2]["reason"], "superseded by clients/now");
    assert!(cluster["pages"][0]["text"].as_str().expect("text").starts_with("# January"), "{cluster}");
    assert_eq!(
        cluster["ties"][0],
        json!({ "from": "clients/january", "to": "clients/march", "relationship": "related" })
    );
    let inbound: Vec<String> = cluster["inbound"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| format!("{} {} {}", link["path"], link["relationship"], link["target"]).replace('"', ""))
        .collect();
    assert_eq!(
        inbound,
        [
            "clients/now.md rests_on clients/january",
            "clients/now.md links_to clients/march.md",
            "clients/now.md links_to may",
            "far/away.md related clients/march",
            "far/away.md links_to clients/may",
        ],
        "all but the supersedes relation"
    );
    let bare = sandbox.run(&["compact", "--plan", "--no-text", "--json"]).ok().json();
    assert_eq!((&bare["clusters"][0]["cluster"], &bare["tokens"]), (&cluster["cluster"], &json!(0)));
    assert!(bare["clusters"][0]["pages"][0].get("text").is_none());
    let little = sandbox.run(&["compact", "--plan", "--token-budget", "30", "--json"]).ok().json();
    assert!(little["tokens"].as_u64().expect("a number") <= 30, "{little}");
    assert_eq!(little["clusters"][0]["pages"][2]["cut"], true, "{little}");
    let human = sandbox.run(&["compact", "--plan", "--format", "human"]).ok().text();
    assert!(
        human.contains("clients/january related clients/march") && human.contains("<- far/away.md:2"),
        "{human}"
    );
    assert_eq!(pages(&sandbox), before, "a plan changes nothing");
}

#[test]
fn summary_of_an_agent_replaces_its_pages() {
    let sandbox = vault(false);
    let plan = plan(&sandbox);
    let before = pages(&sandbox);
    let done = apply(&sandbox, &plan).exits(0).json();
    assert_eq!(done["compacted"][0]["slug"], SUMMARY, "{done}");
    assert_eq!(done["compacted"][0]["repointed"], json!(["clients/now.md", "far/away.md"]));
    let summary = text(&sandbox, "clients/pricing-what-holds.md");
    for line in [
        "title: \"Pricing: what holds\"",
        "status: active",
        "source_type: compaction",
        "compacted_from: [clients/january, clients/march, clients/may]",
        "summarized_by: tester",
        "# Pricing: what holds",
    ] {
        assert!(summary.lines().any(|one| one == line), "{line:?} is not in {summary}");
    }
    assert_eq!(
        text(&sandbox, "clients/now.md"),
        "# Now\n\n- supersedes [[clients/may]]\n- rests_on [[clients/pricing-what-holds|the start]] (since then) \
         {2024-01-01..}\n\nCompare [March](pricing-what-holds.md), [[pricing-what-holds]] and `[[may]]`.\n"
    );
    assert_eq!(
        text(&sandbox, "far/away.md"),
        "---\nrelated: \"[[clients/pricing-what-holds]]\"\n---\nSee [[clients/pricing-what-holds|May]], and \
         [now](../clients/now.md).\n"
    );
    // The old pages are unchanged except for two properties.
    let mark = format!("compacted_into: {SUMMARY}");
    let january = FILES[0].1.replace("status: stale\n", "status: compacted\n");
    let january = january.replace("client]\n---", &format!("client]\n{mark}\n---"));
    let march = FILES[1]
        .1
        .replace("\"stale\"", "\"compacted\"")
        .replace("pricing]\r\n---", &format!("pricing]\r\n{mark}\r\n---"));
    let may = format!("---\nstatus: compacted\n{mark}\n---\n{}", FILES[2].1);
    for (path, expected) in [("january", january), ("march", march), ("may", may)] {
        assert_eq!(text(&sandbox, &format!("clients/{path}.md")), expected);
    }
    assert_eq!(before.len() + 1, pages(&sandbox).len());
    assert_eq!(sandbox.search("zeppelin"), [SUMMARY]);
    let found = sandbox.run(&["query", "what holds about pricing", "--json"]).ok().json();
    assert_eq!(found["hits"][0]["slug"], SUMMARY, "{found}");
    sandbox.run(&["compact"]).exits(1);
    sandbox.run(&["compact", "--plan"]).exits(1);
    apply(&sandbox, &plan).exits(3);
    sandbox.validate();
    // All of it is in the files.
    std::fs::remove_file(sandbox.database()).expect("a database");
    sandbox.sync();
    sandbox.run(&["compact", "--dry-run"]).exits(1);
    let links = sandbox.run(&["backlinks", SUMMARY, "--json"]).ok().text();
    assert!(links.contains("rests_on") && links.contains("far/away"), "{links}");
}

#[test]
fn dry_run_shows_everything_and_writes_nothing() {
    let sandbox = vault(true);
    let (before, log) = (pages(&sandbox), sandbox.sh("git log --oneline").text());
    let shown = sandbox.run(&["compact", "--dry-run", "--json"]).ok().json();
    let summary = &shown["clusters"][0]["summary"];
    assert_eq!(summary["repointed"], json!(["clients/now.md", "far/away.md"]));
    let content = summary["content"].as_str().expect("a text").to_owned();
    assert!(content.contains("offer a retainer instead of sprints"), "{content}");
    // A command is neither needed nor run.
    sandbox.run(&["config", "set", "compact.command", "sh -c 'touch ran; echo x'"]).exits(0);
    let shown = sandbox.run(&["compact", "--dry-run", "--summarizer", "command", "--json"]).ok().json();
    assert!(shown["clusters"][0]["summary"].get("content").is_none(), "{shown}");
    assert!(!sandbox.vault().join("ran").exists());
    assert_eq!((pages(&sandbox), sandbox.sh("git log --oneline").text()), (before, log));
    // What is shown is what is written.
    let done = sandbox.run(&["compact", "--json"]).exits(0).json();
    assert_eq!(done["compacted"][0]["slug"], summary["slug"]);
    assert_eq!(text(&sandbox, done["compacted"][0]["path"].as_str().expect("a path")), content);
    let facts = sandbox.run(&["show", summary["slug"].as_str().expect("a slug"), "--json"]).ok().text();
    assert!(
        facts.contains("Pricing in January") && facts.contains("owner"),
        "a current fact is kept as a fact: {facts}"
    );
}

#[test]
fn cluster_is_one_commit_that_can_be_reverted() {
    let sandbox = vault(true);
    sandbox.sh("git add -A && git -c user.name=p -c user.email=p commit -q -m Prepared").exits(0);
    let before = pages(&sandbox);
    let done = sandbox.run(&["compact", "--summarizer", "extractive", "--json"]).exits(0).json();
    let slug = done["compacted"][0]["slug"].as_str().expect("a slug").to_owned();
    let subject = sandbox.sh("git log -1 --format=%s").text();
    assert_eq!(subject.trim(), format!("Compact 3 pages into {slug}"));
    assert_eq!(sandbox.sh("git status --porcelain").text(), "");
    sandbox.sh("git -c user.name=p -c user.email=p revert --no-edit HEAD").exits(0);
    assert_eq!(pages(&sandbox), before);
    sandbox.sync();
    let again = plan(&sandbox);
    assert_eq!(again["found"], 1, "it can be compacted again: {again}");
}

#[test]
fn command_writes_the_summary() {
    let sandbox = vault(false);
    sandbox.run(&["compact", "--summarizer", "command"]).exits(2).says("needs the setting compact.command");
    // The command gets the instructions and the pages on stdin, without a shell in between.
    let script = "printf '# Sum of it\\n\\n'; grep -c '^=== Page' ; printf '$HOME stays'";
    sandbox
        .run(&["config", "set", "compact.command", &format!("sh -c \"{script}\"").replace('$', "\\$")])
        .exits(0);
    let done = sandbox.run(&["compact", "--summarizer", "command", "--json"]).ok().json();
    assert_eq!(done["compacted"][0]["slug"], "clients/sum-of-it", "{done}");
    let written = text(&sandbox, "clients/sum-of-it.md");
    assert!(written.contains("# Sum of it\n\n3\n") && written.contains("summarized_by: sh"), "{written}");
}

#[test]
fn failing_command_is_named_and_changes_nothing() {
    let sandbox = vault(false);
    let before = pages(&sandbox);
    for (command, seconds, expected_message) in [
        ("sh -c 'echo no money >&2; exit 3'", "120", "exit status: 3: no money"),
        ("sh -c 'cat > /dev/null'", "120", "its output is empty"),
        ("no-such-program-anywhere", "120", "cannot be started"),
        ("printf '\\377'", "120", "is not valid UTF-8"),
        ("sh -c 'sleep 60 & wait'", "1", "timed out after 1 s"),
    ] {
        sandbox.run(&["config", "set", "compact.command", command]).exits(0);
        sandbox.run(&["config", "set", "compact.seconds", seconds]).exits(0);
        let ran = sandbox.run(&["compact", "--summarizer", "command", "--json"]).exits(5).json();
        let message = ran["refused"][0]["message"].as_str().expect("a message");
        let program = command.split(' ').next().expect("a word");
        assert!(
            message.contains(expected_message) && message.contains(program),
            "{expected_message} is not in {message}"
        );
        assert_eq!(
            (&ran["refused"][0]["code"], ran["compacted"].as_array().map(Vec::len)),
            (&json!("model"), Some(0))
        );
        assert_eq!(pages(&sandbox), before, "{command}");
    }
}

/// Starts a language model that always returns this answer, and reports its requests.
fn model(answer: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let (sender, requests) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut bytes, mut block) = (Vec::new(), [0; 65_536]);
            loop {
                let length = stream.read(&mut block).unwrap_or(0);
                bytes.extend_from_slice(&block[..length]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let expected = head.to_lowercase();
                let expected =
                    expected.lines().find_map(|line| line.strip_prefix("content-length:").map(str::to_owned));
                if length == 0
                    || body.len() >= expected.map_or(0, |length| length.trim().parse().expect("a number"))
                {
                    let _ = sender.send(text);
                    break;
                }
            }
            let length = answer.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
            );
        }
    });
    (base, requests)
}

#[test]
fn configured_language_model_writes_the_summary() {
    let sandbox = vault(false);
    sandbox.run(&["compact", "--summarizer", "endpoint"]).exits(2).says("needs the setting compact.endpoint");
    let (base, requests) = model(
        r##"{"choices":[{"message":{"content":"# Of prices\n\nA retainer."},"finish_reason":"stop"}]}"##,
    );
    for (key, value) in [
        ("compact.endpoint", base.as_str()),
        ("compact.model", "small"),
        ("compact.key_variable", "SUMMARY_KEY"),
        ("compact.summarizer", "endpoint"),
    ] {
        sandbox.run(&["config", "set", key, value]).exits(0);
    }
    sandbox
        .run(&["compact"])
        .exits(2)
        .says("the environment variable SUMMARY_KEY, named by compact.key_variable, is not set");
    let mut command = sandbox.command(&["compact", "--json"]);
    let ran: Ran = command.env("SUMMARY_KEY", "not-a-real-key").output().expect("lore runs").into();
    assert_eq!(ran.exits(0).json()["compacted"][0]["slug"], "clients/of-prices");
    let request = requests.recv().expect("a request");
    assert!(request.starts_with("POST /chat/completions") && request.contains("not-a-real-key"), "{request}");
    assert!(request.contains("They rejected the sprints") && !request.contains("tags:"), "{request}");
    assert!(text(&sandbox, "clients/of-prices.md").contains("summarized_by: small"));
    assert!(requests.try_recv().is_err(), "one request for one cluster");
}

#[test]
fn changed_page_is_a_conflict_for_its_cluster_only() {
    let sandbox = vault(false);
    for name in ["a", "b", "c"] {
        sandbox.write(
            &format!("other/{name}.md"),
            format!("---\nstatus: stale\n---\nText of {name}.\n\n- related [[other/c]]\n"),
        );
    }
    let plan = plan(&sandbox);
    assert_eq!(plan["found"], 2);
    sandbox.run(&["edit", "clients/march", "--append", "And more.\n"]).exits(0);
    let summaries: Vec<Value> = plan["clusters"]
        .as_array()
        .expect("clusters")
        .iter()
        .map(|cluster| json!({ "cluster": cluster["cluster"], "title": "Sum", "content": "All." }))
        .collect();
    std::fs::write(sandbox.root.join("sums.json"), json!({ "summaries": summaries }).to_string())
        .expect("a file");
    let march = text(&sandbox, "clients/march.md");
    let ran = sandbox.run(&["compact", "--apply", "../sums.json", "--json"]).exits(3).json();
    assert_eq!(ran["compacted"][0]["slug"], "other/sum", "{ran}");
    assert_eq!(ran["refused"][0]["code"], "conflict");
    let message = ran["refused"][0]["message"].as_str().expect("a message");
    assert!(message.contains("its pages changed, clients/march last"), "{message}");
    assert_eq!(text(&sandbox, "clients/march.md"), march);
    assert!(!text(&sandbox, "clients/may.md").contains("compacted"));
}

#[test]
fn malformed_summary_is_refused_with_the_expected_format() {
    let sandbox = vault(false);
    let before = pages(&sandbox);
    for input in ["", "{}", "[{\"cluster\": 1}]", "{\"summaries\": [{\"cluster\": \"x\", \"title\": \"y\"}]}"]
    {
        sandbox.pipe(&["compact", "--apply", "-"], input.as_bytes()).exits(2).says("\"content\"");
    }
    sandbox.run(&["compact", "--plan", "--cluster", "none"]).exits(2).says("no cluster has the id \"none\"");
    let summary = json!({ "cluster": "x", "title": "Y", "content": "Z" });
    let ran = sandbox.run(&["call", "compact", &json!({ "summaries": [summary] }).to_string()]);
    assert_eq!(ran.json()["refused"][0]["code"], "conflict", "{ran:?}");
    assert_eq!(pages(&sandbox), before);
}

#[test]
fn aged_pages_are_compacted_if_the_policy_allows() {
    let sandbox = Sandbox::with_vault();
    let report = "The harbour opened at six and twelve ships came in with grain from the east coast.";
    for day in 1..=4 {
        sandbox.write(
            &format!("log/day-{day}.md"),
            format!("---\nupdated: 2020-01-0{day}\n---\n# Day {day}\n\n{report}\n"),
        );
    }
    sandbox.write("log/new.md", format!("# New\n\n{report}\n"));
    let plan = plan(&sandbox);
    let cluster = &plan["clusters"][0];
    assert_eq!(
        (cluster["pages"].as_array().map(Vec::len), &cluster["held_by"]),
        (Some(4), &json!("similarity")),
        "{plan}"
    );
    assert_eq!(plan["measure"], "wordllama-256");
    let done = sandbox.run(&["compact", "--path", "log/", "--json"]).ok().json();
    let written = text(&sandbox, done["compacted"][0]["path"].as_str().expect("a path"));
    assert_eq!(written.matches("The harbour opened").count(), 1, "{written}");
    sandbox.run(&["compact", "--path", "log/"]).exits(1);
}

/// Kills the process at every point of the write.
#[test]
fn compaction_is_atomic_at_every_fault_point() {
    let prepare = |sandbox: &Sandbox| fill(sandbox);
    let change = &["compact", "--summarizer", "extractive"];
    let harness = CrashHarness::new(Scenario { profile: "notes", prepare, change, input: "" });
    let (mut undone, mut finished) = (0, 0);
    for fault in
        ["staged", "noted", "installed:1", "installed:4", "before-commit", "committed", "published", "ended"]
    {
        harness.reset();
        assert!(harness.killed_at(fault), "{fault} was not passed");
        harness.next_command(&[]).exits(0);
        if harness.assert_atomic(fault) { finished += 1 } else { undone += 1 }
    }
    assert!(undone >= 1 && finished >= 3, "{undone} undone, {finished} finished");
}

#[test]
fn summaries_of_different_clusters_have_different_titles() {
    let sandbox = Sandbox::with_vault();
    for (first, month) in [(1, "01"), (4, "03")] {
        for number in first..first + 3 {
            let text = format!(
                "---\ntitle: Meeting notes {number}\nstatus: stale\nupdated: 2026-{month}-0{number}\n---\n# Meeting notes {number}\n\nPoint {number}.\n\n- related [[Meeting notes {first}]]\n"
            );
            sandbox.write(&format!("meeting-{number}.md"), text);
        }
    }
    let titles = |sandbox: &Sandbox| -> Vec<String> {
        let plan = sandbox.run(&["compact", "--dry-run"]).ok().text();
        plan.split("\"title\":\"").filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    let found: Vec<String> =
        titles(&sandbox).into_iter().filter(|title| title.ends_with("(summary)")).collect();
    let distinct: std::collections::BTreeSet<&String> = found.iter().collect();
    assert_eq!(distinct.len(), 2, "{found:?}");
    sandbox.run(&["compact"]).ok();
    let pages = sandbox.run(&["list", "--where", "source_type=compaction"]).ok().json();
    assert_ne!(pages["pages"][0]["title"], pages["pages"][1]["title"]);
}
