//! Pages and everything that belongs to them.

use std::collections::BTreeSet;

use lore_page::{Diagnostic, Interval, LineRange, Properties, Value};
use lore_ports::{
    Counts, Fingerprint, KeyKind, LabelKind, LinkDraft, LinkFilter, NameQuery, PageNo, Statement,
    StatementFilter, StatementKind,
};

use super::Open;
use crate::sample::{known, link, page, put, shown, statement, with_text, with_word};

pub fn pages_are_listed_and_fingerprinted_by_path(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for path in ["b.md", "a/z.md", "a.md", "ä.md", "B.md", "a-b.md"] {
        put(&*store, project, page(path));
    }
    let paths = |of: Vec<Fingerprint>| of.into_iter().map(|file| file.path).collect::<Vec<_>>();
    let all = paths(store.fingerprints(project, None).unwrap());
    assert_eq!(all, ["B.md", "a-b.md", "a.md", "a/z.md", "b.md", "ä.md"], "in byte order");
    let some = BTreeSet::from(["ä.md", "b.md", "missing.md", "B.md"].map(String::from));
    let some = store.fingerprints(project, Some(&some)).unwrap();
    let one = &some[0];
    assert_eq!((one.size, one.mtime, one.hash), (4, 1, page("B.md").row.hash));
    assert_eq!(paths(some), ["B.md", "b.md", "ä.md"]);
}

pub fn rows_round_trip(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut draft = page("people/ada.md");
    let text = |text: &str| Value::Text(text.into());
    let inner = Properties(vec![("z".into(), text("1")), ("a".into(), text("2"))]);
    draft.row.status = Some("Draft".into());
    draft.row.summary = Some("Wrote \"notes\"\nand 世界".into());
    draft.row.tags = vec!["Zeta".into(), "alpha".into()];
    draft.row.properties = Properties(vec![
        ("count".into(), text("42")),
        ("list".into(), Value::List(vec![text("x"), text("y")])),
        ("map".into(), Value::Map(inner)),
    ]);
    draft.row.diagnostics = vec![Diagnostic { line: 3, message: "odd".into() }];
    (draft.row.created, draft.row.updated, draft.row.size) = (-5, i64::MAX / 2, 1 << 40);
    let number = put(&*store, project, page("other.md"));
    let mut expected = draft.row.clone();
    expected.number = put(&*store, project, draft);
    assert_ne!(expected.number, number);
    let rows = store.pages(project, &[expected.number, 999, number]).unwrap();
    assert_eq!(rows.len(), 2, "missing pages are omitted");
    assert_eq!((&rows[0], rows[1].number), (&expected, number), "in the requested order");
}

