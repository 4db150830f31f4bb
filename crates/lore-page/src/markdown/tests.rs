//! Each file tests one part of the grammar through [`parse`] and a compact rendering of the result.

mod comments;
mod entries;
mod facts;
mod links;
mod observations;
mod properties;
mod random;
mod relations;
mod sections;

use std::fmt::Write;

use expect_test::Expect;

use crate::page::{LinkStyle, Page, Parsed};
use crate::parse;

/// Checks the structured lines of a page at `notes/page.md`.
#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&lines(&parse("notes/page.md", text)));
}

/// Checks the metadata of a page.
#[track_caller]
fn check_head(path: &str, text: &str, expect: Expect) {
    expect.assert_eq(&head(&parse(path, text)));
}

fn head(Parsed { page, diagnostics }: &Parsed) -> String {
    let mut out = format!("title: {}\n", page.title);
    let single = [
        ("heading title", &page.heading_title),
        ("id", &page.id),
        ("type", &page.kind),
        ("status", &page.status),
        ("summary", &page.summary),
    ];
    for (name, value) in single {
        if let Some(value) = value {
            writeln!(out, "{name}: {value}").unwrap();
        }
    }
    for (name, values) in [("tags", &page.tags), ("aliases", &page.aliases)] {
        if !values.is_empty() {
            writeln!(out, "{name}: {}", values.join(" | ")).unwrap();
        }
    }
    for diagnostic in diagnostics {
        writeln!(out, "{}: warning: {}", diagnostic.line, diagnostic.message).unwrap();
    }
    out
}

fn lines(Parsed { page, diagnostics }: &Parsed) -> String {
    let mut out = observations(page);
    out.push_str(&links(page));
    for fact in &page.facts {
        let subject = fact.subject.as_ref().map(|subject| format!("{subject} | ")).unwrap_or_default();
        write!(out, "{}: fact {subject}{} = {}", fact.line, fact.predicate, fact.object).unwrap();
        write!(out, "{}", spaced(fact.interval)).unwrap();
        let provenance = [
            ("source", &fact.source),
            ("by", &fact.by),
            ("confidence", &fact.confidence),
            ("evidence", &fact.evidence),
        ];
        for (name, value) in provenance {
            write!(out, "{}", optional(&format!(", {name} "), value, "")).unwrap();
        }
        out.push('\n');
    }
    for entry in &page.entries {
        write!(out, "{}-{}: entry {}", entry.lines.first, entry.lines.last, entry.date).unwrap();
        writeln!(out, "{}: {}", optional(" from ", &entry.source, ""), entry.summary).unwrap();
        for line in entry.detail.iter().flat_map(|detail| detail.split('\n')) {
            writeln!(out, "    |{line}").unwrap();
        }
    }
    for diagnostic in diagnostics {
        writeln!(out, "{}: warning: {}", diagnostic.line, diagnostic.message).unwrap();
    }
    out
}

fn observations(page: &Page) -> String {
    let mut out = String::new();
    for observation in &page.observations {
        write!(out, "{}: [{}] {}", observation.line, observation.category, observation.content).unwrap();
        write!(out, "{}", optional(", context ", &observation.context, "")).unwrap();
        if !observation.tags.is_empty() {
            write!(out, ", tags {}", observation.tags.join(" ")).unwrap();
        }
        out.push('\n');
    }
    out
}

/// Renders the links, without the context of plain ones, which is their line.
fn links(page: &Page) -> String {
    let mut out = String::new();
    for link in &page.links {
        let style = if link.style == LinkStyle::Wiki { "" } else { "markdown " };
        let embed = if link.embed { "embedded " } else { "" };
        write!(out, "{}: {} -> {style}{embed}{}", link.line, link.relation, link.target).unwrap();
        write!(out, "{}", optional("#", &link.heading, "")).unwrap();
        write!(out, "{}", optional("|", &link.label, "")).unwrap();
        if link.relation != crate::LINKS_TO {
            write!(out, "{}{}", optional(" (", &link.context, ")"), spaced(link.interval)).unwrap();
        }
        out.push('\n');
    }
    out
}

fn optional(before: &str, value: &Option<String>, after: &str) -> String {
    value.as_ref().map(|value| format!("{before}{value}{after}")).unwrap_or_default()
}

fn spaced(interval: crate::Interval) -> String {
    if interval.is_unbounded() { String::new() } else { format!(" {interval}") }
}
