//! Parses questions about a relation: "who works at Acme", "what did Ada invest in", "who knew Ada in 2023", "who was the
//! first CEO of Acme". Uses a small grammar over the words around a name, without a model; anything else is not a relational question.

use std::ops::Range;

use jiff::civil::Date;
use lore_page::Interval;
use lore_text::{PartialDate, month_number};

use crate::search::expression::{Period, asked_period, periods_in};

use super::word_lists::{
    BEGINNINGS, FIRST, HAVE, LAST, PAST, PREPOSITIONS, PRESENT, TIME, TODAY, is_past_form, root, telling,
};

/// What a question asks about the page it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RelationQuestion {
    /// The words that name the relation.
    pub words: Vec<String>,
    /// Their stems; without any, every relation of belonging is meant.
    pub verbs: Vec<String>,
    /// The word with which the question begins, if any.
    pub beginning: String,
    /// Whether a preposition stands before the name: `at Acme`.
    pub is_at: bool,
    /// Which side of the relation the named page is on.
    pub side: Side,
    /// The type of an answer, if the question names one.
    pub kind: Option<String>,
    /// When the relation must be valid.
    pub when: When,
    /// Whether it asks for what holds, rather than for what held.
    pub is_present: bool,
    /// Whether the period begins the time asked about: `since 2018`.
    pub is_since: bool,
    /// Whether it asks for what began or ended, rather than for what was valid.
    pub event: Option<Event>,
    /// In which order the answers come.
    pub order: Order,
}

/// What happened to a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Began,
    Ended,
}

/// The order of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Those that hold first, then the latest.
    CurrentFirst,
    /// Those that hold last: the question asks for the past.
    CurrentLast,
    /// The first to begin.
    Earliest,
    /// The last to begin.
    Latest,
}

/// Which side of a relation a page is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The subject: the answers are the objects.
    Subject,
    /// The object: the answers are the subjects.
    Object,
    /// `the CEO of Acme`: the answers are the objects of `ceo` and the subjects of `ceo_of`.
    Role,
    /// `Acme's ceo`: either.
    Either,
}

/// When a relation must be valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Today.
    Now,
    /// At any time.
    Ever,
    /// At some time within this period.
    At(Period),
}

impl RelationQuestion {
    /// Returns the date of an interval that counts: its beginning, or its end if the question asks what ended.
    pub(super) fn date(&self, interval: Interval) -> Option<PartialDate> {
        match self.event {
            Some(Event::Ended) => interval.until,
            _ => interval.from,
        }
    }

    /// Returns the question with other words for the relation, seen from another side.
    pub(super) fn with(&self, words: Vec<String>, side: Side) -> RelationQuestion {
        let verbs = words.iter().map(|word| root(word)).collect();
        RelationQuestion { words, verbs, side, ..self.clone() }
    }
}

/// Parses a question whose words at `named` are the name of a page. Words are folded and stripped of punctuation.
pub(super) fn read(
    words: &[String],
    named: Range<usize>,
    possessive: bool,
    today: Date,
) -> Option<RelationQuestion> {
    let first = words.iter().position(|word| BEGINNINGS.contains(&word.as_str())).filter(|at| *at < 2);
    if first.is_some_and(|first| first >= named.start) {
        return None;
    }
    let around = Around::new(words, &named, today);
    let start = first.map_or(0, |first| first + 1);
    let (before, after) = (around.undated(start..named.start), around.undated(named.end..words.len()));
    // "former CEO of Acme" and "Acme's CEO in 2015" are questions too.
    let is_role = before.iter().rev().find(|word| *word != "the").is_some_and(|word| word == "of");
    if first.is_none() && !is_role && !possessive {
        return None;
    }
    let beginning = first.map_or("", |first| words[first].as_str());
    let is_by = after.last().is_some_and(|word| word == "by") || first == Some(1) && words[0] == "by";
    let form = Form { is_possessive: possessive, is_role, is_by, beginning };
    let (telling, side) = form.side(&before, &after)?;
    let (telling, kind) = apart(telling, beginning, &before);
    let when = around.when();
    let order = around.order(when);
    let is_sorted = matches!(order, Order::Earliest | Order::Latest);
    let when = if is_sorted && when == When::Now { When::Ever } else { when };
    Some(RelationQuestion {
        verbs: telling.iter().map(|word| root(word)).collect(),
        words: telling,
        beginning: beginning.to_owned(),
        is_at: before.last().is_some_and(|word| word != "of" && PREPOSITIONS.contains(&word.as_str())),
        side,
        kind,
        when,
        is_present: when == When::Now,
        is_since: around.is_since,
        event: None,
        order,
    })
}

/// The form of a question.
struct Form<'w> {
    is_possessive: bool,
    /// Whether "of" stands before the name.
    is_role: bool,
    /// Whether it asks by whom something is done.
    is_by: bool,
    beginning: &'w str,
}

