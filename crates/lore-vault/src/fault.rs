//! Fault points: where a test kills or suspends the process, to prove that an interrupted change is finished or undone
//! and that nothing escapes between two steps. Compiled only with the feature `faults`.

/// The fault points of a write, in order.
pub const POINTS: [&str; 11] = [
    "staged",
    "kept",
    "noted",
    "installing",
    "displaced",
    "installed",
    "before-commit",
    "committed",
    "generated",
    "published",
    "ended",
];

/// The fault point of a reconcile before each of its transactions, when its files are read.
pub const PLANNED: &str = "planned";

/// A switch rather than a point: file systems are treated as if they could not exchange two files.
pub const NO_EXCHANGE: &str = "no-exchange";

/// The fault point after each batch of the embedding queue, once its vectors are stored.
pub const EMBEDDED: &str = "embedded";

#[cfg(feature = "faults")]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static ARMED: OnceLock<Vec<Fault>> = OnceLock::new();

    struct Fault {
        point: String,
        passes_left: AtomicUsize,
        action: fn(),
    }

    /// Arms fault points, separated by commas: `installed` aborts the process when it first passes the point,
    /// `installed:3` at the third pass; `stop@installed` suspends it there until it gets SIGCONT.
    pub fn arm(faults: &str) {
        let _ = ARMED.set(faults.split(',').map(parse).collect());
    }

    fn parse(fault: &str) -> Fault {
        let (action, fault): (fn(), &str) = match fault.strip_prefix("stop@") {
            Some(point) => (suspend, point),
            None => (|| std::process::abort(), fault),
        };
        let (point, count) = fault.split_once(':').unwrap_or((fault, "1"));
        let passes_left = AtomicUsize::new(count.parse().unwrap_or(1));
        Fault { point: point.to_owned(), passes_left, action }
    }

    #[cfg(unix)]
    fn suspend() {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP);
    }

    #[cfg(not(unix))]
    fn suspend() {}

    /// Passes a fault point: aborts or suspends the process if it is armed.
    pub fn fault(point: &str) {
        for armed in ARMED.get().into_iter().flatten().filter(|armed| armed.point == point) {
            if armed.passes_left.fetch_sub(1, Ordering::SeqCst) == 1 {
                (armed.action)();
            }
        }
    }

    /// Whether a switch is set.
    pub(crate) fn is_set(switch: &str) -> bool {
        ARMED.get().into_iter().flatten().any(|armed| armed.point == switch)
    }
}

#[cfg(feature = "faults")]
pub use armed::arm;
#[cfg(feature = "faults")]
pub use armed::fault;
#[cfg(feature = "faults")]
pub(crate) use armed::is_set;

/// Does nothing without the feature.
#[cfg(not(feature = "faults"))]
pub fn arm(_point: &str) {}

/// Does nothing: the feature is off.
#[cfg(not(feature = "faults"))]
pub fn fault(_point: &str) {}

/// Returns false: the feature is off.
#[cfg(not(feature = "faults"))]
pub(crate) fn is_set(_switch: &str) -> bool {
    false
}
