//! The terms of a text, as every database stores and matches them: folded to lower case without accents, split into
//! words, and stemmed. A database adds no rule of its own, so a page is found by the same queries in each of them.

mod accents;

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use crate::script::is_unspaced;
use crate::stem::{Language, with_stem};

/// Returns the terms of a text, separated by spaces. Each character of a script without spaces is a term of its own, so
/// that any run of them is found as a phrase.
pub fn search_terms(text: &str, language: Language) -> String {
    let mut terms = String::with_capacity(text.len());
    let keeps_accents = language.has_accents();
    for_each_word(text, keeps_accents, &mut |word, is_stemmed| {
        if !terms.is_empty() {
            terms.push(' ');
        }
        match is_stemmed {
            true => with_stem(word, language, |start, ending| {
                for part in [start, ending] {
                    if keeps_accents && !part.is_ascii() {
                        terms.push_str(&without_accents(part));
                    } else {
                        terms.push_str(part);
                    }
                }
            }),
            false => terms.push_str(word),
        }
    });
    terms
}

/// Returns the terms that a word or phrase of a query may have in a text of this language. A word typed without its
/// accents also has the terms of the words that it may stand for: `organizacion`, `organización`.
pub fn query_terms(text: &str, language: Language) -> Vec<String> {
    let mut terms = vec![search_terms(text, language)];
    if text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        for word in accents::accented(&text.to_ascii_lowercase(), language) {
            let term = search_terms(&word, language);
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
    }
    terms
}

fn without_accents(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars() {
        if letter.is_ascii() {
            plain.push(letter);
        } else {
            push_folded(&mut plain, letter, false);
        }
    }
    plain
}

/// Calls `each` with every word of a text, folded but not stemmed.
pub fn folded_words(text: &str, each: &mut dyn FnMut(&str)) {
    for_each_word(text, false, &mut |word, _| each(word));
}

/// Whether a character is part of a word: a letter, a digit, or a mark on a letter.
pub fn is_word_char(character: char) -> bool {
    character.is_alphanumeric() || !character.is_ascii() && is_combining_mark(character)
}

/// Calls `each` with every word of a text, folded, and whether it has a stem. Accents of Latin letters are kept on demand.
fn for_each_word(text: &str, keeps_accents: bool, each: &mut impl FnMut(&str, bool)) {
    let text = composed(text);
    let mut word = String::new();
    let mut rest = &*text;
    while !rest.is_empty() {
        if word.is_empty()
            && let Some((plain, after)) = plain_word(rest)
        {
            if !plain.is_empty() {
                each(plain, true);
            }
            rest = after;
            continue;
        }
        // Runs of ASCII letters, which most texts consist of, are copied whole.
        let run = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let start = word.len();
        word.push_str(&rest[..run]);
        word[start..].make_ascii_lowercase();
        rest = &rest[run..];
        let Some(next) = rest.chars().next() else { break };
        rest = &rest[next.len_utf8()..];
        if !next.is_ascii() && !is_unspaced(next) && push_folded(&mut word, next, keeps_accents) {
            continue;
        }
        if !word.is_empty() {
            fold_nasal(&mut word);
            each(&word, true);
            word.clear();
        }
        if is_unspaced(next) && next.is_alphanumeric() {
            each(next.encode_utf8(&mut [0; 4]), false);
        }
    }
    if !word.is_empty() {
        // A word that is still being typed ends where the nasal is joined to the next letter.
        fold_nasal(&mut word);
        each(&word, true);
    }
}

/// Splits off a word that needs no folding, and the character after it: most words are of this kind.
fn plain_word(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| KINDS[usize::from(byte)] != PLAIN).unwrap_or(text.len());
    match text.as_bytes().get(end) {
        None => Some((text, "")),
        Some(next) if KINDS[usize::from(*next)] == SEPARATOR => Some((&text[..end], &text[end + 1..])),
        Some(_) => None,
    }
}

/// A byte that is a letter in lower case or a digit.
const PLAIN: u8 = 0;

/// A byte that is a character between words.
const SEPARATOR: u8 = 1;

/// The kind of each byte; any other kind is decided by the character.
static KINDS: [u8; 256] = {
    let mut kinds = [2; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => PLAIN,
            b'A'..=b'Z' => 2,
            _ => SEPARATOR,
        };
        byte += 1;
    }
    kinds
};

/// Joins letters with the accents that follow them, where there are any.
fn composed(text: &str) -> Cow<'_, str> {
    // The first byte of every character from U+0300 to U+037F.
    let has_accents = !text.is_ascii() && text.bytes().any(|byte| matches!(byte, 0xCC | 0xCD));
    if has_accents { Cow::Owned(text.nfc().collect()) } else { Cow::Borrowed(text) }
}

/// Appends a character that is not ASCII to a word; returns whether it belongs to one.
fn push_folded(word: &mut String, letter: char, keeps_accents: bool) -> bool {
    if is_combining_mark(letter) {
        // Short vowels of Arabic and the dot of borrowed letters in Hindi are rarely written.
        if matches!(letter, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{93c}') {
            return !word.is_empty();
        }
        if letter == '\u{901}' && !word.is_empty() {
            word.push('\u{902}');
            return true;
        }
        // An accent that no letter absorbed is dropped; vowel signs, as in Hindi, are part of the word.
        let is_accent = matches!(letter, '\u{300}'..='\u{36f}');
        if !word.is_empty() && !is_accent {
            word.push(letter);
        }
        return !word.is_empty();
    }
    if let Some(folded) = folded_letter(word, letter) {
        word.extend(folded);
        return !word.is_empty();
    }
    if !letter.is_alphanumeric() {
        return false;
    }
    let mut base = None;
    decompose_canonical(letter, |part| {
        base.get_or_insert(part);
    });
    match base {
        // Accents are dropped from Latin letters only: elsewhere they make another letter, such as й.
        Some(base) if u32::from(base) < 0x250 && !keeps_accents => word.extend(base.to_lowercase()),
        _ if letter == 'ς' => word.push('σ'),
        _ => word.extend(letter.to_lowercase()),
    }
    true
}

