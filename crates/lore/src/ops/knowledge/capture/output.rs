//! The output of `capture`.

use lore_engine::{Receipt, VaultContext, is_live, states, supersession};
use lore_memory::{Captured, Comparison, NewCapture, Similar, short_id};
use lore_ports::PageRow;
use lore_text::Disagreement;
use schemars::JsonSchema;
use serde::Serialize;

use super::retry_command::RetryCommand;
use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::Render;
use crate::ops::views::{WriteResult, count};

/// Output of `capture`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CaptureOutput {
    /// A new page was written.
    New(Box<NewPage>),
    /// An existing page was changed.
    Changed(Box<ChangedPage>),
    /// Nothing was written because similar pages exist.
    Similar(Box<SimilarPages>),
}

/// A new page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewPage {
    /// Short form of its id, accepted by every command.
    id: String,
    /// Namespace it is in, else the project.
    namespace: String,
    #[serde(flatten)]
    written: WriteResult,
    /// Tags, both given and derived.
    tags: Vec<String>,
    /// Pages linked as `related`.
    linked: Vec<PageName>,
    /// Similar pages that already exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    similar: Vec<SimilarItem>,
    /// How similar pages were found.
    compared: Compared,
}

/// A page that was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedPage {
    /// Short form of its id, accepted by every command.
    id: String,
    #[serde(flatten)]
    written: WriteResult,
}

/// Similar pages; nothing was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SimilarPages {
    /// Always `similar`.
    outcome: &'static str,
    /// Most similar first.
    similar: Vec<SimilarItem>,
    /// How similar pages were found.
    compared: Compared,
    /// Follow-up commands, for the most similar page.
    next: Next,
    /// What to do next.
    hint: String,
}

/// A page by name.
#[derive(Debug, Serialize, JsonSchema)]
struct PageName {
    /// Short form of its id.
    id: String,
    slug: String,
    title: String,
}

/// A similar page.
#[derive(Debug, Serialize, JsonSchema)]
struct SimilarItem {
    #[serde(flatten)]
    page: PageName,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// Status, if the page is no longer current: superseded, compacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    version: u64,
    /// Similarity, from 0 to 1.
    likeness: f64,
    /// What is similar: `meaning` or `terms`.
    by: &'static str,
    /// How the text disagrees with the page, if it does: what it says instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    disagrees: Option<DisagreementItem>,
    /// The page that replaced it, if it is superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    successor: Option<PageName>,
}

/// How a text disagrees with a page.
#[derive(Debug, Serialize, JsonSchema)]
struct DisagreementItem {
    /// `negation` or `value`.
    kind: &'static str,
    /// What the page says.
    was: String,
    /// What the text says.
    now: String,
}

