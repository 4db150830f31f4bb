//! `merge` and `split`: combine pages into one, or divide a page by its sections.

mod elsewhere;

use std::collections::BTreeMap;

use clap::Args;
use lore_engine::{Code, Outcome, Receipt, VaultContext, history};
use lore_memory::{DroppedValue, MergePlan, SplitPlan, apply_merge, apply_split, plan_merge, plan_split};
use lore_ports::PageRow;
use lore_text::diff::unified;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::app::shell::quote;
use crate::ops::views::{WriteResult, count};
use crate::ops::{Operation, Render};

/// Merge pages into the first one
///
/// Prints a preview unless --yes is given. Texts are combined section by section; duplicate facts, relations and
/// paragraphs are kept once, and timeline entries are sorted by date.
///
/// The other pages are deleted. Links to them are updated, and their titles, aliases and ids become aliases of the
/// remaining page. Properties and relations that cannot be kept are listed. If the pages contradict each other, for
/// example by two values of a single-valued fact, nothing is merged until you resolve it. The merge is a single write,
/// and the output shows how to undo it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore merge companies/acme companies/acme-inc\n  lore merge companies/acme companies/acme-inc --yes"
)]
pub struct Merge {
    /// Page that remains
    #[arg(value_name = "REF")]
    reference: String,
    /// Pages to merge into it
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<String>,
    /// Apply the merge; not available over MCP and HTTP
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
}

/// Split a page into one page per section
///
/// Prints a preview unless --yes is given. Each top-level section becomes a page in the same folder, with the
/// properties of the original and those that its schema requires. The pages link to each other, and links to a section
/// are updated. The introduction and the timeline stay on the original page. The split is a single write, and the
/// output shows how to undo it.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore split procedures/everything\n  lore split procedures/everything --section Release --section Deploy --yes"
)]
pub struct Split {
    /// Page to split
    #[arg(value_name = "REF")]
    reference: String,
    /// Only this section; repeatable
    #[arg(long = "section", value_name = "HEADING")]
    #[serde(default)]
    sections: Vec<String>,
    /// Apply the split; not available over MCP and HTTP
    #[arg(long, short)]
    #[serde(default)]
    yes: bool,
}

/// Output of `merge` and `split`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Restructured {
    /// `preview`, `merged` or `split`.
    outcome: &'static str,
    /// Slug of the page that remains.
    slug: String,
    /// Change of its text, as a unified diff.
    diff: String,
    /// Pages that are deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deleted: Vec<String>,
    /// Lines that cannot hold together; the merge is refused until they are settled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<String>,
    /// Properties whose values the page does not take over, and relations among the pages, which are removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<DroppedProperty>,
    /// Pages that are created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created: Vec<CreatedPage>,
    /// Pages whose links and pointers follow, with their number.
    links: BTreeMap<String, usize>,
    /// Pages whose links cannot be changed, with the reason; links by name or id still resolve.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    blocked: BTreeMap<String, String>,
    /// Pages of other vaults with pointers to deleted pages. They are not changed; their pointers still resolve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<String>,
    /// What was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<WriteResult>,
    /// Commands that undo it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undo: Vec<String>,
    /// What to do next.
    hint: String,
}

/// A property of a deleted page whose value is not taken over.
#[derive(Debug, Serialize, JsonSchema)]
struct DroppedProperty {
    /// Path of the deleted page.
    path: String,
    property: String,
    value: String,
    /// Value that the remaining page has instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

/// A page that is created.
#[derive(Debug, Serialize, JsonSchema)]
struct CreatedPage {
    path: String,
    title: String,
    /// Its text.
    text: String,
}

impl Operation for Merge {
    const NAME: &'static str = "merge";
    const WRITES: bool = true;
    type Output = Restructured;

    fn run(self, session: &Session) -> Result<Restructured> {
        let context = session.fresh()?;
        let target = context.page_to_write(&self.reference)?;
        context.refuse_node(&target, &self.reference)?;
        let others: Vec<PageRow> =
            self.others.iter().map(|page| removed(context, page)).collect::<Result<_>>()?;
        let plan = plan_merge(context, &target, &others)?;
        let mut output = Restructured::merge(session, &plan);
        let ids: Vec<&str> = plan.merged.iter().map(|page| page.id.as_str()).collect();
        output.elsewhere = elsewhere::pointers(session, context, &ids);
        if self.yes {
            check_person(session, "pages are merged only on the command line")?;
            let receipt = apply_merge(context, &plan)?;
            output.finish(session, context, "merged", receipt)?;
        }
        Ok(output)
    }
}

impl Operation for Split {
    const NAME: &'static str = "split";
    const WRITES: bool = true;
    type Output = Restructured;

