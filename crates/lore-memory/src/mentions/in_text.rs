//! Finds pages mentioned in a source by title or alias.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_engine::{Result, VaultContext};
use lore_ports::{KeyKind, NameQuery, PageNo, PageRow};
use lore_text::{fold, is_content_word};

/// Maximum number of words in a name.
const NAME_WORDS: usize = 5;

/// Maximum number of words scanned in a source.
const MAX_WORDS: usize = 20_000;

/// A page mentioned in a source.
#[derive(Debug)]
pub struct Mention {
    /// The page.
    pub page: PageRow,
    /// First name used for it.
    pub name: String,
    /// Number of mentions.
    pub times: usize,
    /// First line that mentions it.
    pub line: u32,
}

/// A folded word of the source and its line.
struct SourceWord {
    text: String,
    line: u32,
}

/// Returns the pages whose titles or aliases occur in a text, most frequent first, except the text's own page, and a
/// warning if the text was only scanned in part. Of nested names, the longest counts.
pub(crate) fn mentions(
    context: &VaultContext,
    text: &str,
    own: &str,
) -> Result<(Vec<Mention>, Option<String>)> {
    let (words, is_truncated) = words(text);
    let pages = known_names(context, &words, own)?;
    let mut found: BTreeMap<PageNo, (String, usize, u32)> = BTreeMap::new();
    let mut at = 0;
    while at < words.len() {
        let lengths = (1..=NAME_WORDS.min(words.len() - at)).rev();
        let named = lengths.map(|length| (length, name(&words[at..at + length])));
        match named.into_iter().find_map(|(length, name)| Some((length, pages.get(&name)?, name))) {
            Some((length, numbers, name)) => {
                for page in numbers {
                    found.entry(*page).or_insert_with(|| (name.clone(), 0, words[at].line)).1 += 1;
                }
                at += length;
            }
            None => at += 1,
        }
    }
    let numbers: Vec<PageNo> = found.keys().copied().collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    let mention = |page: PageRow| {
        let (name, times, line) = found.get(&page.number).cloned().unwrap_or_default();
        Mention { page, name, times, line }
    };
    let mut mentions: Vec<Mention> = rows.into_iter().map(mention).collect();
    mentions.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.page.path.cmp(&b.page.path)));
    let cut = is_truncated.then(|| format!("only the first {MAX_WORDS} words were searched for names"));
    Ok((mentions, cut))
}

/// Returns the pages for every run of words that is a title or an alias.
fn known_names(
    context: &VaultContext,
    words: &[SourceWord],
    own: &str,
) -> Result<HashMap<String, BTreeSet<PageNo>>> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for start in 0..words.len() {
        for end in start + 1..=(start + NAME_WORDS).min(words.len()) {
            let candidate = name(&words[start..end]);
            // A stop word is not a name on its own, but may be part of one.
            if end - start > 1 || is_content_word(&candidate) && candidate.chars().count() > 1 {
                names.insert(candidate);
            }
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    let mut pages: HashMap<String, BTreeSet<PageNo>> = HashMap::new();
    for row in context.store().lookup(context.project(), &NameQuery::Exact(&names))? {
        if matches!(row.kind, KeyKind::Title | KeyKind::Alias) && row.path != own {
            pages.entry(row.key).or_default().insert(row.page);
        }
    }
    Ok(pages)
}

fn name(words: &[SourceWord]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Splits a text into words without punctuation, and returns whether it was truncated.
fn words(text: &str) -> (Vec<SourceWord>, bool) {
    let lines = text.lines().zip(1u32..);
    let all = lines.flat_map(|(line, number)| {
        line.split(|letter: char| letter.is_whitespace() || "[](){}<>|\"“”,;*_`".contains(letter)).filter_map(
            move |word| {
                let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
                let word = word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word);
                (!word.is_empty()).then(|| SourceWord { text: fold(word), line: number })
            },
        )
    });
    let mut words: Vec<SourceWord> = all.take(MAX_WORDS + 1).collect();
    let is_truncated = words.len() > MAX_WORDS;
    words.truncate(MAX_WORDS);
    (words, is_truncated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_lines_and_no_punctuation() {
        let (words, more) = words("Met *Ada Lovelace*,\n[[River AI]]'s CTO; Ada’s plan (v2.0).");
        let seen: Vec<String> = words.iter().map(|word| format!("{}:{}", word.text, word.line)).collect();
        assert_eq!(
            seen,
            ["met:1", "ada:1", "lovelace:1", "river:2", "ai:2", "s:2", "cto:2", "ada:2", "plan:2", "v2.0:2"]
        );
        assert!(!more);
    }
}
