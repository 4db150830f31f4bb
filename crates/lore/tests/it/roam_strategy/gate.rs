//! The safety boundary: nothing invalid is written, and one invalid page stops every write but the one that mends it.

use crate::sandbox::Ran;
use crate::story::{Story, TOKEN, id, node};

/// Writes a page with any bytes.
fn put(story: &Story, slug: &str, bytes: &[u8]) -> Ran {
    let file = story.sandbox.root.join("text.md");
    std::fs::write(&file, bytes).expect("a file");
    let ran = story.lore(&["put", slug, &file.to_string_lossy()]);
    std::fs::remove_file(file).expect("the file");
    ran
}

#[test]
fn each_fatal_check_refuses_the_write_and_changes_nothing() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
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
        let ran = story.refuses(|| put(&story, "two", &bytes));
        assert!(ran.err.contains(rule) && ran.err.contains("nothing was changed"), "{what}: {ran:?}");
        assert!(ran.err.contains("error: two.md"), "{what}: {ran:?}");
    }
    put(&story, "two", good.as_bytes()).ok();
}

#[test]
fn the_same_holds_for_every_way_to_write() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    let file = story.sandbox.root.join("captured.md");
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
        story.refuses(|| story.lore(arguments)).says("nothing was changed");
    }
}

#[test]
fn a_style_oddity_is_written() {
    let story = Story::of("roam");
    let odd = "Trailing blanks   \n\n\n\n* a star\n+ a plus\n\ttab\n####No space\n# A second title\n<b>html</b>\nno end of line";
    let written = story.put("odd", node(1, "Odd", odd).trim_end()).ok().json();
    assert_eq!(written["outcome"], "created");
    assert_eq!(story.uncommitted(), Vec::<String>::new());
    assert!(story.read("odd.md").contains(odd), "every byte of it is as it was given");
}

#[test]
fn a_hand_edited_index_stops_a_capture() {
    let story = Story::of("roam");
    story.edit_by_hand("index.md", "# Index\n", "# Index\n\nMy own words.\n");
    story.commit_by_hand("An edit of the index");
    let ran = story.refuses(|| story.lore(&["capture", "A lesson about looms"]));
    ran.says("index.md").says("(generated-edited)");
    story.lore(&["index"]).ok();
    assert!(!story.read("index.md").contains("My own words."));
    story.lore(&["capture", "A lesson about looms"]).ok();
}

#[test]
fn an_index_that_was_made_by_nobody_stops_a_capture() {
    let story = Story::of("roam");
    story.sandbox.write("index.md", "# My own index\n");
    story.commit_by_hand("Another index");
    story.refuses(|| story.lore(&["capture", "A lesson about looms"])).says("index.md").says("generated");
}

