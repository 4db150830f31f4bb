//! The page of a source: its provenance as properties and its text inside a code fence, so that external text is shown
//! and searchable but never parsed as links, facts or other syntax.

use lore_engine::{Action, DEFAULT_TYPE, Edit, Error, PageChange, Result, VaultContext};
use lore_page::{Format, Value, edit, parse};
use lore_ports::{Filter, Order, PageRow, Window};
use lore_text::secrets::looks_binary;
use lore_text::{ContentHash, on_one_line};
use lore_vault::{VaultPath, decode};

use super::source_date::{DateOrigin, stated_date};
use super::{IngestRequest, SourceText};
use crate::capture::{Naming, NewPage, free_path_of, is_taken, new_page, similar_pages};
use crate::novelty::{Novelty, novelty};
use crate::page_text::{first_sentence, title_of};

/// Property with the hash of a source's bytes, by which its page is found if the ledger is lost.
const CHECKSUM: &str = "source_sha256";

/// Maximum number of characters in a title.
const TITLE_CHARS: usize = 120;

/// A source and its existing or planned page.
pub(super) struct SourcePage<'a> {
    pub bytes: &'a [u8],
    pub hash: ContentHash,
    /// Text; empty for binary data.
    pub text: String,
    /// Origin: the external reference, else the path it was read from.
    pub from: String,
    pub path: String,
    /// Date of a new page, or the new one of a page, and where it comes from.
    pub date: Option<(String, DateOrigin)>,
    /// Text of the new page; none if the page exists.
    new: Option<String>,
    /// New date of a page that exists, if another one was given.
    redated: Option<String>,
}

impl SourcePage<'_> {
    /// Returns the change that creates the page, or sets its date.
    pub(super) fn change(&self) -> Option<PageChange<'static>> {
        if let Some(date) = self.redated.clone() {
            let (slug, format) = (self.path.clone(), Format::of(&self.path));
            let edit: Edit<'static> = Box::new(move |text| {
                edit::set_property(format, text, "date", &Value::Text(date.clone()))
                    .map_err(|source| Error::Edit { slug: slug.clone(), source })
            });
            let (path, action) = (VaultPath::known(self.path.clone()), Action::Edit(edit));
            return Some(PageChange { path, action, expected_version: None });
        }
        let text = self.new.clone()?;
        let action = Action::Put(text.into_bytes());
        Some(PageChange { path: VaultPath::known(self.path.clone()), action, expected_version: Some(0) })
    }
}

/// Novelty of a source compared with the most similar page.
#[derive(Debug)]
pub struct SourceNovelty {
    /// Most similar page.
    pub page: PageRow,
    /// Novelty compared with it.
    pub novelty: Novelty,
}

/// Plans the page of a source: the existing one with these bytes, else a new one.
pub(super) fn plan_source<'a>(
    context: &VaultContext,
    request: &IngestRequest,
    source: &'a SourceText,
    hash: ContentHash,
) -> Result<SourcePage<'a>> {
    let text = match looks_binary(&source.bytes) {
        true => String::new(),
        false => decode(&source.bytes).text.trim_start_matches('\u{feff}').replace("\r\n", "\n"),
    };
    let from = request.source_ref.clone().or_else(|| source.path.clone()).unwrap_or_else(|| "stdin".into());
    let mut planned = SourcePage {
        bytes: &source.bytes,
        hash,
        text,
        from,
        path: String::new(),
        date: None,
        new: None,
        redated: None,
    };
    if let Some(page) = page_of(context, hash)? {
        if let Some(date) = request.date.map(|date| date.to_string())
            && page.properties.text("date") != Some(&date)
        {
            planned.redated = Some(date.clone());
            planned.date = Some((date, DateOrigin::Given));
        }
        planned.path = page.path;
        return Ok(planned);
    }
    let file = source.path.as_deref().map(file_name).unwrap_or_default();
    let given = request.date.map(|date| (date.to_string(), DateOrigin::Given));
    let date = given.or_else(|| stated_date(&planned.text, file));
    let date = date.unwrap_or_else(|| (context.today(), DateOrigin::Today));
    let info = SourceInfo { title: source_title(&planned.text, file, &planned.from), day: date.0.clone() };
    planned.date = Some(date);
    let policy = context.policy();
    let (folder, name) = (policy.ingest.folder(&request.source_type), policy.ingest.name.as_str());
    // If the name pattern has the date, the title part should not repeat it.
    let without_date = info.title.replace(&info.day, " ");
    let title =
        if name.contains("{date}") && !without_date.trim().is_empty() { &without_date } else { &info.title };
    planned.path = match &request.source_path {
        Some(path) if is_taken(context, path) => return Err(Error::Exists { path: path.clone() }),
        Some(path) => path.clone(),
        None => free_path_of(context, &Naming { folder, name, title, day: &info.day })?,
    };
    planned.new = Some(page_text(context, request, &planned, &info)?);
    Ok(planned)
}

/// Returns the page that records this hash.
fn page_of(context: &VaultContext, hash: ContentHash) -> Result<Option<PageRow>> {
    let filter = Filter { properties: vec![(CHECKSUM.into(), hash.to_string())], ..Filter::default() };
    let first = Window { limit: 1, offset: 0 };
    Ok(context.store().list(context.project(), &filter, Order::Created, first)?.pop())
}

