//! Other readings of a question, for relations that are named otherwise: "former employees of Acme" asks who worked there,
//! "who left Acme in 2018" whose relation to it ended then.

use super::question::{Event, Order, RelationQuestion, Side, When};
use super::word_lists::{is_one_of, is_past_form, root};

/// Verbs of coming to belong to something; with all but the first only if a preposition says where: "who started Acme" is
/// not "who started at Acme".
const JOIN: [&str; 5] = ["join", "move", "arrive", "start", "begin"];

/// Verbs of no longer belonging to it.
const LEAVE: [&str; 5] = ["leave", "quit", "resign", "retire", "depart"];

/// Nouns for somebody in a relation, with its verb and the side on which the named page is.
const NOUNS: [(&str, Side, &str); 7] = [
    ("employee", Side::Object, "work"),
    ("employee", Side::Subject, "employ"),
    ("employer", Side::Subject, "work"),
    ("staff", Side::Object, "work"),
    ("resident", Side::Object, "live"),
    ("inhabitant", Side::Object, "live"),
    ("student", Side::Object, "study"),
];

/// Verbs of making: what somebody has made stays made by them.
const MAKE: [&str; 14] = [
    "found", "design", "build", "write", "make", "create", "invent", "paint", "draw", "compose", "direct",
    "produce", "discover", "develop",
];

/// Returns the readings of a question, most literal first. Those of one group mean the same and are answered together.
pub(super) fn readings(asked: RelationQuestion) -> Vec<Vec<RelationQuestion>> {
    let mut later = Vec::new();
    if let Some(event) = event(&asked) {
        // Who moved to a town lives there, whatever else they do there.
        if asked.words.iter().any(|word| root(word) == "move") {
            later.push(vec![event.with(vec!["live".to_owned()], event.side)]);
        }
        later.push(vec![event]);
    }
    later.extend(made(&asked).map(|made| vec![made]));
    let mut literal = agents(&asked);
    literal.retain(|agent| agent.verbs != asked.verbs);
    literal.insert(0, asked);
    later.insert(0, literal);
    later
}

/// Reads "who is it designed by" as "who was it designed by".
fn made(asked: &RelationQuestion) -> Option<RelationQuestion> {
    let is_made = |word: &String| is_past_form(word) && is_one_of(&MAKE, &root(word));
    let reads = asked.when == When::Now && asked.words.iter().any(is_made);
    reads.then(|| RelationQuestion { when: When::Ever, is_present: false, ..asked.clone() })
}

/// Reads "who joined Acme" as a question for the relations that began.
fn event(asked: &RelationQuestion) -> Option<RelationQuestion> {
    let is_verb = |word: &&String| is_one_of(&JOIN, &root(word)) || is_one_of(&LEAVE, &root(word));
    let (verbs, rest): (Vec<&String>, Vec<&String>) = asked.words.iter().partition(is_verb);
    let verb = root(verbs.first()?);
    let is_moved = match asked.side {
        Side::Object => asked.is_at,
        Side::Subject => matches!(asked.beginning.as_str(), "where" | "which") && verb != "start",
        Side::Role | Side::Either => return None,
    };
    let is_event = is_one_of(&JOIN[..1], &verb) || is_one_of(&LEAVE, &verb) || is_moved;
    // A tram that leaves a town does so every day, and what is left of something is not somebody who left.
    if !is_event || asked.when == When::Now || asked.beginning == "what" && asked.kind.is_none() {
        return None;
    }
    let event = if is_one_of(&LEAVE, &verb) { Event::Ended } else { Event::Began };
    let is_sorted = matches!(asked.order, Order::Earliest | Order::Latest);
    Some(RelationQuestion {
        event: Some(event),
        is_present: false,
        order: if is_sorted { asked.order } else { Order::Latest },
        ..asked.with(rest.into_iter().cloned().collect(), asked.side)
    })
}

/// Reads "the owner of it" as "who owns it", and the other way round.
fn agents(asked: &RelationQuestion) -> Vec<RelationQuestion> {
    let [word] = asked.words.as_slice() else { return Vec::new() };
    let with = |word: &str, side: Side| asked.with(vec![word.to_owned()], side);
    match asked.side {
        Side::Role | Side::Either => {
            let noun = word.strip_suffix('s').unwrap_or(word);
            let nouns = NOUNS.iter().filter(|(known, ..)| *known == noun || *known == word);
            let mut all: Vec<RelationQuestion> = nouns.map(|(_, side, verb)| with(verb, *side)).collect();
            let verb = noun.strip_suffix("er").or(noun.strip_suffix("or")).filter(|verb| verb.len() > 2);
            all.extend(verb.map(|verb| with(verb, Side::Object)));
            all
        }
        Side::Object => {
            let verb = asked.verbs[0].as_str();
            // A director and a supervisor, but an owner.
            let or = verb.ends_with(['s', 't']).then_some("or");
            let nouns = std::iter::once("er").chain(or);
            nouns.map(|ending| with(&format!("{verb}{ending}"), Side::Role)).collect()
        }
        Side::Subject => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::question::read;
    use super::*;

    /// Returns the readings of a question whose last word but these is a name.
    #[track_caller]
    fn check(question: &str, expected: &[&str]) {
        let words: Vec<String> = question.split(' ').map(str::to_lowercase).collect();
        let at = words.iter().position(|word| word == "acme").expect("a name");
        let asked = read(&words, at..at + 1, false, jiff::civil::date(2026, 6, 15)).expect(question);
        let found: Vec<String> = readings(asked)
            .iter()
            .flatten()
            .skip(1)
            .map(|one| {
                let event = one.event.map(|event| format!(" {event:?}")).unwrap_or_default();
                format!("{} {:?}{event}", one.verbs.join("+"), one.side)
            })
            .collect();
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn nouns_stand_for_verbs() {
        check("former employees of Acme", &["work Object", "employ Subject"]);
        check("who was the first owner of Acme", &["own Object"]);
        check("who owns Acme", &["owner Role"]);
        check("where does Acme work", &[]);
        check("who is the manager of Acme", &[]);
    }

    #[test]
    fn joining_and_leaving_are_events() {
        check("who left Acme", &["leaver Role", " Object Ended"]);
        check("who was the last to join Acme", &["joiner Role", " Object Began"]);
        check("who started working at Acme in 2016", &["work Object Began"]);
        check("which company did Acme leave in 2016", &[" Subject Ended"]);
        check("where did Acme move", &["live Subject Began", " Subject Began"]);
    }

    #[test]
    fn what_is_made_stays_made() {
        check("who is Acme designed by", &["design Object"]);
        check("who is Acme owned by", &["owner Role"]);
    }

    #[test]
    fn other_beginnings_and_ends_are_no_events() {
        check("who started Acme", &["starter Role", "startor Role"]);
        check("which tram leaves Acme", &["leaver Role"]);
        check("what is left of Acme", &[]);
        check("what did Acme leave", &[]);
    }
}
