//! Org pages from the outside: an org-roam directory as a vault, nodes, edits, both formats together, conversion.

use serde_json::{Value, json};

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

const PLAN: &str = "0192f3a1-7c4e-4b21-9d55-0a1b2c3d4e5f";
const STEPS: &str = "9b1d6c52-0c86-4f7e-8c1a-3d0a7a1f4e22";
const OLD: &str = "5c8e7f10-2b7d-4b0e-9a53-6f1f0f6a2d11";

/// An org-roam directory with a Markdown page in it.
fn roam() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "20240301-plan.org",
        format!(
            ":PROPERTIES:\n:ID:       {PLAN}\n:ROAM_ALIASES: \"Grand plan\"\n:END:\n#+title: Plan\n#+filetags: :work:\n\n\
             This SUPERSEDES [[id:{OLD}][the old plan]].\n\n* Next steps :todo:\n:PROPERTIES:\n:ID: {STEPS}\n:END:\n\
             Ask [[file:people/ada.md][Ada]] about the kiln.\n- owner:: Ada {{2024..}}\n* Log\nNothing.\n"
        ),
    );
    sandbox.write(
        "old.org",
        format!(":PROPERTIES:\n:ID: {OLD}\n:END:\n#+title: Old plan\n\nSee [[id:{STEPS}][the steps]].\n"),
    );
    sandbox.write("people/ada.md", format!("---\nid: ada\n---\n# Ada\n\nWrote [[Plan]], see [[id:{STEPS}|steps]] and [log](../20240301-plan.org#Log).\n"));
    sandbox.sync();
    sandbox
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

fn sources(list: &Value) -> Vec<&str> {
    list["links"].as_array().expect("links").iter().filter_map(|link| link["from"].as_str()).collect()
}

#[test]
fn org_files_are_pages_and_links_lead_across_formats() {
    let sandbox = roam();
    let before = sandbox.files();
    let status = sandbox.run(&["status"]).ok().json();
    assert_eq!((&status["pages"], &status["pending_links"]), (&json!(3), &json!(0)));
    let plan = sandbox.run(&["show", "Grand plan"]).ok().json();
    assert_eq!(
        (&plan["id"], &plan["title"], &plan["tags"]),
        (&json!(PLAN), &json!("Plan"), &json!(["work"]))
    );
    assert_eq!(plan["nodes"][0]["place"], "20240301-plan.org::*Next steps");
    assert_eq!(
        sources(&sandbox.run(&["backlinks", "plan"]).ok().json()),
        ["old", "people/ada", "people/ada", "people/ada"]
    );
    let old = sandbox.run(&["show", "old"]).ok().json();
    assert_eq!(old["status"], "superseded");
    let facts = sandbox.run(&["facts", "plan"]).ok().json();
    assert_eq!(facts["facts"][0]["object"], "Ada");
    assert_eq!(sandbox.files(), before, "nothing is written");
}

#[test]
fn headings_with_an_id_are_nodes() {
    let sandbox = roam();
    for reference in [
        STEPS,
        &format!("id:{STEPS}"),
        &format!("ai-kb: Next steps ({STEPS})"),
        "next steps",
        "20240301-plan.org::*Next steps",
    ] {
        let shown = sandbox.run(&["show", reference]).ok().json();
        assert_eq!(shown["node"]["place"], "20240301-plan.org::*Next steps", "{reference}");
        assert_eq!(shown["node"]["tags"], json!(["work", "todo"]));
        let content = shown["content"].as_str().expect("text");
        assert!(content.starts_with("* Next steps") && !content.contains("* Log"), "{content}");
    }
    assert_eq!(sources(&sandbox.run(&["backlinks", STEPS]).ok().json()), ["old", "people/ada"]);
    assert_eq!(sandbox.run(&["links", "next steps"]).ok().json()["links"].as_array().map(Vec::len), Some(1));
    let found = sandbox.run(&["query", "kiln"]).ok().json();
    let passages = found["hits"][0]["passages"].as_array().expect("passages");
    let kiln = passages.iter().find(|one| one["text"].as_str().is_some_and(|text| text.contains("kiln")));
    let kiln = kiln.unwrap_or_else(|| panic!("{found}"));
    assert_eq!(kiln["nodes"], json!(["20240301-plan.org::*Next steps"]), "{found}");
    assert_eq!(kiln["heading"], "Next steps", "{found}");
}

