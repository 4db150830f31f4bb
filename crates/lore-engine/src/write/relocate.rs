//! Moves pages: their own relative links, and the links that refer to them by their paths, are rewritten; links that refer
//! to them by title, alias or id remain valid and are left unchanged. Properties with the slug of one (`owner: people/ada`)
//! follow it. Several pages move in one write, all or none.

use std::collections::{BTreeSet, HashMap};

use lore_page::{Format, Link, LinkStyle, convert, edit, parse};
use lore_ports::{Filter, KeyKind, LinkFilter, LinkRow, NameQuery, Order, PageNo, PageRow, Window};
use lore_text::{fold, path_slug, slugify};
use lore_vault::{VaultPath, exists, folder, relative, sidecar, without_extension};

use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::{links_by_former, names_of};
use crate::write::former_names::FormerNames;
use crate::write::{Action, Edit, PageChange, Receipt, WriteOptions, write_as};

/// The move of one page.
struct Move {
    from: String,
    to: String,
    /// Names of the page that do not depend on its path.
    names: Vec<String>,
    /// The new target of wiki links that use only the file name.
    short: String,
}

/// Pages that move together.
struct MovePlan {
    moves: Vec<Move>,
    /// The links to the pages: which page each path and target leads to. On a given page, a target always refers to the
    /// same page, so lines added or removed meanwhile do not matter.
    inbound: HashMap<(String, String), usize>,
    /// Former slugs and paths, which properties may have.
    former: FormerNames,
}

/// Moves a page to another path. The receipt lists the page first, then the pages whose links were rewritten.
pub fn relocate(
    context: &VaultContext,
    page: &PageRow,
    to: &str,
    expected_version: Option<u64>,
) -> Result<Receipt> {
    move_pages(context, &[(page, to)], expected_version, None)
}

/// Moves pages to other paths, all or none, with one commit.
pub fn relocate_all(context: &VaultContext, moves: &[(PageRow, String)], subject: &str) -> Result<Receipt> {
    let moves: Vec<(&PageRow, &str)> = moves.iter().map(|(page, to)| (page, to.as_str())).collect();
    move_pages(context, &moves, None, Some(subject.to_owned()))
}

fn move_pages(
    context: &VaultContext,
    moves: &[(&PageRow, &str)],
    expected_version: Option<u64>,
    subject: Option<String>,
) -> Result<Receipt> {
    let plan = MovePlan::new(context, moves)?;
    let moved: BTreeSet<&str> = plan.moves.iter().map(|one| one.from.as_str()).collect();
    let sources = plan.sources(context, &moved)?;
    let mut changes = Vec::new();
    for one in &plan.moves {
        let own: Edit<'_> = Box::new(|text| plan.own_links(one, text));
        changes.push(PageChange {
            path: VaultPath::known(one.from.clone()),
            action: Action::Move(VaultPath::known(one.to.clone()), own),
            expected_version,
        });
        changes.extend(moved_sidecar(context, one));
    }
    changes.extend(plan.changes(&sources));
    write_as(context, &changes, &WriteOptions { is_move: true, subject, ..WriteOptions::default() })
}

/// Returns the move of the data beside a page.
fn moved_sidecar(context: &VaultContext, one: &Move) -> Option<PageChange<'static>> {
    let (data, new_data) = (sidecar(&one.from), sidecar(&one.to));
    let as_it_is: Edit<'static> = Box::new(|text| Ok(text.to_owned()));
    exists(&context.vault().root().join(&data)).then(|| PageChange {
        path: VaultPath::known(data),
        action: Action::Move(VaultPath::known(new_data), as_it_is),
        expected_version: None,
    })
}

impl MovePlan {
    fn new(context: &VaultContext, moves: &[(&PageRow, &str)]) -> Result<MovePlan> {
        let numbers: Vec<PageNo> = moves.iter().map(|(page, _)| page.number).collect();
        let at: HashMap<PageNo, usize> = numbers.iter().copied().zip(0..).collect();
        let rows = context.store().links(context.project(), &LinkFilter::To(&numbers))?;
        let leads = |row: LinkRow| Some(((row.from_path, row.link.target), *at.get(&row.to?)?));
        let mut plan = MovePlan {
            moves: Vec::new(),
            inbound: rows.into_iter().filter_map(leads).collect(),
            former: FormerNames::default(),
        };
        for (page, to) in moves {
            let to = context.vault().page_path(to)?;
            plan.former.add(FormerNames::of(page), &path_slug(&to), &to);
            let (names, short) = (names_kept(context, page)?, short_name(context, page, &to)?);
            plan.moves.push(Move { from: page.path.clone(), to, names, short });
        }
        Ok(plan)
    }

    /// Rewrites the links of another page that refer to one of these by its path.
    fn links_of(&self, source: &str, text: &str) -> Result<String> {
        let mut follow = |link: &Link| {
            let one = self.led_to(source, link)?;
            match link.style {
                LinkStyle::Markdown => Some(relative(source, &one.to)),
                LinkStyle::Wiki => one.follow_wiki(link),
            }
        };
        let text = finish(source, edit::retarget_links(text, source, &mut follow))?;
        self.former.follow(source, &text)
    }

