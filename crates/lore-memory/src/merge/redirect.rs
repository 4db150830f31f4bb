//! Links and pointers of other pages that follow a page to its new name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lore_engine::{Action, Edit, FormerNames, PageChange, Result, VaultContext, target_of};
use lore_page::{Format, Link, LinkStyle, edit};
use lore_ports::{Filter, LinkFilter, Order, PageNo, PageRow, Window};
use lore_text::fold;
use lore_vault::{VaultPath, decode, relative, without_extension};

use super::failed;
use super::parts::{Parts, SplitNames, part_key};
use crate::compact::obstacle;

/// Minimum length of an id that is replaced wherever it occurs in a text.
const ID_LENGTH: usize = 12;

/// How links name a page.
#[derive(Debug, Clone)]
pub(super) struct PageName {
    path: String,
    id: String,
    /// The title if it is unambiguous, else the slug.
    short: String,
}

impl PageName {
    /// Returns the names of a page with this text.
    pub(super) fn new(context: &VaultContext, page: &PageRow, text: &str) -> Result<PageName> {
        let heading = lore_page::parse(&page.path, text).page.heading_title;
        let leads_here = |name: &String| {
            let found = context.find(name).ok().flatten();
            is_plain(name) && found.is_some_and(|found| found.number == page.number)
        };
        let short = match heading.into_iter().chain([page.title.clone()]).find(leads_here) {
            Some(name) => name,
            None => target_of(context, page)?,
        };
        Ok(PageName { path: page.path.clone(), id: page.id.clone(), short })
    }

    /// Returns the names of a page with this text that is not written yet.
    pub(super) fn of_new(path: &str, title: &str, text: &str) -> PageName {
        let short = if is_plain(title) { title } else { without_extension(path) };
        let id = lore_page::parse(path, text).page.id.unwrap_or_default();
        PageName { path: path.to_owned(), id, short: short.to_owned() }
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the target of an Org link to the page, or to the file if a place in it follows.
    pub(super) fn org_target(&self, source: &str, is_whole: bool) -> String {
        match is_whole && !self.id.is_empty() {
            true => format!("id:{}", self.id),
            false => format!("file:{}", relative(source, &self.path)),
        }
    }

    /// Returns the target of a wiki link.
    pub(super) fn short(&self) -> &str {
        &self.short
    }

    /// Returns the target of a link on a page that is to lead here, in the form of the old one.
    pub(super) fn target(&self, source: &str, link: &Link) -> String {
        let old = link.target.trim();
        match link.style {
            LinkStyle::Markdown => relative(source, &self.path),
            LinkStyle::Wiki if fold(old).starts_with("id:") && !self.id.is_empty() => {
                format!("id:{}", self.id)
            }
            LinkStyle::Wiki if old.contains('/') => without_extension(&self.path).to_owned(),
            LinkStyle::Wiki => self.short.clone(),
        }
    }
}

/// Whether a title can be the target of a wiki link.
pub(super) fn is_plain(title: &str) -> bool {
    !title.contains(['[', ']', '|', '#', '^', '\n', '/']) && title.trim() == title && !title.is_empty()
}

/// A link that leads elsewhere from now on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct LinkKey {
    path: String,
    target: String,
    /// The heading after `#`, if only links to it follow.
    heading: Option<String>,
}

/// Where a link leads from now on.
#[derive(Debug, Clone)]
struct Destination {
    name: PageName,
    /// Whether the part after `#` is kept.
    keeps_heading: bool,
}

/// Returns the targets of links to headings of pages that are nodes of their own. In an Org page that takes over their text
/// they keep their ids and names, so links to them still lead there.
pub(super) fn node_targets(
    context: &VaultContext,
    pages: &[PageRow],
    target: &PageRow,
) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    let is_org = |page: &&PageRow| Format::of(&page.path) == Format::Org;
    for page in pages.iter().filter(|page| is_org(page) && is_org(&target)) {
        let read = lore_page::parse(&page.path, &decode(&context.read(page)?.bytes).text).page;
        let own: Vec<String> =
            read.aliases.iter().chain([&page.title, &page.slug]).map(|name| fold(name)).collect();
        for node in &read.nodes {
            found.insert(fold(&format!("id:{}", node.id)));
            let names = node.aliases.iter().chain([&node.title]).map(|name| fold(name));
            found.extend(names.filter(|name| !own.contains(name)));
        }
    }
    Ok(found)
}

/// Links and pointers that follow.
#[derive(Debug)]
pub(super) struct Redirects {
    links: HashMap<LinkKey, Destination>,
    /// Old ids and the new one.
    ids: Vec<(String, String)>,
    /// Slugs and paths that properties may have.
    former: Option<FormerNames>,
    /// Pages that are part of the change themselves.
    own: BTreeSet<String>,
    /// The page that the links of these pages were on.
    origin: Option<String>,
    /// Whether links to any part of a page follow.
    any_heading: bool,
}

impl Redirects {
    /// Returns what leads to these pages and follows to another.
    pub(super) fn to_page(
        context: &VaultContext,
        gone: &[PageNo],
        pages: &[PageRow],
        name: &PageName,
        target: &PageRow,
    ) -> Result<Redirects> {
        let rows = context.store().links(context.project(), &LinkFilter::To(gone))?;
        let own: BTreeSet<String> = pages.iter().chain([target]).map(|page| page.path.clone()).collect();
        let nodes = node_targets(context, pages, target)?;
        let is_node = |target: &str| nodes.contains(&fold(target));
        let rows = rows.into_iter().filter(|row| !own.contains(&row.from_path) && !is_node(&row.link.target));
        let key = |path, target| LinkKey { path, target, heading: None };
        let destination = Destination { name: name.clone(), keeps_heading: true };
        let links = rows.map(|row| (key(row.from_path, row.link.target), destination.clone())).collect();
        let ids = pages.iter().filter(|page| page.id.len() >= ID_LENGTH);
        let ids = ids.map(|page| (page.id.clone(), target.id.clone())).collect();
        let former = FormerNames::new(pages.iter().flat_map(FormerNames::of), &target.slug, &target.path);
        Ok(Redirects { links, ids, former: Some(former), own, origin: None, any_heading: true })
    }

