//! Claims: facts and preferences with the data needed to compare them, and who they are about.

use std::collections::{BTreeSet, HashMap};

use lore_engine::{Result, ValueRules, VaultContext, WEIGHTS, full_text, plain_predicate};
use lore_page::{Fact, Format, Interval};
use lore_ports::{Expression, Filter, PageRow, StatementRow, TextQuery, Window};
use lore_text::fold;

use super::super::authority::authority;
use super::super::page_reader::read;
use super::super::preferences::{PHRASES, Preference, preferences};
use super::super::rows::{ResolvedNames, Subject};
use super::{Claim, WrittenPage, is_closed};

/// Resolves the subjects of facts while some pages are not in the index yet.
pub(super) struct SubjectResolver<'r> {
    pub(super) rules: &'r ValueRules<'r>,
    /// Names of pages that the write creates, with their paths.
    pub(super) unindexed: HashMap<String, String>,
    pub(super) subjects: ResolvedNames,
}

impl SubjectResolver<'_> {
    pub(super) fn known(&self, subject: Subject) -> Subject {
        match subject {
            Subject::Name(name) => Subject::Name(self.unindexed.get(&name).cloned().unwrap_or(name)),
            other => other,
        }
    }

    /// Returns the subject of a statement on a page of the write.
    fn written_subject(&self, new: &WrittenPage, named: Option<&str>) -> Subject {
        let own = new.row.as_ref().map(|row| row.number);
        match (named, own) {
            (None, Some(own)) => Subject::Page(own),
            (None, None) => Subject::Name(new.path.clone()),
            // No page has the number 0, so an ambiguous name stays ambiguous.
            (Some(name), own) => self.known(self.subjects.subject(own.unwrap_or(0), Some(name))),
        }
    }

    /// Returns the claims of those facts that exclude others.
    pub(super) fn claims(&self, new: &WrittenPage, facts: &[Fact]) -> Result<Vec<Claim>> {
        let mut claims = Vec::new();
        for fact in facts {
            let topic = self.rules.topic(&fact.predicate, &fact.object)?;
            claims.extend(topic.map(|topic| self.claim(new, fact, topic)));
        }
        Ok(claims)
    }

    pub(super) fn preference(&self, new: &WrittenPage, stated: &Preference) -> Claim {
        let subject = self.written_subject(new, holder(stated, &new.page.tags));
        preference_claim(&new.path, subject, stated, new.page.properties.text("confidence"))
    }

    pub(super) fn known_preference(&self, row: &PageRow, stated: &Preference) -> Claim {
        let subject = self.known(self.subjects.subject(row.number, holder(stated, &row.tags)));
        preference_claim(&row.path, subject, stated, row.properties.text("confidence"))
    }

    fn claim(&self, new: &WrittenPage, fact: &Fact, topic: String) -> Claim {
        let subject = self.written_subject(new, fact.subject.as_deref());
        Claim {
            path: new.path.clone(),
            line: fact.line,
            subject,
            topic,
            predicate: plain_predicate(&fact.predicate),
            object: fact.object.clone(),
            interval: fact.interval,
            authority: authority(fact.by.as_deref(), new.page.properties.text("confidence")),
            preference: None,
        }
    }
}

/// Returns the claim of an indexed fact, unless its page is no longer live.
pub(super) fn known_claim(
    row: &StatementRow,
    page: PageRow,
    subject: Subject,
    topic: String,
) -> Option<Claim> {
    let statement = &row.statement;
    (!is_closed(page.status.as_deref())).then(|| Claim {
        line: statement.lines.first,
        subject,
        topic,
        predicate: plain_predicate(&statement.predicate),
        object: statement.object.clone(),
        interval: statement.interval,
        authority: authority(statement.note("by"), page.properties.text("confidence")),
        preference: None,
        path: page.path,
    })
}

/// Whose preference it is where nobody is named on a page about one.
pub(super) const USER: &str = "user";

/// Returns whose preference it is. A page that is tagged as a preference is about what is preferred, so without a name it is
/// the user who prefers it; any other page may be about somebody itself.
fn holder<'s>(stated: &'s Preference, tags: &[String]) -> Option<&'s str> {
    let is_about_one = || tags.iter().any(|tag| fold(tag) == PREFERENCE);
    stated.holder.name().or_else(|| is_about_one().then_some(USER))
}

/// Tag of a page about a preference.
const PREFERENCE: &str = "preference";

/// Topic of preferences in prose.
pub(super) const PREFERS: &str = "prefers";

fn preference_claim(path: &str, subject: Subject, stated: &Preference, confidence: Option<&str>) -> Claim {
    Claim {
        path: path.to_owned(),
        line: stated.line,
        subject,
        topic: PREFERS.to_owned(),
        predicate: PREFERS.to_owned(),
        object: stated.object.clone(),
        interval: Interval::default(),
        authority: authority(None, confidence),
        preference: Some(stated.clone()),
    }
}

/// Returns the other live pages that state preferences, if the write adds one.
pub(super) fn pages_with_preferences(
    context: &VaultContext,
    pages: &[WrittenPage],
    written: &BTreeSet<i64>,
) -> Result<Vec<(PageRow, Vec<Preference>)>> {
    if pages.iter().all(|new| new.added_preferences.is_empty()) {
        return Ok(Vec::new());
    }
    let words = Expression::Any(PHRASES.iter().map(|word| Expression::Phrase((*word).to_owned())).collect());
    let window = Window { limit: usize::MAX, offset: 0 };
    let query = TextQuery { expression: &words, filter: &Filter::default(), window, weights: WEIGHTS };
    let numbers: BTreeSet<i64> = full_text(context, &query)?.iter().map(|hit| hit.page).collect();
    let numbers: Vec<i64> = numbers.difference(written).copied().collect();
    let mut found = Vec::new();
    for row in context.store().pages(context.project(), &numbers)? {
        let Some((text, page)) = read(context, &row.path) else { continue };
        if !is_closed(row.status.as_deref()) {
            let list = preferences(Format::of(&row.path), &text, &page);
            found.push((row, list));
        }
    }
    Ok(found)
}

/// Returns the names of pages that the write creates.
pub(super) fn unindexed_names(pages: &[WrittenPage]) -> HashMap<String, String> {
    let fresh = pages.iter().filter(|new| new.row.is_none());
    let of_page = |new: &WrittenPage| -> Vec<(String, String)> {
        let names = std::iter::once(&new.page.title).chain(&new.page.aliases).chain(&new.page.heading_title);
        names.map(|name| (fold(name), new.path.clone())).collect()
    };
    fresh.flat_map(of_page).collect()
}
