//! The write gate: nothing invalid is written, and one invalid page blocks every write except the one that fixes it.

use crate::git_support::{GitVault, TOKEN, id, node};
use crate::sandbox::Ran;

/// Writes a page with arbitrary bytes.
fn put(vault: &GitVault, slug: &str, bytes: &[u8]) -> Ran {
    let file = vault.sandbox.root.join("text.md");
    std::fs::write(&file, bytes).expect("a file");
    let ran = vault.lore(&["put", slug, &file.to_string_lossy()]);
    std::fs::remove_file(file).expect("the file");
    ran
}

#[test]
fn every_fatal_check_refuses_the_write() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let good = node(2, "Two", "Text.");
    let without = |line: &str| good.replace(line, "");
    let with = |line: &str, other: &str| good.replace(line, other);
    let fatal: Vec<(&str, Vec<u8>, &str)> = vec![
        ("malformed: not YAML", with("projects: [general]", "projects: [general").into(), "(structure)"),
        (
            "malformed: never closed",
            with("tags: [observation]\n---\n", "tags: [observation]\n").into(),
            "(structure)",
        ),
        (
            "malformed: a line of no property",
            with("status: current", "status: current\nwords").into(),
            "(structure)",
        ),
        (
            "malformed: one key twice",
            with("status: current", "status: current\nstatus: contested").into(),
            "(structure)",
        ),
        ("no id", without(&format!("id: {}\n", id(2))).into(), "(id-missing)"),
        ("an empty id", with(&id(2), "").into(), "(id-missing)"),
        ("the id of another page", with(&id(2), &id(1)).into(), "(id-duplicate)"),
        ("its id in capitals", with(&id(2), &id(1).to_uppercase()).into(), "(id-duplicate)"),
        ("an id that is no UUID", with(&id(2), "two").into(), "(field-value)"),
        ("an unknown confidence", with("observed", "certain").into(), "(field-value)"),
        ("an unknown visibility", with("personal", "public").into(), "(field-value)"),
        ("an unknown status", with("current", "done").into(), "(field-value)"),
        ("a day that is none", with("created: 2026-10-01", "created: 2026-13-01").into(), "(field-value)"),
        ("a project that is no slug", with("[general]", "[My Project]").into(), "(slug)"),
        ("no title", without("title: Two\n").into(), "(field-missing)"),
        ("no type among the tags", with("[observation]", "[red]").into(), "(field-missing)"),
        ("a NUL byte", [good.as_bytes(), b"a\0b\n"].concat(), "(structure)"),
        ("no frontmatter at all", b"# Two\n".to_vec(), "(id-missing)"),
        ("a broken link", with("Text.", "See [[Nowhere]].").into(), "(link-broken)"),
        ("a secret", with("Text.", &format!("The key is {}.", TOKEN.concat())).into(), "(secret)"),
    ];
    for (what, bytes, rule) in fatal {
        let ran = vault.refuses(|| put(&vault, "two", &bytes));
        assert!(ran.err.contains(rule) && ran.err.contains("nothing was changed"), "{what}: {ran:?}");
        assert!(ran.err.contains("error: two.md"), "{what}: {ran:?}");
    }
    put(&vault, "two", good.as_bytes()).ok();
}

#[test]
fn every_write_operation_is_checked() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    let file = vault.sandbox.root.join("captured.md");
    std::fs::write(&file, node(1, "Captured", "Text.")).expect("a file");
    let file = file.to_string_lossy().into_owned();
    let ways: [&[&str]; 7] = [
        &["edit", "one", "--unset", "summary"],
        &["edit", "one", "--set", "confidence=certain"],
        &["edit", "one", "--find", "Text.", "--replace", "See [[Nowhere]]."],
        &["edit", "one", "--append", "- knows [[Nowhere]]"],
        &["untag", "one", "observation"],
        &["capture", "--file", &file, "--keep"],
        &["capture", "A link to [[Nowhere]] at the end", "--extend", "one"],
    ];
    for arguments in ways {
        vault.refuses(|| vault.lore(arguments)).says("nothing was changed");
    }
}

