//! Findings of a check and their ids.

use lore_ports::{PageNo, ResolvedFinding};
use lore_text::{fold, on_one_line, stable_number};
use serde::Serialize;

/// Group of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Something has ended, but another line says that it has not.
    Temporal,
    /// Two facts that cannot both be true, or pages that supersede each other.
    CrossPage,
    /// A truth older than its timeline.
    Stale,
}

/// Kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContradictionKind {
    /// One subject and one single-valued predicate with two live objects.
    TwoValues,
    /// A live fact whose link has ended.
    LinkEnded,
    /// Prose reports an end while the link is open.
    SaidToHaveEnded,
    /// A timeline newer than the truth.
    TruthBehind,
    /// Pages that supersede each other.
    SupersessionCycle,
}

impl ContradictionKind {
    /// Returns the group of the kind.
    pub fn group(self) -> Group {
        match self {
            ContradictionKind::TwoValues | ContradictionKind::SupersessionCycle => Group::CrossPage,
            ContradictionKind::LinkEnded | ContradictionKind::SaidToHaveEnded => Group::Temporal,
            ContradictionKind::TruthBehind => Group::Stale,
        }
    }

    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            ContradictionKind::TwoValues => "two_values",
            ContradictionKind::LinkEnded => "link_ended",
            ContradictionKind::SaidToHaveEnded => "said_to_have_ended",
            ContradictionKind::TruthBehind => "truth_behind",
            ContradictionKind::SupersessionCycle => "supersession_cycle",
        }
    }
}

/// A line involved in a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContradictionLine {
    /// Path of the page.
    pub path: String,
    /// Slug of the page.
    pub slug: String,
    /// Line number, from 1.
    pub line: u32,
    /// Text of the line.
    pub text: String,
}

/// A contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// Id derived from the kind and the two lines, so it is stable across runs and machines.
    pub id: String,
    /// Kind of finding.
    pub kind: ContradictionKind,
    /// Subject: a page's slug, or a name that no page has.
    pub subject: String,
    /// Description of the contradiction.
    pub message: String,
    /// Start date, if the lines give one.
    pub since: Option<String>,
    /// The two lines.
    pub places: [ContradictionLine; 2],
    /// Who settled it and when.
    pub settled: Option<ResolvedFinding>,
}

/// A line of an indexed page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct LineRef {
    pub page: PageNo,
    pub line: u32,
}

/// A finding whose lines have not been read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub kind: ContradictionKind,
    pub subject: String,
    /// Page of the subject, if it has one.
    pub about: Option<PageNo>,
    pub message: String,
    pub since: Option<String>,
    pub lines: [LineRef; 2],
    /// Distinguishes findings on the same two lines.
    pub topic: String,
}

/// Returns the id of a finding, derived from its kind, its topic, and the page id and words of each line. Line numbers
/// and the order of the two lines do not matter.
pub(super) fn id_of(kind: ContradictionKind, topic: &str, lines: [(&str, &str); 2]) -> String {
    let mut lines = lines.map(|(page, text)| (page.to_owned(), on_one_line(text)));
    lines.sort();
    let [one, two] = &lines;
    let parts = [kind.name(), topic, &one.0, &one.1, &two.0, &two.1];
    format!("{:012x}", stable_number(&parts) >> 4)
}

/// Returns the normalized form of names for an id.
pub(super) fn topic(words: &[&str]) -> String {
    words.iter().map(|word| fold(word)).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_ignores_line_order_and_indentation() {
        let (a, b) = (("p1", "- role:: CEO"), ("p2", "- role:: CTO"));
        let id = id_of(ContradictionKind::TwoValues, "role", [a, b]);
        assert_eq!(id.len(), 12);
        assert_eq!(id_of(ContradictionKind::TwoValues, "role", [b, ("p1", "  -  role:: CEO  ")]), id);
        for other in [
            id_of(ContradictionKind::LinkEnded, "role", [a, b]),
            id_of(ContradictionKind::TwoValues, "title", [a, b]),
            id_of(ContradictionKind::TwoValues, "role", [("p3", a.1), b]),
            id_of(ContradictionKind::TwoValues, "role", [(a.0, "- role:: ceo"), b]),
        ] {
            assert_ne!(other, id);
        }
    }
}
