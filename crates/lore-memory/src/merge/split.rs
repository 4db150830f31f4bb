//! Splits a page: its sections become pages of their own.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{Action, Edit, Error, PageChange, Receipt, Result, VaultContext, WriteOptions, write_as};
use lore_page::edit::{self, NewRelation, SectionPlace, promote_headings};
use lore_page::{Fact, Format, Interval, parse};
use lore_ports::PageRow;
use lore_text::fold;
use lore_vault::{VaultPath, folder};

use super::redirect::{MovedSection, PageName, Redirects};
use super::{failed, text_of};
use crate::capture::{Naming, NewPage, free_path_of, is_title_taken, new_page};

/// Relations between a page and its parts.
const PART_OF: &str = "part_of";
const HAS_PART: &str = "has_part";

/// A split of a page.
#[derive(Debug)]
pub struct SplitPlan {
    /// The page.
    pub page: PageRow,
    /// Its text before.
    pub old: String,
    /// Its text after.
    pub text: String,
    /// The new pages.
    pub parts: Vec<SplitPart>,
    /// Pages whose links to a section follow, with the number of changes.
    pub sources: BTreeMap<String, usize>,
    /// Pages that cannot be changed, with the reason.
    pub blocked: BTreeMap<String, String>,
    redirects: Redirects,
}

/// A section that becomes a page.
#[derive(Debug)]
pub struct SplitPart {
    /// Its heading.
    pub heading: String,
    /// Title of the new page.
    pub title: String,
    /// Path of the new page.
    pub path: String,
    /// Text of the new page.
    pub text: String,
}

/// Plans to split a page by these sections, or by all sections below its title. Changes nothing.
pub fn plan_split(context: &VaultContext, page: &PageRow, headings: &[String]) -> Result<SplitPlan> {
    let (old, format) = (text_of(context, page)?, Format::of(&page.path));
    let places = chosen(page, &old, headings)?;
    let parent = PageName::new(context, page, &old)?;
    let (mut parts, mut names, mut taken) = (Vec::new(), Vec::new(), BTreeSet::new());
    for place in &places {
        let part = part(context, page, &old, place, &parent, &mut taken)?;
        names.push(MovedSection {
            heading: part.heading.clone(),
            inner: inner_names(format, &old, place),
            name: PageName::of_new(&part.path, &part.title),
        });
        parts.push(part);
    }
    let mut text = edit::remove_sections(format, &old, &places);
    for section in &names {
        text = with_relation(&text, &page.path, HAS_PART, section.name.short())?;
    }
    let redirects = Redirects::to_sections(context, page, &names)?;
    let (sources, blocked) = redirects.sources(context)?;
    Ok(SplitPlan { page: page.clone(), old, text, parts, sources, blocked, redirects })
}

/// Splits the page of a plan, all or nothing; fails if it has changed since.
pub fn apply_split(context: &VaultContext, plan: &SplitPlan) -> Result<Receipt> {
    let rest: Edit<'_> = Box::new(|_| Ok(plan.text.clone()));
    let mut changes = vec![PageChange {
        path: VaultPath::known(plan.page.path.clone()),
        action: Action::Edit(rest),
        expected_version: Some(plan.page.version),
    }];
    changes.extend(plan.parts.iter().map(|part| PageChange {
        path: VaultPath::known(part.path.clone()),
        action: Action::Put(part.text.clone().into_bytes()),
        expected_version: Some(0),
    }));
    changes.extend(plan.redirects.changes(plan.sources.keys()));
    let subject = Some(format!("Split {}", plan.page.path));
    write_as(context, &changes, &WriteOptions { subject, ..WriteOptions::default() })
}

/// Returns the sections to split off, in order.
fn chosen(page: &PageRow, text: &str, headings: &[String]) -> Result<Vec<SectionPlace>> {
    let format = Format::of(&page.path);
    let truth = parse(&page.path, text).page.truth;
    let all = edit::sections(format, text).into_iter();
    let all: Vec<SectionPlace> = all
        .filter(|place| place.heading.level >= format.section_level() && place.whole.start < truth.end)
        .collect();
    let level = all.iter().map(|place| place.heading.level).min().unwrap_or(2);
    let top: Vec<SectionPlace> = all.into_iter().filter(|place| place.heading.level == level).collect();
    let names = || top.iter().map(|place| place.heading.text.clone()).collect::<Vec<_>>().join(", ");
    if top.is_empty() {
        return Err(Error::BadInput {
            message: format!("{} has no sections", page.slug),
            hint: "add headings (`## …`) where it should be split".into(),
        });
    }
    let is_named = |place: &SectionPlace, name: &String| {
        fold(&place.heading.text) == fold(name.trim_start_matches(['#', '*']).trim())
    };
    if let Some(unknown) = headings.iter().find(|name| !top.iter().any(|place| is_named(place, name))) {
        return Err(Error::BadInput {
            message: format!("{} has no section {unknown:?} at its highest level", page.slug),
            hint: format!("its sections are: {}", names()),
        });
    }
    let is_chosen =
        |place: &SectionPlace| headings.is_empty() || headings.iter().any(|name| is_named(place, name));
    Ok(top.into_iter().filter(is_chosen).collect())
}

