//! The ranges of a body that are not parsed: code, HTML and comments.

use std::ops::Range;

/// Ranges in which no link, tag or structured line is parsed.
#[derive(Debug, Default)]
pub(crate) struct Opaque {
    ranges: Vec<Range<usize>>,
    comments: Vec<Range<usize>>,
}

impl Opaque {
    /// Adds code, an HTML tag or a link definition.
    pub(crate) fn add(&mut self, range: Range<usize>) {
        self.ranges.push(range);
    }

    /// Adds a comment, which is also left out of the text around it.
    pub(crate) fn add_comment(&mut self, range: Range<usize>) {
        self.comments.push(range.clone());
        self.ranges.push(range);
    }

    /// Adds the tags and comments of an HTML block, or the whole block if its content is not prose.
    pub(crate) fn add_html(&mut self, text: &str, block: Range<usize>) {
        if is_raw(&text[block.clone()]) {
            return self.add(block);
        }
        let mut at = block.start;
        while let Some(found) = text[at..block.end].find('<') {
            let start = at + found;
            if !text[start + 1..]
                .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
            {
                at = start + 1;
                continue;
            }
            let comment = text[start..].starts_with("<!--");
            let close = if comment { "-->" } else { ">" };
            let end = text[start..block.end].find(close).map_or(block.end, |end| start + end + close.len());
            if comment {
                self.add_comment(start..end);
            } else {
                self.add(start..end);
            }
            at = end;
        }
    }

    /// Sorts all ranges and merges those that overlap.
    pub(crate) fn sort(&mut self) {
        join(&mut self.ranges);
        join(&mut self.comments);
    }

    /// Adds `%% … %%` comments, then sorts all ranges and merges those that overlap.
    pub(crate) fn finish(&mut self, text: &str, body_start: usize) {
        join(&mut self.ranges);
        if text[body_start..].contains("%%") {
            let comments = self.percent_comments(text, body_start);
            for comment in comments {
                self.add_comment(comment);
            }
            join(&mut self.ranges);
            join(&mut self.comments);
        }
    }

    /// Returns the ranges in order, without overlaps.
    pub(crate) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns the comments that overlap a range, in order.
    pub(crate) fn comments_in(&self, range: &Range<usize>) -> &[Range<usize>] {
        let from = self.comments.partition_point(|comment| comment.end <= range.start);
        let length = self.comments[from..].partition_point(|comment| comment.start < range.end);
        &self.comments[from..from + length]
    }

    /// Returns whether a byte is inside a comment.
    pub(crate) fn is_comment(&self, at: usize) -> bool {
        let after = self.comments.partition_point(|comment| comment.start <= at);
        after > 0 && at < self.comments[after - 1].end
    }

    /// Finds `%% … %%` comments. A comment that starts a line may span paragraphs. Any other must end in its own, so
    /// that a stray `100%%` does not hide the rest of the page. An unclosed comment hides nothing.
    fn percent_comments(&self, text: &str, body_start: usize) -> Vec<Range<usize>> {
        let mut comments = Vec::new();
        let mut open: Option<usize> = None;
        for at in self.percents(text, body_start) {
            match open {
                Some(start) if starts_line(text, start) || !has_blank_line(&text[start..at]) => {
                    comments.push(start..at + 2);
                    open = None;
                }
                _ => open = Some(at),
            }
        }
        comments
    }

    /// Returns the positions of `%%` outside code and HTML.
    fn percents<'t>(&'t self, text: &'t str, body_start: usize) -> impl Iterator<Item = usize> + 't {
        let mut next = 0;
        text[body_start..].match_indices("%%").map(move |(at, _)| body_start + at).filter(move |at| {
            while next < self.ranges.len() && self.ranges[next].end <= *at {
                next += 1;
            }
            self.ranges.get(next).is_none_or(|range| *at < range.start)
        })
    }
}

fn join(ranges: &mut Vec<Range<usize>>) {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let overlap = next.start < kept.end;
        if overlap {
            kept.end = kept.end.max(next.end);
        }
        overlap
    });
}

fn is_raw(block: &str) -> bool {
    ["<pre", "<script", "<style", "<textarea"].iter().any(|tag| {
        block.as_bytes().get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    })
}

fn starts_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

fn has_blank_line(text: &str) -> bool {
    let mut lines = text.split('\n');
    lines.next();
    // The last piece continues after the text.
    lines.next_back();
    lines.any(|line| line.trim().is_empty())
}
