//! Points at which a test lets the process die, to prove that whatever was under way is finished or undone. Builds
//! without the feature `faults` have none.

/// The points of a write, in their order.
pub const POINTS: [&str; 9] =
    ["staged", "kept", "noted", "installed", "before-commit", "committed", "generated", "published", "ended"];

/// The point after each round of the embedding queue, when its vectors are kept.
pub const EMBEDDED: &str = "embedded";

#[cfg(feature = "faults")]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static ARMED: OnceLock<(String, AtomicUsize)> = OnceLock::new();

    /// Lets the process die at a point: `installed` at the first time it is passed, `installed:3` at the third.
    pub fn arm(point: &str) {
        let (name, count) = point.split_once(':').unwrap_or((point, "1"));
        let _ = ARMED.set((name.to_owned(), AtomicUsize::new(count.parse().unwrap_or(1))));
    }

    pub(crate) fn fault(point: &str) {
        let Some((name, left)) = ARMED.get() else { return };
        if name == point && left.fetch_sub(1, Ordering::SeqCst) == 1 {
            std::process::abort();
        }
    }
}

#[cfg(feature = "faults")]
pub use armed::arm;
#[cfg(feature = "faults")]
pub(crate) use armed::fault;

/// Without the feature no process dies.
#[cfg(not(feature = "faults"))]
pub fn arm(_point: &str) {}

#[cfg(not(feature = "faults"))]
pub(crate) fn fault(_point: &str) {}
