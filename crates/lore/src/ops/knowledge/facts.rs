//! `facts` and `fact-add`.

use clap::Args;
use lore_memory::{FactQuery, FactRow, NewAssertion};
use lore_page::edit::NewFact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::as_of::{Moment, day_of, interval};
use crate::ops::knowledge::links::Validity;
use crate::ops::line::Line;
use crate::ops::views::{WriteResult, count, lines};
use crate::ops::{Operation, Render};

/// List facts with their validity and source
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore facts people/ada\n  lore facts --predicate role --temporal all\n  lore facts --since '1 day'\n  lore facts people/ada --as-of 2019-06\n  lore facts --subject 'Ada Lovelace' --as-of-commit HEAD~20"
)]
pub struct Facts {
    /// Only facts on or about this page [default: the whole vault]
    #[arg(value_name = "REF")]
    #[serde(default)]
    reference: Option<String>,
    /// Only this predicate
    #[arg(long, value_name = "P")]
    #[serde(default)]
    predicate: Option<String>,
    /// Only facts about this subject: a page, or the subject as written
    #[arg(long, value_name = "S")]
    #[serde(default)]
    subject: Option<String>,
    /// Temporal filter [default: current]
    #[arg(long, value_enum)]
    #[serde(default)]
    temporal: Option<Validity>,
    /// Only facts that began or ended since: `7d`, `last week`, a date
    #[arg(long, value_name = "TIMEFRAME", conflicts_with_all = ["temporal", "as_of", "as_of_commit"])]
    #[serde(default)]
    since: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    moment: Moment,
}

/// Add a fact, closing the previous value of a single-valued predicate
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore fact-add people/ada role 'Chief Engineer' --valid-from 2024-03-01 --source meeting/123\n  lore fact-add notes/offsite lives_in Paris --subject 'Ada Lovelace' --by agent --confidence 0.8\n\nMost predicates have one value at a time; knows, uses, skills and the like have several, and [facts] in lore.toml declares others. The previous value ends the day before the new one begins (today if no date is given) and stays on the page with its provenance."
)]
pub struct FactAdd {
    /// Page that the fact is written into
    #[arg(value_name = "REF")]
    reference: String,
    /// Predicate, in one word: role, lives_in, knows
    #[arg(value_name = "PREDICATE")]
    predicate: String,
    /// Value of the fact
    #[arg(value_name = "OBJECT", allow_hyphen_values = true)]
    object: String,
    /// Subject, if it is not the page
    #[arg(long, value_name = "S")]
    #[serde(default)]
    subject: Option<String>,
    /// Valid since: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    valid_from: Option<String>,
    /// Valid until, inclusive
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    valid_until: Option<String>,
    /// Source of the information
    #[arg(long, value_name = "S")]
    #[serde(default)]
    source: Option<String>,
    /// Who asserts it
    #[arg(long, value_name = "B")]
    #[serde(default)]
    by: Option<String>,
    /// Confidence, from 0 to 1
    #[arg(long, value_name = "C")]
    #[serde(default)]
    confidence: Option<f64>,
    /// Quoted evidence
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    evidence: Option<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// A fact.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactItem {
    /// Fact id, the same on every machine, after every rebuild and after the fact has ended.
    id: u64,
    /// Subject of the fact.
    subject: String,
    /// Page of the subject, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    predicate: String,
    object: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    /// Source of the information.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Who asserts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// Confidence, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<String>,
    /// Quoted evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<String>,
    /// Page with the fact.
    page: String,
    path: Line,
    line: u32,
}

/// Output of `facts`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactList {
    facts: Vec<FactItem>,
    /// Number of facts that match but are valid at other times.
    left_out: usize,
}

/// Output of `fact-add`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FactAdded {
    #[serde(flatten)]
    write: WriteResult,
    /// The fact after the write.
    fact: FactItem,
    /// Values that it ended, after the write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ended: Vec<FactItem>,
}

impl Operation for Facts {
    const NAME: &'static str = "facts";
    type Output = FactList;

    fn run(self, session: &Session) -> Result<FactList> {
        let context = &*self.moment.view(session)?;
        let page = self.reference.as_deref().map(|reference| context.page(reference)).transpose()?;
        let default_validity = if self.since.is_some() { Validity::All } else { Validity::Current };
        let holding = self.moment.holding(context, self.temporal, default_validity)?;
        let query = FactQuery {
            page: page.as_ref(),
            subject: self.subject.as_deref(),
            predicate: self.predicate.as_deref(),
            temporal: holding.temporal,
            day: &holding.day,
        };
        let mut found = lore_memory::facts(context, &query)?;
        if let Some(since) = &self.since {
            let first = day_of(since, context)?;
            found.facts.retain(|fact| changed_between(fact, &first, &context.today()));
            found.left_out = 0;
        }
        let visible = session.visible(context)?;
        let facts = found.facts.into_iter().map(FactItem::from);
        let facts = facts.filter(|fact| page.is_some() || visible.has(&fact.page)).collect();
        Ok(FactList { facts, left_out: found.left_out })
    }
}

