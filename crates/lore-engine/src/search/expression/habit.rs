//! Whether "used to" tells of what somebody did before, or what a thing is for: "who used to work there", "a tool used to
//! apply varnish".

/// Forms of verbs with which `used to` is a participle or an adjective: `is used to send`, `got used to it`.
const PARTICIPLE: [&str; 14] = [
    "is", "are", "am", "be", "being", "been", "was", "were", "get", "gets", "got", "getting", "become",
    "isn't",
];

/// Words that are the subject of `used to`.
const SUBJECTS: [&str; 21] = [
    "who",
    "that",
    "i",
    "we",
    "you",
    "he",
    "she",
    "it",
    "they",
    "there",
    "people",
    "everybody",
    "everyone",
    "somebody",
    "someone",
    "anybody",
    "anyone",
    "nobody",
    "always",
    "never",
    "this",
];

/// Words that begin a question about the subject: "which company used to own it".
const QUESTION_WORDS: [&str; 6] = ["who", "what", "which", "whose", "where", "how"];

/// Verbs that carry a question of their own besides `used to`.
const OTHER_VERBS: [&str; 12] =
    ["do", "does", "did", "is", "are", "was", "were", "has", "have", "can", "should", "costs"];

/// Maximum number of words between `did` and `use to`.
const SUBJECT_WORDS: usize = 6;

/// Whether a question asks what used to be. The words are as typed, and folded.
pub(super) fn says_used_to(typed: &[&str], words: &[String]) -> bool {
    (1..words.len()).any(|at| match (words[at - 1].as_str(), words[at].as_str()) {
        ("used", "to") => is_habit(typed, words, at - 1),
        ("use", "to") => did_use_to(&words[..at - 1]),
        _ => false,
    })
}

/// Whether `used to` at a place tells of what was before.
fn is_habit(typed: &[&str], words: &[String], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map(String::as_str).unwrap_or_default();
    let (before, earlier) = (word(at.checked_sub(1)), word(at.checked_sub(2)));
    let is_participle = |word: &str| PARTICIPLE.contains(&word);
    // "What are people used to" asks for a habit of today.
    if is_participle(before) || is_participle(earlier) && SUBJECTS.contains(&before) {
        return false;
    }
    let is_subject = SUBJECTS.contains(&before) || at > 1 && is_capitalized(typed[at - 1]);
    let is_state = matches!(word(Some(at + 2)), "be" | "have" | "own" | "live");
    if is_subject || is_state {
        return true;
    }
    // "Which company used to own it", but not "which brush used to apply varnish is made of hair".
    let asks = words.first().is_some_and(|first| QUESTION_WORDS.contains(&first.as_str()));
    asks && at > 0 && !words.iter().any(|word| OTHER_VERBS.contains(&word.as_str()))
}

/// Whether `did` and a subject stand before `use to`: "where did Ada use to work".
fn did_use_to(before: &[String]) -> bool {
    before.iter().rev().take(SUBJECT_WORDS + 1).any(|word| matches!(word.as_str(), "did" | "didn't"))
}

/// Whether a word begins with a capital and is no abbreviation.
pub(super) fn is_capitalized(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, expected: bool) {
        let typed: Vec<&str> = question.split(' ').collect();
        let words: Vec<String> = typed.iter().map(|word| word.to_lowercase()).collect();
        assert_eq!(says_used_to(&typed, &words), expected, "{question}");
    }

    #[test]
    fn habits_of_the_past() {
        for question in [
            "who used to work at Acme",
            "which company used to own the house",
            "where Ada used to live",
            "what we used to call it",
            "where did Ada Berg use to work",
            "what did people use to eat",
            "the office used to be in Bern",
            "people used to work there",
        ] {
            check(question, true);
        }
    }

    #[test]
    fn instruments_and_habits_of_today() {
        for question in [
            "which tool is used to send mail",
            "tool used to apply varnish",
            "what are people used to apply varnish with",
            "what are you used to",
            "which brush used to apply varnish is made of hair",
            "where do we keep the tools used to fix chairs",
            "what we use to deploy",
        ] {
            check(question, false);
        }
    }
}
