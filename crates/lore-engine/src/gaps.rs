//! Questions that the memory answers badly. Only the checksum of a question is kept: its words come back from whoever
//! asked, when somebody allows it, and are held against the checksum. A gap closes when a page is said to fill it, or
//! when the same question is asked again and is answered well.

use lore_page::fold;

use crate::capture::{page_terms, refuse_secret};
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::hash::{ContentHash, stable_number};
use crate::intake::{GapRow, Sensitivity};
use crate::likeness::terms;
use crate::memory::Memory;
use crate::novelty::nearness;
use crate::search::Hit;

/// A question that found no answer.
#[derive(Debug, Default)]
pub struct NewGap {
    /// The question, of which only the checksum is kept.
    pub question: String,
    /// What is known about it, kept as it is.
    pub context: Option<String>,
    /// How well it was answered, from 0 to 1.
    pub confidence: Option<f64>,
}

/// What somebody allows to be done with a gap.
#[derive(Debug)]
pub struct Approval {
    /// How far it may be carried outside.
    pub sensitivity: Sensitivity,
    /// Who allows it.
    pub approver: String,
    /// The question without what must stay inside.
    pub redacted_query: Option<String>,
    /// The question itself, word for word.
    pub query_text: Option<String>,
}

/// The id of a question's gap: the same wherever it is asked.
pub fn gap_id(question: &str) -> u64 {
    id_of(ContentHash::of(question.as_bytes()))
}

fn id_of(hash: ContentHash) -> u64 {
    stable_number(&["gap", &hash.to_string()])
}

/// Notes a gap, or counts one that is known once more and opens it again. It is `internal` until somebody allows more.
pub fn add_gap(memory: &Memory, new: &NewGap) -> Result<GapRow> {
    if new.question.trim().is_empty() {
        return Err(bad("the question is empty", "say what was asked"));
    }
    if new.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err(bad("the confidence is not between 0 and 1", "leave it out where it is not known"));
    }
    let context = new.context.as_deref().unwrap_or_default().trim();
    let question = plain(&new.question);
    if !question.is_empty() && plain(context).contains(&question) {
        let hint = "say what it was asked for, not what was asked: a context is kept as it is";
        return Err(bad("the context contains the whole question, which is not kept", hint));
    }
    refuse_secret(memory, "the context", context)?;
    let query_hash = ContentHash::of(new.question.as_bytes());
    let (id, now) = (id_of(query_hash), memory.now().timestamp().as_millisecond());
    change(memory, |known| {
        let mut gap = match known(id)? {
            Some(known) => GapRow { times: known.times + 1, resolved: None, ..known },
            None => GapRow {
                id,
                query_hash,
                query_text: None,
                context: String::new(),
                confidence: None,
                sensitivity: Sensitivity::Internal,
                times: 1,
                approved: None,
                redacted_query: None,
                resolved: None,
                detected: now,
            },
        };
        gap.confidence = new.confidence.or(gap.confidence);
        if !context.is_empty() {
            gap.context = context.to_owned();
        }
        Ok(gap)
    })
}

/// Allows more than `internal`, under somebody's name. An earlier approval is replaced by this one, words included.
pub fn approve_gap(memory: &Memory, id: u64, approval: &Approval) -> Result<GapRow> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let (redacted_query, query_text) = (filled(&approval.redacted_query), filled(&approval.query_text));
    let approver = approval.approver.trim();
    if approver.is_empty() {
        return Err(bad("nobody is named who allows it", "give a name: it is kept with the approval"));
    }
    match approval.sensitivity {
        Sensitivity::Internal => {
            return Err(bad("a gap is internal from the start", "allow `redacted` or `external`"));
        }
        Sensitivity::Redacted if redacted_query.is_none() => {
            let hint = "write the question without names, sums and terms, and give it as the redacted query";
            return Err(bad("a redacted approval needs the redacted question", hint));
        }
        _ => {}
    }
    for (what, text) in [("the redacted query", &redacted_query), ("the question", &query_text)] {
        refuse_secret(memory, what, text.as_deref().unwrap_or_default())?;
    }
    let now = memory.now().timestamp().as_millisecond();
    change(memory, |known| {
        let gap = known(id)?.ok_or(Error::NoGap { id })?;
        let is_question = |text: &String| ContentHash::of(text.as_bytes()) == gap.query_hash;
        if query_text.as_ref().is_some_and(|text| !is_question(text)) {
            let hint = "give the question word for word as it was asked, or leave it out";
            return Err(bad(&format!("this is not the question of gap {id}"), hint));
        }
        if let Some(redacted) = &redacted_query {
            let whole = query_text.as_ref().is_some_and(|text| plain(redacted).contains(&plain(text)));
            if whole || is_question(redacted) {
                let hint = "take out what must stay inside";
                return Err(bad("the redacted query is the question itself", hint));
            }
        }
        Ok(GapRow {
            sensitivity: approval.sensitivity,
            approved: Some((approver.to_owned(), now)),
            redacted_query: redacted_query.clone(),
            query_text: query_text.clone(),
            ..gap
        })
    })
}