/// Returns the page of a section.
fn part(
    context: &VaultContext,
    page: &PageRow,
    text: &str,
    place: &SectionPlace,
    parent: &PageName,
    taken: &mut BTreeSet<String>,
) -> Result<SplitPart> {
    let format = Format::of(&page.path);
    let heading = place.heading.text.clone();
    let (title, path) = free_title(context, page, &heading, taken)?;
    let body = promote_headings(format, place.body.of(text).trim());
    let head_and_body = match format {
        Format::Markdown => format!("# {title}\n\n{body}\n"),
        Format::Org => format!("#+title: {title}\n\n{body}\n"),
    };
    let head_and_body = with_subject(&path, head_and_body, [parent.short(), &page.slug])?;
    let new = NewPage {
        text: &head_and_body,
        title: &title,
        tags: page.properties.list("tags"),
        source: Some(page.properties.text("source").map_or_else(|| page.slug.clone(), str::to_owned)),
        directory: None,
        extra: Vec::new(),
    };
    let mut text = new_page(context, &path, &new)?;
    for key in ["projects", "namespace", "visibility", "confidence"] {
        if let Some(value) = page.properties.get(key) {
            text = edit::set_property(Format::of(&path), &text, key, value)
                .map_err(|source| failed(&path, source))?;
        }
    }
    let text = with_relation(&text, &path, PART_OF, parent.short())?;
    Ok(SplitPart { heading, title, path, text })
}

/// Returns the headings and blocks in a section that links may name, folded. What the page has twice is left out.
fn inner_names(format: Format, text: &str, place: &SectionPlace) -> Vec<String> {
    let names = |text: &str| -> Vec<String> {
        let headings = edit::sections(format, text).into_iter().map(|inner| fold(&inner.heading.text));
        headings.chain(text.lines().filter_map(block_of).map(fold)).collect()
    };
    let all = names(text);
    let mut inner = names(place.body.of(text));
    inner.retain(|name| all.iter().filter(|other| *other == name).count() == 1);
    inner
}

/// Returns the name of the block that a line ends with: `^block`.
fn block_of(line: &str) -> Option<&str> {
    let last = line.split_whitespace().next_back()?;
    let name = last.strip_prefix('^')?;
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '-');
    is_name.then_some(last)
}

/// Returns the text of a new page whose facts without a subject are still about the page they come from, which has these
/// names.
fn with_subject(path: &str, text: String, names: [&str; 2]) -> Result<String> {
    let facts = parse(path, &text).page.facts;
    facts.iter().filter(|fact| fact.subject.is_none()).try_fold(text, |text, fact| {
        let expected = |name: &str| Fact { subject: Some(name.to_owned()), ..fact.clone() };
        let mut edited = names.iter().map(|name| (expected(name), subject_added(&text, fact.line, name)));
        let reads_back =
            |(expected, edited): &(Fact, String)| parse(path, edited).page.facts.contains(expected);
        edited.find(reads_back).map(|(_, edited)| edited).ok_or_else(|| Error::BadInput {
            message: format!("the fact `{}:: {}` cannot be moved to {path}", fact.predicate, fact.object),
            hint: format!("give it a subject first: `{} | {}:: …`", names[1], fact.predicate),
        })
    })
}

/// Returns a text with a subject before the item on a line.
fn subject_added(text: &str, line: u32, subject: &str) -> String {
    let lines = text.split_inclusive('\n').zip(1..);
    let edited = lines.map(|(written, number)| {
        if number != line {
            return written.to_owned();
        }
        let item = written.trim_start();
        let item = match item.split_once(char::is_whitespace) {
            Some((marker, rest)) if is_marker(marker) => rest.trim_start(),
            _ => item,
        };
        format!("{}{subject} | {item}", &written[..written.len() - item.len()])
    });
    edited.collect()
}

/// Whether a word starts an item of a list.
fn is_marker(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']);
    matches!(word, "-" | "*" | "+")
        || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns a title that no page has, and a free path for it.
fn free_title(
    context: &VaultContext,
    page: &PageRow,
    heading: &str,
    taken: &mut BTreeSet<String>,
) -> Result<(String, String)> {
    let numbered = (2..).map(|number| format!("{}: {heading} ({number})", page.title));
    let titles = [heading.to_owned(), format!("{}: {heading}", page.title)].into_iter().chain(numbered);
    for title in titles {
        let day = context.today();
        let naming = Naming { folder: folder(&page.path), name: "{slug}", title: &title, day: &day };
        let path = free_path_of(context, &naming)?;
        if !is_title_taken(context, &title) && taken.insert(path.clone()) {
            return Ok((title, path));
        }
    }
    Err(Error::Exists { path: page.path.clone() })
}

fn with_relation(text: &str, path: &str, relation: &str, target: &str) -> Result<String> {
    let new = NewRelation {
        relation: relation.to_owned(),
        target: target.to_owned(),
        label: None,
        context: None,
        interval: Interval::default(),
    };
    edit::add_relation(Format::of(path), text, &new).map_err(|source| failed(path, source))
}
