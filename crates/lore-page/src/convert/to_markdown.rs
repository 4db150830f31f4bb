//! Org as Markdown.

use super::head::{HEADING_TITLE, with_properties};
use super::inline::to_markdown;
use super::{NO_SYNTAX, ORG_COMMENT, ORG_COMMENT_END, is_drawer_line, is_org_syntax, with_links_on_one_line};
use crate::format::Format;
use crate::org;
use crate::page::Page;

/// Deepest level of a heading in Markdown.
const MAX_LEVEL: usize = 6;

/// Converts a page.
pub(super) fn page(text: &str) -> String {
    let text = &with_links_on_one_line(Format::Org, &text.replace("\r\n", "\n")).into_owned();
    let mut page = Format::Org.parse(text).page;
    let start = page.truth.start;
    let head = &text[..start];
    let first = page.headings.first().map(|heading| heading.text.clone());
    // A title that was only a heading is one again.
    let is_heading_title = head.lines().any(|line| {
        line.strip_prefix(HEADING_TITLE).is_some_and(|title| Some(title.trim()) == first.as_deref())
    });
    if is_heading_title {
        page.properties.0.retain(|(key, _)| key != "title");
    }
    let kept = settings(head, &page);
    let body = body(&text[start..]);
    with_properties(Format::Markdown, &format!("{kept}{body}"), &page)
}

/// Returns the keywords of a head that are no properties, and its comments.
fn settings(head: &str, page: &Page) -> String {
    let mut kept = Vec::new();
    let mut in_drawer = false;
    for line in head.lines() {
        let trimmed = line.trim();
        match trimmed.to_ascii_lowercase().as_str() {
            ":properties:" => in_drawer = true,
            ":end:" => in_drawer = false,
            _ if in_drawer || trimmed.is_empty() => {}
            lower => {
                let key =
                    lower.strip_prefix("#+").and_then(|rest| rest.split(':').next()).unwrap_or_default();
                let is_property = matches!(key, "title" | "filetags") || page.properties.get(key).is_some();
                if !is_property {
                    kept.push(line.to_owned());
                }
            }
        }
    }
    if kept.is_empty() { String::new() } else { comment(&kept) }
}

fn comment(lines: &[String]) -> String {
    format!("{ORG_COMMENT}\n{}\n{ORG_COMMENT_END}\n", lines.join("\n"))
}

fn body(text: &str) -> String {
    let mut writer = Writer::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at >= writer.skip {
            let content = line.trim_end_matches('\n');
            writer.line(text, at, content);
        }
        at += line.len();
    }
    writer.flush();
    writer.out
}

#[derive(Default)]
struct Writer {
    out: String,
    /// The line that ends the open block, in lower case, and what is written for it.
    block: Option<(String, BlockKind)>,
    /// Lines without a form in Markdown.
    kept: Vec<String>,
    /// Lines before this byte are written already.
    skip: usize,
}

#[derive(Clone)]
enum BlockKind {
    Code(String),
    Quote,
    Comment,
    Kept,
}

impl Writer {
    fn line(&mut self, text: &str, at: usize, content: &str) {
        if self.in_block(content) {
            return;
        }
        let trimmed = content.trim();
        let lower = trimmed.to_ascii_lowercase();
        let indent = &content[..content.len() - content.trim_start().len()];
        if Format::Org.is_heading_line(content) {
            self.heading(text, at, content);
        } else if let Some(name) = org::block_name(trimmed) {
            self.open(trimmed, name, indent, content, &text[at..]);
        } else if lower.starts_with("#+") || is_drawer_line(trimmed) {
            self.keep(content);
            if is_drawer_line(trimmed) && lower != ":end:" {
                self.block = Some((":end:".to_owned(), BlockKind::Kept));
            }
        } else if trimmed == "#" || trimmed.starts_with("# ") {
            self.push(&format!("<!-- {} -->", trimmed[1..].trim()));
        } else if trimmed == ":" || trimmed.starts_with(": ") {
            self.keep(content);
        } else if Format::Org.is_rule_line(content) {
            if !self.out.is_empty() && !self.out.ends_with("\n\n") {
                self.push("");
            }
            self.push("---");
        } else if trimmed.starts_with('|') {
            self.push(&format!("{indent}{}", table_line(trimmed)));
        } else {
            let text = content.trim_start();
            let prose = text.strip_prefix(NO_SYNTAX).filter(|prose| is_org_syntax(prose));
            self.push(&text_line(indent, prose.unwrap_or(text)));
        }
    }

