//! What an answer costs beside its passages, in each face.

use lore_engine::{Budget, Depth, Hit, VaultContext};

use super::answers::AnswerItem;
use crate::ops::external_text::{AGENTS, fence_tokens};

/// Tokens of an empty answer as JSON, with the names of its fields.
const JSON_BASE: usize = 60;

/// Tokens around a passage as JSON: the names of its fields, its lines and escaped line breaks.
const JSON_PASSAGE: usize = 26;

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
    /// Whether ids, hashes and the like are included.
    pub details: bool,
}

/// Returns the budget of an answer in the face of a request. Agents read text; its structured part has references only.
/// Everybody else gets JSON, or text, which is shorter.
pub(super) fn budget(context: &VaultContext, depth: Depth, tokens: usize, is_requested: bool) -> Budget {
    let tiny = Budget { depth, tokens, is_requested, base: 0, around: title, passage: 0 };
    match context.author().face.as_str() == AGENTS {
        _ if tokens < TINY => tiny,
        true => Budget { base: TEXT_BASE, around: around_text, passage: TEXT_PASSAGE, ..tiny },
        false => Budget { base: JSON_BASE, around: around_json, passage: JSON_PASSAGE, ..tiny },
    }
}

fn title(context: &VaultContext, hit: &Hit, _: Depth) -> usize {
    context.models().count_tokens(&hit.page.title)
}

fn around_text(context: &VaultContext, hit: &Hit, depth: Depth) -> usize {
    let item = AnswerItem::bare(hit, depth);
    let count = |text: &str| context.models().count_tokens(text);
    count(&item.head()) + fence_tokens(context, &hit.page)
}

fn around_json(context: &VaultContext, hit: &Hit, depth: Depth) -> usize {
    let item = AnswerItem::bare(hit, depth);
    let json = serde_json::to_string(&item).unwrap_or_default();
    context.models().count_tokens(&json)
}