pub fn put_replaces_all_rows_of_a_page(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut old = with_text("a.md", "heron");
    old.row.tags = vec!["bird".into()];
    old.links = vec![link("north")];
    old.statements = vec![statement(StatementKind::Fact, "eats", "fish", 3)];
    old.keys = vec![(KeyKind::Slug, "a".into()), (KeyKind::Title, "old name".into())];
    let first = put(&*store, project, old);

    let mut new = with_text("a.md", "badger");
    new.row.tags = vec!["mammal".into()];
    new.links = vec![link("south")];
    new.statements = vec![statement(StatementKind::Observation, "habit", "digs", 2)];
    new.keys = vec![(KeyKind::Slug, "a".into()), (KeyKind::Alias, "new name".into())];
    let put_again = store.put_page(project, &new).unwrap();
    assert_eq!(put_again.page, first, "the number is kept");
    let mut names = put_again.names;
    names.sort();
    assert_eq!(names, ["new name", "old name"], "added and removed names only");

    assert_eq!(known(&*store, project, "old name"), []);
    assert_eq!(known(&*store, project, "new name"), [(KeyKind::Alias, "a.md".into())]);
    let links = store.links(project, &LinkFilter::From(&[first])).unwrap();
    assert_eq!(shown(&links), [("a.md south".into(), None)]);
    let said = store.statements(project, &StatementFilter::default()).unwrap();
    assert_eq!(said.iter().map(|row| row.statement.object.as_str()).collect::<Vec<_>>(), ["digs"]);
    assert_eq!(with_word(&*store, project, "heron"), [""; 0]);
    assert_eq!(with_word(&*store, project, "badger"), ["a.md"]);
    assert_eq!(store.labels(project, LabelKind::Tag).unwrap(), [("mammal".into(), 1)]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn rename_keeps_the_number_and_returns_the_names(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let number = put(&*store, project, page("old/a.md"));
    let mut names = store.rename_page(project, number, "new/a.md").unwrap();
    names.sort();
    assert_eq!(names, ["a", "id-of-old/a", "old/a", "old/a.md"]);
    let row = store.pages(project, &[number]).unwrap().remove(0);
    assert_eq!((row.path.as_str(), row.id.as_str()), ("new/a.md", "id-of-old/a"));
    let again = put(&*store, project, page("new/a.md"));
    assert_eq!(again, number, "the page keeps its number under the new path");
    assert_eq!(store.counts(project).unwrap().pages, 1);
}

pub fn rename_replaces_the_target_page(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let moved = put(&*store, project, with_text("a.md", "heron"));
    let there = put(&*store, project, with_text("b.md", "badger"));
    let mut linking = page("c.md");
    linking.links = vec![link("b")];
    let linking = put(&*store, project, linking);
    let number = store.links(project, &LinkFilter::From(&[linking])).unwrap()[0].number;
    store.resolve_links(&[(number, Some(there))]).unwrap();

    let names = store.rename_page(project, moved, "b.md").unwrap();
    assert!(names.contains(&"a".into()) && names.contains(&"b".into()), "of both: {names:?}");
    assert_eq!(store.pages(project, &[there]).unwrap(), []);
    assert_eq!(store.links(project, &LinkFilter::Pending).unwrap().len(), 1);
    assert_eq!(with_word(&*store, project, "badger"), [""; 0]);
    assert_eq!(with_word(&*store, project, "heron"), ["b.md"]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn removing_a_page_leaves_only_pending_links(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut gone = with_text("gone.md", "heron");
    gone.row.tags = vec!["bird".into()];
    gone.links = vec![link("stays")];
    gone.statements = vec![statement(StatementKind::Entry, "diary", "seen", 1)];
    let gone = put(&*store, project, gone);
    let mut stays = page("stays.md");
    stays.links = vec![link("gone")];
    let stays = put(&*store, project, stays);
    let number = store.links(project, &LinkFilter::From(&[stays])).unwrap()[0].number;
    store.resolve_links(&[(number, Some(gone))]).unwrap();
    assert_eq!(store.counts(project).unwrap().links, 1);

    let mut names = store.remove_page(project, gone).unwrap();
    names.sort();
    assert_eq!(names, ["gone", "gone", "gone.md", "id-of-gone"]);
    let pending = store.links(project, &LinkFilter::Pending).unwrap();
    assert_eq!(shown(&pending), [("stays.md gone".into(), None)]);
    let counts = store.counts(project).unwrap();
    let expected = Counts { pages: 1, pending: 1, bytes: counts.bytes, ..Default::default() };
    assert_eq!(counts, expected);
    assert_eq!(with_word(&*store, project, "heron"), [""; 0]);
    assert_eq!(known(&*store, project, "gone"), []);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn pages_are_found_by_every_kind_of_name(open: Open<'_>) {
    use KeyKind::{Alias, DesiredSlug, Id, NameSlug, Path, Slug, Suffix, Title};
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut draft = page("people/ada.md");
    draft.keys = [Id, Slug, Path, Title, Alias, NameSlug, Suffix, DesiredSlug]
        .map(|kind| (kind, format!("by {kind:?}").to_lowercase()))
        .to_vec();
    draft.keys.push((Alias, "by title".into()));
    let names = draft.keys.clone();
    let number = put(&*store, project, draft);
    put(&*store, project, page("other.md"));
    for (kind, name) in names {
        assert!(known(&*store, project, &name).contains(&(kind, "people/ada.md".into())), "{name}");
    }
    let rows = store.lookup(project, &NameQuery::Exact(&["by id", "", "none", "by slug"])).unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.key.as_str(), row.page, row.slug.as_str())).collect();
    assert_eq!(rows, [("by id", number, "people/ada"), ("by slug", number, "people/ada")]);
    let mut slugs: Vec<String> =
        store.lookup(project, &NameQuery::AllSlugs).unwrap().into_iter().map(|row| row.slug).collect();
    slugs.sort();
    assert_eq!(slugs, ["other", "people/ada"]);
}

pub fn ids_are_found_by_prefix(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for (path, id) in [("a.md", "0192aa"), ("b.md", "0192ab"), ("c.md", "0193"), ("d.md", "019")] {
        let mut draft = page(path);
        // A title with the same prefix is not an id.
        draft.keys = vec![(KeyKind::Id, id.into()), (KeyKind::Title, format!("{id}title"))];
        put(&*store, project, draft);
    }
    let found = |start: &str| {
        let rows = store.lookup(project, &NameQuery::IdPrefix(start)).unwrap();
        let mut paths: Vec<String> = rows.into_iter().map(|row| row.path).collect();
        paths.sort();
        paths.join(" ")
    };
    assert_eq!(found("0192"), "a.md b.md");
    assert_eq!(found("0192aa"), "a.md");
    assert_eq!(found("019"), "a.md b.md c.md d.md");
    assert_eq!(found("0194"), "");
    assert_eq!(found("%"), "");
    assert_eq!(found("019_"), "");
}

pub fn links_are_found_by_both_ends_and_by_name(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
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
    let rows = store.links(project, &LinkFilter::From(&[from])).unwrap();
    assert_eq!((&rows[0].link, rows[0].from, rows[0].to), (&named, from, None));
    store.resolve_links(&[(rows[0].number, Some(to))]).unwrap();

    let led = vec![("from.md The Target".to_owned(), Some(to))];
    assert_eq!(shown(&store.links(project, &LinkFilter::To(&[to])).unwrap()), led);
    for name in ["the target", "the-target"] {
        assert_eq!(shown(&store.links(project, &LinkFilter::Named(&[name])).unwrap()), led, "{name}");
    }
    assert_eq!(store.links(project, &LinkFilter::Named(&["", "target"])).unwrap(), []);
    assert_eq!(shown(&store.links(project, &LinkFilter::Ids(&[1 << 51])).unwrap()), led);
    assert_eq!(store.links(project, &LinkFilter::Ids(&[8, u64::MAX])).unwrap(), []);
    let other = store.project("q", "/q").unwrap();
    assert_eq!(store.links(other, &LinkFilter::Ids(&[1 << 51])).unwrap(), []);
    let pending = store.links(project, &LinkFilter::Pending).unwrap();
    assert_eq!(shown(&pending), [("from.md nowhere".into(), None)]);
    store.resolve_links(&[(rows[0].number, None)]).unwrap();
    assert_eq!(store.links(project, &LinkFilter::To(&[to])).unwrap(), []);
    assert_eq!(store.links(project, &LinkFilter::Pending).unwrap().len(), 2);
}

pub fn links_are_found_by_relation_and_counted_by_target(open: Open<'_>) {
    let store = open();
    let (project, other) = (store.project("p", "/p").unwrap(), store.project("q", "/q").unwrap());
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
        let rows = store.links(project, &LinkFilter::From(&[from])).unwrap();
        let found: Vec<_> =
            rows.iter().filter(|row| row.link.target == name).map(|row| (row.number, Some(to))).collect();
        store.resolve_links(&found).unwrap();
    }
    let typed = |relations: &[&str]| shown(&store.links(project, &LinkFilter::Typed(relations)).unwrap());
    let superseding = [("b.md a".to_owned(), Some(a)), ("c.md b".to_owned(), Some(b))];
    assert_eq!(typed(&["Supersedes"]), superseding);
    assert_eq!(typed(&["contradicts"]), [("b.md c".to_owned(), None)]);
    assert_eq!(typed(&["supersedes", "contradicts"]).len(), 3);
    assert_eq!(typed(&["super", ""]), []);
    let at = |relations: &[&str], pages: &[i64]| {
        shown(&store.links(project, &LinkFilter::TypedAt(relations, pages)).unwrap())
    };
    assert_eq!(at(&["SUPERSEDES"], &[a, b]), superseding, "links from and to the pages, each once");
    assert_eq!(at(&["supersedes"], &[c]), superseding[1..]);
    assert_eq!(at(&["contradicts"], &[a]), []);
    assert_eq!(at(&["supersedes"], &[]), []);
    assert_eq!(store.inbound(project, &[c, a, b, 99]).unwrap(), [0, 3, 1, 0], "self-links do not count");
    assert_eq!(store.inbound(project, &[]).unwrap(), [0; 0]);
}

pub fn links_with_a_verb_are_ordered_by_page_and_line(open: Open<'_>) {
    let store = open();
    let (project, other) = (store.project("p", "/p").unwrap(), store.project("q", "/q").unwrap());
    let typed = |target: &str, line: u32| LinkDraft { relation: "knows".into(), line, ..link(target) };
    for (project, path) in [(project, "b.md"), (project, "a.md"), (other, "c.md")] {
        let mut draft = page(path);
        draft.links = vec![typed("late", 9), link("plain"), typed("early", 2)];
        put(&*store, project, draft);
    }
    let rows = store.links(project, &LinkFilter::WithVerb).unwrap();
    let shown: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row.from_path, row.link.target)).collect();
    assert_eq!(shown, ["a.md early", "a.md late", "b.md early", "b.md late"]);
}

