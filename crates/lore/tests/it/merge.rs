//! `merge` and `split`: a preview, then one write that can be undone; links, pointers and ids follow.

use serde_json::{Value, json};

use crate::git_support::GitVault;
use crate::sandbox::Sandbox;
use crate::server_support::{HttpServer, McpClient};

const KEPT: &str = "a1b2c3d4-0000-4000-8000-000000000001";
const GONE: &str = "c3d4e5f6-0000-4000-8000-000000000002";

fn two_pages() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "companies/acme.md",
        format!(
            "---\nid: {KEPT}\ntags: [client]\n---\n# Acme\n\nA company.\n\n## Facts\n\n- ceo:: Ada\n\n## Links\n\n- related [[Acme Inc]]\n\n---\n\n- **2024-03-01** | chat — Signed\n"
        ),
    );
    sandbox.write(
        "companies/acme-inc.md",
        format!(
            "---\nid: {GONE}\ntags: [partner]\naliases: [ACME]\nregion: north\n---\n# Acme Inc\n\nA company.\n\n## Facts\n\n- ceo:: Ada\n- size:: 40\n\n---\n\n- **2024-02-01** | mail — Called\n"
        ),
    );
    sandbox.write(
        "people/ada.md",
        format!(
            "# Ada\n\nLeads [[Acme Inc]], see [it](../companies/acme-inc.md#facts) and [[id:{GONE}|there]].\n\nlore: Acme Inc ({GONE})\n"
        ),
    );
    sandbox.sync();
    sandbox
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

#[test]
fn merge_is_previewed_then_written_as_one() {
    let sandbox = two_pages();
    let before = sandbox.files();
    let preview = sandbox.run(&["merge", "companies/acme", "companies/acme-inc"]).ok().json();
    assert_eq!(
        (&preview["outcome"], &preview["deleted"]),
        (&json!("preview"), &json!(["companies/acme-inc.md"]))
    );
    assert_eq!(preview["links"], json!({ "people/ada.md": 4 }));
    assert!(preview["diff"].as_str().expect("a diff").contains("+- size:: 40"));
    assert_eq!(sandbox.files(), before, "a preview writes nothing");
    let merged = sandbox.run(&["merge", "companies/acme", "companies/acme-inc", "--yes"]).ok().json();
    assert_eq!(merged["outcome"], "merged");
    assert_eq!(
        text(&sandbox, "companies/acme.md"),
        format!(
            "---\nid: {KEPT}\ntags: [client, partner]\naliases: [Acme Inc, {GONE}, companies/acme-inc]\nregion: north\n---\n# Acme\n\nA company.\n\n## Facts\n\n- ceo:: Ada\n- size:: 40\n\n## Links\n\n\n---\n\n- **2024-03-01** | chat — Signed\n- **2024-02-01** | mail — Called\n"
        )
    );
    assert_eq!(
        text(&sandbox, "people/ada.md"),
        format!(
            "# Ada\n\nLeads [[Acme]], see [it](../companies/acme.md#facts) and [[id:{KEPT}|there]].\n\nlore: Acme Inc ({KEPT})\n"
        )
    );
    assert!(!sandbox.vault().join("companies/acme-inc.md").exists());
    for reference in [GONE, "Acme Inc", "ACME", &format!("id:{GONE}"), &format!("ai-kb: Acme Inc ({GONE})")] {
        assert_eq!(sandbox.run(&["show", reference]).ok().json()["slug"], "companies/acme", "{reference}");
    }
    sandbox.validate();
}

#[test]
fn pointers_from_other_vaults_are_listed_and_not_changed() {
    let sandbox = two_pages();
    sandbox.run(&["init", "../other"]).ok();
    let pointer = sandbox.root.join("other/memory.md");
    let before = format!("# Memory\n\nai-kb: Acme Inc ({GONE})\n");
    std::fs::write(&pointer, &before).expect("a page");
    sandbox.run(&["--project", "other", "sync"]).ok();
    let merge = ["merge", "companies/acme", "companies/acme-inc"];
    assert_eq!(sandbox.run(&merge).ok().json()["elsewhere"], json!(["other: memory.md"]));
    let merged = sandbox.run(&[&merge[..], &["--yes", "--format", "human"]].concat()).ok().text();
    assert!(merged.contains("points   other: memory.md\n"), "{merged}");
    assert_eq!(std::fs::read_to_string(&pointer).expect("a page"), before);
    let shown = sandbox.run(&["show", &format!("ai-kb: Acme Inc ({GONE})")]).ok().json();
    assert_eq!(shown["slug"], "companies/acme");
}

