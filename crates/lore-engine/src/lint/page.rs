//! Lints the text of one file: structure, properties, sections, credentials, size. Pure.

use std::collections::HashSet;

use jiff::civil::Date;
use lore_page::edit::{self, TableRow, TableText};
use lore_page::{Page, Parsed, Value, conflict_markers, parse};
use lore_text::secrets::{looks_binary, scan};
use lore_text::{Cron, parse_period, slugify};
use lore_vault::{decode, without_extension};

use super::Finding;
use super::links::own_headings;
use super::secrets::{refused, text_findings};
use crate::policy::{Level, Lint, Policy, Schema, Table, ValueFormat};

/// Names of the days of a week.
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Message of a finding for a conflict marker.
pub(crate) const CONFLICT: &str = "a conflict marker of an unfinished merge";

/// Lints a page's text.
pub fn page_findings(policy: &Policy, path: &str, text: &str) -> Vec<Finding> {
    let Parsed { page, diagnostics } = parse(path, text);
    let mut found = Findings { policy, path, list: Vec::new() };
    for odd in diagnostics {
        found.add(Lint::Structure, Some(odd.line), odd.message, false);
    }
    if let Some(schema) = policy.schema(path) {
        named(&mut found, schema, &page);
        properties(&mut found, schema, &page);
        headings(&mut found, schema, &page);
    }
    for (line, message) in own_headings(path, text) {
        found.add(Lint::LinkBroken, Some(line), message, false);
    }
    tables(&mut found, text);
    for line in conflict_markers(text) {
        found.add(Lint::Conflict, Some(line), CONFLICT.into(), false);
    }
    let leaks = refused(policy, scan(text));
    found.list.extend(text_findings(policy, path, text, &leaks));
    found.list
}

/// Lints a file that is not a page: credentials in text, nothing in binary files.
pub fn file_findings(policy: &Policy, path: &str, bytes: &[u8]) -> Vec<Finding> {
    if looks_binary(bytes) {
        return Vec::new();
    }
    let text = decode(bytes).text;
    text_findings(policy, path, &text, &refused(policy, scan(&text)))
}

/// Returns the finding for a page with a NUL byte.
pub fn binary(policy: &Policy, path: &str) -> Finding {
    let mut found = Findings { policy, path, list: Vec::new() };
    found.add(Lint::Structure, None, "the file contains a NUL byte, so it is not text".into(), false);
    found.list.remove(0)
}

/// Returns the finding for a file that cannot be read. It is an error under every policy: nothing about the file is known.
pub fn unreadable(path: &str, error: &lore_vault::Error) -> Finding {
    let (message, line, level) = (error.to_string(), None, Level::Error);
    Finding { lint: Lint::Structure, level, path: path.to_owned(), line, message, fixable: false }
}

/// Returns the finding for a file that is not in the index because it could not be read.
pub fn not_indexed(path: &str, reason: &str) -> Finding {
    let (message, line, level) = (format!("the file is not indexed: {reason}"), None, Level::Error);
    Finding { lint: Lint::Structure, level, path: path.to_owned(), line, message, fixable: false }
}

/// Collects findings of one file at the levels of the policy.
pub struct Findings<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The file.
    pub path: &'a str,
    /// The findings so far.
    pub list: Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding.
    pub fn add(&mut self, lint: Lint, line: Option<u32>, message: String, fixable: bool) {
        let level = self.policy.lint.level(lint);
        if level > Level::Off {
            self.list.push(Finding { lint, level, path: self.path.to_owned(), line, message, fixable });
        }
    }
}

fn properties(found: &mut Findings<'_>, schema: &Schema, page: &Page) {
    let line = page.frontmatter.map(|lines| lines.first);
    for key in &schema.required {
        if property_values(page, key).iter().all(|value| value.trim().is_empty()) {
            let lint = if key == "id" { Lint::IdMissing } else { Lint::FieldMissing };
            let fixable = schema.defaults.contains_key(key);
            found.add(lint, line, format!("the property `{key}` is missing"), fixable);
        }
    }
    for (key, allowed) in &schema.values {
        for value in stated(page, key).filter(|value| !allowed.contains(value)) {
            let fixable = allowed.iter().any(|known| known.eq_ignore_ascii_case(&value));
            let message = format!("`{key}` is {value:?}, not one of {}", allowed.join(", "));
            found.add(Lint::FieldValue, line, message, fixable);
        }
    }
    for (key, format) in &schema.formats {
        let dated = policy_date(found);
        for value in stated(page, key).filter(|value| !fits(*format, value, dated)) {
            let lint = if *format == ValueFormat::Slug { Lint::Slug } else { Lint::FieldValue };
            let fixable = *format == ValueFormat::Slug && !slugify(&value).is_empty();
            found.add(lint, line, format!("`{key}` is {value:?}, not {}", format.what()), fixable);
        }
    }
    if !schema.tags.is_empty() && !page.tags.iter().any(|tag| schema.tags.contains(tag)) {
        let message = format!("needs at least one of the tags {}", schema.tags.join(", "));
        found.add(Lint::FieldMissing, line, message, false);
    }
}

