//! Parses questions about a relation: "who works at Acme", "what did Ada invest in", "who knew Ada in 2023", "who was the
//! first CEO of Acme". Uses a small grammar over the words around a name, without a model; anything else is not a relational question.

use std::ops::Range;

use lore_text::{Language, PartialDate, stem};

use crate::search::expression::dates_in;

/// What a question asks about the page it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RelationQuestion {
    /// Stems of the words that name the relation.
    pub verbs: Vec<String>,
    /// Which side of the relation the named page is on.
    pub side: Side,
    /// The type of an answer, if the question names one.
    pub kind: Option<String>,
    /// When the relation must be valid.
    pub when: When,
    /// In which order the answers come.
    pub order: Order,
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
    /// At some time within this date.
    At(PartialDate),
}

/// Words that begin such a question.
const BEGINNINGS: [&str; 9] = ["who", "whom", "what", "which", "where", "whose", "list", "name", "show"];

/// Words that do not name a relation.
const FORM: [&str; 45] = [
    "a",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anybody",
    "anyone",
    "are",
    "back",
    "be",
    "became",
    "become",
    "been",
    "by",
    "did",
    "do",
    "does",
    "ever",
    "everybody",
    "everyone",
    "had",
    "has",
    "have",
    "is",
    "me",
    "no",
    "of",
    "one",
    "ones",
    "people",
    "person",
    "someone",
    "still",
    "that",
    "the",
    "there",
    "they",
    "to",
    "used",
    "was",
    "were",
    "who",
    "now",
];

/// Words between a verb and its object.
const PREPOSITIONS: [&str; 13] =
    ["about", "at", "for", "from", "in", "into", "of", "on", "since", "till", "to", "until", "with"];

/// Words that indicate the past.
const PAST: [&str; 11] =
    ["did", "was", "were", "had", "been", "former", "formerly", "previously", "used", "ever", "once"];

/// Words that ask for the first or the last of several.
const FIRST: [&str; 4] = ["first", "initial", "original", "earliest"];
const LAST: [&str; 2] = ["last", "latest"];

/// Other words about time that do not name a relation.
const TIME: [&str; 7] = ["previous", "earlier", "prior", "recent", "old", "longer", "anymore"];

/// Words that indicate the present.
const TODAY: [&str; 6] = ["now", "currently", "current", "today", "new", "newest"];

/// Irregular past forms and their base verbs.
const IRREGULAR: [(&str, &str); 30] = [
    ("knew", "know"),
    ("known", "know"),
    ("met", "meet"),
    ("led", "lead"),
    ("left", "leave"),
    ("ran", "run"),
    ("built", "build"),
    ("wrote", "write"),
    ("written", "write"),
    ("bought", "buy"),
    ("sold", "sell"),
    ("taught", "teach"),
    ("began", "begin"),
    ("made", "make"),
    ("gave", "give"),
    ("took", "take"),
    ("won", "win"),
    ("held", "hold"),
    ("kept", "keep"),
    ("spoke", "speak"),
    ("saw", "see"),
    ("paid", "pay"),
    ("sat", "sit"),
    ("lent", "lend"),
    ("sent", "send"),
    ("grew", "grow"),
    ("chose", "choose"),
    ("hurt", "hurt"),
    ("owed", "owe"),
    ("drew", "draw"),
];

/// Parses a question whose words at `named` are the name of a page. Words are folded and stripped of punctuation.
pub(super) fn read(words: &[String], named: Range<usize>, possessive: bool) -> Option<RelationQuestion> {
    let first = words.iter().position(|word| BEGINNINGS.contains(&word.as_str())).filter(|at| *at < 2);
    if first.is_some_and(|first| first >= named.start) {
        return None;
    }
    let start = first.map_or(0, |first| first + 1);
    let (before, after) = (&words[start..named.start], &words[named.end..]);
    // "former CEO of Acme" is a question too.
    let is_role = before.iter().rev().find(|word| *word != "the").is_some_and(|word| word == "of");
    if first.is_none() && !is_role {
        return None;
    }
    let when = when(words, &named);
    let undated = without_dates(after);
    let (ahead, behind) = (verbs(before), verbs(&undated));
    let passive = after.last().is_some_and(|word| word == "by");
    let (verbs, side) = match (ahead.is_empty(), behind.is_empty()) {
        _ if possessive => ([ahead, behind].concat(), Side::Either),
        (_, false) => ([ahead, behind].concat(), if passive { Side::Object } else { Side::Subject }),
        (false, true) if before.last().is_some_and(|word| word == "by") => (ahead, Side::Subject),
        (false, true) if is_role => (ahead, Side::Role),
        (false, true) => (ahead, Side::Object),
        (true, true) => return None,
    };
    let beginning = first.map_or("", |first| words[first].as_str());
    let (verbs, kind) = apart(verbs, beginning, before);
    let order = order(words, &named);
    let when =
        if matches!(order, Order::Earliest | Order::Latest) && when == When::Now { When::Ever } else { when };
    (!verbs.is_empty()).then_some(RelationQuestion { verbs, side, kind, when, order })
}