#[test]
fn merge_is_undone_by_its_own_commands() {
    let sandbox = two_pages();
    let files = |sandbox: &Sandbox| {
        ["companies/acme.md", "companies/acme-inc.md", "people/ada.md"].map(|path| text(sandbox, path))
    };
    let before = files(&sandbox);
    let merged = sandbox.run(&["merge", "companies/acme", "companies/acme-inc", "--yes"]).ok().json();
    for command in merged["undo"].as_array().expect("commands") {
        let words: Vec<&str> = command.as_str().expect("a command").split(' ').skip(1).collect();
        sandbox.run(&words).ok();
    }
    assert_eq!(files(&sandbox), before);
}

#[test]
fn values_that_a_merge_drops_are_listed() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/bob.md", "---\nemail: b@x.y\ntypes: [a]\ncity: Bonn\n---\n# Bob\n");
    sandbox.write(
        "people/robert.md",
        "---\nemail: r@x.y\nstatus: draft\ntypes: b\ncity: Bonn\nphone: 12\npermalink: old/rob\n---\n# Robert\n",
    );
    let dropped = json!([
        { "path": "people/robert.md", "property": "email", "value": "r@x.y", "kept": "b@x.y" },
        { "path": "people/robert.md", "property": "status", "value": "draft" },
    ]);
    let merge = ["merge", "people/bob", "people/robert"];
    assert_eq!(sandbox.run(&merge).ok().json()["dropped"], dropped);
    let preview = sandbox.run(&[&merge[..], &["--format", "human"]].concat()).ok().text();
    assert!(preview.contains("drops    people/robert.md  email: r@x.y (kept: b@x.y)\n"), "{preview}");
    assert!(preview.contains("drops    people/robert.md  status: draft\n"), "{preview}");
    let merged = sandbox.run(&[&merge[..], &["--yes"]].concat()).ok().json();
    assert_eq!(merged["dropped"], dropped);
    let bob = text(&sandbox, "people/bob.md");
    assert!(bob.contains("types: [a, b]\n") && bob.contains("phone: 12\n"), "{bob}");
    assert_eq!(sandbox.run(&["show", "old/rob"]).ok().json()["slug"], "people/bob");
}

#[test]
fn slugs_of_merged_pages_are_followed_and_resolve() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("people/bob.md", "# Bob\n");
    sandbox.write("people/robert.md", "# Robert\n");
    sandbox.write(
        "plan.md",
        "---\nowner: people/robert\nattendees: [people/robert, people/eve]\nfile: people/robert.md\nnote: robert\n---\n# Plan\n",
    );
    let preview = sandbox.run(&["merge", "people/bob", "people/robert"]).ok().json();
    assert_eq!(preview["links"], json!({ "plan.md": 3 }), "{preview}");
    sandbox.run(&["merge", "people/bob", "people/robert", "--yes"]).ok();
    assert_eq!(
        text(&sandbox, "plan.md"),
        "---\nowner: people/bob\nattendees: [people/bob, people/eve]\nfile: people/bob.md\nnote: robert\n---\n# Plan\n"
    );
    assert_eq!(sandbox.run(&["show", "people/robert"]).ok().json()["slug"], "people/bob");
    // A new page there takes its slug back.
    sandbox.pipe(&["put", "people/robert"], b"# Another\n").ok();
    assert_eq!(sandbox.run(&["show", "people/robert"]).ok().json()["slug"], "people/robert");
}

