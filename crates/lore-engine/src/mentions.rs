//! Names of pages that other pages say and do not link: found in one pass over the truths, and linked on demand.
//!
//! What is doubtful is no mention. A name of two pages, a word that the vault also uses as an ordinary one, a page that is
//! superseded or compacted are never suggested; code, links, headings and the like are not looked at, and neither are
//! timelines and taken-in sources, which are evidence.

mod evidence;
mod link;
mod names;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use lore_page::{ByteRange, Linkable, linkable, parse};

pub use link::{LinksMade, add_missing_links};

use crate::error::Result;
use crate::generated::{self, CLOSE, OPEN};
use crate::hash::ContentHash;
use crate::index::{Filter, LinkEnds, Order, PageNo, PageRow, Window};
use crate::lifecycle::{is_live, states};
use crate::memory::Memory;
use crate::policy::Verb;
use crate::vault::decode;
use evidence::{Evidence, Spoken, spoken};
use names::{Names, lowered};

/// A name that a page says and does not link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLink {
    /// The page that says it.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The words.
    pub words: String,
    /// The slug of the page that is meant.
    pub to: String,
    /// That page's title.
    pub title: String,
    /// Where the words stand in the page's text.
    place: ByteRange,
    /// The text that the place is in.
    text: ContentHash,
    /// The page that is meant.
    target: PageNo,
}

impl fmt::Display for MissingLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} names {} and is no link", self.words, self.to)
    }
}

/// Every name that one of these pages, or any, says and does not link: the first of each page and target, by path and
/// line. Which words are names is judged by the whole vault in any case.
pub fn missing_links(memory: &Memory, only: Option<&BTreeSet<String>>) -> Result<Vec<MissingLink>> {
    let mut found = Vec::new();
    memory.store().reading(&mut || {
        found = find(memory, only)?;
        Ok(())
    })?;
    Ok(found)
}

fn find(memory: &Memory, only: Option<&BTreeSet<String>>) -> Result<Vec<MissingLink>> {
    let known = Known::read(memory)?;
    let generated: HashSet<String> = generated::whole_files(memory)?.into_iter().collect();
    let mut evidence = Evidence::new(&known.names);
    let mut suspected: Vec<Suspected> = Vec::new();
    for (at, page) in known.pages.iter().enumerate().filter(|(_, page)| !generated.contains(&page.path)) {
        let Some(file) = memory.vault().read(&page.path, memory.policy().limits.page_bytes)? else {
            continue;
        };
        let decoded = decode(&file.bytes);
        let (_, linkable) = linkable(&page.path, &decoded.text);
        let said = spoken(&known.names, &linkable.text, &lowered(&linkable.text));
        said.iter().for_each(|one| evidence.note(one, &linkable.text[one.place.clone()]));
        let wanted = only.is_none_or(|only| only.contains(&page.path));
        if wanted && known.live[at] && decoded.encoding.is_none() && may_be_linked(memory, &page.path) {
            let meant = said.into_iter().filter_map(|one| Some((known.target(at, &one, &linkable)?, one)));
            let said = first_of_each(&decoded.text, meant.collect());
            suspected.push(Suspected { page: at, text: ContentHash::of(decoded.text.as_bytes()), said });
        }
    }
    let mut found: Vec<MissingLink> =
        suspected.into_iter().flat_map(|page| known.missing(page, &evidence)).collect();
    found.sort_by(|a, b| (&a.path, a.place.start).cmp(&(&b.path, b.place.start)));
    Ok(found)
}

/// What a page says that may be missing links, until it is known how the whole vault writes the names.
struct Suspected {
    page: usize,
    text: ContentHash,
    said: Vec<Said>,
}

/// The pages of a vault with their names and links.
struct Known {
    pages: Vec<PageRow>,
    /// Whether each still counts.
    live: Vec<bool>,
    /// What each is called, its title first.
    called: Vec<Vec<String>>,
    names: Names,
    links: HashMap<PageNo, HashSet<PageNo>>,
}

impl Known {
    fn read(memory: &Memory) -> Result<Known> {
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = memory.store().list(memory.project(), &Filter::default(), Order::Title, all)?;
        let live = states(memory, &pages)?.iter().map(|state| is_live(&state.status)).collect();
        let called = pages.iter().map(|page| called(memory, page)).collect::<Result<Vec<_>>>()?;
        let names = Names::new(called.iter().map(|names| names.iter().map(String::as_str).collect()));
        Ok(Known { links: links_of(memory, &pages)?, pages, live, called, names })
    }

    /// The page that a name on a page means, where a link to it is missing.
    fn target(&self, page: usize, one: &Spoken, linkable: &Linkable) -> Option<usize> {
        let target = self.names.list[one.name].page.filter(|target| *target != page && self.live[*target])?;
        let links = self.links.get(&self.pages[page].number);
        let linked = links.is_some_and(|links| links.contains(&self.pages[target].number));
        let object = linkable.objects.binary_search(&one.place.start).is_ok();
        (!linked && !object).then_some(target)
    }

    /// The first mention of each page that is meant.
    fn missing(&self, page: Suspected, evidence: &Evidence) -> Vec<MissingLink> {
        let meant = |one: &Said| evidence.is_meant(&self.names.list[one.spoken.name], &one.spoken);
        let mut first: BTreeMap<usize, Said> = BTreeMap::new();
        for one in page.said.into_iter().filter(meant) {
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

/// A name in a page, with the page that is meant.
struct Said {
    target: usize,
    spoken: Spoken,
    words: String,
    line: u32,
}

/// The first of each way in which a name stands in a text, in order; none from what Lore itself writes there.
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

/// What people call a page: its title and aliases, the title first. Where it states none, its first heading is the title,
/// and its file's name is a name too.
fn called(memory: &Memory, page: &PageRow) -> Result<Vec<String>> {
    let mut names = vec![page.title.clone()];
    names.extend(page.properties.list("aliases"));
    names.extend(page.properties.list("alias"));
    if page.properties.get("title").is_none()
        && let Some(file) = memory.vault().read(&page.path, memory.policy().limits.page_bytes)?
    {
        let heading = parse(&page.path, &decode(&file.bytes).text).page.heading_title;
        heading.into_iter().for_each(|heading| names.insert(0, heading));
    }
    Ok(names)
}

/// The pages that each page links to, by any of its links.
fn links_of(memory: &Memory, pages: &[PageRow]) -> Result<HashMap<PageNo, HashSet<PageNo>>> {
    let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
    let mut links: HashMap<PageNo, HashSet<PageNo>> = HashMap::new();
    for link in memory.store().links(memory.project(), &LinkEnds::From(&numbers))? {
        links.entry(link.from).or_default().extend(link.to);
    }
    Ok(links)
}

/// Whether the policy lets anybody patch the page, and it holds no source, whose words are evidence.
fn may_be_linked(memory: &Memory, path: &str) -> bool {
    let policy = memory.policy();
    let source = policy.ingest.folder.trim_matches('/');
    let is_source = !source.is_empty() && path.strip_prefix(source).is_some_and(|rest| rest.starts_with('/'));
    !is_source && policy.allow(path, &[Verb::Patch]).is_ok()
}
