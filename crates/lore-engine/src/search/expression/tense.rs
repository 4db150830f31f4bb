//! The time that a question asks about: today, a day in the past, or what was true before.

use lore_text::{PartialDate, fold};

use super::dates_in;

/// The time that a question asks about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::search) struct AskedTime {
    /// Whether it asks for what no longer holds.
    pub past: bool,
    /// A day, month or year in the past that it asks about.
    pub date: Option<PartialDate>,
}

/// Words and phrases that ask for what no longer holds, wherever they occur.
const PAST: [&str; 24] = [
    "in the past",
    "history of",
    "historically",
    "previous",
    "previously",
    "former",
    "formerly",
    "originally",
    "initially",
    "at first",
    "earlier",
    "back then",
    "at the time",
    "no longer",
    "not anymore",
    "the old",
    "our old",
    "my old",
    "old version",
    "old versions",
    "predecessor",
    "predecessors",
    "use to have",
    "did we use to",
];

/// Words and phrases that ask for the past in a question in the past tense.
const PAST_WITH_VERB: [&str; 6] = ["before", "prior to", "once", "until", "ever", "back in"];

/// Verbs of the past tense that carry a question.
const VERBS: [&str; 5] = ["did", "was", "were", "had", "used"];

/// Words after which `used to` means an instrument or a habit: `is used to send`.
const INSTRUMENT: [&str; 9] = ["is", "are", "be", "being", "been", "was", "were", "get", "gets"];

/// Words before a date that does not name the time asked about.
const NOT_AT: [&str; 7] = ["since", "after", "from", "to", "until", "till", "before"];

/// Returns the time that a question asks about.
pub(in crate::search) fn asked_time(question: &str, today: &str) -> AskedTime {
    let words: Vec<String> = question
        .split_whitespace()
        .take(64)
        .map(|word| fold(word.trim_matches(|letter: char| !letter.is_alphanumeric())))
        .collect();
    let text = format!(" {} ", words.join(" "));
    let has = |phrase: &&str| text.contains(&format!(" {phrase} "));
    let verb = VERBS.iter().any(|verb| words.iter().any(|word| word == verb));
    let past = PAST.iter().any(&has)
        || verb && PAST_WITH_VERB.iter().any(has)
        || used_to(&words)
        || before_date(&words, today)
        || words.last().is_some_and(|word| word == "history");
    AskedTime { past, date: past_date(&words, today) }
}

fn used_to(words: &[String]) -> bool {
    let at = words.windows(2).position(|two| two[0] == "used" && two[1] == "to");
    at.is_some_and(|at| {
        let before = at.checked_sub(1).map(|before| words[before].as_str()).unwrap_or_default();
        !INSTRUMENT.contains(&before)
    })
}

/// Whether a question asks for what was before a date that is over: "address before 2020", "the fee until March 2021".
fn before_date(words: &[String], today: &str) -> bool {
    let is_over = |date: &str| date.parse::<PartialDate>().is_ok_and(|date| date.last_day().as_str() < today);
    words.iter().enumerate().any(|(at, word)| {
        let previous = at.checked_sub(1).map(|at| words[at].as_str()).unwrap_or_default();
        let is_before = matches!(word.as_str(), "before" | "until" | "till")
            || word == "to" && matches!(previous, "prior" | "up");
        let rest = &words[at + 1..words.len().min(at + 4)];
        let is_year = |word: &String| word.len() == 4 && word.starts_with(['1', '2']) && is_over(word);
        is_before
            && (rest.first().is_some_and(is_year)
                || dates_in(&rest.join(" ")).iter().any(|date| is_over(date)))
    })
}

/// Returns the date in a question, if it is over.
fn past_date(words: &[String], today: &str) -> Option<PartialDate> {
    let year = |at: usize| -> Option<PartialDate> {
        let word = words.get(at).filter(|word| word.len() == 4 && word.starts_with(['1', '2']))?;
        let before = at.checked_sub(1).map(|before| words[before].as_str()).unwrap_or_default();
        if NOT_AT.contains(&before) { None } else { word.parse().ok() }
    };
    let full = dates_in(&words.join(" "));
    let full = full.iter().filter_map(|date| date.parse().ok());
    let mut dates = full.chain((0..words.len()).filter_map(year));
    dates.next().filter(|date: &PartialDate| date.last_day().as_str() < today)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, past: bool, date: Option<&str>) {
        let found = asked_time(question, "2026-06-15");
        let expected = AskedTime { past, date: date.map(|date| date.parse().expect("a date")) };
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn questions_about_the_past() {
        for question in [
            "who used to work at Acme?",
            "what did we use before",
            "what did we use before Postgres?",
            "history of the logo",
            "our pricing history",
            "previous office address",
            "What was the old policy? Show the old one.",
            "which tracker did we use to have",
            "where was the office originally",
            "address of the office before 2020",
            "the fee prior to 2021",
        ] {
            check(question, true, None);
        }
    }

    #[test]
    fn questions_about_the_present() {
        for question in [
            "which tool is used to send mail",
            "what to check before a release",
            "how old is Ada",
            "who is the CEO",
            "what was decided about logging",
            "what we use to deploy",
            "what to finish before 2030",
            "",
        ] {
            check(question, false, None);
        }
    }

    #[test]
    fn dates_that_are_over() {
        check("what was the fee in 2019", false, Some("2019"));
        check("who led the team in March 2024?", false, Some("2024-03"));
        check("the fee until March 2021", true, Some("2021-03"));
        check("the plan for 2026", false, None);
        check("the plan for 2030", false, None);
        check("what happened since 2020", false, None);
        check("room 4711", false, None);
    }
}
