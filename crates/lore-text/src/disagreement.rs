//! Recognizes that two texts say nearly the same, except for what matters: one negates it, uses the opposite word, or has
//! another number, day or name in the same place.

mod opposites;

use crate::sentences::sentences;
use crate::slug::fold;
use crate::stop_words::is_content_word;
use crate::timeframe::MONTHS;
use opposites::are_opposite_words;

/// Minimum share of words that two sentences have in common to be about the same thing.
const COMMON: f64 = 0.5;

/// Maximum number of words of a sentence that are compared.
const WORDS: usize = 60;

/// Maximum number of sentences of each text that are compared.
const SENTENCES: usize = 40;

const NEGATIONS: [&str; 30] = [
    "instead", "rather", "not", "no", "never", "none", "nobody", "nothing", "without", "neither", "nor",
    "cannot", "longer", "dont", "doesnt", "didnt", "isnt", "wasnt", "arent", "wont", "cant", "shouldnt",
    "nicht", "kein", "keine", "nie", "pas", "jamais", "nunca", "sin",
];

const NEGATIVE_PREFIXES: [&str; 5] = ["un", "in", "dis", "non", "im"];

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const NUMBERS: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred";

const FREQUENCIES: [&str; 9] =
    ["hourly", "daily", "weekly", "biweekly", "fortnightly", "monthly", "quarterly", "yearly", "annually"];

const CURRENCIES: [&str; 11] =
    ["euro", "euros", "eur", "dollar", "dollars", "usd", "pounds", "gbp", "francs", "chf", "yen"];

/// How a new text disagrees with an old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disagreement {
    /// One of them negates what the other says.
    Negation {
        /// The old sentence.
        was: String,
        /// The new sentence.
        now: String,
    },
    /// They differ in a value: a word and its opposite, two numbers, days or names.
    Value {
        /// The old words.
        was: String,
        /// The new words.
        now: String,
    },
}

/// Returns how a new text disagrees with an old one, if a sentence of it says nearly the same as one of the old text.
pub fn disagreement(old: &str, new: &str) -> Option<Disagreement> {
    let old: Vec<Vec<Word<'_>>> = sentences_of(old);
    sentences_of(new).iter().find_map(|new| {
        let near = old.iter().map(|old| (common(old, new), old)).filter(|(common, _)| *common >= COMMON);
        let (_, nearest) = near.max_by(|a, b| a.0.total_cmp(&b.0))?;
        between(nearest, new)
    })
}

/// A word as written and as compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word<'a> {
    written: &'a str,
    plain: String,
}

fn sentences_of(text: &str) -> Vec<Vec<Word<'_>>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let all = lines.flat_map(|line| sentences(line.trim_start_matches(['-', '*', '#', '>', ' '])));
    all.map(words).filter(|words| words.len() > 1).take(SENTENCES).collect()
}

fn words(sentence: &str) -> Vec<Word<'_>> {
    let is_edge = |letter: char| !letter.is_alphanumeric() && !"€$£%".contains(letter);
    let written = sentence.split_whitespace().map(|word| word.trim_matches(is_edge));
    let word = |written| Word { written, plain: fold(written).replace(['\'', '’'], "") };
    written.filter(|word| !word.is_empty()).take(WORDS).map(word).collect()
}

/// Returns the share of content words that two sentences have in common.
fn common(old: &[Word<'_>], new: &[Word<'_>]) -> f64 {
    let content = |words: &[Word<'_>]| -> Vec<String> {
        words.iter().map(|word| word.plain.clone()).filter(|word| is_content_word(word)).collect()
    };
    let (old, new) = (content(old), content(new));
    let shared = new.iter().filter(|word| old.contains(word)).count();
    shared as f64 / old.len().max(new.len()).max(1) as f64
}

