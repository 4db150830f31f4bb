//! Relations between pages, as lines of the page they start from: creating, closing, removing.
//!
//! The checks run on the text itself, while the vault is locked: even with concurrent writers, the same relation
//! between two pages is never valid twice on the same day.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lore_page::{Format, Interval, LINKS_TO, Link, Node, edit, parse};
use lore_ports::{LinkFilter, LinkRow, PageNo, PageRow};
use lore_text::{PartialDate, fold, on_one_line};
use lore_vault::{VaultPath, without_extension};

use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::index::{links, names_of, resolve_targets};
use crate::write::{Action, PageChange, Receipt, write};

/// A relation to create.
#[derive(Debug, Clone, Copy)]
pub struct NewLink<'a> {
    /// The page to write it on.
    pub from: &'a PageRow,
    /// The page it leads to.
    pub to: &'a PageRow,
    /// The node of that page that it leads to; `None` for the page itself.
    pub node: Option<&'a Node>,
    /// The verb.
    pub relation: &'a str,
    /// The text around it.
    pub context: Option<&'a str>,
    /// When it is valid.
    pub interval: Interval,
    /// The version of `from` that the caller has read.
    pub expected_version: Option<u64>,
}

/// The result of writing a relation.
#[derive(Debug)]
pub struct LinkWritten {
    /// What was written.
    pub receipt: Receipt,
    /// The relation as it is now.
    pub link: LinkRow,
}

/// The result of removing relations.
#[derive(Debug)]
pub struct Unlinked {
    /// What was written.
    pub receipt: Receipt,
    /// The removed relations.
    pub removed: Vec<LinkRow>,
    /// Links that remain: they are in prose or frontmatter, which only the author can rephrase.
    pub left: Vec<LinkRow>,
}

/// A link in a page's text, and the page it resolves to.
struct Stated {
    row: LinkRow,
    link: Link,
}

impl Stated {
    /// Whether it is a line of its own, which Lore may change.
    fn is_line(&self) -> bool {
        self.link.relation != LINKS_TO && self.link.span.start < self.link.span.end
    }
}

/// A relation to write on a page.
#[derive(Debug, Clone)]
pub struct RelationLine {
    /// The line.
    pub line: edit::NewRelation,
    /// The page it leads to, if it exists.
    pub to: Option<PageNo>,
    /// Whether it leads to a node of that page.
    pub is_to_node: bool,
}

/// Returns the text of a page with a relation. If the relation is already there, the text is unchanged; an end date
/// closes the relation that is open; one that would be valid at the same time as another is refused.
pub fn with_relation(context: &VaultContext, path: &str, text: &str, new: &RelationLine) -> Result<String> {
    let line = &new.line;
    check_relation(&line.relation)?;
    let slug = || without_extension(path).to_owned();
    let failed = |source| Error::Edit { slug: slug(), source };
    let links = stated(context, path, text)?;
    let names = names_of(&line.target);
    let is_end = |one: &&Stated| match (new.to, one.row.to) {
        (to, other) if to == other && (to.is_none() || new.is_to_node) => one.row.link.names == names,
        (to, other) => to == other,
    };
    let relation = fold(&line.relation);
    let same: Vec<&Stated> =
        links.iter().filter(is_end).filter(|one| fold(&one.link.relation) == relation).collect();
    let is_stated = |one: &&Stated| {
        let repeated = line.interval.is_unbounded() && one.link.interval.holds_on(&context.today());
        one.link.interval == line.interval || repeated
    };
    if same.iter().any(is_stated) {
        return Ok(text.to_owned());
    }
    if let (Some(until), Some(open)) = (line.interval.until, open_line(&same, line.interval)) {
        return edit::close_relation(Format::of(path), text, open.link.line, until).map_err(failed);
    }
    if let Some(other) = same.iter().find(|one| one.link.interval.overlaps(line.interval)) {
        let written = format!("{} [[{}]]", line.relation, line.target);
        return Err(overlap(&slug(), &with_interval(&written, line.interval), other));
    }
    edit::add_relation(Format::of(path), text, line).map_err(failed)
}

