//! Markdown as Org.

use std::collections::HashMap;

use super::head::{HEADING_TITLE, with_properties};
use super::inline::to_org;
use super::{NO_SYNTAX, ORG_COMMENT, ORG_COMMENT_END, is_org_syntax, with_links_on_one_line};
use crate::body::item_ranges;
use crate::format::Format;
use crate::page::Page;

/// Converts a page.
pub(super) fn page(text: &str) -> String {
    let text = &with_links_on_one_line(Format::Markdown, &text.replace("\r\n", "\n")).into_owned();
    let page = Format::Markdown.parse(text).page;
    let mut out = body(text, &page);
    let declared = page.properties.text("title").is_some();
    if let Some(title) = page.heading_title.as_deref().filter(|title| !declared && !title.is_empty()) {
        out = format!("{HEADING_TITLE}{title}\n{out}");
    }
    with_properties(Format::Org, &out, &page)
}

/// A block whose lines are not text.
enum Block {
    /// Code, with the fence that ends it and the line that ends it in Org.
    Code(String, &'static str),
    /// Org lines.
    Org,
    /// A comment.
    Comment,
}

fn body(text: &str, page: &Page) -> String {
    let start = page.truth.start;
    let items = item_ranges(Format::Markdown, text);
    let headings: HashMap<u32, u8> =
        page.headings.iter().map(|heading| (heading.lines.first, heading.level)).collect();
    let mut writer =
        Writer { out: String::with_capacity(text.len()), block: None, in_quote: false, is_underlined: false };
    let first_line = text[..start].matches('\n').count() as u32 + 1;
    let mut at = start;
    for (line, number) in text[start..].split_inclusive('\n').zip(first_line..) {
        let content = line.trim_end_matches('\n');
        // A line that continues an item without being indented would end it in Org.
        let before = items.partition_point(|item| item.own.start < at);
        let around = before.checked_sub(1).map(|last| &items[last]).filter(|item| at < item.own.end);
        let is_lazy = around.is_some_and(|item| {
            let bullet = text[..item.own.start].rfind('\n').map_or(0, |at| at + 1);
            indent_of(content) <= indent_of(&text[bullet..])
        });
        let heading = headings.get(&number);
        at += line.len();
        let written = match heading {
            Some(level) if writer.block.is_none() => {
                writer.end_quote();
                writer.out.push_str(&heading_line(*level, content));
                writer.out.push('\n');
                writer.is_underlined = !content.trim_start().starts_with('#');
                continue;
            }
            _ if is_lazy && writer.block.is_none() => format!("  {}", content.trim_start()),
            _ => content.to_owned(),
        };
        writer.line(&written);
    }
    writer.finish()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn heading_line(level: u8, content: &str) -> String {
    let title = content.trim().trim_start_matches('#').trim();
    let title = title.trim_end_matches('#').trim_end();
    format!("{} {}", "*".repeat(usize::from(level)), to_org(title))
}

struct Writer {
    out: String,
    block: Option<Block>,
    in_quote: bool,
    /// Whether the line before is a heading that the next line underlines.
    is_underlined: bool,
}

impl Writer {
    fn line(&mut self, content: &str) {
        let is_underlined = std::mem::take(&mut self.is_underlined);
        if self.in_block(content) {
            return;
        }
        let trimmed = content.trim_start();
        let indent = &content[..content.len() - trimmed.len()];
        if let Some(quoted) = trimmed.strip_prefix('>') {
            if !self.in_quote {
                self.out.push_str("#+begin_quote\n");
                self.in_quote = true;
            }
            self.push(&to_org(quoted.strip_prefix(' ').unwrap_or(quoted)));
            return;
        }
        self.end_quote();
        if trimmed == ORG_COMMENT {
            self.block = Some(Block::Org);
        } else if let Some(fence) = fence(trimmed) {
            let language = trimmed[fence.len()..].trim();
            let (first, last) = match language.is_empty() {
                true => ("#+begin_example".to_owned(), "#+end_example"),
                false => (format!("#+begin_src {language}"), "#+end_src"),
            };
            self.push(&format!("{indent}{first}"));
            self.block = Some(Block::Code(fence, last));
        } else if trimmed.starts_with("<!--") {
            self.comment(trimmed);
        } else if is_underlined && is_setext(trimmed) {
            // The line above is the heading.
        } else if trimmed.len() >= 3 && trimmed.trim_end().bytes().all(|byte| byte == b'-') {
            self.push("-----");
        } else if trimmed.starts_with('|') {
            self.push(&format!("{indent}{}", table_line(trimmed)));
        } else {
            let line = text_line(indent, trimmed);
            let escape = if is_org_syntax(&line) { NO_SYNTAX.to_string() } else { String::new() };
            self.push(&format!("{indent}{escape}{}", &line[indent.len()..]));
        }
    }

    /// Writes a line of a block; false if none is open.
    fn in_block(&mut self, content: &str) -> bool {
        match &self.block {
            None => return false,
            Some(Block::Code(fence, last)) if content.trim_start().starts_with(fence.as_str()) => {
                let last = format!("{}{last}", &content[..indent_of(content)]);
                self.push(&last);
                self.block = None;
            }
            Some(Block::Code(..)) => {
                let line = content.trim_start();
                let is_syntax = line.starts_with('*') || line.starts_with("#+") || line.starts_with(",*");
                let comma = if is_syntax { "," } else { "" };
                let written = format!("{}{comma}{line}", &content[..indent_of(content)]);
                self.push(&written);
            }
            Some(Block::Org) if content.trim() == ORG_COMMENT_END => self.block = None,
            Some(Block::Org) => self.push(content),
            Some(Block::Comment) => {
                let (line, is_last) =
                    content.split_once("-->").map_or((content, false), |(line, _)| (line, true));
                if !line.trim().is_empty() {
                    self.push(line.trim_end());
                }
                if is_last {
                    self.push("#+end_comment");
                    self.block = None;
                }
            }
        }
        true
    }

    fn comment(&mut self, trimmed: &str) {
        let inner = trimmed.trim_start_matches("<!--");
        match inner.split_once("-->") {
            Some((comment, rest)) if rest.trim().is_empty() => self.push(&format!("# {}", comment.trim())),
            Some(_) => self.push(trimmed),
            None => {
                self.push("#+begin_comment");
                if !inner.trim().is_empty() {
                    self.push(inner.trim());
                }
                self.block = Some(Block::Comment);
            }
        }
    }

    fn end_quote(&mut self) {
        if std::mem::take(&mut self.in_quote) {
            self.out.push_str("#+end_quote\n");
        }
    }

    fn push(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    fn finish(mut self) -> String {
        self.end_quote();
        if let Some(Block::Code(_, last)) = self.block {
            self.out.push_str(last);
            self.out.push('\n');
        }
        self.out
    }
}

fn fence(line: &str) -> Option<String> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|other| *other == mark).count();
    (length >= 3 && !(mark == '`' && line[length..].contains('`'))).then(|| line[..length].to_owned())
}

fn is_setext(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

fn table_line(line: &str) -> String {
    let is_rule = line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    if is_rule {
        let cells = line.trim().trim_matches('|').split('|').count();
        return format!("|{}|", vec!["---"; cells].join("+"));
    }
    to_org(&line.replace("\\|", "\\vert{}"))
}

/// Writes a line of text or a list item. A star at the start of a line would be a heading.
fn text_line(indent: &str, trimmed: &str) -> String {
    let (bullet, rest) = match trimmed.strip_prefix("* ") {
        Some(rest) => ("- ", rest),
        None => match ["- ", "+ "].iter().find(|bullet| trimmed.starts_with(**bullet)) {
            Some(bullet) => (*bullet, &trimmed[2..]),
            None => ("", trimmed),
        },
    };
    let rest = match rest.strip_prefix("[x] ") {
        Some(done) if !bullet.is_empty() => format!("[X] {}", to_org(done)),
        _ => to_org(rest),
    };
    format!("{indent}{bullet}{rest}")
}