#[test]
fn unusual_style_is_accepted() {
    let vault = GitVault::with_profile("roam");
    let odd = "Trailing blanks   \n\n\n\n* a star\n+ a plus\n\ttab\n####No space\n# A second title\n<b>html</b>\nno end of line";
    let written = vault.put("odd", node(1, "Odd", odd).trim_end()).ok().json();
    assert_eq!(written["outcome"], "created");
    assert_eq!(vault.uncommitted(), Vec::<String>::new());
    assert!(vault.read("odd.md").contains(odd), "the text is stored unchanged");
}

#[test]
fn hand_edited_index_blocks_captures() {
    let vault = GitVault::with_profile("roam");
    vault.edit_by_hand("index.md", "# Index\n", "# Index\n\nMy own words.\n");
    vault.commit_by_hand("An edit of the index");
    let ran = vault.refuses(|| vault.lore(&["capture", "A lesson about looms"]));
    ran.says("index.md").says("(generated-edited)");
    vault.lore(&["generate"]).ok();
    assert!(!vault.read("index.md").contains("My own words."));
    vault.lore(&["capture", "A lesson about looms"]).ok();
}

#[test]
fn foreign_index_file_blocks_captures() {
    let vault = GitVault::with_profile("roam");
    vault.sandbox.write("index.md", "# My own index\n");
    vault.commit_by_hand("Another index");
    vault.refuses(|| vault.lore(&["capture", "A lesson about looms"])).says("index.md").says("generated");
}

