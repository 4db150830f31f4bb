//! `check`: finds contradictions in the vault.

use clap::{Args, ValueEnum};
use lore_engine::Code;
use lore_memory::check::{
    CheckScope, Contradiction, ContradictionKind, ContradictionLine, Group, SettleOutcome, check, settle,
};
use lore_ports::ResolvedFinding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{count, timestamp};
use crate::ops::{Operation, Render};

/// Find contradictions
///
/// Reports conflicting values of a fact, facts and prose that contradict an ended link, and truths that are older than
/// their timeline. No language model is used. The id of a finding is derived from its lines: once resolved, it stays
/// resolved until one of them changes. Exits with 0 even if there are findings; with --strict, with 4 if
/// any is open.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore check\n  lore check people/ada-lovelace\n  lore check --all --type temporal\n  lore check --resolve 3f9a\n  lore check --strict --json"
)]
pub struct Check {
    /// Only findings that involve this page
    #[arg(value_name = "REF", conflicts_with = "all")]
    #[serde(default)]
    reference: Option<String>,
    /// Check the whole vault (the default without REF)
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only findings of this type
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(default, rename = "type")]
    group: Option<Type>,
    /// Mark the finding with this id or id prefix as resolved
    #[arg(long, value_name = "ID", conflicts_with_all = ["reference", "all", "group", "include_resolved", "strict"])]
    #[serde(default)]
    resolve: Option<String>,
    /// Also list resolved findings
    #[arg(long)]
    #[serde(default)]
    include_resolved: bool,
    /// Exit with 4 if a finding is unresolved
    #[arg(long)]
    #[serde(default)]
    strict: bool,
}

/// Type of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Type {
    /// Something has ended, and something else says it has not
    Temporal,
    /// Two facts that cannot both be true
    CrossPage,
    /// A truth that is older than its timeline
    Stale,
}

impl Type {
    fn group(self) -> Group {
        match self {
            Type::Temporal => Group::Temporal,
            Type::CrossPage => Group::CrossPage,
            Type::Stale => Group::Stale,
        }
    }
}

/// Output of `check`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckOutput {
    /// Number of unresolved findings.
    unresolved: usize,
    /// Number of resolved findings that still apply.
    resolved: usize,
    findings: Vec<FindingItem>,
    #[serde(skip)]
    strict: bool,
    #[serde(skip)]
    settled_now: bool,
}

/// A contradiction.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingItem {
    /// Derived from the lines of the finding.
    id: String,
    #[serde(rename = "type")]
    group: Group,
    kind: ContradictionKind,
    /// Subject: the slug of a page, or a name without a page.
    subject: String,
    /// What is wrong.
    message: String,
    /// When it began, as far as the lines say.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The two contradicting lines.
    places: Vec<PlaceItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<ResolvedItem>,
}

/// A line of a finding.
#[derive(Debug, Serialize, JsonSchema)]
struct PlaceItem {
    slug: String,
    path: Line,
    line: u32,
    text: String,
}

/// When and by whom a finding was resolved.
#[derive(Debug, Serialize, JsonSchema)]
struct ResolvedItem {
    at: String,
    by: String,
}

impl From<Contradiction> for FindingItem {
    fn from(found: Contradiction) -> FindingItem {
        let place =
            |ContradictionLine { slug, path, line, text }| PlaceItem { slug, path: path.into(), line, text };
        let resolved = |ResolvedFinding { at, actor, .. }| ResolvedItem { at: timestamp(at), by: actor };
        FindingItem {
            id: found.id,
            group: found.kind.group(),
            kind: found.kind,
            subject: found.subject,
            message: found.message,
            since: found.since,
            places: found.places.into_iter().map(place).collect(),
            resolved: found.settled.map(resolved),
        }
    }
}

impl FindingItem {
    /// Returns the finding with its lines.
    pub fn human(&self) -> String {
        let mut text = format!("{}  {}: {}\n", self.id, self.kind.name().replace('_', " "), self.message);
        for place in &self.places {
            text.push_str(&format!("  {}:{}  {}\n", place.path, place.line, place.text));
        }
        if let Some(resolved) = &self.resolved {
            text.push_str(&format!("  resolved {} by {}\n", resolved.at, resolved.by));
        }
        text
    }
}

impl Operation for Check {
    const NAME: &'static str = "check";
    const WRITES: bool = true;
    type Output = CheckOutput;

    fn run(self, session: &Session) -> Result<CheckOutput> {
        let context = session.fresh()?;
        if let Some(id) = &self.resolve {
            let settled = settle(context, id, &session.talk.progress("Checking"));
            session.talk.finish();
            return match settled? {
                SettleOutcome::Done(finding) => Ok(CheckOutput {
                    unresolved: 0,
                    resolved: 1,
                    findings: vec![FindingItem::from(*finding)],
                    strict: false,
                    settled_now: true,
                }),
                SettleOutcome::Unknown => Err(unknown(id)),
                SettleOutcome::Several(ids) => Err(several(id, &ids)),
            };
        }
        let page = self.reference.as_deref().map(|reference| context.page(reference)).transpose()?;
        let scope = CheckScope { page: page.map(|page| page.number), group: self.group.map(Type::group) };
        let found = check(context, scope, &session.talk.progress("Checking"));
        session.talk.finish();
        let (mut found, visible) = (found?, session.visible(context)?);
        found.retain(|found| found.places.iter().any(|place| visible.has(&place.slug)));
        let resolved = found.iter().filter(|found| found.settled.is_some()).count();
        let unresolved = found.len() - resolved;
        found.retain(|found| self.include_resolved || found.settled.is_none());
        let findings = found.into_iter().map(FindingItem::from).collect();
        Ok(CheckOutput { unresolved, resolved, findings, strict: self.strict, settled_now: false })
    }
}

fn unknown(id: &str) -> AppError {
    AppError::new(
        Code::NotFound,
        format!("no finding with id {id:?}"),
        "run `lore check --include-resolved` to list them; editing a line changes the id of its finding",
    )
}

fn several(id: &str, ids: &[String]) -> AppError {
    let found = count(ids.len() as u64, "finding");
    let message = format!("{found} match the id {id:?}: {}", ids.join(", "));
    AppError::new(Code::Ambiguous, message, "use a longer id")
}

impl Render for CheckOutput {
    fn human(&self) -> String {
        let mut text = String::new();
        for found in &self.findings {
            text.push_str(&found.human());
            if !self.settled_now {
                text.push('\n');
            }
        }
        if !self.settled_now {
            let resolved =
                if self.resolved > 0 { format!(", {} resolved", self.resolved) } else { String::new() };
            text.push_str(&format!("{}{resolved}\n", count(self.unresolved as u64, "finding")));
        }
        text
    }

    fn brief(&self) -> String {
        let line = |found: &FindingItem| {
            let place = &found.places[0];
            format!("{} {} {}:{}\n", found.id, found.kind.name(), place.path, place.line)
        };
        self.findings.iter().map(line).collect()
    }

    fn exit(&self) -> u8 {
        if self.strict && self.unresolved > 0 { 4 } else { 0 }
    }
}