fn order(words: &[String], named: &Range<usize>) -> Order {
    let outside = |list: &[&str]| {
        let mut words = words.iter().enumerate().filter(|(at, _)| !named.contains(at));
        words.any(|(_, word)| list.contains(&word.as_str()))
    };
    match () {
        () if outside(&FIRST) => Order::Earliest,
        () if outside(&LAST) => Order::Latest,
        () if outside(&["until", "till"]) => Order::CurrentLast,
        // "Who has worked at Acme" includes the present.
        () if outside(&["has", "have"]) || outside(&TODAY) => Order::CurrentFirst,
        () if when(words, named) == When::Ever => Order::CurrentLast,
        () => Order::CurrentFirst,
    }
}

/// Returns the stems of a relation's name, and whether it is passive, describing what is done to the page it is on.
pub(super) fn relation_stems(relation: &str) -> (Vec<String>, bool) {
    let words: Vec<String> =
        relation.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase).collect();
    (verbs(&words), words.last().is_some_and(|word| word == "by"))
}

/// Whether a relation is a role at the page it leads to: `ceo_of`.
pub(super) fn is_role_of(relation: &str) -> bool {
    let last = relation.rsplit(|letter: char| !letter.is_alphanumeric()).next();
    last.is_some_and(|word| word.eq_ignore_ascii_case("of"))
}

/// Returns the stems of the words that name the relation.
pub(super) fn verbs(words: &[String]) -> Vec<String> {
    let says = |word: &&String| {
        let word = word.as_str();
        !word.is_empty()
            && ![&FORM[..], &PREPOSITIONS, &PAST, &TODAY, &FIRST, &LAST, &TIME]
                .iter()
                .any(|words| words.contains(&word))
    };
    words.iter().filter(says).map(|word| root(word)).collect()
}

fn root(word: &str) -> String {
    let regular = IRREGULAR.iter().find(|(past, _)| *past == word).map_or(word, |(_, root)| root);
    stem(regular, Language::English)
}

/// Splits off the answer's type: `which companies did Ada invest in` asks for companies.
fn apart(mut verbs: Vec<String>, beginning: &str, before: &[String]) -> (Vec<String>, Option<String>) {
    let noun = before.first().filter(|_| matches!(beginning, "what" | "which" | "list" | "name" | "show"));
    let noun = noun.map(|word| root(word)).filter(|noun| verbs.len() > 1 && verbs.first() == Some(noun));
    if noun.is_some() {
        verbs.remove(0);
    }
    (verbs, noun)
}

fn when(words: &[String], named: &Range<usize>) -> When {
    let outside: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, _)| !named.contains(at))
        .map(|(_, word)| word.as_str())
        .collect();
    let years = outside.iter().filter(|word| word.len() == 4).filter_map(|word| word.parse().ok());
    let dates = dates_in(&outside.join(" "));
    if let Some(date) = dates.iter().filter_map(|date| date.parse().ok()).chain(years).next() {
        return When::At(date);
    }
    let has = |list: &[&str]| outside.iter().any(|word| list.contains(word));
    let past = |word: &&str| {
        IRREGULAR.iter().any(|(past, root)| past == word && past != root)
            || word.ends_with("ed") && word.len() > 4
    };
    match () {
        () if has(&TODAY) => When::Now,
        () if has(&PAST) || has(&TIME) || outside.iter().any(past) => When::Ever,
        () => When::Now,
    }
}

/// Removes the words that state a date.
fn without_dates(words: &[String]) -> Vec<String> {
    let date = |word: &String| {
        word.parse::<PartialDate>().is_ok() || word.len() > 2 && !dates_in(&format!("{word} 2000")).is_empty()
    };
    let number = |word: &String| word.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    words.iter().filter(|word| !date(word) && !number(word) && *word != "as").cloned().collect()
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
        match read(&words, start..end, possessive) {
            Some(RelationQuestion { verbs, side, kind, when, order }) => {
                let kind = kind.map(|kind| format!(" a {kind}")).unwrap_or_default();
                let order = if order == Order::CurrentFirst { String::new() } else { format!(" {order:?}") };
                format!("{} {side:?}{kind} {when:?}{order}", verbs.join("+"))
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
        check(
            "who knew [Ada] in 2023?",
            "know Object At(PartialDate { year: 2023, month: None, day: None })",
        );
        check(
            "who worked at [Acme] in March 2024",
            "work Object At(PartialDate { year: 2024, month: Some(3), day: None })",
        );
        check(
            "where did [Ada] work on 2024-03-05",
            "work Subject At(PartialDate { year: 2024, month: Some(3), day: Some(5) })",
        );
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
