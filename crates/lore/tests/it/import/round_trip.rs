//! What comes in goes out again.

use std::fs;

use super::{export, files, import, paths, reason, tree};
use crate::sandbox::Sandbox;

/// A vault with everything that is odd about real ones.
const ODD: &[(&str, &[u8])] = &[
    (".obsidian/app.json", b"{}"),
    ("Ada Lovelace.md", b"---\naliases: [Ada]\n---\r\n# Ada\r\n\r\nSee [[Engine#Parts|the engine]] and ![[wheel.png]]. ^block\r\n"),
    ("notes/Engine.md", b"# Engine\n\n## Parts\n\n[Ada](../Ada%20Lovelace.md), [[Ada Lovelace#^block]], [[nowhere]]"),
    ("notes/latin.md", b"J\xfcrgen isst gern K\xe4se\n"),
    ("notes/.raw/Engine.json", b"{\"sources\": {\"registry\": {\"built\": 1837}}}"),
    ("files/wheel.png", b"\x89PNG\r\n\x1a\n\0\0"),
    ("board.canvas", b"{\"nodes\": []}"),
    ("empty.md", b""),
    (" lead.md", b"# Lead\n"),
    (".trash/old.md", b"# Old\n"),
];

fn odd() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    tree(&sandbox, "src", ODD);
    fs::create_dir_all(sandbox.root.join("src/nothing/here")).expect("folders");
    sandbox
}

#[test]
fn raw_export_equals_the_source() {
    let sandbox = odd();
    let output = import(&sandbox, &["../src"]);
    assert_eq!(output["kind"], "obsidian");
    assert_eq!(
        paths(&output, "pages"),
        ["lead.md", "Ada Lovelace.md", "empty.md", "notes/Engine.md", "notes/latin.md"]
    );
    assert_eq!(paths(&output, "attachments"), ["board.canvas", "files/wheel.png", "notes/.raw/Engine.json"]);
    assert_eq!(
        (output["links_resolved"].as_u64(), output["links_pending"].as_u64()),
        (Some(3), Some(2)),
        "{output}"
    );
    assert!(reason(&output, "skipped", ".trash/old.md").contains("hidden"));
    let id = output["import_id"].as_str().expect("an id");
    export(&sandbox, "raw", &["--raw", "--import-id", id]).ok();
    assert_eq!(files(&sandbox.root.join("raw")), files(&sandbox.root.join("src")));
    assert_eq!(sandbox.read("notes/latin.md"), "Jürgen isst gern Käse\n".as_bytes(), "pages are UTF-8");
    sandbox.validate();
}

#[test]
fn second_import_changes_nothing() {
    let sandbox = odd();
    import(&sandbox, &["../src"]);
    let before = sandbox.files();
    let output = import(&sandbox, &["../src"]);
    assert_eq!(
        (output["outcome"].as_str(), output["unchanged"].as_u64()),
        (Some("unchanged"), Some(8)),
        "{output}"
    );
    assert_eq!(sandbox.files(), before);
    assert_eq!(sandbox.run(&["imports"]).ok().json()["imports"].as_array().expect("a list").len(), 1);
}

#[test]
fn dry_run_writes_nothing() {
    let sandbox = odd();
    let before = sandbox.files();
    let output = import(&sandbox, &["../src", "--dry-run", "--into", "old"]);
    assert_eq!((output["outcome"].as_str(), output["import_id"].as_str()), (Some("planned"), None));
    assert!(paths(&output, "pages").contains(&"old/Ada Lovelace.md".to_owned()), "{output}");
    assert_eq!(sandbox.files(), before);
    assert_eq!(sandbox.run(&["imports", "--format", "human"]).exits(1).text(), "no imports\n");
}

#[test]
fn normal_export_is_a_fixed_point() {
    let sandbox = odd();
    import(&sandbox, &["../src"]);
    export(&sandbox, "one", &[]).ok();
    let again = Sandbox::with_vault();
    let from = sandbox.root.join("one").display().to_string();
    import(&again, &[&from, "--from", "markdown"]);
    export(&again, "two", &[]).ok();
    assert_eq!(files(&again.root.join("two")), files(&sandbox.root.join("one")));
}

