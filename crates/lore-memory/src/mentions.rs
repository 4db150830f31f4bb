//! Finds unlinked mentions of pages in one pass over the truths, and links them on demand.
//!
//! Doubtful cases are not mentions. Ambiguous names, words that the vault also uses as ordinary words, and superseded
//! or compacted pages are never suggested. Code, links and headings are skipped, and so are timelines and imported
//! sources, which are evidence.

mod in_text;
mod link;
mod names;
mod occurrence;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use lore_page::{ByteRange, Linkable, linkable, parse};

pub use in_text::Mention;
pub(crate) use in_text::mentions;
pub use link::{LinksAdded, add_missing_links};

use lore_engine::{Finding, Findings, Level, Lint, Result, VaultContext, Verb, is_live, states};
use lore_ports::{Filter, LinkFilter, Order, PageNo, PageRow, Window, read_transaction};
use lore_text::ContentHash;
use lore_vault::decode;

use crate::generated::{self, CLOSE, OPEN};

use names::{PageNames, lowered};
use occurrence::{NameUsage, Occurrence, occurrences};

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
    range: ByteRange,
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
    let vault_names = VaultNames::read(context)?;
    let generated: HashSet<String> = generated::whole_files(context)?.into_iter().collect();
    let mut usage = NameUsage::new(&vault_names.names);
    let mut page_candidates: Vec<PageCandidates> = Vec::new();
    for (at, page) in vault_names.pages.iter().enumerate().filter(|(_, page)| !generated.contains(&page.path))
    {
        let Some(file) = context.vault().read(&page.path, context.policy().limits.page_bytes)? else {
            continue;
        };
        let decoded = decode(&file.bytes);
        let (_, linkable) = linkable(&page.path, &decoded.text);
        let occurrences = occurrences(&vault_names.names, &linkable.text, &lowered(&linkable.text));
        occurrences.iter().for_each(|one| usage.note(one, &linkable.text[one.range.clone()]));
        let is_requested = only.is_none_or(|only| only.contains(&page.path));
        if is_requested
            && vault_names.live[at]
            && decoded.encoding.is_none()
            && can_be_linked(context, &page.path)
        {
            let targeted = occurrences
                .into_iter()
                .filter_map(|one| Some((vault_names.target(at, &one, &linkable)?, one)));
            let candidates = first_candidates(&decoded.text, targeted.collect());
            page_candidates.push(PageCandidates {
                page: at,
                text: ContentHash::of(decoded.text.as_bytes()),
                candidates,
            });
        }
    }
    let mut found: Vec<MissingLink> =
        page_candidates.into_iter().flat_map(|page| vault_names.missing(page, &usage)).collect();
    found.sort_by(|a, b| (&a.path, a.range.start).cmp(&(&b.path, b.range.start)));
    Ok(found)
}

/// Candidate mentions on a page, before it is known how the whole vault uses the names.
struct PageCandidates {
    page: usize,
    text: ContentHash,
    candidates: Vec<MentionCandidate>,
}

/// Pages of a vault with their names and links.
struct VaultNames {
    pages: Vec<PageRow>,
    /// Whether each page is live.
    live: Vec<bool>,
    /// Names of each page, title first.
    names_by_page: Vec<Vec<String>>,
    names: PageNames,
    links: HashMap<PageNo, HashSet<PageNo>>,
}

impl VaultNames {
    fn read(context: &VaultContext) -> Result<VaultNames> {
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
        let live = states(context, &pages)?.iter().map(|state| is_live(&state.status)).collect();
        let names_by_page =
            pages.iter().map(|page| names_of_page(context, page)).collect::<Result<Vec<_>>>()?;
        let names =
            PageNames::new(names_by_page.iter().map(|names| names.iter().map(String::as_str).collect()));
        Ok(VaultNames { links: links_of(context, &pages)?, pages, live, names_by_page, names })
    }

    /// Returns the page that a name refers to, if a link to it is missing.
    fn target(&self, page: usize, occurrence: &Occurrence, linkable: &Linkable) -> Option<usize> {
        let target =
            self.names.list[occurrence.name].page.filter(|target| *target != page && self.live[*target])?;
        let links = self.links.get(&self.pages[page].number);
        let linked = links.is_some_and(|links| links.contains(&self.pages[target].number));
        let object = linkable.objects.binary_search(&occurrence.range.start).is_ok();
        (!linked && !object).then_some(target)
    }

    /// Returns the first confirmed mention of each target.
    fn missing(&self, page: PageCandidates, usage: &NameUsage) -> Vec<MissingLink> {
        let refers = |candidate: &MentionCandidate| {
            usage.refers_to_page(&self.names.list[candidate.occurrence.name], &candidate.occurrence)
        };
        let mut first: BTreeMap<usize, MentionCandidate> = BTreeMap::new();
        for candidate in page.candidates.into_iter().filter(refers) {
            first.entry(candidate.target).or_insert(candidate);
        }
        let title = |candidate: &MentionCandidate| self.names_by_page[candidate.target][0].clone();
        let row = &self.pages[page.page];
        first
            .into_values()
            .map(|candidate| {
                candidate.missing(row, &self.pages[candidate.target], title(&candidate), page.text)
            })
            .collect()
    }
}

/// A mention on a page, with its target.
struct MentionCandidate {
    target: usize,
    occurrence: Occurrence,
    words: String,
    line: u32,
}

/// Returns the first of each form in which a name occurs in a text, in order, skipping generated blocks.
fn first_candidates(text: &str, occurrences: Vec<(usize, Occurrence)>) -> Vec<MentionCandidate> {
    let block = text.find(OPEN).map(|open| open..text.find(CLOSE).unwrap_or(text.len()));
    let mut seen = HashSet::new();
    let (mut at, mut line) = (0, 1);
    let mut candidates = Vec::new();
    for (target, occurrence) in occurrences {
        let start = occurrence.range.start;
        let generated = block.as_ref().is_some_and(|block| block.contains(&start));
        if !generated && seen.insert((occurrence.name, occurrence.exact, occurrence.starts_sentence)) {
            line += text[at..start].matches('\n').count() as u32;
            at = start;
            candidates.push(MentionCandidate {
                words: text[occurrence.range.clone()].to_owned(),
                target,
                occurrence,
                line,
            });
        }
    }
    candidates
}

impl MentionCandidate {
    fn missing(&self, page: &PageRow, target: &PageRow, title: String, text: ContentHash) -> MissingLink {
        MissingLink {
            path: page.path.clone(),
            line: self.line,
            words: self.words.clone(),
            to: target.slug.clone(),
            title,
            range: ByteRange { start: self.occurrence.range.start, end: self.occurrence.range.end },
            text,
            target: target.number,
        }
    }
}

/// Returns the names of a page: its title and aliases, title first. If it has no `title`, the first heading is the
/// title, and its file name counts as a name too.
fn names_of_page(context: &VaultContext, page: &PageRow) -> Result<Vec<String>> {
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
fn can_be_linked(context: &VaultContext, path: &str) -> bool {
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
