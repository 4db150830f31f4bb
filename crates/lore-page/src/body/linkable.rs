//! The text of a page in which a name may become a link: only the sentences of its truth.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Blocks, Inline, Item, Lines};
use crate::format::Format;
use crate::grammar::is_verb;
use crate::page::{Fact, LINKS_TO, Page};

/// The parts of a page that may receive links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linkable {
    /// The page's text with NUL in place of every byte that must not become part of a link, except line endings.
    /// Offsets are the same as in the page.
    pub text: String,
    /// Offsets where a link would become the object of a relation: `- joined Acme` is prose, but `- joined [[Acme]]` is
    /// a relation.
    pub objects: Vec<usize>,
}

/// Parses a page together with the text in which a name may become a link: the sentences of its truth.
///
/// Code, comments, headings, tables, HTML, links, tags, addresses and the frontmatter are left out, as are relations,
/// timeline entries, and everything in a fact except its object. The timeline is left out because it is evidence, which
/// must not be edited.
///
/// ```
/// let (_, linkable) = lore_page::linkable("a.md", "Met `Ada`, then Bob.\n\n---\n\n- later\n");
/// assert_eq!(linkable.text.replace('\0', "."), "Met ....., then Bob.\n\n...\n\n.......\n");
/// ```
pub fn linkable(path: &str, text: &str) -> (Page, Linkable) {
    let (parsed, blocks, inline) = Format::of(path).read(path, text);
    let page = parsed.page;
    let lines = Lines::new(text);
    let mut mask = Mask { text, bytes: text.as_bytes().to_vec() };
    mask.hide(0..page.truth.start);
    mask.hide(page.truth.end..text.len());
    let wiki = inline.wiki.iter().chain(&blocks.link_ranges);
    for range in blocks.opaque.ranges().iter().chain(&blocks.unlinkable).chain(wiki) {
        mask.hide(range.clone());
    }
    // A tag's range starts after its `#`.
    inline.tags.iter().for_each(|tag| mask.hide(tag.start - 1..tag.end));
    mask.hide_addresses(page.truth.start..page.truth.end);
    let objects = items(&page, &blocks, &inline, &lines, &mut mask);
    let text = String::from_utf8(mask.bytes).unwrap_or_default();
    (page, Linkable { text, objects })
}

struct Mask<'t> {
    text: &'t str,
    bytes: Vec<u8>,
}

impl Mask<'_> {
    fn hide(&mut self, range: Range<usize>) {
        for byte in self.bytes[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = 0;
        }
    }

    /// Hides anything that looks like a URL or an email address.
    fn hide_addresses(&mut self, within: Range<usize>) {
        let mut at = within.start;
        for word in self.text[within].split_inclusive(char::is_whitespace) {
            let address = ["://", "www.", "mailto:"].iter().any(|prefix| word.contains(prefix))
                || word.trim().find('@').is_some_and(|sign| sign > 0);
            if address {
                self.hide(at..at + word.trim_end().len());
            }
            at += word.len();
        }
    }
}

/// Hides the items that are structured lines, and returns the offsets where a link would create one.
fn items(
    page: &Page,
    blocks: &Blocks,
    inline: &Inline,
    lines: &Lines<'_>,
    mask: &mut Mask<'_>,
) -> Vec<usize> {
    let facts: HashMap<u32, &Fact> = page.facts.iter().map(|fact| (fact.line, fact)).collect();
    let entries: HashSet<u32> = page.entries.iter().map(|entry| entry.lines.first).collect();
    let relations = page.links.iter().filter(|link| link.relation != LINKS_TO && link.span.end > 0);
    let relations: HashSet<u32> = relations.map(|link| link.line).collect();
    let mut objects = Vec::new();
    for item in &blocks.items {
        let Some(paragraph) = first_paragraph(blocks, item) else { continue };
        let line = lines.number(paragraph.start);
        if entries.contains(&line) {
            mask.hide(item.range.clone());
        } else if let Some(fact) = facts.get(&line) {
            let paragraph_text = &mask.text[paragraph.clone()];
            let object =
                paragraph_text.find("::").and_then(|at| Some(at + paragraph_text[at..].find(&fact.object)?));
            let start = object.map_or(paragraph.end, |at| paragraph.start + at);
            let end = object.map_or(paragraph.end, |_| start + fact.object.len());
            mask.hide(paragraph.start..start);
            mask.hide(end..paragraph.end);
        } else if relations.contains(&line) {
            mask.hide(paragraph);
        } else {
            objects.extend(object_offset(mask.text, &paragraph, inline));
        }
    }
    objects.sort_unstable();
    objects
}

