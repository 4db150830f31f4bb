//! `tags`, `tag`, `untag`.

use std::collections::BTreeMap;

use clap::Args;
use lore_engine::VaultContext;
use lore_page::{Format, edit};
use lore_ports::{Filter, LabelKind, Namespace, Order, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::change::{Edited, change_node};
use crate::ops::views::{WriteResult, lines};
use crate::ops::{Operation, Render};

/// List the tags of a page, or all tags with their counts
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore tags\n  lore tags \"Ada Lovelace\"")]
pub struct Tags {
    /// Page [default: the whole vault]
    #[arg(value_name = "REF")]
    #[serde(default)]
    reference: Option<String>,
}

/// Output of `tags`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TagList {
    tags: Vec<TagCount>,
}

/// A tag.
#[derive(Debug, Serialize, JsonSchema)]
struct TagCount {
    tag: String,
    /// Number of pages with this tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u64>,
}

impl Operation for Tags {
    const NAME: &'static str = "tags";
    type Output = TagList;

    fn run(self, session: &Session) -> Result<TagList> {
        let context = session.fresh()?;
        let tags = match self.reference {
            Some(reference) => {
                let tags = context.page(&reference)?.tags;
                tags.into_iter().map(|tag| TagCount { tag, pages: None }).collect()
            }
            None => {
                let counts = match session.namespace_filter(context, None)? {
                    None => context.store().labels(context.project(), LabelKind::Tag)?,
                    namespace => tags_of(context, namespace)?,
                };
                counts.into_iter().map(|(tag, pages)| TagCount { tag, pages: Some(pages) }).collect()
            }
        };
        Ok(TagList { tags })
    }
}

/// Returns the tags of the pages of a namespace, the most frequent first.
fn tags_of(context: &VaultContext, namespace: Option<Namespace>) -> Result<Vec<(String, u64)>> {
    let filter = Filter { namespace, ..Filter::default() };
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for page in context.store().list(context.project(), &filter, Order::Title, all)? {
        page.tags.into_iter().for_each(|tag| *counts.entry(tag).or_default() += 1);
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    Ok(counts)
}

impl Render for TagList {
    fn human(&self) -> String {
        if self.tags.is_empty() {
            return "no tags\n".into();
        }
        lines(self.tags.iter().map(|tag| match tag.pages {
            Some(pages) => format!("{pages:>6}  {}", tag.tag),
            None => tag.tag.clone(),
        }))
    }

    fn brief(&self) -> String {
        lines(self.tags.iter().map(|tag| tag.tag.clone()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.tags.is_empty())
    }
}

/// Parameters of `tag` and `untag`.
#[derive(Debug, Args, Deserialize, JsonSchema)]
struct Tagging {
    /// Page to change
    #[arg(value_name = "REF")]
    reference: String,
    /// Tags to add or remove
    #[arg(value_name = "TAG", required = true)]
    tags: Vec<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// Add tags to a page's frontmatter
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore tag people/ada founder friend")]
pub struct Tag {
    #[command(flatten)]
    #[serde(flatten)]
    tagging: Tagging,
}

impl Operation for Tag {
    const NAME: &'static str = "tag";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        retag(session, &self.tagging, edit::add_tag, edit::add_node_tag)
    }
}

/// Remove tags from a page's frontmatter
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore untag people/ada friend")]
pub struct Untag {
    #[command(flatten)]
    #[serde(flatten)]
    tagging: Tagging,
}

impl Operation for Untag {
    const NAME: &'static str = "untag";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        retag(session, &self.tagging, edit::remove_tag, edit::remove_node_tag)
    }
}

type TagEdit = fn(Format, &str, &str) -> Edited;
type NodeTagEdit = fn(&str, u32, &str) -> Edited;

fn retag(session: &Session, tagging: &Tagging, edit: TagEdit, edit_node: NodeTagEdit) -> Result<WriteResult> {
    if tagging.tags.is_empty() {
        return Err(AppError::usage("no tag given", "pass at least one tag"));
    }
    change_node(session, &tagging.reference, tagging.expected_version, |target, text| {
        let tags = tagging.tags.iter().map(|tag| tag.trim_start_matches('#'));
        tags.into_iter().try_fold(text.to_owned(), |text, tag| match target.node {
            Some(node) => edit_node(&text, node.lines.first, tag),
            None => edit(target.format, &text, tag),
        })
    })
}
