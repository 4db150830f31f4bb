//! When pages become stale by age: after how many days, and where.

use serde::Deserialize;

use super::Pattern;

/// When pages become stale.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lifecycle {
    /// Whether pages become stale by age or for lack of inbound links.
    pub age: bool,
    /// Days without a change or a review; 0 means never.
    pub stale_after_days: u32,
    /// Days for a page without inbound links; 0 means never.
    pub orphan_after_days: u32,
    /// Exceptions by path; the first match applies.
    pub paths: Vec<LifecyclePath>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Lifecycle { age: false, stale_after_days: 60, orphan_after_days: 30, paths: Vec::new() }
    }
}

/// Settings for some paths.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifecyclePath {
    /// The paths.
    pub pattern: Pattern,
    /// Whether they become stale; implied by either number of days.
    #[serde(default)]
    pub age: Option<bool>,
    /// As for the vault.
    #[serde(default)]
    pub stale_after_days: Option<u32>,
    /// As for the vault.
    #[serde(default)]
    pub orphan_after_days: Option<u32>,
}

/// When a page becomes stale; `None` means never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ageing {
    /// After this many days.
    pub stale_after: Option<u32>,
    /// After this many days without inbound links.
    pub orphan_after: Option<u32>,
}

impl Lifecycle {
    /// Returns when the page at a path becomes stale, if a path setting applies to it.
    pub fn at_path(&self, path: &str) -> Option<Ageing> {
        self.paths.iter().find(|part| part.pattern.matches(path)).map(|part| self.ageing_of(part))
    }

    /// Returns when pages become stale where no path setting applies.
    pub fn everywhere(&self) -> Ageing {
        ageing(self.age, self.stale_after_days, self.orphan_after_days)
    }

    /// Returns when the pages of a path setting become stale.
    pub fn ageing_of(&self, part: &LifecyclePath) -> Ageing {
        self.overridden(part.age, part.stale_after_days, part.orphan_after_days)
    }

    /// Returns when pages become stale that have their own settings; those not given are the vault's. A number of days
    /// implies that they become stale.
    pub fn overridden(&self, age: Option<bool>, stale: Option<u32>, orphan: Option<u32>) -> Ageing {
        ageing(
            age.unwrap_or(self.age || stale.is_some() || orphan.is_some()),
            stale.unwrap_or(self.stale_after_days),
            orphan.unwrap_or(self.orphan_after_days),
        )
    }

    /// Whether any page becomes stale by age, namespaces aside.
    pub(super) fn ages(&self) -> bool {
        let never = Ageing::default();
        self.everywhere() != never || self.paths.iter().any(|part| self.ageing_of(part) != never)
    }
}

fn ageing(age: bool, stale: u32, orphan: u32) -> Ageing {
    let days = |days: u32| (age && days > 0).then_some(days);
    Ageing { stale_after: days(stale), orphan_after: days(orphan) }
}

#[cfg(test)]
mod tests {
    use crate::policy::Policy;

    #[track_caller]
    fn check(text: &str, path: &str, expected: (Option<u32>, Option<u32>)) {
        let policy = Policy::parse(text).expect("a policy");
        let ageing = policy.lifecycle.at_path(path).unwrap_or_else(|| policy.lifecycle.everywhere());
        assert_eq!((ageing.stale_after, ageing.orphan_after), expected, "{path} by {text}");
    }

    #[test]
    fn ageing_is_off_by_default() {
        check("", "a.md", (None, None));
        check("[lifecycle]\nstale_after_days = 10\n", "a.md", (None, None));
        check("[lifecycle]\nage = true\n", "a.md", (Some(60), Some(30)));
        check("[lifecycle]\nage = true\norphan_after_days = 0\n", "a.md", (Some(60), None));
        assert!(!Policy::default().lifecycle.ages());
    }

    #[test]
    fn first_matching_path_applies() {
        let text = "[lifecycle]\nage = true\n\
                    [[lifecycle.paths]]\npattern = \"clients/old/**\"\nage = false\n\
                    [[lifecycle.paths]]\npattern = \"clients/**\"\nstale_after_days = 20\n";
        check(text, "clients/old/a.md", (None, None));
        check(text, "clients/a.md", (Some(20), Some(30)));
        check(text, "a.md", (Some(60), Some(30)));
        let only_clients = "[[lifecycle.paths]]\npattern = \"clients/**\"\nstale_after_days = 20\n";
        check(only_clients, "clients/a.md", (Some(20), Some(30)));
        check(only_clients, "a.md", (None, None));
        assert!(Policy::parse(only_clients).expect("a policy").lifecycle.ages());
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, what) in [
            ("[lifecycle]\nage = true\nstale_after = 3\n", 3, "stale_after"),
            ("[lifecycle]\nstale_after_days = \"60 days\"\n", 2, "60 days"),
            ("[lifecycle]\nstale_after_days = -1\n", 2, "-1"),
            ("[lifecycle]\n\n[[lifecycle.paths]]\nstale_after_days = 1\n", 3, "pattern"),
            ("[[lifecycle.paths]]\npattern = \"../x\"\n", 2, "../x"),
        ] {
            let (at, message) = Policy::parse(text).expect_err(text);
            assert_eq!(at, Some(line), "{text}: {message}");
            assert!(message.contains(what), "{text}: {message}");
        }
    }
}
