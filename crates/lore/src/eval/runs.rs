//! The rankings of the previous run of a set, and the questions that lost points since.

use std::collections::BTreeMap;
use std::path::Path;

use lore_vault::{read_text, write_passing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::measures::ndcg;
use super::set::Set;
use crate::app::error::{AppError, Result};

/// Name of the file in the work directory.
const FILE: &str = "run.json";

/// The ids found for each question, best first.
pub type Rankings = BTreeMap<String, Vec<String>>;

/// The rankings of a run by mode.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Runs {
    modes: BTreeMap<String, Rankings>,
}

/// A question that lost points.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LostPoints {
    /// Search mode.
    mode: String,
    /// Id of the question.
    id: String,
    question: String,
    /// nDCG@10 in the previous run.
    pub before: f64,
    /// nDCG@10 in this run.
    pub now: f64,
    answers: Vec<MovedAnswer>,
    /// The documents that now come before the first answer.
    ahead: Vec<String>,
}

/// The ranks of an answer; none if it is not among the first ten.
#[derive(Debug, Serialize, JsonSchema)]
struct MovedAnswer {
    id: String,
    before: Option<usize>,
    now: Option<usize>,
}

impl Runs {
    /// Reads the previous run; empty if there is none.
    pub fn read(folder: &Path) -> Result<Runs> {
        let path = folder.join(FILE);
        let Some(text) = read_text(&path)? else { return Ok(Runs::default()) };
        serde_json::from_str(&text).map_err(|error| {
            AppError::usage(format!("{}: {error}", path.display()), "delete the file and run again")
        })
    }

    /// Whether there was no previous run.
    pub fn is_empty(&self) -> bool {
        self.modes.is_empty()
    }

    /// Replaces the rankings of a mode and returns the previous ones.
    pub fn record(&mut self, mode: &str, rankings: &Rankings) -> Rankings {
        self.modes.insert(mode.to_owned(), rankings.clone()).unwrap_or_default()
    }

    /// Writes the run for the next comparison.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string(self).unwrap_or_default();
        Ok(write_passing(&folder.join(FILE), text.as_bytes())?)
    }
}

/// Returns the questions whose nDCG@10 fell, with the ranks of their answers.
pub fn lost_points(mode: &str, set: &Set, before: &Rankings, now: &Rankings) -> Vec<LostPoints> {
    let mut lost = Vec::new();
    for question in &set.questions {
        let found = (set.answers.get(&question.id), before.get(&question.id), now.get(&question.id));
        let (Some(answers), Some(old), Some(new)) = found else { continue };
        let (was, is) = (ndcg(old, answers), ndcg(new, answers));
        if is >= was {
            continue;
        }
        let rank = |list: &[String], id: &String| list.iter().position(|found| found == id).map(|at| at + 1);
        let mut ids: Vec<&String> = answers.keys().collect();
        ids.sort();
        let moved = |id: &String| MovedAnswer { id: id.clone(), before: rank(old, id), now: rank(new, id) };
        lost.push(LostPoints {
            mode: mode.to_owned(),
            id: question.id.clone(),
            question: question.text.clone(),
            before: was,
            now: is,
            answers: ids.into_iter().map(moved).collect(),
            ahead: new.iter().take_while(|id| !answers.contains_key(*id)).take(3).cloned().collect(),
        });
    }
    lost
}

impl LostPoints {
    /// Returns the question with its ranks as text.
    pub fn human(&self) -> String {
        let place =
            |rank: Option<usize>| rank.map_or_else(|| "not found".to_owned(), |rank| rank.to_string());
        let (mode, id, question) = (&self.mode, &self.id, &self.question);
        let (before, now) = (self.before * 100.0, self.now * 100.0);
        let mut text = format!("{mode}  {id}  nDCG@10 {before:.1} -> {now:.1}  {question}\n");
        for answer in &self.answers {
            text.push_str(&format!(
                "  {}: rank {} -> {}\n",
                answer.id,
                place(answer.before),
                place(answer.now)
            ));
        }
        if !self.ahead.is_empty() {
            text.push_str(&format!("  now before the first answer: {}\n", self.ahead.join(", ")));
        }
        text
    }
}
