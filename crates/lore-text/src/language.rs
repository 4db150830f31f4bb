//! The language of a question, by its stop words.

/// Words that say nothing about what a text is about, by language: folded, so without accents.
const STOP_WORDS: &[&[&str]] = &[
    // German
    &[
        "aber", "als", "am", "auch", "auf", "aus", "bei", "bis", "das", "dass", "dem", "den", "der", "des",
        "die", "ein", "eine", "einem", "einen", "einer", "er", "es", "fur", "hat", "hatte", "haben", "ich",
        "ihr", "im", "in", "ist", "kann", "mein", "meine", "mit", "nach", "nicht", "noch", "oder", "sich",
        "sie", "sind", "uber", "um", "und", "uns", "unser", "unsere", "vom", "von", "wann", "war", "waren",
        "warum", "was", "welche", "welchen", "welcher", "welches", "wem", "wen", "wer", "wie", "wir", "wird",
        "wo", "wurde", "zu", "zum", "zur",
    ],
    // French
    &[
        "a", "ai", "au", "aux", "avec", "ce", "cette", "comment", "dans", "de", "des", "du", "elle", "en",
        "est", "et", "il", "je", "l", "la", "le", "les", "leur", "lui", "ma", "mais", "mes", "mon", "nos",
        "notre", "nous", "ou", "par", "pas", "pour", "pourquoi", "qu", "quand", "que", "quel", "quelle",
        "quelles", "quels", "qui", "sa", "se", "ses", "son", "sont", "sur", "un", "une", "vous",
    ],
    // Spanish
    &[
        "a", "al", "como", "con", "cual", "cuando", "de", "del", "donde", "el", "ella", "en", "es", "esta",
        "este", "ha", "la", "las", "le", "lo", "los", "mas", "me", "mi", "mis", "no", "nos", "nuestra",
        "nuestro", "o", "para", "pero", "por", "que", "quien", "se", "ser", "si", "sin", "sobre", "son",
        "su", "sus", "un", "una", "y",
    ],
    // Italian
    &[
        "a", "al", "alla", "anche", "che", "chi", "come", "con", "cosa", "da", "dal", "dei", "del", "della",
        "delle", "di", "dove", "e", "gli", "ha", "hanno", "i", "il", "in", "io", "la", "le", "lo", "ma",
        "mio", "mia", "nel", "nella", "non", "o", "per", "perche", "piu", "quale", "quali", "quando", "si",
        "sono", "su", "sul", "un", "una", "uno",
    ],
    // Portuguese
    &[
        "a", "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "em",
        "era", "foi", "mais", "mas", "meu", "minha", "na", "nao", "nas", "no", "nos", "o", "onde", "os",
        "ou", "para", "pela", "pelo", "por", "quais", "qual", "quando", "que", "quem", "se", "ser", "sua",
        "seu", "um", "uma",
    ],
    // Dutch
    &[
        "aan", "als", "bij", "dat", "de", "der", "deze", "die", "dit", "door", "een", "en", "er", "had",
        "heeft", "hebben", "het", "hij", "hoe", "ik", "in", "is", "mijn", "met", "naar", "niet", "of", "om",
        "onze", "ook", "op", "te", "tot", "uit", "van", "voor", "waar", "waarom", "wanneer", "was", "wat",
        "we", "welk", "welke", "werd", "wie", "wij", "zijn", "ze", "zij",
    ],
    // Swedish, Danish and Norwegian
    &[
        "af", "alla", "at", "att", "av", "den", "der", "det", "de", "du", "efter", "ein", "ej", "en", "er",
        "ett", "et", "for", "fra", "fran", "han", "har", "hon", "hun", "hur", "hva", "hvad", "hvem", "hvor",
        "hvordan", "hvornar", "i", "icke", "ikke", "inte", "ja", "jag", "jeg", "kan", "med", "men", "mig",
        "min", "mitt", "nar", "och", "og", "om", "pa", "sig", "som", "til", "till", "under", "var", "varfor",
        "vad", "vem", "vi", "vilka", "vilken", "vilket", "vore",
    ],
    // Russian
    &[
        "а",
        "без",
        "бы",
        "был",
        "была",
        "были",
        "было",
        "в",
        "вы",
        "где",
        "для",
        "до",
        "его",
        "ее",
        "если",
        "есть",
        "за",
        "и",
        "из",
        "или",
        "их",
        "к",
        "как",
        "какая",
        "какие",
        "какой",
        "когда",
        "кто",
        "ли",
        "мне",
        "мой",
        "мы",
        "на",
        "не",
        "но",
        "о",
        "об",
        "он",
        "она",
        "они",
        "от",
        "по",
        "почему",
        "при",
        "с",
        "со",
        "так",
        "то",
        "только",
        "у",
        "чем",
        "что",
        "это",
        "я",
    ],
];

/// English words that begin or hold a question together, to tell it from other languages.
const ENGLISH: &[&str] = &[
    "a", "an", "and", "are", "at", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i",
    "in", "is", "it", "my", "of", "on", "our", "that", "the", "their", "there", "they", "this", "to", "was",
    "we", "were", "what", "when", "where", "which", "who", "whose", "why", "will", "with", "you", "your",
];

/// Returns the largest share of words that are stop words of one language other than English.
pub(crate) fn foreign_share(words: &[String]) -> f64 {
    let count = |list: &&[&str]| words.iter().filter(|word| list.contains(&word.as_str())).count();
    let best = STOP_WORDS.iter().map(count).max().unwrap_or_default();
    best as f64 / words.len().max(1) as f64
}

/// Returns the stop words of a question's language, if it is not English: the language with the most of them, at least
/// two and more than English.
pub fn foreign_stop_words<'w>(words: impl Iterator<Item = &'w str> + Clone) -> &'static [&'static str] {
    let count = |list: &[&str]| words.clone().filter(|word| list.contains(word)).count();
    let english = count(ENGLISH);
    let best = STOP_WORDS.iter().map(|list| (count(list), *list)).max_by_key(|(count, _)| *count);
    match best {
        Some((count, list)) if count >= 2 && count > english => list,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_terms::folded_words;

    #[track_caller]
    fn check(question: &str, expected: &str) {
        let mut words = Vec::new();
        folded_words(question, &mut |word| words.push(word.to_owned()));
        let dropped = foreign_stop_words(words.iter().map(String::as_str));
        let kept: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !dropped.contains(word)).collect();
        assert_eq!(kept.join(" "), expected, "{question}");
    }

    #[test]
    fn stop_words_of_the_question_are_found() {
        check("Wer hat die Brücke in Köln gebaut?", "brucke koln gebaut");
        check("Où sont les clés de la maison ?", "cles maison");
        check("¿Quién es el dueño de la casa?", "dueno casa");
        check("Chi è il padrone della casa?", "padrone casa");
        check("Quem é o dono da casa?", "dono casa");
        check("Wie is de eigenaar van het huis?", "eigenaar huis");
        check("Vem är det som äger huset?", "ar ager huset");
        check("Кто владеет домом и где он?", "владеет домом");
    }

    #[test]
    fn english_and_bare_words_are_left_alone() {
        for text in ["Where did the war in die Zeit begin?", "who was he", "die hard", "la", "Müller", ""] {
            let mut words = Vec::new();
            folded_words(text, &mut |word| words.push(word.to_owned()));
            assert!(foreign_stop_words(words.iter().map(String::as_str)).is_empty(), "{text}");
        }
    }
}