/// Returns how two sentences about the same thing disagree.
fn between(old: &[Word<'_>], new: &[Word<'_>]) -> Option<Disagreement> {
    let (gone, added) = (only(old, new), only(new, old));
    for was in &gone {
        if let Some(now) = added.iter().find(|now| are_opposite(&was.plain, &now.plain)) {
            return Some(value([was], [now]));
        }
    }
    let negations = |words: &[Word<'_>]| words.iter().any(|word| NEGATIONS.contains(&word.plain.as_str()));
    if negations(old) != negations(new) && rest_agrees(&gone, &added) {
        let joined = |words: &[Word<'_>]| words.iter().map(|word| word.written).collect::<Vec<_>>().join(" ");
        return Some(Disagreement::Negation { was: joined(old), now: joined(new) });
    }
    let kinds: [fn(&Word<'_>) -> bool; 5] = [is_number, is_day, is_frequency, is_currency, is_name];
    for is in kinds {
        let (was, now): (Vec<&Word<'_>>, Vec<&Word<'_>>) =
            (gone.iter().filter(|word| is(word)).collect(), added.iter().filter(|word| is(word)).collect());
        if !was.is_empty() && !now.is_empty() {
            return Some(value(was, now));
        }
    }
    None
}

/// Returns the words that the other sentence does not have.
fn only<'a>(words: &[Word<'a>], others: &[Word<'_>]) -> Vec<Word<'a>> {
    words.iter().filter(|word| others.iter().all(|other| other.plain != word.plain)).cloned().collect()
}

/// Whether a negation is about all there is: the other words that differ are few.
fn rest_agrees(gone: &[Word<'_>], added: &[Word<'_>]) -> bool {
    let matters =
        |word: &&Word<'_>| is_content_word(&word.plain) && !NEGATIONS.contains(&word.plain.as_str());
    gone.iter().filter(matters).count() <= 1 && added.iter().filter(matters).count() <= 1
}

fn value<'w>(
    was: impl IntoIterator<Item = &'w Word<'w>>,
    now: impl IntoIterator<Item = &'w Word<'w>>,
) -> Disagreement {
    let joined = |words: Vec<&str>| words.join(" ");
    Disagreement::Value {
        was: joined(was.into_iter().map(|word| word.written).collect()),
        now: joined(now.into_iter().map(|word| word.written).collect()),
    }
}

fn are_opposite(one: &str, other: &str) -> bool {
    let negated = |one: &str, other: &str| {
        one.len() > 3 && NEGATIVE_PREFIXES.iter().any(|prefix| other.strip_prefix(prefix) == Some(one))
    };
    are_opposite_words(one, other) || negated(one, other) || negated(other, one)
}

fn is_number(word: &Word<'_>) -> bool {
    word.plain.contains(|letter: char| letter.is_ascii_digit())
        || NUMBERS.split(' ').any(|number| number == word.plain)
}

fn is_day(word: &Word<'_>) -> bool {
    let plain = word.plain.as_str();
    DAYS.contains(&plain) || MONTHS.iter().any(|month| month.eq_ignore_ascii_case(plain))
}

fn is_frequency(word: &Word<'_>) -> bool {
    FREQUENCIES.contains(&word.plain.as_str())
}

fn is_currency(word: &Word<'_>) -> bool {
    CURRENCIES.contains(&word.plain.as_str())
}

fn is_name(word: &Word<'_>) -> bool {
    word.written.starts_with(char::is_uppercase) && is_content_word(&word.plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let found = match disagreement(old, new) {
            None => "none".to_owned(),
            Some(Disagreement::Negation { .. }) => "negation".to_owned(),
            Some(Disagreement::Value { was, now }) => format!("{was} -> {now}"),
        };
        assert_eq!(found, expected, "{old:?} and {new:?}");
    }

    #[test]
    fn opposite_words_disagree() {
        check(
            "Client X accepted the sprint format.",
            "Client X rejected the sprint format.",
            "accepted -> rejected",
        );
        check("The API is stable.", "The API is unstable", "stable -> unstable");
        check("Logging is enabled in production", "Logging is disabled in production", "enabled -> disabled");
        check("We always squash commits.", "We never squash commits.", "always -> never");
    }

    #[test]
    fn negations_disagree() {
        check("The client wants weekly reports.", "The client does not want weekly reports.", "negation");
        check("We deploy on Fridays.", "We don't deploy on Fridays.", "negation");
        check("Der Kunde will Sprints.", "Der Kunde will keine Sprints.", "negation");
    }

    #[test]
    fn changed_values_disagree() {
        check("The budget is 40k per quarter.", "The budget is 60k per quarter.", "40k -> 60k");
        check("The salon meets on Tuesday.", "The salon meets on Thursday.", "Tuesday -> Thursday");
        check("The salon opens at nine.", "The salon opens at ten.", "nine -> ten");
        check("The clinic has 4 rooms.", "The clinic has five rooms.", "4 -> five");
        check("Deploys happen weekly.", "Deploys happen daily.", "weekly -> daily");
        check("Northwind pays in euros.", "Northwind pays in dollars.", "euros -> dollars");
        check("The CEO of Brex is Ada Stone.", "The CEO of Brex is Bob Reed.", "Ada Stone -> Bob Reed");
        check(
            "# Pricing\n\nThree tiers. The retainer costs $900 a month.",
            "The retainer costs $1200 a month",
            "$900 -> $1200",
        );
    }

    #[test]
    fn other_words_for_the_same_do_not_disagree() {
        check("Client X prefers quarterly planning.", "Client X prefers quarterly planning.", "none");
        check("Client X prefers quarterly planning.", "Client X likes to plan by quarter.", "none");
        check("We use tabs.", "The harbour has no crane.", "none");
        check("The client wants weekly reports.", "The client wants weekly reports in PDF.", "none");
        check(
            "We decided to make the salon invitation-only instead of taking applications.",
            "The salon is invitation-only now; we decided to take no applications.",
            "none",
        );
        check("", "Something", "none");
    }
}
