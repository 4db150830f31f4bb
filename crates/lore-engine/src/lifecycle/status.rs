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

/// Words for pages that no longer hold, from the profiles and common use.
const INVALID: [&str; 21] = [
    STALE,
    SUPERSEDED,
    COMPACTED,
    "reversed",
    "archived",
    "removed",
    "dropped",
    "cancelled",
    "canceled",
    "rejected",
    "obsolete",
    "deprecated",
    "withdrawn",
    "revoked",
    "retired",
    "replaced",
    "outdated",
    "expired",
    "abandoned",
    "discontinued",
    "declined",
];

/// Words for finished pages: nothing more happens there, but what they say still holds.
const FINISHED: [&str; 3] = ["done", "completed", "closed"];

/// Words for pages that do not hold yet.
const NOT_YET: [&str; 4] = ["draft", "proposed", "planned", "pending"];

/// Words that call for a warning; those for merely finished pages are not among them.
const DOUBTFUL: [&str; 15] = [
    STALE,
    CONTESTED,
    SUPERSEDED,
    COMPACTED,
    "reversed",
    "rejected",
    "removed",
    "obsolete",
    "deprecated",
    "withdrawn",
    "revoked",
    "retired",
    "replaced",
    "outdated",
    "expired",
];

/// Returns whether a reader should be warned about a status.
pub fn is_doubtful(status: &str) -> bool {
    is_one_of(&DOUBTFUL, status)
}

/// Returns whether a status marks a closed page. With any other word a page is live.
pub fn is_over(status: &str) -> bool {
    is_invalid(status) || is_one_of(&FINISHED, status)
}

/// Returns whether a status says that the page no longer holds. A finished page still does.
pub fn is_invalid(status: &str) -> bool {
    is_one_of(&INVALID, status)
}

/// Returns whether a page with this status replaces the pages that it supersedes: neither an invalid page nor a proposal
/// does.
pub fn is_in_force(status: &str) -> bool {
    !is_invalid(status) && !is_one_of(&NOT_YET, status)
}

fn is_one_of(words: &[&str], status: &str) -> bool {
    let status = status.trim().to_ascii_lowercase();
    // Records of decisions say `superseded by adr-7`.
    let word = status.split_once(" by ").map_or(status.as_str(), |(word, _)| word.trim_end());
    words.contains(&word)
}

/// Returns Lore's own spelling of a status word, if it is one.
pub fn known(status: &str) -> String {
    let own = ALL.iter().find(|own| status.eq_ignore_ascii_case(own));
    own.map_or_else(|| status.to_owned(), |own| (*own).to_owned())
}
