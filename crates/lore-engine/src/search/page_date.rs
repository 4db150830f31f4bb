//! The day, month or year that a page or a line is about.

use jiff::civil::Date;
use lore_ports::PageRow;
use lore_text::{PartialDate, date_of_file};

use super::expression::dates_in;

/// Properties that say what day a page is about.
const PROPERTIES: [&str; 3] = ["date", "day", "when"];

/// The date of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageDate {
    /// `YYYY-MM-DD`, or the beginning of it.
    pub day: String,
    /// Whether the title names it.
    pub in_title: bool,
}

/// Returns the date of a page: its property, else the date in its title, else the one in its file name.
pub fn page_date(page: &PageRow) -> Option<PageDate> {
    let in_title = dates_in(&page.title).into_iter().next();
    let declared = PROPERTIES.iter().filter_map(|key| page.properties.text(key)).find_map(|text| {
        let day = text.trim().get(..10).unwrap_or(text.trim());
        day.parse::<PartialDate>().ok().map(|day| day.to_string())
    });
    let in_name = || {
        let period = date_of_file(&page.path)?;
        let (first, last) = (period.first.to_string(), period.last.to_string());
        let is_month = !period.is_day() && first.ends_with("-01") && first[..7] == last[..7];
        Some(if is_month { first[..7].to_owned() } else { first })
    };
    let day = declared.or_else(|| in_title.clone()).or_else(in_name)?;
    let in_title = in_title.is_some_and(|title| title == day) || page.title.contains(&day);
    Some(PageDate { day, in_title })
}

/// Returns the day of a page; a month or year is not a day.
pub(super) fn page_day(page: &PageRow) -> Option<Date> {
    page_date(page)?.day.parse().ok()
}

/// Returns the day of a line that begins with one: `- **2024-03-01** | …`, `2024-03-01: …`.
pub(super) fn line_day(text: &str) -> Option<Date> {
    let start = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    start.get(..10).filter(|day| day.as_bytes()[4] == b'-').and_then(|day| day.parse().ok())
}