/// Closes a gap: the page at this path answers it.
pub fn resolve_gap(memory: &Memory, id: u64, path: &str) -> Result<GapRow> {
    let now = memory.now().timestamp().as_millisecond();
    change(memory, |known| {
        let gap = known(id)?.ok_or(Error::NoGap { id })?;
        Ok(GapRow { resolved: Some((path.to_owned(), now)), ..gap })
    })
}

/// Fails where one of these is no gap.
pub fn check_gaps(memory: &Memory, ids: &[u64]) -> Result<()> {
    for id in ids {
        memory.store().gap(memory.project(), *id)?.ok_or(Error::NoGap { id: *id })?;
    }
    Ok(())
}

/// Weighs the answer to a plain question. One that is answered badly becomes a gap where the policy says so; a gap whose
/// question is answered well is closed. Gives what to tell whoever asked; that nothing could be noted is told, and spoils
/// no answer.
pub fn weigh(memory: &Memory, question: &str, hits: &[Hit]) -> Option<String> {
    // What a link or a fact answers is answered, whatever words the page has.
    let best = hits.iter().find(|hit| hit.answers).or(hits.first());
    let weighed = try_weigh(memory, question, best);
    weighed.unwrap_or_else(|error| Some(format!("how well this was answered is not noted: {error}")))
}

fn try_weigh(memory: &Memory, question: &str, best: Option<&Hit>) -> Result<Option<String>> {
    let policy = memory.policy();
    let id = gap_id(question);
    let known = memory.store().gap(memory.project(), id)?;
    let open = known.is_some_and(|gap| gap.resolved.is_none());
    if !(policy.gaps.log || open) || terms(question).is_empty() {
        return Ok(None);
    }
    let threshold = policy.gaps.threshold;
    let confidence = match best {
        Some(best) => confidence(memory, question, best, threshold)?,
        None => 0.0,
    };
    match best {
        Some(best) if confidence >= threshold => {
            if !open {
                return Ok(None);
            }
            resolve_gap(memory, id, &best.page.path)?;
            Ok(Some(format!("gap {id} is closed: {} answers it now", best.page.slug)))
        }
        _ if policy.gaps.log => {
            let gap = NewGap { question: question.to_owned(), context: None, confidence: Some(confidence) };
            let times = add_gap(memory, &gap)?.times;
            let times = if times > 1 { format!(", asked {times} times") } else { String::new() };
            Ok(Some(format!(
                "no page answers this well (confidence {confidence:.2}): noted as gap {id}{times}, without its words"
            )))
        }
        _ => Ok(None),
    }
}

/// How well a page answers a question, from 0 to 1: the share of the question's words that are on it, or its nearness
/// in meaning, whichever is more. Unlike a hit's score it can be compared from question to question. Words are counted
/// first: where they are enough, no model is asked.
fn confidence(memory: &Memory, question: &str, best: &Hit, enough: f64) -> Result<f64> {
    if best.answers || matches!(memory.find(question), Ok(Some(_)) | Err(Error::Ambiguous { .. })) {
        return Ok(1.0);
    }
    let asked = terms(question);
    let there = page_terms(memory, &best.page)?;
    let covered = asked.intersection(&there).count() as f64 / asked.len().max(1) as f64;
    if covered >= enough {
        return Ok(covered);
    }
    let near =
        nearness(memory, question, &best.page, &|embedder: &dyn Embedder| embedder.embed_query(question))?;
    Ok(near.unwrap_or_default().max(covered))
}

/// Reads and writes gaps as one step.
fn change(
    memory: &Memory,
    make: impl Fn(&dyn Fn(u64) -> Result<Option<GapRow>>) -> Result<GapRow>,
) -> Result<GapRow> {
    let (store, project) = (memory.store(), memory.project());
    let mut changed = None;
    store.transaction(&mut || {
        let gap = make(&|id| store.gap(project, id))?;
        store.put_gap(project, &gap)?;
        changed = Some(gap);
        Ok(())
    })?;
    Ok(changed.expect("the transaction ran"))
}

/// A text in one case, its white space made one space each, without the marks around it.
fn plain(text: &str) -> String {
    let words = fold(text).split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}

fn bad(message: &str, hint: &str) -> Error {
    Error::BadInput { message: message.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_of_the_question_as_it_was_asked() {
        assert_eq!(gap_id("Who runs Acme?"), gap_id("Who runs Acme?"));
        for other in ["who runs Acme?", "Who runs Acme", " Who runs Acme?", "Who runs Acme?\n", ""] {
            assert_ne!(gap_id("Who runs Acme?"), gap_id(other), "{other:?}");
        }
        assert!(gap_id("x") < 1 << 52, "exact in JSON");
    }

    #[test]
    fn case_white_space_and_marks_do_not_hide_a_question() {
        let question = plain("Who  runs\nAcme?");
        for context in ["they asked: WHO RUNS ACME", "who runs acme?!", "“Who runs Acme?” said Bob"] {
            assert!(plain(context).contains(&question), "{context}");
        }
        assert!(!plain("about the head of a company").contains(&question));
    }
}
