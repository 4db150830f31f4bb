//! Similarity of two texts by shared terms, to detect duplicates.

use std::collections::BTreeSet;

use crate::script::{is_unspaced, pairs, runs};
use crate::search_terms::is_word_char;
use crate::slug::fold;
use crate::stop_words::is_content_word;

/// Minimum size of the smaller set for containment to count: fewer terms occur in any long page.
const MIN_TERMS: usize = 4;

/// Weight of full containment, compared with equality.
const CONTAINMENT_WEIGHT: f64 = 0.9;

/// Returns the content words of a text, in lower case and without plural endings; character pairs for scripts without
/// spaces.
pub fn terms(text: &str) -> BTreeSet<String> {
    let folded = fold(text).replace('’', "'");
    let words = folded.split(|c| !is_word_char(c) && c != '\'').flat_map(words);
    words.filter(|word| is_content_word(word)).map(|word| singular(&word)).collect()
}

/// Returns the similarity of two sets of terms, from 0 to 1: the greater of two measures.
///
/// - The Jaccard similarity: 1 for equal sets.
/// - The share of the smaller set that is in the larger one, times 0.9: a statement repeated within a longer page is
///   nearly as much a duplicate as the statement alone. It requires at least four terms.
pub fn similarity(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    let smaller = a.len().min(b.len());
    let of_smaller =
        if smaller >= MIN_TERMS { CONTAINMENT_WEIGHT * shared as f64 / smaller as f64 } else { 0.0 };
    jaccard(a, b).max(of_smaller)
}

/// Returns the Jaccard similarity of two sets of terms, from 0 to 1.
pub fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    if shared == 0 { 0.0 } else { shared as f64 / (a.len() + b.len() - shared) as f64 }
}

fn words(piece: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in runs(piece) {
        if run.chars().any(is_unspaced) {
            words.extend(pairs(run).into_iter().map(str::to_owned));
        } else {
            let word = run.trim_matches('\'');
            let word = word.strip_suffix("'s").unwrap_or(word).replace('\'', "");
            words.extend((!word.is_empty()).then_some(word));
        }
    }
    words
}

/// Strips English plural endings. Sometimes wrong, but consistent on both sides.
fn singular(word: &str) -> String {
    let cut = |ending: &str| word.strip_suffix(ending).filter(|stem| stem.len() > 2);
    let is_sibilant = ["sses", "shes", "ches", "xes", "zzes"].iter().any(|ending| word.ends_with(ending));
    match (cut("ies"), cut("es"), cut("s")) {
        (Some(stem), ..) => format!("{stem}y"),
        (_, Some(stem), _) if is_sibilant => stem.to_owned(),
        (.., Some(stem)) if !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_content_words() {
        for (text, expected) in [
            ("The cats' toys are on the Shelves", "cat shelve toy"),
            ("Jürgen’s vault, JÜRGEN'S vaults!", "jürgen vault"),
            (
                "classes boxes matches queries status analysis glass gas",
                "analysis box class gas glass match query status",
            ),
            ("don't re-run `cargo_test --all`", "cargo dont re run test"),
            ("To be or not to be", ""),
            ("東京都 tower塔", "京都 塔 東京 tower"),
            ("हिन्दी भाषा", "भाषा हिन्दी"),
            ("-- ' ''", ""),
            ("", ""),
        ] {
            let found = terms(text);
            let mut expected: Vec<&str> = expected.split_whitespace().collect();
            expected.sort_unstable();
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    fn symmetric_similarity(a: &str, b: &str) -> f64 {
        let (a, b) = (terms(a), terms(b));
        let found = similarity(&a, &b);
        assert!((found - similarity(&b, &a)).abs() < f64::EPSILON, "must be symmetric");
        assert!((0.0..=1.0).contains(&found));
        found
    }

    const LONG: &str = "Deploying the billing service. Before a release, run the whole test suite on the staging cluster \
        and wait for the smoke tests. Announce the release in the channel, then tag the commit. If the migration takes \
        longer than ten minutes, stop and call the person on duty. Rollbacks are one command and need no approval.";

    #[test]
    fn paraphrases_are_similar() {
        for (a, b) in [
            ("Always run the test suite before a release", "Before releases, always run the test suites."),
            ("Craig prefers tabs over spaces in Makefiles", "In a Makefile Craig prefers tabs to spaces"),
            ("Run the whole test suite on the staging cluster before a release", LONG),
            ("Rollbacks need one command and no approval", LONG),
            ("Use rustfmt with a line width of 110", "The line width for rustfmt is 110: use it everywhere"),
            ("東京都の天気は晴れです", "東京都の天気は雨です"),
        ] {
            assert!(symmetric_similarity(a, b) > 0.5, "{} for {a} / {b}", symmetric_similarity(a, b));
        }
    }

    #[test]
    fn different_statements_are_not_similar() {
        for (a, b) in [
            ("Always run the test suite before a release", "Ada moved to London with her family in 1833"),
            ("Craig prefers tabs over spaces in Makefiles", LONG),
            ("The garden needs water twice a week in summer", LONG),
            ("Mirror the repository to GitHub with a hook", "The invoice for March was paid twice"),
            ("What is it about?", "That is what it is not"),
            ("", "Anything at all"),
            ("", ""),
        ] {
            assert!(symmetric_similarity(a, b) < 0.2, "{} for {a} / {b}", symmetric_similarity(a, b));
        }
    }

    #[test]
    fn likeness_matches_its_documentation() {
        let set = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
        for (a, b, expected) in [
            ("a b c d", "a b c d", 1.0),
            ("a", "a", 1.0),
            ("a b c d", "a b c d e f g h i j", 0.9),
            ("a b c", "a b c d e f g h i j k l", 0.25),
            ("a b c d", "a b x y z v", 0.45),
            ("a b c d", "x y z v", 0.0),
        ] {
            assert!((similarity(&set(a), &set(b)) - expected).abs() < 1e-9, "{a} / {b}");
        }
    }
}