/// Returns the novelty of the source compared with the most similar page other than its own.
pub(super) fn source_novelty(
    context: &VaultContext,
    source: &SourcePage<'_>,
) -> Result<Option<SourceNovelty>> {
    if source.text.trim().is_empty() {
        return Ok(None);
    }
    let title = source_title(&source.text, file_name(&source.from), &source.from);
    for similar in similar_pages(context, &title, &source.text)?.similar {
        if similar.page.path == source.path {
            continue;
        }
        let Some(file) = context.vault().read(&similar.page.path, u64::MAX)? else { continue };
        let text = decode(&file.bytes).text.into_owned();
        let truth = parse(&similar.page.path, &text).page.truth.of(&text);
        let page_text = if similar.page.properties.get(CHECKSUM).is_some() { unfenced(truth) } else { truth };
        let novelty = novelty(context, &source.text, page_text, &similar.page)?;
        return Ok(Some(SourceNovelty { page: similar.page, novelty }));
    }
    Ok(None)
}

struct SourceInfo {
    title: String,
    day: String,
}

fn page_text(
    context: &VaultContext,
    request: &IngestRequest,
    source: &SourcePage<'_>,
    info: &SourceInfo,
) -> Result<String> {
    let policy = context.policy();
    // Local paths stay in the ledger; the page only has the file name.
    let source_name = if request.source_ref.is_some() { &source.from } else { file_name(&source.from) };
    let mut text = format!("# {}\n\n{}", info.title, fenced(source));
    let page_type = (policy.type_of(&source.path) == DEFAULT_TYPE).then(|| "source".to_owned());
    let required = |key: &str| {
        policy.schema(&source.path).is_some_and(|schema| schema.required.iter().any(|one| one == key))
    };
    let summary = required("summary").then(|| match first_sentence(&source.text, 200) {
        sentence if sentence.is_empty() => info.title.clone(),
        sentence => sentence,
    });
    let properties = [
        ("title", Some(info.title.clone())),
        ("type", page_type),
        ("summary", summary),
        ("date", Some(info.day.clone())),
        ("origin", Some("external".into())),
        ("source", Some(source_name.to_owned())),
        ("source_type", Some(request.source_type.clone()).filter(|kind| !kind.is_empty())),
        ("ingested", Some(context.today())),
        (CHECKSUM, Some(source.hash.to_string())),
    ];
    let properties = properties.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    for (key, value) in properties.chain(policy.ingest.set.clone()) {
        let failed = |source| Error::Edit { slug: key.clone(), source };
        text = edit::set_property(Format::Markdown, &text, &key, &Value::Text(value)).map_err(failed)?;
    }
    let new = NewPage {
        text: &text,
        title: &info.title,
        tags: policy.ingest.tag.iter().cloned().collect(),
        source: Some(source_name.to_owned()),
        ..NewPage::default()
    };
    new_page(context, &source.path, &new)
}

/// Returns the source's text inside a fence that it cannot close.
fn fenced(source: &SourcePage<'_>) -> String {
    let body = source.text.trim_matches('\n').trim_end();
    if body.is_empty() {
        return format!("{} bytes of binary data, stored in the ledger.\n", source.bytes.len());
    }
    let longest = body.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}text\n{body}\n{fence}\n")
}

/// Returns the text inside the fence of a source's page.
fn unfenced(truth: &str) -> &str {
    let start = truth.find("\n```").and_then(|at| truth[at + 1..].find('\n').map(|end| at + 1 + end));
    let end = truth.rfind("\n```");
    start.zip(end).and_then(|(start, end)| truth.get(start..end)).unwrap_or(truth)
}

/// Returns the source's own title, else its file name, else its reference.
fn source_title(text: &str, file: &str, from: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let own = title_of(None, text);
    let named = [own.as_str(), stem, from].into_iter().map(str::trim).find(|title| !title.is_empty());
    // The title is outside the fence, so characters with special meaning are removed.
    let plain: String = named.unwrap_or("Source").replace(['[', ']', '<', '>', '`', '#', '|', '*'], " ");
    let plain = on_one_line(&plain);
    let plain: String = plain.chars().take(TITLE_CHARS).collect();
    if plain.is_empty() { "Source".into() } else { plain }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> SourcePage<'_> {
        let hash = ContentHash::of(text.as_bytes());
        SourcePage {
            bytes: text.as_bytes(),
            hash,
            text: text.into(),
            from: "x".into(),
            path: "x.md".into(),
            date: None,
            redated: None,
            new: None,
        }
    }

    #[test]
    fn text_cannot_close_its_fence() {
        for text in ["plain", "```\ncode\n```", "a ```` b", "`````\n---\n- is_ceo_of:: Acme\n[[link]] #tag"] {
            let page = format!("# T\n\n{}", fenced(&source(text)));
            let parsed = parse("t.md", &page).page;
            assert!(page.contains(text), "{page}");
            assert_eq!(unfenced(&page).trim(), text);
            assert!(parsed.links.is_empty() && parsed.facts.is_empty() && parsed.tags.is_empty(), "{page}");
            assert_eq!((parsed.timeline, parsed.headings.len()), (None, 1), "{page}");
        }
    }

    #[test]
    fn title_comes_from_text_then_file_name() {
        assert_eq!(source_title("# Weekly\n\ntext", "a.md", "ref"), "Weekly");
        assert_eq!(source_title("---\ntitle: The Title\n---\ntext", "a.md", "ref"), "The Title");
        assert_eq!(source_title("Met Ada. She said no.", "a.md", "ref"), "Met Ada");
        assert_eq!(source_title("", "scan of contract.pdf", "ref"), "scan of contract");
        assert_eq!(source_title("", "", "meeting/12"), "meeting/12");
        assert_eq!(source_title("# [[Ada]] `x` #tag <b>", "", ""), "Ada x tag");
        assert_eq!(source_title("###", "", "***"), "Source");
    }
}
