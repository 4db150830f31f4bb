//! Splits a page: its sections become pages of their own.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_engine::{
    Action, Edit, Error, PageChange, Receipt, Result, VaultContext, WriteOptions, link_target, write_as,
};
use lore_page::edit::{self, NewRelation, SectionPlace, promote_headings};
use lore_page::{Fact, Format, Interval, Value, convert, parse};
use lore_ports::PageRow;
use lore_text::fold;
use lore_vault::{VaultPath, folder};

use super::parts::{Parts, SplitNames};
use super::redirect::{PageName, Redirects};
use super::{failed, text_of};
use crate::capture::{Naming, NewPage, free_path_of, is_title_taken, new_page};
use crate::derived::{of_part, widest_mode};

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
    let (mut parts, mut taken) = (Vec::new(), TakenTitles::default());
    for place in &places {
        parts.push(part(context, page, &old, place, &parent, &mut taken)?);
    }
    let whole = Parts::new(format, &old, &places);
    let sections = parts
        .iter()
        .map(|part| (part.heading.clone(), PageName::of_new(&part.path, &part.title, &part.text)));
    let names = SplitNames { sections: sections.collect(), rest: parent };
    let redirects = Redirects::to_sections(context, page, &whole, &names)?;
    for (at, part) in parts.iter_mut().enumerate() {
        let text = redirects.edit(&part.path, &whole.follow(&part.path, &part.text, Some(at), &names))?;
        let target = link_target(&part.path, page, names.rest.short().to_owned());
        part.text = edit::add_relation(Format::of(&part.path), &text, &relation(PART_OF, target))
            .map_err(|source| failed(&part.path, source))?;
    }
    let named = parts.iter().zip(&names.sections);
    let relations: Vec<NewRelation> = named
        .map(|(part, (_, name))| relation(HAS_PART, part_target(&page.path, part, name.short())))
        .collect();
    let text = whole.follow(&page.path, &edit::remove_sections(format, &old, &places), None, &names);
    let text = redirects.edit(&page.path, &text)?;
    let text = edit::add_relations(format, &text, &relations).map_err(|source| failed(&page.path, source))?;
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
    let mode = widest_mode(context, [&plan.page]);
    let private = plan.parts.iter().filter_map(|part| Some((part.path.clone(), mode?))).collect();
    write_as(context, &changes, &WriteOptions { subject, private, ..WriteOptions::default() })
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

/// Returns the page of a section, without its relation to the page and with its links as they were.
fn part(
    context: &VaultContext,
    page: &PageRow,
    text: &str,
    place: &SectionPlace,
    parent: &PageName,
    taken: &mut TakenTitles,
) -> Result<SplitPart> {
    let format = Format::of(&page.path);
    let heading = place.heading.text.clone();
    let (title, path) = free_title(context, page, &heading, taken)?;
    let head = match format {
        Format::Markdown => OrgHead::default(),
        Format::Org => OrgHead::of(&text[place.whole.start..place.body.start], &heading),
    };
    let body = promote_headings(format, place.body.of(text).trim());
    let body = format!("{}{body}", head.planning);
    let head_and_body = match format {
        Format::Markdown => format!("# {title}\n\n{body}\n"),
        Format::Org => format!("#+title: {title}\n\n{body}\n"),
    };
    let head_and_body = match (format, Format::of(&path)) {
        (Format::Org, to) => convert(&head_and_body, Format::Org, to),
        // Text for an Org file is converted with the rest of the page.
        (Format::Markdown, _) => head_and_body,
    };
    let head_and_body = with_subject(&path, head_and_body, [parent.short(), &page.slug])?;
    let new = NewPage {
        text: &head_and_body,
        title: &title,
        tags: page.properties.list("tags").into_iter().chain(head.tags).collect(),
        source: Some(page.properties.text("source").map_or_else(|| page.slug.clone(), str::to_owned)),
        directory: None,
        extra: Vec::new(),
    };
    let mut text = new_page(context, &path, &new)?;
    for (key, value) in of_part(&page.properties) {
        text = edit::set_property(Format::of(&path), &text, key, value)
            .map_err(|source| failed(&path, source))?;
    }
    for (key, value) in head.properties {
        text = edit::set_property(Format::of(&path), &text, &key, &value)
            .map_err(|source| failed(&path, source))?;
    }
    Ok(SplitPart { heading, title, path, text })
}

/// What the heading of an Org file says besides its title. Its id makes links to it lead to the new page.
#[derive(Default)]
struct OrgHead {
    /// Of its drawer, and its state as `todo`.
    properties: Vec<(String, Value)>,
    tags: Vec<String>,
    /// The line with its dates.
    planning: String,
}

