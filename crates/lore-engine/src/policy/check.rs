//! How closely a vault is held against itself: `lore check`, and the guard of its writes.

use serde::Deserialize;

use super::Policy;
use crate::profile::Profile;
use crate::upkeep::Age;

/// What counts as a contradiction, and what a write does that makes one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckPolicy {
    /// Whether a write that contradicts a page of equal or higher authority marks both as contested; where nothing is
    /// said, the profile `roam` does so and no other.
    pub guard: Option<bool>,
    /// A timeline that is newer than its truth by this much makes the truth stale.
    pub behind: Age,
}

impl Default for CheckPolicy {
    fn default() -> Self {
        CheckPolicy { guard: None, behind: Age::days(30) }
    }
}

impl Policy {
    /// Whether writes are guarded against contradictions.
    pub fn guards(&self) -> bool {
        self.check.guard.unwrap_or(self.profile == Profile::Roam)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_follows_the_profile_unless_the_policy_says_otherwise() {
        for (text, guards) in [
            ("", false),
            ("profile = \"roam\"\n", true),
            ("profile = \"roam\"\n[check]\nguard = false\n", false),
            ("profile = \"brain\"\n[check]\nguard = true\nbehind = \"90 days\"\n", true),
        ] {
            assert_eq!(Policy::parse(text).expect(text).guards(), guards, "{text}");
        }
        assert_eq!(Policy::parse("[check]\nbehind = \"soon\"\n").expect_err("no age").0, Some(2));
    }
}
