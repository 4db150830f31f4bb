//! Rolls up an append-only log by keeping only its newest weekly and monthly sections.

use lore_page::edit::{self, SectionPlace};
use lore_text::{NamePeriod, parse_period};
use serde::Deserialize;

/// Level of the counted sections.
const LEVEL: u8 = 2;

/// Number of sections of one kind to keep.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptEntries {
    /// Pattern of their headings: `Weekly {week}` or `Monthly {month}`.
    pub heading: String,
    /// Number of newest sections to keep.
    pub last: usize,
}

/// Result of a roll-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RollUp {
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
enum Fate {
    Stays,
    TooMany,
    WrittenAgain,
}

/// Keeps the newest sections of each kind by the week or month in their headings, wherever they are. Of several with
/// the same heading, the last is kept. A kept section of more than `warn_bytes` bytes causes a warning; sections are
/// never shortened.
pub fn roll_up(text: &str, kept: &[KeptEntries], warn_bytes: usize) -> RollUp {
    let places = edit::sections(text);
    let mut fates: Vec<(usize, Fate)> = Vec::new();
    for (rule, kind) in kept.iter().enumerate() {
        let of_this_kind = |place: &SectionPlace| {
            let (first, period) = kind_of(place, kept)?;
            (first == rule).then_some(period)
        };
        let labelled = places.iter().enumerate().filter_map(|(at, place)| Some((of_this_kind(place)?, at)));
        fates.extend(decide(labelled.collect(), kind.last));
    }
    fates.sort_unstable_by_key(|(at, _)| *at);

    let with = |fate: Fate| fates.iter().filter(move |(_, found)| *found == fate).map(|(at, _)| &places[*at]);
    let names = |fate: Fate| with(fate).map(|place| place.heading.text.clone()).collect();
    let gone = with(Fate::TooMany).chain(with(Fate::WrittenAgain));
    RollUp {
        text: edit::remove_sections(text, gone),
        dropped: names(Fate::TooMany),
        collapsed: names(Fate::WrittenAgain),
        warnings: with(Fate::Stays).filter_map(|place| warning(text, place, warn_bytes)).collect(),
    }
}

/// Returns the first matching kind of a section, and its period.
fn kind_of(place: &SectionPlace, kept: &[KeptEntries]) -> Option<(usize, NamePeriod)> {
    if place.heading.level != LEVEL {
        return None;
    }
    kept.iter().enumerate().find_map(|(rule, kind)| Some((rule, label(&kind.heading, &place.heading.text)?)))
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
fn decide(mut labelled: Vec<(NamePeriod, usize)>, last: usize) -> Vec<(usize, Fate)> {
    labelled.sort_unstable_by(|a, b| b.cmp(a));
    let mut newest: Option<NamePeriod> = None;
    let mut stay = 0;
    let fate_of = |(period, at)| {
        let again = newest.replace(period) == Some(period);
        let fate = match again {
            true => Fate::WrittenAgain,
            false if stay < last => Fate::Stays,
            false => Fate::TooMany,
        };
        stay += usize::from(!again);
        (at, fate)
    };
    labelled.into_iter().map(fate_of).collect()
}

fn warning(text: &str, place: &SectionPlace, limit: usize) -> Option<String> {
    let bytes = place.whole.of(text).trim_end().len();
    let heading = &place.heading.text;
    (bytes > limit).then(|| format!("the section {heading:?} has {bytes} bytes, which is more than {limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(weeks: usize, months: usize) -> [KeptEntries; 2] {
        let kept = |heading: &str, last| KeptEntries { heading: heading.to_owned(), last };
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
        let kept: KeptEntries = toml::from_str("heading = \"Weekly {week}\"\nlast = 12\n").expect("a rule");
        assert_eq!(kept, KeptEntries { heading: "Weekly {week}".to_owned(), last: 12 });
    }
}