#[test]
fn a_heading_is_not_deleted_or_moved_with_its_file() {
    let sandbox = roam();
    let before = sandbox.files();
    for arguments in [["rm", STEPS, "--yes"], ["mv", STEPS, "steps.org"], ["rm", "Next steps", "--yes"]] {
        sandbox.run(&arguments).exits(2).says("20240301-plan.org::*Next steps is a heading");
    }
    assert_eq!(sandbox.files(), before);
    sandbox.run(&["rm", "./20240301-plan.org", "--yes"]).ok();
}

/// A client reads a node and writes it back as the whole page.
#[test]
fn a_rewrite_does_not_lose_nodes() {
    let sandbox = roam();
    let before = text(&sandbox, "20240301-plan.org");
    let shown = sandbox.run(&["show", STEPS]).ok().json();
    let slug = shown["slug"].as_str().expect("a slug");
    let section = shown["content"].as_str().expect("text").replace("kiln", "oven");
    sandbox
        .pipe(&["put", slug], section.as_bytes())
        .exits(2)
        .says("only that of the heading \"Next steps\"")
        .says("--section 'Next steps' --with");
    for content in
        [json!({"slug": slug, "content": section}), json!({"slug": slug, "compiled_truth": section})]
    {
        sandbox.run(&["call", "put", &content.to_string()]).exits(2).says("only that of the heading");
    }
    let without = before.replace(&before[before.find("* Next").expect("a node")..], "* Log\nSomething.\n");
    sandbox.pipe(&["put", slug], without.as_bytes()).exits(2).says(STEPS).says(&format!("--drop {STEPS}"));
    let note = ["write-note", "Plan", "New text.", "--overwrite"];
    sandbox.run(&note).exits(2).says("lacks the heading \"Next steps\"");
    let update = ["capture", "New text.", "--update", slug];
    sandbox.run(&update).exits(2).says("lacks the heading \"Next steps\"");
    let pages = json!({"content": "Said so.", "source_type": "doc", "source_ref": "chat/1", "force": true, "pages":
        [{"slug": slug, "expected_version": 1, "content": without}]});
    sandbox.run(&["call", "ingest", &pages.to_string()]).exits(2).says("lacks the heading");
    assert_eq!(text(&sandbox, "20240301-plan.org"), before);

    sandbox.run(&["edit", slug, "--section", "Next steps", "--with", &section]).ok();
    assert_eq!(
        text(&sandbox, "20240301-plan.org"),
        before.replace("kiln", "oven").replace("* Log", "\n* Log")
    );
    sandbox.run(&["edit", slug, "--find", "Nothing.", "--replace", "Something."]).ok();
    sandbox.pipe(&["put", slug, "--drop", STEPS, "--drop", "facts"], without.as_bytes()).ok();
    assert!(!text(&sandbox, "20240301-plan.org").contains(STEPS));
}

#[test]
fn edits_of_a_node_change_its_heading_only() {
    let sandbox = roam();
    let before = text(&sandbox, "20240301-plan.org");
    sandbox.run(&["edit", STEPS, "--append", "Then fire it."]).ok();
    sandbox.run(&["edit", "Next steps", "--prepend", "Soon."]).ok();
    sandbox.run(&["edit", STEPS, "--set", "status=current"]).ok();
    sandbox.run(&["tag", STEPS, "q3"]).ok();
    sandbox.run(&["untag", STEPS, "todo"]).ok();
    sandbox.run(&["edit", STEPS, "--find", "Ask", "--replace", "Tell"]).ok();
    let expected = before
        .replace("* Next steps :todo:", "* Next steps :q3:")
        .replace(&format!("{STEPS}\n:END:\n"), &format!("{STEPS}\n:STATUS: current\n:END:\n\nSoon.\n\n"))
        .replace("Ask [[", "Tell [[")
        .replace("* Log", "\nThen fire it.\n* Log");
    assert_eq!(text(&sandbox, "20240301-plan.org"), expected);
    sandbox.run(&["edit", STEPS, "--unset", "status"]).ok();
    sandbox.run(&["edit", STEPS, "--find", "Nothing.", "--replace", "x"]).exits(2).says("occurs 0 times");
    sandbox.run(&["untag", STEPS, "work"]).exits(2).says("inherited");

    sandbox.run(&["link", "old", STEPS, "--relationship", "led_to"]).ok();
    assert!(text(&sandbox, "old.org").contains(&format!("- led_to [[id:{STEPS}][Next steps]]")));
    sandbox.run(&["link", "people/ada", "Next steps"]).ok();
    assert!(text(&sandbox, "people/ada.md").contains(&format!("- related [[id:{STEPS}|Next steps]]")));
    sandbox.run(&["link", "old", "./20240301-plan.org", "--relationship", "about"]).ok();
    assert!(text(&sandbox, "old.org").contains(&format!("- about [[id:{PLAN}][Plan]]")));
    sandbox.run(&["unlink", "old", STEPS]).ok();
    let old = text(&sandbox, "old.org");
    assert!(!old.contains("led_to") && old.contains("- about"), "{old}");
}