#[test]
fn converted_export_is_a_fixed_point() {
    let sandbox = odd();
    let org = "* Parts\n:PROPERTIES:\n:ID: node-1\n:END:\nSee [[id:node-1][itself]] and [[file:Ada Lovelace.md][Ada]].\n";
    tree(&sandbox, "src", &[("index.md", b"# My own index\n"), ("Nodes.org", org.as_bytes())]);
    tree(&sandbox, "src", &[("by id.org", b"[[id:node-1][the parts]]\n\n[[file:files/wheel.png]]\n")]);
    import(&sandbox, &["../src"]);
    {
        let (format, kind) = ("org", "org-roam");
        export(&sandbox, &format!("{format}-1"), &["--to", format]).ok();
        let again = Sandbox::with_vault();
        let from = sandbox.root.join(format!("{format}-1")).display().to_string();
        import(&again, &[&from, "--from", kind]);
        export(&again, "two", &["--to", format]).ok();
        let (one, two) = (files(&sandbox.root.join(format!("{format}-1"))), files(&again.root.join("two")));
        assert_eq!(one.keys().collect::<Vec<_>>(), two.keys().collect::<Vec<_>>(), "{format}");
        for (path, bytes) in &one {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(text, String::from_utf8_lossy(&two[path]), "{format}: {path}");
        }
        let links = |sandbox: &Sandbox, page: &str| {
            sandbox.run(&["links", page]).json()["links"].as_array().map_or(0, Vec::len)
        };
        for page in ["Ada Lovelace", "Nodes", "by id", "notes/Engine"] {
            assert_eq!(links(&again, page), links(&sandbox, page), "{format}: {page}");
        }
    }
}

#[test]
fn export_converts_pages_and_the_links_between_them() {
    let sandbox = Sandbox::with_vault();
    sandbox.write(
        "a.md",
        "# A\n\nSee [the other](sub/b.md#Log) and [[sub/b]].\n\n- knows [[Sub B|her]] {2020..}\n",
    );
    sandbox.write("sub/b.md", "---\ntitle: Sub B\n---\n## Log\n\nBack to [A](../a.md).\n");
    sandbox.write("twin.md", "# Markdown twin\n");
    sandbox.write("twin.org", "#+title: Org twin\n");
    export(&sandbox, "org", &["--to", "org"]).ok();
    let read = |path: &str| fs::read_to_string(sandbox.root.join(path)).expect(path);
    let found: Vec<String> = files(&sandbox.root.join("org")).into_keys().collect();
    assert_eq!(found, ["a.org", "index.org", "sub/b.org", "twin.md", "twin.org"]);
    assert!(read("org/a.org").contains("[[file:sub/b.org::*Log][the other]]"), "{}", read("org/a.org"));
    assert!(read("org/sub/b.org").contains("[[file:../a.org][A]]"), "{}", read("org/sub/b.org"));
    assert!(read("org/index.org").contains("[[file:sub/b.org][Sub B]]"), "{}", read("org/index.org"));
    let back = Sandbox::with_vault();
    let from = sandbox.root.join("org").display().to_string();
    import(&back, &[&from, "--from", "org-roam"]);
    export(&back, "md", &["--to", "markdown"]).ok();
    let text = fs::read_to_string(back.root.join("md/sub/b.md")).expect("text");
    assert_eq!(text, String::from_utf8(sandbox.read("sub/b.md")).expect("text"));
}