/// How similar pages were found.
#[derive(Debug, Serialize, JsonSchema)]
struct Compared {
    /// `meaning and terms`, or `terms`.
    by: &'static str,
    /// Embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Why there is no model, or what is not embedded yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Follow-up commands.
#[derive(Debug, Serialize, JsonSchema)]
struct Next {
    /// Appends the text to the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    extend: Option<String>,
    /// Replaces the truth of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    update: Option<String>,
    /// Writes a new page.
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
    /// Writes a new page that replaces the page, if the text disagrees with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    supersede: Option<String>,
    /// Writes a new page that contradicts the page, if the text disagrees with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    contradict: Option<String>,
}

const HINT: &str =
    "append to one with --extend REF, or replace one with --update REF, or write a new page with --keep";

const DISAGREES_HINT: &str = "the text disagrees with it: write a new page with --supersedes REF if it is no longer true, \
     or with --contradicts REF if both are claimed, or replace it with --update REF";

impl CaptureOutput {
    /// Converts the result; `retry` is the original command.
    pub(super) fn new(
        session: &Session,
        captured: Captured,
        retry: &RetryCommand,
        namespace: Option<String>,
    ) -> Result<CaptureOutput> {
        let context = session.context()?;
        Ok(match captured {
            Captured::New(new) => {
                let mut page = NewPage::new(session, context, *new)?;
                page.namespace = namespace.unwrap_or(page.namespace);
                CaptureOutput::New(Box::new(page))
            }
            Captured::Changed(receipt) => {
                CaptureOutput::Changed(Box::new(ChangedPage::new(context, receipt)?))
            }
            Captured::Similar(found) => {
                CaptureOutput::Similar(Box::new(SimilarPages::new(session, context, found, retry)?))
            }
        })
    }
}

impl NewPage {
    fn new(session: &Session, context: &VaultContext, new: NewCapture) -> Result<NewPage> {
        let NewCapture { receipt, page, related, compared } = new;
        let linked = related.into_iter().map(|page| PageName::new(context, page)).collect::<Result<_>>()?;
        let (compared, similar) = (Compared::new(session, &compared), items(context, compared.similar)?);
        Ok(NewPage {
            id: page.as_ref().map_or(Ok(String::new()), |page| short_id(context, page))?,
            namespace: context.name().to_owned(),
            written: WriteResult::new(receipt),
            tags: page.map(|page| page.tags).unwrap_or_default(),
            linked,
            similar,
            compared,
        })
    }
}

impl ChangedPage {
    fn new(context: &VaultContext, receipt: Receipt) -> Result<ChangedPage> {
        let page = receipt.files.first().map(|file| context.page_at(&file.path)).transpose()?.flatten();
        let id = page.as_ref().map_or(Ok(String::new()), |page| short_id(context, page))?;
        Ok(ChangedPage { id, written: WriteResult::new(receipt) })
    }
}

impl SimilarPages {
    fn new(
        session: &Session,
        context: &VaultContext,
        found: Comparison,
        retry: &RetryCommand,
    ) -> Result<SimilarPages> {
        let (compared, similar) = (Compared::new(session, &found), items(context, found.similar)?);
        let first = similar.first();
        // What a superseded page says is no longer the point: its successor is.
        let best = match first.map(|one| (one, &one.successor)) {
            Some((_, Some(successor))) => context.page(&successor.slug)?,
            Some((one, None)) => context.page(&one.page.slug)?,
            None => return Ok(SimilarPages::nothing(session, compared)),
        };
        let (id, version) = (short_id(context, &best)?, best.version);
        let disagrees = first.is_some_and(|one| one.disagrees.is_some() && one.successor.is_none());
        let relate = |relation| if disagrees { session.call(&retry.relating(relation, &id)) } else { None };
        let next = Next {
            extend: if disagrees { None } else { session.call(&retry.extending(&id)) },
            update: session.call(&retry.updating(&id, version)),
            keep: session.call(&retry.keeping()),
            supersede: relate("supersedes"),
            contradict: relate("contradicts"),
        };
        let hint = session.hint(if disagrees { DISAGREES_HINT } else { HINT });
        Ok(SimilarPages { outcome: "similar", similar, compared, next, hint })
    }

    fn nothing(session: &Session, compared: Compared) -> SimilarPages {
        let next = Next { extend: None, update: None, keep: None, supersede: None, contradict: None };
        SimilarPages { outcome: "similar", similar: Vec::new(), compared, next, hint: session.hint(HINT) }
    }
}

impl PageName {
    fn new(context: &VaultContext, page: PageRow) -> Result<PageName> {
        Ok(PageName { id: short_id(context, &page)?, slug: page.slug, title: page.title })
    }
}

impl Compared {
    fn new(session: &Session, found: &Comparison) -> Compared {
        let by = if found.model.is_some() { "meaning and terms" } else { "terms" };
        let note = found.note.as_ref().map(|note| session.note(note));
        Compared { by, model: found.model.clone(), note }
    }

    fn sentence(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(", {model}")).unwrap_or_default();
        let note = self.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
        format!("compared by {}{model}{note}", self.by)
    }
}

