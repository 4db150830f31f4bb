//! Splits the text of a page into units: the turns, sentences, list items, entries, properties and table rows that
//! compete for a place in an answer. Pure.

use std::ops::Range;

use lore_page::{Format, LineRange};
use lore_text::{fold, sentences};

/// A paragraph of at most this many bytes is one unit; a longer one is split into its sentences.
const PARAGRAPH: usize = 240;

/// Maximum number of units of a page: a longer page is read up to here.
const MAX_UNITS: usize = 2000;

/// Lines of code that form one unit.
const CODE_LINES: u32 = 6;

/// Maximum bytes of a speaker's name.
const NAME: usize = 40;

/// Properties of an Org file whose values are found in other ways, or say nothing.
const ORG_PROPERTIES: [&str; 7] =
    ["end", "filetags", "options", "properties", "roam_aliases", "roam_refs", "startup"];

/// Properties that name or classify a page rather than describe it.
const OWN_PROPERTIES: [&str; 13] = [
    "id",
    "title",
    "tags",
    "tag",
    "aliases",
    "alias",
    "permalink",
    "type",
    "created",
    "updated",
    "cssclasses",
    "publish",
    "origin",
];

/// A unit of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::search) struct Unit {
    /// Its lines.
    pub lines: LineRange,
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// The number of the heading above it in [`Units::headings`].
    pub heading: Option<usize>,
    /// The bytes of the speaker's name, if it is a turn of a conversation.
    pub speaker: Option<Range<usize>>,
    /// Units of one paragraph have the same number.
    pub block: u32,
}

/// The units of a page, in order.
#[derive(Debug, Default)]
pub(in crate::search) struct Units {
    pub list: Vec<Unit>,
    /// The paths of the headings, each as one line, without the title.
    pub headings: Vec<String>,
}

/// Splits a text. Headings with text below them, rules, comments, properties without a value and blank lines are not
/// units.
pub(in crate::search) fn units(format: Format, text: &str) -> Units {
    let head_end = if format == Format::Org { format.body_start(text) } else { 0 };
    let mut splitter = Splitter { format, text, ..Splitter::default() };
    let (mut at, mut number) = (0, 0);
    for line in text.split_inclusive('\n') {
        number += 1;
        if splitter.found.list.len() >= MAX_UNITS {
            break;
        }
        let end = at + line.trim_end().len();
        match format {
            Format::Markdown => splitter.line(number, at..end.max(at)),
            Format::Org if at < head_end => splitter.org_property(number, at..end.max(at)),
            Format::Org => splitter.org_line(number, at..end.max(at)),
        }
        at += line.len();
    }
    splitter.flush();
    splitter.close_heading(0);
    splitter.found
}

/// Where the splitter is in the file.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Place {
    #[default]
    Start,
    Properties,
    Body,
    Code,
    Comment,
    /// The property drawer of a heading, or a log.
    Drawer,
}

/// A paragraph that is not finished.
#[derive(Debug, Clone)]
struct Open {
    lines: LineRange,
    bytes: Range<usize>,
    /// Whether it stays one unit however long it is.
    whole: bool,
    speaker: Option<Range<usize>>,
}

/// A heading without units of its own so far.
#[derive(Debug)]
struct OpenHeading {
    level: usize,
    line: u32,
    bytes: Range<usize>,
    /// Number of units above it.
    above: usize,
}

#[derive(Debug, Default)]
struct Splitter<'t> {
    format: Format,
    text: &'t str,
    found: Units,
    open: Option<Open>,
    place: Place,
    /// The title of the page, if a property declares it.
    title: Option<String>,
    has_title: bool,
    path: Vec<(usize, String)>,
    open_heading: Option<OpenHeading>,
    blocks: u32,
}

