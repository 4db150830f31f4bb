//! Remarks on an answer: that nothing is dated near the day asked for, or that the best line is somebody else's.

use crate::note::Note;
use crate::search::passages::{Candidate, Question, ScoredUnit};
use crate::search::result::Hit;

/// A line is near a day if it is at most this many days away.
const NEAR: i32 = 7;

/// The type of pages about people.
const PERSON: &str = "person";

/// Returns the remarks on the scored lines of an answer.
pub(super) fn remarks(
    text: &str,
    question: &Question,
    hits: &[Hit],
    pages: &[Candidate<'_>],
    scored: &[ScoredUnit],
) -> Vec<Note> {
    let mut notes = Vec::new();
    if scored.is_empty() {
        return notes;
    }
    let is_near = |unit: &ScoredUnit| unit.distance.is_some_and(|days| days <= NEAR);
    if !question.days.is_empty() && !scored.iter().any(is_near) {
        notes.push(Note::Remark("nothing is dated near the day in the question".to_owned()));
    }
    notes.extend(other_person(text, question, hits, pages, scored).map(Note::Remark));
    notes
}

/// Returns a remark if the question names a person, and the best line belongs to another one and does not mention them.
fn other_person(
    text: &str,
    question: &Question,
    hits: &[Hit],
    pages: &[Candidate<'_>],
    scored: &[ScoredUnit],
) -> Option<String> {
    let asked =
        names(hits, pages).into_iter().find(|name| question.names(name) && text.contains(first(name)))?;
    let best = scored.first()?;
    let page = pages.get(best.page)?;
    let unit = page.units.list.get(best.unit)?;
    let line = &page.text[unit.bytes.clone()];
    let hit = hits.get(best.page)?;
    let owner = match unit.speaker.clone() {
        Some(bytes) => &page.text[bytes],
        None => Some(hit.page.title.as_str()).filter(|_| hit.page.kind == PERSON)?,
    };
    let about_asked = question.names(owner) || line.contains(first(asked)) || hit.answers || hit.named;
    (!about_asked).then(|| format!("the best match belongs to {owner}, not to {asked}"))
}

/// Returns the people of the candidates: speakers, and titles of pages about people.
fn names<'a>(hits: &'a [Hit], pages: &[Candidate<'a>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (hit, page) in hits.iter().zip(pages) {
        let speakers = page.units.list.iter().filter_map(|unit| Some(&page.text[unit.speaker.clone()?]));
        let title = Some(hit.page.title.as_str()).filter(|_| hit.page.kind == PERSON);
        for name in speakers.chain(title) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn first(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}
