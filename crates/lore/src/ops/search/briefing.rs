//! `briefing`: what needs attention now, and what changed.

use clap::Args;
use lore_engine::Temporal;
use lore_engine::lifecycle::{Stale, find_stale};
use lore_memory::FactQuery;
use lore_memory::check::{CheckScope, ContradictionLine, check};
use lore_ports::{Filter, GapFilter, Order, PageRow, Window};
use lore_text::{PartialDate, fold, since};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::as_of::day_of;
use crate::ops::knowledge::check::FindingItem;
use crate::ops::knowledge::facts::{FactItem, changed_between};
use crate::ops::knowledge::gaps::{GapItem, asked_in};
use crate::ops::views::{PageItem, count};
use crate::ops::{Operation, Render};

/// Types of pages with a due date.
const DUE_TYPES: [&str; 2] = ["commitment", "action_item"];

/// Statuses of pages that are no longer due.
const CLOSED: [&str; 6] = ["completed", "done", "dropped", "cancelled", "canceled", "closed"];

/// Number of days before its date from which a page is listed as due.
const SOON: i64 = 7;

/// Maximum number of items in each list.
const LIMIT: usize = 20;

/// List contradictions, due commitments, changes, stale pages and gaps
///
/// Commitments and action items with a `due` date are listed from seven days before it until they are completed, done or
/// dropped; overdue ones come first. Facts that began or ended in the timeframe show what shifted.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore briefing\n  lore briefing --since 7d --json")]
pub struct Briefing {
    /// How far back changes are listed: `7d`, `yesterday`, a date [default: 1 day]
    #[arg(long, value_name = "TIMEFRAME")]
    #[serde(default)]
    since: Option<String>,
}

/// Output of `briefing`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BriefingOutput {
    /// The day.
    date: String,
    /// Unresolved contradictions.
    conflicts: Vec<FindingItem>,
    /// Commitments and action items whose date has passed, oldest first.
    overdue: Vec<DueItem>,
    /// Commitments and action items due within seven days.
    due: Vec<DueItem>,
    /// Facts that began or ended.
    shifted: Vec<FactItem>,
    /// Pages that changed, newest first.
    changed: Vec<PageItem>,
    /// Stale pages.
    stale: Vec<StaleItem>,
    /// Open gaps, oldest first.
    gaps: Vec<GapItem>,
    /// What the lists leave out.
    left_out: Vec<String>,
}

/// A page with a due date.
#[derive(Debug, Serialize, JsonSchema)]
struct DueItem {
    slug: String,
    title: String,
    #[serde(rename = "type")]
    kind: String,
    due: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<String>,
}

/// A stale page.
#[derive(Debug, Serialize, JsonSchema)]
struct StaleItem {
    slug: String,
    title: String,
    reason: String,
}

impl DueItem {
    fn new(page: PageRow) -> Option<(PartialDate, DueItem)> {
        let due = page.properties.text("due")?.trim().parse::<PartialDate>().ok()?;
        let is_closed = page.status.as_deref().is_some_and(|status| CLOSED.contains(&fold(status).as_str()));
        let property =
            |key: &str| page.properties.text(key).map(str::to_owned).filter(|value| !value.trim().is_empty());
        let item = DueItem {
            due: due.to_string(),
            owner: property("owner"),
            priority: property("priority"),
            slug: page.slug,
            title: page.title,
            kind: page.kind,
            status: page.status,
        };
        (!is_closed).then_some((due, item))
    }

    fn line(&self) -> String {
        let owner = self.owner.as_ref().map(|owner| format!(", {owner}")).unwrap_or_default();
        let priority = self.priority.as_ref().filter(|priority| *priority != "normal");
        let priority = priority.map(|priority| format!(", {priority}")).unwrap_or_default();
        format!("{}  {}  {}{owner}{priority}", self.due, self.slug, self.title)
    }
}

impl Operation for Briefing {
    const NAME: &'static str = "briefing";
    type Output = BriefingOutput;