    /// Rewrites the own links of a page that moves: links to the moved pages follow them, Markdown links become relative to
    /// its new directory.
    fn own_links(&self, own: &Move, text: &str) -> Result<String> {
        let (from, to) = (own.from.as_str(), own.to.as_str());
        let stays = folder(from) == folder(to);
        let mut follow = |link: &Link| match (link.style, self.led_to(from, link)) {
            (LinkStyle::Markdown, Some(one)) => Some(relative(to, &one.to)),
            (LinkStyle::Markdown, None) if stays => None,
            (LinkStyle::Markdown, None) => Some(relative(to, &link.target)),
            (LinkStyle::Wiki, Some(one)) => one.follow_wiki(link),
            (LinkStyle::Wiki, None) => None,
        };
        let text = finish(from, edit::retarget_links(text, from, &mut follow))?;
        let text = self.former.follow(from, &text)?;
        Ok(convert(&text, Format::of(from), Format::of(to)))
    }

    /// Returns the moved page that a link leads to.
    fn led_to(&self, source: &str, link: &Link) -> Option<&Move> {
        let at = self.inbound.get(&(source.to_owned(), link.target.clone()))?;
        self.moves.get(*at)
    }

    /// Returns the paths of other pages with links to a moved page, or with properties that name one.
    fn sources(&self, context: &VaultContext, moved: &BTreeSet<&str>) -> Result<Vec<String>> {
        let all = Window { limit: usize::MAX >> 1, offset: 0 };
        let rows = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
        let naming = rows.into_iter().filter(|row| self.former.count(&row.properties) > 0);
        let linking = self.inbound.keys().map(|(path, _)| path.clone());
        let paths: BTreeSet<String> = linking.chain(naming.map(|row| row.path)).collect();
        Ok(paths.into_iter().filter(|path| !moved.contains(path.as_str())).collect())
    }

    /// Returns the changes of other pages.
    fn changes<'a>(&'a self, sources: &'a [String]) -> impl Iterator<Item = PageChange<'a>> {
        sources.iter().map(|source| PageChange {
            path: VaultPath::known(source.clone()),
            action: Action::Edit(Box::new(|text| self.links_of(source, text))),
            expected_version: None,
        })
    }
}

impl Move {
    fn follow_wiki(&self, link: &Link) -> Option<String> {
        let target = link.target.trim();
        if target.starts_with("id:") {
            return None;
        }
        let slug = slugify(without_extension(target));
        if self.names.iter().any(|name| *name == fold(target) || *name == slug) {
            return None;
        }
        // A link by file name alone stays one if that name is unambiguous.
        let place = without_extension(&self.to);
        Some(if target.contains('/') { place.to_owned() } else { self.short.clone() })
    }
}

/// The links and properties that name pages by the paths they had before they were moved outside Lore.
pub struct FormerLinks {
    plan: MovePlan,
    /// Paths of the pages that have them.
    sources: Vec<String>,
}

impl FormerLinks {
    /// Finds those of these pages, which are given with their former paths.
    pub fn find(context: &VaultContext, moved: &[(PageRow, Vec<String>)]) -> Result<FormerLinks> {
        let mut plan =
            MovePlan { moves: Vec::new(), inbound: HashMap::new(), former: FormerNames::default() };
        for (at, (page, former)) in moved.iter().enumerate() {
            let rows = links_by_former(context, std::slice::from_ref(page))?;
            plan.inbound.extend(rows.into_iter().map(|row| ((row.from_path, row.link.target), at)));
            let old = former.iter().flat_map(|path| [path.clone(), path_slug(path)]);
            plan.former.add(old, &path_slug(&page.path), &page.path);
            let (from, to) = (page.path.clone(), page.path.clone());
            let (names, short) = (names_kept(context, page)?, short_name(context, page, &page.path)?);
            plan.moves.push(Move { from, to, names, short });
        }
        let sources = plan.sources(context, &BTreeSet::new())?;
        Ok(FormerLinks { plan, sources })
    }

    /// Returns the paths of the pages that have them.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Returns the text of a page with its links leading to where the pages are now.
    pub fn follow(&self, source: &str, text: &str) -> Result<String> {
        self.plan.links_of(source, text)
    }
}

/// Returns the names that do not depend on the page's path.
fn names_kept(context: &VaultContext, page: &PageRow) -> Result<Vec<String>> {
    let file = context.read(page)?;
    let text = lore_vault::decode(&file.bytes).text.into_owned();
    let parsed = parse(&page.path, &text).page;
    let mut names: Vec<String> = parsed.aliases;
    names.extend(parsed.nodes.iter().flat_map(|node| [node.id.clone(), node.title.clone()]));
    names.extend(parsed.nodes.into_iter().flat_map(|node| node.aliases));
    names.extend(parsed.id);
    names.extend(parsed.heading_title);
    names.extend(parsed.properties.text("title").map(str::to_owned));
    Ok(names.iter().flat_map(|name| [fold(name), slugify(name)]).collect())
}

/// Returns the new file's name, or its whole path if another page has that name too.
fn short_name(context: &VaultContext, page: &PageRow, to: &str) -> Result<String> {
    let place = without_extension(to);
    let short = place.rsplit('/').next().unwrap_or(place);
    let names = names_of(short);
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = context.store().lookup(context.project(), &NameQuery::Exact(&wanted))?;
    let taken = rows.iter().any(|row| row.page != page.number && row.kind != KeyKind::DesiredSlug);
    Ok(if taken { place.to_owned() } else { short.to_owned() })
}

fn finish(path: &str, edited: std::result::Result<String, edit::EditError>) -> Result<String> {
    edited.map_err(|source| Error::Edit { slug: path.to_owned(), source })
}
