//! Builds a page's index row: names, type, dates, links and search text, as a pure function of file and policy.

use std::borrow::Cow;
use std::collections::HashMap;

use lore_page::{ByteRange, Link, LinkStyle, Page, Parsed, Properties, Value};
use lore_ports::{KeyKind, LinkDraft, PageDraft, PageRow, SearchText, Statement, StatementKind};
use lore_text::{
    ContentHash, Language, date_millis, fold, language_of, on_one_line, path_slug, search_terms, slugify,
    stable_number,
};

use crate::index::chunk::chunks;
use crate::index::reference::names_of;
use crate::index::structured::StructuredLines;
use crate::policy::Policy;

/// A file as read, with its slug in this vault.
#[derive(Debug)]
pub struct DraftSource<'a> {
    /// Vault-relative path.
    pub path: &'a str,
    /// The slug assigned to it.
    pub slug: String,
    /// The slug its path would give it.
    pub claim: String,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime: i64,
    /// Whether the next edit is certain to change `mtime`; for a file written just now it may not.
    pub settled: bool,
    /// Its text.
    pub text: &'a str,
}

/// What a page keeps from its previous row.
#[derive(Debug, Clone, Default)]
pub struct Inherited {
    /// Its previous id.
    pub id: Option<String>,
    /// When it was created.
    pub created: Option<i64>,
    /// The paths it had before it was moved outside Lore.
    pub former: Vec<String>,
}

/// Returns a page's text without NUL, which not every database can store. Every position in it stays the same.
pub(crate) fn storable(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', " ")) } else { text }
}

/// Builds everything the index stores about a page.
pub fn draft(source: &DraftSource<'_>, parsed: &Parsed, policy: &Policy, inherited: &Inherited) -> PageDraft {
    let Parsed { page, diagnostics } = parsed;
    let id = page.id.clone().or_else(|| inherited.id.clone()).unwrap_or_else(|| derived_id(&[source.path]));
    let updated = source.mtime / 1_000_000;
    let created = ["created", "date"].iter().find_map(|key| page.properties.text(key).and_then(date_millis));
    let text = search_text(source, page);
    let links = links(&id, page);
    let statements = statements(page);
    let keys = keys(source, page, &id, &inherited.former);
    let chunks = chunks(page, source.text).into_iter().map(|chunk| chunk.place).collect();
    let row = PageRow {
        number: 0,
        path: source.path.to_owned(),
        slug: source.slug.clone(),
        kind: page.kind.as_deref().map_or_else(|| policy.type_of(source.path), unlinked).to_owned(),
        status: page.status.clone(),
        wing: page.properties.text("wing").map_or_else(|| wing(&source.slug), on_one_line),
        summary: page.shown_summary().map(str::to_owned),
        tags: page.tags.clone(),
        title: page.shown_title().to_owned(),
        properties: page.properties.clone(),
        diagnostics: diagnostics.clone(),
        hash: source.hash,
        size: source.size,
        created: created.or(inherited.created).unwrap_or(updated),
        updated,
        // The ledger counts versions and fills this in when the row is read.
        version: 0,
        id,
    };
    PageDraft {
        declared_date: declared_date(&row.properties),
        row,
        mtime: if source.settled { source.mtime } else { 0 },
        keys,
        links,
        statements,
        chunks,
        text,
    }
}

/// Returns the latest of the page's `reviewed` and `updated` dates, in milliseconds since 1970.
fn declared_date(properties: &Properties) -> Option<i64> {
    ["reviewed", "updated"].iter().filter_map(|key| properties.text(key).and_then(date_millis)).max()
}

/// Returns the type without link brackets: Obsidian users write types as links.
fn unlinked(kind: &str) -> &str {
    kind.strip_prefix("[[").and_then(|kind| kind.strip_suffix("]]")).unwrap_or(kind)
}

