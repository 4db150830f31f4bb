//! Turns words that name a page into a link.

use lore_text::fold;

use crate::grammar::{Show, shown_links};
use crate::page::{ByteRange, LINKS_TO, Link, Observation, Page};
use crate::parse;

/// The page to link to.
#[derive(Debug, Clone, Copy)]
pub struct LinkTo<'a> {
    /// A name that resolves to it.
    pub name: &'a str,
    /// Its id, which Org files use in links.
    pub id: &'a str,
}

/// Turns the words at a position into a link: `[[words]]` if they are the page's name, otherwise `[[name|words]]`; in
/// an Org file, `[[id:…][words]]`. Returns `None` if anything else on the page would change, or if the result would not
/// read back as a plain link to that name.
///
/// ```
/// use lore_page::{ByteRange, edit};
/// let to = edit::LinkTo { name: "Ada Lovelace", id: "1" };
/// let linked = edit::link_words("a.md", "Met Ada.\n", ByteRange { start: 4, end: 7 }, to);
/// assert_eq!(linked.as_deref(), Some("Met [[Ada Lovelace|Ada]].\n"));
/// ```
pub fn link_words(path: &str, text: &str, range: ByteRange, to: LinkTo<'_>) -> Option<String> {
    let words = text.get(range.start..range.end)?;
    let link = link_text(path, words, to)?;
    let edited = [&text[..range.start], &link, &text[range.end..]].concat();
    let (before, after) = (parse(path, text), parse(path, &edited));
    let same = before.diagnostics == after.diagnostics && differs_only_in_links(&before.page, &after.page);
    (same && adds_one_link(&before.page.links, &after.page.links, range.start)).then_some(edited)
}

fn link_text(path: &str, words: &str, to: LinkTo<'_>) -> Option<String> {
    let has_special_characters =
        |text: &str| text.trim() != text || text.is_empty() || text.contains(['[', ']', '|', '\n', '\r']);
    if path.to_ascii_lowercase().ends_with(".org") {
        return (!has_special_characters(words) && !has_special_characters(to.id))
            .then(|| format!("[[id:{}][{words}]]", to.id));
    }
    if has_special_characters(words) || has_special_characters(to.name) || to.name.contains('#') {
        return None;
    }
    Some(if fold(words) == fold(to.name) {
        format!("[[{words}]]")
    } else {
        format!("[[{}|{words}]]", to.name)
    })
}

/// Returns whether two pages differ only in their links.
fn differs_only_in_links(one: &Page, other: &Page) -> bool {
    let observed = |page: &Page| -> Vec<Observation> {
        let plain = |text: &str| shown_links(text, Show::Label).into_owned();
        let seen = page.observations.iter().cloned();
        seen.map(|one| Observation {
            content: plain(&one.content),
            context: one.context.as_deref().map(plain),
            ..one
        })
        .collect()
    };
    one.properties == other.properties
        && one.headings == other.headings
        && one.facts == other.facts
        && one.entries == other.entries
        && one.tags == other.tags
        && one.summary == other.summary
        && observed(one) == observed(other)
        && one.timeline.is_some() == other.timeline.is_some()
}

/// Returns whether the links are the same except for a new plain one that starts at `start`.
fn adds_one_link(before: &[Link], after: &[Link], start: usize) -> bool {
    let is_new = |link: &&Link| link.span.start == start && link.relation == LINKS_TO && !link.embed;
    let Some(added) = after.iter().position(|link| is_new(&link)) else { return false };
    let others = after[..added].iter().chain(&after[added + 1..]);
    let same = |(one, other): (&Link, &Link)| {
        // The context of a plain link is its line, which has just changed.
        let context = (one.relation != LINKS_TO).then_some((&one.context, &other.context));
        one.relation == other.relation
            && one.target == other.target
            && one.heading == other.heading
            && one.label == other.label
            && one.interval == other.interval
            && one.embed == other.embed
            && one.line == other.line
            && context.is_none_or(|(one, other)| one == other)
    };
    before.len() + 1 == after.len() && before.iter().zip(others).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &str, name: &str, expected: Option<&str>) {
        let start = text.find(words).expect("the words");
        let range = ByteRange { start, end: start + words.len() };
        let linked = link_words("a.md", text, range, LinkTo { name, id: "7" });
        assert_eq!(linked.as_deref(), expected, "{text}");
    }

    #[test]
    fn only_the_words_become_a_link() {
        check("a Ada b\r\n", "Ada", "Ada", Some("a [[Ada]] b\r\n"));
        check("a ADA\n", "ADA", "Ada", Some("a [[ADA]]\n"));
        check("a Ada's b", "Ada", "people/ada", Some("a [[people/ada|Ada]]'s b"));
        check("- [x] met *Ada*\n", "Ada", "Ada", Some("- [x] met *[[Ada]]*\n"));
        check("- [belief] Ada is (to Bob) #t\n", "Ada", "Ada", Some("- [belief] [[Ada]] is (to Bob) #t\n"));
        check("> Of Ada.\n", "Ada", "Ada", Some("> Of [[Ada]].\n"));
        check("- works_at:: Acme {2020..}\n", "Acme", "Acme", Some("- works_at:: [[Acme]] {2020..}\n"));
        check("Of Ada, [[Bob]] and [c](c.md).\n", "Ada", "Ada", Some("Of [[Ada]], [[Bob]] and [c](c.md).\n"));
    }

    #[test]
    fn links_that_change_the_meaning_are_rejected() {
        check("- joined Acme\n", "Acme", "Acme", None);
        check("- works_at:: Acme {2020..}\n", "Acme", "companies/acme", None);
        check("- Acme | role:: X\n", "Acme", "companies/acme", None);
        check("a `Ada` b\n", "Ada", "Ada", None);
        check("---\ntitle: Ada\n---\n", "Ada", "Ada", None);
        check("[Ada]\n\n[ada]: b.md\n", "Ada", "Ada", None);
        check("a !Ada\n", "Ada", "Ada", None);
        check("a \\Ada\n", "Ada", "Ada", None);
        for name in ["a|b", "a]", "a#b", ""] {
            check("a Ada\n", "Ada", name, None);
        }
    }

    #[test]
    fn org_files_link_by_id() {
        let to = LinkTo { name: "Ada Lovelace", id: "0192" };
        assert_eq!(link_text("a.org", "Ada", to).as_deref(), Some("[[id:0192][Ada]]"));
        assert_eq!(link_text("a.org", "A|b", to), None);
    }
}
