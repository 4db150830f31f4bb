//! The time that a question asks about: today, a day in the past, or what was true before.

use jiff::civil::Date;
use lore_text::{PartialDate, fold, foreign_stop_words};

use super::habit::{is_capitalized, says_used_to};
use super::past_words::{
    AMBIGUOUS_PAST, FOREIGN_BEFORE, FOREIGN_PAST, NAMES, NOT_AT, PAST, PAST_WITH_VERB, VERBS,
};
use super::periods::periods_in;
use super::without_accents;

/// The time that a question asks about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::search) struct AskedTime {
    /// Whether it asks for what no longer holds.
    pub past: bool,
    /// A day, month or year in the past that it asks about; of a longer period, its end.
    pub date: Option<PartialDate>,
}

/// Returns the time that a question asks about.
pub(in crate::search) fn asked_time(question: &str, today: &str) -> AskedTime {
    asked_time_among(question, today, &[])
}

/// Returns the time that a question asks about. Words of the past in these titles are names.
pub(in crate::search) fn asked_time_among(question: &str, today: &str, titles: &[&str]) -> AskedTime {
    let typed = typed_words(question);
    let words: Vec<String> = typed.iter().map(|word| fold(word)).collect();
    let verb = VERBS.iter().any(|verb| words.iter().any(|word| word == verb));
    // "What was the old pricing" asks for the page of that title.
    let titles = if verb { &[] } else { titles };
    let has = |phrase: &&str| has_phrase(&typed, &words, phrase, titles);
    let past = PAST.iter().any(has)
        || verb && PAST_WITH_VERB.iter().any(has)
        || says_used_to(&typed, &words)
        || words.len() > 1 && words[0] == "old" && !is_name(&typed, &words, 0, titles)
        || in_another_language(&words, has)
        || before_date(&words, today)
        || words.last().is_some_and(|word| word == "history");
    AskedTime { past, date: past_date(&words, verb, today) }
}

fn typed_words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().take(64);
    let words = words.map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether a phrase is in a question and is no part of a name.
fn has_phrase(typed: &[&str], words: &[String], phrase: &str, titles: &[&str]) -> bool {
    let parts: Vec<&str> = phrase.split(' ').collect();
    let found = (0..words.len()).filter(|at| {
        words.get(*at..at + parts.len()).is_some_and(|words| words.iter().zip(&parts).all(|(a, b)| a == b))
    });
    let mut found = found.map(|at| at + parts.len() - 1);
    found.any(|last| !is_name(typed, words, last, titles))
}

/// Whether a word of the past is part of a name: `the Old Mill Road`, `the Former Brewery`, `the old town`.
fn is_name(typed: &[&str], words: &[String], at: usize, titles: &[&str]) -> bool {
    let (Some(next), Some(following)) = (typed.get(at + 1), words.get(at + 1)) else { return false };
    // The first word of a question is capitalized anyway.
    let capitals = at > 0 && is_capitalized(typed[at]) && is_capitalized(next);
    let is_thing = matches!(words[at].as_str(), "old" | "first") && NAMES.contains(&following.as_str());
    capitals || is_thing || titles.iter().any(|title| is_named_in(title, &words[at], following))
}

/// Whether two words are part of a longer name in a title: `old mill` in `Old Mill Road`, but not in `Old mill`.
fn is_named_in(title: &str, first: &str, second: &str) -> bool {
    let words = typed_words(title);
    let mut pairs = words.windows(2).filter(|_| words.len() > 2);
    pairs.any(|pair| is_capitalized(pair[1]) && fold(pair[0]) == first && fold(pair[1]) == second)
}

/// Whether a question in another language asks for the past: "Wer war früher unser Hausarzt?".
fn in_another_language(words: &[String], has: impl Fn(&&str) -> bool) -> bool {
    if FOREIGN_PAST.iter().any(&has) {
        return true;
    }
    let says_before = words.last().is_some_and(|word| FOREIGN_BEFORE.contains(&word.as_str()));
    (says_before || AMBIGUOUS_PAST.iter().any(has)) && {
        let plain: Vec<String> = words.iter().map(|word| without_accents(word)).collect();
        !foreign_stop_words(plain.iter().map(String::as_str)).is_empty()
    }
}

/// Whether a question asks for what was before a date that is over: "address before 2020", "the fee until March 2021".
fn before_date(words: &[String], today: &str) -> bool {
    let Some(day) = day(today) else { return false };
    let is_over = |date: PartialDate| date.last_day().as_str() < today;
    periods_in(words, day).iter().filter(|named| is_over(named.period.until)).any(|named| {
        let before = |back: usize| {
            let at = named.words.start.checked_sub(back);
            at.map(|at| words[at].as_str()).unwrap_or_default()
        };
        matches!(before(1), "before" | "until" | "till")
            || before(1) == "to" && matches!(before(2), "prior" | "up")
    })
}

/// Returns the date in a question, if it is over.
fn past_date(words: &[String], verb: bool, today: &str) -> Option<PartialDate> {
    let mut found = periods_in(words, day(today)?);
    found.retain(|named| {
        let before = named.words.start.checked_sub(1).map(|at| words[at].as_str()).unwrap_or_default();
        let is_one_year = named.period.is_years() && named.period.from == named.period.until;
        // "Compared with last year" is about today.
        !(is_one_year && NOT_AT.contains(&before)) && (verb || !named.is_relative)
    });
    found.sort_by_key(|named| named.period.is_years());
    let date = found.first().map(|named| named.period.until);
    date.filter(|date| date.last_day().as_str() < today)
}

fn day(today: &str) -> Option<Date> {
    today.parse().ok()
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
            "old office address",
            "what was our first office",
            "unser ehemaliger Hausarzt",
            "Wer war früher unser Hausarzt?",
            "quelle était l'adresse de la clinique avant ?",
            "chi era il proprietario della casa prima",
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
            "what does parking on the Old Mill Road cost",
            "how much is the hall of the Former Brewery",
            "opening hours of the old town museum",
            "where was the first aid kit",
            "what to check prima facie",
            "que faire avant de fermer la porte",
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
        check("rent in 05/2019", false, Some("2019-05"));
        check("who led it between 2012 and 2015", false, Some("2015"));
        check("who led it in the 1990s", false, Some("1999"));
        check("what was the rent two years ago", false, Some("2024"));
        check("rent compared with last year", false, None);
    }

    #[test]
    fn words_of_titles_are_names() {
        for (title, past) in
            [("Old Mill Road parking", false), ("Old Mill", true), ("Old mill pricing", true)]
        {
            let found = asked_time_among("where is the old mill", "2026-06-15", &[title]);
            assert_eq!(found.past, past, "{title}");
        }
        assert!(asked_time_among("what was the old mill road", "2026-06-15", &["Old Mill Road"]).past);
    }
}