/// Returns the id of a page that declares none, derived from the path it was first seen at.
pub fn derived_id(words: &[&str]) -> String {
    format!("{:013x}", stable_number(words))
}

/// Returns the entity a slug belongs to: `ada` for both `people/ada` and `people/ada/notes`.
fn wing(slug: &str) -> String {
    let mut names = slug.split('/');
    let first = names.next().unwrap_or(slug);
    names.next().unwrap_or(first).to_owned()
}

fn keys(source: &DraftSource<'_>, page: &Page, id: &str, former: &[String]) -> Vec<(KeyKind, String)> {
    let slug = source.slug.as_str();
    let mut keys = vec![
        (KeyKind::Id, fold(id)),
        (KeyKind::Slug, slug.to_owned()),
        (KeyKind::Path, fold(source.path)),
        (KeyKind::Title, fold(&page.title)),
        (KeyKind::NameSlug, slugify(&page.title)),
    ];
    for alias in page.aliases.iter().chain(&page.heading_title) {
        keys.push((KeyKind::Alias, fold(alias)));
        keys.push((KeyKind::NameSlug, slugify(alias)));
    }
    for node in &page.nodes {
        keys.push((KeyKind::Id, fold(&node.id)));
        for name in std::iter::once(&node.title).chain(&node.aliases) {
            keys.push((KeyKind::Alias, fold(name)));
            keys.push((KeyKind::NameSlug, slugify(name)));
        }
    }
    keys.extend(slug.match_indices('/').map(|(at, _)| (KeyKind::Suffix, slug[at + 1..].to_owned())));
    if source.claim != slug {
        keys.push((KeyKind::DesiredSlug, source.claim.clone()));
    }
    for path in former {
        let slug = path_slug(path);
        keys.push((KeyKind::Former, fold(path)));
        for node in &page.nodes {
            keys.push((KeyKind::Id, fold(&node.id)));
            for name in std::iter::once(&node.title).chain(&node.aliases) {
                keys.push((KeyKind::Alias, fold(name)));
                keys.push((KeyKind::NameSlug, slugify(name)));
            }
        }
        keys.extend(slug.match_indices('/').map(|(at, _)| (KeyKind::Former, slug[at + 1..].to_owned())));
        keys.push((KeyKind::Former, slug));
    }
    keys.retain(|(_, key)| !key.is_empty());
    keys.sort_unstable();
    // One row per name: sorted by name, the strongest kind comes first.
    keys.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
    keys.dedup_by(|later, earlier| later.1 == earlier.1 && later.0 != KeyKind::DesiredSlug);
    keys
}

/// Returns the links of a page, each with its stable id. The id does not depend on when a relation ends, so closing a
/// relation does not change it.
pub(crate) fn links(id: &str, page: &Page) -> Vec<LinkDraft> {
    let mut seen: HashMap<u64, u64> = HashMap::new();
    let mut number = |link: &Link| {
        let from = link.interval.from.map(|date| date.to_string()).unwrap_or_default();
        let words = [id, &link.relation, &fold(&link.target), &from];
        let base = stable_number(&words);
        let nth = seen.entry(base).or_insert(0);
        *nth += 1;
        if *nth == 1 { base } else { stable_number(&[&base.to_string(), &nth.to_string()]) }
    };
    page.links
        .iter()
        .map(|link| LinkDraft {
            id: number(link),
            relation: link.relation.clone(),
            target: link.target.clone(),
            names: match link.style {
                LinkStyle::Wiki => names_of(&link.target),
                // A Markdown link names a file, never a title.
                LinkStyle::Markdown => [fold(&link.target), String::new()],
            },
            heading: link.heading.clone(),
            label: link.label.clone(),
            context: link.context.clone(),
            interval: link.interval,
            line: link.line,
        })
        .collect()
}

