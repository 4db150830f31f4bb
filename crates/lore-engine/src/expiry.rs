//! The time by which the ledger forgets. What expires is gone for good, so no single clock decides: a process whose clock
//! is wrong by years must not remove every snapshot.
//!
//! The ledger stores the time that the clocks of its writers agree on. It follows a clock that differs by up to
//! [`STEP`]. A clock that differs by more is believed once it has advanced by [`CONFIRMED`] in steps of at most [`STEP`],
//! with no other clock in between; until then nothing expires by it. So after a long break, expiry resumes a few days late.

use jiff::{Timestamp, Zoned};
use lore_ports::StateChange;
use serde::{Deserialize, Serialize};

use crate::context::VaultContext;
use crate::error::Result;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Difference up to which a clock is believed at once, in milliseconds.
const STEP: i64 = 14 * DAY;

/// Time by which a clock must have advanced to be believed, in milliseconds.
const CONFIRMED: i64 = 3 * DAY;

/// Change of the agreed time that is worth a write, in milliseconds.
const WORTH_STORING: i64 = DAY / 24;

/// The time that the clocks agree on, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Agreed {
    /// `None` until a clock is confirmed.
    at: Option<i64>,
    /// A clock that differs.
    other: Option<OtherClock>,
}

/// A clock that is not believed yet: when it was first and last seen, by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct OtherClock {
    first: i64,
    last: i64,
}

impl Agreed {
    /// Returns the agreed time after another observation.
    fn observe(self, now: i64) -> Agreed {
        if self.at.is_some_and(|at| now.abs_diff(at) <= STEP.unsigned_abs()) {
            return Agreed { at: Some(now), other: None };
        }
        let continues = |other: &OtherClock| (other.last..=other.last.saturating_add(STEP)).contains(&now);
        let first = self.other.filter(continues).map_or(now, |other| other.first);
        match now >= first.saturating_add(CONFIRMED) {
            true => Agreed { at: Some(now), other: None },
            false => Agreed { other: Some(OtherClock { first, last: now }), ..self },
        }
    }

    fn is_worth_storing(self, known: Agreed) -> bool {
        let differs = |one: Option<i64>, other: Option<i64>| match (one, other) {
            (Some(one), Some(other)) => one.abs_diff(other) >= WORTH_STORING.unsigned_abs(),
            (one, other) => one != other,
        };
        let (first, last) =
            (|agreed: Agreed| Some(agreed.other?.first), |agreed: Agreed| Some(agreed.other?.last));
        differs(self.at, known.at) || first(self) != first(known) || differs(last(self), last(known))
    }
}

/// The times of a write.
#[derive(Debug)]
pub struct LedgerTime {
    /// The time to record with what is stored now, in milliseconds since 1970. Never earlier than the agreed time: what a
    /// clock of the past records must not expire at once.
    pub recorded: i64,
    /// The time by which things expire; `None` while the clock is not confirmed.
    pub expiry: Option<Zoned>,
    /// Whether the clock of this process is the agreed one.
    pub is_confirmed: bool,
}

impl VaultContext {
    /// Observes the clock and returns the times to record and to expire by.
    pub fn ledger_time(&self) -> Result<LedgerTime> {
        let now = self.now();
        let millis = now.timestamp().as_millisecond();
        let text = self.store().state(self.project())?.clock;
        let known: Agreed = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let agreed = known.observe(millis);
        if agreed.is_worth_storing(known)
            && let Ok(text) = serde_json::to_string(&agreed)
        {
            self.store().set_state(self.project(), &StateChange::Clock(&text))?;
        }
        let expiry = agreed.at.map(|at| at.min(millis)).and_then(|at| Timestamp::from_millisecond(at).ok());
        Ok(LedgerTime {
            recorded: agreed.at.map_or(millis, |at| at.max(millis)),
            expiry: expiry.map(|at| at.to_zoned(now.time_zone().clone())),
            is_confirmed: agreed.at == Some(millis),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observes clocks, given in days, and checks the agreed day after each.
    #[track_caller]
    fn check(observations: &[(i64, Option<i64>)]) {
        let mut agreed = Agreed::default();
        for (number, (now, expected)) in observations.iter().enumerate() {
            agreed = agreed.observe(now * DAY);
            assert_eq!(agreed.at.map(|at| at / DAY), *expected, "observation {number}, on day {now}");
        }
    }

    #[test]
    fn first_clock_is_believed_when_it_has_advanced() {
        check(&[(100, None), (101, None), (102, None), (103, Some(103)), (104, Some(104)), (118, Some(118))]);
        check(&[(100, None), (140, None), (141, None), (143, Some(143))]);
    }

    #[test]
    fn jump_and_back_changes_nothing() {
        check(&[
            (100, None),
            (103, Some(103)),
            (1500, Some(103)),
            (1500, Some(103)),
            (104, Some(104)),
            (1503, Some(104)),
        ]);
        check(&[(100, None), (103, Some(103)), (2, Some(103)), (104, Some(104)), (5, Some(104))]);
        check(&[(1500, None), (100, None), (1503, None)]);
    }

    /// Two wrong clocks do not confirm each other.
    #[test]
    fn several_wrong_clocks_change_nothing() {
        check(&[
            (1000, None),
            (2000, None),
            (500, None),
            (1000, None),
            (2000, None),
            (503, None),
            (2003, None),
        ]);
    }

    #[test]
    fn clock_that_stays_ahead_is_believed_in_the_end() {
        check(&[
            (100, None),
            (103, Some(103)),
            (200, Some(103)),
            (202, Some(103)),
            (203, Some(203)),
            (204, Some(204)),
        ]);
        check(&[(100, None), (103, Some(103)), (200, Some(103)), (300, Some(103)), (303, Some(303))]);
    }
}