#[test]
fn pages_that_contradict_each_other_are_not_merged() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("acme.md", "# Acme Corp\n");
    sandbox.write(
        "bob.md",
        "# Bob\n\n- city:: Bonn\n- likes:: tea\n- works_at [[Acme Corp]] {2019..2022}\n- knows [[Eve]]\n",
    );
    sandbox.write(
        "robert.md",
        "# Robert\n\n- Robert | city:: Paris\n- likes:: milk\n- works_at [[acme]] {2021..}\n- knows [[Eve]] (well)\n",
    );
    let before = sandbox.files();
    let conflicts = json!([
        "two values of city: `- city:: Bonn` and `- Robert | city:: Paris`",
        "one relation twice at the same time: `- works_at [[Acme Corp]] {2019..2022}` and `- works_at [[acme]] {2021..}`",
    ]);
    let preview = sandbox.run(&["merge", "bob", "robert"]).ok().json();
    assert_eq!(preview["conflicts"], conflicts, "{preview}");
    sandbox
        .run(&["merge", "bob", "robert", "--yes"])
        .exits(2)
        .says("`- city:: Bonn`")
        .says("nothing was changed");
    assert_eq!(sandbox.files(), before);
    // Values at different times do not contradict each other.
    sandbox.write("robert.md", "# Robert\n\n- city:: Paris {..2010}\n- works_at [[acme]] {2023..}\n");
    sandbox.write("bob.md", "# Bob\n\n- city:: Bonn {2011..}\n- works_at [[Acme Corp]] {2019..2022}\n");
    sandbox.run(&["merge", "bob", "robert", "--yes"]).ok();
    sandbox.validate();
}

/// A title that comes from the name of a file is gone with the file, so it becomes an alias.
#[test]
fn names_of_merged_files_still_resolve() {
    for extension in ["md", "org"] {
        let sandbox = Sandbox::with_vault();
        let titled = if extension == "org" { "#+title: Heading\n\nMore.\n" } else { "# Heading\n\nMore.\n" };
        sandbox.write(&format!("target.{extension}"), "Own text.\n");
        sandbox.write(&format!("clients/In good hands.{extension}"), "Some text.\n");
        sandbox.write(&format!("clients/File name.{extension}"), titled);
        sandbox.sync();
        let [one, other] = ["In good hands", "File name"].map(|name| format!("./clients/{name}.{extension}"));
        sandbox.run(&["merge", "target", &one, &other, "--yes"]).ok();
        for name in ["In good hands", "in-good-hands", "clients/in-good-hands", "File name", "Heading"] {
            let shown = sandbox.run(&["show", name]).ok().json();
            assert_eq!(shown["slug"], "target", "{extension}: {name}");
        }
        let own = text(&sandbox, &format!("target.{extension}"));
        assert!(!own.to_lowercase().contains("aliases: [target") && !own.contains("\"target\""), "{own}");
    }
}

#[test]
fn servers_preview_and_leave_the_decision_to_a_person() {
    let sandbox = two_pages();
    let before = sandbox.files();
    let server = HttpServer::start(&sandbox);
    let mut client = McpClient::start(&sandbox, "all");
    let merge = json!({ "reference": "companies/acme", "others": ["companies/acme-inc"] });
    let split = json!({ "reference": "companies/acme" });
    for (operation, mut input) in [("merge", merge), ("split", split)] {
        let (status, body) = server.post(operation, &input);
        assert_eq!((status, &body["outcome"]), (200, &json!("preview")), "{body}");
        input["yes"] = json!(true);
        let (status, body) = server.post(operation, &input);
        assert_eq!(status, 403, "{body}");
        let answer = client.call(operation, input.clone());
        assert!(!answer.to_string().contains("\"outcome\""), "{answer}");
        assert_eq!(sandbox.files(), before, "{operation}");
    }
    let input = json!({ "reference": "companies/acme", "others": ["companies/acme-inc"], "yes": true });
    assert_eq!(sandbox.run(&["call", "merge", &input.to_string()]).ok().json()["outcome"], "merged");
}