/// Whether a fact began or ended in this range of days, as far as its dates are known.
pub fn changed_between(fact: &FactRow, first: &str, last: &str) -> bool {
    let within = |day: String| (first..=last).contains(&day.as_str());
    let interval = fact.statement.interval;
    interval.from.is_some_and(|date| within(date.first_day()))
        || interval.until.is_some_and(|date| within(date.last_day()))
}

impl Operation for FactAdd {
    const NAME: &'static str = "fact-add";
    const WRITES: bool = true;
    type Output = FactAdded;

    fn run(self, session: &Session) -> Result<FactAdded> {
        let context = session.fresh()?;
        let interval = interval(self.valid_from.as_deref(), self.valid_until.as_deref(), context)?;
        if let Some(confidence) = self.confidence.filter(|confidence| !(0.0..=1.0).contains(confidence)) {
            return Err(AppError::usage(
                format!("{confidence} is not a confidence"),
                "use a number from 0 to 1",
            ));
        }
        let page = context.page_to_write(&self.reference)?;
        context.refuse_node(&page, &self.reference)?;
        let fact = NewFact {
            subject: self.subject,
            predicate: self.predicate,
            object: self.object,
            interval,
            source: self.source,
            by: self.by,
            confidence: self.confidence.map(|confidence| confidence.to_string()),
            evidence: self.evidence,
        };
        let new = NewAssertion { page: &page, fact, expected_version: self.expected_version };
        let result = lore_memory::add_fact(context, &new)?;
        let ended = result.ended.into_iter().map(FactItem::from).collect();
        Ok(FactAdded { write: WriteResult::new(result.receipt), fact: result.fact.into(), ended })
    }
}

impl From<FactRow> for FactItem {
    fn from(row: FactRow) -> FactItem {
        let statement = row.statement;
        let note = |name: &str| statement.note(name).map(str::to_owned);
        FactItem {
            id: row.id,
            subject: row.subject,
            about: row.about,
            valid_from: statement.interval.from.map(|date| date.to_string()),
            valid_until: statement.interval.until.map(|date| date.to_string()),
            source: note("source"),
            by: note("by"),
            confidence: note("confidence"),
            evidence: note("evidence"),
            page: row.page,
            path: row.path.into(),
            line: statement.lines.first,
            predicate: statement.predicate,
            object: statement.object,
        }
    }
}

impl FactItem {
    /// Returns `subject predicate object {from..until}`.
    pub fn sentence(&self) -> String {
        let dates = match (&self.valid_from, &self.valid_until) {
            (None, None) => String::new(),
            (from, until) => {
                let text = |date: &Option<String>| date.clone().unwrap_or_default();
                format!(" {{{}..{}}}", text(from), text(until))
            }
        };
        format!("{} {} {}{dates}", self.subject, self.predicate, self.object)
    }

    /// Returns the provenance as written.
    fn provenance(&self) -> String {
        let named = [("source", &self.source), ("by", &self.by), ("confidence", &self.confidence)];
        let named =
            named.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value.as_ref()?)));
        named.chain(self.evidence.iter().map(|words| format!("\"{words}\""))).collect::<Vec<_>>().join("; ")
    }

    fn two_lines(&self) -> String {
        let place = format!("{}:{}  {}", self.path, self.line, self.provenance());
        format!("{:>16}  {}\n{:18}{}\n", self.id, self.sentence(), "", place.trim_end())
    }
}

impl Render for FactList {
    fn human(&self) -> String {
        let mut text: String = self.facts.iter().map(FactItem::two_lines).collect();
        if self.facts.is_empty() {
            text.push_str("no facts\n");
        }
        if self.left_out > 0 {
            let more = count(self.left_out as u64, "more fact");
            text.push_str(&format!("{more} at other times: --temporal all\n"));
        }
        text
    }

    fn brief(&self) -> String {
        lines(self.facts.iter().map(FactItem::sentence))
    }

    fn exit(&self) -> u8 {
        u8::from(self.facts.is_empty())
    }
}

impl Render for FactAdded {
    fn human(&self) -> String {
        let mut text = self.write.human();
        if self.write.outcome == "unchanged" {
            text.push_str(&format!("already on line {}\n", self.fact.line));
        }
        text.push_str(&self.fact.two_lines());
        text.extend(self.ended.iter().map(|fact| format!("ended:  {}\n", fact.sentence())));
        text
    }

    fn brief(&self) -> String {
        format!("{}\n", self.fact.id)
    }
}
