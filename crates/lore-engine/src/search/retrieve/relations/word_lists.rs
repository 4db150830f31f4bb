//! Words of relational questions and of the names of relations.

use lore_text::{Language, stem};

/// Words that begin such a question.
pub(super) const BEGINNINGS: [&str; 9] =
    ["who", "whom", "what", "which", "where", "whose", "list", "name", "show"];

/// Words that do not name a relation.
pub(super) const FORM: [&str; 48] = [
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
    "being",
    "been",
    "by",
    "did",
    "do",
    "during",
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
    "while",
    "who",
    "now",
];

/// Words between a verb and its object.
pub(super) const PREPOSITIONS: [&str; 13] =
    ["about", "at", "for", "from", "in", "into", "of", "on", "since", "till", "to", "until", "with"];

/// Words that indicate the past.
pub(super) const PAST: [&str; 12] =
    ["did", "was", "were", "had", "been", "former", "formerly", "previously", "ever", "once", "ex", "past"];

/// Verbs of the present tense: what is owned by somebody is owned now.
pub(super) const PRESENT: [&str; 5] = ["is", "are", "am", "does", "do"];

/// Verbs of having: what role somebody has.
pub(super) const HAVE: [&str; 6] = ["have", "has", "had", "hold", "holds", "held"];

/// Words that ask for the first or the last of several.
pub(super) const FIRST: [&str; 4] = ["first", "initial", "original", "earliest"];
pub(super) const LAST: [&str; 2] = ["last", "latest"];

/// Other words about time that do not name a relation.
pub(super) const TIME: [&str; 10] =
    ["previous", "earlier", "prior", "before", "recent", "recently", "lately", "old", "longer", "anymore"];

/// Words that indicate the present.
pub(super) const TODAY: [&str; 6] = ["now", "currently", "current", "today", "new", "newest"];

/// Verbs that say that something began, and that it ended.
pub(super) const BEGIN: [&str; 12] = [
    "join", "start", "begin", "become", "became", "move", "get", "take", "change", "hire", "arrive", "switch",
];
pub(super) const END: [&str; 9] =
    ["leave", "left", "quit", "stop", "end", "finish", "resign", "retire", "depart"];

/// Types of what one joins and leaves, and of who does. Pages need not state them.
const GENERAL: [&str; 16] = [
    "people",
    "person",
    "member",
    "employee",
    "player",
    "student",
    "company",
    "firm",
    "organization",
    "team",
    "club",
    "band",
    "group",
    "school",
    "city",
    "place",
];

/// Irregular past forms and their base verbs.
pub(super) const IRREGULAR: [(&str, &str); 30] = [
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

/// Returns the stem of a word's base form.
pub(super) fn root(word: &str) -> String {
    let regular = IRREGULAR.iter().find(|(past, _)| *past == word).map_or(word, |(_, root)| root);
    stem(regular, Language::English)
}

/// Whether a word is a verb in the past tense, or a participle: `worked`, `led`.
pub(super) fn is_past_form(word: &str) -> bool {
    IRREGULAR.iter().any(|(past, root)| *past == word && past != root)
        || word.ends_with("ed") && word.len() > 4
}

/// Whether a word names a relation.
fn names_relation(word: &str) -> bool {
    !word.is_empty()
        && ![&FORM[..], &PREPOSITIONS, &PAST, &TODAY, &FIRST, &LAST, &TIME]
            .iter()
            .any(|words| words.contains(&word))
}

/// Returns the words that name the relation.
pub(super) fn telling(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| names_relation(word)).cloned().collect()
}

/// Returns the stems of the words that name the relation.
pub(super) fn verbs(words: &[String]) -> Vec<String> {
    telling(words).iter().map(|word| root(word)).collect()
}

/// Whether a stem is that of a word of a list.
pub(super) fn is_one_of(list: &[&str], verb: &str) -> bool {
    list.iter().any(|word| root(word) == verb)
}

/// Whether a type of page is one that its pages need not state.
pub(super) fn is_general(kind: &str) -> bool {
    is_one_of(&GENERAL, kind)
}