#[test]
fn merge_refuses_what_it_cannot_do() {
    let sandbox = two_pages();
    sandbox.run(&["merge", "companies/acme", "companies/acme"]).exits(2).says("no other page");
    sandbox.run(&["merge", "companies/acme", "nobody"]).exits(1);
    sandbox.run(&["merge", "companies/acme"]).exits(2);
    for page in ["acme", "acme-inc"] {
        sandbox.write(&format!("companies/.raw/{page}.json"), "{\"sources\":{}}");
    }
    let refused = ["merge", "companies/acme", "companies/acme-inc", "--yes"];
    sandbox.run(&refused).exits(2).says("both").says("nothing was changed");
    assert!(sandbox.vault().join("companies/acme-inc.md").exists());
}

#[test]
fn merged_nodes_of_a_strict_vault_stay_valid() {
    let vault = GitVault::with_profile("roam");
    let one = vault.lore(&["capture", "Commit messages are imperative.", "--tag", "preference"]).ok().json();
    let other = vault.lore(&["capture", "Looms weave patterns of leaves.", "--tag", "principle"]).ok().json();
    let slug = |page: &Value| page["slug"].as_str().expect("a slug").to_owned();
    vault.lore(&["merge", &slug(&one), &slug(&other), "--yes"]).ok();
    vault.lore(&["lint"]).ok();
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert!(vault.git(&["log", "-1", "--format=%s"]).starts_with("Merge "));
}

/// In Org, only a link by id is one for org-roam.
#[test]
fn split_of_an_org_page_links_by_id() {
    let vault = GitVault::with_profile("roam-org");
    let captured = vault.lore(&["capture", "Tag it, then push it.", "--title", "Guide"]).exits(0).json();
    let path = captured["path"].as_str().expect("a path");
    vault.lore(&["edit", path, "--append", "* Release\nTag it.\n* Deploy\nPush it."]).ok();
    vault.lore(&["split", path, "--yes"]).ok();
    for (page, relation) in [(path, "- has_part [[id:"), ("deploy.org", "- part_of [[id:")] {
        assert!(vault.read(page).contains(relation), "{}", vault.read(page));
    }
    assert!(vault.read(path).contains("][Deploy]]"), "{}", vault.read(path));
}

/// What the heading of an Org file says goes with its section, and links to its id lead to the new page.
#[test]
fn heads_of_org_sections_are_kept() {
    let page = "#+title: Big\n\nIntro.\n\n* TODO Two :deep:\nDEADLINE: <2026-12-01 Tue>\n:PROPERTIES:\n\
                :ID: aaaaaaaa-0000-4000-8000-000000000003\n:EFFORT: 1h\n:ROAM_ALIASES: \"Second part\" Deux\n:END:\n\nSee [[file:other.org][it]].\n";
    for (path, format, extension) in [("two.org", "org", "org"), ("two.md", "markdown", "md")] {
        let sandbox = Sandbox::empty();
        std::fs::create_dir(sandbox.vault()).expect("a new directory");
        sandbox.run(&["init", "--no-git", "--pages", format]).ok();
        // New pages have the format of most pages of their directory.
        ["x", "y", "z"].iter().for_each(|name| sandbox.write(&format!("{name}.{extension}"), "Text.\n"));
        sandbox.write("big.org", page);
        sandbox.write("other.org", "#+title: Other\n\n[[id:aaaaaaaa-0000-4000-8000-000000000003][two]]\n");
        sandbox.sync();
        sandbox.run(&["split", "big", "--yes"]).ok();
        let part = text(&sandbox, path);
        for kept in [
            "aaaaaaaa-0000-4000-8000-000000000003",
            "1h",
            "TODO",
            "DEADLINE: <2026-12-01 Tue>",
            "deep",
            "Second part",
            "Deux",
        ] {
            assert!(part.contains(kept), "{kept}: {part}");
        }
        assert!(format == "org" || !part.contains("#+") && part.contains("[it](other.org)"), "{part}");
        let links = sandbox.run(&["links", "other"]).ok().json();
        assert_eq!(links["links"][0]["to"], "two", "{links}");
        sandbox.validate();
    }
}

