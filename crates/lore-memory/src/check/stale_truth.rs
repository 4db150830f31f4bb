//! Finds truths that are older than their timelines.
//!
//! The timeline's date is that of its newest entry that is not in the future. The truth's date is when it says that it
//! was written (`reviewed` and `updated` in the frontmatter, `As of …` in the truth), or when its text last changed, if
//! that is later. The bounds of its facts and relations show only that it is not older: a job of 2019 may have been noted
//! yesterday. A date without a day counts as its last day, and no date counts as later than today. A truth of unknown age
//! is never stale.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use lore_page::{Format, Interval, Page, prose};
use lore_ports::{PageNo, PageRow};
use lore_text::{Age, PartialDate};

use super::as_of::{may_state_a_date, stated_dates};
use super::contradiction::{Candidate, ContradictionKind, LineRef};
use super::rows::Rows;

/// Properties that record when a person last reviewed the truth.
const REVIEW_PROPERTIES: [&str; 2] = ["reviewed", "updated"];

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

/// The day on which a truth last changed.
pub(super) struct Change {
    /// `YYYY-MM-DD`.
    pub day: String,
    /// Whether an earlier text is known. Otherwise the truth may be older than the day.
    pub replaced: bool,
}

/// Returns a finding if a page's truth is older than its timeline. When it last changed is asked only if the file alone
/// does not show that the truth is current.
pub(super) fn stale_truth<E>(
    rows: &Rows,
    page: &PageRow,
    parsed: &Page,
    text: &str,
    max_lag: Age,
    last_change: impl FnOnce() -> Result<Option<Change>, E>,
) -> Result<Option<Candidate>, E> {
    let Some(timeline) = timeline_date(parsed, text, &rows.today) else { return Ok(None) };
    let is_current = |date: &Dated| !is_stale(&date.day, &timeline.day, max_lag);
    let stated = stated_date(page, parsed, text, &rows.today);
    if stated.as_ref().is_some_and(is_current)
        || bound(parsed, text, &rows.today).is_some_and(|date| is_current(&date))
    {
        return Ok(None);
    }
    let line = first_line(parsed, text);
    let changed = last_change()?.filter(|change| change.replaced || stated.is_none());
    let changed = changed.map(|change| Dated { day: change.day, line });
    let truth = stated.into_iter().chain(changed).max_by(|a, b| a.day.cmp(&b.day));
    Ok(truth.filter(|truth| !is_current(truth)).map(|truth| candidate(page, truth, &timeline)))
}

fn candidate(page: &PageRow, truth: Dated, timeline: &Dated) -> Candidate {
    let days = day(&timeline.day).zip(day(&truth.day)).map_or(0, |(late, early)| (late - early).get_days());
    Candidate {
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
    }
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

/// Returns the newest date that a truth gives itself.
fn stated_date(page: &PageRow, parsed: &Page, text: &str, today: &str) -> Option<Dated> {
    let mut dates: Vec<Dated> = Vec::new();
    for (key, day) in review_dates(page, today) {
        dates.push(Dated { day, line: property_line(parsed, text, key) });
    }
    // Match the raw text first: few pages contain such a phrase, and extracting prose costs as much as parsing.
    if may_state_a_date(parsed.truth.of(text)) {
        let plain_text = prose(Format::of(&page.path), text);
        for (at, date) in stated_dates(parsed.truth.of(&plain_text)) {
            let line = line_at(text, parsed.truth.start + at);
            dates.extend(known_day(date, today).map(|day| Dated { day, line }));
        }
    }
    dates.into_iter().max_by(|a, b| a.day.cmp(&b.day).then(b.line.cmp(&a.line)))
}

/// Returns the newest bound of the facts and relations of a truth, which is not older.
fn bound(parsed: &Page, text: &str, today: &str) -> Option<Dated> {
    let rule = rule_line(parsed, text).unwrap_or(u32::MAX);
    let facts = parsed.facts.iter().map(|fact| (fact.interval, fact.line));
    let intervals = facts.chain(parsed.links.iter().map(|link| (link.interval, link.line)));
    let mut dates: Vec<Dated> = Vec::new();
    for (Interval { from, until }, line) in intervals.filter(|(_, line)| *line < rule) {
        let ends = [from, until].into_iter().flatten().filter_map(|date| known_day(date, today));
        dates.extend(ends.map(|day| Dated { day, line }));
    }
    dates.into_iter().max()
}

/// Returns the first line of the truth that is not empty.
fn first_line(parsed: &Page, text: &str) -> u32 {
    let truth = parsed.truth.of(text);
    line_at(text, parsed.truth.start + truth.len() - truth.trim_start().len())
}

fn line_at(text: &str, at: usize) -> u32 {
    1 + text[..at.min(text.len())].bytes().filter(|byte| *byte == b'\n').count() as u32
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
        check_changed(text, None, expected);
    }

    #[track_caller]
    fn check_changed(text: &str, changed: Option<(&str, bool)>, expected: Option<(u32, u32)>) {
        let (row, parsed) = page(text);
        let rows = Rows::new(vec![row.clone()], Vec::new(), Vec::new(), Vec::new(), "2026-11-01".into());
        let changed = changed.map(|(day, replaced)| Change { day: day.to_owned(), replaced });
        let change = || Ok::<_, std::convert::Infallible>(changed);
        let found = stale_truth(&rows, &row, &parsed, text, Age::days(30), change);
        let found = found.unwrap_or_else(|never| match never {});
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
        check(&format!("As of January 2, 2026 all is well.\n{}", entry("2026-06-30")), Some((1, 5)));
        check(&format!("- role:: CEO {{2026..}}\n{}", entry("2026-06-30")), None);
        check(&format!("- role:: CEO {{2020..2026-06}}\n{}", entry("2026-06-30")), None);
        check(&format!("- role:: CEO {{2020..}}\n{}", entry("2027-06-30")), None);
        check("- role:: CEO {2020..}\n- **2026-06-30** | x — No rule.\n", None);
    }

    #[test]
    fn start_of_a_job_is_not_the_age_of_a_truth() {
        let text = "- works_at [[Brex]] {2019..}\n\n---\n\n- **2026-06-30** | x — Something.\n";
        check(text, None);
        check_changed(text, Some(("2026-06-01", true)), None);
        check_changed(text, Some(("2026-05-01", true)), Some((1, 5)));
        check_changed(text, Some(("2026-05-01", false)), Some((1, 5)));
    }

    #[test]
    fn later_change_overrides_what_the_truth_says() {
        let text = "As of 2026-01-02 all is well.\n\n---\n\n- **2026-06-30** | x — Something.\n";
        check_changed(text, Some(("2026-06-20", true)), None);
        check_changed(text, Some(("2026-05-20", true)), Some((1, 5)));
        // The day on which a file was added says nothing about its text.
        check_changed(text, Some(("2026-06-20", false)), Some((1, 5)));
    }
}
