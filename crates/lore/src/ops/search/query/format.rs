//! What an answer costs beside its passages, in each face.

use lore_engine::{Budget, Depth, Hit, VaultContext};

use super::answers::AnswerItem;
use crate::ops::external_text::{AGENTS, fence_tokens};
use crate::ops::search::request::Mode;

/// Tokens of an empty answer as JSON, with the names of its fields.
const JSON_BASE: usize = 60;

/// Tokens around a passage as JSON: the names of its fields, its lines and escaped line breaks.
const JSON_PASSAGE: usize = 20;

/// Tokens of an empty answer as text: the marks around it.
const TEXT_BASE: usize = 60;

/// Tokens around a passage as text: its lines.
const TEXT_PASSAGE: usize = 7;

/// A budget that hardly holds an empty answer counts titles and passages only, so that the best one is still returned.
const TINY: usize = 200;

/// How an answer is shaped.
pub(super) struct Shape {
    /// Maximum number of tokens.
    pub tokens: usize,
    /// Whether ids and the like are included.
    pub has_details: bool,
    /// Whether hashes are included too.
    pub has_hashes: bool,
}

impl Shape {
    /// A search by fields finds pages by their data, and returns it.
    pub(super) fn new(tokens: usize, details: bool, mode: Mode) -> Shape {
        Shape { tokens, has_details: details || mode == Mode::Fields, has_hashes: details }
    }
}

/// Returns the budget of an answer in the face of a request. Agents read text; its structured part has references only.
/// Everybody else gets JSON, or text, which is shorter.
pub(super) fn budget(context: &VaultContext, depth: Depth, shape: &Shape, is_requested: bool) -> Budget {
    let tokens = shape.tokens;
    let tiny = Budget { depth, tokens, is_requested, base: 0, around: title, passage: 0 };
    let text = if shape.has_details { around_detailed_text } else { around_text };
    let json = if shape.has_details { around_detailed_json } else { around_json };
    match context.author().face.as_str() == AGENTS {
        _ if tokens < TINY => tiny,
        true => Budget { base: TEXT_BASE, around: text, passage: TEXT_PASSAGE, ..tiny },
        false => Budget { base: JSON_BASE, around: json, passage: JSON_PASSAGE, ..tiny },
    }
}

fn title(context: &VaultContext, hit: &Hit, _: Depth) -> usize {
    context.models().count_tokens(&hit.page.title)
}

fn around_text(context: &VaultContext, hit: &Hit, depth: Depth) -> usize {
    text_tokens(context, hit, &AnswerItem::bare(hit, depth))
}

fn around_detailed_text(context: &VaultContext, hit: &Hit, depth: Depth) -> usize {
    text_tokens(context, hit, &AnswerItem::detailed(hit, depth))
}

fn text_tokens(context: &VaultContext, hit: &Hit, item: &AnswerItem) -> usize {
    context.models().count_tokens(&item.head()) + fence_tokens(context, &hit.page)
}

fn around_json(context: &VaultContext, hit: &Hit, depth: Depth) -> usize {
    json_tokens(context, &AnswerItem::bare(hit, depth))
}

fn around_detailed_json(context: &VaultContext, hit: &Hit, depth: Depth) -> usize {
    json_tokens(context, &AnswerItem::detailed(hit, depth))
}

fn json_tokens(context: &VaultContext, item: &AnswerItem) -> usize {
    context.models().count_tokens(&serde_json::to_string(item).unwrap_or_default())
}