/// Checks the names that the placeholders of the rule's pattern stand for, and that the page states the same.
fn named(found: &mut Findings<'_>, schema: &Schema, page: &Page) {
    let (policy, path) = (found.policy, found.path);
    let line = page.frontmatter.map(|lines| lines.first);
    for (key, name) in policy.rule(path).map(|rule| rule.placeholders(path)).unwrap_or_default() {
        if let Some(allowed) = schema.values.get(key).filter(|allowed| !allowed.iter().any(|one| one == name))
        {
            let message = format!("the {key} in its path is {name:?}, not one of {}", allowed.join(", "));
            found.add(Lint::FieldValue, None, message, false);
        }
        if let Some(format) = schema.formats.get(key).filter(|format| !fits(**format, name, None)) {
            let lint = if *format == ValueFormat::Slug { Lint::Slug } else { Lint::FieldValue };
            found.add(lint, None, format!("the {key} in its path is {name:?}, not {}", format.what()), false);
        }
        for value in stated(page, key).filter(|value| value != name && *value != slugify(name)) {
            let message = format!("`{key}` is {value:?}, but the {key} in its path is {name:?}");
            found.add(Lint::FieldValue, line, message, false);
        }
    }
}

/// Checks the tables of the page that the policy reads as data.
fn tables(found: &mut Findings<'_>, text: &str) {
    let stem = without_extension(found.path).to_owned();
    let policy = found.policy;
    for (name, rules) in policy.tables.iter().filter(|(_, rules)| without_extension(&rules.path) == stem) {
        // A page without the section or the table has no rows.
        let Ok(Some(table)) = edit::table(lore_page::Format::of(found.path), text, rules.section.as_deref())
        else {
            continue;
        };
        for column in rules.columns.iter().filter(|column| !table.columns.contains(&column.to_lowercase())) {
            found.add(Lint::FieldMissing, None, format!("the table {name} has no column {column:?}"), false);
        }
        let mut keys = HashSet::new();
        for row in &table.rows {
            for problem in row_problems(rules, &table, row, &mut keys) {
                found.add(Lint::FieldValue, Some(row.line), format!("the table {name}: {problem}"), false);
            }
        }
    }
}

/// Returns what is wrong with a row; `keys` has those of the rows before it.
fn row_problems<'t>(
    rules: &Table,
    table: &'t TableText,
    row: &'t TableRow,
    keys: &mut HashSet<&'t str>,
) -> Vec<String> {
    let key_column = rules.columns.first().map(String::as_str).unwrap_or_default();
    let key = table.cell(row, key_column);
    let mut problems = Vec::new();
    if key.is_empty() {
        problems.push(format!("a row has no {key_column}"));
    }
    if !key.is_empty() && !keys.insert(key) {
        problems.push(format!("{key:?} occurs twice"));
    }
    let empty = rules.required.iter().filter(|column| table.cell(row, column).is_empty());
    problems.extend(empty.map(|column| format!("{key:?} has no {column}")));
    for (column, allowed) in &rules.values {
        let value = table.cell(row, column);
        if !value.is_empty() && !allowed.iter().any(|one| one == value) {
            problems.push(format!("the {column} of {key:?} is {value:?}, not one of {}", allowed.join(", ")));
        }
    }
    problems
}

