//! Removes old entries from a view: dated sections, and list items that begin with a date.

use jiff::Zoned;
use lore_page::Format;
use lore_page::edit::{self, SectionPlace};
use lore_text::{Age, find_period};

/// Returns the text without the dated sections and list entries that have reached an age, and what they were.
pub fn expire_entries(text: &str, age: &Age, now: &Zoned) -> (String, Vec<String>) {
    let is_old = |label: &str| {
        let label = label.trim_start_matches(['*', '_', '[', '(', '`', ' ']);
        let period = find_period(label).filter(|(_, range)| range.start == 0);
        period.is_some_and(|(period, _)| age.is_over(period.end(now.time_zone()), now))
    };
    let sections = edit::sections(Format::Markdown, text);
    // The level-one heading is the title of the page.
    let dated = sections.iter().filter(|place| place.heading.level > 1);
    let old: Vec<&SectionPlace> = dated.filter(|place| is_old(&place.heading.text)).collect();
    let mut dropped: Vec<String> = old.iter().map(|place| place.heading.text.clone()).collect();
    let kept = edit::remove_sections(Format::Markdown, text, old);
    let mut items: Vec<std::ops::Range<usize>> = Vec::new();
    let mut at = 0;
    let mut is_dropping = false;
    for line in kept.split_inclusive('\n') {
        let item = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
        let continues = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        is_dropping = match item {
            Some(item) => is_old(item),
            None => is_dropping && continues,
        };
        if is_dropping {
            items.push(at..at + line.len());
        }
        if is_dropping && item.is_some() {
            dropped.push(line.trim().to_owned());
        }
        at += line.len();
    }
    let mut text = kept;
    for range in items.into_iter().rev() {
        text.replace_range(range, "");
    }
    (text, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dated_entries_expire() {
        let now: Zoned = "2026-05-18T12:00:00[UTC]".parse().expect("a time");
        let text = "# 2020-01-01\n\n> A view.\n\n- 2026-02-16: old\n  more\n- **2026-02-17** | gh — kept\n- no date\n\n\
                    ## 2026-02-01\n\nGone.\n\n## 2026-05-01\n\nKept.\n\n- about 2020-01-01\n";
        let (kept, dropped) = expire_entries(text, &Age::days(90), &now);
        assert_eq!(
            kept,
            "# 2020-01-01\n\n> A view.\n\n- **2026-02-17** | gh — kept\n- no date\n\n## 2026-05-01\n\nKept.\n\n- about 2020-01-01\n"
        );
        assert_eq!(dropped, ["2026-02-01", "- 2026-02-16: old"]);
    }
}