fn statements(page: &Page) -> Vec<Statement> {
    let note = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
    let mut statements = Vec::new();
    for observation in &page.observations {
        let tags = (!observation.tags.is_empty()).then(|| observation.tags.join(" "));
        statements.push(Statement {
            kind: StatementKind::Observation,
            subject: None,
            predicate: observation.category.clone(),
            object: observation.content.clone(),
            interval: Default::default(),
            notes: [note("tags", tags), note("context", observation.context.clone())]
                .into_iter()
                .flatten()
                .collect(),
            lines: lore_page::LineRange { first: observation.line, last: observation.line },
        });
    }
    for fact in &page.facts {
        let notes = [
            note("source", fact.source.clone()),
            note("by", fact.by.clone()),
            note("confidence", fact.confidence.clone()),
            note("evidence", fact.evidence.clone()),
        ];
        statements.push(Statement {
            kind: StatementKind::Fact,
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            interval: fact.interval,
            notes: notes.into_iter().flatten().collect(),
            lines: lore_page::LineRange { first: fact.line, last: fact.line },
        });
    }
    for entry in &page.entries {
        statements.push(Statement {
            kind: StatementKind::Entry,
            subject: None,
            predicate: entry.source.clone().unwrap_or_default(),
            object: entry.summary.clone(),
            interval: entry.interval(),
            notes: note("detail", entry.detail.clone()).into_iter().collect(),
            lines: entry.lines,
        });
    }
    statements
}

fn search_text(source: &DraftSource<'_>, page: &Page) -> SearchText {
    let mut tags = page.tags.join(" ");
    for tag in page.nodes.iter().flat_map(|node| &node.tags).filter(|tag| !page.tags.contains(tag)) {
        tags.push(' ');
        tags.push_str(tag);
    }
    for (key, value) in page.properties.iter() {
        // Ids, and properties with a column of their own, would only add noise.
        if !matches!(key, "id" | "title" | "tags" | "tag" | "aliases" | "alias" | "summary" | "permalink") {
            add_words(&mut tags, value);
        }
    }
    let (truth, timeline) = body(source.text, page);
    let language = language(page, &truth);
    let terms = |text: &str| search_terms(text, language);
    let node_aliases = page.nodes.iter().flat_map(|node| &node.aliases);
    SearchText {
        title: terms(&page.title),
        aliases: terms(&join(page.aliases.iter().chain(&page.heading_title).chain(node_aliases))),
        headings: terms(&join(page.headings.iter().map(|heading| &heading.text))),
        tags: terms(&tags),
        summary: terms(page.summary.as_deref().unwrap_or_default()),
        truth: terms(&truth),
        timeline: terms(&timeline),
        language,
    }
}

/// Returns the language of a page: the one that it declares, else that of its text.
fn language(page: &Page, truth: &str) -> Language {
    let declared = ["language", "lang"].iter().find_map(|key| page.properties.text(key));
    declared.and_then(Language::from_code).unwrap_or_else(|| language_of(truth))
}

/// Returns the text above and below the first rule, without what is not searched.
fn body(text: &str, page: &Page) -> (String, String) {
    let lines = StructuredLines::of(page);
    let (mut truth, mut timeline) = (String::new(), String::new());
    let mut start = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let at = start;
        start += line.len();
        let within = |range: ByteRange| range.start <= at && at < range.end;
        if within(page.truth) {
            lines.searched(number, line, &mut truth);
        } else if page.timeline.is_some_and(within) {
            lines.searched(number, line, &mut timeline);
        }
    }
    (truth, timeline)
}

fn join<'b>(words: impl Iterator<Item = &'b String>) -> String {
    words.fold(String::new(), |mut all, word| {
        all.push_str(word);
        all.push('\n');
        all
    })
}

fn add_words(words: &mut String, value: &Value) {
    match value {
        Value::Text(text) => {
            words.push(' ');
            words.push_str(text);
        }
        Value::List(items) => items.iter().for_each(|item| add_words(words, item)),
        Value::Map(properties) => properties.iter().for_each(|(_, item)| add_words(words, item)),
    }
}