/// Finds dates after the current day where the schema forbids them.
pub fn date_findings(policy: &Policy, path: &str, text: &str, day: Date) -> Vec<Finding> {
    let keys = policy.schema(path).map(|schema| schema.not_future.as_slice()).unwrap_or_default();
    let mut found = Findings { policy, path, list: Vec::new() };
    if keys.is_empty() {
        return found.list;
    }
    let Parsed { page, .. } = parse(path, text);
    let line = page.frontmatter.map(|lines| lines.first);
    for key in keys {
        let future = |value: &String| value.trim().parse::<Date>().is_ok_and(|date| date > day);
        for value in stated(&page, key).filter(future) {
            found.add(Lint::FieldValue, line, format!("`{key}` is {value}, but the day is {day}"), false);
        }
    }
    found.list
}

/// Returns the date that a placeholder of the rule's pattern stands for.
fn policy_date(found: &Findings<'_>) -> Option<Date> {
    let rule = found.policy.rule(found.path)?;
    let (_, name) = rule.placeholders(found.path).into_iter().find(|(key, _)| *key == "date")?;
    name.parse().ok()
}

/// Returns a property's values as text: one, or the items of a list.
pub fn property_values(page: &Page, key: &str) -> Vec<String> {
    fn flat(value: &Value) -> Vec<String> {
        match value {
            Value::Text(text) => vec![text.clone()],
            Value::List(items) => items.iter().flat_map(flat).collect(),
            Value::Map(_) => vec!["{…}".into()],
        }
    }
    page.properties.get(key).map(flat).unwrap_or_default()
}

/// Returns a property's non-blank values; a blank one counts as missing.
fn stated(page: &Page, key: &str) -> impl Iterator<Item = String> {
    property_values(page, key).into_iter().filter(|value| !value.trim().is_empty())
}

fn fits(format: ValueFormat, value: &str, dated: Option<Date>) -> bool {
    let period = |length: usize, is_week: bool| {
        value.len() == length && value.contains('W') == is_week && parse_period(value).is_some()
    };
    match format {
        ValueFormat::Week => period(8, true),
        ValueFormat::Month => period(7, false),
        ValueFormat::Weekday => match dated {
            Some(date) => date.strftime("%A").to_string().eq_ignore_ascii_case(value),
            None => WEEKDAYS.iter().any(|name| name.eq_ignore_ascii_case(value)),
        },
        ValueFormat::Cron => value.parse::<Cron>().is_ok(),
        ValueFormat::Date => value.parse::<jiff::civil::Date>().is_ok() && value.len() == 10,
        // The forms without hyphens and with braces have other lengths.
        ValueFormat::Uuid => value.len() == 36 && uuid::Uuid::try_parse(value).is_ok(),
        ValueFormat::Slug => !value.is_empty() && slugify(value) == value && !value.contains('/'),
        ValueFormat::Number => value.parse::<i64>().is_ok(),
    }
}

