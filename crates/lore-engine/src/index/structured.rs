//! The structured lines of a page as far as they are searched. Relations between versions of a page say nothing about its
//! subject, and neither does the provenance of a fact: their words would only make the page longer, so that it ranks
//! lower, and dilute its embedding.

use std::collections::{HashMap, HashSet};

use lore_page::{Fact, LIFECYCLE_RELATIONS, Page};
use lore_text::fold;

/// Which lines of a page are searched, and by what text.
pub(super) struct StructuredLines<'a> {
    /// Lines that are not searched.
    silent: HashSet<u32>,
    facts: HashMap<u32, &'a Fact>,
}

impl<'a> StructuredLines<'a> {
    /// Reads the structured lines of a page.
    pub(super) fn of(page: &'a Page) -> StructuredLines<'a> {
        let is_lifecycle = |relation: &str| LIFECYCLE_RELATIONS.contains(&fold(relation).as_str());
        // A label in the middle of prose does not hide the prose: there, the context of the link is its line.
        let is_line =
            |context: &Option<String>| context.as_ref().is_none_or(|context| !context.contains("[["));
        let relations =
            page.links.iter().filter(|link| is_lifecycle(&link.relation) && is_line(&link.context));
        let markup = page.markup.iter().flat_map(|lines| lines.first..=lines.last);
        let silent = relations.map(|link| link.line).chain(markup);
        let facts = page.facts.iter().map(|fact| (fact.line, fact));
        StructuredLines { silent: silent.collect(), facts: facts.collect() }
    }

    /// Whether a line is not searched.
    pub(super) fn is_silent(&self, line: u32) -> bool {
        self.silent.contains(&line)
    }

    /// Returns the text of a line that is searched.
    pub(super) fn searched(&self, number: u32, line: &str, into: &mut String) {
        if self.is_silent(number) {
            return;
        }
        match self.facts.get(&number) {
            None => into.push_str(line),
            Some(fact) => {
                let parts = [fact.subject.as_ref(), fact.source.as_ref(), fact.evidence.as_ref()];
                let interval = fact.interval.to_string();
                let said = [fact.predicate.as_str(), fact.object.as_str(), &interval];
                for part in said.into_iter().chain(parts.into_iter().flatten().map(String::as_str)) {
                    into.push_str(part);
                    into.push(' ');
                }
            }
        }
        into.push('\n');
    }
}
