//! Conversations are evidence: for the same words, the page that was written from them answers better.

use std::collections::HashSet;

use lore_ports::{Filter, Order, PageNo, PageRow, Window};
use lore_text::folded_words;

use crate::context::VaultContext;
use crate::error::Result;
use crate::search::fuse::{Scored, sort};
use crate::search::request::SearchRequest;

/// The type of imported conversations.
const CONVERSATION: &str = "conversation";

/// What is left of the score of a conversation.
const SHARE: f64 = 0.4;

/// Words of a question that asks for conversations.
const ASKED: [&str; 14] = [
    "chat",
    "chats",
    "conversation",
    "conversations",
    "discuss",
    "discussed",
    "discussion",
    "said",
    "session",
    "sessions",
    "talk",
    "talked",
    "transcript",
    "transcripts",
];

/// Whether a page is an imported conversation.
pub fn is_transcript(page: &PageRow) -> bool {
    page.kind == CONVERSATION && page.properties.text("origin") == Some("external")
}

/// Lowers imported conversations, unless the question or its filter asks for them; returns those that it lowered.
pub(super) fn lower_transcripts(
    context: &VaultContext,
    request: &SearchRequest,
    list: &mut [Scored],
) -> Result<Vec<PageNo>> {
    let mut is_asked = false;
    folded_words(&request.text, &mut |word| is_asked |= ASKED.contains(&word));
    if list.is_empty() || !request.filter.kinds.is_empty() || is_asked {
        return Ok(Vec::new());
    }
    let filter = Filter {
        kinds: vec![CONVERSATION.to_owned()],
        properties: vec![("origin".to_owned(), "external".to_owned())],
        ..Filter::default()
    };
    // Most vaults have none, and this is the whole cost.
    if context
        .store()
        .list(context.project(), &filter, Order::Title, Window { limit: 1, offset: 0 })?
        .is_empty()
    {
        return Ok(Vec::new());
    }
    let numbers: Vec<PageNo> = list.iter().map(|(page, _)| *page).collect();
    let rows = context.store().pages(context.project(), &numbers)?;
    let transcripts: HashSet<PageNo> =
        rows.iter().filter(|row| is_transcript(row)).map(|row| row.number).collect();
    for (page, score) in list.iter_mut() {
        if transcripts.contains(page) {
            *score *= SHARE;
        }
    }
    sort(list);
    Ok(list.iter().map(|(page, _)| *page).filter(|page| transcripts.contains(page)).collect())
}