/// Returns what replaces a letter of Arabic or Hindi that has several spellings; an empty replacement drops it.
fn folded_letter(word: &mut String, letter: char) -> Option<Option<char>> {
    Some(match letter {
        // A line that only makes a word longer.
        '\u{640}' => None,
        'أ' | 'إ' | 'آ' | 'ٱ' => Some('ا'),
        'ى' | 'ی' | 'ئ' => Some('ي'),
        'ؤ' => Some('و'),
        'ة' => Some('ه'),
        'ک' => Some('ك'),
        '٠'..='٩' => char::from_digit(u32::from(letter) - u32::from('٠'), 10),
        '۰'..='۹' => char::from_digit(u32::from(letter) - u32::from('۰'), 10),
        '०'..='९' => char::from_digit(u32::from(letter) - u32::from('०'), 10),
        // A letter with a dot is the letter.
        '\u{958}'..='\u{95f}' => {
            let mut base = letter;
            decompose_canonical(letter, |part| {
                if !is_combining_mark(part) {
                    base = part;
                }
            });
            Some(base)
        }
        // A nasal before a stop is also written as a dot: हिन्दी, हिंदी.
        'क'..='भ' if !matches!(letter, 'ङ' | 'ञ' | 'ण' | 'न') => {
            fold_nasal(word);
            Some(letter)
        }
        _ => return None,
    })
}

/// Writes a joined nasal of Hindi at the end of a word as a dot.
fn fold_nasal(word: &mut String) {
    if let Some(start) = ["ङ्", "ञ्", "ण्", "न्", "म्"].iter().find_map(|nasal| word.strip_suffix(nasal))
    {
        word.truncate(start.len());
        word.push('\u{902}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(search_terms(text, Language::English), expected, "{text:?}");
    }

    #[test]
    fn words_are_folded_split_and_stemmed() {
        check("She runs, running!", "she run run");
        check("the node-js-tutorial for node.js", "the node js tutori for node js");
        check("snake_case CamelCase v2.0", "snake case camelcas v2 0");
        check("Ada's", "ada s");
        check("and\0dogs", "and dog");
        check("", "");
        check(" -- \n💥 ", "");
    }

    #[test]
    fn accents_of_latin_letters_are_dropped() {
        check("Jürgen JÜRGEN ju\u{308}rgen", "jurgen jurgen jurgen");
        check("Crème brûlée", "creme brule");
        check("ǖ ǿ Ø ß ẞ İ", "u ø ø ß ß i");
        check("e\u{301}\u{301}x", "ex");
        check("\u{301}", "");
    }

    #[test]
    fn other_scripts_keep_their_letters() {
        check("Йод йод и\u{306}од", "йод йод йод");
        check("дома домами книги книга", "дом дом книг книг");
        check("ΣΟΦΟΣ σοφος", "σοφ σοφ");
        check("الكتاب كتاب كِتَاب الكتــاب", "كتاب كتاب كتاب كتاب");
        check("مدرسة ١٢٣", "مدرس 123");
        check("क़लम कलम १२", "कलम कलम 12");
        check("हिन्दी हिंदी भाषा", "हिंद हिंद भाष");
        check("हिन् हिं", "हिं हिं");
        check("שלום עולם", "שלום עולם");
    }

    #[test]
    fn words_have_the_stems_of_their_language() {
        let terms = |text: &str, language| search_terms(text, language);
        assert_eq!(terms("Häuser Haus Straße Strasse", Language::German), "haus haus strass strass");
        assert_eq!(terms("organización organizaciones", Language::Spanish), "organiz organiz");
        assert_eq!(terms("continué continuer", Language::French), "continu continu");
        assert_eq!(terms("The runs häufig", Language::German), "the run haufig");
        assert_eq!(terms("домами running", Language::German), "дом running");
        assert_eq!(terms("книги running", Language::Russian), "книг run");
    }

    #[test]
    fn words_typed_without_accents_have_the_terms_of_both() {
        let found =
            |word: &str, language, term: &str| query_terms(word, language).iter().any(|one| one == term);
        assert!(found("organizacion", Language::Spanish, "organiz"));
        assert!(found("organizacao", Language::Portuguese, "organiz"));
        assert!(found("continue", Language::French, "continu"));
        assert_eq!(query_terms("running", Language::English), ["run"]);
        assert_eq!(query_terms("hauser", Language::German), ["haus"]);
    }

    #[test]
    fn characters_of_unspaced_scripts_are_terms() {
        check("東京都の天気。", "東 京 都 の 天 気");
        check("我的iPhone手机", "我 的 iphon 手 机");
        check("x・y", "x y");
    }

    #[test]
    fn folded_words_keep_their_endings() {
        let mut words = Vec::new();
        folded_words("Runs über東京", &mut |word| words.push(word.to_owned()));
        assert_eq!(words, ["runs", "uber", "東", "京"]);
    }
}
