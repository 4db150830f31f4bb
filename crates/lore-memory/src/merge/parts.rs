//! Where the parts of a page are after a split: its headings, blocks and custom ids.

use std::collections::HashMap;

use lore_engine::heading_key;
use lore_page::edit::{self, MovedTo, OwnLink, SectionPlace};
use lore_page::{Format, LinkStyle};
use lore_text::fold;
use lore_vault::relative;

use super::redirect::PageName;

/// A part of the page before the split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The section that it is in, by its position among those that become pages; `None` if it stays.
    pub(super) section: Option<usize>,
    /// Whether it names the section as a whole.
    pub(super) is_whole: bool,
}

/// The parts of a page by the names that links give them.
#[derive(Debug)]
pub(super) struct Parts {
    /// In order: of several with one name, a link leads to the first.
    names: HashMap<String, Vec<Part>>,
}

/// The names of the pages after a split.
#[derive(Debug)]
pub(super) struct SplitNames {
    /// Of the page that was split.
    pub(super) rest: PageName,
    /// Of its sections, with their headings.
    pub(super) sections: Vec<(String, PageName)>,
}

impl Parts {
    /// Returns the parts of a text of which these sections, in order, become pages.
    pub(super) fn new(format: Format, text: &str, moved: &[SectionPlace]) -> Parts {
        let headings = edit::sections(format, text).into_iter();
        let headings = headings.map(|it| (it.whole.start, heading_key(&it.heading.text)));
        let starts = text.split_inclusive('\n').scan(0, |end, line| {
            *end += line.len();
            Some((*end - line.len(), line))
        });
        let marked =
            starts.filter_map(|(start, line)| Some((start, block_of(line).or_else(|| custom_id(line))?)));
        let mut all: Vec<(usize, String)> = headings.chain(marked).collect();
        all.sort();
        let mut names: HashMap<String, Vec<Part>> = HashMap::new();
        for (start, name) in all {
            let before = moved.partition_point(|it| it.whole.start <= start);
            let section = before.checked_sub(1).filter(|last| start < moved[*last].whole.end);
            let is_whole = section.is_some_and(|section| start < moved[section].body.start);
            names.entry(name).or_default().push(Part { section, is_whole });
        }
        Parts { names }
    }

    /// Returns the parts that a link names after `#`: by the last name of a path.
    pub(super) fn named(&self, fragment: &str) -> &[Part] {
        let last = part_key(fragment);
        let found = self.names.get(&last).map(Vec::as_slice);
        let numbered = || {
            // Several headings with one text have the anchors `text`, `text-1`, `text-2`.
            let (name, number) = fragment.rsplit_once('-')?;
            let number: usize = number.parse().ok()?;
            self.names.get(&part_key(name))?.get(number..=number)
        };
        found.or_else(numbered).unwrap_or_default()
    }

    /// Returns a text, which is in `home` after the split, with its links to parts that are no longer on the same page leading
    /// to the page that has them now.
    pub(super) fn follow(&self, path: &str, text: &str, home: Option<usize>, names: &SplitNames) -> String {
        let format = Format::of(path);
        let mut moved = |link: &OwnLink| {
            let parts = self.named(&link.part);
            let here = parts.iter().find(|part| part.section == home);
            let part = here.or(parts.first())?;
            if here.is_some() && !(part.is_whole && names.renames(format, part)) {
                return None;
            }
            let page = names.of(part);
            let page = match (format, link.style) {
                (Format::Org, _) => page.org_target(path, part.is_whole),
                (Format::Markdown, LinkStyle::Wiki) => page.short().to_owned(),
                (Format::Markdown, LinkStyle::Markdown) => relative(path, page.path()),
            };
            Some(MovedTo { page, keeps_part: !part.is_whole })
        };
        edit::retarget_own_links(format, text, &mut moved)
    }
}

impl SplitNames {
    /// Returns the names of the page that has a part.
    pub(super) fn of(&self, part: &Part) -> &PageName {
        part.section.map_or(&self.rest, |section| &self.sections[section].1)
    }

    /// Whether the page of a section has no heading with the text of the section's: the title of an Org file is no heading.
    fn renames(&self, format: Format, part: &Part) -> bool {
        let is_title =
            |(heading, name): &(String, PageName)| heading_key(heading) == heading_key(name.short());
        format == Format::Org || !part.section.is_some_and(|section| is_title(&self.sections[section]))
    }
}

/// Returns the form of the part of a link after `#` by which it is found: of the last name of a path.
pub(super) fn part_key(fragment: &str) -> String {
    let is_custom_id = fragment.starts_with('#');
    let last = fragment.rsplit('#').next().unwrap_or(fragment).trim();
    match () {
        () if last.starts_with('^') => fold(last),
        () if is_custom_id => format!("#{}", fold(last)),
        () => heading_key(last),
    }
}

/// Returns the name of the block that a line ends with: `^block`.
fn block_of(line: &str) -> Option<String> {
    let last = line.split_whitespace().next_back()?;
    let name = last.strip_prefix('^')?;
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '-');
    is_name.then(|| fold(last))
}

/// Returns the custom id of an Org heading that a line gives it: `:CUSTOM_ID: notes`.
fn custom_id(line: &str) -> Option<String> {
    let (key, id) = line.trim().strip_prefix(':')?.split_once(':')?;
    key.eq_ignore_ascii_case("custom_id").then(|| format!("#{}", fold(id.trim())))
}