    fn run(self, session: &Session) -> Result<BriefingOutput> {
        let context = session.fresh()?;
        let timeframe = self.since.as_deref().unwrap_or("1 day");
        let (today, first) = (context.today(), day_of(timeframe, context)?);
        let found = check(context, CheckScope::default(), &session.talk.progress("Checking"));
        session.talk.finish();
        let mut found = found?;
        let visible = session.visible(context)?;
        let is_shown = |place: &ContradictionLine| visible.has(&place.slug);
        found.retain(|finding| finding.settled.is_none() && finding.places.iter().any(is_shown));
        let mut left_out = Vec::new();
        let (store, project) = (context.store(), context.project());
        let kinds = DUE_TYPES.map(str::to_owned).to_vec();
        let all = Window { limit: usize::MAX >> 1, offset: 0 };
        let pages = store.list(
            project,
            &Filter { kinds, namespace: session.namespace_filter(context, None)?, ..Filter::default() },
            Order::Title,
            all,
        )?;
        let mut dated: Vec<(PartialDate, DueItem)> = pages.into_iter().filter_map(DueItem::new).collect();
        dated.sort_by_key(|(due, item)| (due.last_day(), item.slug.clone()));
        let soon = context.now().date().saturating_add(jiff::Span::new().days(SOON)).to_string();
        dated.retain(|(due, _)| due.first_day() <= soon);
        let (overdue, due): (Vec<_>, Vec<_>) = dated.into_iter().partition(|(due, _)| due.last_day() < today);
        let items = |list: Vec<(PartialDate, DueItem)>| list.into_iter().map(|(_, item)| item).collect();
        let query =
            FactQuery { page: None, subject: None, predicate: None, temporal: Temporal::All, day: &today };
        let mut facts = lore_memory::facts(context, &query)?.facts;
        facts.retain(|fact| changed_between(fact, &first, &today) && visible.has(&fact.page));
        let namespace = session.namespace_filter(context, None)?;
        let filter = Filter {
            since: Some(since(timeframe, &context.now())?),
            namespace: namespace.clone(),
            ..Filter::default()
        };
        let changed = store.list(project, &filter, Order::Updated, Window { limit: LIMIT + 1, offset: 0 })?;
        let stale = find_stale(context, &Stale { namespace, limit: Some(LIMIT), ..Stale::default() })?;
        let asked_in = asked_in(session, context)?;
        let open = store.count_gaps(project, asked_in.as_deref())?.open;
        let mut cut = |length: usize, what: &str| {
            if length > LIMIT {
                left_out.push(format!("{} more", count((length - LIMIT) as u64, what)));
            }
        };
        cut(found.len(), "contradiction");
        cut(facts.len(), "fact");
        cut(changed.len(), "changed page");
        cut(open as usize, "gap");
        let gaps =
            store.gaps(project, &GapFilter { namespace: asked_in.as_deref(), ..GapFilter::OPEN }, LIMIT)?;
        Ok(BriefingOutput {
            conflicts: found.into_iter().take(LIMIT).map(FindingItem::from).collect(),
            overdue: items(overdue),
            due: items(due),
            shifted: facts.into_iter().take(LIMIT).map(FactItem::from).collect(),
            changed: changed.into_iter().take(LIMIT).map(PageItem::from).collect(),
            stale: stale
                .into_iter()
                .map(|(page, state)| StaleItem { reason: state.reason(), slug: page.slug, title: page.title })
                .collect(),
            gaps: gaps.into_iter().map(|gap| GapItem::new(context, gap)).collect::<Result<_>>()?,
            date: today,
            left_out,
        })
    }
}

impl Render for BriefingOutput {
    fn human(&self) -> String {
        let mut text = format!("Briefing of {}\n", self.date);
        let mut section = |title: &str, items: Vec<String>| {
            if !items.is_empty() {
                text.push_str(&format!("\n{title}\n"));
                text.extend(items.iter().flat_map(|item| item.lines()).map(|line| format!("  {line}\n")));
            }
        };
        section("Contradictions", self.conflicts.iter().map(FindingItem::human).collect());
        section("Overdue", self.overdue.iter().map(DueItem::line).collect());
        section("Due within 7 days", self.due.iter().map(DueItem::line).collect());
        section("Facts that began or ended", self.shifted.iter().map(FactItem::sentence).collect());
        let page = |page: &PageItem| format!("{}  {}", page.slug, page.title);
        section("Changed pages", self.changed.iter().map(page).collect());
        let stale = |one: &StaleItem| format!("{}  {}: {}", one.slug, one.title, one.reason);
        section("Stale pages", self.stale.iter().map(stale).collect());
        section("Open gaps", self.gaps.iter().map(GapItem::human).collect());
        section("Left out", self.left_out.clone());
        text
    }
}
