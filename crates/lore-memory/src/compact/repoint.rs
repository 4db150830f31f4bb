//! Links from other pages to the pages of a cluster: which of them are redirected to the summary, and how.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lore_engine::status::COMPACTED;
use lore_engine::{Error, Result, VaultContext, Verb, names_of};
use lore_page::{Link, LinkStyle, edit};
use lore_ports::{KeyKind, LinkFilter, NameQuery, PageNo};
use lore_text::fold;
use lore_vault::{decode, relative, without_extension};

use super::plan::Cluster;

/// Relations about the target page itself. Redirected, they would make the new summary superseded or contested at once.
const PAGE_RELATIONS: [&str; 2] = ["supersedes", "contradicts"];

/// A link from another page to a page of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// Slug of the source page.
    pub from: String,
    /// Path of the source page.
    pub path: String,
    /// Line.
    pub line: u32,
    /// Relation.
    pub relation: String,
    /// Target as written.
    pub target: String,
    /// Reason why the link is not redirected, if it is not: its page may not or cannot be changed.
    pub blocked: Option<String>,
}

/// Finds the links from other pages to these clusters. Pages of the clusters, and pages compacted earlier, are not
/// changed: they are kept as a record.
pub(super) fn inbound(context: &VaultContext, clusters: &mut [Cluster]) -> Result<()> {
    let positions_of = |(at, cluster): (usize, &Cluster)| -> Vec<(PageNo, usize)> {
        cluster.members.iter().map(|member| (member.page.number, at)).collect()
    };
    let positions: HashMap<PageNo, usize> = clusters.iter().enumerate().flat_map(positions_of).collect();
    let members: Vec<PageNo> = positions.keys().copied().collect();
    let mut rows = context.store().links(context.project(), &LinkFilter::To(&members))?;
    rows.retain(|row| {
        let relation = fold(&row.link.relation);
        !positions.contains_key(&row.from) && !PAGE_RELATIONS.contains(&relation.as_str())
    });
    rows.sort_by(|a, b| (&a.from_path, a.link.line, a.number).cmp(&(&b.from_path, b.link.line, b.number)));
    let numbers: HashSet<PageNo> = rows.iter().map(|row| row.from).collect();
    let numbers: Vec<PageNo> = numbers.into_iter().collect();
    let pages = context.store().pages(context.project(), &numbers)?;
    let mut sources: BTreeMap<PageNo, (String, Option<String>)> = BTreeMap::new();
    for page in pages.into_iter().filter(|page| page.status.as_deref() != Some(COMPACTED)) {
        sources.insert(page.number, (page.slug, obstacle(context, &page.path)?));
    }
    for row in rows {
        let (Some((slug, blocked)), Some(at)) =
            (sources.get(&row.from), row.to.and_then(|to| positions.get(&to)))
        else {
            continue;
        };
        clusters[*at].inbound.push(Inbound {
            from: slug.clone(),
            path: row.from_path,
            line: row.link.line,
            relation: row.link.relation,
            target: row.link.target,
            blocked: blocked.clone(),
        });
    }
    Ok(())
}

/// Returns why the links of a page cannot be redirected.
pub(crate) fn obstacle(context: &VaultContext, path: &str) -> Result<Option<String>> {
    if let Err(denied) = context.policy().allow(path, &[Verb::Patch]) {
        return Ok(Some(denied.to_string()));
    }
    let file = context.vault().read(path, context.policy().limits.page_bytes)?;
    let readable = file.is_some_and(|file| decode(&file.bytes).encoding.is_none());
    Ok((!readable).then(|| format!("{path} is not UTF-8")))
}

/// Redirects links to a summary.
pub(super) struct Repoint {
    /// Path of the summary.
    to: String,
    /// Target of wiki links that use a bare name.
    short: String,
    /// Path and target of each redirected link. On one page, a target always refers to the same page.
    redirected: HashSet<(String, String)>,
}

impl Repoint {
    pub(super) fn new(context: &VaultContext, cluster: &Cluster, to: &str) -> Result<Repoint> {
        let stem = without_extension(to);
        let short = stem.rsplit('/').next().unwrap_or(stem);
        let names = names_of(short);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows = context.store().lookup(context.project(), &NameQuery::Exact(&names))?;
        let taken = rows.iter().any(|row| row.kind != KeyKind::DesiredSlug);
        let redirected = cluster.inbound.iter().filter(|link| link.blocked.is_none());
        Ok(Repoint {
            to: to.to_owned(),
            short: if taken { stem } else { short }.to_owned(),
            redirected: redirected.map(|link| (link.path.clone(), link.target.clone())).collect(),
        })
    }

    /// Returns the pages whose links are redirected.
    pub(super) fn sources(&self) -> BTreeSet<String> {
        self.redirected.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Returns a page's text with its links redirected to the summary.
    pub(super) fn edit(&self, path: &str, text: &str) -> Result<String> {
        let mut redirect = |link: &Link| {
            let is_page_relation = PAGE_RELATIONS.contains(&fold(&link.relation).as_str());
            if is_page_relation || !self.redirected.contains(&(path.to_owned(), link.target.clone())) {
                return None;
            }
            Some(match link.style {
                LinkStyle::Markdown => relative(path, &self.to),
                LinkStyle::Wiki if link.target.contains('/') => without_extension(&self.to).to_owned(),
                LinkStyle::Wiki => self.short.clone(),
            })
        };
        let edited = edit::repoint_links(text, path, &mut redirect);
        edited.map_err(|source| Error::Edit { slug: path.to_owned(), source })
    }
}