    /// Returns the links to parts of a page that follow to pages of their own, also from the pages that a split leaves at
    /// these paths.
    pub(super) fn to_sections(
        context: &VaultContext,
        page: &PageRow,
        parts: &Parts,
        names: &SplitNames,
    ) -> Result<Redirects> {
        let rows = context.store().links(context.project(), &LinkFilter::To(&[page.number]))?;
        let own: BTreeSet<String> =
            names.sections.iter().map(|(_, name)| name.path.clone()).chain([page.path.clone()]).collect();
        let mut links = HashMap::new();
        for row in rows {
            let Some(heading) = row.link.heading.as_deref() else { continue };
            let Some(part) = parts.named(heading).first().filter(|part| part.section.is_some()) else {
                continue;
            };
            let destination = Destination { name: names.of(part).clone(), keeps_heading: !part.is_whole };
            let heading = Some(part_key(heading));
            links.insert(LinkKey { path: row.from_path, target: row.link.target, heading }, destination);
        }
        let origin = Some(page.path.clone());
        Ok(Redirects { links, ids: Vec::new(), former: None, own, origin, any_heading: false })
    }

    /// Returns the pages to change with the number of changes, and those that cannot be changed with the reason.
    pub(super) fn sources(
        &self,
        context: &VaultContext,
    ) -> Result<(BTreeMap<String, usize>, BTreeMap<String, String>)> {
        let (mut sources, mut blocked) = (BTreeMap::new(), BTreeMap::new());
        for path in self.candidates(context)? {
            let Some(file) = context.vault().read(&path, u64::MAX)? else { continue };
            let text = decode(&file.bytes).text.into_owned();
            let count = self.count(&path, &text);
            match (count, obstacle(context, &path)?) {
                (0, _) => {}
                (_, Some(why)) => drop(blocked.insert(path, why)),
                (count, None) => drop(sources.insert(path, count)),
            }
        }
        Ok((sources, blocked))
    }

    /// Returns the changes of these pages.
    pub(super) fn changes<'a>(&'a self, paths: impl Iterator<Item = &'a String>) -> Vec<PageChange<'a>> {
        let change = |path: &'a String| {
            let follow: Edit<'a> = Box::new(move |text| self.edit(path, text));
            PageChange {
                path: VaultPath::known(path.clone()),
                action: Action::Edit(follow),
                expected_version: None,
            }
        };
        paths.map(change).collect()
    }

    /// Returns the pages that may have something to change. Pointers are plain text, which no index knows.
    fn candidates(&self, context: &VaultContext) -> Result<BTreeSet<String>> {
        let mut paths: BTreeSet<String> = self.links.keys().map(|key| key.path.clone()).collect();
        if let Some(former) = &self.former {
            let all = Window { limit: i64::MAX as usize, offset: 0 };
            let rows = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
            let may_change = |row: &PageRow| !self.ids.is_empty() || former.count(&row.properties) > 0;
            paths.extend(rows.into_iter().filter(may_change).map(|row| row.path));
        }
        let policy = context.policy();
        paths.retain(|path| {
            !self.own.contains(path) && !policy.generated.iter().any(|generated| generated.path.matches(path))
        });
        Ok(paths)
    }

    fn count(&self, path: &str, text: &str) -> usize {
        let lore_page::Page { links, properties, .. } = lore_page::parse(path, text).page;
        let followed = links.iter().filter(|link| self.new_target(path, link).is_some()).count();
        // An id within a link was counted as that link.
        let in_links = links.iter().filter(|link| self.new_target(path, link).is_some());
        let in_links =
            in_links.filter(|link| self.ids.iter().any(|(old, _)| link.target.contains(old.as_str())));
        let pointers: usize = self.ids.iter().map(|(old, _)| text.matches(old.as_str()).count()).sum();
        let named = self.former.as_ref().map_or(0, |former| former.count(&properties));
        followed + named + pointers.saturating_sub(in_links.count())
    }

    fn new_target(&self, path: &str, link: &Link) -> Option<(String, bool)> {
        let heading = link.heading.as_deref().map(part_key).filter(|_| !self.any_heading);
        let origin = self.origin.as_deref().filter(|_| self.own.contains(path));
        let key = LinkKey { path: origin.unwrap_or(path).to_owned(), target: link.target.clone(), heading };
        self.links.get(&key).map(|to| (to.name.target(path, link), to.keeps_heading))
    }

    /// Returns a text with its links and pointers following.
    pub(super) fn edit(&self, path: &str, text: &str) -> Result<String> {
        let follow = |keeps: bool| {
            move |link: &Link| {
                self.new_target(path, link).filter(|(_, kept)| *kept == keeps).map(|(new, _)| new)
            }
        };
        let edited = edit::repoint_links(text, path, &mut follow(false));
        let edited = edited.and_then(|text| edit::retarget_links(&text, path, &mut follow(true)));
        let edited = edited.map_err(|source| failed(path, source))?;
        let edited = match &self.former {
            Some(former) => former.follow(path, &edited)?,
            None => edited,
        };
        Ok(self.ids.iter().fold(edited, |text, (old, new)| text.replace(old.as_str(), new)))
    }
}