/// Returns the line without an end that an interval with an end closes.
fn open_line<'a>(same: &[&'a Stated], interval: Interval) -> Option<&'a Stated> {
    let is_open = |one: &&&Stated| {
        let starts = interval.from.is_none() || one.link.interval.from == interval.from;
        one.is_line() && one.link.interval.until.is_none() && starts
    };
    same.iter().find(is_open).copied()
}

/// Returns the target and label of a link from a page to another: its name, or from an Org file its id with the title.
pub fn link_target(source: &str, to: &PageRow, name: String) -> (String, Option<String>) {
    let id = to.properties.text("id").filter(|_| Format::of(source) == Format::Org);
    match id {
        Some(id) => (format!("id:{id}"), Some(to.title.clone())),
        None => (name, None),
    }
}

/// Returns the target and label of a link to a node: its id with its title.
pub fn node_target(node: &Node) -> (String, Option<String>) {
    (format!("id:{}", node.id), Some(node.title.clone()))
}

/// Creates a relation. If it already exists with the same interval, nothing changes.
pub fn link(context: &VaultContext, new: &NewLink<'_>) -> Result<LinkWritten> {
    let relation = on_one_line(new.relation);
    check_relation(&relation)?;
    let (target, label) = match new.node {
        Some(node) => node_target(node),
        None => link_target(&new.from.path, new.to, target_of(context, new.to)?),
    };
    let names = new.node.map(|_| names_of(&target));
    let (path, to) = (&new.from.path, new.to.number);
    let note = new.context.map(str::to_owned);
    let line = edit::NewRelation {
        relation: relation.clone(),
        target,
        label,
        context: note,
        interval: new.interval,
    };
    let written = format!("{relation} [[{}]]", line.target);
    let line = RelationLine { line, to: Some(to), is_to_node: new.node.is_some() };
    let edit = |text: &str| with_relation(context, path, text, &line);
    let receipt = change(context, path, &edit, new.expected_version)?;
    let links = links_on(context, path)?;
    let until = new.interval.until;
    let same = |row: &&LinkRow| {
        let interval = row.link.interval;
        let is_closed = until.is_some() && new.interval.from.is_none() && interval.until == until;
        row.to == Some(to)
            && names.as_ref().is_none_or(|names| row.link.names == *names)
            && fold(&row.link.relation) == fold(&relation)
            && (interval == new.interval || is_closed || new.interval.is_unbounded())
    };
    let link = links.iter().rev().find(same).cloned();
    link.map(|link| LinkWritten { receipt, link }).ok_or_else(|| no_link(&written))
}

/// Ends a relation at a date.
pub fn close_link(
    context: &VaultContext,
    id: u64,
    until: PartialDate,
    expected_version: Option<u64>,
) -> Result<LinkWritten> {
    let row = the_link(context, id)?;
    let page = page_of(context, &row.from_path)?;
    let path = row.from_path;
    let edit = |text: &str| {
        let links = stated(context, &path, text)?;
        let one = links.iter().find(|one| one.row.link.id == id).ok_or_else(|| no_link(&id.to_string()))?;
        if !one.is_line() {
            return Err(not_a_line(&path, one));
        }
        let interval =
            Interval::between(one.link.interval.from, Some(until)).map_err(|reversed| Error::BadInput {
                message: format!("{}: {reversed}", sentence(&page, one)),
                hint: "use a later end; nothing was changed".into(),
            })?;
        let beside = |other: &&Stated| other.row.link.id != id && leads_as(other, one);
        if let Some(other) = links.iter().filter(beside).find(|other| other.link.interval.overlaps(interval))
        {
            let written = format!("{} [[{}]]", one.link.relation, one.link.target);
            return Err(overlap(&page.slug, &with_interval(&written, interval), other));
        }
        edit::close_relation(Format::of(&path), text, one.link.line, until)
            .map_err(|source| Error::Edit { slug: page.slug.clone(), source })
    };
    let receipt = change(context, &path, &edit, expected_version)?;
    let link = links_on(context, &path)?.into_iter().find(|row| row.link.id == id);
    link.map(|link| LinkWritten { receipt, link }).ok_or_else(|| no_link(&id.to_string()))
}

