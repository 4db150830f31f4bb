//! Hand-made pages, for tests of a store without files.

use lore_engine::prepare;
use lore_page::{Interval, LineRange, Properties};
use lore_ports::{
    ChunkDraft, ChunkKind, Filter, KeyKind, LinkDraft, LinkRow, NameQuery, Order, PageDraft, PageNo, PageRow,
    ProjectNo, SearchText, Statement, StatementKind, Store, TextQuery, Window,
};
use lore_text::{ContentHash, fold};

/// A window that includes everything.
pub const ALL: Window = Window { limit: 1000, offset: 0 };

/// A page with nothing but its names.
pub fn page(path: &str) -> PageDraft<'static> {
    let slug = path.trim_end_matches(".md").to_owned();
    let title = slug.rsplit('/').next().unwrap_or(&slug).to_owned();
    let row = PageRow {
        number: 0,
        path: path.into(),
        id: format!("id-of-{slug}"),
        wing: slug.split('/').next().unwrap_or(&slug).to_owned(),
        slug,
        title,
        kind: "note".into(),
        status: None,
        summary: None,
        tags: Vec::new(),
        properties: Properties::default(),
        diagnostics: Vec::new(),
        hash: ContentHash::of(path.as_bytes()),
        size: path.len() as u64,
        created: 0,
        updated: 0,
        version: 1,
    };
    let (keys, links, statements, chunks) = Default::default();
    PageDraft {
        row,
        mtime: 1,
        declared_date: None,
        keys,
        links,
        statements,
        chunks,
        text: SearchText::default(),
    }
}

/// A page with this text above its rule.
pub fn with_text(path: &str, text: &'static str) -> PageDraft<'static> {
    let mut draft = page(path);
    draft.text.truth = text;
    draft
}

/// A page with one chunk per text, on consecutive lines.
pub fn with_chunks(path: &str, texts: &[&str]) -> PageDraft<'static> {
    let mut draft = page(path);
    let chunk = |(line, text): (u32, &&str)| ChunkDraft {
        kind: ChunkKind::Section,
        heading: String::new(),
        lines: LineRange { first: line, last: line },
        hash: ContentHash::of(text.as_bytes()),
    };
    draft.chunks = (1..).zip(texts).map(chunk).collect();
    draft
}

/// Writes a page. Without explicit names in the draft it gets its id, slug, path and title.
pub fn put(store: &dyn Store, project: ProjectNo, mut draft: PageDraft<'_>) -> PageNo {
    if draft.keys.is_empty() {
        let row = &draft.row;
        draft.keys = vec![
            (KeyKind::Id, fold(&row.id)),
            (KeyKind::Slug, row.slug.clone()),
            (KeyKind::Path, fold(&row.path)),
            (KeyKind::Title, fold(&row.title)),
        ];
    }
    store.put_page(project, &draft).unwrap().page
}

/// An unresolved link to `target`.
pub fn link(target: &str) -> LinkDraft {
    LinkDraft {
        id: u64::from(target.len() as u32),
        relation: "links_to".into(),
        target: target.into(),
        names: [fold(target), String::new()],
        heading: None,
        label: None,
        context: None,
        interval: Interval::default(),
        line: 1,
    }
}

/// A structured line.
pub fn statement(kind: StatementKind, predicate: &str, object: &str, line: u32) -> Statement {
    Statement {
        kind,
        subject: None,
        predicate: predicate.into(),
        object: object.into(),
        interval: Interval::default(),
        notes: Vec::new(),
        lines: LineRange { first: line, last: line },
    }
}

/// Returns the paths of the pages in a list.
pub fn listed(store: &dyn Store, project: ProjectNo, filter: &Filter, order: Order) -> Vec<String> {
    store.list(project, filter, order, ALL).unwrap().into_iter().map(|row| row.path).collect()
}

/// Returns the paths of the pages that match a query, best first.
pub fn found(store: &dyn Store, project: ProjectNo, query: &str, filter: &Filter) -> Vec<String> {
    let Some(expression) = prepare(query).strict else { return Vec::new() };
    let hits = store
        .search(
            project,
            &TextQuery {
                expression: &expression,
                filter,
                weights: lore_ports::Weights::default(),
                window: ALL,
            },
        )
        .unwrap();
    let numbers: Vec<PageNo> = hits.into_iter().map(|hit| hit.page).collect();
    store.pages(project, &numbers).unwrap().into_iter().map(|row| row.path).collect()
}

/// Returns the paths of all pages with a word.
pub fn with_word(store: &dyn Store, project: ProjectNo, word: &str) -> Vec<String> {
    let mut paths = found(store, project, word, &Filter::default());
    paths.sort();
    paths
}

/// Returns the paths and kinds that a name resolves to.
pub fn known(store: &dyn Store, project: ProjectNo, name: &str) -> Vec<(KeyKind, String)> {
    let mut rows: Vec<(KeyKind, String)> = store
        .lookup(project, &NameQuery::Exact(&[name]))
        .unwrap()
        .into_iter()
        .map(|row| (row.kind, row.path))
        .collect();
    rows.sort();
    rows
}

/// Formats links as `path target`, with the number of the target page.
pub fn shown(links: &[LinkRow]) -> Vec<(String, Option<PageNo>)> {
    let mut shown: Vec<(String, Option<PageNo>)> =
        links.iter().map(|row| (format!("{} {}", row.from_path, row.link.target), row.to)).collect();
    shown.sort();
    shown
}
