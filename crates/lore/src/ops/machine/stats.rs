//! `stats`: counts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use lore_engine::{VaultContext, states, touched};
use lore_memory::check::{CheckScope, check};
use lore_ports::{
    Counts, Filter, ImportFilter, LabelKind, LinkFilter, Order, PageNo, PageRow, StatementFilter,
    StatementKind, Window,
};
use lore_text::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::{Operation, Render};

/// Count pages by type, status, namespace and age, links and more
///
/// With --namespace, only its pages are counted; gaps, chunks and the database size are those of the vault.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore stats\n  lore stats --namespace clients --json")]
pub struct Stats {
    /// Only pages of this namespace; `all` for every page
    #[arg(long, value_name = "NAME")]
    #[serde(default)]
    namespace: Option<String>,
}

/// Output of `stats`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StatsOutput {
    pages: u64,
    /// Pages by type.
    types: Vec<TypeCount>,
    /// Pages by status: active, stale, superseded and so on.
    statuses: Vec<GroupCount>,
    /// Pages by namespace; those of none are not listed.
    namespaces: Vec<GroupCount>,
    /// Pages by days since the last change or review.
    ages: Vec<GroupCount>,
    links: u64,
    /// Links whose target does not exist yet.
    pending_links: u64,
    tags: u64,
    observations: u64,
    facts: u64,
    timeline_entries: u64,
    /// Chunks, embedded or pending.
    chunks: u64,
    /// Unresolved contradictions, as `lore check` finds them.
    contradictions: u64,
    /// Unanswered questions.
    open_gaps: u64,
    /// Questions answered by a page since.
    resolved_gaps: u64,
    /// Active embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Imported sources.
    imports: u64,
    /// Pages with parse warnings.
    pages_with_diagnostics: u64,
    /// Size of the database in bytes, all projects included.
    database_bytes: u64,
}

/// Number of pages of a type.
#[derive(Debug, Serialize, JsonSchema)]
struct TypeCount {
    #[serde(rename = "type")]
    kind: String,
    pages: u64,
}

/// Number of pages of a group.
#[derive(Debug, Serialize, JsonSchema)]
struct GroupCount {
    name: String,
    pages: u64,
}

/// Upper limits of the age groups, in days.
const AGES: [(i64, &str); 5] = [
    (7, "up to 7 days"),
    (30, "up to 30 days"),
    (60, "up to 60 days"),
    (180, "up to 180 days"),
    (i64::MAX, "older"),
];

/// Pages by status, by namespace and by age.
type Groups = [Vec<GroupCount>; 3];

/// Counts what the pages of a namespace have.
fn counts_of(context: &VaultContext, pages: &[PageRow]) -> Result<(Counts, Vec<(String, u64)>)> {
    let (store, project) = (context.store(), context.project());
    let whole = store.counts(project)?;
    let numbers: Vec<PageNo> = pages.iter().map(|page| page.number).collect();
    let links = store.links(project, &LinkFilter::From(&numbers))?;
    let filter = StatementFilter { pages: Some(&numbers), ..StatementFilter::default() };
    let statements = store.statements(project, &filter)?;
    let of = |kind: StatementKind| statements.iter().filter(|row| row.statement.kind == kind).count() as u64;
    let mut types: BTreeMap<String, u64> = BTreeMap::new();
    pages.iter().for_each(|page| *types.entry(page.kind.clone()).or_default() += 1);
    let mut types: Vec<(String, u64)> = types.into_iter().collect();
    types.sort_by_key(|(_, pages)| Reverse(*pages));
    let tags: BTreeSet<String> = pages.iter().flat_map(|page| &page.tags).map(|tag| fold(tag)).collect();
    let resolved = links.iter().filter(|link| link.to.is_some()).count() as u64;
    let counts = Counts {
        pages: pages.len() as u64,
        links: resolved,
        pending: links.len() as u64 - resolved,
        observations: of(StatementKind::Observation),
        facts: of(StatementKind::Fact),
        entries: of(StatementKind::Entry),
        tags: tags.len() as u64,
        diagnosed: pages.iter().filter(|page| !page.diagnostics.is_empty()).count() as u64,
        bytes: whole.bytes,
    };
    Ok((counts, types))
}

