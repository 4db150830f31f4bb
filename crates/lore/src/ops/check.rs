//! `check`: what the vault says that cannot all be true.

use clap::{Args, ValueEnum};
use lore_engine::check::{Finding, Group, Kind, Place, Scope, Settling, check, settle};
use lore_engine::{Code, Settled};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::{count, timestamp};
use super::{Operation, Render};
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Find what cannot all be true: two values of one fact, facts whose link has ended, prose that says so, stale truths
///
/// No language model is asked. A finding is known by an id made of the lines it is about: once resolved it stays
/// resolved until one of them changes. Exit 0 whether there are findings or not; with --strict, 4 while any is open.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore check\n  lore check people/ada-lovelace\n  lore check --all --type temporal\n  lore check --resolve 3f9a\n  lore check --strict --json"
)]
pub struct Check {
    /// Only what touches this page
    #[arg(value_name = "REF", conflicts_with = "all")]
    #[serde(default)]
    reference: Option<String>,
    /// The whole vault, as without REF
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Only findings of this type
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(default, rename = "type")]
    group: Option<Type>,
    /// Note that the finding of this id is settled; the beginning of an id is enough
    #[arg(long, value_name = "ID", conflicts_with_all = ["reference", "all", "group", "include_resolved", "strict"])]
    #[serde(default)]
    resolve: Option<String>,
    /// List those that are resolved too
    #[arg(long)]
    #[serde(default)]
    include_resolved: bool,
    /// Exit 4 when a finding is not resolved
    #[arg(long)]
    #[serde(default)]
    strict: bool,
}

/// A type of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
enum Type {
    /// Something is over, and something else says that it is not
    Temporal,
    /// Two facts that cannot both be true
    CrossPage,
    /// A truth that its timeline has left behind
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

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// How many findings are open.
    unresolved: usize,
    /// How many are resolved and still true of the pages.
    resolved: usize,
    findings: Vec<FindingItem>,
    #[serde(skip)]
    strict: bool,
    #[serde(skip)]
    settled_now: bool,
}

/// Something that cannot be right as it stands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingItem {
    /// Made of the lines it is about.
    id: String,
    #[serde(rename = "type")]
    group: Group,
    kind: Kind,
    /// What it is about: a page's slug, or a name that no page has.
    subject: String,
    /// What is wrong.
    message: String,
    /// Since when, as far as the lines say.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// The two lines.
    places: Vec<PlaceItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<ResolvedItem>,
}

/// A line that a finding is about.
#[derive(Debug, Serialize, JsonSchema)]
struct PlaceItem {
    slug: String,
    path: String,
    line: u32,
    text: String,
}

/// When and by whom a finding was resolved.
#[derive(Debug, Serialize, JsonSchema)]
struct ResolvedItem {
    at: String,
    by: String,
}

impl From<Finding> for FindingItem {
    fn from(found: Finding) -> FindingItem {
        let place = |Place { slug, path, line, text }| PlaceItem { slug, path, line, text };
        let resolved = |Settled { at, actor, .. }| ResolvedItem { at: timestamp(at), by: actor };
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
    /// The finding with its two lines.
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
    type Output = Found;

    fn run(self, session: &Session) -> Result<Found> {
        let memory = session.fresh()?;
        if let Some(id) = &self.resolve {
            let settled = settle(memory, id, &session.talk.progress("Checking"));
            session.talk.finish();
            return match settled? {
                Settling::Done(finding) => Ok(Found {
                    unresolved: 0,
                    resolved: 1,
                    findings: vec![FindingItem::from(*finding)],
                    strict: false,
                    settled_now: true,
                }),
                Settling::Unknown => Err(unknown(id)),
                Settling::Several(ids) => Err(several(id, &ids)),
            };
        }
        let page = self.reference.as_deref().map(|reference| memory.page(reference)).transpose()?;
        let scope = Scope { page: page.map(|page| page.number), group: self.group.map(Type::group) };
        let found = check(memory, scope, &session.talk.progress("Checking"));
        session.talk.finish();
        let mut found = found?;
        let resolved = found.iter().filter(|found| found.settled.is_some()).count();
        let unresolved = found.len() - resolved;
        found.retain(|found| self.include_resolved || found.settled.is_none());
        let findings = found.into_iter().map(FindingItem::from).collect();
        Ok(Found { unresolved, resolved, findings, strict: self.strict, settled_now: false })
    }
}

fn unknown(id: &str) -> Failure {
    Failure {
        code: Code::NotFound,
        message: format!("no finding has an id that begins with {id:?}"),
        hint: "`lore check --include-resolved` lists them; a line that changed gave its finding another id"
            .into(),
        current_version: None,
    }
}

fn several(id: &str, ids: &[String]) -> Failure {
    Failure {
        code: Code::Ambiguous,
        message: format!("{} begin with {id:?}: {}", count(ids.len() as u64, "finding"), ids.join(", ")),
        hint: "give more of the id".into(),
        current_version: None,
    }
}

impl Render for Found {
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
