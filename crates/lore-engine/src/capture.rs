//! `capture`: the front door for something worth keeping. Pages that say much the same come first; then one is
//! extended, or a new one is written with every property its schema wants.

use std::collections::BTreeSet;

use lore_page::{Value, edit, parse, path_slug, slugify};

use crate::error::{Error, Result};
use crate::gaps::check_gaps;
use crate::index::{Filter, KeyKind, Names, PageRow, TextQuery, Weights, Window};
use crate::likeness::{likeness, overlap, terms};
use crate::lint::{filled, page_findings, refuse};
use crate::memory::Memory;
use crate::policy::{Capture, Lint};
use crate::project_slug::project_slug;
use crate::raw::{RawText, raw_changes};
use crate::search::prepare;
use crate::vault::{decode, exists};
use crate::write::{Action, Edit, Noted, PageChange, Receipt, Terms, write_as};

/// How many pages are held against a text.
const CANDIDATES: usize = 20;

/// How often another name is tried.
const TRIES: usize = 20;

/// How much of a text is looked for.
const LOOKED_FOR: usize = 2000;

/// What is to be kept.
#[derive(Debug, Default)]
pub struct CaptureRequest {
    /// The text.
    pub text: String,
    /// Its title; without one, its first heading or sentence.
    pub title: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Where it was learnt.
    pub source: Option<String>,
    /// The page to add it to.
    pub extend: Option<String>,
    /// The version of that page which the caller has read.
    pub expected_version: Option<u64>,
    /// Whether to write it whatever is there.
    pub keep: bool,
    /// The name of the directory the work is done in, where that is not the vault.
    pub directory: Option<String>,
    /// The outside text it rests on.
    pub raw: Option<RawText>,
    /// The gaps that its page fills.
    pub fills: Vec<u64>,
}

/// A page that says much the same.
#[derive(Debug)]
pub struct Similar {
    /// The page.
    pub page: PageRow,
    /// Between 0 and 1.
    pub likeness: f64,
}

/// What became of it.
#[derive(Debug)]
pub enum Captured {
    /// It is written; the first file is its page.
    Written(Receipt),
    /// Nothing is written yet: these pages say much the same.
    Similar(Vec<Similar>),
}

/// Keeps a text.
pub fn capture(memory: &Memory, request: &CaptureRequest) -> Result<Captured> {
    if request.text.trim().is_empty() {
        return Err(Error::BadInput {
            message: "there is nothing to keep".into(),
            hint: "give the text, or --file, or pipe it in".into(),
        });
    }
    refuse_secrets(memory, request)?;
    check_gaps(memory, &request.fills)?;
    if let Some(reference) = &request.extend {
        return extend(memory, reference, request).map(Captured::Written);
    }
    let similar = similar_pages(memory, &format!("{}\n{}", title(request), request.text))?;
    if !similar.is_empty() && !request.keep {
        return Ok(Captured::Similar(similar));
    }
    create(memory, request).map(Captured::Written)
}

/// Looked for before a name is made of the text, since a refusal names the file.
fn refuse_secrets(memory: &Memory, request: &CaptureRequest) -> Result<()> {
    refuse_secret(memory, "the text", &request.text)?;
    refuse_secret(memory, "the title", request.title.as_deref().unwrap_or_default())
}

/// Fails where a text has a credential in it.
pub(crate) fn refuse_secret(memory: &Memory, what: &str, text: &str) -> Result<()> {
    let mut found = page_findings(&memory.policy(), what, text);
    found.retain(|found| found.lint == Lint::Secret);
    refuse(found).map(drop)
}

/// The pages that say much the same as a text, the most alike first.
pub fn similar_pages(memory: &Memory, text: &str) -> Result<Vec<Similar>> {
    let own = terms(text);
    let cut = text.char_indices().nth(LOOKED_FOR).map_or(text, |(at, _)| &text[..at]);
    let words = own.iter().cloned().collect::<Vec<_>>().join(" ");
    let Some(expression) = prepare(if words.is_empty() { cut } else { &words }).relaxed else {
        return Ok(Vec::new());
    };
    let window = Window { limit: CANDIDATES, offset: 0 };
    let query = TextQuery {
        expression: &expression,
        filter: &Filter::default(),
        weights: Weights::default(),
        window,
    };
    let hits = memory.store().search(memory.project(), &query)?;
    let numbers: Vec<i64> = hits.iter().map(|hit| hit.page).collect();
    let mut similar = Vec::new();
    for page in memory.store().pages(memory.project(), &numbers)? {
        let likeness = said_on(&own, &page, &body(memory, &page)?);
        if likeness >= memory.policy().capture.similar {
            similar.push(Similar { page, likeness });
        }
    }
    similar.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then_with(|| a.page.path.cmp(&b.page.path)));
    Ok(similar)
}

