//! Finds unlinked mentions of pages in one pass over the truths, and links them on demand.
//!
//! Doubtful cases are not mentions. Ambiguous names, words that the vault also uses as ordinary words, and superseded
//! or compacted pages are never suggested. Code, links and headings are skipped, and so are timelines and imported
//! sources, which are evidence.

mod evidence;
mod in_text;
mod link;
mod names;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use lore_page::{ByteRange, Linkable, linkable, parse};

pub use in_text::Mention;
pub(crate) use in_text::mentions;
pub use link::{LinksMade, add_missing_links};

use lore_engine::{Finding, Findings, Level, Lint, Result, VaultContext, Verb, is_live, states};
use lore_ports::{Filter, LinkFilter, Order, PageNo, PageRow, Window, read_transaction};
use lore_text::ContentHash;
use lore_vault::decode;

use crate::generated::{self, CLOSE, OPEN};

use evidence::{Evidence, Spoken, spoken};
use names::{Names, lowered};

/// A mention of a page without a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLink {
    /// Path of the page that contains it.
    pub path: String,
    /// Line number, from 1.
    pub line: u32,
    /// Words of the mention.
    pub words: String,
    /// Slug of the mentioned page.
    pub to: String,
    /// Title of the mentioned page.
    pub title: String,
    /// Byte range in the page's text.
    place: ByteRange,
    /// Hash of the text that the range refers to.
    text: ContentHash,
    /// The mentioned page.
    target: PageNo,
}

impl fmt::Display for MissingLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} mentions {} without a link", self.words, self.to)
    }
}

/// Returns the unlinked mentions on these pages, or on all: the first per page and target, sorted by path and line.
/// Which words are names is always determined from the whole vault.
pub fn missing_links(context: &VaultContext, only: Option<&BTreeSet<String>>) -> Result<Vec<MissingLink>> {
    read_transaction(context.store(), || find(context, only))
}

fn find(context: &VaultContext, only: Option<&BTreeSet<String>>) -> Result<Vec<MissingLink>> {
    let known = Known::read(context)?;
    let generated: HashSet<String> = generated::whole_files(context)?.into_iter().collect();
    let mut evidence = Evidence::new(&known.names);
    let mut suspected: Vec<Suspected> = Vec::new();
    for (at, page) in known.pages.iter().enumerate().filter(|(_, page)| !generated.contains(&page.path)) {
        let Some(file) = context.vault().read(&page.path, context.policy().limits.page_bytes)? else {
            continue;
        };
        let decoded = decode(&file.bytes);
        let (_, linkable) = linkable(&page.path, &decoded.text);
        let said = spoken(&known.names, &linkable.text, &lowered(&linkable.text));
        said.iter().for_each(|one| evidence.note(one, &linkable.text[one.place.clone()]));
        let wanted = only.is_none_or(|only| only.contains(&page.path));
        if wanted && known.live[at] && decoded.encoding.is_none() && may_be_linked(context, &page.path) {
            let resolve_targets =
                said.into_iter().filter_map(|one| Some((known.target(at, &one, &linkable)?, one)));
            let said = first_of_each(&decoded.text, resolve_targets.collect());
            suspected.push(Suspected { page: at, text: ContentHash::of(decoded.text.as_bytes()), said });
        }
    }
    let mut found: Vec<MissingLink> =
        suspected.into_iter().flat_map(|page| known.missing(page, &evidence)).collect();
    found.sort_by(|a, b| (&a.path, a.place.start).cmp(&(&b.path, b.place.start)));
    Ok(found)
}

/// Candidate mentions on a page, before it is known how the whole vault uses the names.
struct Suspected {
    page: usize,
    text: ContentHash,
    said: Vec<Said>,
}

/// Pages of a vault with their names and links.
struct Known {
    pages: Vec<PageRow>,
    /// Whether each page is live.
    live: Vec<bool>,
    /// Names of each page, title first.
    called: Vec<Vec<String>>,
    names: Names,
    links: HashMap<PageNo, HashSet<PageNo>>,
}

impl Known {
    fn read(context: &VaultContext) -> Result<Known> {
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
        let live = states(context, &pages)?.iter().map(|state| is_live(&state.status)).collect();
        let called = pages.iter().map(|page| called(context, page)).collect::<Result<Vec<_>>>()?;
        let names = Names::new(called.iter().map(|names| names.iter().map(String::as_str).collect()));
        Ok(Known { links: links_of(context, &pages)?, pages, live, called, names })
    }

