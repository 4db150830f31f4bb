//! Rolls up an append-only log by keeping only its newest weekly and monthly sections.

use lore_page::Format;
use lore_page::edit::{self, SectionPlace};
use lore_text::{NamePeriod, parse_period};
use serde::Deserialize;

/// Level of the counted sections.
const LEVEL: u8 = 2;

/// Number of sections of one kind to keep.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeepRule {
    /// Pattern of their headings: `Weekly {week}` or `Monthly {month}`.
    pub heading: String,
    /// Number of newest sections to keep.
    pub last: usize,
}

/// Result of a roll-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollUpResult {
    /// Text with the kept sections; everything else is unchanged.
    pub text: String,
    /// Headings of the sections over the limit, in text order.
    pub dropped: Vec<String>,
    /// Headings of duplicate sections, one for each copy removed.
    pub collapsed: Vec<String>,
    /// Warnings, as sentences without a full stop.
    pub warnings: Vec<String>,
}

/// What happens to a counted section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SectionAction {
    Keep,
    OverLimit,
    Duplicate,
}

/// Keeps the newest sections of each kind by the week or month in their headings, wherever they are. Of several with
/// the same heading, the last is kept. A kept section of more than `warn_bytes` bytes causes a warning; sections are
/// never shortened.
pub fn roll_up(text: &str, rules: &[KeepRule], warn_bytes: usize) -> RollUpResult {
    let sections = edit::sections(Format::Markdown, text);
    let mut actions: Vec<(usize, SectionAction)> = Vec::new();
    for (rule, kind) in rules.iter().enumerate() {
        let period_of = |place: &SectionPlace| {
            let (first, period) = kind_of(place, rules)?;
            (first == rule).then_some(period)
        };
        let labelled = sections.iter().enumerate().filter_map(|(at, place)| Some((period_of(place)?, at)));
        actions.extend(decide(labelled.collect(), kind.last));
    }
    actions.sort_unstable_by_key(|(at, _)| *at);

    let with = |action: SectionAction| {
        actions.iter().filter(move |(_, found)| *found == action).map(|(at, _)| &sections[*at])
    };
    let names = |action: SectionAction| with(action).map(|place| place.heading.text.clone()).collect();
    let removed = with(SectionAction::OverLimit).chain(with(SectionAction::Duplicate));
    RollUpResult {
        text: edit::remove_sections(Format::Markdown, text, removed),
        dropped: names(SectionAction::OverLimit),
        collapsed: names(SectionAction::Duplicate),
        warnings: with(SectionAction::Keep).filter_map(|place| warning(text, place, warn_bytes)).collect(),
    }
}

/// Returns the first matching kind of a section, and its period.
fn kind_of(place: &SectionPlace, rules: &[KeepRule]) -> Option<(usize, NamePeriod)> {
    if place.heading.level != LEVEL {
        return None;
    }
    rules.iter().enumerate().find_map(|(rule, kind)| Some((rule, label(&kind.heading, &place.heading.text)?)))
}

/// Returns the week or month in a heading that matches the pattern.
fn label(pattern: &str, heading: &str) -> Option<NamePeriod> {
    [("{week}", "YYYY-Www".len()), ("{month}", "YYYY-MM".len())].into_iter().find_map(
        |(placeholder, length)| {
            let (before, after) = pattern.split_once(placeholder)?;
            let label = heading.strip_prefix(before)?.strip_suffix(after)?;
            if label.len() == length { parse_period(label) } else { None }
        },
    )
}

/// Decides about the sections of one kind, given by label and position.
fn decide(mut labelled: Vec<(NamePeriod, usize)>, last: usize) -> Vec<(usize, SectionAction)> {
    labelled.sort_unstable_by(|a, b| b.cmp(a));
    let mut newest: Option<NamePeriod> = None;
    let mut kept = 0;
    let action_of = |(period, at)| {
        let duplicate = newest.replace(period) == Some(period);
        let action = match duplicate {
            true => SectionAction::Duplicate,
            false if kept < last => SectionAction::Keep,
            false => SectionAction::OverLimit,
        };
        kept += usize::from(!duplicate);
        (at, action)
    };
    labelled.into_iter().map(action_of).collect()
}

