//! Adds evidence to a page with lossless edits: entries, relations, facts and tags. Existing lines are not duplicated;
//! an end date closes the line that is open.

use lore_page::edit::{self, EditError, NewEntry, NewFact, NewRelation};
use lore_page::{LINKS_TO, Page, parse};

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

    /// Returns a page's text with the evidence added.
    pub fn add_to(&self, text: &str) -> Result<String, EditError> {
        let mut text = text.to_owned();
        for tag in &self.tags {
            text = edit::add_tag(&text, tag)?;
        }
        for relation in &self.relations {
            text = add_relation(&text, relation)?;
        }
        for fact in &self.facts {
            text = add_fact(&text, fact)?;
        }
        for entry in &self.entries {
            text = edit::add_entry(&text, entry)?;
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

fn add_relation(text: &str, new: &NewRelation) -> Result<String, EditError> {
    let target = new.target.split(['#', '|']).next().unwrap_or_default().trim();
    let page = parse("", text).page;
    let open = page.links.iter().find(|link| {
        (&link.relation, link.target.as_str()) == (&new.relation, target)
            && link.span.start < link.span.end
            && link.interval.until.is_none()
            && (new.interval.from.is_none() || link.interval.from == new.interval.from)
    });
    match (open, new.interval.until) {
        (Some(open), Some(until)) if new.relation != LINKS_TO => edit::close_relation(text, open.line, until),
        _ => edit::add_relation(text, new),
    }
}

fn add_fact(text: &str, new: &NewFact) -> Result<String, EditError> {
    let page = parse("", text).page;
    let open = page.facts.iter().find(|fact| {
        (&fact.subject, fact.predicate.as_str(), fact.object.as_str())
            == (&new.subject, new.predicate.trim(), new.object.trim())
            && fact.interval.until.is_none()
            && (new.interval.from.is_none() || fact.interval.from == new.interval.from)
    });
    match (open, new.interval.until) {
        (Some(open), Some(until)) => edit::close_fact(text, open.line, until),
        _ => edit::add_fact(text, new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_page::Interval;
    use lore_text::PartialDate;

    const PAGE: &str = "---\ntags: [founder]\n---\n# Ada\n\n- founded [[acme]] {2017..}\n- is_ceo_of:: Acme {2018..} (by: agent)\n\n---\n\n## Timeline\n- **2024-03-01** | meeting — Pivot agreed\n";

    fn until(date: &str) -> Interval {
        Interval { from: None, until: date.parse::<PartialDate>().ok() }
    }

    #[test]
    fn own_evidence_changes_nothing() {
        let evidence = Evidence::of(&parse("ada.md", PAGE).page);
        assert_eq!((evidence.entries.len(), evidence.relations.len(), evidence.facts.len()), (1, 1, 1));
        assert_eq!(evidence.add_to(PAGE).as_deref(), Ok(PAGE));
    }

    #[test]
    fn end_date_closes_the_open_line() {
        let fact = NewFact {
            predicate: "is_ceo_of".into(),
            object: "Acme".into(),
            interval: until("2025"),
            ..NewFact::default()
        };
        let relation = NewRelation {
            relation: "founded".into(),
            target: "acme".into(),
            interval: until("2026-02"),
            ..NewRelation::default()
        };
        let evidence = Evidence { facts: vec![fact], relations: vec![relation], ..Evidence::default() };
        let text = evidence.add_to(PAGE).expect("it fits");
        assert!(text.contains("- is_ceo_of:: Acme {2018..2025} (by: agent)"), "{text}");
        assert!(text.contains("- founded [[acme]] {2017..2026-02}"), "{text}");
        assert_eq!(text.lines().count(), PAGE.lines().count(), "no line was added");
    }
}