#[test]
fn changes_of_a_whole_file_refuse_a_node() {
    let sandbox = roam();
    let before = sandbox.files();
    for arguments in [
        &["set-status", STEPS, "active"][..],
        &["fact-add", STEPS, "owner", "Byron"],
        &["timeline-add", "Next steps", "--date", "2024-03-01", "--summary", "Agreed"],
        &["link", STEPS, "old"],
        &["unlink", STEPS, "people/ada"],
        &["capture", "More.", "--extend", STEPS],
        &["capture", "More.", "--update", "next steps"],
        &["capture", "Another plan.", "--supersedes", STEPS, "--keep"],
        &["split", STEPS],
        &["merge", "old", STEPS],
        &["raw", STEPS, "--source", "x", "--data", "{}"],
        &["call", "put", &json!({"slug": STEPS, "content": "* Next steps\n"}).to_string()],
    ] {
        sandbox.run(arguments).exits(2).says("20240301-plan.org::*Next steps is a heading");
    }
    let pages = json!({"content": "Said so.", "source_type": "doc", "source_ref": "chat/1", "pages":
        [{"slug": STEPS, "expected_version": 1, "body_append": "More."}]});
    sandbox.run(&["call", "ingest", &pages.to_string()]).exits(2).says("is a heading");
    assert_eq!(sandbox.files(), before);
}

/// Every face makes the same edits and refusals, and words the way out in its own terms.
#[test]
fn servers_keep_nodes() {
    let sandbox = roam();
    let before = text(&sandbox, "20240301-plan.org");
    let mut client = McpClient::start(&sandbox, "memory");
    let node = client.call("memory_get", json!({"slug": STEPS}))["structuredContent"].clone();
    let put = json!({"slug": node["slug"], "content": node["content"], "expected_version": node["version"]});
    let refused = client.call("memory_put", put.clone()).to_string();
    assert!(refused.contains("only that of the heading") && !refused.contains("--section"), "{refused}");
    let without = before.replace(STEPS, "5f0c2a9e-1d33-4c58-8a57-0c9f2b6d7e11");
    let put_without = json!({"slug": node["slug"], "content": without, "expected_version": node["version"]});
    let lost = client.call("memory_put", put_without).to_string();
    assert!(
        lost.contains("lacks the heading") && lost.contains("drop") && !lost.contains("--drop"),
        "{lost}"
    );
    let server = HttpServer::start(&sandbox);
    let (status, refused) = server.post("put", &put);
    assert_eq!((status, refused["error"]["code"].as_str()), (422, Some("edit")), "{refused}");
    let fact = json!({"reference": STEPS, "predicate": "owner", "object": "Byron"});
    assert_eq!(server.post("fact-add", &fact).1["error"]["code"], "usage");
    assert_eq!(text(&sandbox, "20240301-plan.org"), before);
    let (status, done) = server.post("edit", &json!({"reference": STEPS, "append": "Then fire it."}));
    assert_eq!(status, 200, "{done}");
    assert_eq!(text(&sandbox, "20240301-plan.org"), before.replace("* Log", "\nThen fire it.\n* Log"));
}