impl OrgHead {
    fn of(head: &str, title: &str) -> OrgHead {
        let mut found = OrgHead::default();
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default().trim_start_matches('*').trim();
        if let Some((state, _)) = first.split_once(' ')
            && state.chars().all(|letter| letter.is_uppercase())
            && !title.starts_with(state)
        {
            found.properties.push(("todo".to_owned(), Value::Text(state.to_owned())));
        }
        let tags = first.rsplit(' ').next().unwrap_or_default();
        if tags.len() > 2 && tags.starts_with(':') && tags.ends_with(':') {
            found.tags = tags.trim_matches(':').split(':').map(str::to_owned).collect();
        }
        let is_drawer = |line: &&str| line.starts_with(':');
        let (drawer, planning): (Vec<&str>, Vec<&str>) =
            lines.map(str::trim).filter(|line| !line.is_empty()).partition(is_drawer);
        found.planning = planning.iter().map(|line| format!("{line}\n\n")).collect();
        // Read as the drawer of a file, which it becomes: some of its properties are lists.
        found.properties.extend(parse("head.org", &(drawer.join("\n") + "\n")).page.properties.0);
        found
    }
}

/// Returns the text of a new page whose facts without a subject are still about the page they come from, which has these
/// names.
fn with_subject(path: &str, text: String, names: [&str; 2]) -> Result<String> {
    let facts: Vec<Fact> =
        parse(path, &text).page.facts.into_iter().filter(|fact| fact.subject.is_none()).collect();
    let mut missing = None;
    for name in names {
        let edited = subjects_added(&text, &facts, name);
        let read: HashMap<u32, Fact> =
            parse(path, &edited).page.facts.into_iter().map(|fact| (fact.line, fact)).collect();
        let reads_back = |fact: &&Fact| {
            read.get(&fact.line) == Some(&Fact { subject: Some(name.to_owned()), ..(*fact).clone() })
        };
        missing = facts.iter().find(|fact| !reads_back(fact));
        if missing.is_none() {
            return Ok(edited);
        }
    }
    let (predicate, object) = missing.map_or(("", ""), |fact| (&fact.predicate, &fact.object));
    Err(Error::BadInput {
        message: format!("the fact `{predicate}:: {object}` cannot be moved to {path}"),
        hint: format!("give it a subject first: `{} | {predicate}:: …`", names[1]),
    })
}

/// Returns a text with a subject before the items with these facts.
fn subjects_added(text: &str, facts: &[Fact], subject: &str) -> String {
    let lines_of_facts: HashSet<u32> = facts.iter().map(|fact| fact.line).collect();
    let lines = text.split_inclusive('\n').zip(1..);
    let edited = lines.map(|(written, number)| {
        if !lines_of_facts.contains(&number) {
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

/// The paths of the new pages, and how often each heading occurred.
#[derive(Default)]
struct TakenTitles {
    paths: HashSet<String>,
    numbers: HashMap<String, usize>,
}

/// Returns a title that no page has, and a free path for it.
fn free_title(
    context: &VaultContext,
    page: &PageRow,
    heading: &str,
    taken: &mut TakenTitles,
) -> Result<(String, String)> {
    let first = taken.numbers.get(heading).copied().unwrap_or(0);
    for number in first.. {
        let title = match number {
            0 => heading.to_owned(),
            1 => format!("{}: {heading}", page.title),
            number => format!("{}: {heading} ({number})", page.title),
        };
        let day = context.today();
        let naming = Naming { folder: folder(&page.path), name: "{slug}", title: &title, day: &day };
        let path = free_path_of(context, &naming)?;
        // A node that becomes the page has its title already.
        let is_own = number == 0
            && context.find(&title).ok().flatten().is_some_and(|found| found.number == page.number)
            && context.node(page, &title)?.is_some();
        if (is_own || !is_title_taken(context, &title)) && taken.paths.insert(path.clone()) {
            // A title that was taken once stays so.
            taken.numbers.insert(heading.to_owned(), number + 1);
            return Ok((title, path));
        }
    }
    Err(Error::Exists { path: page.path.clone() })
}

/// Returns the target and label of a link to a new page: its name, or from an Org file its id with the title.
fn part_target(source: &str, part: &SplitPart, name: &str) -> (String, Option<String>) {
    let id = parse(&part.path, &part.text).page.id.filter(|_| Format::of(source) == Format::Org);
    match id {
        Some(id) => (format!("id:{id}"), Some(part.title.clone())),
        None => (name.to_owned(), None),
    }
}

fn relation(relation: &str, (target, label): (String, Option<String>)) -> NewRelation {
    NewRelation { relation: relation.to_owned(), target, label, context: None, interval: Interval::default() }
}
