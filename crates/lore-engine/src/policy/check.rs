//! Settings of contradiction checks: `lore check`, and the guard on writes.

use lore_text::Age;
use serde::Deserialize;

use super::Policy;
use crate::policy::Profile;

/// What counts as a contradiction, and what happens to a write that creates one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckPolicy {
    /// Whether a write that contradicts a page of equal or higher authority marks both as contested; by default, only
    /// in the profile `roam`.
    pub guard: Option<bool>,
    /// A truth is stale when its timeline is newer by this much.
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
    fn guard_defaults_to_the_profile() {
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
