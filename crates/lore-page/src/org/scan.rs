//! The pass over the lines of a file: headings, drawers, keywords, lists, rules, and ranges that are not parsed.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem;

use super::drawer::{self, Drawer, Malformed, line};
use super::headline::{self, Headline};
use super::link::shown_links;
use crate::body::{Blocks, Item, Lines, RawHeading};
use crate::frontmatter::content_start;
use crate::page::Diagnostic;

/// What the lines of a file are.
#[derive(Debug, Default)]
pub(crate) struct Scan<'t> {
    pub(crate) blocks: Blocks,
    /// The property drawer of the file.
    pub(crate) drawer: Option<Drawer<'t>>,
    /// All keywords, in order.
    pub(crate) keywords: Vec<Keyword<'t>>,
    /// The byte after the drawer and the keywords at the start of the file.
    pub(crate) body_start: usize,
    /// Whether the file starts with a drawer or keywords.
    pub(crate) has_head: bool,
    /// The headings, as in [`Blocks::headings`].
    pub(crate) headlines: Vec<Headline<'t>>,
    /// The property drawers of headings, by the start of the heading.
    pub(crate) drawers: HashMap<usize, Drawer<'t>>,
    /// The text of the first quote block.
    pub(crate) first_quote: Option<Range<usize>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A keyword: `#+key: value`.
#[derive(Debug, Clone)]
pub(crate) struct Keyword<'t> {
    pub(crate) key: &'t str,
    pub(crate) value: &'t str,
    /// The bytes of the value.
    pub(crate) value_range: Range<usize>,
    /// The bytes of the line, including its ending.
    pub(crate) range: Range<usize>,
    /// Whether only the drawer, comments and other keywords come before it.
    pub(crate) is_in_head: bool,
}

/// Names of blocks whose text is never parsed.
const OPAQUE_BLOCKS: [&str; 4] = ["src", "example", "export", "comment"];

/// TODO keywords of a file that declares none.
const TODO: [&str; 2] = ["TODO", "DONE"];

/// Scans a file.
pub(super) fn scan<'t>(text: &'t str, lines: &Lines<'t>) -> Scan<'t> {
    let start = content_start(text);
    let mut scanner = Scanner {
        text,
        line: 1,
        in_head: true,
        scan: Scan { body_start: start, ..Scan::default() },
        todo: TODO.to_vec(),
        ..Scanner::default()
    };
    scanner.file_drawer(start);
    let mut at = start;
    while at < text.len() {
        let next = lines.end(scanner.line);
        let end = scanner.take(without_end(&text[at..next]), at, next);
        // A block or drawer has more than one line.
        scanner.line = if end == next { scanner.line + 1 } else { lines.number(end) };
        at = end;
    }
    scanner.close_items(0, text.len());
    scanner.scan
}

#[derive(Default)]
struct Scanner<'t> {
    text: &'t str,
    scan: Scan<'t>,
    /// Number of the current line, from 1.
    line: u32,
    /// Whether nothing but the drawer, keywords, comments and blank lines came before.
    in_head: bool,
    todo: Vec<&'t str>,
    has_own_todo: bool,
    /// Open items, innermost last: indent and index.
    items: Vec<(usize, usize)>,
    /// The item whose first paragraph is being read.
    first_paragraph: Option<usize>,
    /// Number of blank lines before the current line.
    blank: usize,
    /// Whether the last line was text that the next one continues.
    in_text: bool,
    /// Whether there was a quote block; only the first can be the summary.
    has_quote: bool,
    /// Whether lines are those of a log, which are no items.
    in_log: bool,
    /// Until where each kind of block, and LaTeX, is known to be unclosed.
    unclosed: [usize; OPAQUE_BLOCKS.len() + 1],
    /// The next heading after a byte that was searched from.
    next_heading: usize,
}

