//! The single pass over a text that finds the fixed parts of all formats.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::rules::FORMATS;
use super::{Find, assignment, url};

/// What a mark may belong to.
enum Mark {
    /// The format at this index of the table.
    Format(usize),
    /// A URL, possibly with a password.
    Url,
    /// Last word of a name to which a secret may be assigned.
    Name,
}

static MARKS: LazyLock<(AhoCorasick, Vec<Mark>)> = LazyLock::new(|| {
    let formats = FORMATS.iter().enumerate();
    let of_formats =
        formats.flat_map(|(at, format)| format.marks.iter().map(move |mark| (*mark, Mark::Format(at))));
    let of_names = assignment::WORDS.iter().map(|word| (*word, Mark::Name));
    let (words, marks): (Vec<&str>, Vec<Mark>) =
        of_formats.chain([(url::MARK, Mark::Url)]).chain(of_names).unzip();
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("a short list of short words builds an automaton");
    (automaton, marks)
});

/// Returns the matches of all rules, including overlapping ones.
pub fn find(text: &str) -> Vec<Find> {
    let (automaton, marks) = &*MARKS;
    let mut finds = Vec::new();
    for hit in automaton.find_overlapping_iter(text) {
        match marks[hit.pattern().as_usize()] {
            Mark::Format(rank) => {
                let format = &FORMATS[rank];
                let span = format.find(text, hit.start());
                finds.extend(span.map(|span| Find { rank, rule: &format.rule, span }));
            }
            Mark::Url => {
                let span = url::find_password(text, hit.start());
                finds.extend(span.map(|span| Find { rank: FORMATS.len(), rule: &url::RULE, span }));
            }
            Mark::Name => {
                let found = assignment::find(text, hit.range());
                let first = FORMATS.len() + 1;
                finds.extend(found.map(|(at, rule, span)| Find { rank: first + at, rule, span }));
            }
        }
    }
    finds
}
