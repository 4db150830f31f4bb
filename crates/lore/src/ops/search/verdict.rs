//! How well a question is answered, as every search reports it.

use lore_engine::{AnswerQuality, SearchResult, Verdict as EngineVerdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::session::Session;
use crate::ops::views::short;

/// Whether a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The hits answer it.
    Answered,
    /// They may answer it: check them before relying on them.
    Unsure,
    /// No page answers it.
    Nothing,
}

impl From<EngineVerdict> for Verdict {
    fn from(verdict: EngineVerdict) -> Verdict {
        match verdict {
            EngineVerdict::Answered => Verdict::Answered,
            EngineVerdict::Unsure => Verdict::Unsure,
            EngineVerdict::Nothing => Verdict::Nothing,
        }
    }
}

impl Verdict {
    /// Returns the confidence of a hit, rounded, and its verdict. Hits that were not judged are pages of a filter.
    pub fn of_hit(confidence: Option<f64>) -> (f64, Verdict) {
        let confidence = confidence.unwrap_or(1.0);
        (rounded(confidence), EngineVerdict::of(confidence).into())
    }
}

/// How well a question is answered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Judgement {
    /// Confidence that the hits answer the question, from 0 to 1; comparable across questions.
    pub confidence: f64,
    /// `answered`, `unsure` (check the hits before relying on them) or `nothing` (no page answers it).
    pub verdict: Verdict,
    /// The nearest pages, if none answers and the hits are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearPage>,
    /// How to see the hits that were left out.
    #[serde(skip)]
    hint: String,
}

/// A page that comes near.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NearPage {
    pub slug: String,
    pub title: String,
}

impl Judgement {
    /// Returns the judgement of a result.
    pub fn new(session: &Session, found: &SearchResult) -> Judgement {
        match &found.quality {
            Some(AnswerQuality { confidence, verdict, nearest, .. }) => Judgement {
                confidence: rounded(*confidence),
                verdict: (*verdict).into(),
                nearest: nearest
                    .iter()
                    .map(|page| NearPage { slug: page.slug.clone(), title: page.title.clone() })
                    .collect(),
                hint: session.hint("pass --all to see them"),
            },
            None => Judgement::listed(found.hits.is_empty()),
        }
    }

    /// Returns the judgement of a list of pages without a question.
    pub fn listed(is_empty: bool) -> Judgement {
        let (confidence, verdict) = match is_empty {
            true => (0.0, Verdict::Nothing),
            false => (1.0, Verdict::Answered),
        };
        Judgement { confidence, verdict, nearest: Vec::new(), hint: String::new() }
    }

    /// Returns the line above the hits; empty if they answer the question.
    pub fn head(&self) -> String {
        match self.verdict {
            Verdict::Answered | Verdict::Nothing => String::new(),
            Verdict::Unsure => {
                format!("unsure (confidence {:.2}): check whether these pages answer it\n", self.confidence)
            }
        }
    }

    /// Returns the sentence that stands for hits that do not answer; `none` if there were none at all.
    pub fn nothing(&self, none: &str) -> String {
        let near: Vec<String> =
            self.nearest.iter().map(|page| format!("{} [{}]", page.title, page.slug)).collect();
        match near.is_empty() {
            true => format!("{none}\n"),
            false => format!(
                "no page answers this (confidence {:.2})\nnearest: {} ({})\n",
                self.confidence,
                near.join(", "),
                self.hint
            ),
        }
    }
}

fn rounded(confidence: f64) -> f64 {
    // Rounding must not lift a confidence over a threshold.
    let hundredths = (confidence * 100.0).floor() / 100.0;
    short(hundredths)
}