/// How much a page says the same: as a whole, or in one of its paragraphs. A long page has most words of its subject,
/// so words scattered over it do not count; nor does a paragraph that says much less.
fn said_on(own: &BTreeSet<String>, page: &PageRow, body: &str) -> f64 {
    let summary = page.summary.as_deref().unwrap_or_default();
    let head = format!("{} {summary}", page.title);
    let whole = overlap(own, &terms(&format!("{head}\n{body}")));
    let paragraphs = paragraphs(body);
    let parts = paragraphs.iter().map(String::as_str).chain([head.as_str()]).map(terms);
    let parts = parts.filter(|part| part.len() * 2 >= own.len());
    parts.map(|part| likeness(own, &part)).fold(whole, f64::max)
}

/// The paragraphs of a text; each item of a list is one.
fn paragraphs(body: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![String::new()];
    for line in body.lines() {
        let begins = line.trim().is_empty() || line.trim_start().starts_with(['-', '*', '+', '#']);
        match found.last_mut() {
            Some(last) if !begins => last.push_str(&format!("{line}\n")),
            _ => found.push(format!("{line}\n")),
        }
    }
    found
}

/// The text of a page below its frontmatter.
fn body(memory: &Memory, page: &PageRow) -> Result<String> {
    let Some(file) = memory.vault().read(&page.path, u64::MAX)? else { return Ok(String::new()) };
    let text = decode(&file.bytes).text.into_owned();
    let parsed = parse(&page.path, &text).page;
    let timeline = parsed.timeline.map(|range| range.of(&text)).unwrap_or_default();
    Ok(format!("{}\n{timeline}", parsed.truth.of(&text)))
}

/// The terms of a page's title, summary and body.
pub(crate) fn page_terms(memory: &Memory, page: &PageRow) -> Result<BTreeSet<String>> {
    let summary = page.summary.as_deref().unwrap_or_default();
    Ok(terms(&format!("{}\n{summary}\n{}", page.title, body(memory, page)?)))
}

fn extend(memory: &Memory, reference: &str, request: &CaptureRequest) -> Result<Receipt> {
    if request.raw.is_some() || request.title.is_some() {
        return Err(Error::BadInput {
            message: "a title and an outside text go with a new page, not with one that is added to".into(),
            hint: "leave them out, or write a new page with --keep".into(),
        });
    }
    let page = memory.page(reference)?;
    let slug = page.slug.clone();
    let mut body = parse("x.md", &request.text).page.truth.of(&request.text).trim().to_owned();
    if let Some(source) = &request.source {
        body.push_str(&format!(" (source: {source})"));
    }
    let add: Edit<'_> = Box::new(move |text| {
        let failed = |source| Error::Edit { slug: slug.clone(), source };
        let mut text = edit::append(text, &format!("\n{body}")).map_err(failed)?;
        for tag in &request.tags {
            text = edit::add_tag(&text, tag).map_err(failed)?;
        }
        Ok(text)
    });
    let change = PageChange {
        path: page.path.clone(),
        action: Action::Edit(add),
        expected_version: request.expected_version,
    };
    write_as(memory, &[change], &terms_of(format!("Extend {}", page.path), request, &page.path))
}

/// Writes a new page. Its name is chosen before the vault is locked, so that another may take it first: then another
/// name is.
fn create(memory: &Memory, request: &CaptureRequest) -> Result<Receipt> {
    for _ in 0..TRIES {
        match try_create(memory, request) {
            Err(Error::Conflict { expected: 0, .. }) => {}
            done => return done,
        }
    }
    try_create(memory, request)
}

fn try_create(memory: &Memory, request: &CaptureRequest) -> Result<Receipt> {
    let title = title(request);
    let path = free_path(memory, &title)?;
    let (raw, source) = match &request.raw {
        Some(raw) => raw_changes(memory, raw, &title, request.source.as_deref())?,
        None => (Vec::new(), request.source.clone()),
    };
    let text = new_page(memory, request, &path, &title, source)?;
    let page =
        PageChange { path: path.clone(), action: Action::Put(text.into_bytes()), expected_version: Some(0) };
    let changes: Vec<PageChange<'_>> = std::iter::once(page).chain(raw).collect();
    write_as(memory, &changes, &terms_of(format!("Capture {path}"), request, &path))
}

fn terms_of(subject: String, request: &CaptureRequest, path: &str) -> Terms {
    Terms { subject: Some(subject), noted: Noted::filling(&request.fills, path), ..Terms::default() }
}

