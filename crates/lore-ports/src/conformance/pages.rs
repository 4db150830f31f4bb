//! Pages and everything that belongs to them.

use std::collections::BTreeSet;

use lore_page::{Diagnostic, Properties, Value};
use lore_text::Language;

use super::Open;
use super::sample::{apply, known, link, open_project, page, put, shown, statement, with_text, with_word};
use crate::{
    Counts, Fingerprint, KeyKind, LabelKind, LinkFilter, NameQuery, PageNo, PageRow, PageWrite,
    StatementFilter, StatementKind,
};

pub fn pages_are_listed_and_fingerprinted_by_path(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for path in ["b.md", "a/z.md", "a.md", "ä.md", "B.md", "a-b.md"] {
        put(&*store, project, page(path));
    }
    let paths = |of: Vec<Fingerprint>| of.into_iter().map(|file| file.path).collect::<Vec<_>>();
    let all = paths(store.fingerprints(project.number, project.replica, None).unwrap());
    assert_eq!(all, ["B.md", "a-b.md", "a.md", "a/z.md", "b.md", "ä.md"], "in byte order");
    let some = BTreeSet::from(["ä.md", "b.md", "missing.md", "B.md"].map(String::from));
    let some = store.fingerprints(project.number, project.replica, Some(&some)).unwrap();
    let one = &some[0];
    assert_eq!((one.size, one.mtime, one.hash), (4, 1, page("B.md").row.hash));
    assert_eq!(paths(some), ["B.md", "b.md", "ä.md"]);
}

pub fn numbers_of_removed_pages_are_not_reused(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut seen = BTreeSet::new();
    for path in ["a.md", "b.md", "a.md", "b.md"] {
        let number = put(&*store, project, page(path));
        assert!(seen.insert(number), "{path} got the number of a removed page");
        apply(&*store, project, PageWrite::Remove(number));
    }
}

pub fn rows_round_trip(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
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
    let rows = store.pages(project.number, &[expected.number, 999, number]).unwrap();
    assert_eq!(rows.len(), 2, "missing pages are omitted");
    assert_eq!((&rows[0], rows[1].number), (&expected, number), "in the requested order");
}