#[test]
fn broken_link_blocks_captures_but_not_its_fix() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "Text.", "See [[Nowhere]].");
    vault.commit_by_hand("A broken link");
    let ran = vault.refuses(|| vault.lore(&["capture", "A lesson about looms"]));
    ran.says("one.md:17: the link to \"Nowhere\" matches no page (link-broken)");
    vault.lore(&["edit", "one", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    vault.lore(&["capture", "A lesson about looms"]).ok();
}

#[test]
fn pages_with_broken_links_can_be_fixed_one_by_one() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.put("two", &node(2, "Two", "Text.")).ok();
    vault.edit_by_hand("one.md", "Text.", "See [[Nowhere]].");
    vault.edit_by_hand("two.md", "Text.", "See [[Nowhere]].");
    vault.commit_by_hand("Broken links");
    vault.lore(&["edit", "one", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    vault.lore(&["edit", "two", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    assert_eq!(vault.findings(), []);
}

#[test]
fn duplicate_id_can_be_fixed_on_either_page() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.sandbox.write("two.md", node(1, "Two", "Text."));
    vault.commit_by_hand("One id twice");
    vault.refuses(|| vault.lore(&["capture", "A lesson about looms"])).says("(id-duplicate)");
    vault.put("two", &node(2, "Two", "Text.")).ok();
    assert_eq!(vault.findings(), []);
}

#[test]
fn page_can_be_fixed_beside_an_invalid_capture() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.edit_by_hand("one.md", "Text.", "See [[Nowhere]].");
    vault.sandbox.write("raw/page.txt", format!("token: {}\n", TOKEN.concat()));
    vault.commit_by_hand("Two errors");
    vault.lore(&["edit", "one", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    vault.lore(&["rm", "raw/page.txt", "--yes"]).ok();
    assert_eq!(vault.findings(), []);
}

#[test]
fn git_commit_runs_the_same_checks() {
    let vault = GitVault::with_profile("roam");
    vault.sandbox.write("raw/page.txt", format!("token: {}\n", TOKEN.concat()));
    let ran = vault.lore(&["git", "commit"]).exits(4).says("raw/page.txt:1: a credential");
    assert!(!ran.err.contains(TOKEN[0]), "{}", ran.err);
    vault.sandbox.write("raw/page.txt", "No token.\n");
    vault.sandbox.write("one.md", node(1, "One", "See [[Nowhere]]."));
    vault.lore(&["git", "commit"]).exits(4).says("one.md:17: the link to \"Nowhere\" matches no page");
}

#[test]
fn invalid_page_blocks_captures_but_not_its_fix() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.put("two", &node(2, "Two", "Text.")).ok();
    vault.edit_by_hand("one.md", "summary: What One is about.\n", "");
    vault.edit_by_hand("two.md", "summary: What Two is about.\n", "");
    vault.commit_by_hand("No summaries");
    vault.refuses(|| vault.lore(&["capture", "A lesson about looms"])).says("one.md").says("two.md");
    // Each can be fixed while the other is still invalid.
    vault.lore(&["edit", "one", "--set", "summary=One."]).ok();
    vault.refuses(|| vault.lore(&["capture", "A lesson about looms"])).says("two.md");
    vault.lore(&["edit", "two", "--set", "summary=Two."]).ok();
    vault.lore(&["capture", "A lesson about looms"]).ok();
}

#[test]
fn linked_page_cannot_be_deleted() {
    let vault = GitVault::with_profile("roam");
    vault.put("one", &node(1, "One", "Text.")).ok();
    vault.put("two", &node(2, "Two", "See [[One]].")).ok();
    vault.refuses(|| vault.lore(&["rm", "one", "--yes"])).says("two.md").says("(link-broken)");
    vault.lore(&["edit", "two", "--find", "See [[One]].", "--replace", "Nothing."]).ok();
    vault.lore(&["rm", "one", "--yes"]).ok();
}

#[test]
fn secret_in_a_text_file_blocks_captures_and_binaries_are_not_read() {
    let vault = GitVault::with_profile("roam");
    let secret = format!("token: {}\n", TOKEN.concat());
    vault.sandbox.write("raw/files/picture.bin", [b"\0\x01\x02", secret.as_bytes()].concat());
    vault.commit_by_hand("A binary file");
    vault.lore(&["capture", "A lesson about looms"]).ok();
    vault.sandbox.write("raw/page.txt", &secret);
    vault.commit_by_hand("A text with a secret");
    let ran = vault.refuses(|| vault.lore(&["capture", "Another matter of no likeness"]));
    let ran = ran.says("raw/page.txt:1: a credential at column 8 [github-token]");
    assert!(!ran.err.contains(TOKEN[0]) && !ran.err.contains(TOKEN[1]), "{}", ran.err);
    assert_eq!(vault.findings(), [("secret".to_owned(), "raw/page.txt".to_owned())]);
}

#[test]
fn secret_in_the_source_of_a_capture_is_refused() {
    let vault = GitVault::with_profile("roam");
    let article = vault.sandbox.root.join("article.txt");
    std::fs::write(&article, format!("An article.\ntoken: {}\n", TOKEN.concat())).expect("a file");
    let path = article.to_string_lossy().into_owned();
    for whole in [&[][..], &["--whole"]] {
        let arguments = [&["capture", "A lesson about looms", "--raw", &path][..], whole].concat();
        let ran = vault.refuses(|| vault.lore(&arguments)).says("[github-token]");
        assert!(!ran.err.contains(TOKEN[0]), "{}", ran.err);
    }
}

#[test]
fn missing_required_property_fails_lint() {
    let vault = GitVault::with_profile("roam");
    let good = node(1, "One", "Text.");
    let required = good.lines().skip(1).take_while(|line| *line != "---").collect::<Vec<_>>();
    assert_eq!(required.len(), 12, "eleven properties plus the tags: {required:?}");
    for line in required {
        let key = line.split(':').next().expect("a key");
        vault.sandbox.write("one.md", good.replace(&format!("{line}\n"), ""));
        let ran = vault.lore(&["lint", "one"]).exits(4);
        let found = ran.json()["findings"].clone();
        let expected = match key {
            "id" => "id-missing",
            _ => "field-missing",
        };
        assert_eq!(
            (found[0]["rule"].as_str(), found[0]["path"].as_str()),
            (Some(expected), Some("one.md")),
            "{key}: {found}"
        );
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{key}: {found}");
        vault.lore(&["lint"]).exits(4);
    }
    vault.sandbox.write("one.md", &good);
    vault.lore(&["lint", "one"]).ok();
}

#[test]
fn linked_page_cannot_be_retitled() {
    let vault = GitVault::with_profile("roam");
    vault.put("uno", &node(1, "One", "Text.").replace("# One\n\n", "")).ok();
    vault.put("two", &node(2, "Two", "See [[One]].")).ok();
    vault
        .refuses(|| vault.lore(&["edit", "uno", "--set", "title=Eins"]))
        .says("two.md")
        .says("(link-broken)");
}