impl Form<'_> {
    fn is_who_at(&self, before: &[String]) -> bool {
        self.beginning == "who" && before.last().is_some_and(|word| word == "at")
    }

    /// Returns the words that name the relation, and the side that the named page is on.
    fn side(&self, before: &[String], after: &[String]) -> Option<(Vec<String>, Side)> {
        let (ahead, mut behind) = (telling(before), telling(after));
        // "What role did Ada have" and "what role did Ada hold".
        let has = matches!(self.beginning, "what" | "which")
            && !ahead.is_empty()
            && after.iter().any(|word| HAVE.contains(&word.as_str()));
        if has {
            behind.retain(|word| !HAVE.contains(&word.as_str()));
        }
        Some(match (ahead.is_empty(), behind.is_empty()) {
            // "Who is at Acme" asks who works there, or belongs to it otherwise.
            (true, true) if self.is_who_at(before) => (Vec::new(), Side::Object),
            (true, true) => return None,
            (false, _) if self.is_possessive && self.beginning.is_empty() => return None,
            _ if self.is_possessive => ([ahead, behind].concat(), Side::Either),
            (_, false) => ([ahead, behind].concat(), if self.is_by { Side::Object } else { Side::Subject }),
            (false, true) if before.last().is_some_and(|word| word == "by") => (ahead, Side::Subject),
            (false, true) if self.is_role => (ahead, Side::Role),
            (false, true) if has => (ahead, Side::Either),
            (false, true) => (ahead, Side::Object),
        })
    }
}

/// The words around a name.
struct Around<'w> {
    words: &'w [String],
    /// Whether each is neither part of the name nor of a date.
    counts: Vec<bool>,
    period: Option<Period>,
    /// Whether "since" stands before the period.
    is_since: bool,
}

