//! Glob patterns over the paths of a vault, as written in `lore.toml`.

use std::fmt;
use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};
use lore_vault::without_extension;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Placeholders, and the globs they stand for.
const PLACES: [(&str, &str); 3] = [
    ("{date}", "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"),
    ("{week}", "[0-9][0-9][0-9][0-9]-W[0-9][0-9]"),
    ("{month}", "[0-9][0-9][0-9][0-9]-[0-9][0-9]"),
];

/// Maximum length of a pattern, in bytes: far more than a path has, and far less than a matcher can be built from.
const LENGTH: usize = 1000;

/// A pattern: `*` is any name, `**` any path, `{date}`, `{week}` and `{month}` are dates, any other `{word}` is a
/// name. The extension of a page is omitted.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    /// Compiled when the first path is matched: most commands match none.
    matcher: OnceLock<Option<GlobMatcher>>,
}

impl Pattern {
    /// Parses a pattern; an error says what is wrong with it.
    pub fn new(text: &str) -> Result<Pattern, String> {
        let pattern = Pattern { text: text.to_owned(), matcher: OnceLock::new() };
        if text.trim().is_empty() || text.starts_with('/') || text.split('/').any(|name| name == "..") {
            return Err(format!("{text:?} is not a pattern of paths inside the vault"));
        }
        if text.len() > LENGTH {
            return Err(format!("a pattern has more than {LENGTH} bytes"));
        }
        builder(&pattern.glob()).build().map_err(|error| error.to_string())?;
        Ok(pattern)
    }

    /// Returns the pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches a path.
    pub fn matches(&self, path: &str) -> bool {
        let matcher = self
            .matcher
            .get_or_init(|| builder(&self.glob()).build().ok().map(|glob| glob.compile_matcher()));
        matcher
            .as_ref()
            .is_some_and(|matcher| matcher.is_match(without_extension(path)) || matcher.is_match(path))
    }

    /// Returns the placeholders that are whole names of a matching path, with what they stand for.
    pub fn placeholders<'a>(&'a self, path: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
        if !self.matches(path) {
            return None;
        }
        let names = self.text.split('/').zip(without_extension(path).split('/'));
        let placeholder = |(pattern, name): (&'a str, &'a str)| {
            let word = pattern.strip_prefix('{')?.strip_suffix('}')?;
            (!word.contains([',', '{'])).then_some((word, name))
        };
        // `**` matches any number of names, so that what follows it has no fixed place.
        let fixed = self.text.split('/').take_while(|name| *name != "**").count();
        Some(names.take(fixed).filter_map(placeholder).collect())
    }

    /// Returns the pattern as a glob, with its placeholders replaced.
    fn glob(&self) -> String {
        let mut glob = self.text.clone();
        for (place, means) in PLACES {
            glob = glob.replace(place, means);
        }
        let mut plain = String::with_capacity(glob.len());
        let mut rest = glob.as_str();
        while let Some(open) = rest.find('{') {
            let Some(close) = rest[open..].find('}').map(|at| open + at) else { break };
            plain.push_str(&rest[..open]);
            let inside = &rest[open + 1..close];
            // `{a,b}` is an alternation and is kept; `{slug}` is a name.
            plain.push_str(if inside.contains(',') { &rest[open..=close] } else { "*" });
            rest = &rest[close + 1..];
        }
        plain + rest
    }
}

/// Returns the builder that patterns are checked and matched with.
fn builder(glob: &str) -> GlobBuilder<'_> {
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(true);
    builder
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Pattern::new(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, path, expected) in [
            ("state/today", "state/today.md", true),
            ("state/today", "state/today2.md", false),
            ("identity/*", "identity/profile.md", true),
            ("identity/*", "identity/health/sleep.md", false),
            ("identity/**", "identity/health/sleep.md", true),
            ("journal/daily/{date}", "journal/daily/2026-05-18.md", true),
            ("journal/daily/{date}", "journal/daily/notes.md", false),
            ("journal/weekly/{week}", "journal/weekly/2026-W19.md", true),
            ("journal/monthly/{month}", "journal/monthly/2026-05.md", true),
            ("journal/repos/{slug}/{date}", "journal/repos/lore/2026-05-18.md", true),
            ("journal/repos/{slug}/{date}", "journal/repos/a/b/2026-05-18.md", false),
            ("state/inbox/{date}-*", "state/inbox/2026-05-18-call.md", true),
            ("index*.md", "index-procedures.md", true),
            ("index*.md", "index/notes.md", false),
            ("raw/**", "raw/files/paper.pdf", true),
            ("{a,b}/x", "b/x.md", true),
        ] {
            assert_eq!(Pattern::new(pattern).expect(pattern).matches(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn placeholders_stand_for_names() {
        for (pattern, path, expected) in [
            ("journal/daily/{date}", "journal/daily/2026-05-18.md", "date=2026-05-18"),
            ("a/{domain}/{kind}/{slug}", "a/work/books/logic.md", "domain=work kind=books slug=logic"),
            ("{a,b}/{slug}", "b/x.md", "slug=x"),
            ("inbox/{date}-*", "inbox/2026-05-18-x.md", ""),
            ("**/{slug}", "a/b/x.md", ""),
            ("journal/daily/{date}", "journal/daily/x.md", "none"),
        ] {
            let pattern = Pattern::new(pattern).expect(pattern);
            let found = pattern.placeholders(path).map(|found| {
                found.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(found.as_deref().unwrap_or("none"), expected, "{pattern:?} {path}");
        }
    }

    #[test]
    fn pattern_outside_the_vault_is_refused() {
        let endless = "?".repeat(1_000_000);
        for pattern in ["", "/etc/*", "../x", "a/../b", "[a", &endless] {
            assert!(Pattern::new(pattern).is_err(), "{pattern:.20}");
        }
        // The largest matchers that a pattern can ask for: none of them panics.
        for part in ["?", "[a-z]", "**/", "{a,b}", "{date}"] {
            let pattern = part.repeat(1000 / part.len());
            Pattern::new(&pattern).expect(part).matches("a/b/c/page.md");
        }
    }
}