impl<'t> Scanner<'t> {
    /// Reads a line, and returns where the next one starts: after `next` if the line starts a block or drawer.
    fn take(&mut self, content: &'t str, start: usize, next: usize) -> usize {
        let bytes = content.as_bytes();
        let indent = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let Some(first) = bytes.get(indent) else {
            self.blank += 1;
            self.end_paragraph();
            if self.blank == 2 {
                self.close_items(0, start);
            }
            return next;
        };
        let blank = std::mem::take(&mut self.blank);
        let next = match first {
            b'*' if indent == 0 && headline::level(bytes).is_some() => self.heading(content, start, next),
            b'#' => self.hash(content, indent, start, next),
            b':' => self.colon(content, indent, start, next),
            b'-' | b'+' | b'*' | b'0'..=b'9' => self.bullet(content, indent, start, next),
            b'|' => {
                self.element(indent, start);
                self.scan.blocks.unlinkable.push(start..next);
                next
            }
            b'\\' if content[indent..].starts_with("\\begin{") => self.latex(content, indent, start, next),
            _ => self.plain(content, indent, start, next),
        };
        if blank > 0 && self.in_text {
            self.scan.blocks.starts.push(start);
        }
        next
    }

    /// Starts an element that is no text: it ends the paragraph, and the items that it is not indented below.
    fn element(&mut self, indent: usize, start: usize) {
        self.end_paragraph();
        self.close_items(indent, start);
        self.scan.blocks.starts.push(start);
        self.in_head = false;
    }

    fn plain(&mut self, content: &str, indent: usize, start: usize, next: usize) -> usize {
        self.in_head = false;
        self.close_items(indent, start);
        if !self.in_text {
            self.scan.blocks.starts.push(start);
            self.first_paragraph = None;
        }
        self.in_text = true;
        self.segment(start + indent..start + content.trim_end().len());
        next
    }

    fn segment(&mut self, range: Range<usize>) {
        if let Some(item) = self.first_paragraph
            && range.start < range.end
        {
            self.scan.blocks.segments.push(range);
            self.scan.blocks.items[item].segments.end = self.scan.blocks.segments.len();
        }
    }

    fn end_paragraph(&mut self) {
        self.in_text = false;
        self.first_paragraph = None;
    }

    /// Ends the items that a line with this indent is not part of.
    fn close_items(&mut self, indent: usize, at: usize) {
        while let Some((_, index)) = self.items.pop_if(|(outer, _)| *outer >= indent) {
            self.scan.blocks.items[index].range.end = at;
            self.end_paragraph();
        }
    }

    fn file_drawer(&mut self, start: usize) {
        match drawer::file_drawer(self.text, start) {
            Ok(Some(drawer)) => {
                self.repeated(&drawer, start, 1);
                self.scan.body_start = drawer.range.end;
                self.scan.has_head = true;
                self.scan.drawer = Some(drawer);
            }
            Ok(None) => {}
            Err(malformed) => self.malformed(malformed, start, 1),
        }
    }

    /// Reports the properties of a drawer that are set twice.
    fn repeated(&mut self, drawer: &Drawer<'t>, from: usize, first: u32) {
        for property in drawer::repeated(drawer) {
            let message = format!("the property `{}` is set twice; the first one counts", property.key);
            let line = self.line_of(property.start, from, first);
            self.scan.diagnostics.push(Diagnostic { line, message });
        }
    }

    /// Returns the number of the line at a byte, counted from a line whose number is known.
    fn line_of(&self, at: usize, from: usize, first: u32) -> u32 {
        first + memchr::memchr_iter(b'\n', &self.text.as_bytes()[from..at]).count() as u32
    }

    fn malformed(&mut self, found: Malformed, from: usize, first: u32) {
        let line = self.line_of(found.at, from, first);
        let message = match found.is_unclosed {
            true => "malformed property drawer: it has no `:END:` line".to_owned(),
            false => {
                let content = line_at(self.text, found.at);
                format!("malformed property drawer: `{content}` is not `:KEY: value`")
            }
        };
        self.scan.diagnostics.push(Diagnostic { line, message });
    }