/// Removes the relations from one page to another, or to a node of it: all of them, or those with one verb.
pub fn unlink(
    context: &VaultContext,
    from: &PageRow,
    (to, node): (&PageRow, Option<&Node>),
    relation: Option<&str>,
    expected_version: Option<u64>,
) -> Result<Unlinked> {
    let names = node.map(|node| names_of(&node_target(node).0));
    let found: RefCell<(Vec<LinkRow>, Vec<LinkRow>)> = RefCell::default();
    let edit = |text: &str| {
        let links = stated(context, &from.path, text)?;
        let named = |one: &Stated| relation.is_none_or(|relation| fold(relation) == fold(&one.link.relation));
        let is_end = |one: &&Stated| {
            one.row.to == Some(to.number) && names.as_ref().is_none_or(|names| one.row.link.names == *names)
        };
        let (cut, left): (Vec<_>, Vec<_>) =
            links.iter().filter(is_end).partition(|one| one.is_line() && named(one));
        let rows = |list: &[&Stated]| list.iter().map(|one| one.row.clone()).collect();
        found.replace((rows(&cut), rows(&left)));
        // From last to first, so that the line numbers above stay valid.
        cut.iter().rev().try_fold(text.to_owned(), |text, one| {
            edit::remove_relation(Format::of(&from.path), &text, one.link.line)
                .map_err(|source| Error::Edit { slug: from.slug.clone(), source })
        })
    };
    let receipt = change(context, &from.path, &edit, expected_version)?;
    let (removed, left) = found.take();
    Ok(Unlinked { receipt, removed, left })
}

fn change(
    context: &VaultContext,
    path: &str,
    edit: &dyn Fn(&str) -> Result<String>,
    expected_version: Option<u64>,
) -> Result<Receipt> {
    let action = Action::Edit(Box::new(edit));
    write(context, &[PageChange { path: VaultPath::known(path.to_owned()), action, expected_version }])
}

/// Returns the links of a text as the index would have them, each resolved to its page.
fn stated(context: &VaultContext, path: &str, text: &str) -> Result<Vec<Stated>> {
    let page = context.page_at(path)?;
    let (id, from) = page.map(|page| (page.id, page.number)).unwrap_or_default();
    let parsed = parse(path, text).page;
    let drafts = links(&id, &parsed);
    let row = |link| LinkRow { number: 0, from, from_path: path.to_owned(), to: None, link };
    let rows: Vec<LinkRow> = drafts.into_iter().map(row).collect();
    let targets = resolve_targets(context.store(), context.project(), &rows)?;
    let rows = rows.into_iter().zip(targets).map(|(row, to)| LinkRow { to, ..row });
    Ok(rows.zip(parsed.links).map(|(row, link)| Stated { row, link }).collect())
}

/// The verb of a relation, and the page it leads to, else the names of one that does not exist.
type RelationKey<'a> = (String, Option<PageNo>, &'a [String]);