#[test]
fn edits_change_only_their_lines() {
    let sandbox = roam();
    let before = text(&sandbox, "20240301-plan.org");
    sandbox.run(&["edit", "plan", "--set", "status=current"]).ok();
    sandbox.run(&["tag", "plan", "q3"]).ok();
    sandbox.run(&["edit", "plan", "--section", "Log", "--append", "More."]).ok();
    sandbox.run(&["link", "plan", "people/ada", "--relationship", "owned_by"]).ok();
    sandbox
        .run(&["timeline-add", "plan", "--date", "2024-03-01", "--summary", "Agreed", "--source", "chat"])
        .ok();
    let expected = before
        .replace(":END:\n#+title", ":STATUS: current\n:END:\n#+title")
        .replace(":work:\n", ":work:q3:\n")
        .replace("Nothing.\n", "Nothing.\n\nMore.\n\n- owned_by [[id:ada][Ada]]\n\n-----\n\n* Timeline\n- *2024-03-01* | chat — Agreed\n");
    assert_eq!(text(&sandbox, "20240301-plan.org"), expected);
    sandbox.run(&["edit", "plan", "--unset", "status"]).ok();
    sandbox.run(&["untag", "plan", "q3"]).ok();
    assert!(
        text(&sandbox, "20240301-plan.org").starts_with(&before[..before.find("* Log").expect("a heading")])
    );
    let timeline = sandbox.run(&["timeline", "plan"]).ok().json();
    assert_eq!(timeline["entries"][0]["summary"], "Agreed", "{timeline}");
}

#[test]
fn links_follow_a_move() {
    let sandbox = roam();
    sandbox.run(&["mv", "plan", "plans/plan.org"]).ok();
    assert!(text(&sandbox, "plans/plan.org").contains("[[file:../people/ada.md][Ada]]"));
    assert!(text(&sandbox, "people/ada.md").contains("[log](../plans/plan.org#Log)"));
    let status = sandbox.run(&["status"]).ok().json();
    assert_eq!(status["pending_links"], 0, "{status}");
}

#[test]
fn conversion_and_back_gives_the_same_page() {
    let sandbox = roam();
    let of = |reference: &str| {
        let page = sandbox.run(&["show", reference, "--with-links"]).ok().json();
        let links: Vec<String> = page["links"]
            .as_array()
            .expect("links")
            .iter()
            .map(|link| format!("{} {} {}", link["relationship"], link["to"], link["valid_from"]))
            .collect();
        (page["id"].clone(), page["title"].clone(), page["properties"].clone(), page["facts"].clone(), links)
    };
    let before = text(&sandbox, "20240301-plan.org");
    let (id, title, properties, _, _) = of("plan");
    sandbox.run(&["mv", "plan", "20240301-plan.md"]).ok();
    let markdown = text(&sandbox, "20240301-plan.md");
    assert!(markdown.contains("# Next steps") && markdown.starts_with("---\n"), "{markdown}");
    let as_markdown = of("plan");
    assert_eq!((as_markdown.0, as_markdown.1), (id, title));
    assert_eq!(as_markdown.2["aliases"], properties["aliases"]);
    sandbox.run(&["mv", "plan", "20240301-plan.org"]).ok();
    assert_eq!(text(&sandbox, "20240301-plan.org"), before.replace(":ID:       ", ":ID: "));
    let links = sandbox.run(&["status"]).ok().json();
    assert_eq!(links["pending_links"], 0);
}

#[test]
fn links_to_headings_with_keywords_and_tags_do_not_prevent_a_conversion() {
    let sandbox = roam();
    let plan = text(&sandbox, "20240301-plan.org")
        .replace("* Next steps :todo:", "* TODO [#A] Next steps :todo:")
        .replace("Nothing.", "See [[*Next steps]] first.");
    sandbox.write("20240301-plan.org", plan.replace(":ID:       ", ":ID: "));
    sandbox.sync();
    let before = text(&sandbox, "20240301-plan.org");
    sandbox.run(&["mv", "plan", "20240301-plan.md"]).ok();
    assert!(text(&sandbox, "20240301-plan.md").contains("# TODO [#A] Next steps :todo:"));
    sandbox.run(&["mv", "plan", "20240301-plan.org"]).ok();
    assert_eq!(text(&sandbox, "20240301-plan.org"), before);
}