    fn heading(&mut self, content: &'t str, start: usize, next: usize) -> usize {
        self.end_paragraph();
        self.close_items(0, start);
        self.in_head = false;
        self.in_log = false;
        let Some(headline) = headline::headline(content, start, &self.todo) else { return next };
        let blocks = &mut self.scan.blocks;
        blocks.starts.push(start);
        blocks.unlinkable.push(start..next);
        let title = &self.text[headline.title.clone()];
        let level = headline.level.min(usize::from(u8::MAX)) as u8;
        let text = super::on_one_line(&shown_links(title)).into_owned();
        blocks.headings.push(RawHeading { level, start, text });
        self.scan.headlines.push(headline);
        let (planning, after) = line(self.text, next);
        let drawer_start = if is_planning(planning) { after } else { next };
        let lines_before = if drawer_start == next { 1 } else { 2 };
        match drawer::drawer_after(self.text, drawer_start) {
            Ok(Some(drawer)) => {
                self.repeated(&drawer, drawer_start, self.line + lines_before);
                let end = drawer.range.end;
                self.scan.blocks.unlinkable.push(drawer.range.clone());
                self.scan.blocks.opaque.add_comment(drawer.range.clone());
                self.scan.drawers.insert(start, drawer);
                self.scan.blocks.starts.push(end);
                end
            }
            Ok(None) => next,
            Err(malformed) => {
                self.malformed(malformed, drawer_start, self.line + lines_before);
                next
            }
        }
    }

    /// A line that starts with `#`: a keyword, a block or a comment.
    fn hash(&mut self, content: &'t str, indent: usize, start: usize, next: usize) -> usize {
        let rest = &content[indent..];
        if rest.starts_with("#+") {
            return match block_name(rest) {
                Some(name) => self.block(name, indent, start, next),
                None => self.keyword_line(content, indent, start, next),
            };
        }
        if rest == "#" || rest.starts_with("# ") {
            let was_head = self.in_head;
            self.element(indent, start);
            self.in_head = was_head;
            self.scan.blocks.opaque.add_comment(start..next);
            return next;
        }
        self.plain(content, indent, start, next)
    }

    fn keyword_line(&mut self, content: &'t str, indent: usize, start: usize, next: usize) -> usize {
        let Some(mut found) = keyword(content, start, next) else {
            let is_end = content[indent..].get(..6).is_some_and(|end| end.eq_ignore_ascii_case("#+end_"));
            self.element(indent, start);
            if !is_end {
                self.scan.blocks.unlinkable.push(start..next);
            }
            return next;
        };
        let was_head = self.in_head && !is_affiliated(found.key);
        self.element(indent, start);
        self.in_head = was_head;
        found.is_in_head = was_head;
        if was_head {
            self.scan.body_start = next;
            self.scan.has_head = true;
        }
        if matches!(found.key.to_ascii_lowercase().as_str(), "todo" | "seq_todo" | "typ_todo") {
            self.add_todo(found.value);
        }
        self.scan.blocks.unlinkable.push(start..next);
        self.scan.keywords.push(found);
        next
    }

    /// Adds the words of `#+todo: TODO(t) NEXT | DONE(d!)`, which replace those of Org.
    fn add_todo(&mut self, value: &'t str) {
        if !std::mem::replace(&mut self.has_own_todo, true) {
            self.todo.clear();
        }
        let words = value.split_whitespace().filter(|word| *word != "|");
        self.todo.extend(words.map(|word| word.split('(').next().unwrap_or(word)).take(64));
    }