/// The page's text: its own properties kept, those that its schema wants added.
pub(crate) fn new_page(
    memory: &Memory,
    request: &CaptureRequest,
    path: &str,
    title: &str,
    source: Option<String>,
) -> Result<String> {
    let policy = memory.policy();
    let schema = policy.schema(path).cloned().unwrap_or_default();
    let given = parse(path, &request.text).page;
    let mut text = request.text.trim_start_matches('\u{feff}').trim().to_owned() + "\n";
    if given.heading_title.is_none() {
        text = edit::prepend(&text, &format!("# {title}\n\n")).map_err(|source| edit_failed(path, source))?;
    }
    let mut set = |key: &str, value: Value| -> Result<()> {
        if given.properties.get(key).is_none() {
            text = edit::set_property(&text, key, &value).map_err(|source| edit_failed(path, source))?;
        }
        Ok(())
    };
    for key in schema.required.iter().filter(|key| !SET_BELOW.contains(&key.as_str())) {
        if let Some(default) = schema.defaults.get(key) {
            set(key, Value::Text(filled(memory, default)))?;
        }
    }
    set("title", Value::Text(title.to_owned()))?;
    let tags = tags(request, &schema.tags, policy.capture.tag.as_deref());
    if !tags.is_empty() {
        set("tags", list(tags))?;
    }
    if schema.required.iter().any(|key| key == "projects") {
        let slug = request.directory.as_deref().map_or_else(|| "general".into(), project_slug);
        set("projects", list(vec![slug]))?;
    }
    if let Some(source) = source.or_else(|| schema.defaults.get("source").map(|text| filled(memory, text))) {
        set("source", Value::Text(source))?;
    }
    if schema.required.iter().any(|key| key == "summary") {
        set("summary", Value::Text(first_sentence(&request.text, 200)))?;
    }
    Ok(text)
}

/// Properties that a capture knows better than the schema's defaults.
const SET_BELOW: [&str; 5] = ["title", "tags", "projects", "source", "summary"];

pub(crate) fn list(items: Vec<String>) -> Value {
    Value::List(items.into_iter().map(Value::Text).collect())
}

fn tags(request: &CaptureRequest, wanted: &[String], usual: Option<&str>) -> Vec<String> {
    let mut tags: Vec<String> =
        request.tags.iter().map(|tag| tag.trim().trim_start_matches('#').to_owned()).collect();
    tags.retain(|tag| !tag.is_empty());
    let fits = wanted.is_empty() || tags.iter().any(|tag| wanted.contains(tag));
    if let Some(usual) = usual.filter(|_| !fits) {
        tags.push(usual.to_owned());
    }
    tags
}

/// A path that is free: by the policy's pattern, with a number where it is taken.
fn free_path(memory: &Memory, title: &str) -> Result<String> {
    let policy = memory.policy();
    let Capture { folder, name, .. } = &policy.capture;
    free_path_of(memory, &Naming { folder, name, title, day: &memory.today() })
}

/// What the path of a new page is made of.
pub(crate) struct Naming<'a> {
    /// Its folder.
    pub folder: &'a str,
    /// The pattern of its name.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its day.
    pub day: &'a str,
}

/// A path that neither a file nor a page's name has, with a number where the first choice is taken.
pub(crate) fn free_path_of(memory: &Memory, naming: &Naming<'_>) -> Result<String> {
    let Naming { folder, name, title, day } = naming;
    let now = memory.now();
    let slug: String = slugify(title).replace('/', "-").chars().take(60).collect();
    let slug = slug.trim_matches('-');
    let name = name
        .replace("{slug}", if slug.is_empty() { "note" } else { slug })
        .replace("{date}", day)
        .replace("{time}", &now.strftime("%Y%m%d%H%M%S").to_string());
    let folder = folder.trim_matches('/');
    let stem = if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let numbered = (2..).map(|number| format!("{stem}-{number}.md"));
    let mut names = std::iter::once(format!("{stem}.md")).chain(numbered);
    let free = names.find(|path| !is_taken(memory, path));
    memory.vault().page_path(&free.unwrap_or(stem))
}

/// Whether a file is there, or another page has the name that the path would give.
fn is_taken(memory: &Memory, path: &str) -> bool {
    let slug = path_slug(path);
    let rows = memory.store().lookup(memory.project(), &Names::Exact(&[&slug]));
    let is_named = rows.is_ok_and(|rows| rows.iter().any(|row| row.kind == KeyKind::Slug));
    is_named || exists(&memory.vault().root().join(path))
}

/// The title given, else the first heading, else the first sentence.
pub(crate) fn title(request: &CaptureRequest) -> String {
    let page = parse("", &request.text).page;
    let own = page.properties.text("title").map(str::to_owned).or(page.heading_title);
    request.title.clone().or(own).unwrap_or_else(|| first_sentence(&request.text, 80))
}

/// The first sentence of a text's body, cut at a word where it is long.
pub(crate) fn first_sentence(text: &str, limit: usize) -> String {
    let page = parse("", text).page;
    let body =
        page.truth.of(text).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = body.map(|line| line.trim_start_matches(['-', '*', '>', ' '])).next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence = line[..end].trim_end_matches('.');
    match sentence.char_indices().nth(limit) {
        None => sentence.to_owned(),
        Some((at, _)) => {
            let cut = sentence[..at].rfind(' ').unwrap_or(at);
            format!("{}…", sentence[..cut].trim_end())
        }
    }
}

fn edit_failed(path: &str, source: edit::EditError) -> Error {
    Error::Edit { slug: path.to_owned(), source }
}
