//! Filters behave the same in list and search.

use super::Open;
use super::sample::{ALL, Project, found, link, listed, open_project, put, with_text, word};
use crate::{Aged, Filter, LinkFilter, Namespace, Order, Store};
use lore_page::{Properties, Value};

/// `path kind status wing tags key=value`, each with the word `common`; page `n` was changed at `n * 100`.
const PAGES: [&str; 7] = [
    "people/ada.md person live ada math,Red city=London",
    "people/bob.md person draft bob red city=Paris",
    "people/teams/core.md team live core red city=london",
    "peoples/zed.md note - zed - -",
    "companies/brex.md company live brex math,money city=Paris",
    "companies/brex-2.md company - brex - since=2017",
    "notes/100%_done.md note done notes - -",
];

fn vault(store: &dyn Store) -> Project {
    let project = open_project(store, "p");
    for (at, page) in PAGES.iter().enumerate() {
        let fields: Vec<&str> = page.split(' ').collect();
        let mut draft = with_text(fields[0], "common words");
        draft.row.kind = fields[1].into();
        draft.row.status = (fields[2] != "-").then(|| fields[2].into());
        draft.row.wing = fields[3].into();
        draft.row.tags = fields[4].split(',').filter(|tag| *tag != "-").map(str::to_owned).collect();
        let properties = fields[5].split_once('=');
        draft.row.properties = Properties(
            properties.map(|(key, value)| (key.into(), Value::Text(value.into()))).into_iter().collect(),
        );
        draft.row.updated = at as i64 * 100;
        put(store, project, draft);
    }
    project
}