    /// The first line of a block. Code, examples and comments are skipped; in others, lines are read as usual.
    fn block(&mut self, name: &str, indent: usize, start: usize, next: usize) -> usize {
        self.element(indent, start);
        self.scan.blocks.unlinkable.push(start..next);
        let Some(kind) = OPAQUE_BLOCKS.iter().position(|known| known.eq_ignore_ascii_case(name)) else {
            if name.eq_ignore_ascii_case("quote") && !std::mem::replace(&mut self.has_quote, true) {
                let end = self.end_of(next, |line| is_end(line, name));
                self.scan.first_quote = end.map(|(end, _)| next..end);
            }
            return next;
        };
        if start < self.unclosed[kind] {
            return next;
        }
        match self.end_of(next, |line| is_end(line, name)) {
            Some((_, end)) => {
                let opaque = &mut self.scan.blocks.opaque;
                if OPAQUE_BLOCKS[kind] == "comment" {
                    opaque.add_comment(start..end);
                } else {
                    opaque.add(start..end);
                }
                end
            }
            None => {
                self.unclosed[kind] = self.heading_after(next);
                let message = format!("`#+begin_{name}` has no `#+end_{name}`");
                self.scan.diagnostics.push(Diagnostic { line: self.line, message });
                next
            }
        }
    }

    fn latex(&mut self, content: &'t str, indent: usize, start: usize, next: usize) -> usize {
        let kind = OPAQUE_BLOCKS.len();
        let name = content[indent + 7..].split('}').next().unwrap_or_default();
        let close = format!("\\end{{{name}}}");
        if start < self.unclosed[kind] {
            return self.plain(content, indent, start, next);
        }
        let end = match content[indent..].contains(&close) {
            true => Some((start, next)),
            false => self.end_of(next, |line| line.trim_end().ends_with(&close)),
        };
        match end {
            Some((_, end)) => {
                self.element(indent, start);
                self.scan.blocks.opaque.add(start..end);
                end
            }
            None => {
                self.unclosed[kind] = self.heading_after(next);
                self.plain(content, indent, start, next)
            }
        }
    }

    /// Returns the start of the next line that ends a block, and the byte after it. A block ends before a heading.
    fn end_of(&mut self, from: usize, is_end: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
        let until = self.heading_after(from);
        let mut at = from;
        while at < until {
            let (content, next) = line(self.text, at);
            if is_end(content.trim_start()) {
                return Some((at, next));
            }
            at = next;
        }
        None
    }

    /// Returns the start of the first heading at or after the start of a line, or the end of the text.
    fn heading_after(&mut self, from: usize) -> usize {
        if from <= self.next_heading && self.next_heading > 0 {
            return self.next_heading;
        }
        let bytes = self.text.as_bytes();
        let is_heading = |at: usize| bytes.get(at..).is_some_and(|line| headline::level(line).is_some());
        let found = match is_heading(from) {
            true => from,
            false => memmem::find_iter(&bytes[from.min(bytes.len())..], b"\n*")
                .map(|at| from + at + 1)
                .find(|at| is_heading(*at))
                .unwrap_or(bytes.len()),
        };
        self.next_heading = found;
        found
    }

    /// A line that starts with `:`: the first or last line of a drawer, or fixed-width text.
    fn colon(&mut self, content: &'t str, indent: usize, start: usize, next: usize) -> usize {
        let rest = content[indent..].trim_end();
        if rest == ":" || rest.starts_with(": ") {
            self.element(indent, start);
            self.scan.blocks.opaque.add(start..next);
            return next;
        }
        let name = rest.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
        let is_name = |name: &&str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        let Some(name) = name.filter(is_name) else { return self.plain(content, indent, start, next) };
        if let Some(drawer) = self.scan.drawer.as_ref().filter(|drawer| drawer.range.contains(&start)) {
            let range = drawer.range.clone();
            self.scan.blocks.unlinkable.push(range.clone());
            self.scan.blocks.opaque.add_comment(range.clone());
            self.scan.blocks.starts.push(range.end);
            return range.end;
        }
        self.element(indent, start);
        self.scan.blocks.unlinkable.push(start..next);
        if name.eq_ignore_ascii_case("LOGBOOK") {
            self.in_log = true;
        } else if name.eq_ignore_ascii_case("END") {
            self.in_log = false;
        } else if name.eq_ignore_ascii_case("PROPERTIES") && !self.is_reported(start) {
            let message = "misplaced property drawer: it must be the first lines of the file, or directly below \
                           its heading";
            self.scan.diagnostics.push(Diagnostic { line: self.line, message: message.to_owned() });
        }
        next
    }