/// Counts pages by status, by namespace and by age.
fn groups(context: &VaultContext, pages: &[PageRow]) -> Result<Groups> {
    let (policy, now) = (context.policy(), context.now());
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    let mut namespaces: BTreeMap<String, u64> = BTreeMap::new();
    let mut ages = [0; AGES.len()];
    for (page, state) in pages.iter().zip(states(context, pages)?) {
        *statuses.entry(state.status).or_default() += 1;
        if let Some(name) = policy.namespace_of(page) {
            *namespaces.entry(name.to_owned()).or_default() += 1;
        }
        let days = touched(page, now.time_zone()).until(now.date()).map_or(0, |span| span.get_days());
        let group = AGES.iter().position(|(limit, _)| i64::from(days) <= *limit).unwrap_or(AGES.len() - 1);
        ages[group] += 1;
    }
    let counts = |groups: BTreeMap<String, u64>| -> Vec<GroupCount> {
        groups.into_iter().map(|(name, pages)| GroupCount { name, pages }).collect()
    };
    let ages = AGES.iter().zip(ages).map(|((_, name), pages)| GroupCount { name: (*name).to_owned(), pages });
    Ok([counts(statuses), counts(namespaces), ages.filter(|age| age.pages > 0).collect()])
}

impl Operation for Stats {
    const NAME: &'static str = "stats";
    type Output = StatsOutput;

    fn run(self, session: &Session) -> Result<StatsOutput> {
        let context = session.fresh()?;
        let namespace = session.namespace_filter(context, self.namespace.as_deref())?;
        let filter = Filter { namespace, ..Filter::default() };
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
        let (counts, types) = match &filter.namespace {
            Some(_) => counts_of(context, &pages)?,
            None => {
                let types = context.store().labels(context.project(), LabelKind::Type)?;
                (context.store().counts(context.project())?, types)
            }
        };
        let gaps = context.store().count_gaps(context.project(), None)?;
        let [statuses, namespaces, ages] = groups(context, &pages)?;
        let is_shown = |path: &str| filter.namespace.is_none() || pages.iter().any(|page| page.path == path);
        let mut imports = context.store().imports(context.project(), &ImportFilter::All)?;
        imports.retain(|import| import.active && is_shown(&import.page));
        let found = check(context, CheckScope::default(), &session.talk.progress("Checking"));
        session.talk.finish();
        let mut found = found?;
        found.retain(|one| one.settled.is_none() && one.places.iter().any(|place| is_shown(&place.path)));
        Ok(StatsOutput {
            contradictions: found.len() as u64,
            model: context.active_model()?.map(|model| model.identity.name),
            pages: counts.pages,
            types: types.into_iter().map(|(kind, pages)| TypeCount { kind, pages }).collect(),
            statuses,
            namespaces,
            ages,
            links: counts.links,
            pending_links: counts.pending,
            tags: counts.tags,
            observations: counts.observations,
            facts: counts.facts,
            timeline_entries: counts.entries,
            chunks: context.store().count_chunks(context.project())?,
            open_gaps: gaps.open,
            resolved_gaps: gaps.resolved,
            imports: imports.len() as u64,
            pages_with_diagnostics: counts.diagnosed,
            database_bytes: counts.bytes,
        })
    }
}

impl Render for StatsOutput {
    fn human(&self) -> String {
        let mut text = format!("pages             {}\n", self.pages);
        text.extend(self.types.iter().map(|kind| format!("  {:<14}  {}\n", kind.kind, kind.pages)));
        for (title, groups) in
            [("by status", &self.statuses), ("by namespace", &self.namespaces), ("by age", &self.ages)]
        {
            if !groups.is_empty() {
                text.push_str(&format!("{title}\n"));
                text.extend(groups.iter().map(|group| format!("  {:<14}  {}\n", group.name, group.pages)));
            }
        }
        for (name, number) in [
            ("links", self.links),
            ("pending links", self.pending_links),
            ("tags", self.tags),
            ("observations", self.observations),
            ("facts", self.facts),
            ("timeline entries", self.timeline_entries),
            ("chunks", self.chunks),
            ("contradictions", self.contradictions),
            ("open gaps", self.open_gaps),
            ("resolved gaps", self.resolved_gaps),
            ("imports", self.imports),
            ("parse warnings", self.pages_with_diagnostics),
        ] {
            text.push_str(&format!("{name:<16}  {number}\n"));
        }
        text.extend(self.model.iter().map(|model| format!("model             {model}\n")));
        text.push_str(&format!("database          {:.1} MB\n", self.database_bytes as f64 / 1e6));
        text
    }
}