#[test]
fn validate_finds_a_difference_of_each_kind() {
    let sandbox = odd();
    tree(
        &sandbox,
        "src",
        &[(
            "log.md",
            b"---\na: 1\nb: 2\n---\n# L\n\nText.\n\n---\n\n- **2024-01-02** | x \xe2\x80\x94 Met\n",
        )],
    );
    import(&sandbox, &["../src", "--from", "markdown"]);
    export(&sandbox, "out", &[]).ok();
    let compare = |name: &str| sandbox.run(&["validate", "--original", "../src", "--exported", name]);
    // A name that no system accepts was changed on the way in.
    fs::rename(sandbox.root.join("src/ lead.md"), sandbox.root.join("src/lead.md")).expect("renamed");
    compare("../out").ok();
    let log = sandbox.root.join("out/log.md");
    let text = fs::read_to_string(&log).expect("text");
    for (from, to, what) in [
        ("a: 1\nb: 2", "b: 2\na: 1", ""),
        ("b: 2", "b: 3", "properties"),
        ("Text.", "Other.", "truth"),
        ("Met", "Left", "entries"),
        ("Text.", "Text. [[Ada]]", "links"),
    ] {
        fs::write(&log, text.replace(from, to)).expect("a file");
        match what {
            "" => drop(compare("../out").ok()),
            what => drop(compare("../out").exits(5).prints(&format!("log.md: {what}"))),
        }
    }
    fs::remove_file(&log).expect("removed");
    compare("../out").exits(5).prints("log.md: missing");
    fs::write(&log, &text).expect("a file");
    fs::write(sandbox.root.join("out/more.md"), "x").expect("a file");
    compare("../out").exits(5).prints("more.md: extra");
    fs::remove_file(sandbox.root.join("out/more.md")).expect("removed");
    fs::write(sandbox.root.join("out/files/wheel.png"), "x").expect("a file");
    compare("../out").exits(5).prints("files/wheel.png: bytes");
    fs::write(sandbox.root.join("out/files/wheel.png"), ODD[5].1).expect("a file");
    fs::write(sandbox.root.join("out/notes/.raw/Engine.json"), "{}").expect("a file");
    compare("../out").exits(5).prints("Engine.json: data");
}

#[test]
fn exports_are_refused_where_they_would_mislead() {
    let sandbox = odd();
    let id = import(&sandbox, &["../src"])["import_id"].as_str().expect("an id").to_owned();
    export(&sandbox, "out", &["--raw"]).exits(2).says("--raw requires --import-id");
    export(&sandbox, "out", &["--import-id", &id]).exits(2).says("--import-id requires --raw");
    export(&sandbox, "out", &["--raw", "--import-id", "nope"]).exits(2).says("lore imports");
    export(&sandbox, "v/inside", &[]).exits(2).says("inside the vault");
    export(&sandbox, "src", &[]).exits(2).says("not an empty directory");
    assert!(!sandbox.root.join("out").exists());
}

#[test]
fn site_and_json_have_every_page_and_run_nothing() {
    let sandbox = odd();
    tree(
        &sandbox,
        "src",
        &[("bad.md", b"# Bad\n\n<script>alert(1)</script>\n\n[x](javascript:alert(2)) </script>\n")],
    );
    import(&sandbox, &["../src"]);
    export(&sandbox, "site", &["--to", "html"]).ok();
    let page = |name: &str| fs::read_to_string(sandbox.root.join("site").join(name)).expect(name);
    let bad = page("bad.html");
    assert!(!bad.contains("<script>") && !bad.contains("=\"javascript:"), "{bad}");
    let ada = page("Ada Lovelace.html");
    assert!(ada.contains("href=\"notes/Engine.html\">the engine</a>"), "{ada}");
    assert!(ada.contains("src=\"files/wheel.png\""), "{ada}");
    assert!(!page("assets/pages.js").contains("</script>"));
    export(&sandbox, "json", &["--to", "json", "--path", "notes"]).ok();
    let lines = fs::read_to_string(sandbox.root.join("json/pages.jsonl")).expect("text");
    let titles: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["path"].to_string())
        .collect();
    assert_eq!(titles, ["\"notes/Engine.md\"", "\"notes/latin.md\""]);
    assert!(!sandbox.root.join("json/board.canvas").exists(), "only files that the pages name");
}

