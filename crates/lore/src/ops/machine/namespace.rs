//! `ns create|list`: namespaces of a vault.

use clap::Args;
use lore_engine::{NamespaceInfo, NamespacePolicy, Outcome, create_namespace, namespaces};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{Done, count, lines};
use crate::ops::{Operation, Render};

/// Create a namespace: a group of pages with its own folder
///
/// It is declared in the vault's lore.toml. `--namespace` selects its pages in `capture`, `search`, `query`, `context`,
/// `list`, `stale`, `compact` and `stats`; `lore map` makes it the default of a directory. A page belongs to it if it is
/// in its folder, or has its name as `namespace`, project, tag or wing.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore ns create clients\n  lore ns create ep-advisory --title 'EP Advisory' --stale-after-days 90"
)]
pub struct Create {
    /// Name: lowercase letters, digits and hyphens
    name: String,
    /// Display name
    #[arg(long)]
    #[serde(default)]
    title: Option<String>,
    /// Description of what belongs in it
    #[arg(long, value_name = "TEXT")]
    #[serde(default)]
    description: Option<String>,
    /// Folder for its pages [default: its name]
    #[arg(long)]
    #[serde(default)]
    folder: Option<String>,
    /// Days after which its pages become stale [default: the vault's]
    #[arg(long, value_name = "DAYS")]
    #[serde(default)]
    stale_after_days: Option<u32>,
    /// Days after which pages without inbound links become stale
    #[arg(long, value_name = "DAYS")]
    #[serde(default)]
    orphan_after_days: Option<u32>,
}

/// List the namespaces of the vault
///
/// Those that are declared in lore.toml, and those that pages are in by their folder or their properties.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore ns list\n  lore ns list --json")]
pub struct List {}

/// Output of `ns list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Namespaces {
    namespaces: Vec<NamespaceItem>,
    /// How to create one.
    #[serde(skip)]
    hint: String,
}

/// A namespace.
#[derive(Debug, Serialize, JsonSchema)]
struct NamespaceItem {
    slug: Line,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    folder: Line,
    pages: usize,
    /// Its own threshold; without one, the vault's applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_after_days: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orphan_after_days: Option<u32>,
}

impl Operation for Create {
    const NAME: &'static str = "ns create";
    // It changes the policy, which decides what everybody may do.
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let context = session.fresh()?;
        let settings = NamespacePolicy {
            name: self.title,
            description: self.description,
            folder: self.folder,
            age: None,
            stale_after_days: self.stale_after_days,
            orphan_after_days: self.orphan_after_days,
        };
        let receipt = create_namespace(context, &self.name, &settings)?;
        let is_new = receipt.files.iter().any(|file| file.outcome != Outcome::Unchanged);
        let name = &self.name;
        Ok(Done::new(match is_new {
            true => format!("created namespace {name} in {}", context.name()),
            false => format!("namespace {name} exists already"),
        }))
    }
}

impl Operation for List {
    const NAME: &'static str = "ns list";
    type Output = Namespaces;

    fn run(self, session: &Session) -> Result<Namespaces> {
        let item = |info: NamespaceInfo| NamespaceItem {
            slug: info.slug.into(),
            name: info.settings.name,
            description: info.settings.description,
            folder: info.folder.into(),
            pages: info.pages,
            stale_after_days: info.settings.stale_after_days,
            orphan_after_days: info.settings.orphan_after_days,
        };
        let namespaces = namespaces(session.fresh()?)?.into_iter().map(item).collect();
        Ok(Namespaces { namespaces, hint: session.hint("create one with `lore ns create NAME`") })
    }
}

impl Render for Namespaces {
    fn human(&self) -> String {
        if self.namespaces.is_empty() {
            return format!("no namespaces; {}\n", self.hint);
        }
        let width = self.namespaces.iter().map(|one| one.slug.chars().count()).max().unwrap_or(0);
        lines(self.namespaces.iter().map(|one| {
            let about = [&one.name, &one.description].into_iter().flatten().cloned().collect::<Vec<_>>();
            let stale = one.stale_after_days.map(|days| format!("stale after {days} days"));
            let words = [vec![count(one.pages as u64, "page")], about, stale.into_iter().collect()].concat();
            format!("{:<width$}  {}", one.slug, words.join("; "))
        }))
    }

    fn brief(&self) -> String {
        lines(self.namespaces.iter().map(|one| one.slug.to_string()))
    }

    fn exit(&self) -> u8 {
        u8::from(self.namespaces.is_empty())
    }
}
