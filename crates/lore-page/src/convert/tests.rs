use super::*;
use crate::format::Format::{Markdown, Org};
use crate::page::Page;

/// Returns everything about a page that both formats have, without positions.
fn meaning(page: &Page) -> String {
    let mut properties: Vec<_> =
        page.properties.iter().map(|(key, value)| format!("{key}: {value:?}")).collect();
    // Title and tags of Org are below the others.
    properties.sort();
    let links: Vec<_> = page
        .links
        .iter()
        .map(|link| {
            format!(
                "{} {} {:?} {:?} {:?}",
                link.relation, link.target, link.heading, link.label, link.interval
            )
        })
        .collect();
    let facts: Vec<_> =
        page.facts.iter().map(|fact| format!("{:?}", crate::Fact { line: 0, ..fact.clone() })).collect();
    let entries: Vec<_> = page
        .entries
        .iter()
        .map(|one| format!("{} {:?} {} {:?}", one.date, one.source, one.summary, one.detail))
        .collect();
    let observations: Vec<_> =
        page.observations.iter().map(|one| format!("{} {:?}", one.category, one.tags)).collect();
    let headings: Vec<_> = page.headings.iter().map(|one| format!("{} {}", one.level, one.text)).collect();
    let sections = [properties, headings, links, facts, entries, observations];
    let shown: Vec<String> = sections.iter().map(|lines| lines.join("\n")).collect();
    format!("{}\n{}\n{:?}", page.shown_title(), shown.join("\n\n"), page.timeline.is_some())
}

/// Checks a Markdown page in Org, and that it comes back.
#[track_caller]
fn check(markdown: &str, org: &str) {
    let converted = convert(markdown, Markdown, Org);
    assert_eq!(converted, org);
    let back = convert(&converted, Org, Markdown);
    let (before, after) = (Markdown.parse(markdown).page, Markdown.parse(&back).page);
    assert_eq!(meaning(&after), meaning(&before), "{back}");
}

/// Checks that an Org page comes back as it was.
#[track_caller]
fn check_org(org: &str) {
    let markdown = convert(org, Org, Markdown);
    assert_eq!(convert(&markdown, Markdown, Org), org, "{markdown}");
}

#[test]
fn page_of_the_design_is_converted_and_comes_back() {
    check(
        "---\nid: 0192\ntitle: Pedro\ntype: person\ntags: [founder, yc-alum]\naliases: [Pedro F]\nsummary: Co-founder\n---\n# Pedro\n\n\
         > Co-founder of Brex.\n\n## State\nRuns [Brex](../companies/brex.md). Knows [[Henrique|him]].\n\n\
         - [belief] Enterprise is the path #strategy (offsite)\n- founded [[companies/brex]] (with H) {2017..}\n\
         - is_ceo_of:: Brex {2018..} (source: m/1; confidence: 0.9)\n\n---\n\n## Timeline\n- **2024-03-01** | meeting — Agreed. Detail\n  follows.\n",
        ":PROPERTIES:\n:ID: 0192\n:TYPE: person\n:ROAM_ALIASES: \"Pedro F\"\n:SUMMARY: Co-founder\n:END:\n#+title: Pedro\n\
         #+filetags: :founder:yc-alum:\n* Pedro\n\n#+begin_quote\nCo-founder of Brex.\n#+end_quote\n\n** State\n\
         Runs [[file:../companies/brex.md][Brex]]. Knows [[Henrique][him]].\n\n- [belief] Enterprise is the path #strategy (offsite)\n\
         - founded [[companies/brex]] (with H) {2017..}\n- is_ceo_of:: Brex {2018..} (source: m/1; confidence: 0.9)\n\n-----\n\n\
         ** Timeline\n- *2024-03-01* | meeting — Agreed. Detail\n  follows.\n",
    );
}

