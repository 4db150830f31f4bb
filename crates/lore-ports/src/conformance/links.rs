//! Links.

use lore_page::Interval;

use super::Open;
use super::sample::{link, open_project, page, put, shown};
use crate::{LinkDraft, LinkFilter, LinkRow};

pub fn links_are_found_by_both_ends_and_by_name(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut from = page("from.md");
    let mut named = link("The Target");
    named.names = ["the target".into(), "the-target".into()];
    (named.id, named.relation, named.line) = (1 << 51, "founded".into(), 7);
    (named.heading, named.label, named.context) =
        (Some("History".into()), Some("it".into()), Some("with Bob".into()));
    named.interval = Interval { from: "2017".parse().ok(), until: "2018-03".parse().ok() };
    from.links = vec![named.clone(), link("nowhere")];
    let from = put(&*store, project, from);
    let to = put(&*store, project, page("to.md"));
    let rows = store.links(project.number, &LinkFilter::From(&[from])).unwrap();
    assert_eq!((&rows[1].link, rows[1].from, rows[1].to), (&named, from, None), "by line");
    store.resolve_links(&[(rows[1].number, Some(to))]).unwrap();

    let led = vec![("from.md The Target".to_owned(), Some(to))];
    assert_eq!(shown(&store.links(project.number, &LinkFilter::To(&[to])).unwrap()), led);
    for name in ["the target", "the-target"] {
        assert_eq!(shown(&store.links(project.number, &LinkFilter::Named(&[name])).unwrap()), led, "{name}");
    }
    assert_eq!(store.links(project.number, &LinkFilter::Named(&["", "target"])).unwrap(), []);
    assert_eq!(shown(&store.links(project.number, &LinkFilter::Ids(&[1 << 51])).unwrap()), led);
    assert_eq!(store.links(project.number, &LinkFilter::Ids(&[8, u64::MAX])).unwrap(), []);
    let other = open_project(&*store, "q");
    assert_eq!(store.links(other.number, &LinkFilter::Ids(&[1 << 51])).unwrap(), []);
    let pending = store.links(project.number, &LinkFilter::Pending).unwrap();
    assert_eq!(shown(&pending), [("from.md nowhere".into(), None)]);
    let with_heading = store.links(project.number, &LinkFilter::WithHeading).unwrap();
    assert!(with_heading.iter().all(|row| row.link.heading.is_some()));
    let all = store.links(project.number, &LinkFilter::From(&[from])).unwrap();
    assert_eq!(with_heading.len(), all.iter().filter(|row| row.link.heading.is_some()).count());
    store.resolve_links(&[(rows[1].number, None)]).unwrap();
    assert_eq!(store.links(project.number, &LinkFilter::To(&[to])).unwrap(), []);
    assert_eq!(store.links(project.number, &LinkFilter::Pending).unwrap().len(), 2);
}

pub fn links_are_found_by_relation_and_counted_by_target(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let related = |relation: &str, target: &str| {
        let mut link = link(target);
        link.relation = relation.into();
        link
    };
    let mut b = page("b.md");
    b.links = vec![related("supersedes", "a"), related("contradicts", "c"), link("a"), link("b")];
    let mut c = page("c.md");
    c.links = vec![related("SUPERSEDES", "b"), link("a")];
    let mut elsewhere = page("x.md");
    elsewhere.links = vec![related("supersedes", "a")];
    let [a, b, c] = [page("a.md"), b, c].map(|draft| put(&*store, project, draft));
    put(&*store, other, elsewhere);
    for (from, name, to) in [(b, "a", a), (b, "b", b), (c, "b", b), (c, "a", a)] {
        let rows = store.links(project.number, &LinkFilter::From(&[from])).unwrap();
        let found: Vec<_> =
            rows.iter().filter(|row| row.link.target == name).map(|row| (row.number, Some(to))).collect();
        store.resolve_links(&found).unwrap();
    }
    let typed =
        |relations: &[&str]| shown(&store.links(project.number, &LinkFilter::Typed(relations)).unwrap());
    let superseding = [("b.md a".to_owned(), Some(a)), ("c.md b".to_owned(), Some(b))];
    assert_eq!(typed(&["Supersedes"]), superseding);
    assert_eq!(typed(&["contradicts"]), [("b.md c".to_owned(), None)]);
    assert_eq!(typed(&["supersedes", "contradicts"]).len(), 3);
    assert_eq!(typed(&["super", ""]), []);
    let at = |relations: &[&str], pages: &[i64]| {
        shown(&store.links(project.number, &LinkFilter::TypedAt(relations, pages)).unwrap())
    };
    assert_eq!(at(&["SUPERSEDES"], &[a, b]), superseding, "links from and to the pages, each once");
    assert_eq!(at(&["supersedes"], &[c]), superseding[1..]);
    assert_eq!(at(&["contradicts"], &[a]), []);
    assert_eq!(at(&["supersedes"], &[]), []);
    assert_eq!(
        store.inbound(project.number, &[c, a, b, 99]).unwrap(),
        [0, 3, 1, 0],
        "self-links do not count"
    );
    assert_eq!(store.inbound(project.number, &[]).unwrap(), [0; 0]);
}

pub fn links_with_a_verb_are_ordered_by_page_and_line(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let typed = |target: &str, line: u32| LinkDraft { relation: "knows".into(), line, ..link(target) };
    for (project, path) in [(project, "b.md"), (project, "a.md"), (other, "c.md")] {
        let mut draft = page(path);
        draft.links = vec![typed("late", 9), link("plain"), typed("early", 2)];
        put(&*store, project, draft);
    }
    let rows = store.links(project.number, &LinkFilter::WithVerb).unwrap();
    let shown: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row.from_path, row.link.target)).collect();
    assert_eq!(shown, ["a.md early", "a.md late", "b.md early", "b.md late"]);
}

/// The order depends on the pages, never on when their rows were written.
pub fn links_are_ordered_by_path_and_line(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let on = |path: &str, lines: &[u32]| {
        let mut draft = page(path);
        draft.links = lines.iter().map(|line| LinkDraft { line: *line, ..link("to") }).collect();
        put(&*store, project, draft)
    };
    let to = put(&*store, project, page("to.md"));
    let (z, a) = (on("z.md", &[3]), on("a.md", &[9, 4]));
    let rows = store.links(project.number, &LinkFilter::From(&[z, a])).unwrap();
    let shown = |rows: &[LinkRow]| -> Vec<String> {
        rows.iter().map(|row| format!("{}:{}", row.from_path, row.link.line)).collect()
    };
    assert_eq!(shown(&rows), ["z.md:3", "a.md:4", "a.md:9"], "in the order of the given pages");
    let targets: Vec<_> = rows.iter().map(|row| (row.number, Some(to))).collect();
    store.resolve_links(&targets).unwrap();
    let rows = store.links(project.number, &LinkFilter::To(&[to])).unwrap();
    assert_eq!(shown(&rows), ["a.md:4", "a.md:9", "z.md:3"]);
}