    /// Returns the page that a name refers to, if a link to it is missing.
    fn target(&self, page: usize, one: &Spoken, linkable: &Linkable) -> Option<usize> {
        let target = self.names.list[one.name].page.filter(|target| *target != page && self.live[*target])?;
        let links = self.links.get(&self.pages[page].number);
        let linked = links.is_some_and(|links| links.contains(&self.pages[target].number));
        let object = linkable.objects.binary_search(&one.place.start).is_ok();
        (!linked && !object).then_some(target)
    }

    /// Returns the first confirmed mention of each target.
    fn missing(&self, page: Suspected, evidence: &Evidence) -> Vec<MissingLink> {
        let resolve_targets = |one: &Said| evidence.is_meant(&self.names.list[one.spoken.name], &one.spoken);
        let mut first: BTreeMap<usize, Said> = BTreeMap::new();
        for one in page.said.into_iter().filter(resolve_targets) {
            first.entry(one.target).or_insert(one);
        }
        let title = |one: &Said| self.called[one.target][0].clone();
        let row = &self.pages[page.page];
        first
            .into_values()
            .map(|one| one.missing(row, &self.pages[one.target], title(&one), page.text))
            .collect()
    }
}

/// A mention on a page, with its target.
struct Said {
    target: usize,
    spoken: Spoken,
    words: String,
    line: u32,
}

/// Returns the first of each form in which a name occurs in a text, in order, skipping generated blocks.
fn first_of_each(text: &str, spoken: Vec<(usize, Spoken)>) -> Vec<Said> {
    let block = text.find(OPEN).map(|open| open..text.find(CLOSE).unwrap_or(text.len()));
    let mut seen = HashSet::new();
    let (mut at, mut line) = (0, 1);
    let mut said = Vec::new();
    for (target, spoken) in spoken {
        let start = spoken.place.start;
        let generated = block.as_ref().is_some_and(|block| block.contains(&start));
        if !generated && seen.insert((spoken.name, spoken.exact, spoken.begins)) {
            line += text[at..start].matches('\n').count() as u32;
            at = start;
            said.push(Said { words: text[spoken.place.clone()].to_owned(), target, spoken, line });
        }
    }
    said
}

impl Said {
    fn missing(&self, page: &PageRow, target: &PageRow, title: String, text: ContentHash) -> MissingLink {
        MissingLink {
            path: page.path.clone(),
            line: self.line,
            words: self.words.clone(),
            to: target.slug.clone(),
            title,
            place: ByteRange { start: self.spoken.place.start, end: self.spoken.place.end },
            text,
            target: target.number,
        }
    }
}

/// Returns the names of a page: its title and aliases, title first. If it has no `title`, the first heading is the
/// title, and its file name counts as a name too.
fn called(context: &VaultContext, page: &PageRow) -> Result<Vec<String>> {
    let mut names = vec![page.title.clone()];
    names.extend(page.properties.list("aliases"));
    names.extend(page.properties.list("alias"));
    if page.properties.get("title").is_none()
        && let Some(file) = context.vault().read(&page.path, context.policy().limits.page_bytes)?
    {
        let heading = parse(&page.path, &decode(&file.bytes).text).page.heading_title;
        heading.into_iter().for_each(|heading| names.insert(0, heading));
    }
    Ok(names)
}

/// Returns the pages that each page links to.
fn links_of(context: &VaultContext, pages: &[PageRow]) -> Result<HashMap<PageNo, HashSet<PageNo>>> {
    let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
    let mut links: HashMap<PageNo, HashSet<PageNo>> = HashMap::new();
    for link in context.store().links(context.project(), &LinkFilter::From(&numbers))? {
        links.entry(link.from).or_default().extend(link.to);
    }
    Ok(links)
}

/// Returns whether the policy allows patching the page, and it is not an imported source, whose text is evidence.
fn may_be_linked(context: &VaultContext, path: &str) -> bool {
    let policy = context.policy();
    let source = policy.ingest.folder.trim_matches('/');
    let is_source = !source.is_empty() && path.strip_prefix(source).is_some_and(|rest| rest.starts_with('/'));
    !is_source && policy.allow(path, &[Verb::Patch]).is_ok()
}

/// Finds unlinked mentions of pages on these pages, or on all; only if the policy asks for it.
pub(crate) fn mention_findings(
    context: &VaultContext,
    only: Option<&BTreeSet<String>>,
) -> Result<Vec<Finding>> {
    let policy = context.policy();
    if policy.lint.level(Lint::LinkMissing) == Level::Off {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for missing in missing_links(context, only)? {
        let mut found = Findings { policy: &policy, path: &missing.path, list: Vec::new() };
        found.add(Lint::LinkMissing, Some(missing.line), missing.to_string(), true);
        findings.append(&mut found.list);
    }
    Ok(findings)
}