fn items(context: &VaultContext, similar: Vec<Similar>) -> Result<Vec<SimilarItem>> {
    let pages: Vec<PageRow> = similar.iter().map(|one| one.page.clone()).collect();
    let states = states(context, &pages)?;
    let item = |(one, state): (Similar, lore_engine::State)| -> Result<SimilarItem> {
        Ok(SimilarItem {
            summary: one.page.summary.clone(),
            status: (!is_live(&state.status)).then_some(state.status),
            successor: successor(context, &one.page)?,
            disagrees: one.disagreement.map(DisagreementItem::from),
            version: one.page.version,
            likeness: (one.score * 100.0).round() / 100.0,
            by: one.method.name(),
            page: PageName::new(context, one.page)?,
        })
    };
    similar.into_iter().zip(states).map(item).collect()
}

/// Returns the page that replaced a page, or that replaced the one that did, and so on.
fn successor(context: &VaultContext, page: &PageRow) -> Result<Option<PageName>> {
    let rings = supersession(context, page)?;
    let Some((slug, _)) = rings.last().and_then(|ring| ring.first()) else { return Ok(None) };
    PageName::new(context, context.page(slug)?).map(Some)
}

impl From<Disagreement> for DisagreementItem {
    fn from(disagreement: Disagreement) -> DisagreementItem {
        match disagreement {
            Disagreement::Negation { was, now } => DisagreementItem { kind: "negation", was, now },
            Disagreement::Value { was, now } => DisagreementItem { kind: "value", was, now },
        }
    }
}

impl Render for CaptureOutput {
    fn human(&self) -> String {
        match self {
            CaptureOutput::New(new) => new.human(),
            CaptureOutput::Changed(changed) => format!("{}: {}", changed.id, changed.written.human()),
            CaptureOutput::Similar(found) => found.human(),
        }
    }

    fn exit(&self) -> u8 {
        u8::from(matches!(self, CaptureOutput::Similar(_)))
    }
}

impl NewPage {
    fn human(&self) -> String {
        let written = self.written.human();
        let rest = written.split_once('\n').map_or("", |(_, rest)| rest);
        let mut text = format!("Captured as {} in '{}': {}\n", self.id, self.namespace, self.written.slug);
        if !self.linked.is_empty() {
            let link = |page: &PageName| format!("{} \"{}\" (related)", page.id, page.title);
            let links: Vec<String> = self.linked.iter().map(link).collect();
            text.push_str(&format!("Linked to: {}\n", links.join(", ")));
        }
        text + rest
    }
}

impl SimilarPages {
    fn human(&self) -> String {
        let (pages, verb) = (self.similar.len() as u64, if self.similar.len() == 1 { "is" } else { "are" });
        let head =
            format!("not written: {} {verb} similar ({})\n", count(pages, "page"), self.compared.sentence());
        let lines = self.similar.iter().map(|one| {
            let status = one.status.as_ref().map(|status| format!(" [{status}]")).unwrap_or_default();
            let PageName { id, slug, title } = &one.page;
            let mut line = format!("  {id}  {:.2} by {:<7}  {slug}  {title}{status}\n", one.likeness, one.by);
            if let Some(DisagreementItem { was, now, .. }) = &one.disagrees {
                line.push_str(&format!("      disagrees: {was:?} there, {now:?} here\n"));
            }
            if let Some(successor) = &one.successor {
                line.push_str(&format!(
                    "      replaced by {}  {}  {}\n",
                    successor.id, successor.slug, successor.title
                ));
            }
            line
        });
        let Next { extend, update, keep, supersede, contradict } = &self.next;
        let choices = [
            ("if it is outdated:", supersede),
            ("if both are claimed:", contradict),
            ("to append to it:", extend),
            ("to replace it:", update),
            ("to keep both:", keep),
        ];
        let choices =
            choices.into_iter().filter_map(|(aim, call)| Some(format!("{aim:<18} {}\n", call.as_ref()?)));
        head + &lines.chain(choices).collect::<String>()
    }
}
