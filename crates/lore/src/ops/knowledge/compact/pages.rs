//! The pages of a cluster in a plan, with their text as far as the budget allows.

use lore_engine::VaultContext;
use lore_memory::Member;
use lore_page::parse;
use lore_vault::decode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::error::Result;
use crate::ops::PageText;
use crate::ops::line::Line;

/// A page of a cluster.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PageItem {
    pub slug: String,
    pub title: String,
    pub path: Line,
    /// `stale` or `superseded`.
    pub status: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    pub version: u64,
    /// Number of tokens of its text.
    pub tokens: usize,
    /// Text without the frontmatter, as far as the budget allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<PageText>,
    /// Whether the text is truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// Returns a page with its text, as far as the remaining budget allows; without a budget, without text.
pub fn page(context: &VaultContext, member: &Member, left: &mut Option<usize>) -> Result<PageItem> {
    let row = &member.page;
    let bytes = context.read(row)?.bytes;
    let whole = decode(&bytes).text;
    let body = whole.get(parse(&row.path, &whole).page.truth.start..).unwrap_or_default().trim();
    let tokens_of = |text: &str| context.models().count_tokens(text);
    let tokens = tokens_of(body);
    let text = left.map(|left| if tokens <= left { body } else { prefix_within(body, left, &tokens_of) });
    if let (Some(left), Some(text)) = (left.as_mut(), text) {
        *left = left.saturating_sub(tokens_of(text));
    }
    Ok(PageItem {
        slug: row.slug.clone(),
        title: row.title.clone(),
        path: row.path.clone().into(),
        status: member.state.status.clone(),
        reason: member.state.reason(),
        since: member.state.since.clone(),
        version: row.version,
        tokens,
        cut: text.is_some_and(|text| text.len() < body.len()),
        text: text.filter(|text| !text.is_empty()).map(|text| PageText::new(context, row, text.to_owned())),
    })
}

/// Returns as many of the first lines as fit the number of tokens.
fn prefix_within<'a>(text: &'a str, tokens: usize, count: &dyn Fn(&str) -> usize) -> &'a str {
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| count(&text[..*end]) <= tokens);
    fitting.checked_sub(1).map_or("", |last| &text[..ends[last]])
}
