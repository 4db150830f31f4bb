//! The catalogue of a vault: every page as a row of a table, the tables by type, spread over files when large.

use std::collections::{BTreeMap, BTreeSet};

use lore_page::{fold, slugify};

use super::seal::seal;
use super::text::{code, plain, row, table_head};

/// How large one file may be, in bytes, where nobody says otherwise: what is read at the start of a session.
pub const BUDGET: usize = 32 * 1024;

const COLUMNS: &[&str] = &["Title", "ID", "Summary", "Projects", "Updated"];
const REVIEW_COLUMNS: &[&str] = &["Title", "ID", "Issue", "Updated"];

/// A page as the catalogue shows it.
#[derive(Debug, Clone, Default)]
pub struct Node<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its id.
    pub id: &'a str,
    /// What it says in one sentence.
    pub summary: &'a str,
    /// Its tags, of which one may be its type.
    pub tags: &'a [String],
    /// The projects it is about.
    pub projects: Vec<String>,
    /// `current`, which is also what a page without a status is, `contested` or `superseded`.
    pub status: Option<&'a str>,
    /// When it was last changed.
    pub updated: &'a str,
    /// What is contested.
    pub issue: Option<String>,
}

/// A section of the catalogue: the current pages with a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The tag.
    pub tag: String,
}

/// The files of the catalogue, each a name and a sealed text; the first is `{stem}.md`.
///
/// All is in that one file while it fits the budget. Otherwise each section has a file of its own, or several, and
/// the first file says which; what needs review and the projects stay in it, the former while it fits. Only a row
/// longer than the budget, and the first file's own lists, can make a file larger than the budget.
pub fn catalogue(
    stem: &str,
    nodes: &[Node<'_>],
    sections: &[Section],
    budget: usize,
) -> Vec<(String, String)> {
    let contents = Contents::of(nodes, sections);
    let whole = contents.whole();
    if whole.len() <= budget { vec![(format!("{stem}.md"), whole)] } else { contents.spread(stem, budget) }
}

/// A heading and a table.
struct Table {
    title: String,
    columns: &'static [&'static str],
    rows: Vec<String>,
}

struct Contents {
    sections: Vec<Table>,
    review: Table,
    superseded: Table,
    projects: BTreeMap<String, usize>,
}

impl Contents {
    fn of(nodes: &[Node<'_>], sections: &[Section]) -> Self {
        let tags: Vec<String> = sections.iter().map(|section| fold(&section.tag)).collect();
        let (mut by_tag, mut review, mut superseded) =
            (vec![Rows::new(); tags.len() + 1], Rows::new(), Rows::new());
        let mut projects: BTreeMap<String, usize> = BTreeMap::new();
        for node in nodes {
            let own = projects_of(node);
            let (rows, row) = match standing(node) {
                Standing::Current => (&mut by_tag[section_of(node, &tags)], page_row(node, &own)),
                Standing::Superseded => (&mut superseded, page_row(node, &own)),
                Standing::Review(issue) => (&mut review, review_row(node, &issue)),
            };
            rows.push((fold(node.title), row));
            own.into_iter().for_each(|project| *projects.entry(project).or_default() += 1);
        }
        let titles = sections.iter().map(|section| section.title.as_str()).chain(["Other"]);
        Contents {
            sections: titles.zip(by_tag).map(|(title, rows)| Table::of(title, COLUMNS, rows)).collect(),
            review: Table::of("Contested / needs review", REVIEW_COLUMNS, review),
            superseded: Table::of("Superseded", COLUMNS, superseded),
            projects,
        }
    }

    fn whole(&self) -> String {
        let tables = self.sections.iter().chain([&self.review, &self.superseded]);
        let tables: String = tables.map(Table::under_heading).collect();
        seal(&format!("{}{tables}{}", self.head(), self.project_list()))
    }

    fn spread(&self, stem: &str, budget: usize) -> Vec<(String, String)> {
        let first = format!("{stem}.md");
        let mut files = Files { stem, budget, names: BTreeSet::from([first.clone()]), files: Vec::new() };
        let filed = self.sections.iter().chain([&self.superseded]);
        let lines: String = filed.map(|table| files.add(table)).collect();
        let start = |lines: &str, review: &str| {
            let sections = if lines.is_empty() { String::new() } else { format!("\n## Sections\n\n{lines}") };
            seal(&format!("{}{sections}{review}{}", self.head(), self.project_list()))
        };
        let mut text = start(&lines, &self.review.under_heading());
        if text.len() > budget && !self.review.rows.is_empty() {
            text = start(&format!("{}{lines}", files.add(&self.review)), "");
        }
        files.files.insert(0, (first, text));
        files.files
    }

    fn head(&self) -> String {
        let current: usize = self.sections.iter().map(|table| table.rows.len()).sum();
        let (review, superseded) = (self.review.rows.len(), self.superseded.rows.len());
        match current + review + superseded {
            0 => "# Index\n\nNo pages yet.\n".to_owned(),
            all => format!(
                "# Index\n\nPages: {all} ({current} current, {review} to review, {superseded} superseded).\n"
            ),
        }
    }

    fn project_list(&self) -> String {
        if self.projects.is_empty() {
            return String::new();
        }
        let lines = self.projects.iter().map(|(project, count)| format!("- {} ({count})\n", plain(project)));
        format!("\n## Projects\n\n{}", lines.collect::<String>())
    }
}

/// Rows with the key of their order.
type Rows = Vec<(String, String)>;

impl Table {
    /// In the order of titles in any case, and of whole rows where those are the same, so that the order of the
    /// pages is no matter.
    fn of(title: &str, columns: &'static [&'static str], mut rows: Rows) -> Self {
        rows.sort_unstable();
        Table { title: title.to_owned(), columns, rows: rows.into_iter().map(|(_, row)| row).collect() }
    }

