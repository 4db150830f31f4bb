//! `link`, `link-close`, `unlink`: relations between pages, written as lines of the page they start from.

use clap::Args;
use lore_engine::{LinkWritten, NewLink, VaultContext};
use lore_ports::LinkRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::{date, interval};
use crate::ops::views::{LinkItem, WriteResult};
use crate::ops::{Operation, Render};

/// Default relationship.
const RELATED: &str = "related";

/// Link two pages with a typed, dated relation
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore link people/ada companies/acme --relationship works_at --valid-from 2020-03\n  lore link notes/new notes/old --relationship supersedes\n  lore link notes/new supersedes notes/old\n\nThe relationships supersedes, contradicts and related drive the lifecycle of pages. Two relations of the same kind between two pages must not overlap in time; such a link is refused."
)]
pub struct Link {
    /// Page that the relation is written into
    #[arg(value_name = "FROM")]
    from: String,
    /// Target page; or the relationship, before the target page
    #[arg(value_name = "TO")]
    to: String,
    /// Target page, after a relationship
    #[arg(value_name = "TARGET", hide = true, conflicts_with = "relationship")]
    #[serde(skip)]
    target: Option<String>,
    /// Relationship, a verb [default: related]
    #[arg(long, value_name = "R")]
    #[serde(default)]
    relationship: Option<String>,
    /// Short note, written in parentheses
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    context: Option<String>,
    /// Valid since: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    valid_from: Option<String>,
    /// Valid until, inclusive
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    valid_until: Option<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// End a link by setting its last valid day; its id stays the same
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore links people/ada                                      # lists ids\n  lore link-close 2659058513998758 --valid-until 2026-03-01"
)]
pub struct LinkClose {
    /// Link id from `lore links`
    #[arg(value_name = "ID")]
    id: u64,
    /// Last valid day: YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE")]
    valid_until: String,
    /// Fail unless the page with the link is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// Remove relations between two pages (links in prose are reported)
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore unlink people/ada companies/acme\n  lore unlink people/ada companies/acme --relationship works_at\n\nTo end a relation that was true once, use `lore link-close`."
)]
pub struct Unlink {
    /// Page with the relation
    #[arg(value_name = "FROM")]
    from: String,
    /// Target page
    #[arg(value_name = "TO")]
    to: String,
    /// Only this relationship
    #[arg(long, value_name = "R")]
    #[serde(default)]
    relationship: Option<String>,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// Output of `link` and `link-close`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LinkOutput {
    #[serde(flatten)]
    page: WriteResult,
    /// The link after the change.
    link: LinkItem,
}

/// Output of `unlink`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnlinkOutput {
    #[serde(flatten)]
    page: WriteResult,
    /// Relations that were removed.
    removed: Vec<LinkItem>,
    /// Links between the two pages that were not removed: other relationships, prose, frontmatter.
    left: Vec<LinkItem>,
    /// What to do about links in prose.
    #[serde(skip)]
    hint: String,
}

impl Operation for Link {
    const NAME: &'static str = "link";
    const WRITES: bool = true;
    type Output = LinkOutput;

    fn run(self, session: &Session) -> Result<LinkOutput> {
        let context = session.fresh()?;
        let interval = interval(self.valid_from.as_deref(), self.valid_until.as_deref(), context)?;
        let (relation, to) = match &self.target {
            Some(target) => (self.to.as_str(), target),
            None => (self.relationship.as_deref().unwrap_or(RELATED), &self.to),
        };
        let (from, to_page) = (context.page_to_write(&self.from)?, context.page(to)?);
        context.refuse_node(&from, &self.from)?;
        let node = context.node(&to_page, to)?;
        let new = NewLink {
            from: &from,
            to: &to_page,
            node: node.as_ref(),
            relation,
            context: self.context.as_deref(),
            interval,
            expected_version: self.expected_version,
        };
        LinkOutput::new(context, lore_engine::link(context, &new)?)
    }
}

impl Operation for LinkClose {
    const NAME: &'static str = "link-close";
    const WRITES: bool = true;
    type Output = LinkOutput;

    fn run(self, session: &Session) -> Result<LinkOutput> {
        let context = session.fresh()?;
        let until = date("--valid-until", &self.valid_until, context)?;
        LinkOutput::new(context, lore_engine::close_link(context, self.id, until, self.expected_version)?)
    }
}

impl Operation for Unlink {
    const NAME: &'static str = "unlink";
    const WRITES: bool = true;
    type Output = UnlinkOutput;

    fn run(self, session: &Session) -> Result<UnlinkOutput> {
        let context = session.fresh()?;
        let (from, to) = (context.page_to_write(&self.from)?, context.page(&self.to)?);
        context.refuse_node(&from, &self.from)?;
        let node = context.node(&to, &self.to)?;
        let relation = self.relationship.as_deref();
        let to = (&to, node.as_ref());
        let result = lore_engine::unlink(context, &from, to, relation, self.expected_version)?;
        let items = |rows: Vec<LinkRow>| -> Result<Vec<LinkItem>> {
            rows.into_iter().map(|row| LinkItem::new(context, row)).collect()
        };
        let (removed, left) = (items(result.removed)?, items(result.left)?);
        let hint = session.hint("change them with `lore edit`");
        Ok(UnlinkOutput { page: WriteResult::new(result.receipt), removed, left, hint })
    }
}

impl LinkOutput {
    fn new(context: &VaultContext, result: LinkWritten) -> Result<LinkOutput> {
        Ok(LinkOutput { link: LinkItem::new(context, result.link)?, page: WriteResult::new(result.receipt) })
    }
}

impl Render for LinkOutput {
    fn human(&self) -> String {
        let link = &self.link;
        let already = match self.page.outcome {
            "unchanged" => format!("already on line {}: ", link.line),
            _ => String::new(),
        };
        let place = format!("{}:{}", link.path, link.line);
        format!("{}{:>16}  {already}{}\n{:18}{place}\n", self.page.human(), link.id, link.sentence(), "")
    }

    fn brief(&self) -> String {
        format!("{}\n", self.link.id)
    }
}

impl Render for UnlinkOutput {
    fn human(&self) -> String {
        let mut text = String::new();
        if self.removed.is_empty() {
            text.push_str("no relation to remove\n");
        } else {
            text.push_str(&self.page.human());
        }
        text.extend(self.removed.iter().map(|link| format!("removed  {}\n", link.sentence())));
        for link in &self.left {
            let context = link.context.as_deref().unwrap_or_default();
            text.push_str(&format!(
                "left     {}\n         {}:{}  {context}\n",
                link.sentence(),
                link.path,
                link.line
            ));
        }
        if self.removed.is_empty() && self.left.iter().any(|link| link.relationship == lore_page::LINKS_TO) {
            text.push_str(&format!("the remaining links are in prose: {}\n", self.hint));
        }
        text
    }

    fn exit(&self) -> u8 {
        u8::from(self.removed.is_empty())
    }
}
