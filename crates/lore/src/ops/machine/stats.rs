//! `stats`: counts.

use std::collections::BTreeMap;

use clap::Args;
use lore_engine::{VaultContext, states, touched};
use lore_memory::check::{CheckScope, check};
use lore_ports::{Filter, ImportFilter, LabelKind, Namespace, Order, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::{Operation, Render};

/// Count pages by type, status, namespace and age, links and more
///
/// The counts by status, namespace and age are those of one namespace with --namespace; all others are the vault's.
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

/// Counts the pages of a namespace, or all, by status, by namespace and by age.
fn groups(context: &VaultContext, namespace: Option<Namespace>) -> Result<Groups> {
    let filter = Filter { namespace, ..Filter::default() };
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
    let (policy, now) = (context.policy(), context.now());
    let mut statuses: BTreeMap<String, u64> = BTreeMap::new();
    let mut namespaces: BTreeMap<String, u64> = BTreeMap::new();
    let mut ages = [0; AGES.len()];
    for (page, state) in pages.iter().zip(states(context, &pages)?) {
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
        let counts = context.store().counts(context.project())?;
        let types = context.store().labels(context.project(), LabelKind::Type)?;
        let gaps = context.store().count_gaps(context.project())?;
        let [statuses, namespaces, ages] =
            groups(context, session.namespace_filter(context, self.namespace.as_deref()))?;
        let imports = context.store().imports(context.project(), &ImportFilter::All)?;
        let found = check(context, CheckScope::default(), &session.talk.progress("Checking"));
        session.talk.finish();
        let contradictions = found?.iter().filter(|finding| finding.settled.is_none()).count() as u64;
        Ok(StatsOutput {
            contradictions,
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
            imports: imports.iter().filter(|import| import.active).count() as u64,
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