#[test]
fn long_pages_are_converted_in_linear_time() {
    let text = "## Heading\n\n- item [[A]]\nlazy\n".repeat(20_000);
    let started = std::time::Instant::now();
    let org = convert(&text, Markdown, Org);
    convert(&org, Org, Markdown);
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn title_that_is_a_heading_comes_back_as_one() {
    check("# Ada\n\nText.\n", "#+TITLE: Ada\n* Ada\n\nText.\n");
    check("Ada\n===\n\nText.\n", "#+TITLE: Ada\n* Ada\n\nText.\n");
}

#[test]
fn blocks_and_markup_are_converted() {
    check(
        "A **bold** *word*, `code` and ~~old~~.\n\n```sh\n* not a heading\n[[x]]\n```\n\n* one\n* [x] two\n\n| a | b |\n|---|---|\n| c\\|d | [[E]] |\n",
        "A *bold* /word/, =code= and +old+.\n\n#+begin_src sh\n,* not a heading\n[[x]]\n#+end_src\n\n- one\n- [X] two\n\n| a | b |\n|---+---|\n| c\\vert{}d | [[E]] |\n",
    );
    check(
        "a <b\n\n<!-- note -->\n\n<!--\nlong\n-->\n",
        "a <b\n\n# note\n\n#+begin_comment\nlong\n#+end_comment\n",
    );
    check("- role:: head\nof all\n", "- role:: head\n  of all\n");
    check(
        "[x](https://x.org/a) <https://y.org> [[A#B]] [[#C]]\n",
        "[[https://x.org/a][x]] <https://y.org> [[A::*B]] [[*C]]\n",
    );
}

#[test]
fn code_with_brackets_is_no_link() {
    check("Use `[[Foo]]` and `a`.\n", "Use =[[Foo]]= and =a=.\n");
    check_org("Use =[[id:1][one]]= and [[id:2][two]].\n");
}

#[test]
fn code_with_fences_ends_at_its_own() {
    check_org(
        "#+title: T\n#+begin_src markdown\n```sh\nrun\n```\n#+end_src\n* Next\n:PROPERTIES:\n:ID: 8\n:END:\n",
    );
}

#[test]
fn links_to_files_and_custom_ids_come_back() {
    check_org("See [[#custom-id][there]] and [[file:/img/a.png]], [[file:./two words.png]].\n");
    let path = convert("[[/img/a.png]]\n", Org, Markdown);
    assert_eq!(
        (path.as_str(), convert(&path, Markdown, Org).as_str()),
        ("![](/img/a.png)\n", "[[file:/img/a.png]]\n")
    );
}

#[test]
fn deep_headings_and_byte_order_marks_come_back() {
    check_org("#+title: T\n****** six\n******* seven :x:\n:PROPERTIES:\n:ID: 8\n:END:\nText.\n");
    check_org("\u{feff}:PROPERTIES:\n:ID: 7\n:END:\n#+title: T\nText.\n");
}

#[test]
fn prose_that_looks_like_org_stays_prose() {
    check(
        "# Ada\n\n#+begin_src x\nText.\n#+filetags: :evil:\n:drawer:\n** two\n",
        "#+TITLE: Ada\n* Ada\n\n\u{200b}#+begin_src x\nText.\n\u{200b}#+filetags: :evil:\n\u{200b}:drawer:\n\u{200b}** two\n",
    );
}

#[test]
fn tags_and_properties_that_org_has_no_form_for_come_back() {
    check("---\ntags: [work/alpha, 0🌲, keep]\n---\nText.\n", "#+filetags: :work/alpha:0🌲:keep:\nText.\n");
    check(
        "---\ntags: [two words, keep]\nDue date: 2026-01-01\n---\nText.\n",
        ":PROPERTIES:\n:TAGS: [\"two words\", \"keep\"]\n:FRONTMATTER: {\"Due date\": \"2026-01-01\"}\n:END:\nText.\n",
    );
}

#[test]
fn org_without_a_form_in_markdown_comes_back() {
    check_org(
        ":PROPERTIES:\n:ID: 7\n:END:\n#+title: Plan\n#+filetags: :a:\nText [[id:1][one]].\n\n* TODO Work :x:\nSCHEDULED: <2024-01-01 Mon>\n\
         :PROPERTIES:\n:ID: 8\n:END:\nMore =code=.\n#+caption: c\n[[file:a.png]]\n:LOGBOOK:\n- Note\n:END:\n** Sub\n#+begin_export html\n<b>\n#+end_export\n",
    );
    check_org("#+title: T\n- *2024-01-01* | a — b\n\n-----\n\n* Timeline\n");
}

#[test]
fn block_without_a_name_is_text() {
    check_org("#+begin_ — i\nText.\n");
    check_org("#+begin_\nText.\n");
}

#[test]
fn links_that_span_lines_are_converted() {
    let org = "See [[id:1][the\nother]], [[Alpha\nbeta]] and\n[[file:b.org][B\n  page]].\n\n- knows [[Alpha\n  beta][it]]\n\n#+begin_quote\nA [[id:2][b\nc]].\n#+end_quote\n\n#+begin_src\n[[x\ny]]\n#+end_src\n";
    let markdown = "See [[id:1|the other]], [[Alpha beta]] and\n[B page](b.org).\n\n- knows [[Alpha beta|it]]\n\n> A [[id:2|b c]].\n\n```\n[[x\ny]]\n```\n";
    assert_eq!(convert(org, Format::Org, Format::Markdown), markdown);
    let markdown = "See [[Alpha\nbeta|the\nother]] and [B\npage](b.md).\n\n> A [[Alpha\n> beta]].\n\n- [c\n  d](https://a.example)\n";
    let org = "See [[Alpha beta][the other]] and [[file:b.md][B page]].\n\n#+begin_quote\nA [[Alpha beta]].\n#+end_quote\n\n- [[https://a.example][c d]]\n";
    assert_eq!(convert(markdown, Format::Markdown, Format::Org), org);
}
