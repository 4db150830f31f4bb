//! The place in time that a question asks for: the first or the last of several dated lines, those before or after a
//! date.

use jiff::civil::Date;
use lore_text::fold;

use crate::search::expression::{AskedTime, periods_in};

/// Words that ask for the earliest of several.
const FIRST: [&str; 4] = ["first", "earliest", "oldest", "original"];

/// Words that ask for the latest of several.
const LAST: [&str; 6] = ["last", "latest", "newest", "recent", "recently", "lately"];

/// Words after `first` or `last` that make it a part of a name or of a time: `last week`, `first name`.
const NOT_ORDER: [&str; 20] = [
    "week", "weekend", "month", "year", "night", "day", "days", "weeks", "months", "years", "quarter",
    "name", "names", "aid", "class", "floor", "step", "half", "spring", "summer",
];

/// Words before a date that exclude it, or what is on its other side.
const BEFORE: [&str; 2] = ["before", "prior"];
const UNTIL: [&str; 3] = ["until", "till", "by"];
const AFTER: [&str; 1] = ["after"];
const SINCE: [&str; 1] = ["since"];

/// Words between one of these and its date.
const FILLERS: [&str; 5] = ["to", "the", "end", "of", "year"];

/// Which of several dated lines that match equally goes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Order {
    /// None of them.
    #[default]
    Any,
    /// The newest, because nothing else is asked for.
    Current,
    /// The newest, because the question says so.
    Last,
    /// The oldest.
    First,
}

/// The place in time that a question asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Timing {
    pub order: Order,
    from: Option<Date>,
    until: Option<Date>,
}

impl Timing {
    /// Reads a question that is asked today. `names_day` tells whether it names a day.
    pub(super) fn new(question: &str, today: Date, time: AskedTime, names_day: bool) -> Timing {
        let trim = |word: &str| fold(word.trim_matches(|letter: char| !letter.is_alphanumeric()));
        let words: Vec<String> = question.split_whitespace().take(64).map(trim).collect();
        let (from, until) = bounds(&words, today);
        let order = match () {
            () if has_order(&words, &FIRST) => Order::First,
            () if has_order(&words, &LAST) => Order::Last,
            () if from.is_some() || until.is_some() => Order::Current,
            () if time.past || time.date.is_some() || names_day => Order::Any,
            () => Order::Current,
        };
        Timing { order, from, until }
    }

    /// Whether the question asks for what is before or after a date.
    pub(super) fn is_bounded(&self) -> bool {
        self.from.is_some() || self.until.is_some()
    }

    /// Whether a day is within the bounds.
    pub(super) fn covers(&self, day: Date) -> bool {
        self.from.is_none_or(|from| day >= from) && self.until.is_none_or(|until| day <= until)
    }

    /// Whether a word only tells the order.
    pub(super) fn is_order(&self, word: &str) -> bool {
        match self.order {
            Order::First => FIRST.contains(&word),
            Order::Last => LAST.contains(&word),
            Order::Any | Order::Current => false,
        }
    }
}

fn has_order(words: &[String], list: &[&str]) -> bool {
    let is_part = |at: usize| words.get(at + 1).is_some_and(|next| NOT_ORDER.contains(&next.as_str()));
    // What was `at first` is the past rather than the first of several.
    let is_past = |at: usize| at.checked_sub(1).is_some_and(|before| words[before] == "at");
    words.iter().enumerate().any(|(at, word)| list.contains(&word.as_str()) && !is_part(at) && !is_past(at))
}

/// Returns the first and the last day that a question asks for.
fn bounds(words: &[String], today: Date) -> (Option<Date>, Option<Date>) {
    let day = |text: String| text.parse::<Date>().ok();
    let (mut from, mut until) = (None, None);
    for named in periods_in(words, today) {
        let (first, last) = (day(named.period.from.first_day()), day(named.period.until.last_day()));
        let mut before = words[..named.words.start].iter().rev().map(String::as_str);
        let before = before.find(|word| !FILLERS.contains(word)).unwrap_or_default();
        match () {
            () if matches!(words[named.words.start].as_str(), "between" | "from") => {
                (from, until) = (first, last)
            }
            () if BEFORE.contains(&before) => until = first.and_then(|day| day.yesterday().ok()),
            () if UNTIL.contains(&before) => until = last,
            () if AFTER.contains(&before) => from = last.and_then(|day| day.tomorrow().ok()),
            () if SINCE.contains(&before) => from = first,
            () => {}
        }
    }
    (from, until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::expression::asked_time;

    const TODAY: &str = "2026-06-15";

    fn date(text: &str) -> Date {
        text.parse().expect("a day")
    }

    #[track_caller]
    fn check(question: &str, order: Order, from: &str, until: &str) {
        let time = asked_time(question, TODAY);
        let found = Timing::new(question, date(TODAY), time, question.contains("April"));
        let day = |text: &str| (!text.is_empty()).then(|| date(text));
        assert_eq!(found, Timing { order, from: day(from), until: day(until) }, "{question}");
    }

    #[test]
    fn newest_goes_first_unless_the_question_says_otherwise() {
        check("How much does Minka weigh?", Order::Current, "", "");
        check("Which hive swarmed first?", Order::First, "", "");
        check("the most recent visit", Order::Last, "", "");
        check("what happened last week", Order::Current, "", "");
        check("what did she weigh at first", Order::Any, "", "");
        check("what was her previous weight", Order::Any, "", "");
        check("what did she weigh in 2019", Order::Any, "", "");
        check("what happened on 10 April", Order::Any, "", "");
    }

    #[test]
    fn bounds_are_days() {
        check("which hive swarmed before 2023", Order::Current, "", "2022-12-31");
        check("prior to March 2021", Order::Current, "", "2021-02-28");
        check("visits since May 2021", Order::Current, "2021-05-01", "");
        check("visits after 2020 and until 2021-03-04", Order::Current, "2021-01-01", "2021-03-04");
        check("visits between 2020 and 2021", Order::Current, "2020-01-01", "2021-12-31");
        check("visits from 2020 to 2021", Order::Current, "2020-01-01", "2021-12-31");
        check("visits since last year", Order::Current, "2025-01-01", "");
        check("what to check before a release", Order::Current, "", "");
        check("who called after lunch on 2021-03-04", Order::Any, "", "");
        let timing = Timing::new("before 2023", date(TODAY), AskedTime::default(), false);
        assert!(timing.covers(date("2022-12-31")));
        assert!(!timing.covers(date("2023-01-01")));
    }
}