    /// Whether a drawer that starts here was found to be malformed.
    fn is_reported(&self, start: usize) -> bool {
        match self.scan.headlines.last() {
            Some(heading) => {
                let (_, below) = line(self.text, heading.start);
                let (planning, after) = line(self.text, below);
                start == below || (start == after && is_planning(planning))
            }
            None => drawer::file_drawer_start(self.text, content_start(self.text)) == start,
        }
    }

    /// A line that may start a list item, or be a rule.
    fn bullet(&mut self, content: &'t str, indent: usize, start: usize, next: usize) -> usize {
        let rest = &content[indent..];
        let trimmed = rest.trim_end();
        if trimmed.len() >= 5 && trimmed.bytes().all(|byte| byte == b'-') {
            self.element(indent, start);
            if self.items.is_empty() {
                self.scan.blocks.rules.push(start);
            }
            return next;
        }
        let Some(text) = item_text(rest, indent) else { return self.plain(content, indent, start, next) };
        self.element(indent, start);
        if self.in_log {
            self.in_text = true;
            return next;
        }
        let segments = self.scan.blocks.segments.len();
        let index = self.scan.blocks.items.len();
        self.scan.blocks.items.push(Item {
            range: start + indent..next,
            segments: segments..segments,
            quotes: 0,
            starts_with_link: false,
        });
        self.items.push((indent, index));
        self.first_paragraph = Some(index);
        self.in_text = true;
        let from = start + content.len() - text.len();
        self.segment(from..from + text.trim_end().len());
        next
    }
}

/// Returns the text after the bullet of a list item; `None` if the line is none.
fn item_text(rest: &str, indent: usize) -> Option<&str> {
    let after = match rest.as_bytes()[0] {
        b'-' | b'+' => &rest[1..],
        b'*' if indent > 0 => &rest[1..],
        b'0'..=b'9' => rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')'])?,
        _ => return None,
    };
    (after.is_empty() || after.starts_with([' ', '\t'])).then(|| after.trim_start())
}

/// Reads a line as a keyword.
fn keyword(content: &str, start: usize, next: usize) -> Option<Keyword<'_>> {
    let rest = content.trim_start().strip_prefix("#+")?;
    let colon = rest.find(':')?;
    let key = &rest[..colon];
    if key.is_empty() || key.contains(char::is_whitespace) {
        return None;
    }
    let value = rest[colon + 1..].trim();
    let after = start + content.len() - rest.len() + colon + 1;
    let from = if value.is_empty() { after } else { start + content.trim_end().len() - value.len() };
    Some(Keyword { key, value, value_range: from..from + value.len(), range: start..next, is_in_head: false })
}

/// Whether a keyword belongs to the element below it.
fn is_affiliated(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    [
        "caption", "name", "header", "headers", "results", "plot", "tblname", "data", "begin", "end", "call",
        "toc",
    ]
    .contains(&key.as_str())
        || key.starts_with("attr_")
}

/// Whether a line has the dates of a task.
pub(super) fn is_planning(line: &str) -> bool {
    let line = line.trim_start();
    ["CLOSED:", "DEADLINE:", "SCHEDULED:"].iter().any(|word| line.starts_with(word))
}

/// Returns the name of the block that a line opens, as in `#+begin_src sh`: Org wants it right after the underscore.
pub(crate) fn block_name(line: &str) -> Option<&str> {
    let (start, rest) = line.split_at_checked("#+begin_".len())?;
    let name = rest.split(char::is_whitespace).next().filter(|name| !name.is_empty())?;
    start.eq_ignore_ascii_case("#+begin_").then_some(name)
}

fn is_end(line: &str, name: &str) -> bool {
    line.get(..6).is_some_and(|end| end.eq_ignore_ascii_case("#+end_"))
        && line[6..].trim_end().eq_ignore_ascii_case(name)
}

/// Returns a line without its ending.
fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// Returns the line at a byte, shortened for a message.
fn line_at(text: &str, at: usize) -> String {
    line(text, at).0.trim().chars().take(60).collect()
}
