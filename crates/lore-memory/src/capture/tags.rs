//! Suggests tags for a captured page: the current project, the pages that the text names, and vault tags whose words it
//! contains. This is a heuristic, so it only proposes tags and names that the vault already has.

use lore_engine::{DEFAULT_TYPE, Result, VaultContext};
use lore_page::parse;
use lore_ports::{LabelKind, PageNo};
use lore_text::{slugify, terms};

use super::CaptureRequest;
use super::page::plain_tags;
use super::similar::query_prefix;
use crate::mentions::mentions;
use crate::scope::known_directory;

/// Maximum number of tags. Given tags count first and are never dropped.
const TAGS: usize = 5;

/// Number of words scanned for names; each costs several index queries.
const NAMED_WORDS: usize = 120;

/// Maximum number of words in a title that counts as a name and not as a statement.
const TITLE_WORDS: usize = 3;

/// Returns the tags of a new page: those given, then those found, up to the maximum.
pub(super) fn tags(
    context: &VaultContext,
    request: &CaptureRequest,
    path: &str,
    title: &str,
) -> Result<Vec<String>> {
    let mut tags = plain_tags(&request.tags);
    let policy = context.policy();
    let given = parse(path, &request.text).page;
    if !policy.capture.auto_tags || given.properties.get("tags").is_some() {
        return Ok(tags);
    }
    let mut known: Vec<String> = tags.iter().chain(&given.tags).map(|tag| slugify(tag)).collect();
    if known.len() >= TAGS {
        return Ok(tags);
    }
    let text = format!("{title}\n{}", query_prefix(given.truth.of(&request.text)));
    let in_use: Vec<String> =
        context.store().labels(context.project(), LabelKind::Tag)?.into_iter().map(|(tag, _)| tag).collect();
    let mut found: Vec<String> = known_directory(context, &request.directories)?.into_iter().collect();
    found.extend(names(context, &text)?);
    found.extend(matching_tags(&in_use, &text));
    // Schema tags give the type of a page, which words in the text cannot decide.
    let schema_tags: Vec<String> = policy.schema(path).map(|schema| schema.tags.clone()).unwrap_or_default();
    for tag in found {
        let slug = slugify(&tag);
        if known.len() < TAGS && !known.contains(&slug) && !schema_tags.contains(&tag) {
            // Filters match the spelling that the vault already uses.
            let existing = in_use.iter().find(|known| slugify(known) == slug).cloned();
            tags.push(existing.unwrap_or(tag));
            known.push(slug);
        }
    }
    Ok(tags)
}

/// Returns the pages that a text names, as tags, most frequent first. Only pages with a type of their own or with
/// inbound links count: a page titled `Today` matches many texts by accident.
fn names(context: &VaultContext, text: &str) -> Result<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().take(NAMED_WORDS).collect();
    let (mentions, _) = mentions(context, &words.join(" "), "")?;
    let numbers: Vec<PageNo> = mentions.iter().map(|mention| mention.page.number).collect();
    let inbound = context.store().inbound(context.project(), &numbers)?;
    let policy = context.policy();
    let entities = mentions.into_iter().zip(inbound).filter(|(mention, inbound)| {
        let page = &mention.page;
        let is_generated = policy.generated.iter().any(|generated| generated.path.matches(&page.path));
        let is_short = page.title.split_whitespace().count() <= TITLE_WORDS;
        is_short && !is_generated && (page.kind != DEFAULT_TYPE || *inbound > 0)
    });
    let tag = |title: &str| slugify(title).replace('/', "-");
    Ok(entities.map(|(mention, _)| tag(&mention.page.title)).filter(|tag| !tag.is_empty()).collect())
}

/// Returns the tags whose words all occur in a text, in order. Of `clients/acme` only the last part counts.
fn matching_tags(in_use: &[String], text: &str) -> Vec<String> {
    let own = terms(text);
    let is_in = |tag: &&String| {
        let last = tag.rsplit('/').next().unwrap_or(tag);
        let words = terms(last);
        let has_letters = last.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
        has_letters && !words.is_empty() && words.is_subset(&own)
    };
    in_use.iter().filter(is_in).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_match_by_their_words() {
        let in_use = [
            "pricing",
            "heat-pump",
            "clients/acme",
            "2024",
            "c",
            "the",
            "garden",
            "東京",
            "Rust",
            "area/rust-lang",
        ];
        let in_use = in_use.map(str::to_owned);
        let found = |text: &str| matching_tags(&in_use, text).join(" ");
        assert_eq!(
            found("The heat pumps of ACME in 2024: c is the pricing"),
            "pricing heat-pump clients/acme"
        );
        assert_eq!(found("A pump without warmth"), "");
        assert_eq!(found("rusty garden"), "garden");
        assert_eq!(found("Gardens written in rust"), "garden Rust");
        assert_eq!(found("東京都の天気"), "東京");
        assert_eq!(found(""), "");
    }
}