    fn run(self, session: &Session) -> Result<Restructured> {
        let context = session.fresh()?;
        let page = context.page_to_write(&self.reference)?;
        context.refuse_node(&page, &self.reference)?;
        let plan = plan_split(context, &page, &self.sections)?;
        let mut output = Restructured::split(session, &plan);
        if self.yes {
            check_person(session, "pages are split only on the command line")?;
            let receipt = apply_split(context, &plan)?;
            output.finish(session, context, "split", receipt)?;
        }
        Ok(output)
    }
}

/// Returns an error unless the caller is at this machine: the client of a server gets the preview only.
fn check_person(session: &Session, message: &str) -> Result<()> {
    match session.is_local() {
        true => Ok(()),
        false => {
            let hint = "show the preview to the person who owns the vault; nothing was changed";
            Err(AppError::new(Code::Denied, message, hint))
        }
    }
}

/// Returns a page that is deleted, named as exactly as for deleting it.
fn removed(context: &VaultContext, reference: &str) -> Result<PageRow> {
    let path = context.file_to_remove(reference)?;
    let page = context.page_at(&path)?.ok_or_else(|| {
        AppError::usage(format!("{path} is not a page"), "name pages of the index; see `lore list`")
    })?;
    context.refuse_node(&page, reference)?;
    Ok(page)
}

impl From<DroppedValue> for DroppedProperty {
    fn from(value: DroppedValue) -> DroppedProperty {
        let DroppedValue { path, property, value, kept } = value;
        DroppedProperty { path, property, value, kept }
    }
}

const CONFIRM: &str = "nothing was written; read it, then run it again with --yes";

const SETTLE: &str = "nothing was written; end or remove one line of each conflict, then merge again";

impl Restructured {
    fn merge(session: &Session, plan: &MergePlan) -> Restructured {
        Restructured {
            outcome: "preview",
            slug: plan.target.slug.clone(),
            diff: unified(&plan.old, &plan.text, &plan.target.path, &plan.target.path),
            deleted: plan.merged.iter().map(|page| page.path.clone()).collect(),
            conflicts: plan.conflicts.clone(),
            dropped: plan.dropped.iter().cloned().map(DroppedProperty::from).collect(),
            created: Vec::new(),
            links: plan.sources.clone(),
            blocked: plan.blocked.clone(),
            elsewhere: Vec::new(),
            written: None,
            undo: Vec::new(),
            hint: session.hint(if plan.conflicts.is_empty() { CONFIRM } else { SETTLE }),
        }
    }

    fn split(session: &Session, plan: &SplitPlan) -> Restructured {
        let created = plan.parts.iter().map(|part| CreatedPage {
            path: part.path.clone(),
            title: part.title.clone(),
            text: part.text.clone(),
        });
        Restructured {
            outcome: "preview",
            slug: plan.page.slug.clone(),
            diff: unified(&plan.old, &plan.text, &plan.page.path, &plan.page.path),
            deleted: Vec::new(),
            conflicts: Vec::new(),
            dropped: Vec::new(),
            created: created.collect(),
            links: plan.sources.clone(),
            blocked: plan.blocked.clone(),
            elsewhere: Vec::new(),
            written: None,
            undo: Vec::new(),
            hint: session.hint(CONFIRM),
        }
    }

    /// Adds what was written and how to undo it.
    fn finish(
        &mut self,
        session: &Session,
        context: &VaultContext,
        outcome: &'static str,
        receipt: Receipt,
    ) -> Result<()> {
        for file in &receipt.files {
            let path = quote(&file.path);
            let command = match file.outcome {
                Outcome::Unchanged => continue,
                Outcome::Created => format!("lore rm ./{path} --yes"),
                _ => match history::kept(context, &file.path)?.snapshots.first() {
                    Some(snapshot) => format!("lore restore {path} --at {} --yes", snapshot.number),
                    None => continue,
                },
            };
            self.undo.extend(session.call(&command));
        }
        self.outcome = outcome;
        self.written = Some(WriteResult::new(receipt));
        self.hint = match self.undo.is_empty() {
            true => session.hint("earlier versions are kept: see `lore history REF`"),
            false => "to undo it, run these in any order".into(),
        };
        Ok(())
    }
}

impl Render for Restructured {
    fn human(&self) -> String {
        let mut text = match self.outcome {
            "preview" => self.diff.clone(),
            outcome => format!("{outcome} {}\n", self.slug),
        };
        text.extend(self.deleted.iter().map(|path| format!("deletes  {path}\n")));
        text.extend(self.conflicts.iter().map(|what| format!("conflict {what}\n")));
        for one in &self.dropped {
            let kept = one.kept.as_ref().map(|kept| format!(" (kept: {kept})")).unwrap_or_default();
            text.push_str(&format!("drops    {}  {}: {}{kept}\n", one.path, one.property, one.value));
        }
        for page in &self.created {
            text.push_str(&format!("creates  {}  {}\n", page.path, page.title));
        }
        for (path, links) in &self.links {
            text.push_str(&format!("follows  {path}  {}\n", count(*links as u64, "link")));
        }
        for (path, why) in &self.blocked {
            text.push_str(&format!("left     {path}  {why}\n"));
        }
        text.extend(self.elsewhere.iter().map(|page| format!("points   {page}\n")));
        let warnings = self.written.iter().flat_map(|written| &written.warnings);
        text.extend(warnings.map(|warning| format!("warning: {warning}\n")));
        text.push_str(&format!("{}\n", self.hint));
        text.extend(self.undo.iter().map(|command| format!("  {command}\n")));
        text
    }
}
