//! Hand-made projects, pages and queries, for tests of a store without files.

use lore_page::{Interval, LineRange, Properties};
use lore_text::{ContentHash, fold};

use crate::{
    ChunkDraft, ChunkKind, Expression, Filter, KeyKind, LinkDraft, LinkRow, NameQuery, Order, PageDraft,
    PageNo, PageRow, PageWrite, PageWritten, ProjectKey, ProjectNo, ReplicaNo, SearchText, Statement,
    StatementKind, Store, TextQuery, Weights, Window,
};

/// A window that includes everything.
pub const ALL: Window = Window { limit: 1000, offset: 0 };

/// Weights that differ by column.
pub const WEIGHTS: Weights =
    Weights { title: 10.0, aliases: 8.0, headings: 3.0, tags: 3.0, summary: 2.0, truth: 1.0, timeline: 1.0 };

/// A project and one checkout of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Project {
    /// The project.
    pub number: ProjectNo,
    /// The checkout.
    pub replica: ReplicaNo,
}

/// Finds or creates the project with this id and name, in a directory of that name.
pub fn open_project(store: &dyn Store, name: &str) -> Project {
    open_checkout(store, name, &format!("/{name}"))
}

/// Finds or creates the project with this id and name, in this directory.
pub fn open_checkout(store: &dyn Store, name: &str, checkout: &str) -> Project {
    open_key(store, &checkout_key(name, checkout))
}

/// The key of a vault with this id, which is also its name, in this directory.
pub fn checkout_key<'a>(vault_id: &'a str, checkout: &'a str) -> ProjectKey<'a> {
    ProjectKey { vault_id: Some(vault_id), name: vault_id, checkout, moved_from: None }
}

/// Finds or creates a project.
pub fn open_key(store: &dyn Store, key: &ProjectKey<'_>) -> Project {
    let (number, replica) = store.project(key).unwrap();
    Project { number, replica }
}

/// A page with nothing but its names.
pub fn page(path: &str) -> PageDraft {
    let slug = path.trim_end_matches(".md").to_owned();
    let title = slug.rsplit('/').next().unwrap_or(&slug).to_owned();
    let text = SearchText { title: title.clone(), ..SearchText::default() };
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
    PageDraft { row, mtime: 1, declared_date: None, keys, links, statements, chunks, text }
}

/// A page with these terms above its rule.
pub fn with_text(path: &str, text: impl Into<String>) -> PageDraft {
    let mut draft = page(path);
    draft.text.truth = text.into();
    draft
}

/// A page with one chunk per text, on consecutive lines.
pub fn with_chunks(path: &str, texts: &[&str]) -> PageDraft {
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
pub fn put(store: &dyn Store, project: Project, mut draft: PageDraft) -> PageNo {
    if draft.keys.is_empty() {
        let row = &draft.row;
        draft.keys = vec![
            (KeyKind::Id, fold(&row.id)),
            (KeyKind::Slug, row.slug.clone()),
            (KeyKind::Path, fold(&row.path)),
            (KeyKind::Title, fold(&row.title)),
        ];
    }
    apply(store, project, PageWrite::Put(Box::new(draft))).page
}

/// Applies one change to a page.
pub fn apply(store: &dyn Store, project: Project, write: PageWrite<'_>) -> PageWritten {
    let mut written = store.apply(project.number, project.replica, &[write]).unwrap();
    assert_eq!(written.len(), 1, "one result per change");
    written.remove(0)
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

/// A word, or several adjacent ones.
pub fn word(text: &str) -> Expression {
    Expression::Phrase(text.into())
}

/// All of these words.
pub fn words<const N: usize>(texts: [&str; N]) -> Expression {
    Expression::All(texts.map(word).to_vec())
}

/// A word with this prefix.
pub fn prefix(text: &str) -> Expression {
    Expression::Prefix(text.into())
}

/// Returns the paths of the pages in a list.
pub fn listed(store: &dyn Store, project: Project, filter: &Filter, order: Order) -> Vec<String> {
    store.list(project.number, filter, order, ALL).unwrap().into_iter().map(|row| row.path).collect()
}

/// Returns the paths of the pages that match an expression, best first.
pub fn found(store: &dyn Store, project: Project, expression: &Expression, filter: &Filter) -> Vec<String> {
    let query = TextQuery { expression, filter, weights: WEIGHTS, window: ALL };
    let hits = store.search(project.number, &query).unwrap();
    let numbers: Vec<PageNo> = hits.into_iter().map(|hit| hit.page).collect();
    store.pages(project.number, &numbers).unwrap().into_iter().map(|row| row.path).collect()
}

/// Returns the paths of all pages that match an expression, sorted.
pub fn matching(store: &dyn Store, project: Project, expression: &Expression) -> Vec<String> {
    let mut paths = found(store, project, expression, &Filter::default());
    paths.sort();
    paths
}

/// Returns the paths of all pages with a word, sorted.
pub fn with_word(store: &dyn Store, project: Project, text: &str) -> Vec<String> {
    matching(store, project, &word(text))
}

/// Returns the paths and kinds that a name resolves to.
pub fn known(store: &dyn Store, project: Project, name: &str) -> Vec<(KeyKind, String)> {
    let mut rows: Vec<(KeyKind, String)> = store
        .lookup(project.number, &NameQuery::Exact(&[name]))
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