impl<'w> Around<'w> {
    fn new(words: &'w [String], named: &Range<usize>, today: Date) -> Around<'w> {
        // The name is no part of a date.
        let outside: Vec<&str> = (words.iter().enumerate())
            .map(|(at, word)| if named.contains(&at) { "" } else { word.as_str() })
            .collect();
        let dated = periods_in(&outside, today);
        let counts = |at: usize| !named.contains(&at) && !dated.iter().any(|one| one.words.contains(&at));
        let asked = asked_period(&outside, today);
        let before = asked.as_ref().and_then(|named| named.words.start.checked_sub(1));
        Around {
            words,
            counts: (0..words.len()).map(counts).collect(),
            period: asked.map(|named| named.period),
            is_since: before.is_some_and(|at| outside[at] == "since"),
        }
    }

    /// Returns those words of a range that do not state a date.
    fn undated(&self, range: Range<usize>) -> Vec<String> {
        let is_date = |word: &str| {
            month_number(word).is_some()
                || word.starts_with(|first: char| first.is_ascii_digit())
                || word == "as"
        };
        let mut kept: Vec<String> = Vec::new();
        for at in range.filter(|at| self.counts[*at] && !is_date(&self.words[*at])) {
            // "Where did Ada use to work" asks where she worked.
            if self.words[at] == "to" && kept.last().is_some_and(|last| last == "use") {
                kept.pop();
            }
            kept.push(self.words[at].clone());
        }
        kept
    }

    fn has(&self, list: &[&str]) -> bool {
        let mut words = self.words.iter().zip(&self.counts).filter(|(_, counts)| **counts);
        words.any(|(word, _)| list.contains(&word.as_str()))
    }

    fn when(&self) -> When {
        let words = self.words.iter().zip(&self.counts).filter(|(_, counts)| **counts);
        let words: Vec<&str> = words.map(|(word, _)| word.as_str()).collect();
        let is_past = |word: &str| word == "used" || is_past_form(word);
        match () {
            () if self.period.is_some() => self.period.map_or(When::Now, When::At),
            () if self.has(&TODAY) => When::Now,
            () if self.has(&PAST) || self.has(&TIME) => When::Ever,
            () if words.windows(2).any(|two| matches!(two[0], "who" | "that") && is_past(two[1])) => {
                When::Ever
            }
            // Who it is owned by is who owns it.
            () if self.has(&PRESENT) => When::Now,
            () if words.iter().any(|word| is_past(word)) => When::Ever,
            () => When::Now,
        }
    }

    fn order(&self, when: When) -> Order {
        match () {
            () if self.has(&FIRST) => Order::Earliest,
            () if self.has(&LAST) => Order::Latest,
            () if self.has(&["until", "till"]) => Order::CurrentLast,
            // "Who has worked at Acme" includes the present.
            () if self.has(&["has", "have"]) || self.has(&TODAY) => Order::CurrentFirst,
            () if when == When::Ever => Order::CurrentLast,
            () => Order::CurrentFirst,
        }
    }
}

/// Splits off the answer's type: `which companies did Ada invest in` asks for companies.
fn apart(mut words: Vec<String>, beginning: &str, before: &[String]) -> (Vec<String>, Option<String>) {
    let noun = before.first().filter(|_| matches!(beginning, "what" | "which" | "list" | "name" | "show"));
    let noun = noun.filter(|noun| words.len() > 1 && words.first() == Some(noun)).map(|noun| root(noun));
    if noun.is_some() {
        words.remove(0);
    }
    (words, noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a question whose name is in brackets.
    fn reading(question: &str) -> String {
        let mut words = Vec::new();
        let (mut start, mut end, mut possessive) = (0, 0, false);
        for word in question.split_whitespace() {
            if word.starts_with('[') {
                start = words.len();
            }
            words.push(word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase());
            if word.contains(']') {
                end = words.len();
                possessive = word.ends_with("'s");
                let last = words.last_mut().expect("just pushed");
                *last = last.trim_end_matches("]'s").to_owned();
            }
        }
        match read(&words, start..end, possessive, jiff::civil::date(2026, 6, 15)) {
            Some(RelationQuestion { verbs, side, kind, when, order, .. }) => {
                let kind = kind.map(|kind| format!(" a {kind}")).unwrap_or_default();
                let order = if order == Order::CurrentFirst { String::new() } else { format!(" {order:?}") };
                let when = match when {
                    When::At(Period { from, until }) if from == until => format!("At {from}"),
                    When::At(Period { from, until }) => format!("At {from}..{until}"),
                    when => format!("{when:?}"),
                };
                format!("{} {side:?}{kind} {when}{order}", verbs.join("+"))
            }
            None => "none".into(),
        }
    }

    #[track_caller]
    fn check(question: &str, expected: &str) {
        assert_eq!(reading(question), expected, "{question}");
    }

    #[test]
    fn questions_about_the_subject() {
        check("who works at [Acme]?", "work Object Now");
        check("Who worked at [Acme]", "work Object Ever CurrentLast");
        check("who has invested in [Oyster Capital]", "invest Object Ever");
        check("who is the CEO of [Acme]?", "ceo Role Now");
        check("who currently knows [Ada]", "know Object Now");
        check("who is no longer at [Acme]", " Object Ever CurrentLast");
        check("which people report to [Ada]", "report Object Now");
    }

    #[test]
    fn questions_about_the_object() {
        check("what did [Ada] invest in?", "invest Subject Ever CurrentLast");
        check("where does [Ada Berg] work", "work Subject Now");
        check("which companies did [Ada] invest in", "invest Subject a compani Ever CurrentLast");
        check("who does [Ada] know", "know Subject Now");
        check("what was founded by [Ada]", "found Subject Ever CurrentLast");
        check("who was [Acme] founded by", "found Object Ever CurrentLast");
        check("what is [Ada]'s role", "role Either Now");
    }

    #[test]
    fn questions_about_one_of_several() {
        check("who was the first CEO of [Acme]", "ceo Role Ever Earliest");
        check("who is the latest CEO of [Acme]", "ceo Role Ever Latest");
        check("who were the previous CEOs of [Acme]", "ceo Role Ever CurrentLast");
        check("who used to play in [Fjellkor]", "play Object Ever CurrentLast");
        check("who no longer works at [Acme]", "work Object Ever CurrentLast");
    }

    #[test]
    fn questions_with_a_date() {
        check("who knew [Ada] in 2023?", "know Object At 2023");
        check("who worked at [Acme] in March 2024", "work Object At 2024-03");
        check("where did [Ada] work on 2024-03-05", "work Subject At 2024-03-05");
        check("who taught at [Acme] between 1990 and 1995", "teach Object At 1990..1995");
        check("who taught at [Acme] in the 1990s", "teach Object At 1990..1999");
        check("who was the manager of [Acme] two years ago", "manag Role At 2024");
        check("who was manager of [Acme] last year", "manag Role At 2025");
    }

    #[test]
    fn participles_are_of_the_present() {
        check("who is [Villa] owned by", "own Object Now");
        check("which company is [Villa] insured by", "insur Object a compani Now");
        check("by whom is [Villa] managed", "manag Object Now");
        check("who is [Ada] married to", "marri Subject Now");
        check("where is [Ada] based", "base Subject Now");
        check("who was [Villa] owned by", "own Object Ever CurrentLast");
        check("who is the person who led [Acme]", "lead Object Ever CurrentLast");
        check("who is the former owner of [Villa]", "owner Role Ever CurrentLast");
    }

    #[test]
    fn habits_and_roles_of_the_past() {
        check("where did [Ada] use to work", "work Subject Ever CurrentLast");
        check("what role did [Ada] have in 2013", "role Either At 2013");
        check("what role did [Ada] hold", "role Either Ever CurrentLast");
        check("the [Blue Herons]'s coach in 2015", "coach Either At 2015");
    }

    #[test]
    fn roles_need_no_question_word() {
        check("former CEO of [Acme]", "ceo Role Ever CurrentLast");
        check("current CEO of the [Acme]", "ceo Role Now");
        check("price of [Acme]", "price Role Now");
        check("who became CEO of [Acme]", "ceo Role Now");
        check("CEO at [Acme]", "none");
    }

    #[test]
    fn other_questions_are_not_relational() {
        for question in
            ["[Ada]", "tell me about [Ada]", "who is [Ada]", "what about [Ada]", "[Ada] who works"]
        {
            check(question, "none");
        }
    }
}
