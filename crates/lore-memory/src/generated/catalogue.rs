//! The catalogue of a vault: every page as a table row, grouped by type, split into several files if large.

use std::collections::{BTreeMap, BTreeSet};

use lore_page::Format;
use lore_text::{fold, slugify};

use super::edit_state::seal;
use super::text::{code, plain, row, table_head};

/// Default maximum size of one file in bytes, since an agent reads it at the start of a session.
pub const BUDGET: usize = 32 * 1024;

const COLUMNS: &[&str] = &["Title", "ID", "Summary", "Projects", "Updated"];
const REVIEW_COLUMNS: &[&str] = &["Title", "ID", "Issue", "Updated"];

/// A page in the catalogue.
#[derive(Debug, Clone, Default)]
pub struct CatalogueEntry<'a> {
    /// Title.
    pub title: &'a str,
    /// Id.
    pub id: &'a str,
    /// One-sentence summary.
    pub summary: &'a str,
    /// Tags, one of which may be its type.
    pub tags: &'a [String],
    /// Projects it belongs to.
    pub projects: Vec<String>,
    /// `current`, which is also the default, `contested` or `superseded`.
    pub status: Option<&'a str>,
    /// Date of the last change.
    pub updated: &'a str,
    /// What is contested.
    pub issue: Option<String>,
}

/// A section of the catalogue: the current pages with a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueSection {
    /// Heading.
    pub title: String,
    /// Tag.
    pub tag: String,
}

/// Returns the files of the catalogue, each a name and a sealed text; the first is `{stem}.md` or `{stem}.org`.
///
/// Everything is in that file while it fits the budget. Otherwise each section gets one or more files of its own and
/// the first file lists them; it keeps the projects, and the pages to review while they fit. Only a row longer than the
/// budget, or the lists in the first file, can make a file exceed the budget.
pub fn catalogue(
    stem: &str,
    format: Format,
    nodes: &[CatalogueEntry<'_>],
    sections: &[CatalogueSection],
    budget: usize,
) -> Vec<(String, String)> {
    let contents = Contents::of(format, nodes, sections);
    let whole = contents.single_file();
    let first = format!("{stem}.{}", format.extension());
    if whole.len() <= budget { vec![(first, whole)] } else { contents.spread(stem, budget) }
}

/// A heading and a table.
struct Table {
    format: Format,
    title: String,
    columns: &'static [&'static str],
    rows: Vec<String>,
}

struct Contents {
    format: Format,
    sections: Vec<Table>,
    review: Table,
    superseded: Table,
    projects: BTreeMap<String, usize>,
}

impl Contents {
    fn of(format: Format, nodes: &[CatalogueEntry<'_>], sections: &[CatalogueSection]) -> Self {
        let tags: Vec<String> = sections.iter().map(|section| fold(&section.tag)).collect();
        let (mut by_tag, mut review, mut superseded) =
            (vec![Rows::new(); tags.len() + 1], Rows::new(), Rows::new());
        let mut projects: BTreeMap<String, usize> = BTreeMap::new();
        for node in nodes {
            let own = projects_of(node);
            let (rows, row) = match status_of(node) {
                CatalogueStatus::Current => {
                    (&mut by_tag[section_of(node, &tags)], page_row(format, node, &own))
                }
                CatalogueStatus::Superseded => (&mut superseded, page_row(format, node, &own)),
                CatalogueStatus::Review(issue) => (&mut review, review_row(format, node, &issue)),
            };
            rows.push((fold(node.title), row));
            own.into_iter().for_each(|project| *projects.entry(project).or_default() += 1);
        }
        let titles = sections.iter().map(|section| section.title.as_str()).chain(["Other"]);
        Contents {
            format,
            sections: titles
                .zip(by_tag)
                .map(|(title, rows)| Table::of(format, title, COLUMNS, rows))
                .collect(),
            review: Table::of(format, "Contested / needs review", REVIEW_COLUMNS, review),
            superseded: Table::of(format, "Superseded", COLUMNS, superseded),
            projects,
        }
    }

    fn single_file(&self) -> String {
        let tables = self.sections.iter().chain([&self.review, &self.superseded]);
        let tables: String = tables.map(Table::under_heading).collect();
        seal(self.format, &format!("{}{tables}{}", self.head(), self.project_list()))
    }

    fn spread(&self, stem: &str, budget: usize) -> Vec<(String, String)> {
        let first = format!("{stem}.{}", self.format.extension());
        let mut files = Files {
            format: self.format,
            stem,
            budget,
            names: BTreeSet::from([first.clone()]),
            files: Vec::new(),
        };
        let filed = self.sections.iter().chain([&self.superseded]);
        let lines: String = filed.map(|table| files.add(table)).collect();
        let start = |lines: &str, review: &str| {
            let sections = if lines.is_empty() {
                String::new()
            } else {
                format!("\n{} Sections\n\n{lines}", marks(self.format))
            };
            seal(self.format, &format!("{}{sections}{review}{}", self.head(), self.project_list()))
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
            0 => format!("{}No pages yet.\n", title_line(self.format, "Index")),
            all => format!(
                "{}Pages: {all} ({current} current, {review} to review, {superseded} superseded).\n",
                title_line(self.format, "Index")
            ),
        }
    }

    fn project_list(&self) -> String {
        if self.projects.is_empty() {
            return String::new();
        }
        let lines = self
            .projects
            .iter()
            .map(|(project, count)| format!("- {} ({count})\n", plain(self.format, project)));
        format!("\n{} Projects\n\n{}", marks(self.format), lines.collect::<String>())
    }
}

/// Returns the marks of the headings of sections.
fn marks(format: Format) -> &'static str {
    match format {
        Format::Markdown => "##",
        Format::Org => "*",
    }
}

