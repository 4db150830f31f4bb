//! Each test shows a file and what is read from it.

pub(crate) mod random;

use crate::page::{Page, Value};
use crate::parse;

fn page(text: &str) -> Page {
    parse("notes/page.org", text).page
}

/// Lists the links of a text: relation, target, heading, label and line.
#[track_caller]
fn check_links(text: &str, expected: &[&str]) {
    let shown = |link: &crate::Link| {
        let heading = link.heading.as_ref().map(|heading| format!("#{heading}")).unwrap_or_default();
        let label = link.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
        format!("{} {}{heading}{label} {}", link.relation, link.target, link.line)
    };
    let found: Vec<String> = page(text).links.iter().map(shown).collect();
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn check_diagnostics(text: &str, expected: &[&str]) {
    let found = parse("page.org", text).diagnostics;
    let found: Vec<String> = found.iter().map(|one| format!("{}: {}", one.line, one.message)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn drawer_and_keywords_are_properties() {
    let text = "# a comment\n:PROPERTIES:\n:ID:       7-a\n:PROJECTS: :general: :emacs:\n:CREATED:  [2024-03-01 Fri 10:00]\n\
                :ROAM_ALIASES: \"The Plan\" Plan\n:ROAM_REFS: https://x.org/a @key [cite:@other]\n:STATUS: current\n:EMPTY:\n\
                :sourceUrl: x\n:LIST: [\"a b\", \"c\"]\n:SUMMARY: One sentence.\n:END:\n#+title: Plan A\n#+filetags: :work:home:\n\
                #+date: <2024-03-02 Sat>\n#+options: toc:nil\n\nText.\n";
    let page = page(text);
    assert_eq!((page.id.as_deref(), page.title.as_str()), (Some("7-a"), "Plan A"));
    assert_eq!(page.aliases, ["The Plan", "Plan"]);
    assert_eq!(page.refs, ["https://x.org/a", "@key", "@other"]);
    assert_eq!(page.tags, ["work", "home"]);
    assert_eq!(page.properties.list("projects"), ["general", "emacs"]);
    assert_eq!(page.properties.list("list"), ["a b", "c"]);
    assert_eq!(page.properties.text("created"), Some("2024-03-01T10:00"));
    assert_eq!(page.properties.text("date"), Some("2024-03-02"));
    assert_eq!(page.properties.text("sourceUrl"), Some("x"));
    assert_eq!(page.properties.get("empty"), None);
    assert_eq!(page.properties.get("options"), None);
    assert_eq!((page.status.as_deref(), page.summary.as_deref()), (Some("current"), Some("One sentence.")));
    assert_eq!(page.truth.of(text), "\nText.\n");
    assert_eq!(page.frontmatter.map(|lines| lines.last), Some(17));
    assert_eq!(page.first_sentence.as_deref(), Some("Text."));
}

#[test]
fn drawer_must_be_well_formed_and_in_its_place() {
    assert_eq!(page(":PROPERTIES:\n:ID: 1\nnot a property\n:END:\n").id, None);
    check_diagnostics(
        ":PROPERTIES:\n:ID: 1\nnot a property\n:END:\n",
        &["3: malformed property drawer: `not a property` is not `:KEY: value`"],
    );
    check_diagnostics(":PROPERTIES:\n:ID: 1\n", &["1: malformed property drawer: it has no `:END:` line"]);
    check_diagnostics(
        "* A\n:PROPERTIES:\n:ID: 1\n* B\n",
        &["4: malformed property drawer: it has no `:END:` line"],
    );
    check_diagnostics(
        "Text.\n:PROPERTIES:\n:ID: 1\n:END:\n",
        &[
            "2: misplaced property drawer: it must be the first lines of the file, or directly below its heading",
        ],
    );
    check_diagnostics(
        "#+title: A\n:PROPERTIES:\n:ID: 1\n:END:\n",
        &[
            "2: misplaced property drawer: it must be the first lines of the file, or directly below its heading",
        ],
    );
    check_diagnostics(
        ":PROPERTIES:\n:ID: 1\n:END:\n* A\n:PROPERTIES:\n:ID: 1\n:END:\n",
        &["4: the id 1 is used twice in this file"],
    );
    check_diagnostics(
        "# c\n:PROPERTIES:\n:ID: 1\n:id: 2\n:REFS+: a\n:REFS+: b\n:END:\n* A\nSCHEDULED: <2024-01-01>\n:PROPERTIES:\n:X: 1\n:X: 1\n:END:\n",
        &[
            "4: the property `id` is set twice; the first one counts",
            "12: the property `X` is set twice; the first one counts",
        ],
    );
    check_diagnostics("#+begin_src sh\nls\n", &["1: `#+begin_src` has no `#+end_src`"]);
    check_diagnostics(
        ":PROPERTIES:\n:ID: 1\n:KEY+: a\n:END:\n* A\nSCHEDULED: <2024-01-01>\n:PROPERTIES:\n:END:\n",
        &[],
    );
}

#[test]
fn headings_have_levels_sections_and_plain_titles() {
    let text = "#+todo: NEXT | DONE(d!)\n* NEXT [#A] See [[id:1][the plan]] :a:b:\ntext\n** TODO Sub\n* DONE\n* :c:\n*no\n";
    let page = page(text);
    let found: Vec<_> = page
        .headings
        .iter()
        .map(|one| (one.level, one.text.as_str(), one.lines.first, one.lines.last))
        .collect();
    assert_eq!(found, [(1, "See the plan", 2, 4), (2, "TODO Sub", 4, 4), (1, "", 5, 5), (1, "", 6, 7)]);
    assert_eq!(page.heading_title, None);
}

#[test]
fn headings_with_an_id_are_nodes() {
    let text = "#+filetags: :file:\n* Outer :out:\n** DONE Inner [[id:2][one]] :in:\nCLOSED: [2024-01-01]\n:PROPERTIES:\n\
                :ID: n1\n:ROAM_ALIASES: Other\n:ROAM_REFS: cite:key\n:END:\ntext [[id:3]]\n** Hidden\n:PROPERTIES:\n:ID: n2\n\
                :ROAM_EXCLUDE: t\n:END:\n*** Deep\n:PROPERTIES:\n:ID: n3\n:END:\n";
    let page = page(text);
    let found: Vec<_> = page.nodes.iter().map(|node| (node.id.as_str(), node.title.as_str())).collect();
    assert_eq!(found, [("n1", "Inner one"), ("n3", "Deep")]);
    let node = &page.nodes[0];
    assert_eq!((&node.aliases[..], &node.refs[..]), (&["Other".to_owned()][..], &["@key".to_owned()][..]));
    assert_eq!(node.tags, ["file", "out", "in"]);
    assert_eq!(
        (node.todo.as_deref(), node.level, node.lines.first, node.lines.last),
        (Some("DONE"), 2, 3, 10)
    );
    let sources: Vec<_> =
        page.links.iter().map(|link| page.node_at(link.line).map(|node| node.id.as_str())).collect();
    assert_eq!(sources, [Some("n1"), Some("n1")]);
    assert_eq!(page.tags, ["file"]);
}

#[test]
fn excluded_files_are_pages_without_an_id() {
    assert_eq!(page(":PROPERTIES:\n:ID: 1\n:ROAM_EXCLUDE: t\n:END:\n").id, None);
    assert_eq!(page(":PROPERTIES:\n:ID: 1\n:ROAM_EXCLUDE:\n:END:\n").id, None);
}

#[test]
fn links_of_all_kinds_are_found() {
    check_links(
        "See [[id:a-1][A]] and [[id:b::*Sub][B]].\n",
        &["links_to id:a-1 (A) 1", "links_to id:b#Sub (B) 1"],
    );
    check_links(
        "[[file:a.org][A]] [[file:../b.md::*Sub]] [[./c.org]] [[file:x.png]] [[/d.org]]\n",
        &["links_to notes/a.org (A) 1", "links_to b.md#Sub 1", "links_to notes/c.org 1", "links_to d.org 1"],
    );
    check_links(
        "[[roam:The Plan]] [[Other page][o]]\n",
        &["links_to The Plan 1", "links_to Other page (o) 1"],
    );
    check_links("a [[id:1][spans\nlines]] b\n[[id:2]\n[x]]\n", &["links_to id:1 (spans lines) 1"]);
    check_links(
        "[[*Own]] [[#custom]] [[https://x.org][x]] [[doi:10.1/x]] [[attachment:a.org]]\n* Own\n[[Own]]\n",
        &[],
    );
    check_links(
        "<id:abc-1> id:0192f3a1-7c4e, grid:00000000\n",
        &["links_to id:abc-1 1", "links_to id:0192f3a1-7c4e 1"],
    );
    check_links(
        "id:20240101T101010.123456 and <id:20240102T101010.1>. Then id:0192f3a1-7c4e.\n",
        &[
            "links_to id:20240101T101010.123456 1",
            "links_to id:20240102T101010.1 1",
            "links_to id:0192f3a1-7c4e 1",
        ],
    );
    // Org sees a plain link in brackets that are not closed.
    check_links(
        "- [[id:0192f3a1-7c4e][A]\n- [[id:2][B]]\n",
        &["links_to id:0192f3a1-7c4e 1", "links_to id:2 (B) 2"],
    );
    check_links("| a | [[id:1][b]] |\n", &["links_to id:1 (b) 1"]);
    check_links("[[id:1][unclosed\n\nparagraph]]\n- [[id:2]\n- [x]]\n", &[]);
}

#[test]
fn nothing_in_blocks_comments_and_verbatim_is_parsed() {
    for hidden in [
        "#+begin_src org\n[[id:1]]\n- a:: b\n#+end_src\n",
        "#+BEGIN_EXAMPLE\n- knows [[A]]\n#+END_EXAMPLE\n",
        "#+begin_comment\n[[id:1]]\n#+end_comment\n",
        "#+begin_export html\n[[id:1]]\n#+end_export\n",
        "# [[id:1]]\n",
        ": [[id:1]]\n",
        "a =[[id:1]]= b ~[[id:2]]~ c\n",
        "\\begin{align}\n[[id:1]]\n\\end{align}\n",
        ":LOGBOOK:\n- a:: b\n:END:\n",
    ] {
        let page = page(hidden);
        assert_eq!((page.links.len(), page.facts.len()), (0, 0), "{hidden}");
    }
    check_links("#+begin_quote\n[[id:1]]\n#+end_quote\n", &["links_to id:1 2"]);
    check_links("a = [[id:1]] = b\n", &["links_to id:1 1"]);
    check_links("#+begin_src sh\n* Heading ends it [[id:1]]\n#+end_src\n", &["links_to id:1 2"]);
}

#[test]
fn labels_before_links_are_relations() {
    check_links(
        "This SUPERSEDES [[id:1][A]], [[id:2][B]] and [[id:3]]; see [[id:4]].\n",
        &["supersedes id:1 (A) 1", "supersedes id:2 (B) 1", "supersedes id:3 1", "links_to id:4 1"],
    );
    check_links(
        "- DERIVED_FROM [[id:1]] (raw) {2024..}\n- IMPLEMENTS: [[id:2]]\n",
        &["derived_from id:1 1", "implements id:2 2"],
    );
    check_links("CONTRADICTS\n[[id:1]] XCONTRADICTS [[id:2]]\n", &["contradicts id:1 2", "links_to id:2 2"]);
    check_links(
        "supersedes [[id:1]]\n- founded [[id:2][Brex]] (with H) {2017..}\n",
        &["links_to id:1 1", "founded id:2 (Brex) 2"],
    );
}

#[test]
fn properties_hold_links_and_references() {
    check_links(
        ":PROPERTIES:\n:ID: 1\n:SUPERSEDES: [[id:2][Old]] [[id:3]]\n:END:\n* A\n:PROPERTIES:\n:SOURCE: [[file:a.org]]\n:END:\n",
        &["supersedes id:2 (Old) 3", "supersedes id:3 3", "source a.org 7"],
    );
    check_links(":PROPERTIES:\n:SUPERSEDES: Old plan\n:END:\n", &["supersedes Old plan 2"]);
    check_links(":PROPERTIES:\n:ROAM_REFS: [[id:2]]\n:END:\n", &[]);
}

#[test]
fn list_items_are_structured_lines() {
    let text = "- [belief] Org lasts [[id:1][long]] #strategy (offsite)\n- ceo:: [[id:2][Ada]] {2018..} (source: chat)\n\
                - Brex | hq:: Oslo\n+ term :: description\n- [ ] task\n- [X] done\n- [1/3] sub\n- [@5] five\n- [fn:1] foot\n";
    let page = page(text);
    assert_eq!(page.observations.len(), 1);
    assert_eq!(
        (page.observations[0].category.as_str(), page.observations[0].context.as_deref()),
        ("belief", Some("offsite"))
    );
    assert_eq!(
        (&page.observations[0].tags[..], &page.tags[..]),
        (&["strategy".to_owned()][..], &["strategy".to_owned()][..])
    );
    let facts: Vec<_> =
        page.facts.iter().map(|fact| (fact.subject.as_deref(), fact.object.as_str(), fact.line)).collect();
    assert_eq!(facts, [(None, "Ada", 2), (Some("Brex"), "Oslo", 3)]);
}

#[test]
fn entries_have_bold_dates_or_timestamps() {
    let text = "Truth.\n-----\n* Timeline\n- *2024-03-01* | meeting — Agreed\n  on more\n- [2024-02-01 Thu] Met\n\
                - <2024-01-01 Mon>--<2024-01-03 Wed> | trip — Went\n- **2023** | x — Old\n- *bold* text\n- [2024-13-45] no\n";
    let parsed = parse("a.org", text);
    let page = parsed.page;
    let found: Vec<_> = page
        .entries
        .iter()
        .map(|one| (one.date.as_str(), one.source.as_deref(), one.summary.as_str(), one.detail.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            ("2024-03-01", Some("meeting"), "Agreed", Some("on more")),
            ("2024-02-01", None, "Met", None),
            ("2024-01-01..2024-01-03", Some("trip"), "Went", None),
            ("2023", Some("x"), "Old", None),
        ]
    );
    assert_eq!(page.truth.of(text), "Truth.\n");
    assert_eq!(page.timeline.map(|range| range.start), Some(13));
    assert_eq!(parsed.diagnostics.len(), 1, "{:?}", parsed.diagnostics);
}

#[test]
fn items_end_where_org_ends_them() {
    let text = "- a:: b\nnot part\n- c:: d\n  continued\n\n  more\n- e:: f\n\n\nout\n  - g:: h\n";
    let facts: Vec<_> = page(text).facts.iter().map(|fact| fact.object.clone()).collect();
    assert_eq!(facts, ["b", "d continued", "f", "h"]);
}

#[test]
fn summary_is_the_quote_or_the_first_sentence() {
    let summary = |text: &str| page(text).shown_summary().map(str::to_owned).unwrap_or_default();
    assert_eq!(
        summary("#+title: A\n\n#+begin_quote\nQuoted [[id:1][text]].\n#+end_quote\nProse.\n"),
        "Quoted text."
    );
    assert_eq!(
        summary(
            "* A\n:PROPERTIES:\n:X: y\n:END:\n#+caption: c\n- item\nThe *bold* =code= [[id:1][link]]. More.\n"
        ),
        "The bold code link."
    );
    assert_eq!(summary("#+begin_src sh\nls\n#+end_src\n:LOGBOOK:\nx y\n:END:\nProse here.\n"), "Prose here.");
}

#[test]
fn title_is_the_keyword_or_the_file_name() {
    assert_eq!(page("* Heading\n").shown_title(), "page");
    assert_eq!(page("text\n#+TITLE: Late\n").shown_title(), "Late");
    assert_eq!(page("#+title:\n#+title: Second\n").shown_title(), "Second");
}

#[test]
fn markup_lines_are_known() {
    let page = page("#+title: A\ntext\n#+caption: b\n* H\n:PROPERTIES:\n:ID: 1\n:END:\n");
    let found: Vec<_> = page.markup.iter().map(|lines| (lines.first, lines.last)).collect();
    assert_eq!(found, [(5, 7), (3, 3)]);
    assert_eq!(page.properties.get("caption"), None::<&Value>);
}
