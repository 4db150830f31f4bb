//! Status words of pages.

/// Nothing is known against the page.
pub const ACTIVE: &str = "active";
/// Old, or without inbound links.
pub const STALE: &str = "stale";
/// Contradicts another page.
pub const CONTESTED: &str = "contested";
/// Replaced by another page.
pub const SUPERSEDED: &str = "superseded";
/// Summarized by another page.
pub const COMPACTED: &str = "compacted";

/// Status words defined by Lore.
pub const ALL: [&str; 5] = [ACTIVE, STALE, CONTESTED, SUPERSEDED, COMPACTED];

/// Words for closed pages, from the profiles and common use. With any other word a page is live.
const OVER: [&str; 15] = [
    STALE,
    SUPERSEDED,
    COMPACTED,
    "reversed",
    "archived",
    "removed",
    "completed",
    "dropped",
    "done",
    "closed",
    "cancelled",
    "canceled",
    "rejected",
    "obsolete",
    "deprecated",
];

/// Words that call for a warning; those for merely finished pages are not among them.
const DOUBTFUL: [&str; 9] =
    [STALE, CONTESTED, SUPERSEDED, COMPACTED, "reversed", "rejected", "removed", "obsolete", "deprecated"];

/// Returns whether a reader should be warned about a status.
pub fn is_doubtful(status: &str) -> bool {
    DOUBTFUL.iter().any(|doubtful| status.eq_ignore_ascii_case(doubtful))
}

/// Returns whether a status marks a closed page.
pub fn is_over(status: &str) -> bool {
    OVER.iter().any(|over| status.eq_ignore_ascii_case(over))
}

/// Returns Lore's own spelling of a status word, if it is one.
pub fn known(status: &str) -> String {
    let own = ALL.iter().find(|own| status.eq_ignore_ascii_case(own));
    own.map_or_else(|| status.to_owned(), |own| (*own).to_owned())
}
