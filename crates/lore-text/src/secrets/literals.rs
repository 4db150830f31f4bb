//! The single pass over a text that finds the fixed parts of all formats.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::rules::FORMATS;
use super::{SecretMatch, assignment, url};

/// What a literal may belong to.
enum LiteralKind {
    /// The format at this index of the table.
    Format(usize),
    /// A URL, possibly with a password.
    Url,
    /// Last word of a name to which a secret may be assigned.
    Name,
}

static LITERALS: LazyLock<(AhoCorasick, Vec<LiteralKind>)> = LazyLock::new(|| {
    let formats = FORMATS.iter().enumerate();
    let of_formats = formats.flat_map(|(at, format)| {
        format.literals.iter().map(move |literal| (*literal, LiteralKind::Format(at)))
    });
    let of_names = assignment::WORDS.iter().map(|word| (*word, LiteralKind::Name));
    let (words, literals): (Vec<&str>, Vec<LiteralKind>) =
        of_formats.chain([(url::SCHEME_SEPARATOR, LiteralKind::Url)]).chain(of_names).unzip();
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("a short list of short words builds an automaton");
    (automaton, literals)
});

/// Returns the matches of all rules, including overlapping ones.
pub fn find(text: &str) -> Vec<SecretMatch> {
    let (automaton, literals) = &*LITERALS;
    let mut finds = Vec::new();
    for hit in automaton.find_overlapping_iter(text) {
        match literals[hit.pattern().as_usize()] {
            LiteralKind::Format(rank) => {
                let format = &FORMATS[rank];
                let span = format.find(text, hit.start());
                finds.extend(span.map(|span| SecretMatch { rank, rule: &format.rule, span }));
            }
            LiteralKind::Url => {
                let span = url::find_password(text, hit.start());
                finds.extend(span.map(|span| SecretMatch { rank: FORMATS.len(), rule: &url::RULE, span }));
            }
            LiteralKind::Name => {
                let found = assignment::find(text, hit.range());
                let first = FORMATS.len() + 1;
                finds.extend(found.map(|(at, rule, span)| SecretMatch { rank: first + at, rule, span }));
            }
        }
    }
    finds
}