/// Checks the matching pages, by the last part of their slug.
#[track_caller]
fn check(store: &dyn Store, project: Project, filter: &Filter, expected: &str) {
    let names = |mut paths: Vec<String>| {
        paths.sort();
        let name = |path: &String| path.trim_end_matches(".md").rsplit('/').next().unwrap().to_owned();
        paths.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let in_list = names(listed(store, project, filter, Order::Title));
    let in_search = names(found(store, project, &word("common"), filter));
    assert_eq!((in_list.as_str(), in_search.as_str()), (expected, expected), "list and search, {filter:?}");
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn namespace(name: &str, prefixes: &[&str]) -> Namespace {
    Namespace { name: name.to_owned(), prefixes: texts(prefixes) }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

pub fn single_filters_agree_in_list_and_search(open: Open<'_>) {
    let store = open();
    let project = vault(&*store);
    let none = Filter::default;
    let some = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (none(), "brex-2 brex 100%_done ada bob core zed"),
        (Filter { kinds: texts(&["person"]), ..none() }, "ada bob"),
        (Filter { kinds: texts(&["team", "COMPANY"]), ..none() }, "brex-2 brex core"),
        (Filter { kinds: texts(&["pers"]), ..none() }, ""),
        (Filter { tags: texts(&["red"]), ..none() }, "ada bob core"),
        (Filter { tags: texts(&["RED", "math"]), ..none() }, "ada"),
        (Filter { namespace: Some(namespace("people", &["people/"])), ..none() }, "ada bob core"),
        (Filter { namespace: Some(namespace("math", &["notes/"])), ..none() }, "brex 100%_done ada"),
        (Filter { namespace: Some(namespace("brex", &[])), ..none() }, "brex-2 brex"),
        (Filter { namespace: Some(namespace("math", &[])), tags: texts(&["money"]), ..none() }, "brex"),
        (Filter { namespace: Some(namespace("nobody", &["nowhere/"])), ..none() }, ""),
        (Filter { status: some("live"), ..none() }, "brex ada core"),
        (Filter { status: some("Live"), ..none() }, "brex ada core"),
        (Filter { wings: vec!["brex".into()], ..none() }, "brex-2 brex"),
        (Filter { wings: vec!["ADA".into()], ..none() }, "ada"),
        (Filter { wings: vec!["ADA".into(), "brex".into()], ..none() }, "brex-2 brex ada"),
        (Filter { slug: some("people/ada"), ..none() }, "ada"),
        (Filter { slug: some("people"), ..none() }, ""),
        (Filter { slug_match: some("companies/br"), ..none() }, "brex-2 brex"),
        (Filter { slug_match: some("*/b*"), ..none() }, "brex-2 brex bob"),
        (Filter { slug_match: some("people/*o[br]?"), ..none() }, "core"),
        (Filter { slug_match: some("*/[^a-b]*"), ..none() }, "100%_done core zed"),
        (Filter { slug_match: some("*100[]%]*"), ..none() }, "100%_done"),
        (Filter { slug_match: some("*["), ..none() }, ""),
        (Filter { title: some("BRE"), ..none() }, "brex-2 brex"),
        (Filter { title: some("o"), ..none() }, "100%_done bob core"),
        (Filter { since: Some(400), ..none() }, "brex-2 brex 100%_done"),
        (Filter { until: Some(200), ..none() }, "ada bob"),
        (Filter { properties: pairs(&[("city", "London")]), ..none() }, "ada core"),
        (Filter { properties: pairs(&[("City", "paris")]), ..none() }, "brex bob"),
        (Filter { properties: pairs(&[("city", "Lon")]), ..none() }, ""),
    ] {
        check(&*store, project, &filter, expected);
    }
}

pub fn combined_filters_must_all_match(open: Open<'_>) {
    let store = open();
    let project = vault(&*store);
    let some = |text: &str| Some(text.to_owned());
    let mut filter = Filter { kinds: texts(&["person", "team", "company"]), ..Default::default() };
    check(&*store, project, &filter, "brex-2 brex ada bob core");
    filter.status = some("live");
    check(&*store, project, &filter, "brex ada core");
    filter.path = some("people/");
    check(&*store, project, &filter, "ada core");
    filter.properties = pairs(&[("city", "london")]);
    filter.tags = texts(&["red"]);
    check(&*store, project, &filter, "ada core");
    filter.since = Some(100);
    check(&*store, project, &filter, "core");
    filter.until = Some(200);
    check(&*store, project, &filter, "");
    filter.until = Some(201);
    (filter.title, filter.slug_match, filter.wings) = (some("cor"), some("*core"), vec!["core".into()]);
    check(&*store, project, &filter, "core");
    filter.slug = some("people/ada");
    check(&*store, project, &filter, "");
}

pub fn folders_differ_from_prefixes(open: Open<'_>) {
    let store = open();
    let project = vault(&*store);
    for (path, expected) in [
        ("people/", "ada bob core"),
        ("people", "ada bob core zed"),
        ("people/teams/", "core"),
        ("people/a", "ada"),
        ("people/ada.md", "ada"),
        ("team/", ""),
        ("/", ""),
        ("", "brex-2 brex 100%_done ada bob core zed"),
    ] {
        check(&*store, project, &Filter { path: Some(path.into()), ..Default::default() }, expected);
    }
}

pub fn wildcards_apply_only_to_globs(open: Open<'_>) {
    let store = open();
    let project = vault(&*store);
    for wild in ["%", "_", "notes/100%", "notes/100__"] {
        let path = Filter { path: Some(wild.into()), ..Default::default() };
        let start = Filter { slug_match: Some(wild.into()), ..Default::default() };
        let expected = if wild == "notes/100%" { "100%_done" } else { "" };
        check(&*store, project, &path, expected);
        check(&*store, project, &start, expected);
    }
    check(&*store, project, &Filter { title: Some("%".into()), ..Default::default() }, "100%_done");
    check(&*store, project, &Filter { title: Some("a%a".into()), ..Default::default() }, "");
}

pub fn filters_fold_case_in_every_script(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut draft = with_text("x.md", "common");
    (draft.row.kind, draft.row.status, draft.row.wing) = ("Übung".into(), Some("ÉTÉ".into()), "Ärger".into());
    (draft.row.title, draft.row.tags) = ("Über ÖL".into(), vec!["Größe".into()]);
    put(&*store, project, draft);
    let some = |text: &str| Some(text.to_owned());
    for filter in [
        Filter { tags: texts(&["größe"]), ..Default::default() },
        Filter { kinds: texts(&["übung"]), ..Default::default() },
        Filter { status: some("été"), ..Default::default() },
        Filter { wings: vec!["ärger".into()], ..Default::default() },
        Filter { title: some("öl"), ..Default::default() },
    ] {
        check(&*store, project, &filter, "x");
    }
}

pub fn folder_filters_are_case_sensitive(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    put(&*store, project, with_text("Docs/upper.md", "common"));
    put(&*store, project, with_text("docs/lower.md", "common"));
    check(&*store, project, &Filter { path: Some("docs/".into()), ..Default::default() }, "lower");
    check(&*store, project, &Filter { path: Some("Docs/".into()), ..Default::default() }, "upper");
}

/// Declared dates take precedence over mtimes; a page is an orphan unless another page links to it.
pub fn aged_pages_without_a_status_are_found(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    for (path, updated, stated, status) in [
        ("new.md", 100, None, None),
        ("old.md", 10, None, None),
        ("reviewed.md", 10, Some(100), None),
        ("cloned.md", 100, Some(10), None),
        ("decided.md", 10, None, Some("active")),
        ("self.md", 10, None, None),
    ] {
        let mut draft = with_text(path, "common");
        draft.row.updated = updated;
        draft.declared_date = stated;
        draft.row.status = status.map(str::to_owned);
        draft.links = match path {
            "new.md" => vec![link("old")],
            "self.md" => vec![link("self")],
            _ => Vec::new(),
        };
        put(&*store, project, draft);
    }
    for name in ["old", "self"] {
        let to = store.list(
            project.number,
            &Filter { slug: Some(name.into()), ..Filter::default() },
            Order::Title,
            ALL,
        );
        let to = to.unwrap().pop().map(|row| row.number);
        let link = store.links(project.number, &LinkFilter::Named(&[name])).unwrap().remove(0);
        store.resolve_links(&[(link.number, to)]).unwrap();
    }
    let aged = |before: i64, orphans_since: Option<i64>| Filter {
        aged: Some(Aged { before, orphans_since }),
        ..Filter::default()
    };
    check(&*store, project, &aged(50, None), "cloned old self");
    check(&*store, project, &aged(50, Some(10)), "cloned self");
    check(&*store, project, &aged(50, Some(11)), "");
    check(&*store, project, &aged(10, None), "");
    check(&*store, project, &Filter { path: Some("o".into()), ..aged(50, None) }, "old");
}
