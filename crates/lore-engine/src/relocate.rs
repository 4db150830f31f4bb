//! Moving a page: its own relative links and the links that name it by its place are written anew; links that
//! name it by title, alias or id still hold and stay as they are.

use lore_page::{Link, LinkStyle, edit, fold, parse, path_slug, slugify};

use crate::error::{Error, Result};
use crate::index::{LinkEnds, PageRow};
use crate::memory::Memory;
use crate::vault::{folder, relative, safe_path, without_extension};
use crate::write::{Action, Edit, PageChange, Written, write};

/// Gives a page another path. The pages whose links were written anew come after the page itself.
pub fn relocate(
    memory: &Memory,
    page: &PageRow,
    to: &str,
    expected_version: Option<u64>,
) -> Result<Vec<Written>> {
    let to = safe_path(to)?;
    let from = page.path.clone();
    let inbound = memory.store().links(memory.project(), &LinkEnds::To(&[page.number]))?;
    let mut sources: Vec<String> =
        inbound.into_iter().map(|row| row.from_path).filter(|path| *path != from).collect();
    sources.sort();
    sources.dedup();
    let names = names_kept(memory, page)?;
    let (from, to, names) = (&from, &to, &names);
    let own: Edit<'_> = Box::new(move |text| own_links(text, from, to, names));
    let mut changes =
        vec![PageChange { path: from.clone(), action: Action::Move(to.clone(), own), expected_version }];
    for source in &sources {
        let edit: Edit<'_> = Box::new(move |text| retarget(text, source, from, to, names));
        changes.push(PageChange { path: source.clone(), action: Action::Edit(edit), expected_version: None });
    }
    write(memory, &changes)
}

/// The names that do not depend on where the page is.
fn names_kept(memory: &Memory, page: &PageRow) -> Result<Vec<String>> {
    let file = memory.read(page)?;
    let text = crate::vault::decode(&file.bytes).text.into_owned();
    let parsed = parse(&page.path, &text).page;
    let mut names: Vec<String> = parsed.aliases;
    names.extend(parsed.id);
    names.extend(parsed.heading_title);
    names.extend(parsed.properties.text("title").map(str::to_owned));
    Ok(names.iter().flat_map(|name| [fold(name), slugify(name)]).collect())
}

/// The page's own Markdown links, as seen from its new folder; links to itself follow it.
fn own_links(text: &str, from: &str, to: &str, names: &[String]) -> Result<String> {
    if folder(from) == folder(to) {
        return retarget(text, from, from, to, names);
    }
    let mut follow = |link: &Link| match link.style {
        LinkStyle::Markdown if link.target == from => Some(relative(to, to)),
        LinkStyle::Markdown => Some(relative(to, &link.target)),
        LinkStyle::Wiki => follow_wiki(link, from, to, names),
    };
    finish(from, edit::retarget_links(text, from, &mut follow))
}

/// The links of `source` that lead to `from` by its place lead to `to` now.
fn retarget(text: &str, source: &str, from: &str, to: &str, names: &[String]) -> Result<String> {
    let mut follow = |link: &Link| match link.style {
        LinkStyle::Markdown => (link.target == from).then(|| relative(source, to)),
        LinkStyle::Wiki => follow_wiki(link, from, to, names),
    };
    finish(source, edit::retarget_links(text, source, &mut follow))
}

fn follow_wiki(link: &Link, from: &str, to: &str, names: &[String]) -> Option<String> {
    let target = link.target.trim();
    let key = slugify(without_extension(target));
    let slug = path_slug(from);
    let by_place = slug == key
        || slug.strip_suffix(key.as_str()).is_some_and(|rest| !key.is_empty() && rest.ends_with('/'));
    if !by_place || names.iter().any(|name| *name == fold(target) || *name == key) {
        return None;
    }
    let place = without_extension(to);
    // A link by the file's name alone stays one.
    let short = place.rsplit('/').next().unwrap_or(place);
    Some(if target.contains('/') { place.to_owned() } else { short.to_owned() })
}

fn finish(path: &str, edited: std::result::Result<String, edit::EditError>) -> Result<String> {
    edited.map_err(|source| Error::Edit { slug: path.to_owned(), source })
}
