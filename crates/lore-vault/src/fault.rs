//! Fault points: where a test kills or suspends the process, to prove that an interrupted change is finished or undone
//! and that nothing escapes between two steps. Compiled only with the feature `faults`.

/// The fault points of a write, in order.
pub const POINTS: [&str; 9] =
    ["staged", "kept", "noted", "installed", "before-commit", "committed", "generated", "published", "ended"];

/// The fault point after each batch of the embedding queue, once its vectors are stored.
pub const EMBEDDED: &str = "embedded";

#[cfg(feature = "faults")]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static ARMED: OnceLock<Fault> = OnceLock::new();

    struct Fault {
        point: String,
        passes_left: AtomicUsize,
        action: fn(),
    }

    /// Arms one fault point: `installed` aborts the process when it first passes the point, `installed:3` at the third
    /// pass; `stop@installed` suspends it there until it gets SIGCONT.
    pub fn arm(fault: &str) {
        let (action, fault): (fn(), &str) = match fault.strip_prefix("stop@") {
            Some(point) => (suspend, point),
            None => (|| std::process::abort(), fault),
        };
        let (point, count) = fault.split_once(':').unwrap_or((fault, "1"));
        let passes_left = AtomicUsize::new(count.parse().unwrap_or(1));
        let _ = ARMED.set(Fault { point: point.to_owned(), passes_left, action });
    }

    #[cfg(unix)]
    fn suspend() {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
    }

    #[cfg(not(unix))]
    fn suspend() {}

    /// Passes a fault point: aborts or suspends the process if it is armed.
    pub fn fault(point: &str) {
        let Some(armed) = ARMED.get() else { return };
        if armed.point == point && armed.passes_left.fetch_sub(1, Ordering::SeqCst) == 1 {
            (armed.action)();
        }
    }
}

#[cfg(feature = "faults")]
pub use armed::arm;
#[cfg(feature = "faults")]
pub use armed::fault;

/// Does nothing without the feature.
#[cfg(not(feature = "faults"))]
pub fn arm(_point: &str) {}

/// Does nothing: the feature is off.
#[cfg(not(feature = "faults"))]
pub fn fault(_point: &str) {}
