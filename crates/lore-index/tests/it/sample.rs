//! Pages made by hand, for stories about a store that knows nothing of files.

use lore_engine::{
    ChunkDraft, ChunkKind, ContentHash, Filter, KeyKind, LinkDraft, LinkRow, Names, Order, PageDraft, PageNo,
    PageRow, ProjectNo, SearchText, Statement, StatementKind, Store, TextQuery, Window, prepare,
};
use lore_page::{Interval, LineRange, Properties, fold};

/// Everything there is.
pub const ALL: Window = Window { limit: 1000, offset: 0 };

/// A page with nothing in it but its names.
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
    PageDraft { row, mtime: 1, stated: None, keys, links, statements, chunks, text: SearchText::default() }
}

/// A page with these words above its rule.
pub fn with_text(path: &str, text: &'static str) -> PageDraft<'static> {
    let mut draft = page(path);
    draft.text.truth = text;
    draft
}

/// A page with a chunk for each of these texts, a line apart.
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

/// Writes a page, under id, slug, path and title where the draft names nothing.
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

/// A link that looks for `target`.
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

/// The paths of the pages in a list.
pub fn listed(store: &dyn Store, project: ProjectNo, filter: &Filter, order: Order) -> Vec<String> {
    store.list(project, filter, order, ALL).unwrap().into_iter().map(|row| row.path).collect()
}

/// The paths of the pages that have what a query asks for, best first.
pub fn found(store: &dyn Store, project: ProjectNo, query: &str, filter: &Filter) -> Vec<String> {
    let Some(expression) = prepare(query).strict else { return Vec::new() };
    let hits = store
        .search(
            project,
            &TextQuery {
                expression: &expression,
                filter,
                weights: lore_engine::Weights::default(),
                window: ALL,
            },
        )
        .unwrap();
    let numbers: Vec<PageNo> = hits.into_iter().map(|hit| hit.page).collect();
    store.pages(project, &numbers).unwrap().into_iter().map(|row| row.path).collect()
}

/// The paths of all pages with a word.
pub fn with_word(store: &dyn Store, project: ProjectNo, word: &str) -> Vec<String> {
    let mut paths = found(store, project, word, &Filter::default());
    paths.sort();
    paths
}

/// The paths and kinds by which a name is known.
pub fn known(store: &dyn Store, project: ProjectNo, name: &str) -> Vec<(KeyKind, String)> {
    let mut rows: Vec<(KeyKind, String)> = store
        .lookup(project, &Names::Exact(&[name]))
        .unwrap()
        .into_iter()
        .map(|row| (row.kind, row.path))
        .collect();
    rows.sort();
    rows
}

/// Links as `path target`, with the number of the page they lead to.
pub fn shown(links: &[LinkRow]) -> Vec<(String, Option<PageNo>)> {
    let mut shown: Vec<(String, Option<PageNo>)> =
        links.iter().map(|row| (format!("{} {}", row.from_path, row.link.target), row.to)).collect();
    shown.sort();
    shown
}