#[test]
fn a_broken_link_in_another_page_stops_a_capture_and_its_mending_does_not() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.edit_by_hand("one.md", "Text.", "See [[Nowhere]].");
    story.commit_by_hand("A broken link");
    let ran = story.refuses(|| story.lore(&["capture", "A lesson about looms"]));
    ran.says("one.md:17: the link to \"Nowhere\" matches no page (link-broken)");
    story.lore(&["edit", "one", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    story.lore(&["capture", "A lesson about looms"]).ok();
}

#[test]
fn of_two_pages_with_broken_links_each_may_be_mended_before_the_other() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.put("two", &node(2, "Two", "Text.")).ok();
    story.edit_by_hand("one.md", "Text.", "See [[Nowhere]].");
    story.edit_by_hand("two.md", "Text.", "See [[Nowhere]].");
    story.commit_by_hand("Broken links");
    story.lore(&["edit", "one", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    story.lore(&["edit", "two", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    assert_eq!(story.findings(), []);
}

#[test]
fn of_two_pages_with_one_id_either_may_be_mended() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.sandbox.write("two.md", node(1, "Two", "Text."));
    story.commit_by_hand("One id twice");
    story.refuses(|| story.lore(&["capture", "A lesson about looms"])).says("(id-duplicate)");
    story.put("two", &node(2, "Two", "Text.")).ok();
    assert_eq!(story.findings(), []);
}

#[test]
fn a_page_with_a_broken_link_may_be_mended_beside_an_invalid_capture() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.edit_by_hand("one.md", "Text.", "See [[Nowhere]].");
    story.sandbox.write("raw/page.txt", format!("token: {}\n", TOKEN.concat()));
    story.commit_by_hand("Two errors");
    story.lore(&["edit", "one", "--find", "[[Nowhere]]", "--replace", "[[Start here]]"]).ok();
    story.lore(&["rm", "raw/page.txt", "--yes"]).ok();
    assert_eq!(story.findings(), []);
}

#[test]
fn a_commit_by_hand_is_held_to_the_same() {
    let story = Story::of("roam");
    story.sandbox.write("raw/page.txt", format!("token: {}\n", TOKEN.concat()));
    let ran = story.lore(&["git", "commit"]).exits(4).says("raw/page.txt:1: a credential");
    assert!(!ran.err.contains(TOKEN[0]), "{}", ran.err);
    story.sandbox.write("raw/page.txt", "No token.\n");
    story.sandbox.write("one.md", node(1, "One", "See [[Nowhere]]."));
    story.lore(&["git", "commit"]).exits(4).says("one.md:17: the link to \"Nowhere\" matches no page");
}

#[test]
fn an_invalid_page_stops_a_capture_and_its_mending_does_not() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.put("two", &node(2, "Two", "Text.")).ok();
    story.edit_by_hand("one.md", "summary: What One is about.\n", "");
    story.edit_by_hand("two.md", "summary: What Two is about.\n", "");
    story.commit_by_hand("No summaries");
    story.refuses(|| story.lore(&["capture", "A lesson about looms"])).says("one.md").says("two.md");
    // Each may be mended while the other is still broken.
    story.lore(&["edit", "one", "--set", "summary=One."]).ok();
    story.refuses(|| story.lore(&["capture", "A lesson about looms"])).says("two.md");
    story.lore(&["edit", "two", "--set", "summary=Two."]).ok();
    story.lore(&["capture", "A lesson about looms"]).ok();
}

#[test]
fn a_page_that_goes_may_not_leave_links_to_it_behind() {
    let story = Story::of("roam");
    story.put("one", &node(1, "One", "Text.")).ok();
    story.put("two", &node(2, "Two", "See [[One]].")).ok();
    story.refuses(|| story.lore(&["rm", "one", "--yes"])).says("two.md").says("(link-broken)");
    story.lore(&["edit", "two", "--find", "See [[One]].", "--replace", "Nothing."]).ok();
    story.lore(&["rm", "one", "--yes"]).ok();
}

#[test]
fn a_secret_in_a_captured_text_stops_a_capture_and_a_binary_file_is_not_read() {
    let story = Story::of("roam");
    let secret = format!("token: {}\n", TOKEN.concat());
    story.sandbox.write("raw/files/picture.bin", [b"\0\x01\x02", secret.as_bytes()].concat());
    story.commit_by_hand("A binary file");
    story.lore(&["capture", "A lesson about looms"]).ok();
    story.sandbox.write("raw/page.txt", &secret);
    story.commit_by_hand("A text with a secret");
    let ran = story.refuses(|| story.lore(&["capture", "Another matter of no likeness"]));
    let ran = ran.says("raw/page.txt:1: a credential at column 8 [github-token]");
    assert!(!ran.err.contains(TOKEN[0]) && !ran.err.contains(TOKEN[1]), "{}", ran.err);
    assert_eq!(story.findings(), [("secret".to_owned(), "raw/page.txt".to_owned())]);
}

#[test]
fn a_secret_in_the_outside_text_of_a_capture_is_refused() {
    let story = Story::of("roam");
    let article = story.sandbox.root.join("article.txt");
    std::fs::write(&article, format!("An article.\ntoken: {}\n", TOKEN.concat())).expect("a file");
    let path = article.to_string_lossy().into_owned();
    for whole in [&[][..], &["--whole"]] {
        let arguments = [&["capture", "A lesson about looms", "--raw", &path][..], whole].concat();
        let ran = story.refuses(|| story.lore(&arguments)).says("[github-token]");
        assert!(!ran.err.contains(TOKEN[0]), "{}", ran.err);
    }
}

#[test]
fn a_node_without_any_one_of_the_required_properties_fails_lint() {
    let story = Story::of("roam");
    let good = node(1, "One", "Text.");
    let required = good.lines().skip(1).take_while(|line| *line != "---").collect::<Vec<_>>();
    assert_eq!(required.len(), 12, "eleven properties and the tags: {required:?}");
    for line in required {
        let key = line.split(':').next().expect("a key");
        story.sandbox.write("one.md", good.replace(&format!("{line}\n"), ""));
        let ran = story.lore(&["lint", "one"]).exits(4);
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
        story.lore(&["lint"]).exits(4);
    }
    story.sandbox.write("one.md", &good);
    story.lore(&["lint", "one"]).ok();
}

#[test]
fn a_page_that_gets_another_title_may_not_leave_links_to_the_old_one_behind() {
    let story = Story::of("roam");
    story.put("uno", &node(1, "One", "Text.").replace("# One\n\n", "")).ok();
    story.put("two", &node(2, "Two", "See [[One]].")).ok();
    story
        .refuses(|| story.lore(&["edit", "uno", "--set", "title=Eins"]))
        .says("two.md")
        .says("(link-broken)");
}