#[test]
fn split_makes_pages_of_sections() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "guide.md",
        "---\ntags: [howto]\n---\n# Guide\n\nIntro.\n\n## Release\n\nTag it.\n\n### Notes\n\n- [tip] Sign it.\n\n## Deploy\n\nPush it.\n\n---\n\n- **2024-01-01** | chat — Written\n",
    );
    sandbox.write("index.md", "See [[Guide#Release]], [[Guide]] and [it](guide.md#Deploy).\n");
    let preview = sandbox.run(&["split", "guide"]).ok().json();
    let created = preview["created"].as_array().expect("pages");
    assert_eq!(
        created.iter().map(|page| page["path"].as_str().expect("a path")).collect::<Vec<_>>(),
        ["release.md", "deploy.md"]
    );
    assert!(!sandbox.vault().join("release.md").exists(), "a preview writes nothing");
    let done = sandbox.run(&["split", "guide", "--yes"]).ok().json();
    assert_eq!(done["outcome"], "split");
    let release = text(&sandbox, "release.md");
    assert!(release.contains("# Release\n\nTag it.\n\n## Notes\n\n- [tip] Sign it.\n"), "{release}");
    assert!(release.contains("- part_of [[Guide]]") && release.contains("howto"), "{release}");
    let guide = text(&sandbox, "guide.md");
    assert!(guide.contains("Intro.") && !guide.contains("Tag it.") && guide.contains("Written"), "{guide}");
    assert!(guide.contains("- has_part [[Release]]") && guide.contains("- has_part [[Deploy]]"), "{guide}");
    assert_eq!(text(&sandbox, "index.md"), "See [[Release]], [[Guide]] and [it](deploy.md).\n");
    for command in done["undo"].as_array().expect("commands") {
        let words: Vec<&str> = command.as_str().expect("a command").split(' ').skip(1).collect();
        sandbox.run(&words).ok();
    }
    assert!(text(&sandbox, "guide.md").contains("Tag it.") && !sandbox.vault().join("release.md").exists());
    sandbox.run(&["split", "guide", "--section", "Nowhere"]).exits(2).says("Release, Deploy");
    sandbox.run(&["split", "index"]).exits(2).says("no sections");
}

#[test]
fn split_keeps_the_subjects_of_facts_and_links_to_what_moved() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "big.md",
        "# Big Topic\n\n## Team\n\n- role:: lead {2020..}\n  1. stage:: beta\n- Ada | role:: cook\n\nA quote. ^qb\n\n### Habits\n\nTea.\n\n## Rest\n\nMore. ^qc\n\n### Twice\n\n### Twice\n",
    );
    sandbox.write(
        "index.md",
        "[[Big Topic#^qb]] [[Big Topic#Habits|h]] [[Big Topic#Team]] [[Big Topic#Team#^qb]] [x](big.md#^qb) [[Big Topic#^qc]]\n",
    );
    sandbox.run(&["split", "big", "--section", "Team", "--yes"]).ok();
    let team = text(&sandbox, "team.md");
    assert!(
        team.contains(
            "- Big Topic | role:: lead {2020..}\n  1. Big Topic | stage:: beta\n- Ada | role:: cook\n"
        ),
        "{team}"
    );
    let facts = sandbox.run(&["facts", "--subject", "Big Topic"]).ok().text();
    assert!(facts.contains("lead"), "{facts}");
    assert_eq!(
        text(&sandbox, "index.md"),
        "[[Team#^qb]] [[Team#Habits|h]] [[Team]] [[Team#Team#^qb]] [x](team.md#^qb) [[Big Topic#^qc]]\n"
    );
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
}

