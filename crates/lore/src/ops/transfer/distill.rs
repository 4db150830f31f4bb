//! `distill`: prepares a conversation for an agent that turns it into pages.

use clap::Args;
use lore_memory::{Candidate, CandidateKind, Distilled, distill};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::count;
use crate::ops::{Operation, Render};

/// List what is worth keeping from an imported conversation
///
/// Lists sentences that state decisions, facts or open questions, each with its turn, and the pages that the
/// conversation mentions with their versions. Nothing is written: read the turns, then write what is worth keeping with
/// `capture`, `edit`, `timeline-add` and `fact-add`, and cite the conversation as the source.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore distill sessions/claude-code/2026-01-02-deploy-the-engine\n  lore list --type conversation --since 7d"
)]
pub struct Distill {
    /// Page of the conversation
    #[arg(value_name = "SESSION")]
    session: String,
}

/// Output of `distill`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DistillOutput {
    slug: String,
    title: Line,
    /// Number of turns.
    turns: usize,
    /// Sentences that state decisions.
    decisions: Vec<CandidateItem>,
    /// Sentences that state facts or preferences.
    facts: Vec<CandidateItem>,
    /// Sentences about what is left to do or to find out.
    open: Vec<CandidateItem>,
    /// Number of sentences that are not listed.
    left_out: usize,
    /// Pages that the conversation mentions, most mentioned first.
    mentions: Vec<MentionItem>,
}

/// A sentence.
#[derive(Debug, Serialize, JsonSchema)]
struct CandidateItem {
    quote: Line,
    /// Who said it.
    speaker: Line,
    /// Time of the turn.
    #[serde(skip_serializing_if = "String::is_empty")]
    at: String,
    /// Link to the turn.
    link: String,
    /// Line number on the page.
    line: u32,
}

/// A page that is mentioned.
#[derive(Debug, Serialize, JsonSchema)]
struct MentionItem {
    slug: String,
    title: Line,
    /// Version, for a following change.
    version: u64,
    /// Number of mentions.
    times: usize,
}

impl Operation for Distill {
    const NAME: &'static str = "distill";
    type Output = DistillOutput;

    fn run(self, session: &Session) -> Result<DistillOutput> {
        Ok(DistillOutput::new(distill(session.fresh()?, &self.session)?))
    }
}

impl DistillOutput {
    fn new(found: Distilled) -> DistillOutput {
        let slug = found.page.slug.clone();
        let item = |one: &Candidate| CandidateItem {
            quote: one.quote.clone().into(),
            speaker: one.speaker.clone().into(),
            at: one.at.clone(),
            link: format!("[[{slug}#{}]]", one.anchor),
            line: one.line,
        };
        let of =
            |kind: CandidateKind| found.candidates.iter().filter(|one| one.kind == kind).map(item).collect();
        let mention = |one: &lore_memory::Mention| MentionItem {
            slug: one.page.slug.clone(),
            title: one.page.title.clone().into(),
            version: one.page.version,
            times: one.times,
        };
        DistillOutput {
            decisions: of(CandidateKind::Decision),
            facts: of(CandidateKind::Fact),
            open: of(CandidateKind::Open),
            mentions: found.mentions.iter().map(mention).collect(),
            title: found.page.title.clone().into(),
            turns: found.turns,
            left_out: found.left_out,
            slug: found.page.slug,
        }
    }
}

impl Render for DistillOutput {
    fn human(&self) -> String {
        let mut text = format!("{}: {}\n", self.title, count(self.turns as u64, "turn"));
        for (heading, items) in [("Decisions", &self.decisions), ("Facts", &self.facts), ("Open", &self.open)]
        {
            if !items.is_empty() {
                text.push_str(&format!("\n{heading}\n"));
                text.extend(
                    items.iter().map(|item| format!("- {}: {} {}\n", item.speaker, item.quote, item.link)),
                );
            }
        }
        if !self.mentions.is_empty() {
            text.push_str("\nPages mentioned\n");
            text.extend(
                self.mentions
                    .iter()
                    .map(|item| format!("- {} (version {}, {}×)\n", item.slug, item.version, item.times)),
            );
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(
            self.decisions.is_empty()
                && self.facts.is_empty()
                && self.open.is_empty()
                && self.mentions.is_empty(),
        )
    }
}
