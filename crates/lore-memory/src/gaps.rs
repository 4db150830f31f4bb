//! Questions that the memory answers poorly. Only the hash of a question is stored. Its words are supplied by the
//! caller when somebody approves the gap, and are verified against the hash. A gap closes when a page is said to fill
//! it, or when the same question is asked again and answered well.

use lore_engine::{AnswerQuality, Error, Result, VaultContext, Verdict, refuse_secret};
use lore_ports::{GapRow, PageRow, Sensitivity, transaction};
use lore_text::{ContentHash, fold, on_one_line, stable_number};

/// An unanswered question.
#[derive(Debug, Default)]
pub struct NewGap {
    /// The question, of which only the hash is stored.
    pub question: String,
    /// Context, stored as is.
    pub context: Option<String>,
    /// Confidence of the best answer, from 0 to 1.
    pub confidence: Option<f64>,
    /// Name of the namespace that it was asked in; none if it was asked of the whole vault.
    pub namespace: Option<String>,
}

/// Approval to use a gap outside the vault.
#[derive(Debug)]
pub struct Approval {
    /// How much may be disclosed.
    pub sensitivity: Sensitivity,
    /// Name of the approver.
    pub approver: String,
    /// The question without confidential parts.
    pub redacted_query: Option<String>,
    /// The exact question.
    pub query_text: Option<String>,
}

/// Returns the id of a question's gap, which is the same everywhere.
pub fn gap_id(question: &str) -> u64 {
    id_of(ContentHash::of(question.as_bytes()))
}

fn id_of(hash: ContentHash) -> u64 {
    stable_number(&["gap", &hash.to_string()])
}

/// Adds a gap, or counts a known one again and reopens it. It is `internal` until approved for more.
pub fn add_gap(context: &VaultContext, new: &NewGap) -> Result<GapRow> {
    if new.question.trim().is_empty() {
        return Err(bad_input("the question is empty", "pass the question that was asked"));
    }
    if new.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err(bad_input("the confidence is not between 0 and 1", "omit it if it is unknown"));
    }
    let note = new.context.as_deref().unwrap_or_default().trim();
    let question = plain(&new.question);
    if !question.is_empty() && plain(note).contains(&question) {
        let hint = "describe the purpose, not the question: the context is stored as is";
        return Err(bad_input("the context contains the question, which must not be stored", hint));
    }
    refuse_secret(context, "the context", note)?;
    let query_hash = ContentHash::of(new.question.as_bytes());
    let (id, now) = (id_of(query_hash), context.now().timestamp().as_millisecond());
    change(context, |known| {
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
                namespaces: Vec::new(),
                detected: now,
            },
        };
        gap.confidence = new.confidence.or(gap.confidence);
        if !note.is_empty() {
            gap.context = note.to_owned();
        }
        if let Some(namespace) = new.namespace.as_ref().filter(|name| !gap.namespaces.contains(name)) {
            gap.namespaces.push(namespace.clone());
            gap.namespaces.sort();
        }
        Ok(gap)
    })
}

/// Approves a gap for more than `internal`, under the approver's name. Replaces an earlier approval; approved texts are kept
/// unless others are given, except that a narrower approval drops the question itself.
pub fn approve_gap(context: &VaultContext, id: u64, approval: &Approval) -> Result<GapRow> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let (redacted_query, query_text) = (filled(&approval.redacted_query), filled(&approval.query_text));
    let approver = approval.approver.trim();
    if approver.is_empty() {
        return Err(bad_input("the approver is missing", "pass a name: it is stored with the approval"));
    }
    if approval.sensitivity == Sensitivity::Internal {
        return Err(bad_input("gaps are internal by default", "approve as `redacted` or `external`"));
    }
    refuse_secret(context, "the approver", approver)?;
    for (what, text) in [("the redacted query", &redacted_query), ("the question", &query_text)] {
        refuse_secret(context, what, text.as_deref().unwrap_or_default())?;
    }
    let now = context.now().timestamp().as_millisecond();
    change(context, |known| {
        let gap = known(id)?.ok_or(Error::NoGap { id })?;
        let is_question = |text: &String| ContentHash::of(text.as_bytes()) == gap.query_hash;
        if query_text.as_ref().is_some_and(|text| !is_question(text)) {
            let hint = "pass the exact question as it was asked, or omit it";
            return Err(bad_input(&format!("this is not the question of gap {id}"), hint));
        }
        let is_redacted = approval.sensitivity == Sensitivity::Redacted;
        if is_redacted && redacted_query.is_none() && gap.redacted_query.is_none() {
            let hint = "pass the question without names, amounts and terms as the redacted query";
            return Err(bad_input("a redacted approval needs a redacted query", hint));
        }
        let kept_text =
            gap.query_text.clone().filter(|_| !is_redacted || gap.sensitivity == Sensitivity::Redacted);
        if let Some(redacted) = &redacted_query {
            let whole = query_text.as_ref().is_some_and(|text| plain(redacted).contains(&plain(text)));
            if whole || is_question(redacted) {
                let hint = "remove the confidential parts";
                return Err(bad_input("the redacted query is the question itself", hint));
            }
        }
        Ok(GapRow {
            sensitivity: approval.sensitivity,
            approved: Some((approver.to_owned(), now)),
            redacted_query: redacted_query.clone().or(gap.redacted_query),
            query_text: query_text.clone().or(kept_text),
            ..gap
        })
    })
}

/// Closes a gap answered by the page at this path.
pub fn resolve_gap(context: &VaultContext, id: u64, path: &str) -> Result<GapRow> {
    let now = context.now().timestamp().as_millisecond();
    change(context, |known| {
        let gap = known(id)?.ok_or(Error::NoGap { id })?;
        Ok(GapRow { resolved: Some((path.to_owned(), now)), ..gap })
    })
}

