//! Adds evidence to a page with lossless edits: entries, relations, facts and tags, by the rules of `link` and `fact-add`.
//! Existing lines are not duplicated, an end date closes the line that is open, and a new value ends the previous one.

use lore_engine::{Error, RelationLine, Result, VaultContext, with_relation};
use lore_page::edit::{self, NewEntry, NewFact, NewRelation};
use lore_page::{Format, LINKS_TO, Page};
use lore_vault::without_extension;

use crate::facts::with_fact;

/// Evidence about a page in a source, apart from any rewrite.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Timeline entries.
    pub entries: Vec<NewEntry>,
    /// Relations.
    pub relations: Vec<NewRelation>,
    /// Facts.
    pub facts: Vec<NewFact>,
    /// Tags.
    pub tags: Vec<String>,
}

impl Evidence {
    /// Returns the evidence in a page's own text.
    pub fn of(page: &Page) -> Evidence {
        let relation = |link: &lore_page::Link| NewRelation {
            label: link.label.clone().filter(|_| link.target.starts_with("id:")),
            relation: link.relation.clone(),
            target: link.target.clone(),
            context: link.context.clone(),
            interval: link.interval,
        };
        let fact = |fact: &lore_page::Fact| NewFact {
            subject: fact.subject.clone(),
            predicate: fact.predicate.clone(),
            object: fact.object.clone(),
            interval: fact.interval,
            source: fact.source.clone(),
            by: fact.by.clone(),
            confidence: fact.confidence.clone(),
            evidence: fact.evidence.clone(),
        };
        let written = |link: &&lore_page::Link| link.relation != LINKS_TO && link.span.start < link.span.end;
        Evidence {
            entries: entries(page),
            relations: page.links.iter().filter(written).map(relation).collect(),
            facts: page.facts.iter().map(fact).collect(),
            tags: page.tags.clone(),
        }
    }

    /// Returns whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.relations.is_empty() && self.facts.is_empty() && self.tags.is_empty()
    }

    /// Returns the text of the page at a path with the evidence added.
    pub fn add_to(&self, context: &VaultContext, path: &str, text: &str) -> Result<String> {
        let failed = |source| Error::Edit { slug: without_extension(path).to_owned(), source };
        let mut text = text.to_owned();
        for tag in &self.tags {
            text = edit::add_tag(Format::of(path), &text, tag).map_err(failed)?;
        }
        for line in &self.relations {
            let to = context.find(line.target.split(['#', '|']).next().unwrap_or_default().trim());
            // An ambiguous or unknown name is compared as it is written.
            let page = to.ok().flatten();
            let node = page.as_ref().and_then(|page| context.node(page, &line.target).ok().flatten());
            let to = page.map(|page| page.number);
            let relation = RelationLine { line: line.clone(), to, is_to_node: node.is_some() };
            text = with_relation(context, path, &text, &relation)?;
        }
        for fact in &self.facts {
            (text, _) = with_fact(context, path, &text, fact)?;
        }
        for entry in &self.entries {
            text = edit::add_entry(Format::of(path), &text, entry).map_err(failed)?;
        }
        Ok(text)
    }
}

/// Returns the timeline entries of a page.
fn entries(page: &Page) -> Vec<NewEntry> {
    let entry = |entry: &lore_page::Entry| NewEntry {
        date: entry.date.clone(),
        source: entry.source.clone(),
        summary: entry.summary.clone(),
        detail: entry.detail.clone(),
    };
    page.entries.iter().map(entry).collect()
}