pub fn statements_are_ordered_by_page_kind_and_line(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let mut draft = page("a.md");
    let whole = Statement {
        subject: Some("Bob".into()),
        interval: Interval { from: "2020-01-02".parse().ok(), until: None },
        notes: vec![("source".into(), "m/1".into()), ("by".into(), "agent".into())],
        lines: LineRange { first: 9, last: 11 },
        ..statement(StatementKind::Fact, "works_at", "Lab", 0)
    };
    let entry = statement(StatementKind::Entry, "diary", "late", 20);
    let early = statement(StatementKind::Fact, "likes", "tea", 2);
    draft.statements = vec![entry.clone(), whole.clone(), early.clone()];
    let a = put(&*store, project, draft);
    let mut other = page("b.md");
    other.statements = vec![statement(StatementKind::Fact, "likes", "rain", 1)];
    let b = put(&*store, project, other);

    let of = |pages: &[PageNo], kind: Option<StatementKind>| -> Vec<Statement> {
        let rows = store.statements(project, &StatementFilter { pages: Some(pages), kind }).unwrap();
        rows.into_iter().map(|row| row.statement).collect()
    };
    assert_eq!(of(&[a], None), [early.clone(), whole.clone(), entry.clone()]);
    assert_eq!(of(&[a], Some(StatementKind::Entry)), [entry]);
    assert_eq!(of(&[b, a], Some(StatementKind::Fact))[1..], [early, whole]);
    let facts = store
        .statements(project, &StatementFilter { pages: None, kind: Some(StatementKind::Fact), naming: None })
        .unwrap();
    assert_eq!(facts.iter().map(|row| row.page).collect::<Vec<_>>(), [a, a, b]);
}

