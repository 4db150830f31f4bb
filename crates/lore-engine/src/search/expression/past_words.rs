//! Words that ask for the past, and words that only look so.

/// Words and phrases that ask for what no longer holds, wherever they occur.
pub(super) const PAST: [&str; 24] = [
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
pub(super) const PAST_WITH_VERB: [&str; 11] = [
    "before",
    "prior to",
    "once",
    "until",
    "ever",
    "back in",
    "the original",
    "our original",
    "the first",
    "our first",
    "my first",
];

/// Words that ask for what no longer holds in German, French, Spanish and Italian, and are no words of English.
pub(super) const FOREIGN_PAST: [&str; 36] = [
    "früher",
    "frueher",
    "frühere",
    "früherer",
    "früheren",
    "ehemals",
    "ehemalige",
    "ehemaliger",
    "ehemaligen",
    "ehemaliges",
    "vormals",
    "damals",
    "vorherige",
    "vorheriger",
    "vorherigen",
    "bisherige",
    "bisheriger",
    "bisherigen",
    "ancien",
    "ancienne",
    "anciens",
    "anciennes",
    "autrefois",
    "auparavant",
    "précédent",
    "précédente",
    "antiguo",
    "antigua",
    "antiguos",
    "antiguas",
    "anteriormente",
    "precedente",
    "precedenti",
    "precedentemente",
    "vecchio",
    "vecchia",
];

/// Such words that mean something else in English.
pub(super) const AMBIGUOUS_PAST: [&str; 3] = ["ex", "anterior", "anteriores"];

/// Words for "before" in these languages. Elsewhere than at the end of a question, they say before what.
pub(super) const FOREIGN_BEFORE: [&str; 4] = ["vorher", "avant", "antes", "prima"];

/// Verbs of the past tense that carry a question.
pub(super) const VERBS: [&str; 5] = ["did", "was", "were", "had", "used"];

/// Words after "old" and "first" with which they are the name of a thing that may be current.
pub(super) const NAMES: [&str; 24] = [
    "town",
    "city",
    "quarter",
    "age",
    "people",
    "man",
    "men",
    "woman",
    "women",
    "folks",
    "school",
    "testament",
    "world",
    "english",
    "norse",
    "masters",
    "aid",
    "floor",
    "class",
    "grade",
    "names",
    "name",
    "responder",
    "lady",
];

/// Words before a year that does not name the time asked about.
pub(super) const NOT_AT: [&str; 7] = ["since", "after", "from", "to", "until", "till", "before"];
