//! Sorting the inbox: where a file could go, and moving it away once it is sorted.

use std::collections::BTreeSet;

use lore_engine::{
    Action, Edit, Error, PageChange, Receipt, Result, Rotate, VaultContext, WriteOptions, write_as,
};
use lore_page::{Format, Value, edit};
use lore_ports::{Filter, Order, PageRow, Window};
use lore_text::{folded_words, is_unspaced, slugify};
use lore_vault::{VaultPath, is_page_path, without_extension};

use super::rotate::free_scratch_path;
use crate::capture::similar_pages;
use crate::inbox::{InboxItem, inbox_text};
use crate::page_text::title_of;

/// Maximum number of existing pages among the suggestions.
const SIMILAR: usize = 3;

/// Minimum length of a title that is looked for in a text.
const MIN_TITLE: usize = 4;

/// A place for the content of an inbox file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Path of the page, without extension.
    pub path: String,
    /// Section of the page.
    pub section: Option<String>,
    /// Whether the page exists.
    pub exists: bool,
    /// Why it is suggested.
    pub reason: String,
}

/// Returns where the content of a text could go: similar pages first, then the policy's destinations by their words.
pub fn suggestions(context: &VaultContext, item: &InboxItem, text: Option<&str>) -> Result<Vec<Destination>> {
    let policy = context.policy();
    let text = text.unwrap_or_default();
    let name = without_extension(item.path.rsplit('/').next().unwrap_or(&item.path));
    let title = match is_mail(&item.path) {
        true => mail_subject(text).unwrap_or_else(|| name.to_owned()),
        false => title_of(None, text),
    };
    let mut found = Vec::new();
    let is_elsewhere = |path: &str| {
        let plan = policy.rotate.as_ref();
        let folders = plan.into_iter().flat_map(|plan| plan.inbox.iter().chain(&plan.scratch));
        folders.into_iter().all(|folder| !path.starts_with(&format!("{folder}/")))
    };
    if !text.trim().is_empty() {
        let existing = |page: &PageRow, why: &str| Destination {
            path: without_extension(&page.path).to_owned(),
            section: None,
            exists: true,
            reason: format!("{why}: {}", page.title),
        };
        let similar = similar_pages(context, &title, text)?.similar;
        let similar = similar.iter().filter(|one| is_elsewhere(&one.page.path));
        found.extend(similar.take(SIMILAR).map(|one| existing(&one.page, "similar page")));
        let named = named_pages(context, text)?;
        let named = named.iter().filter(|page| is_elsewhere(&page.path));
        found.extend(named.take(SIMILAR).map(|page| existing(page, "the text names it")));
    }
    let lower = format!("{} {}", name.to_lowercase(), text.to_lowercase());
    let hits = |words: &[String]| words.iter().filter(|word| has_word(&lower, &word.to_lowercase())).count();
    let mut rules: Vec<_> = policy.destinations.iter().map(|rule| (hits(&rule.words), rule)).collect();
    rules.retain(|(hits, rule)| *hits > 0 || rule.words.is_empty());
    rules.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    let slug = match slugify(&title) {
        slug if slug.is_empty() => slugify(name),
        slug => slug,
    };
    for (_, rule) in rules {
        let path = rule.to.replace("{slug}", slug.rsplit('/').next().unwrap_or(&slug));
        let exists = context.page_at(&format!("{path}.md"))?.is_some();
        found.push(Destination { path, section: rule.section.clone(), exists, reason: rule.about.clone() });
    }
    let mut seen = BTreeSet::new();
    found.retain(|one| seen.insert(one.path.clone()));
    Ok(found)
}

/// Returns whether a text has a word or phrase, also in the plural. Both are in lower case.
fn has_word(text: &str, word: &str) -> bool {
    let word = word.trim();
    let is_letter = |character: char| character.is_alphanumeric() && !is_unspaced(character);
    let (first, last) = (word.starts_with(is_letter), word.ends_with(is_letter));
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            let plural = ["", "s", "es"].iter().filter_map(|end| after.strip_prefix(end));
            let continues = last && plural.into_iter().all(|rest| rest.starts_with(is_letter));
            !(continues || first && before.ends_with(is_letter))
        })
}

fn is_mail(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("eml"))
}

/// Returns the subject of a mail; none if it has none, or if it is encoded.
fn mail_subject(text: &str) -> Option<String> {
    let mut header = text.lines().take_while(|line| !line.trim().is_empty());
    let is_subject = |name: &str| name.trim_end().eq_ignore_ascii_case("subject");
    let first = header.find_map(|line| line.split_once(':').filter(|(name, _)| is_subject(name)))?.1;
    let folded = header.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim);
    let subject = [first.trim()].into_iter().chain(folded).collect::<Vec<_>>().join(" ");
    let subject = subject.trim();
    (!subject.is_empty() && !subject.contains("=?")).then(|| subject.to_owned())
}

