//! What stands before a question and is no part of it: "can you tell me who …", "do you know when …".

/// Words and phrases before a question, in lower case. Several may follow each other: `please tell me`.
const BEFORE: [&str; 34] = [
    "can you",
    "could you",
    "can anyone",
    "can somebody",
    "would you",
    "will you",
    "do you know",
    "do we know",
    "do you remember",
    "do you happen to know",
    "does anyone know",
    "does anybody know",
    "any idea",
    "i want to know",
    "i'd like to know",
    "i would like to know",
    "i need to know",
    "i wonder",
    "i was wondering",
    "let me know",
    "remind me",
    "tell me",
    "tell us",
    "find out",
    "look up",
    "please",
    "kindly",
    "hey",
    "hi",
    "hello",
    "so",
    "and",
    "also",
    "ok",
];

/// Words with which a question begins.
const QUESTION_WORDS: [&str; 13] =
    ["who", "whom", "whose", "what", "which", "where", "when", "how", "since", "until", "till", "for", "in"];

/// Returns a question without what stands before it. A text that is no question then keeps all its words.
pub(in crate::search) fn without_politeness(question: &str) -> &str {
    let mut rest = question.trim_start();
    while let Some(after) = BEFORE.iter().find_map(|phrase| after_phrase(rest, phrase)) {
        rest = after;
    }
    let first = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let is_question = QUESTION_WORDS.contains(&first.to_lowercase().as_str());
    if is_question { rest } else { question }
}

/// Returns what follows a phrase at the start of a text.
fn after_phrase<'q>(text: &'q str, phrase: &str) -> Option<&'q str> {
    let mut rest = text;
    for word in phrase.split(' ') {
        let start = rest.get(..word.len())?;
        let after = &rest[word.len()..];
        if !start.eq_ignore_ascii_case(word) || after.starts_with(|next: char| next.is_alphanumeric()) {
            return None;
        }
        rest = after.trim_start_matches(|letter: char| letter.is_whitespace() || ",:;".contains(letter));
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_question_is_left_out() {
        for (question, expected) in [
            ("Can you tell me who works at Acme?", "who works at Acme?"),
            ("Do you know, please: when did Ada join?", "when did Ada join?"),
            ("hey, could you remind me where Ada lives", "where Ada lives"),
            ("I'd like to know since when she works there", "since when she works there"),
            ("who works at Acme", "who works at Acme"),
            ("tell me about Acme", "tell me about Acme"),
            ("please", "please"),
            ("can you drive", "can you drive"),
            ("sofa of Ada", "sofa of Ada"),
            ("", ""),
        ] {
            assert_eq!(without_politeness(question), expected, "{question}");
        }
    }
}
