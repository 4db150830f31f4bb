//! Finds truths that are older than their timelines.
//!
//! All dates come from the files. The timeline's date is that of its newest entry that is not in the future. The
//! truth's date is the newest of: `reviewed` and `updated` in the frontmatter, `As of YYYY-MM-DD` in the truth, and the
//! interval bounds of facts and relations in the truth. A date without a day counts as its last day, and no date counts
//! as later than today. A truth without any date is never stale, since its age is unknown.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use lore_page::{Interval, Page, prose};
use lore_ports::{PageNo, PageRow};
use lore_text::{Age, PartialDate};
use regex::Regex;

use super::contradiction::{Candidate, ContradictionKind, LineRef};
use super::rows::Rows;

/// Properties that record when a person last reviewed the truth.
const REVIEW_PROPERTIES: [&str; 2] = ["reviewed", "updated"];

static AS_OF: LazyLock<Regex> = LazyLock::new(|| {
    let date = "[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?";
    Regex::new(&format!(r"(?i-u)\bas\s+of:?\s+\**({date})\b")).expect("a regular expression")
});

/// A date and the line it is on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Dated {
    /// `YYYY-MM-DD`.
    pub day: String,
    pub line: u32,
}

/// Returns the live pages whose newest entry is later than any review date in their frontmatter.
pub(super) fn maybe_stale(rows: &Rows, max_lag: Age) -> Vec<PageNo> {
    let mut newest: HashMap<PageNo, String> = HashMap::new();
    for entry in rows.entries.iter().filter(|entry| rows.is_live(entry.page)) {
        let Some(day) = entry.statement.interval.from.map(|date| date.first_day()) else { continue };
        if day <= rows.today && newest.get(&entry.page).is_none_or(|known| *known < day) {
            newest.insert(entry.page, day);
        }
    }
    let stale = |(page, day): (PageNo, String)| {
        let reviewed = rows.pages.get(&page).and_then(|page| last_review(page, &rows.today));
        reviewed.is_none_or(|reviewed| is_stale(&reviewed, &day, max_lag)).then_some(page)
    };
    let mut pages: Vec<PageNo> = newest.into_iter().filter_map(stale).collect();
    pages.sort_unstable();
    pages
}

/// Returns a finding if a page's truth is older than its timeline.
pub(super) fn stale_truth(
    rows: &Rows,
    page: &PageRow,
    parsed: &Page,
    text: &str,
    max_lag: Age,
) -> Option<Candidate> {
    let timeline = timeline_date(parsed, text, &rows.today)?;
    let truth = truth_date(page, parsed, text, &rows.today)?;
    if !is_stale(&truth.day, &timeline.day, max_lag) {
        return None;
    }
    let days = day(&timeline.day).zip(day(&truth.day)).map_or(0, |(late, early)| (late - early).get_days());
    Some(Candidate {
        kind: ContradictionKind::TruthBehind,
        subject: page.slug.clone(),
        about: Some(page.number),
        message: format!(
            "the timeline of {} runs to {}, {days} days after its truth of {}",
            page.title, timeline.day, truth.day
        ),
        since: Some(truth.day),
        lines: [truth.line, timeline.line].map(|line| LineRef { page: page.number, line }),
        topic: String::new(),
    })
}

/// Returns the newest entry below the rule that is not in the future.
fn timeline_date(parsed: &Page, text: &str, today: &str) -> Option<Dated> {
    let rule = rule_line(parsed, text)?;
    let entries =
        parsed.entries.iter().filter(|entry| entry.lines.first > rule && entry.date.as_str() <= today);
    let dated = entries.map(|entry| Dated { day: entry.date.clone(), line: entry.lines.first });
    // Of two entries on one day, the first wins, so that the result does not depend on entries below it.
    dated.max_by(|a, b| a.day.cmp(&b.day).then(b.line.cmp(&a.line)))
}

/// Returns the newest date of a truth.
fn truth_date(page: &PageRow, parsed: &Page, text: &str, today: &str) -> Option<Dated> {
    let rule = rule_line(parsed, text).unwrap_or(u32::MAX);
    let mut dates: Vec<Dated> = Vec::new();
    for (key, day) in review_dates(page, today) {
        dates.push(Dated { day, line: property_line(parsed, text, key) });
    }
    let mut add_interval = |interval: Interval, line: u32| {
        if line < rule {
            let ends = [interval.from, interval.until].into_iter().flatten();
            dates.extend(ends.filter_map(|date| known_day(date, today)).map(|day| Dated { day, line }));
        }
    };
    parsed.facts.iter().for_each(|fact| add_interval(fact.interval, fact.line));
    parsed.links.iter().for_each(|link| add_interval(link.interval, link.line));
    // Match the raw text first: few pages contain the phrase, and extracting prose costs as much as parsing.
    if AS_OF.is_match(parsed.truth.of(text)) {
        let plain_text = prose(text);
        let truth = parsed.truth.of(&plain_text);
        let lines_before = |at: usize| 1 + text[..at].bytes().filter(|byte| *byte == b'\n').count() as u32;
        for found in AS_OF.captures_iter(truth) {
            let day = found[1].parse().ok().and_then(|date| known_day(date, today));
            let at = found.get(1).map_or(0, |date| date.start());
            dates.extend(day.map(|day| Dated { day, line: lines_before(parsed.truth.start + at) }));
        }
    }
    dates.into_iter().max_by(|a, b| a.day.cmp(&b.day).then(b.line.cmp(&a.line)))
}

