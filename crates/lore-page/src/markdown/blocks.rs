//! Finds the blocks of a body in one pass over the events of the CommonMark parser.
//!
//! All offsets are bytes of the whole file. Lists, quotes, code and HTML come from the parser; everything that is
//! Lore's own (wiki links, tags, structured lines) is read from the text.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::body::{Blocks, Item, PageLink, Quote, RawHeading};

/// Finds the blocks of the body that starts at `body_start`.
pub(crate) fn read(text: &str, body_start: usize) -> Blocks {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(&text[body_start..], options).into_offset_iter();
    let mut parser = BlockParser { text, ..BlockParser::default() };
    parser.blocks.starts.reserve(text.len() / 64);
    for (name, definition) in events.reference_definitions().iter() {
        // Without the footnote extension, a footnote of one word looks like a link definition.
        if !name.starts_with('^') {
            parser.blocks.opaque.add(shift(&definition.span, body_start));
        }
    }
    for (event, range) in events {
        parser.take(event, shift(&range, body_start));
    }
    parser.blocks
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

#[derive(Default)]
struct BlockParser<'t> {
    text: &'t str,
    blocks: Blocks,
    /// Open items, innermost last.
    items: Vec<usize>,
    /// The item whose first paragraph is being read.
    first_paragraph: Option<usize>,
    /// The segment of that paragraph on the current line.
    segment: Option<Range<usize>>,
    quotes: usize,
    in_code: bool,
    /// Whether a heading, quote or page link that collects plain text is open.
    in_heading: bool,
    in_quote: bool,
    in_page_link: bool,
}

impl BlockParser<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) if !self.in_code => {
                self.extend_segment(&range);
                self.plain(&text);
            }
            Event::Code(code) => {
                self.extend_segment(&range);
                self.blocks.opaque.add(range);
                self.plain(&code);
            }
            Event::InlineHtml(html) => {
                self.extend_segment(&range);
                if html.starts_with("<!--") {
                    self.blocks.opaque.add_comment(range);
                } else {
                    self.blocks.opaque.add(range);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                self.end_segment(range.start);
                self.plain(" ");
            }
            Event::TaskListMarker(_) => self.extend_segment(&range),
            Event::Rule => {
                self.start_block(range.start);
                if self.is_top_level() && self.text[range.clone()].trim().bytes().all(|byte| byte == b'-') {
                    self.blocks.rules.push(range.start);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if matches!(tag, Tag::Heading { .. } | Tag::Table(_) | Tag::HtmlBlock) {
            self.blocks.unlinkable.push(range.clone());
        }
        match tag {
            Tag::Paragraph => self.start_text(range.start),
            Tag::Heading { level, .. } => {
                self.start_block(range.start);
                self.in_heading = self.is_top_level();
                if self.in_heading {
                    let heading = RawHeading { level: level as u8, start: range.start, text: String::new() };
                    self.blocks.headings.push(heading);
                }
            }
            Tag::BlockQuote(_) => {
                self.start_block(range.start);
                if self.is_top_level() {
                    self.in_quote = true;
                    self.blocks.quotes.push(Quote { start: range.start, text: String::new() });
                }
                self.quotes += 1;
            }
            Tag::CodeBlock(_) => {
                self.start_block(range.start);
                self.in_code = true;
                self.blocks.opaque.add(range);
            }
            Tag::HtmlBlock => {
                self.start_block(range.start);
                self.blocks.opaque.add_html(self.text, range);
            }
            Tag::Item => self.start_item(range),
            Tag::List(_) | Tag::Table(_) | Tag::TableHead | Tag::TableRow => self.start_block(range.start),
            Tag::Link { link_type, dest_url, .. } => self.start_link(link_type, &dest_url, range),
            Tag::Image { .. } => {
                self.open_segment(range.start);
                self.blocks.link_ranges.push(range);
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => self.open_segment(range.start),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph => self.end_first_paragraph(),
            TagEnd::Heading(_) => self.in_heading = false,
            TagEnd::BlockQuote(_) => {
                self.quotes -= 1;
                self.in_quote &= !self.is_top_level();
            }
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::Item => {
                self.end_first_paragraph();
                self.items.pop();
            }
            TagEnd::Link => {
                self.in_page_link = false;
                self.extend_segment(&range);
            }
            TagEnd::Image | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.extend_segment(&range);
            }
            _ => {}
        }
    }

    fn start_item(&mut self, range: Range<usize>) {
        self.start_block(range.start);
        let index = self.blocks.items.len();
        let none = self.blocks.segments.len()..self.blocks.segments.len();
        self.blocks.items.push(Item { range, segments: none, quotes: self.quotes, starts_with_link: false });
        self.items.push(index);
        self.first_paragraph = Some(index);
    }

    fn start_link(&mut self, kind: LinkType, destination: &str, range: Range<usize>) {
        if let Some(item) = self.first_paragraph
            && self.segment.is_none()
            && self.blocks.items[item].segments.is_empty()
        {
            self.blocks.items[item].starts_with_link = true;
        }
        self.open_segment(range.start);
        if !matches!(kind, LinkType::Autolink | LinkType::Email) && super::destination::is_page(destination) {
            self.in_page_link = true;
            let link =
                PageLink { range: range.clone(), destination: destination.to_owned(), label: String::new() };
            self.blocks.page_links.push(link);
        }
        self.blocks.link_ranges.push(range);
    }

    fn is_top_level(&self) -> bool {
        self.quotes == 0 && self.items.is_empty()
    }

    /// Appends plain text to every open element that collects it.
    fn plain(&mut self, text: &str) {
        if self.in_heading
            && let Some(heading) = self.blocks.headings.last_mut()
        {
            heading.text.push_str(text);
        }
        if self.in_quote
            && let Some(quote) = self.blocks.quotes.last_mut()
        {
            quote.text.push_str(text);
        }
        if self.in_page_link
            && let Some(link) = self.blocks.page_links.last_mut()
        {
            link.label.push_str(text);
        }
    }

    fn start_block(&mut self, at: usize) {
        self.end_first_paragraph();
        self.start_text(at);
    }

    fn start_text(&mut self, at: usize) {
        self.blocks.starts.push(at);
        if self.in_quote {
            self.plain(" ");
        }
    }

    fn open_segment(&mut self, start: usize) {
        if self.first_paragraph.is_some() && self.segment.is_none() {
            // The parser leaves out the backslash of an escape, without which `\[x]` would read as `[x]`.
            let escaped = start > 0 && self.text.as_bytes()[start - 1] == b'\\';
            let start = if escaped { start - 1 } else { start };
            self.segment = Some(start..start);
        }
    }

    fn extend_segment(&mut self, range: &Range<usize>) {
        self.open_segment(range.start);
        if let Some(segment) = &mut self.segment {
            segment.end = segment.end.max(range.end);
        }
    }

    fn end_segment(&mut self, end: usize) {
        if let Some(item) = self.first_paragraph
            && let Some(segment) = self.segment.take()
        {
            self.blocks.segments.push(segment.start..end.max(segment.end));
            self.blocks.items[item].segments.end = self.blocks.segments.len();
        }
    }

    fn end_first_paragraph(&mut self) {
        self.end_segment(0);
        self.first_paragraph = None;
        self.segment = None;
    }
}
