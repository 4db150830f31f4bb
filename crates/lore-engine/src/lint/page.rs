//! Lints the text of one file: structure, properties, sections, credentials, size. Pure.

use lore_page::{Page, Parsed, Value, conflict_markers, parse};
use lore_text::secrets::{looks_binary, scan};
use lore_text::slugify;
use lore_vault::decode;

use super::Finding;
use super::links::own_headings;
use super::secrets::{refused, secret_finding};
use crate::policy::{Format, Level, Lint, Policy, Schema};

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
        properties(&mut found, schema, &page);
        headings(&mut found, schema, &page);
    }
    for (line, message) in own_headings(path, text) {
        found.add(Lint::LinkBroken, Some(line), message, false);
    }
    for line in conflict_markers(text) {
        found.add(Lint::Conflict, Some(line), CONFLICT.into(), false);
    }
    let leaks = refused(policy, scan(text));
    found.list.extend(leaks.iter().filter_map(|leak| secret_finding(policy, path, leak)));
    found.list
}

/// Lints a file that is not a page: credentials in text, nothing in binary files.
pub fn file_findings(policy: &Policy, path: &str, bytes: &[u8]) -> Vec<Finding> {
    let leaks = if looks_binary(bytes) { Vec::new() } else { refused(policy, scan(&decode(bytes).text)) };
    leaks.iter().filter_map(|leak| secret_finding(policy, path, leak)).collect()
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
        for value in stated(page, key).filter(|value| !fits(*format, value)) {
            let lint = if *format == Format::Slug { Lint::Slug } else { Lint::FieldValue };
            let fixable = *format == Format::Slug && !slugify(&value).is_empty();
            found.add(lint, line, format!("`{key}` is {value:?}, not {}", format.what()), fixable);
        }
    }
    if !schema.tags.is_empty() && !page.tags.iter().any(|tag| schema.tags.contains(tag)) {
        let message = format!("needs at least one of the tags {}", schema.tags.join(", "));
        found.add(Lint::FieldMissing, line, message, false);
    }
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

fn fits(format: Format, value: &str) -> bool {
    match format {
        Format::Date => value.parse::<jiff::civil::Date>().is_ok() && value.len() == 10,
        // The forms without hyphens and with braces have other lengths.
        Format::Uuid => value.len() == 36 && uuid::Uuid::try_parse(value).is_ok(),
        Format::Slug => !value.is_empty() && slugify(value) == value && !value.contains('/'),
        Format::Number => value.parse::<i64>().is_ok(),
    }
}

fn headings(found: &mut Findings<'_>, schema: &Schema, page: &Page) {
    if let Some(wanted) = &schema.heading
        && page.heading_title.as_deref() != Some(wanted)
    {
        found.add(Lint::SectionMissing, None, format!("the heading `# {wanted}` is missing"), false);
    }
    let mut after = 0;
    for wanted in &schema.sections {
        let at = page.headings.iter().find(|heading| heading.level == 2 && heading.text == *wanted);
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
    fn credential_itself_is_not_shown() {
        let token = format!("{}{}", "ghp", "_9dK2mQx7Lw4Rt8Yv1Bn5Cz3Hs6Jf0Gp2Wq4E");
        let policy = Policy::default();
        let found = page_findings(&policy, "a.md", &format!("# A\n\nthe key is {token}\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].level), (Some(3), Level::Error));
        assert!(!found[0].to_string().contains(&token[6..12]), "{}", found[0]);
    }
}