pub fn touch_changes_only_timestamps(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let number = put(&*store, project, with_text("a.md", "heron"));
    let before = store.pages(project, &[number]).unwrap().remove(0);
    store.touch_page(number, 88, 99).unwrap();
    let file = store.fingerprints(project, None).unwrap().remove(0);
    assert_eq!((file.size, file.mtime, file.hash), (before.size, 88, before.hash));
    let after = store.pages(project, &[number]).unwrap().remove(0);
    assert_eq!(after, lore_ports::PageRow { updated: 99, ..before });
    assert_eq!(with_word(&*store, project, "heron"), ["a.md"]);
}

pub fn labels_and_counts_follow_the_pages(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    for (path, kind, tags) in
        [("a.md", "person", &["Red", "blue"][..]), ("b.md", "person", &["red"]), ("c.md", "note", &[])]
    {
        let mut draft = page(path);
        draft.row.kind = kind.into();
        draft.row.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        draft.links = vec![link("nowhere")];
        draft.statements = vec![statement(StatementKind::Observation, "x", "y", 1)];
        put(&*store, project, draft);
    }
    assert_eq!(store.labels(project, LabelKind::Tag).unwrap(), [("red".into(), 2), ("blue".into(), 1)]);
    assert_eq!(store.labels(project, LabelKind::Type).unwrap(), [("person".into(), 2), ("note".into(), 1)]);
    let counts = store.counts(project).unwrap();
    assert!(counts.bytes > 0);
    let expected =
        Counts { pages: 3, pending: 3, observations: 3, tags: 2, bytes: counts.bytes, ..Default::default() };
    assert_eq!(counts, expected);
}