pub fn put_replaces_all_rows_of_a_page(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
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
    let put_again = apply(&*store, project, PageWrite::Put(Box::new(new)));
    assert_eq!(put_again.page, first, "the number is kept");
    let mut names = put_again.names;
    names.sort();
    assert_eq!(names, ["new name", "old name"], "added and removed names only");

    assert_eq!(known(&*store, project, "old name"), []);
    assert_eq!(known(&*store, project, "new name"), [(KeyKind::Alias, "a.md".into())]);
    let links = store.links(project.number, &LinkFilter::From(&[first])).unwrap();
    assert_eq!(shown(&links), [("a.md south".into(), None)]);
    let said = store.statements(project.number, &StatementFilter::default()).unwrap();
    assert_eq!(said.iter().map(|row| row.statement.object.as_str()).collect::<Vec<_>>(), ["digs"]);
    assert_eq!(with_word(&*store, project, "heron"), [""; 0]);
    assert_eq!(with_word(&*store, project, "badger"), ["a.md"]);
    assert_eq!(store.labels(project.number, LabelKind::Tag).unwrap(), [("mammal".into(), 1)]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn changes_are_applied_in_their_order(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let [a, b] = ["a.md", "b.md"].map(|path| put(&*store, project, page(path)));
    let mut again = with_text("a.md", "badger");
    again.row.slug = "new".into();
    again.keys = vec![(KeyKind::Slug, "new".into())];
    let writes = [
        PageWrite::Remove(b),
        PageWrite::Move { page: a, to: "b.md" },
        PageWrite::Put(Box::new(again)),
        PageWrite::Touch { page: a, mtime: 7, updated: 8 },
    ];
    let written = store.apply(project.number, project.replica, &writes).unwrap();
    let pages: Vec<PageNo> = written.iter().map(|written| written.page).collect();
    assert_eq!([pages[0], pages[1], pages[3]], [b, a, a]);
    assert_eq!(written[2].names, ["new"], "a new page at a path that was left");
    let rows = store.pages(project.number, &[a, pages[2]]).unwrap();
    assert_eq!(rows.iter().map(|row| row.path.as_str()).collect::<Vec<_>>(), ["b.md", "a.md"]);
    assert_eq!((rows[0].updated, with_word(&*store, project, "badger")), (8, vec!["a.md".to_owned()]));
    assert!(store.apply(project.number, project.replica, &[]).unwrap().is_empty());
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn rename_keeps_the_number_and_returns_the_names(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let number = put(&*store, project, page("old/a.md"));
    let moved = apply(&*store, project, PageWrite::Move { page: number, to: "new/a.md" });
    assert_eq!(moved.page, number);
    let mut names = moved.names;
    names.sort();
    assert_eq!(names, ["a", "id-of-old/a", "old/a", "old/a.md"]);
    let row = store.pages(project.number, &[number]).unwrap().remove(0);
    assert_eq!((row.path.as_str(), row.id.as_str()), ("new/a.md", "id-of-old/a"));
    let again = put(&*store, project, page("new/a.md"));
    assert_eq!(again, number, "the page keeps its number under the new path");
    assert_eq!(store.counts(project.number).unwrap().pages, 1);
}

pub fn rename_replaces_the_target_page(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let moved = put(&*store, project, with_text("a.md", "heron"));
    let there = put(&*store, project, with_text("b.md", "badger"));
    let mut linking = page("c.md");
    linking.links = vec![link("b")];
    let linking = put(&*store, project, linking);
    let number = store.links(project.number, &LinkFilter::From(&[linking])).unwrap()[0].number;
    store.resolve_links(&[(number, Some(there))]).unwrap();

    let names = apply(&*store, project, PageWrite::Move { page: moved, to: "b.md" }).names;
    assert!(names.contains(&"a".into()) && names.contains(&"b".into()), "of both: {names:?}");
    assert_eq!(store.pages(project.number, &[there]).unwrap(), []);
    assert_eq!(store.links(project.number, &LinkFilter::Pending).unwrap().len(), 1);
    assert_eq!(with_word(&*store, project, "badger"), [""; 0]);
    assert_eq!(with_word(&*store, project, "heron"), ["b.md"]);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn removing_a_page_leaves_only_pending_links(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut gone = with_text("gone.md", "heron");
    gone.row.tags = vec!["bird".into()];
    gone.links = vec![link("stays")];
    gone.statements = vec![statement(StatementKind::Entry, "diary", "seen", 1)];
    let gone = put(&*store, project, gone);
    let mut stays = page("stays.md");
    stays.links = vec![link("gone")];
    let stays = put(&*store, project, stays);
    let number = store.links(project.number, &LinkFilter::From(&[stays])).unwrap()[0].number;
    store.resolve_links(&[(number, Some(gone))]).unwrap();
    assert_eq!(store.counts(project.number).unwrap().links, 1);

    let mut names = apply(&*store, project, PageWrite::Remove(gone)).names;
    names.sort();
    assert_eq!(names, ["gone", "gone", "gone.md", "id-of-gone"]);
    let pending = store.links(project.number, &LinkFilter::Pending).unwrap();
    assert_eq!(shown(&pending), [("stays.md gone".into(), None)]);
    let counts = store.counts(project.number).unwrap();
    let expected = Counts { pages: 1, pending: 1, bytes: counts.bytes, ..Default::default() };
    assert_eq!(counts, expected);
    assert_eq!(with_word(&*store, project, "heron"), [""; 0]);
    assert_eq!(known(&*store, project, "gone"), []);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn pages_are_found_by_every_kind_of_name(open: Open<'_>) {
    use KeyKind::{Alias, DesiredSlug, Id, NameSlug, Path, Slug, Suffix, Title};
    let store = open();
    let project = open_project(&*store, "p");
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
    let rows = store.lookup(project.number, &NameQuery::Exact(&["by id", "", "none", "by slug"])).unwrap();
    let rows: Vec<_> = rows.iter().map(|row| (row.key.as_str(), row.page, row.slug.as_str())).collect();
    assert_eq!(rows, [("by id", number, "people/ada"), ("by slug", number, "people/ada")]);
    let mut slugs: Vec<String> =
        store.lookup(project.number, &NameQuery::AllSlugs).unwrap().into_iter().map(|row| row.slug).collect();
    slugs.sort();
    assert_eq!(slugs, ["other", "people/ada"]);
}

pub fn ids_are_found_by_prefix(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (path, id) in [("a.md", "0192aa"), ("b.md", "0192ab"), ("c.md", "0193"), ("d.md", "019")] {
        let mut draft = page(path);
        // A title with the same prefix is not an id.
        draft.keys = vec![(KeyKind::Id, id.into()), (KeyKind::Title, format!("{id}title"))];
        put(&*store, project, draft);
    }
    let found = |start: &str| {
        let rows = store.lookup(project.number, &NameQuery::IdPrefix(start, 20)).unwrap();
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

pub fn touch_changes_only_timestamps(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let number = put(&*store, project, with_text("a.md", "heron"));
    let before = store.pages(project.number, &[number]).unwrap().remove(0);
    apply(&*store, project, PageWrite::Touch { page: number, mtime: 88, updated: 99 });
    let file = store.fingerprints(project.number, project.replica, None).unwrap().remove(0);
    assert_eq!((file.size, file.mtime, file.hash), (before.size, 88, before.hash));
    let after = store.pages(project.number, &[number]).unwrap().remove(0);
    assert_eq!(after, PageRow { updated: 99, ..before });
    assert_eq!(with_word(&*store, project, "heron"), ["a.md"]);
}

pub fn labels_and_counts_follow_the_pages(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (path, kind, tags) in
        [("a.md", "person", &["Red", "blue"][..]), ("b.md", "person", &["red"]), ("c.md", "note", &[])]
    {
        let mut draft = page(path);
        draft.row.kind = kind.into();
        draft.row.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        draft.text.language = if kind == "note" { Language::German } else { Language::English };
        draft.links = vec![link("nowhere")];
        draft.statements = vec![statement(StatementKind::Observation, "x", "y", 1)];
        put(&*store, project, draft);
    }
    assert_eq!(
        store.labels(project.number, LabelKind::Tag).unwrap(),
        [("red".into(), 2), ("blue".into(), 1)]
    );
    assert_eq!(
        store.labels(project.number, LabelKind::Type).unwrap(),
        [("person".into(), 2), ("note".into(), 1)]
    );
    assert_eq!(store.labels(project.number, LabelKind::Language).unwrap(), [("de".into(), 1)]);
    let counts = store.counts(project.number).unwrap();
    assert!(counts.bytes > 0);
    let expected =
        Counts { pages: 3, pending: 3, observations: 3, tags: 2, bytes: counts.bytes, ..Default::default() };
    assert_eq!(counts, expected);
}