/// Returns the lines of a text that state one relation to one page at the same time, in pairs. Relations without any date
/// may be repeated.
pub fn overlapping_relations(context: &VaultContext, path: &str, text: &str) -> Result<Vec<(u32, u32)>> {
    let links = stated(context, path, text)?;
    // Only relations of one kind to one end can overlap, so the others are never compared.
    let mut groups: BTreeMap<RelationKey<'_>, Vec<&Stated>> = BTreeMap::new();
    for one in links.iter().filter(|one| one.link.relation != LINKS_TO) {
        let names: &[String] = if one.row.to.is_some() { &[] } else { &one.row.link.names };
        groups.entry((fold(&one.link.relation), one.row.to, names)).or_default().push(one);
    }
    let mut pairs = Vec::new();
    for group in groups.values() {
        for (at, one) in group.iter().enumerate() {
            let is_dated =
                |other: &&&Stated| !(one.link.interval.is_unbounded() && other.link.interval.is_unbounded());
            let over = group[at + 1..].iter().filter(is_dated);
            let over = over.filter(|other| other.link.interval.overlaps(one.link.interval));
            pairs.extend(over.map(|other| (one.link.line, other.link.line)));
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}

/// Whether two links state the same relation to the same page, or to the same unresolved name.
fn leads_as(one: &Stated, other: &Stated) -> bool {
    let same_end = match (one.row.to, other.row.to) {
        (None, None) => one.row.link.names == other.row.link.names,
        (one, other) => one == other,
    };
    same_end && fold(&one.link.relation) == fold(&other.link.relation)
}

fn links_on(context: &VaultContext, path: &str) -> Result<Vec<LinkRow>> {
    let page = page_of(context, path)?;
    Ok(context.store().links(context.project(), &LinkFilter::From(&[page.number]))?)
}

fn page_of(context: &VaultContext, path: &str) -> Result<PageRow> {
    let missing = || Error::NotFound { reference: path.to_owned(), suggestions: Vec::new() };
    context.page_at(path)?.ok_or_else(missing)
}

/// Returns the link with an id.
fn the_link(context: &VaultContext, id: u64) -> Result<LinkRow> {
    let mut found = context.store().links(context.project(), &LinkFilter::Ids(&[id]))?;
    match found.len() {
        0 => Err(no_link(&id.to_string())),
        1 => Ok(found.remove(0)),
        _ => {
            let places = found.iter().map(|row| format!("{}:{}", row.from_path, row.link.line));
            Err(Error::Ambiguous { reference: id.to_string(), candidates: places.collect() })
        }
    }
}

/// Returns the target of a wiki link to a page: its slug, else its path. Another process may have moved or deleted the
/// page since it was found, so its names are read again.
pub fn target_of(context: &VaultContext, to: &PageRow) -> Result<String> {
    let gone = || Error::NotFound { reference: to.slug.clone(), suggestions: Vec::new() };
    let to = context.store().pages(context.project(), &[to.number])?.pop().ok_or_else(gone)?;
    let mut others = Vec::new();
    for name in [&to.slug, &to.path] {
        match context.find(name) {
            Ok(Some(found)) if found.number == to.number => return Ok(name.clone()),
            Ok(found) => others.extend(found.map(|found| found.path)),
            Err(Error::Ambiguous { candidates, .. }) => others.extend(candidates),
            Err(error) => return Err(error),
        }
    }
    if others.is_empty() {
        return Err(gone());
    }
    others.push(to.path.clone());
    others.sort();
    others.dedup();
    Err(Error::Ambiguous { reference: to.slug, candidates: others })
}

fn check_relation(relation: &str) -> Result<()> {
    let message = match fold(relation).as_str() {
        "" => "the relationship is empty".to_owned(),
        LINKS_TO => format!("`{LINKS_TO}` is reserved for links in prose"),
        _ => return Ok(()),
    };
    Err(Error::BadInput { message, hint: "use a verb such as works_at, or omit it for `related`".into() })
}

fn with_interval(words: &str, interval: Interval) -> String {
    if interval.is_unbounded() { words.to_owned() } else { format!("{words} {interval}") }
}

fn sentence(page: &PageRow, one: &Stated) -> String {
    let words = format!("{} {} {}", page.slug, one.link.relation, one.link.target);
    with_interval(&words, one.link.interval)
}

fn overlap(slug: &str, new: &str, old: &Stated) -> Error {
    let written = with_interval(&format!("{} [[{}]]", old.link.relation, old.link.target), old.link.interval);
    Error::Overlap {
        slug: slug.to_owned(),
        new: new.to_owned(),
        old: written,
        line: old.link.line,
        link: Some(old.row.link.id),
    }
}

fn no_link(what: &str) -> Error {
    Error::NoLink { what: what.to_owned() }
}

fn not_a_line(path: &str, one: &Stated) -> Error {
    let place = match one.link.span.start < one.link.span.end {
        true => "a link in prose",
        false => "a link in the frontmatter",
    };
    Error::NoInterval { id: one.row.link.id, path: path.to_owned(), line: one.link.line, place }
}
