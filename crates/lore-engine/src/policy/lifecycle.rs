//! When the pages of a vault grow stale by themselves: after how many days, and where.

use serde::Deserialize;

use super::Pattern;

/// When pages grow stale.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lifecycle {
    /// Whether pages grow stale by age and for want of links.
    pub age: bool,
    /// After how many days without a change or a review; 0 is never.
    pub stale_after_days: u32,
    /// After how many days a page that no other links to; 0 is never.
    pub orphan_after_days: u32,
    /// Where it is otherwise; the first that fits counts.
    pub paths: Vec<LifecyclePath>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Lifecycle { age: false, stale_after_days: 60, orphan_after_days: 30, paths: Vec::new() }
    }
}

/// What holds for some paths.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LifecyclePath {
    /// Which.
    pub pattern: Pattern,
    /// Whether they grow stale; days without it say yes.
    #[serde(default)]
    pub age: Option<bool>,
    /// As for the vault.
    #[serde(default)]
    pub stale_after_days: Option<u32>,
    /// As for the vault.
    #[serde(default)]
    pub orphan_after_days: Option<u32>,
}

/// How a page grows stale; `None` is never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ageing {
    /// After so many days.
    pub stale_after: Option<u32>,
    /// After so many days, where no other page links to it.
    pub orphan_after: Option<u32>,
}

impl Lifecycle {
    /// How the page at a path grows stale.
    pub fn ageing(&self, path: &str) -> Ageing {
        match self.paths.iter().find(|part| part.pattern.matches(path)) {
            Some(part) => self.ageing_of(part),
            None => self.everywhere(),
        }
    }

    /// How pages grow stale where nothing is said of their path.
    pub fn everywhere(&self) -> Ageing {
        ageing(self.age, self.stale_after_days, self.orphan_after_days)
    }

    /// How the pages of a part grow stale.
    pub fn ageing_of(&self, part: &LifecyclePath) -> Ageing {
        let days_named = part.stale_after_days.is_some() || part.orphan_after_days.is_some();
        ageing(
            part.age.unwrap_or(self.age || days_named),
            part.stale_after_days.unwrap_or(self.stale_after_days),
            part.orphan_after_days.unwrap_or(self.orphan_after_days),
        )
    }

    /// Whether any page grows stale by itself.
    pub fn ages(&self) -> bool {
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
        let ageing = Policy::parse(text).expect("a policy").lifecycle.ageing(path);
        assert_eq!((ageing.stale_after, ageing.orphan_after), expected, "{path} by {text}");
    }

    #[test]
    fn nothing_ages_unless_the_policy_asks_for_it() {
        check("", "a.md", (None, None));
        check("[lifecycle]\nstale_after_days = 10\n", "a.md", (None, None));
        check("[lifecycle]\nage = true\n", "a.md", (Some(60), Some(30)));
        check("[lifecycle]\nage = true\norphan_after_days = 0\n", "a.md", (Some(60), None));
        assert!(!Policy::default().lifecycle.ages());
    }

    #[test]
    fn the_first_part_that_fits_decides() {
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
    fn what_is_wrong_is_told_with_its_line() {
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
