//! What a check finds, and the id by which a finding is known.

use lore_page::fold;
use serde::Serialize;

use crate::hash::stable_number;
use crate::index::{PageNo, Settled};

/// The group a finding belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Something is over, and something else says that it is not.
    Temporal,
    /// Two facts that cannot both be true.
    CrossPage,
    /// A truth that its timeline has left behind.
    Stale,
}

/// What exactly was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One subject, one single-valued predicate, two live objects.
    TwoValues,
    /// A live fact whose link has ended.
    LinkEnded,
    /// Prose that says that something is over while its link is open.
    SaidToHaveEnded,
    /// A timeline that is newer than the truth.
    TruthBehind,
}

impl Kind {
    /// The group it belongs to.
    pub fn group(self) -> Group {
        match self {
            Kind::TwoValues => Group::CrossPage,
            Kind::LinkEnded | Kind::SaidToHaveEnded => Group::Temporal,
            Kind::TruthBehind => Group::Stale,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::TwoValues => "two_values",
            Kind::LinkEnded => "link_ended",
            Kind::SaidToHaveEnded => "said_to_have_ended",
            Kind::TruthBehind => "truth_behind",
        }
    }
}

/// A line that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The page's path.
    pub path: String,
    /// The page's slug.
    pub slug: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text.
    pub text: String,
}

/// Something that cannot be right as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Made of the kind and the two lines; the same wherever and whenever they are looked at.
    pub id: String,
    /// What was found.
    pub kind: Kind,
    /// What it is about: a page's slug, or a name that no page has.
    pub subject: String,
    /// What is wrong, as a sentence.
    pub message: String,
    /// Since when it is so, as far as the lines say.
    pub since: Option<String>,
    /// The two lines.
    pub places: [Place; 2],
    /// By whom and when it was settled.
    pub settled: Option<Settled>,
}

/// A line of a page in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Spot {
    pub page: PageNo,
    pub line: u32,
}

/// A finding whose lines have not been read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suspicion {
    pub kind: Kind,
    pub subject: String,
    /// The subject's page, where it has one.
    pub about: Option<PageNo>,
    pub message: String,
    pub since: Option<String>,
    pub spots: [Spot; 2],
    /// What tells findings about the same two lines apart.
    pub topic: String,
}

/// The id of a finding: of its kind, its topic, and for each line the page's id and the line's words. Where a line
/// stands does not matter, and neither does the order of the two.
pub(super) fn id_of(kind: Kind, topic: &str, lines: [(&str, &str); 2]) -> String {
    let mut lines = lines.map(|(page, text)| (page.to_owned(), fold_line(text)));
    lines.sort();
    let [one, two] = &lines;
    let parts = [kind.name(), topic, &one.0, &one.1, &two.0, &two.1];
    format!("{:012x}", stable_number(&parts) >> 4)
}

/// The words of a line: case counts, white space does not.
fn fold_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name as it stands in an id.
pub(super) fn topic(words: &[&str]) -> String {
    words.iter().map(|word| fold(word)).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_the_lines_and_not_of_their_order_or_indent() {
        let (a, b) = (("p1", "- role:: CEO"), ("p2", "- role:: CTO"));
        let id = id_of(Kind::TwoValues, "role", [a, b]);
        assert_eq!(id.len(), 12);
        assert_eq!(id_of(Kind::TwoValues, "role", [b, ("p1", "  -  role:: CEO  ")]), id);
        for other in [
            id_of(Kind::LinkEnded, "role", [a, b]),
            id_of(Kind::TwoValues, "title", [a, b]),
            id_of(Kind::TwoValues, "role", [("p3", a.1), b]),
            id_of(Kind::TwoValues, "role", [(a.0, "- role:: ceo"), b]),
        ] {
            assert_ne!(other, id);
        }
    }
}