#[test]
fn site_links_lead_to_the_pages_that_the_index_resolves() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a/plan.md", "# Plan\n");
    sandbox.write("b/plan.md", "# Plan\n");
    sandbox.write("a/note.md", "# Note\n\n[[Plan]] [root](/b/plan.md) [query](plan.md?x=1) [[nowhere]]\n");
    sandbox.write("log.md", "# Log\n");
    sandbox.write(
        "log.org",
        ":PROPERTIES:\n:ID: 1b2c3d4e-0000-4000-8000-000000000000\n:END:\n#+title: Org log\n* Heading\nSee [[file:a/plan.md][plan]].\n",
    );
    sandbox.write("see.md", "[[id:1b2c3d4e-0000-4000-8000-000000000000|log]]\n");
    export(&sandbox, "site", &["--to", "html"]).ok();
    let page = |name: &str| fs::read_to_string(sandbox.root.join("site").join(name)).expect(name);
    let note = page("a/note.html");
    for link in [
        "<a href=\"plan.html\">Plan</a>",
        "<a href=\"../b/plan.html\">root</a>",
        "<a href=\"plan.html\">query</a>",
        "<span class=\"missing\">nowhere</span>",
    ] {
        assert!(note.contains(link), "{link}: {note}");
    }
    let log = page("log-page.html");
    for part in ["<h1>Org log</h1>", "<h1>Heading</h1>", "<a href=\"a/plan.html\">plan</a>"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(page("log.html").contains("<h1>Log</h1>"));
    assert!(page("see.html").contains("<a href=\"log-page.html\">log</a>"), "{}", page("see.html"));
}

/// Files of the vault never become a part of the site's own, and no spelling of a link leads to a script or a server.
#[test]
fn site_keeps_its_own_files_apart() {
    let sandbox = Sandbox::with_vault();
    for name in ["index.html", "assets/search.js", "assets/pages.js", "note.html"] {
        sandbox.write(name, "<script>evil()</script>");
    }
    sandbox.write(
        "note.md",
        "# Note\n\n[a](javascript%3Aevil) [b](%2F%2Fhost/x) [c](\\\\\\\\host\\x) ![d](%2F%2Fhost/y)\n",
    );
    sandbox.write("twin.md", "# Twin in Markdown\n");
    sandbox.write("twin.org", "#+title: Twin in Org\n\n[[file:note.md][label]] [[elisp:(evil)][run]]\n");
    sandbox.write(".raw/twin.json", "{\"a\": 1}");
    let output = export(&sandbox, "site", &["--to", "html"]).ok().json();
    let site = files(&sandbox.root.join("site"));
    let text = |name: &str| String::from_utf8_lossy(&site[name]).into_owned();
    for name in ["index.html", "assets/search.js", "assets/pages.js"] {
        assert!(!text(name).contains("evil()"), "{name}: {}", text(name));
        assert!(reason(&output, "skipped", name).contains("of its own"), "{output}");
    }
    assert_eq!(text("note.html"), "<script>evil()</script>");
    let page = text("note-page.html");
    assert!(!page.contains("\"javascript:") && !page.contains("\"//") && !page.contains("\"\\"), "{page}");
    assert!(text("twin.html").contains("in Markdown") && !text("twin.html").contains("in Org"));
    assert!(text("twin-page.html").contains("in Org") && text("twin-page.html").contains(">label</a>"));
    sandbox.write("pages.jsonl", "evil");
    export(&sandbox, "json", &["--to", "json"]).ok();
    let lines = fs::read_to_string(sandbox.root.join("json/pages.jsonl")).expect("text");
    assert!(!lines.lines().any(|line| line == "evil"), "{lines}");
    export(&sandbox, "pages", &[]).ok();
    let data = fs::read_to_string(sandbox.root.join("pages/.raw/twin.json")).expect("text");
    assert_eq!(data, "{\"a\": 1}");
}

#[test]
fn export_as_of_a_day_has_the_files_of_that_day() {
    let sandbox = Sandbox::empty();
    sandbox.write("a.md", "# A\n\nOld.\n");
    sandbox.sh(
        "git init -q && git add -A && GIT_COMMITTER_DATE='2024-03-01T10:00:00Z' git -c user.name=p -c user.email=p commit -qm One && \
         echo '# B' > b.md && git add -A && GIT_COMMITTER_DATE='2024-03-02T10:00:00Z' git -c user.name=p -c user.email=p commit -qm Two",
    ).exits(0);
    sandbox.run(&["init"]).exits(0);
    export(&sandbox, "then", &["--as-of", "2024-03-01"]).exits(0);
    let found: Vec<String> = files(&sandbox.root.join("then")).into_keys().collect();
    assert_eq!(found, ["a.md", "index.md"]);
    export(&sandbox, "never", &["--as-of", "2020"]).exits(2).says("no commit until");
}
