//! Abstention: how well the confidence tells questions with an answer from those without one.

use std::collections::HashMap;

use lore_engine::{SearchRequest, Verdict, search};
use schemars::JsonSchema;
use serde::Serialize;

use super::{EvalFolder, EvaluatedVault, Evaluation, RESULT_LIMIT};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::eval::{Deal, Pair, Set, auroc, deal};
use crate::ops::search::request::{Mode, request};

/// How well questions without an answer are recognized.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Recognition {
    /// `halves`: the other half of the documents has no answer; `scopes`: the next scope has none.
    deal: &'static str,
    /// Number of questions; each was asked twice.
    questions: usize,
    /// Probability that a question with an answer has a higher confidence than one without.
    auroc: f64,
    /// Share of the questions without an answer whose verdict is `answered`.
    answered_without: f64,
    /// Share of the questions with an answer whose verdict is `nothing`.
    nothing_with: f64,
}

/// Measures a set.
pub(super) fn measure(
    session: &Session,
    folder: &EvalFolder,
    set: Set,
    name: String,
    mode: Option<Mode>,
) -> Result<Evaluation> {
    if set.documents.is_empty() {
        return Err(AppError::usage(
            "--paired needs documents to leave out",
            "add corpus.jsonl to the set, or leave out --paired",
        ));
    }
    let documents = set.documents.values().map(Vec::len).sum();
    let mut deals = vec![("halves", Deal::Halves)];
    if set.documents.len() > 1 {
        deals.push(("scopes", Deal::Scopes));
    }
    let (mut found, mut model, questions) = (Vec::new(), None, set.questions.len());
    for (deal_name, kind) in deals {
        let (scopes, pairs) = deal(set.clone(), kind);
        let vaults = folder.vaults(session, deal_name, &scopes)?;
        if let Some(vault) = vaults.values().next() {
            model = vault.context().active_model()?.map(|row| row.identity.name);
        }
        found.push(recognition(session, deal_name, &pairs, &vaults, mode.unwrap_or_default())?);
    }
    Ok(Evaluation { set: name, documents, questions, model, modes: Vec::new(), lost: None, paired: found })
}

fn recognition(
    session: &Session,
    deal: &'static str,
    pairs: &[Pair],
    vaults: &HashMap<String, EvaluatedVault<'_>>,
    mode: Mode,
) -> Result<Recognition> {
    let progress = session.talk.progress("Asking");
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for (at, pair) in pairs.iter().enumerate() {
        for (scope, confidences) in [(&pair.with, &mut with), (&pair.without, &mut without)] {
            let Some(vault) = vaults.get(scope) else { continue };
            confidences.push(confidence(session, vault, &pair.question.text, mode)?);
        }
        progress(at + 1, pairs.len())?;
    }
    session.talk.finish();
    let share = |confidences: &[f64], verdict: Verdict| {
        let count = confidences.iter().filter(|confidence| Verdict::of(**confidence) == verdict).count();
        count as f64 / confidences.len().max(1) as f64
    };
    Ok(Recognition {
        deal,
        questions: pairs.len(),
        auroc: auroc(&with, &without),
        answered_without: share(&without, Verdict::Answered),
        nothing_with: share(&with, Verdict::Nothing),
    })
}

fn confidence(session: &Session, vault: &EvaluatedVault<'_>, question: &str, mode: Mode) -> Result<f64> {
    let request = SearchRequest {
        text: question.to_owned(),
        limit: RESULT_LIMIT,
        judge: true,
        ..request(session, mode)?
    };
    Ok(search(vault.context(), &request)?.quality.map_or(0.0, |quality| quality.confidence))
}

/// Renders the results as a table.
pub(super) fn table(all: &[Recognition]) -> String {
    let mut text = String::new();
    if !all.is_empty() {
        text.push_str("deal      questions AUROC   answered without  nothing with\n");
    }
    for row in all {
        let shares = [row.auroc, row.answered_without, row.nothing_with].map(|value| value * 100.0);
        text.push_str(&format!(
            "{:<10}{:<10}{:<8.1}{:<18.1}{:.1}\n",
            row.deal, row.questions, shares[0], shares[1], shares[2]
        ));
    }
    text
}
