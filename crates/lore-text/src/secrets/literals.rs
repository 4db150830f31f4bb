//! The single pass over a text that finds the fixed parts of all formats.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::rules::FORMATS;
use super::{Form, SecretMatch, SecretRule, assignment, url};

/// What a literal may belong to.
#[derive(Clone, Copy)]
pub enum LiteralKind {
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

/// A literal in a text.
pub struct LiteralHit {
    pub kind: LiteralKind,
    pub range: Range<usize>,
}

/// Returns all literals in a text, including overlapping ones, in the order of their ends.
pub fn hits(text: &str) -> impl Iterator<Item = LiteralHit> {
    let (automaton, literals) = &*LITERALS;
    automaton
        .find_overlapping_iter(text)
        .map(|hit| LiteralHit { kind: literals[hit.pattern().as_usize()], range: hit.range() })
}

impl LiteralHit {
    /// Returns the credential that this literal belongs to: the rule, its index, and the byte range.
    pub fn credential(&self, text: &str) -> Option<(usize, &'static SecretRule, Range<usize>)> {
        match self.kind {
            LiteralKind::Format(rank) => {
                let format = &FORMATS[rank];
                Some((rank, &format.rule, format.find(text, self.range.start)?))
            }
            LiteralKind::Url => {
                Some((FORMATS.len(), &url::RULE, url::find_password(text, self.range.start)?))
            }
            LiteralKind::Name => {
                let (at, rule, span) = assignment::find(text, self.range.clone())?;
                Some((FORMATS.len() + 1 + at, rule, span))
            }
        }
    }
}

/// Returns the matches of all rules, including overlapping ones.
pub fn find(text: &str) -> Vec<SecretMatch> {
    let found = hits(text).filter_map(|hit| hit.credential(text));
    found.map(|(rank, rule, span)| SecretMatch { rank, rule, span, value: None, form: Form::Plain }).collect()
}