impl Splitter<'_> {
    fn line(&mut self, number: u32, bytes: Range<usize>) {
        let line = &self.text[bytes.clone()];
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        match self.place {
            Place::Start if trimmed == "---" => self.place = Place::Properties,
            Place::Start if trimmed.is_empty() => {}
            Place::Start => {
                self.place = Place::Body;
                self.body(number, bytes);
            }
            Place::Properties if matches!(trimmed, "---" | "...") => {
                self.flush();
                self.place = Place::Body;
            }
            Place::Properties => self.property(number, bytes),
            Place::Code if is_fence(trimmed) => {
                self.flush();
                self.place = Place::Body;
            }
            Place::Code => self.code(number, bytes),
            Place::Comment if trimmed.contains("-->") => self.place = Place::Body,
            Place::Comment => {}
            Place::Body | Place::Drawer => self.body(number, bytes),
        }
    }

    /// A line of the body of an Org file.
    fn org_line(&mut self, number: u32, bytes: Range<usize>) {
        let line = &self.text[bytes.clone()];
        let trimmed = line.trim_start();
        let lower = trimmed.get(..8).unwrap_or(trimmed).to_ascii_lowercase();
        match self.place {
            Place::Code if lower.starts_with("#+end_") => {
                self.flush();
                self.place = Place::Body;
            }
            Place::Code => self.code(number, bytes),
            Place::Drawer => {
                if trimmed.eq_ignore_ascii_case(":END:") {
                    self.place = Place::Body;
                }
            }
            _ if lower.starts_with("#+begin_") => {
                self.flush();
                let is_code = ["src", "example", "export"].iter().any(|name| {
                    trimmed.get(8..8 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
                });
                self.place = if is_code { Place::Code } else { Place::Body };
            }
            _ if is_drawer(trimmed) => {
                self.flush();
                self.place = Place::Drawer;
            }
            _ if trimmed.starts_with("#+") || trimmed == "#" || trimmed.starts_with("# ") => self.flush(),
            _ => {
                self.place = Place::Body;
                self.body(number, bytes);
            }
        }
    }

    /// A line of the drawer or a keyword at the start of an Org file.
    fn org_property(&mut self, number: u32, bytes: Range<usize>) {
        let line = self.text[bytes.clone()].trim_start_matches('\u{feff}').trim_start();
        let rest = line.strip_prefix("#+").or_else(|| line.strip_prefix(':'));
        let Some((key, value)) = rest.and_then(|rest| rest.split_once(':')) else { return };
        let key = key.to_lowercase();
        let is_own = OWN_PROPERTIES.contains(&key.as_str()) || ORG_PROPERTIES.contains(&key.as_str());
        if !is_own && !value.trim().is_empty() {
            self.begin(number, bytes, true, None);
            self.flush();
        }
    }

    /// A property with its nested lines is a unit.
    fn property(&mut self, number: u32, bytes: Range<usize>) {
        let line = &self.text[bytes.clone()];
        if line.starts_with([' ', '\t', '-']) || line.is_empty() {
            return self.extend(number, bytes);
        }
        self.flush();
        let key = line.split(':').next().unwrap_or_default().trim();
        let value = line.split_once(':').map_or("", |(_, value)| value.trim());
        let says = !value.is_empty();
        if key == "title" {
            self.title = Some(value.trim_matches(['"', '\'']).to_owned());
        }
        let is_blank = matches!(value, "\"\"" | "''" | "[]" | "{}" | "~" | "null");
        if !OWN_PROPERTIES.contains(&key) && !key.starts_with('#') && !is_blank {
            self.begin(number, bytes, true, None);
            // A key alone is a unit only with the values below it.
            if !says && let Some(open) = &mut self.open {
                open.whole = false;
            }
        }
    }

    fn code(&mut self, number: u32, bytes: Range<usize>) {
        let is_full = self.open.as_ref().is_some_and(|open| number - open.lines.first >= CODE_LINES);
        if is_full {
            self.flush();
        }
        if self.open.is_none() { self.begin(number, bytes, true, None) } else { self.extend(number, bytes) }
    }

    fn body(&mut self, number: u32, bytes: Range<usize>) {
        let line = &self.text[bytes.clone()];
        let trimmed = line.trim_start();
        let indented = trimmed.len() < line.len();
        if trimmed.is_empty() {
            self.flush();
        } else if is_rule(trimmed) {
            self.flush();
            // What is below a rule is another section under the same heading.
            self.found.headings.extend(self.found.headings.last().cloned());
        } else if trimmed.starts_with("<!--") {
            self.flush();
            if !trimmed.contains("-->") {
                self.place = Place::Comment;
            }
        } else if is_fence(trimmed) {
            self.flush();
            self.place = Place::Code;
        } else if let Some((level, text)) = heading(self.format, line) {
            self.flush();
            self.close_heading(level);
            self.begin_heading(level, text, number, bytes);
        } else if is_item(trimmed) || trimmed.starts_with('|') {
            self.flush();
            if trimmed.chars().any(char::is_alphanumeric) {
                let marker = trimmed.find(char::is_alphanumeric).unwrap_or_default();
                let speaker = speaker(&trimmed[marker..]);
                let start = bytes.end - trimmed.len() + marker;
                let speaker = speaker.map(|name| start + name.start..start + name.end);
                self.begin(number, bytes, true, speaker);
            }
        } else if let Some(name) = speaker(trimmed).filter(|_| !indented) {
            self.flush();
            let start = bytes.end - trimmed.len();
            self.begin(number, bytes, true, Some(start + name.start..start + name.end));
        } else if self.open.is_some() {
            self.extend(number, bytes);
        } else {
            self.begin(number, bytes, false, None);
        }
    }

    fn begin(&mut self, number: u32, bytes: Range<usize>, whole: bool, speaker: Option<Range<usize>>) {
        self.open = Some(Open { lines: LineRange { first: number, last: number }, bytes, whole, speaker });
    }

    fn extend(&mut self, number: u32, bytes: Range<usize>) {
        if let Some(open) = &mut self.open
            && bytes.end > bytes.start
        {
            (open.lines.last, open.bytes.end) = (number, bytes.end);
            open.whole |= self.place == Place::Properties;
        }
    }

    /// Records the path of a heading. The title of the page is no part of it.
    fn begin_heading(&mut self, level: usize, text: &str, line: u32, bytes: Range<usize>) {
        let is_title = self.is_title(level, text);
        self.has_title |= level < usize::from(self.format.section_level());
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, if is_title { String::new() } else { text.to_owned() }));
        self.found.headings.push(self.path_text());
        let above = self.found.list.len();
        self.open_heading = (!is_title).then_some(OpenHeading { level, line, bytes, above });
    }

    /// Whether a heading is the title: the first one of level 1, unless a property declares another title.
    fn is_title(&self, level: usize, text: &str) -> bool {
        let is_declared = || self.title.as_deref().is_none_or(|title| fold(title) == fold(text));
        level < usize::from(self.format.section_level()) && !self.has_title && is_declared()
    }

    fn path_text(&self) -> String {
        let names = self.path.iter().map(|(_, text)| text.as_str()).filter(|text| !text.is_empty());
        names.collect::<Vec<_>>().join(" > ")
    }

    /// Ends the section of a heading. Without any text or deeper heading in it, the heading itself is a unit.
    fn close_heading(&mut self, next: usize) {
        let Some(heading) = self.open_heading.take() else { return };
        if heading.above < self.found.list.len() || next > heading.level {
            return;
        }
        self.path.pop();
        self.found.headings.push(self.path_text());
        let lines = LineRange { first: heading.line, last: heading.line };
        self.blocks += 1;
        self.found.list.push(Unit {
            lines,
            bytes: heading.bytes,
            heading: self.found.headings.len().checked_sub(1),
            speaker: None,
            block: self.blocks,
        });
    }

    fn flush(&mut self) {
        let Some(open) = self.open.take() else { return };
        let text = &self.text[open.bytes.clone()];
        if !text.chars().any(char::is_alphanumeric) || self.place == Place::Properties && !open.whole {
            return;
        }
        self.blocks += 1;
        let heading = self.found.headings.len().checked_sub(1);
        let unit = |lines: LineRange, bytes: Range<usize>| Unit {
            lines,
            bytes,
            heading,
            speaker: open.speaker.clone(),
            block: self.blocks,
        };
        if open.whole || text.len() <= PARAGRAPH {
            self.found.list.push(unit(open.lines, open.bytes.clone()));
            return;
        }
        for sentence in sentences(text) {
            let from = sentence.as_ptr() as usize - text.as_ptr() as usize;
            let above = text[..from].matches('\n').count() as u32;
            let first = open.lines.first + above;
            let last = first + sentence.matches('\n').count() as u32;
            let start = open.bytes.start + from;
            self.found.list.push(unit(LineRange { first, last }, start..start + sentence.len()));
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

fn is_rule(line: &str) -> bool {
    let mark = line.chars().next().unwrap_or_default();
    matches!(mark, '-' | '*' | '_' | '=')
        && line.chars().filter(|c| !c.is_whitespace()).count() >= 3
        && line.chars().all(|c| c == mark || c.is_whitespace())
}

/// Returns the text of an Org heading without its tags.
fn without_tags(text: &str) -> &str {
    let last = text.rsplit(' ').next().unwrap_or_default();
    let is_tags = last.len() > 2 && last.starts_with(':') && last.ends_with(':');
    if is_tags { text[..text.len() - last.len()].trim_end() } else { text }
}

/// Whether a line opens a drawer.
fn is_drawer(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn heading(format: Format, line: &str) -> Option<(usize, &str)> {
    if format == Format::Org {
        let level = line.bytes().take_while(|byte| *byte == b'*').count();
        let text = line[level..].strip_prefix(' ').filter(|_| level > 0)?;
        return Some((level, without_tags(text.trim())));
    }
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line[level..].strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !text.is_empty()).then_some((level, text))
}

fn is_item(line: &str) -> bool {
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after.len() < line.len() && (after.starts_with(". ") || after.starts_with(") "));
    numbered || ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// Returns the bytes of the name at the start of a turn: `Ada: …`, `**Ada Keller:** …`, `[10:42] Ada: …`.
fn speaker(line: &str) -> Option<Range<usize>> {
    let mut start = 0;
    if line.starts_with(['[', '(']) {
        let end = line.find([']', ')'])?;
        let is_time = line[1..end].bytes().all(|byte| byte.is_ascii_digit() || b":. apmAPM".contains(&byte));
        start = if is_time { end + 1 } else { return None };
    }
    start += line[start..].len() - line[start..].trim_start().len();
    let bold = line[start..].starts_with("**");
    start += if bold { 2 } else { 0 };
    let rest = &line[start..];
    let end = rest.bytes().take(NAME).position(|byte| byte == b':')?;
    let name = rest[..end].trim_end_matches('*').trim_end();
    let after = rest[end + 1..].trim_start_matches('*');
    let words: Vec<&str> = name.split(' ').collect();
    let is_name = |word: &&str| {
        word.chars().next().is_some_and(char::is_uppercase)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '\'' | '’'))
    };
    let is_spoken = after.starts_with(' ') && after.trim().chars().any(char::is_alphanumeric);
    (!name.is_empty() && words.len() <= 3 && words.iter().all(is_name) && is_spoken)
        .then_some(start..start + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = units(Format::Markdown, text);
        let shown: Vec<String> = found
            .list
            .iter()
            .map(|unit| {
                let heading = unit.heading.map(|at| found.headings[at].as_str()).unwrap_or_default();
                let lines = format!("{}-{}", unit.lines.first, unit.lines.last);
                format!("{lines} {heading}|{}", text[unit.bytes.clone()].replace('\n', "/"))
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn properties_items_and_paragraphs_are_units() {
        check(
            "---\ntitle: Alien\ndirector: \"[[Ridley Scott]]\"\ncast:\n  - Sigourney Weaver\nempty:\nblank: \"\"\n---\n# Alien\n\nA film.\nSeen twice.\n\n## Notes\n- [ ] rewatch\n  with Ada\n- done\n\n---\n\nBelow a rule.\n",
            &[
                "3-3 |director: \"[[Ridley Scott]]\"",
                "4-5 |cast:/  - Sigourney Weaver",
                "11-12 |A film./Seen twice.",
                "15-16 Notes|- [ ] rewatch/  with Ada",
                "17-17 Notes|- done",
                "21-21 Notes|Below a rule.",
            ],
        );
    }

    #[test]
    fn headings_without_text_are_units() {
        check(
            "---\ntitle: Log\n---\n# Log\n## Calls\n### Plumber\n### Baker\nHe was out.\n# Rent paid\n## Keys lost\n",
            &["6-6 Calls|### Plumber", "8-8 Calls > Baker|He was out.", "10-10 Rent paid|## Keys lost"],
        );
        check("# Title\n", &[]);
        check("---\ntitle: Log\n---\n# The pump broke\nAgain.\n", &["5-5 The pump broke|Again."]);
    }

    #[test]
    fn comments_are_not_units() {
        check(
            "One.\n<!-- a hint -->\n\n<!-- For later:\n- [ ] an item\n## No heading\n-->\nTwo.\n",
            &["1-1 |One.", "8-8 |Two."],
        );
    }

    #[test]
    fn long_paragraphs_are_split_into_sentences_with_their_lines() {
        let long = format!("One {}.\nTwo starts here\nand ends here. Three.", "word ".repeat(50).trim());
        let found = units(Format::Markdown, &long);
        let lines: Vec<(u32, u32)> =
            found.list.iter().map(|unit| (unit.lines.first, unit.lines.last)).collect();
        assert_eq!(lines, [(1, 1), (2, 3), (3, 3)]);
        assert!(found.list.iter().all(|unit| unit.block == 1));
    }

    #[test]
    fn turns_have_their_speakers() {
        for (line, expected) in [
            ("Ada: I went there.", "Ada"),
            ("**Ada Keller:** I went there.", "Ada Keller"),
            ("[10:42] Bob: yes", "Bob"),
            ("- Carol: on holiday", "Carol"),
            ("see: below", ""),
            ("https://example.org", ""),
            ("Ada:", ""),
            ("What a long sentence this is, and then: a colon", ""),
        ] {
            let found = units(Format::Markdown, line);
            let speaker = found.list.first().and_then(|unit| unit.speaker.clone());
            assert_eq!(speaker.map(|bytes| &line[bytes]).unwrap_or_default(), expected, "{line}");
        }
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for text in
            ["", "---", "---\n---", "#", "\u{feff}---\na: b\n---\nx", "```\ncode\n", "é: ü\n", "[", "- "]
        {
            units(Format::Markdown, text);
        }
    }

    #[test]
    fn units_of_an_org_file_have_no_markup() {
        let text = ":PROPERTIES:\n:ID: 7\n:ROLE: head of it\n:END:\n#+title: T\n\nIntro.\n* TODO Steps :a:b:\n:PROPERTIES:\n:ID: 8\n:END:\n- one\n\
                    #+caption: c\n#+begin_src sh\nls x\n#+end_src\n** Deep\nlast\n";
        let found = units(Format::Org, text);
        let shown: Vec<(&str, &str)> = found
            .list
            .iter()
            .map(|unit| {
                (unit.heading.map_or("", |at| found.headings[at].as_str()), &text[unit.bytes.clone()])
            })
            .collect();
        let expected = [
            ("", ":ROLE: head of it"),
            ("", "Intro."),
            ("TODO Steps", "- one"),
            ("TODO Steps", "ls x"),
            ("TODO Steps > Deep", "last"),
        ];
        assert_eq!(shown, expected);
    }
}