fn warning(text: &str, place: &SectionPlace, limit: usize) -> Option<String> {
    let bytes = place.whole.of(text).trim_end().len();
    let heading = &place.heading.text;
    (bytes > limit).then(|| format!("the section {heading:?} has {bytes} bytes, which is more than {limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(weeks: usize, months: usize) -> [KeepRule; 2] {
        let kept = |heading: &str, last| KeepRule { heading: heading.to_owned(), last };
        [kept("Weekly {week}", weeks), kept("Monthly {month}", months)]
    }

    /// Checks the dropped and collapsed sections and the remaining text, also with Windows line endings.
    #[track_caller]
    fn check(text: &str, dropped: &[&str], collapsed: &[&str], left: &str) {
        for windows in [false, true] {
            let with_ends = |text: &str| if windows { text.replace('\n', "\r\n") } else { text.to_owned() };
            let rolled = roll_up(&with_ends(text), &rules(2, 1), 4000);
            assert_eq!(rolled.dropped, dropped);
            assert_eq!(rolled.collapsed, collapsed);
            assert_eq!(rolled.text, with_ends(left));
            assert_eq!(rolled.warnings, [""; 0]);
            let again = roll_up(&rolled.text, &rules(2, 1), 4000);
            assert_eq!((again.text, again.dropped.len() + again.collapsed.len()), (rolled.text, 0));
        }
    }

    #[test]
    fn newest_sections_by_label_are_kept_in_place() {
        check(
            "---\ntitle: Agent\n---\n# Agent\n\nPreamble\n\n## Weekly 2026-W02\n\nb\n\n## Monthly 2025-12\nold\n\n\
             ## Weekly 2025-W52\n\n### Sub\n\na\n\n## Notes\n\nfree\n\n## Monthly 2026-01\nnew\n\n## Weekly 2026-W10\nc\n",
            &["Monthly 2025-12", "Weekly 2025-W52"],
            &[],
            "---\ntitle: Agent\n---\n# Agent\n\nPreamble\n\n## Weekly 2026-W02\n\nb\n\n\
             ## Notes\n\nfree\n\n## Monthly 2026-01\nnew\n\n## Weekly 2026-W10\nc\n",
        );
    }

    #[test]
    fn last_of_duplicate_sections_is_kept() {
        check(
            "## Weekly 2026-W02\none\n\n## Weekly 2026-W03\nx\n\n## Weekly 2026-W02\ntwo\n\n## Weekly 2026-W02\nthree\n",
            &[],
            &["Weekly 2026-W02", "Weekly 2026-W02"],
            "## Weekly 2026-W03\nx\n\n## Weekly 2026-W02\nthree\n",
        );
        check(
            "## Monthly 2026-01\na\n## Monthly 2026-02\nb\n## Monthly 2026-01\nc\n",
            &["Monthly 2026-01"],
            &["Monthly 2026-01"],
            "## Monthly 2026-02\nb\n",
        );
    }

    #[test]
    fn other_sections_are_kept() {
        for text in [
            "# Agent\n\nOnly a preamble\n",
            "",
            "## Weekly 2026-W01\n\n## Weekly 2026-W02\n",
            "## Weekly 2026-W54\n\n## Weekly 2026-W55\n\n## Weekly 2026-W56\n",
            "## Weekly 2026-01\n\n## Weekly 2026-02\n\n## Weekly 2026-03\n",
            "## Weekly 2026-W01 a\n\n## Weekly 2026-W02 a\n\n## Weekly 2026-W03 a\n",
            "### Weekly 2026-W01\n\n### Weekly 2026-W02\n\n### Weekly 2026-W03\n",
            "# Weekly 2026-W01\n\n# Weekly 2026-W02\n\n# Weekly 2026-W03\n",
            "## Weekly 2026-W05\n```\n## Weekly 2026-W01\n## Weekly 2026-W02\n```\n## Weekly 2026-W06\n",
            "# A\r\r## Weekly 2026-W01\r\r## Weekly 2026-W02\r\r## Weekly 2026-W03\r",
        ] {
            check(text, &[], &[], text);
        }
    }

    #[test]
    fn dropped_section_removes_nothing_else() {
        check(
            "\u{feff}Preamble\n## Weekly 2026-W01\n- a\n\n---\n\n- **2026-01-02** | x — y\n\n## Weekly 2026-W02\n## Weekly 2026-W03",
            &["Weekly 2026-W01"],
            &[],
            "\u{feff}Preamble\n\n---\n\n- **2026-01-02** | x — y\n\n## Weekly 2026-W02\n## Weekly 2026-W03",
        );
        check(
            "Preamble\n\n## Monthly 2026-01\n\n## Monthly 2026-02\n",
            &["Monthly 2026-01"],
            &[],
            "Preamble\n\n## Monthly 2026-02\n",
        );
    }

    #[test]
    fn long_kept_section_causes_a_warning() {
        let long = format!("## Weekly 2026-W01\n\n{}\n\n", "x".repeat(100));
        let text = format!("{long}## Weekly 2026-W02\nshort\n\n{}", long.replace("W01", "W03"));
        let rolled = roll_up(&text, &rules(2, 1), 119);
        assert_eq!(
            rolled.warnings,
            ["the section \"Weekly 2026-W03\" has 120 bytes, which is more than 119"],
            "the dropped section causes no warning"
        );
        assert!(rolled.text.contains(&"x".repeat(100)));
        assert!(roll_up(&text, &rules(2, 1), 120).warnings.is_empty());
    }

    #[test]
    fn rule_is_deserialized_from_a_policy() {
        let kept: KeepRule = toml::from_str("heading = \"Weekly {week}\"\nlast = 12\n").expect("a rule");
        assert_eq!(kept, KeepRule { heading: "Weekly {week}".to_owned(), last: 12 });
    }
}
