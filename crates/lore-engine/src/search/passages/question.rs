//! What a question asks for, besides its words.

use jiff::civil::Date;
use lore_text::{MONTHS, WEEKDAYS, folded_words, is_content_word};

use super::timing::Timing;
use crate::search::expression::{AskedTime, NamedDay, days_in};

/// Words that tell when something happened, besides the names of days and months.
const TIMES: [&str; 25] = [
    "yesterday",
    "today",
    "tonight",
    "tomorrow",
    "last",
    "next",
    "ago",
    "week",
    "weeks",
    "weekend",
    "month",
    "months",
    "year",
    "years",
    "recently",
    "since",
    "morning",
    "night",
    "evening",
    "afternoon",
    "day",
    "days",
    "until",
    "birthday",
    "anniversary",
];

/// A question.
#[derive(Debug, Default)]
pub(in crate::search) struct Question {
    /// Its words, folded.
    pub words: Vec<String>,
    /// Its content words, folded and without duplicates.
    pub content: Vec<String>,
    /// Whether it asks for a time.
    pub asks_when: bool,
    /// The days that it names.
    pub days: Vec<NamedDay>,
    /// Words that are numbers of those days: the 10 of `10 April` is not the 10 of `age 10`.
    pub numbers: Vec<String>,
    /// Which of several dated lines it asks for.
    pub(super) timing: Timing,
}

impl Question {
    /// Reads a question that is asked today about a time.
    pub(in crate::search) fn new(text: &str, today: Date, time: AskedTime) -> Question {
        let mut words = Vec::new();
        folded_words(text, &mut |word| words.push(word.to_owned()));
        let mut content: Vec<String> = Vec::new();
        for word in words.iter().filter(|word| word.len() > 1 && is_content_word(word)) {
            if !content.contains(word) {
                content.push(word.clone());
            }
        }
        let asks_when = asks_when(&words);
        let (mut days, numbers) = days_in(text);
        content.retain(|word| !numbers.contains(word));
        let timing = Timing::new(text, today, time, !days.is_empty());
        // What is before a day is not near it.
        if timing.is_bounded() {
            days.clear();
        }
        Question { words, content, asks_when, days, numbers, timing }
    }

    /// Returns whether the question contains a name, or the first word of one.
    pub(in crate::search) fn names(&self, name: &str) -> bool {
        let mut first = None;
        folded_words(name, &mut |word| _ = first.get_or_insert_with(|| word.to_owned()));
        first.is_some_and(|first| first.len() > 1 && self.words.contains(&first))
    }
}

fn asks_when(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    match (word(0), word(1)) {
        ("when" | "since", _) | ("how", "long") => true,
        ("what" | "which" | "in" | "on", second) => {
            let unit = if matches!(second, "what" | "which") { word(2) } else { second };
            matches!(unit, "date" | "day" | "year" | "month" | "week" | "time")
        }
        _ => false,
    }
}

/// Returns whether a folded word tells when something happened.
pub(in crate::search) fn is_time(word: &str) -> bool {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let is_name = MONTHS.contains(&word) || WEEKDAYS.iter().any(|(name, _)| *name == word);
    is_name || TIMES.contains(&word) || is_year && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_a_time_are_recognized() {
        for (text, expected) in [
            ("When did Ada leave?", true),
            ("How long has she run it?", true),
            ("Which year did it start?", true),
            ("In which month was it?", true),
            ("What did Ada buy?", false),
            ("", false),
        ] {
            assert_eq!(
                Question::new(text, Date::default(), AskedTime::default()).asks_when,
                expected,
                "{text}"
            );
        }
        assert!(is_time("yesterday") && is_time("2023") && !is_time("tram") && !is_time("1800"));
    }
}