    /// The table after a blank line and its heading; nothing where it has no row.
    fn under_heading(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        format!("\n## {}\n\n{}{}", plain(&self.title), table_head(self.columns), self.rows.concat())
    }

    /// A file of its own with some of the rows, as one part of several.
    fn part(&self, rows: &[String], number: usize, parts: usize) -> String {
        let part = if parts > 1 { format!(", part {number} of {parts}") } else { String::new() };
        let head = table_head(self.columns);
        seal(&format!("# {}{part}\n\n{head}{}", plain(&self.title), rows.concat()))
    }

    /// The rows in parts that fit the budget; a row that does not fit has a part of its own.
    fn parts(&self, budget: usize) -> Vec<&[String]> {
        // No part has a longer heading than this one.
        let empty = self.part(&[], self.rows.len(), self.rows.len()).len();
        let (mut parts, mut start, mut size) = (Vec::new(), 0, empty);
        for (at, row) in self.rows.iter().enumerate() {
            if at > start && size + row.len() > budget {
                parts.push(&self.rows[start..at]);
                (start, size) = (at, empty);
            }
            size += row.len();
        }
        parts.push(&self.rows[start..]);
        parts
    }
}

/// The files beside the first, with names that no two of them share.
struct Files<'a> {
    stem: &'a str,
    budget: usize,
    names: BTreeSet<String>,
    files: Vec<(String, String)>,
}

impl Files<'_> {
    /// Adds the files of a table, and gives the line that says where it is; nothing where it has no row.
    fn add(&mut self, table: &Table) -> String {
        if table.rows.is_empty() {
            return String::new();
        }
        let slug = slugify(&table.title).replace('/', "-");
        let slug = if slug.is_empty() { "section".to_owned() } else { slug };
        let parts = table.parts(self.budget);
        let mut names = Vec::with_capacity(parts.len());
        let mut number = 0;
        for (at, rows) in parts.iter().enumerate() {
            let name = self.next_name(&slug, &mut number);
            names.push(code(&name));
            self.files.push((name, table.part(rows, at + 1, parts.len())));
        }
        format!("- {} ({}): {}\n", plain(&table.title), table.rows.len(), names.join(", "))
    }

    /// The next free name after a number: a section may be called what another's second part would be.
    fn next_name(&mut self, slug: &str, number: &mut usize) -> String {
        loop {
            *number += 1;
            let suffix = if *number > 1 { format!("-{number}") } else { String::new() };
            let name = format!("{}-{slug}{suffix}.md", self.stem);
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

enum Standing {
    Current,
    Superseded,
    /// What is to be looked at.
    Review(String),
}

/// A status that is not known is shown for review, rather than the page as current.
fn standing(node: &Node<'_>) -> Standing {
    let status = fold(node.status.unwrap_or_default());
    let issue = node.issue.clone();
    match status.as_str() {
        "" | "current" => Standing::Current,
        "superseded" => Standing::Superseded,
        "contested" => Standing::Review(issue.unwrap_or_default()),
        unknown => Standing::Review(issue.unwrap_or_else(|| format!("unknown status: {unknown}"))),
    }
}

/// The first section whose tag the page has; the one after them all where it has none.
fn section_of(node: &Node<'_>, tags: &[String]) -> usize {
    let own: Vec<String> = node.tags.iter().map(|tag| fold(tag)).collect();
    tags.iter().position(|tag| own.contains(tag)).unwrap_or(tags.len())
}

fn projects_of(node: &Node<'_>) -> BTreeSet<String> {
    let projects = node.projects.iter().map(|project| project.trim().to_owned());
    projects.filter(|project| !project.is_empty()).collect()
}

fn page_row(node: &Node<'_>, projects: &BTreeSet<String>) -> String {
    let projects: Vec<&str> = projects.iter().map(String::as_str).collect();
    row(&[
        plain(node.title),
        plain(node.id),
        plain(node.summary),
        plain(&projects.join(", ")),
        plain(node.updated),
    ])
}

fn review_row(node: &Node<'_>, issue: &str) -> String {
    row(&[plain(node.title), plain(node.id), plain(issue), plain(node.updated)])
}
