//! Moves a page: its own relative links, and the links that refer to it by its path, are rewritten; links that refer to
//! it by title, alias or id remain valid and are left unchanged. Properties with its slug (`owner: people/ada`) follow it.

use std::collections::{BTreeSet, HashSet};

use lore_page::{Format, Link, LinkStyle, convert, edit, parse};
use lore_ports::{Filter, KeyKind, LinkFilter, NameQuery, Order, PageRow, Window};
use lore_text::{fold, path_slug, slugify};
use lore_vault::{VaultPath, exists, folder, relative, sidecar, without_extension};

use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::{links_by_former, names_of};
use crate::write::former_names::FormerNames;
use crate::write::{Action, Edit, PageChange, Receipt, WriteOptions, write_as};

/// A planned move.
struct Move<'a> {
    from: &'a str,
    to: &'a str,
    /// The links to the page: path and target of each. On a given page, a target always refers to the same page, so
    /// lines added or removed meanwhile do not matter.
    inbound: HashSet<(String, String)>,
    /// NameQuery of the page that do not depend on its path.
    names: Vec<String>,
    /// The new target of wiki links that use only the file name.
    short: String,
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
    let to = context.vault().page_path(to)?;
    let rows = context.store().links(context.project(), &LinkFilter::To(&[page.number]))?;
    let inbound: HashSet<_> = rows.into_iter().map(|row| (row.from_path, row.link.target)).collect();
    let former = FormerNames::new(FormerNames::of(page), &path_slug(&to), &to);
    let sources = sources(context, page, &inbound, &former)?;
    let plan = Move {
        from: &page.path,
        to: &to,
        names: names_kept(context, page)?,
        short: short_name(context, page, &to)?,
        former,
        inbound,
    };
    let own: Edit<'_> = Box::new(|text| plan.own_links(text));
    let mut changes = vec![PageChange {
        path: VaultPath::known(page.path.clone()),
        action: Action::Move(VaultPath::known(to.clone()), own),
        expected_version,
    }];
    let (data, new_data) = (sidecar(&page.path), sidecar(&to));
    if exists(&context.vault().root().join(&data)) {
        let as_it_is: Edit<'_> = Box::new(|text| Ok(text.to_owned()));
        changes.push(PageChange {
            path: VaultPath::known(data),
            action: Action::Move(VaultPath::known(new_data), as_it_is),
            expected_version: None,
        });
    }
    for source in &sources {
        let edit: Edit<'_> = Box::new(|text| plan.links_of(source, text));
        changes.push(PageChange {
            path: VaultPath::known(source.clone()),
            action: Action::Edit(edit),
            expected_version: None,
        });
    }
    write_as(context, &changes, &WriteOptions { is_move: true, ..WriteOptions::default() })
}

impl Move<'_> {
    /// Rewrites the links of another page that refer to this one by its path.
    fn links_of(&self, source: &str, text: &str) -> Result<String> {
        let mut follow = |link: &Link| {
            if !self.leads_here(source, link) {
                return None;
            }
            match link.style {
                LinkStyle::Markdown => Some(relative(source, self.to)),
                LinkStyle::Wiki => self.follow_wiki(link),
            }
        };
        let text = finish(source, edit::retarget_links(text, source, &mut follow))?;
        self.former.follow(source, &text)
    }

    /// Rewrites the page's own links: links to itself follow it, Markdown links become relative to its new directory.
    fn own_links(&self, text: &str) -> Result<String> {
        let stays = folder(self.from) == folder(self.to);
        let mut follow = |link: &Link| match (link.style, self.leads_here(self.from, link)) {
            (LinkStyle::Markdown, true) => Some(relative(self.to, self.to)),
            (LinkStyle::Markdown, false) if stays => None,
            (LinkStyle::Markdown, false) => Some(relative(self.to, &link.target)),
            (LinkStyle::Wiki, true) => self.follow_wiki(link),
            (LinkStyle::Wiki, false) => None,
        };
        let text = finish(self.from, edit::retarget_links(text, self.from, &mut follow))?;
        Ok(convert(&text, Format::of(self.from), Format::of(self.to)))
    }

    fn leads_here(&self, source: &str, link: &Link) -> bool {
        self.inbound.contains(&(source.to_owned(), link.target.clone()))
    }

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
        let place = without_extension(self.to);
        Some(if target.contains('/') { place.to_owned() } else { self.short.clone() })
    }
}

/// Rewrites the links and properties that name a page by the path it had before it was moved outside Lore.
pub fn follow_move(context: &VaultContext, page: &PageRow, former: &[String]) -> Result<Receipt> {
    let inbound: HashSet<_> = links_by_former(context, std::slice::from_ref(page))?
        .into_iter()
        .map(|row| (row.from_path, row.link.target))
        .collect();
    let old = former.iter().flat_map(|path| [path.clone(), path_slug(path)]);
    let former = FormerNames::new(old, &path_slug(&page.path), &page.path);
    let sources = sources(context, page, &inbound, &former)?;
    if sources.is_empty() {
        return Ok(Receipt::default());
    }
    let plan = Move {
        from: &page.path,
        to: &page.path,
        names: names_kept(context, page)?,
        short: short_name(context, page, &page.path)?,
        inbound,
        former,
    };
    let change = |source: &String| PageChange {
        path: VaultPath::known(source.clone()),
        action: Action::Edit(Box::new({
            let (plan, source) = (&plan, source.clone());
            move |text: &str| plan.links_of(&source, text)
        })),
        expected_version: None,
    };
    let changes: Vec<PageChange<'_>> = sources.iter().map(change).collect();
    let options = WriteOptions {
        subject: Some(format!("Update links to {}", page.path)),
        is_fix: true,
        ..WriteOptions::default()
    };
    write_as(context, &changes, &options)
}

/// Returns the paths of other pages with links to a page, or with properties that name it.
fn sources(
    context: &VaultContext,
    page: &PageRow,
    inbound: &HashSet<(String, String)>,
    former: &FormerNames,
) -> Result<Vec<String>> {
    let all = Window { limit: usize::MAX >> 1, offset: 0 };
    let rows = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
    let naming = rows.into_iter().filter(|row| former.count(&row.properties) > 0);
    let paths: BTreeSet<String> =
        inbound.iter().map(|(path, ..)| path.clone()).chain(naming.map(|row| row.path)).collect();
    Ok(paths.into_iter().filter(|path| *path != page.path).collect())
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
