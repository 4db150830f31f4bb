//! The links of other pages to the pages of a cluster: which of them follow to the summary, and how they are written.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lore_page::{Link, LinkStyle, edit, fold};

use super::plan::Cluster;
use crate::error::{Error, Result};
use crate::index::{KeyKind, LinkEnds, Names, PageNo};
use crate::lifecycle::status::COMPACTED;
use crate::memory::Memory;
use crate::policy::Verb;
use crate::resolve::names_of;
use crate::vault::{decode, relative, without_extension};

/// Relations that speak about the very page they lead to. Led elsewhere, they would make the summary superseded or
/// contested on the day it is written.
const OF_THE_PAGE: [&str; 2] = ["supersedes", "contradicts"];

/// A link of another page to a page of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// The slug of the page it stands on.
    pub from: String,
    /// That page's path.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// Its relation.
    pub relation: String,
    /// Its target as written.
    pub target: String,
    /// Why it stays as it is, where it does: its page must not be changed, or cannot be.
    pub stays: Option<String>,
}

/// Finds the links of other pages that lead to these clusters. Pages of any of them, and pages that were compacted
/// before, are left as they are: they are kept for what they said.
pub(super) fn inbound(memory: &Memory, clusters: &mut [Cluster]) -> Result<()> {
    let place = |(at, cluster): (usize, &Cluster)| -> Vec<(PageNo, usize)> {
        cluster.members.iter().map(|member| (member.page.number, at)).collect()
    };
    let places: HashMap<PageNo, usize> = clusters.iter().enumerate().flat_map(place).collect();
    let members: Vec<PageNo> = places.keys().copied().collect();
    let mut rows = memory.store().links(memory.project(), &LinkEnds::To(&members))?;
    rows.retain(|row| {
        let relation = fold(&row.link.relation);
        !places.contains_key(&row.from) && !OF_THE_PAGE.contains(&relation.as_str())
    });
    rows.sort_by(|a, b| (&a.from_path, a.link.line, a.number).cmp(&(&b.from_path, b.link.line, b.number)));
    let numbers: HashSet<PageNo> = rows.iter().map(|row| row.from).collect();
    let numbers: Vec<PageNo> = numbers.into_iter().collect();
    let pages = memory.store().pages(memory.project(), &numbers)?;
    let mut sources: BTreeMap<PageNo, (String, Option<String>)> = BTreeMap::new();
    for page in pages.into_iter().filter(|page| page.status.as_deref() != Some(COMPACTED)) {
        sources.insert(page.number, (page.slug, obstacle(memory, &page.path)?));
    }
    for row in rows {
        let (Some((slug, stays)), Some(at)) = (sources.get(&row.from), row.to.and_then(|to| places.get(&to)))
        else {
            continue;
        };
        clusters[*at].inbound.push(Inbound {
            from: slug.clone(),
            path: row.from_path,
            line: row.link.line,
            relation: row.link.relation,
            target: row.link.target,
            stays: stays.clone(),
        });
    }
    Ok(())
}

/// Why the links of a page stay as they are.
fn obstacle(memory: &Memory, path: &str) -> Result<Option<String>> {
    if let Err(denied) = memory.policy().allow(path, &[Verb::Patch]) {
        return Ok(Some(denied.to_string()));
    }
    let file = memory.vault().read(path, memory.policy().limits.page_bytes)?;
    let readable = file.is_some_and(|file| decode(&file.bytes).encoding.is_none());
    Ok((!readable).then(|| format!("{path} is not UTF-8")))
}

/// How links are led to a summary.
pub(super) struct Repoint {
    /// The summary's path.
    to: String,
    /// What a wiki link by a name alone is to say.
    short: String,
    /// Path and target of each link that follows. A target means one page wherever it stands on another.
    follow: HashSet<(String, String)>,
}

impl Repoint {
    pub(super) fn new(memory: &Memory, cluster: &Cluster, to: &str) -> Result<Repoint> {
        let place = without_extension(to);
        let short = place.rsplit('/').next().unwrap_or(place);
        let names = names_of(short);
        let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows = memory.store().lookup(memory.project(), &Names::Exact(&wanted))?;
        let taken = rows.iter().any(|row| row.kind != KeyKind::Claim);
        let follow = cluster.inbound.iter().filter(|link| link.stays.is_none());
        Ok(Repoint {
            to: to.to_owned(),
            short: if taken { place } else { short }.to_owned(),
            follow: follow.map(|link| (link.path.clone(), link.target.clone())).collect(),
        })
    }

    /// The pages whose links follow.
    pub(super) fn sources(&self) -> BTreeSet<String> {
        self.follow.iter().map(|(path, _)| path.clone()).collect()
    }

    /// A page's text with its links led to the summary.
    pub(super) fn edit(&self, path: &str, text: &str) -> Result<String> {
        let mut follow = |link: &Link| {
            let own = OF_THE_PAGE.contains(&fold(&link.relation).as_str());
            if own || !self.follow.contains(&(path.to_owned(), link.target.clone())) {
                return None;
            }
            Some(match link.style {
                LinkStyle::Markdown => relative(path, &self.to),
                LinkStyle::Wiki if link.target.contains('/') => without_extension(&self.to).to_owned(),
                LinkStyle::Wiki => self.short.clone(),
            })
        };
        let edited = edit::repoint_links(text, path, &mut follow);
        edited.map_err(|source| Error::Edit { slug: path.to_owned(), source })
    }
}