/// Returns the title of a file with the blank line after it.
fn title_line(format: Format, title: &str) -> String {
    match format {
        Format::Markdown => format!("# {title}\n\n"),
        Format::Org => format!("#+title: {title}\n\n"),
    }
}

/// Rows with their sort keys.
type Rows = Vec<(String, String)>;

impl Table {
    /// Sorts rows by title, ignoring case, then by the whole row, so that the order of the pages does not matter.
    fn of(format: Format, title: &str, columns: &'static [&'static str], mut rows: Rows) -> Self {
        rows.sort_unstable();
        Table {
            format,
            title: title.to_owned(),
            columns,
            rows: rows.into_iter().map(|(_, row)| row).collect(),
        }
    }

    /// Returns the table with a blank line and its heading; empty if it has no rows.
    fn under_heading(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let (marks, title) = (marks(self.format), plain(self.format, &self.title));
        format!("\n{marks} {title}\n\n{}{}", table_head(self.format, self.columns), self.rows.concat())
    }

    /// Returns a file with some of the rows, as one of several parts.
    fn part(&self, rows: &[String], number: usize, parts: usize) -> String {
        let part = if parts > 1 { format!(", part {number} of {parts}") } else { String::new() };
        let head = table_head(self.format, self.columns);
        let title = title_line(self.format, &format!("{}{part}", plain(self.format, &self.title)));
        seal(self.format, &format!("{title}{head}{}", rows.concat()))
    }

    /// Splits the rows into parts that fit the budget; a row that does not fit gets its own part.
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

/// Further files, with unique names.
struct Files<'a> {
    format: Format,
    stem: &'a str,
    budget: usize,
    names: BTreeSet<String>,
    files: Vec<(String, String)>,
}

impl Files<'_> {
    /// Adds the files of a table and returns the line that lists them; empty if it has no rows.
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
            names.push(code(self.format, &name));
            self.files.push((name, table.part(rows, at + 1, parts.len())));
        }
        format!("- {} ({}): {}\n", plain(self.format, &table.title), table.rows.len(), names.join(", "))
    }

    /// Returns the next free name after a number: a section may be named like the second part of another.
    fn next_name(&mut self, slug: &str, number: &mut usize) -> String {
        loop {
            *number += 1;
            let suffix = if *number > 1 { format!("-{number}") } else { String::new() };
            let name = format!("{}-{slug}{suffix}.{}", self.stem, self.format.extension());
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

enum CatalogueStatus {
    Current,
    Superseded,
    /// Needs review, with the issue.
    Review(String),
}

/// Returns the standing of a page. An unknown status is shown for review instead of as current.
fn status_of(node: &CatalogueEntry<'_>) -> CatalogueStatus {
    let status = fold(node.status.unwrap_or_default());
    let issue = node.issue.clone();
    match status.as_str() {
        "" | "current" => CatalogueStatus::Current,
        "superseded" => CatalogueStatus::Superseded,
        "contested" => CatalogueStatus::Review(issue.unwrap_or_default()),
        unknown => CatalogueStatus::Review(issue.unwrap_or_else(|| format!("unknown status: {unknown}"))),
    }
}

/// Returns the first section whose tag the page has; the one after all of them if none.
fn section_of(node: &CatalogueEntry<'_>, tags: &[String]) -> usize {
    let own: Vec<String> = node.tags.iter().map(|tag| fold(tag)).collect();
    tags.iter().position(|tag| own.contains(tag)).unwrap_or(tags.len())
}

fn projects_of(node: &CatalogueEntry<'_>) -> BTreeSet<String> {
    let projects = node.projects.iter().map(|project| project.trim().to_owned());
    projects.filter(|project| !project.is_empty()).collect()
}

fn page_row(format: Format, node: &CatalogueEntry<'_>, projects: &BTreeSet<String>) -> String {
    let projects: Vec<&str> = projects.iter().map(String::as_str).collect();
    row(&[
        plain(format, node.title),
        plain(format, node.id),
        plain(format, node.summary),
        plain(format, &projects.join(", ")),
        plain(format, node.updated),
    ])
}

fn review_row(format: Format, node: &CatalogueEntry<'_>, issue: &str) -> String {
    row(&[
        plain(format, node.title),
        plain(format, node.id),
        plain(format, issue),
        plain(format, node.updated),
    ])
}