#[test]
fn new_pages_have_the_format_of_their_folder() {
    let sandbox = roam();
    std::fs::remove_file(sandbox.vault().join("people/ada.md")).expect("the only Markdown page");
    let written = sandbox
        .run(&["capture", "The **kiln** is hot.\n\n- state:: hot", "--title", "Kiln", "--keep"])
        .ok()
        .json();
    let path = written["path"].as_str().expect("a path");
    assert!(path.ends_with(".org"), "{path}");
    let page = text(&sandbox, path);
    assert!(page.contains("#+title: Kiln\n") && page.contains("The *kiln* is hot."), "{page}");
    assert_eq!(sandbox.run(&["facts", "kiln"]).ok().json()["facts"][0]["object"], "hot");
}

#[test]
fn a_capture_in_an_org_roam_directory_is_a_node() {
    let sandbox = roam();
    std::fs::remove_file(sandbox.vault().join("people/ada.md")).expect("the only Markdown page");
    let written = sandbox.run(&["capture", "As in [[Old plan]].", "--title", "Kiln", "--keep"]).ok().json();
    let page = text(&sandbox, written["path"].as_str().expect("a path"));
    assert!(page.starts_with(":PROPERTIES:\n:ID: ") && page.contains("#+title: Kiln\n"), "{page}");
    assert!(page.contains(&format!("As in [[id:{OLD}][Old plan]].")), "{page}");
}

#[test]
fn invalid_nodes_are_refused_by_the_roam_profile() {
    let vault = GitVault::with_profile("roam-org");
    let seeded = vault.lore(&["lint"]).ok().json();
    assert_eq!(seeded["findings"], json!([]));
    vault.lore(&["capture", "Squash before merging.", "--title", "Squash", "--tag", "preference"]).ok();
    let names = std::fs::read_dir(vault.sandbox.vault())
        .expect("the vault")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> = names.collect();
    let name = names.iter().find(|name| name.ends_with("-squash.org")).expect("a node").as_str();
    let node = text(&vault.sandbox, name);
    assert!(names.iter().any(|name| name == "AGENT_CONTRACT.org"), "{names:?}");
    let index = text(&vault.sandbox, "index.org");
    assert!(index.contains("| Squash | ") && !index.contains("[[id:"), "{index}");
    for (broken, expected) in [
        (node.replace(":STATUS: current", "no property"), "malformed property drawer"),
        (node.replace(":STATUS: current", ":STATUS: maybe"), "`status` is \"maybe\""),
        (node.replace("#+title: Squash\n", ""), "the property `title` is missing"),
        (node.replace(":END:\n", ""), "malformed property drawer"),
        (node.replace("Squash before", "[[id:0000]] before"), "matches no page"),
        (node.clone() + "* A\n:PROPERTIES:\n:ID: x\n:END:\n* B\n:PROPERTIES:\n:ID: x\n:END:\n", "used twice"),
    ] {
        vault.sandbox.pipe(&["put", name], broken.as_bytes()).exits(4).says(expected);
        assert_eq!(text(&vault.sandbox, name), node);
    }
}

#[test]
fn links_by_title_in_a_capture_name_ids() {
    let vault = GitVault::with_profile("roam-org");
    let start = text(&vault.sandbox, "start-here.org");
    let id = start.lines().find_map(|line| line.strip_prefix(":ID: ")).expect("an id");
    let body = "Read [[start here]] and [[Start here|it]].\n\n- RELATES_TO [[Start here]] (first)\n\n`[[Start here]]`";
    let written =
        vault.lore(&["capture", body, "--title", "Newcomers", "--tag", "procedure", "--keep"]).ok().json();
    let page = text(&vault.sandbox, written["path"].as_str().expect("a path"));
    assert!(page.contains(&format!("Read [[id:{id}][start here]] and [[id:{id}][it]].")), "{page}");
    assert!(page.contains(":SUMMARY: Read start here and it\n"), "{page}");
    assert!(page.contains(&format!("- RELATES_TO [[id:{id}][Start here]] (first)")), "{page}");
    assert!(page.contains("[[Start here]]"), "code stays as it is: {page}");
    let links = vault.lore(&["links", "newcomers"]).ok().json();
    let relations: Vec<&str> = links["links"]
        .as_array()
        .expect("links")
        .iter()
        .filter_map(|link| link["relationship"].as_str())
        .collect();
    assert!(relations.contains(&"relates_to"), "{links}");
    vault.lore(&["lint"]).ok();
}