/// Returns the pages whose title is in a text, longest title first. Pages that only list others are left out.
fn named_pages(context: &VaultContext, text: &str) -> Result<Vec<PageRow>> {
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut pages = context.store().list(context.project(), &Filter::default(), Order::Title, all)?;
    let words = format!(" {} ", words_of(text));
    pages.retain(|page| {
        let title = words_of(&page.title);
        title.len() >= MIN_TITLE && page.kind != "index" && words.contains(&format!(" {title} "))
    });
    pages.sort_by_key(|page| std::cmp::Reverse(page.title.len()));
    Ok(pages)
}

/// Returns the folded words of a text, separated by spaces.
fn words_of(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    folded_words(text, &mut |word| words.push(word.to_owned()));
    words.join(" ")
}

/// Moves a sorted file to the scratch folder. A page gets the mark, and the pages that have its content now.
pub fn finish_triage(context: &VaultContext, item: &InboxItem, into: &[String]) -> Result<(String, Receipt)> {
    let policy = context.policy();
    let plan = policy.rotate.as_ref();
    let Some((plan, scratch)) = plan.and_then(|plan| Some((plan, plan.scratch.as_ref()?))) else {
        return Err(Error::BadInput {
            message: "this vault has no scratch folder".into(),
            hint: "add `scratch` to the [rotate] table of its lore.toml".into(),
        });
    };
    let to = free_scratch_path(context, scratch, &item.path, context.day(), &[]);
    let target = VaultPath::known(to.clone());
    let action = match marked(context, plan, item, into)? {
        Some(edit) => Action::Move(target, edit),
        None => Action::Relocate(target),
    };
    let change = PageChange { path: VaultPath::known(item.path.clone()), action, expected_version: None };
    let subject = Some(format!("Triage {}", item.path));
    let receipt = write_as(context, &[change], &WriteOptions { subject, ..WriteOptions::default() })?;
    Ok((to, receipt))
}

/// Returns the edit that marks a page; none for a file that is not an editable page.
fn marked(
    context: &VaultContext,
    plan: &Rotate,
    item: &InboxItem,
    into: &[String],
) -> Result<Option<Edit<'static>>> {
    let Some(text) = inbox_text(context, item)?.filter(|_| is_page_path(&item.path)) else { return Ok(None) };
    let (key, day, into) = (plan.triaged.clone(), context.day().to_string(), into.to_vec());
    let format = Format::of(&item.path);
    let mark = move |text: &str| {
        let marked = edit::set_property(format, text, &key, &Value::Text(day.clone()))?;
        match into.is_empty() {
            true => Ok(marked),
            false => {
                let pages = into.iter().cloned().map(Value::Text).collect();
                edit::set_property(format, &marked, &format!("{key}_into"), &Value::List(pages))
            }
        }
    };
    // Frontmatter that cannot be edited is left as it is.
    if mark(&text).is_err() {
        return Ok(None);
    }
    let path = item.path.clone();
    Ok(Some(Box::new(move |text| mark(text).map_err(|source| Error::Edit { slug: path.clone(), source }))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_as_words() {
        for (text, word, expected) in [
            ("hotel booking", "book", false),
            ("two books", "book", true),
            ("a book.", "book", true),
            ("notebook", "book", false),
            ("please call", "call ", true),
            ("recall it", "call ", false),
            ("total: 5", "total:", true),
            ("subtotal: 5", "total:", false),
            ("- [ ] do it", "- [ ]", true),
            ("the order numbers", "order number", true),
            ("booking a book", "book", true),
            ("明日会議です", "会議", true),
            ("any", "", false),
        ] {
            assert_eq!(has_word(text, word), expected, "{text}: {word}");
        }
    }

    #[test]
    fn mail_has_the_title_of_its_subject() {
        for (text, expected) in [
            ("From: Ada <a@x.org>\nSubject: Tea at four\n\nHello.\n", Some("Tea at four")),
            ("subject: Tea\r\n at\r\n\tfour\r\nFrom: a\r\n\r\nx", Some("Tea at four")),
            ("From: a\n\nSubject: not a header\n", None),
            ("Subject: =?UTF-8?Q?Z=C3=BCrich?=\n\nx", None),
            ("Subject:\n\nx", None),
        ] {
            assert_eq!(mail_subject(text).as_deref(), expected, "{text:?}");
        }
        assert!(is_mail("state/inbox/a.EML") && !is_mail("a.md") && !is_mail("eml"));
    }
}
