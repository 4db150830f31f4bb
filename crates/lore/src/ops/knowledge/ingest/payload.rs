//! The page changes that come with a source, and their conversion to lines of those pages.

use lore_engine::{Error, VaultContext, node_target};
use lore_memory::{Evidence, PageIngest};
use lore_page::Interval;
use lore_page::edit::{Dropped, NewEntry, NewFact, NewRelation};
use lore_text::date_on;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::as_of;
use crate::ops::pages::put::{refuse_blank, target};

/// Changes to one page that follow from a source.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageInput {
    /// Slug or path of the page
    slug: String,
    /// New text of the whole page; omit it to add to the page only
    #[serde(default)]
    content: Option<String>,
    /// Text to add to an existing page, above its timeline
    #[serde(default)]
    body_append: Option<String>,
    /// Version that was read; 0 creates a new page
    expected_version: u64,
    /// Facts asserted by the source
    #[serde(default)]
    assertions: Vec<AssertionInput>,
    /// Links from the page
    #[serde(default)]
    links: Vec<LinkInput>,
    /// Entries for its timeline
    #[serde(default)]
    timeline_entries: Vec<EntryInput>,
    /// Tags to add
    #[serde(default)]
    tags: Vec<String>,
    /// Lines that the new text removes, or facts, relations, observations, timeline, all
    #[serde(default)]
    drop: Vec<String>,
}

/// A fact.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssertionInput {
    /// Subject: the page, or another name [default: the page]
    #[serde(default)]
    subject: String,
    /// Predicate: is_ceo_of, based_in
    predicate: String,
    /// Value of the fact
    object: String,
    /// Valid since: YYYY, YYYY-MM or YYYY-MM-DD
    #[serde(default)]
    valid_from: Option<String>,
    /// Valid until; closes the same fact if it is open
    #[serde(default)]
    valid_until: Option<String>,
    /// agent, manual, import or enrichment [default: agent]
    #[serde(default)]
    asserted_by: Option<String>,
    /// Source [default: the source_ref of the call]
    #[serde(default)]
    source_ref: Option<String>,
    /// Quoted evidence
    #[serde(default)]
    evidence_text: Option<String>,
    /// Confidence, from 0 to 1
    #[serde(default)]
    confidence: Option<f64>,
}

/// A link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkInput {
    /// Target page
    to: String,
    /// Relationship, a verb [default: related]
    #[serde(default)]
    relationship: Option<String>,
    /// Surrounding words
    #[serde(default)]
    context: Option<String>,
    /// Valid since
    #[serde(default)]
    valid_from: Option<String>,
    /// Valid until; closes the same link if it is open
    #[serde(default)]
    valid_until: Option<String>,
}

/// A timeline entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntryInput {
    /// Date: YYYY-MM-DD, a month, a year, words such as yesterday, or a range such as {2022-03-10..2022-03-16}
    date: String,
    /// What happened, in one line
    summary: String,
    /// Source [default: the source_ref of the call]
    #[serde(default)]
    source: Option<String>,
    /// More lines of detail
    #[serde(default)]
    detail: Option<String>,
}

/// Allowed values of `asserted_by`.
const ASSERTERS: [&str; 4] = ["agent", "manual", "import", "enrichment"];

impl PageInput {
    /// Converts to the engine's input; missing provenance is taken from the source.
    pub fn plan(
        self,
        session: &Session,
        context: &VaultContext,
        source_ref: Option<&str>,
    ) -> Result<PageIngest> {
        let path = match self.expected_version {
            0 => target(session, context, &self.slug)?.into_string(),
            // An existing page may be referenced by any of its names.
            _ => match context.find_to_write(&self.slug)? {
                Some(page) => {
                    context.refuse_node(&page, &self.slug)?;
                    page.path
                }
                None => target(session, context, &self.slug)?.into_string(),
            },
        };
        let slug = self.slug;
        let with_slug = |failure: AppError| failure.at(&slug);
        let facts = self.assertions.into_iter().map(|one| one.plan(context, source_ref).map_err(with_slug));
        let relations = self.links.into_iter().map(|link| link.plan(context).map_err(with_slug));
        // A range, or a date that is written in another way, is left to the page's own rules.
        let today = context.now().date();
        let entry = |entry: EntryInput| NewEntry {
            date: date_on(&entry.date, today).map_or(entry.date, |date| date.to_string()),
            source: entry.source.or_else(|| source_ref.map(str::to_owned)),
            summary: entry.summary,
            detail: entry.detail,
        };
        let evidence = Evidence {
            facts: facts.collect::<Result<_>>()?,
            relations: relations.collect::<Result<_>>()?,
            entries: self.timeline_entries.into_iter().map(entry).collect(),
            tags: self.tags,
        };
        let dropped = Dropped::parse(self.drop.iter().map(String::as_str));
        let (content, append, expected_version) = (self.content, self.body_append, self.expected_version);
        if content.is_some() && append.is_some() {
            let hint = "pass content to replace the text of the page, or body_append to add to it";
            return Err(AppError::usage("content and body_append cannot be combined", hint).at(&slug));
        }
        if let Some(text) = &content {
            refuse_blank(context, &path, text.as_bytes(), &dropped).map_err(with_slug)?;
        }
        Ok(PageIngest { path, content, append, expected_version, evidence, dropped })
    }
}

/// Converts assertions to facts.
pub fn facts_of(context: &VaultContext, assertions: Vec<AssertionInput>) -> Result<Vec<NewFact>> {
    assertions.into_iter().map(|one| one.plan(context, None)).collect()
}

impl AssertionInput {
    fn plan(self, context: &VaultContext, source_ref: Option<&str>) -> Result<NewFact> {
        let by = self.asserted_by.unwrap_or_else(|| ASSERTERS[0].into());
        if !ASSERTERS.contains(&by.as_str()) {
            let hint = format!("use one of {}", ASSERTERS.join(", "));
            return Err(AppError::usage(format!("asserted_by: unknown value {by:?}"), hint));
        }
        if self.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
            return Err(AppError::usage(
                "the confidence is not between 0 and 1",
                "omit it if it is not known",
            ));
        }
        Ok(NewFact {
            subject: Some(self.subject.trim().to_owned()).filter(|subject| !subject.is_empty()),
            predicate: self.predicate,
            object: self.object,
            interval: interval(self.valid_from, self.valid_until, context)?,
            source: self.source_ref.or_else(|| source_ref.map(str::to_owned)),
            by: Some(by),
            confidence: self.confidence.map(|confidence| confidence.to_string()),
            evidence: self.evidence_text,
        })
    }
}

impl LinkInput {
    fn plan(self, context: &VaultContext) -> Result<NewRelation> {
        // A page that does not exist yet, or that the same call creates, is linked by the given name.
        let (target, label) = match context.find(&self.to) {
            Ok(Some(page)) => match context.node(&page, &self.to)? {
                Some(node) => node_target(&node),
                None => (page.slug, None),
            },
            Ok(None) => (self.to, None),
            Err(error @ Error::Ambiguous { .. }) => return Err(error.into()),
            Err(_) => (self.to, None),
        };
        Ok(NewRelation {
            label,
            relation: self.relationship.unwrap_or_else(|| "related".into()),
            target,
            context: self.context,
            interval: interval(self.valid_from, self.valid_until, context)?,
        })
    }
}

fn interval(from: Option<String>, until: Option<String>, context: &VaultContext) -> Result<Interval> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    as_of::interval(given(from).as_deref(), given(until).as_deref(), context)
}