/// Returns the line of the rule between truth and timeline.
fn rule_line(parsed: &Page, text: &str) -> Option<u32> {
    let timeline = parsed.timeline?;
    Some(text[..timeline.start].bytes().filter(|byte| *byte == b'\n').count() as u32)
}

/// Returns the review dates of a page, by property.
fn review_dates<'p>(page: &'p PageRow, today: &'p str) -> impl Iterator<Item = (&'static str, String)> + 'p {
    REVIEW_PROPERTIES.into_iter().filter_map(move |key| {
        let text = page.properties.text(key)?.trim();
        // A timestamp starts with its date.
        let date = text.get(..10).unwrap_or(text).parse().ok()?;
        known_day(date, today).map(|day| (key, day))
    })
}

fn last_review(page: &PageRow, today: &str) -> Option<String> {
    review_dates(page, today).map(|(_, day)| day).max()
}

/// Returns the last day of a partial date, capped at today; none if it is in the future.
fn known_day(date: PartialDate, today: &str) -> Option<String> {
    (date.first_day().as_str() <= today).then(|| date.last_day().min(today.to_owned()))
}

fn property_line(parsed: &Page, text: &str, key: &str) -> u32 {
    let Some(lines) = parsed.frontmatter else { return 1 };
    let is_it = |line: &str| {
        line.split_once(':')
            .is_some_and(|(name, _)| name.trim().trim_matches(['"', '\'']).eq_ignore_ascii_case(key))
    };
    let numbered = (1..).zip(text.lines()).take(lines.last as usize).skip(lines.first as usize - 1);
    numbered.filter(|(_, line)| is_it(line)).map(|(number, _)| number).next().unwrap_or(lines.first)
}

/// Returns whether a truth of one date is stale for a timeline that runs to another.
fn is_stale(truth: &str, timeline: &str, max_lag: Age) -> bool {
    let zoned = |text: &str| day(text).and_then(|day| day.to_zoned(TimeZone::UTC).ok());
    match (zoned(truth), zoned(timeline)) {
        (Some(truth), Some(timeline)) => max_lag.is_over(truth.timestamp(), &timeline),
        _ => false,
    }
}

fn day(text: &str) -> Option<Date> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> (PageRow, Page) {
        let parsed = lore_page::parse("a.md", text).page;
        let row = PageRow {
            number: 1,
            path: "a.md".into(),
            slug: "a".into(),
            id: "1".into(),
            title: "A".into(),
            kind: "note".into(),
            status: None,
            wing: "a".into(),
            summary: None,
            tags: Vec::new(),
            properties: parsed.properties.clone(),
            diagnostics: Vec::new(),
            hash: lore_text::ContentHash::of(b""),
            size: 0,
            created: 0,
            updated: 0,
            version: 1,
        };
        (row, parsed)
    }

    #[track_caller]
    fn check(text: &str, expected: Option<(u32, u32)>) {
        let (row, parsed) = page(text);
        let rows = Rows::new(vec![row.clone()], Vec::new(), Vec::new(), Vec::new(), "2026-11-01".into());
        let found = stale_truth(&rows, &row, &parsed, text, Age::days(30));
        assert_eq!(found.map(|found| (found.lines[0].line, found.lines[1].line)), expected, "{text}");
    }

    #[test]
    fn truth_is_behind_a_timeline_thirty_days_newer() {
        let entry = |day: &str| format!("\n---\n\n- **{day}** | x — Something.\n");
        let dated = |day: &str| format!("---\nupdated: {day}\n---\nText.\n{}", entry("2026-06-30"));
        check(&dated("2026-05-31"), Some((2, 8)));
        check(&dated("2026-06-01"), None);
        check(&dated("2026-05-31T10:00:00Z"), Some((2, 8)));
        check(&format!("Text.\n{}", entry("2026-06-30")), None);
        check(&format!("As of 2026-01-02 all is well.\n{}", entry("2026-06-30")), Some((1, 5)));
        check(&format!("`As of 2026-01-02` all is well.\n{}", entry("2026-06-30")), None);
        check(&format!("- role:: CEO {{2026-01..}}\n{}", entry("2026-06-30")), Some((1, 5)));
        check(&format!("- role:: CEO {{2026..}}\n{}", entry("2026-06-30")), None);
        check(&format!("- role:: CEO {{2020..2026-06}}\n{}", entry("2026-06-30")), None);
        check(&format!("- role:: CEO {{2020..}}\n{}", entry("2027-06-30")), None);
        check("- role:: CEO {2020..}\n- **2026-06-30** | x — No rule.\n", None);
    }
}