/// Returns an error if one of these gaps does not exist.
pub fn check_gaps(context: &VaultContext, ids: &[u64]) -> Result<()> {
    for id in ids {
        context.store().gap(context.project(), *id)?.ok_or(Error::NoGap { id: *id })?;
    }
    Ok(())
}

/// Returns whether asking a question may change its gap, so that the answer must be judged: the policy logs poorly
/// answered questions, or this one has an open gap.
pub fn is_watched(context: &VaultContext, question: &str) -> Result<bool> {
    Ok(context.policy().gaps.log || has_open_gap(context, question)?)
}

/// Records how well a plain question was answered: a poor answer becomes a gap if the policy enables it, and a good one
/// closes an open gap. Returns a note for the caller; failing to record it is only a note too.
pub fn record_answer(
    context: &VaultContext,
    question: &str,
    namespace: Option<&str>,
    quality: &AnswerQuality,
) -> Option<String> {
    let id = gap_id(question);
    let recorded = effect(context, question, quality).and_then(|effect| match effect {
        GapEffect::None => Ok(None),
        GapEffect::Closes(page) => {
            resolve_gap(context, id, &page.path)?;
            Ok(Some(format!("gap {id} is closed: {} answers it", page.slug)))
        }
        GapEffect::Opens(confidence) => {
            let gap = NewGap {
                question: question.to_owned(),
                context: None,
                confidence: Some(confidence),
                namespace: namespace.map(str::to_owned),
            };
            let times = add_gap(context, &gap)?.times;
            let times = if times > 1 { format!(", asked {times} times") } else { String::new() };
            Ok(Some(format!(
                "no page answers this well (confidence {confidence:.2}): recorded as gap {id}{times}, without its text"
            )))
        }
    });
    recorded.unwrap_or_else(|error| Some(format!("cannot record how well this was answered: {error}")))
}

/// Returns what [`record_answer`] would do, as a note for a caller who may not write.
pub fn unrecorded_answer(context: &VaultContext, question: &str, quality: &AnswerQuality) -> Option<String> {
    match effect(context, question, quality) {
        Ok(GapEffect::None) => None,
        Ok(GapEffect::Closes(page)) => Some(format!(
            "{} answers gap {}, which stays open: access is read-only",
            page.slug,
            gap_id(question)
        )),
        Ok(GapEffect::Opens(confidence)) => Some(format!(
            "no page answers this well (confidence {confidence:.2}): not recorded as a gap, because access is read-only"
        )),
        Err(error) => Some(format!("cannot tell whether this is a gap: {error}")),
    }
}

/// What an answer does to the gap of its question.
enum GapEffect<'a> {
    None,
    /// The page answers an open gap.
    Closes(&'a PageRow),
    /// No page answers well; with the confidence of the best.
    Opens(f64),
}

fn effect<'a>(context: &VaultContext, question: &str, quality: &'a AnswerQuality) -> Result<GapEffect<'a>> {
    let gaps = &context.policy().gaps;
    let (is_answered, is_missing) = match gaps.threshold {
        Some(threshold) => (quality.confidence >= threshold, quality.confidence < threshold),
        None => (quality.verdict == Verdict::Answered, quality.verdict == Verdict::Nothing),
    };
    Ok(match &quality.page {
        Some(page) if is_answered => match has_open_gap(context, question)? {
            true => GapEffect::Closes(page),
            false => GapEffect::None,
        },
        None => {
            if gaps.log {
                GapEffect::Opens(0.0)
            } else {
                GapEffect::None
            }
        }
        _ if gaps.log && is_missing => GapEffect::Opens(quality.confidence),
        _ => GapEffect::None,
    })
}

fn has_open_gap(context: &VaultContext, question: &str) -> Result<bool> {
    let known = context.store().gap(context.project(), gap_id(question))?;
    Ok(known.is_some_and(|gap| gap.resolved.is_none()))
}

/// Reads and writes a gap in one transaction.
fn change(
    context: &VaultContext,
    make: impl Fn(&dyn Fn(u64) -> Result<Option<GapRow>>) -> Result<GapRow>,
) -> Result<GapRow> {
    let (store, project) = (context.store(), context.project());
    transaction(store, || {
        let gap = make(&|id| Ok(store.gap(project, id)?))?;
        store.put_gap(project, &gap)?;
        Ok(gap)
    })
}

/// Folds case, collapses whitespace and strips surrounding punctuation.
fn plain(text: &str) -> String {
    let words = on_one_line(&fold(text));
    words.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}

fn bad_input(message: &str, hint: &str) -> Error {
    Error::BadInput { message: message.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_depends_on_the_exact_question() {
        assert_eq!(gap_id("Who runs Acme?"), gap_id("Who runs Acme?"));
        for other in ["who runs Acme?", "Who runs Acme", " Who runs Acme?", "Who runs Acme?\n", ""] {
            assert_ne!(gap_id("Who runs Acme?"), gap_id(other), "{other:?}");
        }
        assert!(gap_id("x") < 1 << 52, "exact in JSON");
    }

    #[test]
    fn plain_ignores_case_whitespace_and_punctuation() {
        let question = plain("Who  runs\nAcme?");
        for context in ["they asked: WHO RUNS ACME", "who runs acme?!", "“Who runs Acme?” said Bob"] {
            assert!(plain(context).contains(&question), "{context}");
        }
        assert!(!plain("about the head of a company").contains(&question));
    }
}