/// Links between the sections of a page lead to the pages that they become, in what moved, in what stays and on other pages.
#[test]
fn links_between_split_sections_follow() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "sp.md",
        "# Sp\n\nIntro [[#Two]] [q](#one-way) ![[#^b1]].\n\n## One way?\n\n[[#Two|t]] [x](#two) [own](#one-way) [[#One way?]] [[#Deep]] [[Sp#Two]] [[Sp]] `[[#Two]]`\n\n\
         ## Two\n\n[[#One way?]] [[Sp#One way?]] [b](<#one-way>) [m](sp.md#deep) [r][] [[#Left]]\n\n[r]: #one-way\n\n### Deep\n\nA block. ^b1\n\n[[#^b1]] [[#Deep]]\n\n\
         ## Left\n\n[[#Two]] [[#Left]]\n",
    );
    sandbox.write("other.md", "# Other\n\n[[Sp#One way?]] [m](sp.md#one-way) [[Sp#Deep]] [[Sp#Left]]\n");
    sandbox.sync();
    sandbox.run(&["split", "sp", "--section", "One way?", "--section", "Two", "--yes"]).ok();
    for (path, expected) in [
        ("sp.md", "Intro [[Two]] [q](one-way.md) ![[Two#^b1]].\n\n## Left\n\n[[Two]] [[#Left]]\n"),
        (
            "one-way.md",
            "\n[[Two|t]] [x](two.md) [own](#one-way) [[#One way?]] [[Two#Deep]] [[Two]] [[Sp]] `[[#Two]]`\n",
        ),
        (
            "two.md",
            "\n[[One way?]] [[One way?]] [b](<one-way.md>) [m](two.md#deep) [r][] [[Sp#Left]]\n\n[r]: one-way.md\n\n## Deep\n\nA block. ^b1\n\n[[#^b1]] [[#Deep]]\n",
        ),
        ("other.md", "[[One way?]] [m](one-way.md) [[Two#Deep]] [[Sp#Left]]\n"),
    ] {
        let text = text(&sandbox, path);
        assert!(text.contains(expected), "{path}: {text}");
    }
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
}

/// Where a title is taken, the new page has another, and its links to its own heading follow.
#[test]
fn links_of_a_split_section_to_itself_follow_its_title() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("notes.md", "# Notes\n");
    sandbox.write("sp.md", "# Sp\n\n## Notes\n\n[[#Notes]] and [x](#notes)\n");
    sandbox.sync();
    sandbox.run(&["split", "sp", "--yes"]).ok();
    let part = text(&sandbox, "sp-notes.md");
    assert!(part.contains("[[Sp: Notes]] and [x](sp-notes.md)"), "{part}");
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
}

#[test]
fn links_between_split_org_sections_follow() {
    let sandbox = Sandbox::empty();
    std::fs::create_dir(sandbox.vault()).expect("a new directory");
    sandbox.run(&["init", "--no-git", "--pages", "org"]).ok();
    sandbox.write(
        "sp.org",
        "#+title: Sp\n\nIntro [[*Two]].\n\n* One\n:PROPERTIES:\n:ID: aaaaaaaa-0000-4000-8000-000000000001\n:CUSTOM_ID: first\n:END:\n\n[[*Two][t]] [[Two]] [[*Deep]] [[*One]] [[*Left]]\n\n\
         * Two\n:PROPERTIES:\n:ID: aaaaaaaa-0000-4000-8000-000000000003\n:END:\n\n[[#first]] [[*One]] [[file:sp.org::*One][b]]\n\n** Deep\n\nText.\n\n* Left\n\nText.\n",
    );
    sandbox.write("other.org", "#+title: Other\n\n[[file:sp.org::*One][m]]\n");
    sandbox.sync();
    sandbox.run(&["split", "sp", "--section", "One", "--section", "Two", "--yes"]).ok();
    let first = "[[id:aaaaaaaa-0000-4000-8000-000000000001]";
    let two = "[[id:aaaaaaaa-0000-4000-8000-000000000003]";
    let one = text(&sandbox, "one.org");
    assert!(
        one.contains(&format!(
            "{two}[t]] {two}[Two]] [[file:two.org::*Deep][Deep]] {first}[One]] [[file:sp.org::*Left][Left]]\n"
        )),
        "{one}"
    );
    let page = text(&sandbox, "two.org");
    assert!(page.contains(&format!("{first}[first]] {first}[One]] [[file:one.org][b]]\n")), "{page}");
    assert!(text(&sandbox, "sp.org").contains(&format!("Intro {two}[Two]].\n")));
    assert!(text(&sandbox, "other.org").contains("[[file:one.org][m]]"));
    sandbox.run(&["lint"]).ok().prints("\"warnings\":0");
}