fn headings(found: &mut Findings<'_>, schema: &Schema, page: &Page) {
    if let Some(wanted) = &schema.heading
        && page.heading_title.as_deref() != Some(wanted)
    {
        found.add(Lint::SectionMissing, None, format!("the heading `# {wanted}` is missing"), false);
    }
    let level = lore_page::Format::of(found.path).section_level();
    let mut after = 0;
    for wanted in &schema.sections {
        let mut named =
            page.headings.iter().filter(|heading| heading.level == level && heading.text == *wanted);
        let at = named.next();
        if let Some(again) = named.next().filter(|_| schema.unique) {
            let message = format!("the section `## {wanted}` occurs more than once");
            found.add(Lint::SectionMissing, Some(again.lines.first), message, false);
        }
        match at {
            None => {
                found.add(Lint::SectionMissing, None, format!("the section `## {wanted}` is missing"), false);
            }
            Some(heading) if heading.lines.first < after => {
                let message = format!("the section `## {wanted}` is out of order");
                found.add(Lint::SectionMissing, Some(heading.lines.first), message, false);
            }
            Some(heading) => after = heading.lines.first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = r#"
        [[rule]]
        paths = ["**"]
        schema = "node"
        [schema.node]
        required = ["id", "summary", "status"]
        values = { status = ["current", "contested"] }
        formats = { id = "uuid", updated = "date", projects = "slug" }
        defaults = { status = "current" }
        tags = ["principle", "procedure"]
        heading = "Node"
        sections = ["First", "Second"]
        [lint.levels]
        slug = "error"
    "#;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let policy = Policy::parse(POLICY).expect("a policy");
        let found: Vec<String> =
            page_findings(&policy, "node.md", text).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{text}");
    }

    fn node(properties: &str, body: &str) -> String {
        format!(
            "---\nid: 0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f\nsummary: s\nstatus: current\ntags: [principle]\n{properties}---\n{body}"
        )
    }

    #[test]
    fn valid_page_has_no_findings() {
        check(
            &node("updated: 2026-05-24\nprojects: [emacs, general]\n", "# Node\n## First\n\n## Second\n"),
            &[],
        );
    }

    #[test]
    fn each_rule_reports_its_violation() {
        let body = "# Node\n## First\n\n## Second\n";
        check(
            "---\ntags: [principle]\nsummary: ''\n---\n# Node\n## First\n## Second\n",
            &[
                "node.md:1: the property `id` is missing (id-missing)",
                "node.md:1: the property `summary` is missing (field-missing)",
                "node.md:1: the property `status` is missing (field-missing)",
            ],
        );
        check(
            &node("updated: yesterday\n", body),
            &["node.md:1: `updated` is \"yesterday\", not a date such as 2026-05-24 (field-value)"],
        );
        check(
            &node("projects: [Emacs D]\n", body),
            &["node.md:1: `projects` is \"Emacs D\", not a slug such as my-project (slug)"],
        );
        check(
            &node("", "# Node\n## Second\n## First\n"),
            &["node.md:8: the section `## Second` is out of order (section-missing)"],
        );
        check(
            &node("", "## First\n\n```\n## Second\n```\n"),
            &[
                "node.md: the heading `# Node` is missing (section-missing)",
                "node.md: the section `## Second` is missing (section-missing)",
            ],
        );
    }

    #[test]
    fn names_in_the_path_and_on_the_page_agree() {
        let policy = r#"
            [[rule]]
            paths = ["days/{date}"]
            schema = "day"
            [[rule]]
            paths = ["things/{domain}/{slug}"]
            schema = "thing"
            [schema.day]
            formats = { date = "date", weekday = "weekday" }
            sections = ["Log"]
            unique = true
            not_future = ["date"]
            [schema.thing]
            values = { domain = ["work", "health"] }
            formats = { slug = "slug" }
        "#;
        let policy = Policy::parse(policy).expect("a policy");
        let check = |path: &str, text: &str, expected: &[&str]| {
            let found: Vec<String> =
                page_findings(&policy, path, text).iter().map(|found| found.message.clone()).collect();
            assert_eq!(found, expected, "{path}");
        };
        let day = "---\ndate: 2026-05-17\nweekday: Sunday\n---\n## Log\n";
        check("days/2026-05-17.md", day, &[]);
        check(
            "days/2026-05-18.md",
            day,
            &[
                "`date` is \"2026-05-17\", but the date in its path is \"2026-05-18\"",
                "`weekday` is \"Sunday\", not the weekday of its date",
            ],
        );
        check(
            "days/2026-02-30.md",
            "## Log\n## Log\n",
            &[
                "the date in its path is \"2026-02-30\", not a date such as 2026-05-24",
                "the section `## Log` occurs more than once",
            ],
        );
        check("things/work/tea.md", "---\ndomain: work\nslug: tea\n---\n", &[]);
        check(
            "things/cooking/Tea Time.md",
            "---\ndomain: work\n---\n",
            &[
                "the domain in its path is \"cooking\", not one of work, health",
                "`domain` is \"work\", but the domain in its path is \"cooking\"",
                "the slug in its path is \"Tea Time\", not a slug such as my-project",
            ],
        );
        let future = |day: &str| {
            date_findings(&policy, "days/2026-05-17.md", day_text(), day.parse().expect("a date"))
        };
        fn day_text() -> &'static str {
            "---\ndate: 2026-05-17\n---\n"
        }
        assert_eq!(future("2026-05-17"), []);
        assert_eq!(future("2026-05-16")[0].message, "`date` is 2026-05-17, but the day is 2026-05-16");
    }

    #[test]
    fn credential_itself_is_not_shown() {
        let token = format!("{}{}", "ghp", "_9dK2mQx7Lw4Rt8Yv1Bn5Cz3Hs6Jf0Gp2Wq4E");
        let policy = Policy::default();
        let found = page_findings(&policy, "a.md", &format!("# A\n\nthe key is {token}\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].level), (Some(3), Level::Error));
        assert!(!found[0].to_string().contains(&token[6..12]), "{}", found[0]);
    }
}