    fn open(&mut self, trimmed: &str, name: &str, indent: &str, content: &str, rest: &str) {
        let kind = name.to_ascii_lowercase();
        let arguments = trimmed["#+begin_".len() + name.len()..].trim();
        let end = format!("#+end_{kind}");
        match kind.as_str() {
            "src" | "example" => {
                let fence = fence(rest, &end);
                self.push(&format!("{indent}{fence}{arguments}"));
                self.block = Some((end, BlockKind::Code(fence)));
            }
            "quote" => self.block = Some((end, BlockKind::Quote)),
            "comment" => {
                self.push("<!--");
                self.block = Some((end, BlockKind::Comment));
            }
            _ => {
                self.keep(content);
                self.block = Some((end, BlockKind::Kept));
            }
        }
    }

    /// Writes a line of a block; false if none is open.
    fn in_block(&mut self, content: &str) -> bool {
        let Some((end, kind)) = self.block.clone() else { return false };
        let is_end = content.trim().eq_ignore_ascii_case(&end);
        if is_end {
            self.block = None;
        }
        match (kind, is_end) {
            (BlockKind::Code(fence), true) => {
                let indent = content.len() - content.trim_start().len();
                self.push(&format!("{}{fence}", &content[..indent]));
            }
            (BlockKind::Code(_), false) => {
                let line = content.trim_start();
                let indent = &content[..content.len() - line.len()];
                let is_escaped = [",*", ",#+", ",,*"].iter().any(|start| line.starts_with(start));
                self.push(&format!("{indent}{}", if is_escaped { &line[1..] } else { line }));
            }
            (BlockKind::Quote, true) => {}
            (BlockKind::Quote, false) => self.push(format!("> {}", to_markdown(content)).trim_end()),
            (BlockKind::Comment, true) => self.push("-->"),
            (BlockKind::Comment, false) => self.push(content),
            (BlockKind::Kept, _) => self.keep(content),
        }
        true
    }

    fn heading(&mut self, text: &str, at: usize, content: &str) {
        let level = content.bytes().take_while(|byte| *byte == b'*').count();
        if level > MAX_LEVEL {
            self.keep(content);
            return;
        }
        self.push(&format!("{} {}", "#".repeat(level), to_markdown(content[level..].trim())));
        if let Some(end) = org::heading_head_end(text, at) {
            let head = &text[at + content.len()..end];
            let lines: Vec<String> =
                head.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            self.push(comment(&lines).trim_end());
            self.skip = end;
        }
    }

    fn keep(&mut self, line: &str) {
        self.kept.push(line.to_owned());
    }

    fn push(&mut self, line: &str) {
        self.flush();
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn flush(&mut self) {
        if !self.kept.is_empty() {
            let kept = std::mem::take(&mut self.kept);
            self.out.push_str(&comment(&kept));
        }
    }
}

/// Returns a fence for the code of a block that none of its lines ends.
fn fence(block: &str, end: &str) -> String {
    let lines = block.lines().skip(1).take_while(|line| !line.trim().eq_ignore_ascii_case(end));
    let ticks = |line: &str| line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
    "`".repeat(lines.map(ticks).max().map_or(3, |longest| longest.max(2) + 1))
}

fn table_line(line: &str) -> String {
    let is_rule = line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | '+' | ' '));
    if is_rule {
        return line.replace('+', "|");
    }
    to_markdown(&line.replace("\\vert{}", "\\|"))
}

fn text_line(indent: &str, trimmed: &str) -> String {
    let bullet = ["- ", "+ "].iter().find(|bullet| trimmed.starts_with(**bullet)).copied().unwrap_or("");
    let rest = &trimmed[bullet.len()..];
    if bullet.is_empty() {
        return format!("{indent}{}", to_markdown(rest));
    }
    if let Some(done) = rest.strip_prefix("[X] ") {
        return format!("{indent}{bullet}[x] {}", to_markdown(done));
    }
    if let Some((date, text)) = org::leading_date(rest) {
        let text = text.trim_start();
        let dash = if text.starts_with(['|', '—', '–', ':', '-']) { "" } else { "— " };
        return format!("{indent}{bullet}**{date}** {dash}{}", to_markdown(text));
    }
    format!("{indent}{bullet}{}", to_markdown(rest))
}