fn first_paragraph(blocks: &Blocks, item: &Item) -> Option<Range<usize>> {
    let segments = blocks.segments.get(item.segments.clone())?;
    Some(segments.first()?.start..segments.last()?.end)
}

/// Returns the offset after the verb that an item could start with, unless a link comes before it.
fn object_offset(text: &str, paragraph: &Range<usize>, inline: &Inline) -> Option<usize> {
    let paragraph_text = &text[paragraph.clone()];
    let verb = match paragraph_text.strip_prefix('"') {
        Some(quoted) => quoted.find('"')? + 2,
        None => paragraph_text.find(char::is_whitespace)?,
    };
    let rest = paragraph_text[verb..].trim_start();
    let object = paragraph.start + paragraph_text.len() - rest.len();
    let linked = super::within(&inline.wiki, &(paragraph.start..object), |link| link.start);
    (linked.is_empty() && is_verb(&paragraph_text[..paragraph_text.len() - rest.len()])).then_some(object)
}

#[cfg(test)]
mod tests {
    use super::linkable;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (_, found) = linkable("a.md", text);
        assert_eq!(found.text.len(), text.len());
        let mut shown = found.text.replace('\0', ".");
        found.objects.iter().rev().for_each(|at| shown.insert(*at, '^'));
        assert_eq!(shown, expected);
    }

    #[test]
    fn sentences_are_kept() {
        check("Ada *met* Bob.\nSecond line.\n", "Ada *met* Bob.\nSecond line.\n");
        check("> Ada met Bob.\n", "> Ada met Bob.\n");
        check("- [belief] Ada knows é #maths\n", "- [belief] Ada knows é ......\n");
        check("1. Ada and Bob\n   met\n", "1. Ada ^and Bob\n   met\n");
    }

    #[test]
    fn other_text_is_hidden() {
        check("---\ntitle: Ada\n---\nx\n", "...\n..........\n...\nx\n");
        check("# Ada\n\nAda\n===\n\nx\n", ".....\n\n...\n...\n\nx\n");
        check("- # Ada\n> ## Bob\n", "- .....\n> ......\n");
        check("a `Ada` <!-- Bob --> %%c%% d\n", "a ..... ............ ..... d\n");
        check("```\nAda\n```\n    Ada\n", "...\n...\n...\n    ...\n");
        check("<div>Ada</div>\n\n| Ada |\n|---|\n| Bob |\n", "..............\n\n.......\n.....\n.......\n");
        check(
            "[[Ada]] [Ada](b.md) ![Ada](c.png) <https://ada.org> d\n",
            "....... ........... ............. ................. d\n",
        );
        check("[Ada][x] b\n\n[x]: ada.md\n", "........ b\n\n...........\n");
        check(
            "at https://ada.org/Ada, www.ada.org, ada@b.org or @Ada\n",
            "at .................... ............ ......... or @Ada\n",
        );
    }

    #[test]
    fn only_the_object_of_a_fact_is_kept() {
        check("- knows [[Ada]] (from Acme)\n- x\n", "- .........................\n- x\n");
        check(
            "- Ada | works_at:: Acme Inc {2020..} (source: Bob)\n",
            "- .................Acme Inc.......................\n",
        );
        check("- role:: head of [[Acme]]\n", "- .......................\n");
        check("a\n\n- **2020-01-01** | Ada — Bob\n  came\n", "a\n\n..............................\n......\n");
    }

    #[test]
    fn relation_object_offsets_are_reported() {
        check("- joined Acme\n", "- joined ^Acme\n");
        check("- \"works with\" Acme in May\n", "- \"works with\" ^Acme in May\n");
        check(
            "- Ada. Met Acme\n- [x] joined Acme\n- **bold** Acme\n",
            "- Ada. Met Acme\n- [x] joined Acme\n- **bold** Acme\n",
        );
        check("joined Acme\n", "joined Acme\n");
        check("- [[Ada]] joined Acme\n", "- ....... joined Acme\n");
    }
}
