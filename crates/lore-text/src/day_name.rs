//! Names that are dates, such as those of daily notes.

use crate::period::parse_period;
use crate::timeframe::natural::{month_number, weekday};

/// Whether a name is only a date with a year: `2024-01-05`, `2024-W01`, `2024-01-05 Friday`, `January 5th, 2024`, `20240105`,
/// `2024-Q1`, `2024年1月5日`. A page of that name may be written some day, or never.
pub fn is_day_name(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).trim().to_lowercase();
    if parse_period(&name).is_some() {
        return true;
    }
    let mut has_year = false;
    let mut words = name.split(|letter: char| !letter.is_alphanumeric() || "年月日号周".contains(letter));
    let fits = |word: &str| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        let is_year = digits && word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        has_year |= is_year || digits && word.len() == 8 && is_compact(word);
        let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        is_year
            || digits && word.len() == 8 && is_compact(word)
            || ordinal.parse::<u8>().is_ok_and(|number| number <= 53)
            || ["w", "q"]
                .iter()
                .filter_map(|unit| word.strip_prefix(unit))
                .any(|rest| rest.parse::<u8>().is_ok())
            || weekday(word).is_some()
            || month_number(word).is_some()
    };
    let all = words.by_ref().filter(|word| !word.is_empty()).all(fits);
    all && has_year
}

/// Whether eight digits are a date.
fn is_compact(digits: &str) -> bool {
    parse_period(&format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..])).is_some()
}

#[cfg(test)]
mod tests {
    use super::is_day_name;

    #[test]
    fn only_dates_with_a_year_are_day_names() {
        for name in [
            "2024-01-05",
            "2024-W01",
            "2024-01",
            "2024",
            "Daily/2024-01-05",
            "2024-01-05 Friday",
            "2024-01-05-Fri",
            "January 5th, 2024",
            "5 Jan 2024",
            "20240105",
            "2024-Q1",
            "2024年1月5日",
            "05-01-2024",
        ] {
            assert!(is_day_name(name), "{name}");
        }
        for name in ["", "Ada", "January", "12", "Plan 2024", "2024-01-05 meeting", "5.1", "99999999"] {
            assert!(!is_day_name(name), "{name}");
        }
    }
}
