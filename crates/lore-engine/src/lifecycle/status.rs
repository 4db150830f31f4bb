//! The words for a page's state.

/// Nothing speaks against it.
pub(crate) const ACTIVE: &str = "active";
/// Old, or linked by nobody.
pub(crate) const STALE: &str = "stale";
/// At odds with another page.
pub(crate) const CONTESTED: &str = "contested";
/// Another page stands in its place.
pub(crate) const SUPERSEDED: &str = "superseded";
/// Summed up by another page.
pub(crate) const COMPACTED: &str = "compacted";

/// The words that Lore itself knows.
pub(crate) const ALL: [&str; 5] = [ACTIVE, STALE, CONTESTED, SUPERSEDED, COMPACTED];

/// Words for what is over, in the profiles and in common use. Any other word is of a page that still counts.
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

/// Words for what nobody should rely on without a second look: what is merely done is not among them.
const DOUBTFUL: [&str; 9] =
    [STALE, CONTESTED, SUPERSEDED, COMPACTED, "reversed", "rejected", "removed", "obsolete", "deprecated"];

/// Whether a reader should be told of a status.
pub(crate) fn is_doubtful(status: &str) -> bool {
    DOUBTFUL.iter().any(|doubtful| status.eq_ignore_ascii_case(doubtful))
}

/// Whether a status is of a page that no longer counts.
pub(crate) fn is_over(status: &str) -> bool {
    OVER.iter().any(|over| status.eq_ignore_ascii_case(over))
}

/// A word as Lore writes it, where it is one of its own.
pub(crate) fn known(status: &str) -> String {
    let own = ALL.iter().find(|own| status.eq_ignore_ascii_case(own));
    own.map_or_else(|| status.to_owned(), |own| (*own).to_owned())
}
