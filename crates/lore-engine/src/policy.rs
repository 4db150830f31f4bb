//! The policy in `lore.toml`: everything a vault may configure, as data, with errors that name the line.

mod capture;
mod check;
mod classify;
mod facts;
mod finding;
mod intake;
mod levels;
mod lifecycle;
mod namespaces;
mod parts;
mod paths;
mod pattern;
mod profile;
mod routine;
mod rule;
mod schema;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

pub use capture::Capture;
pub use check::CheckPolicy;
pub use classify::PathClass;
pub use facts::{Facts, plain_predicate};
pub use finding::Finding;
pub use intake::{Gaps, Ingest};
pub use levels::{Gate, Level, Lint, LintPolicy};
pub use lifecycle::{Ageing, Lifecycle};
pub use namespaces::{NamespacePolicy, is_namespace_name, namespace_table};
pub use parts::{
    Compact, Curate, Dirty, Generated, GitPolicy, Inject, Limits, Make, Query, QueryMode, Raw, Rebuild,
    RollUp, Rotate, Secrets,
};
pub(crate) use paths::is_type_name;
pub use pattern::Pattern;
pub use profile::{Profile, fill};
pub use routine::{CustomRoutines, Destination, Mirror, Routine, Table};
pub use rule::{OnEdited, Owner, Rule, Since, Verb, verbs};
pub use schema::{Schema, ValueFormat};

use lore_text::{on_one_line, secrets, stable_number};
use lore_vault::{Vault, folder, is_page_path, without_extension};

use crate::error::{Error, Result};

/// Name of the policy file at the vault's root.
pub const POLICY_FILE: &str = "lore.toml";

/// Type of a page that declares none and matches no rule.
pub const DEFAULT_TYPE: &str = "note";

/// What is allowed on a path that no rule matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum Unmatched {
    /// Everything.
    #[default]
    #[serde(rename = "allow")]
    Allow,
    /// Nothing.
    #[serde(rename = "read-only")]
    ReadOnly,
}

/// A format of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageFormat {
    /// Markdown.
    Markdown,
    /// Org.
    Org,
}

impl PageFormat {
    /// Returns its name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            PageFormat::Markdown => "markdown",
            PageFormat::Org => "org",
        }
    }

    /// Returns the extension of its files.
    pub fn extension(self) -> &'static str {
        lore_page::Format::from(self).extension()
    }
}

impl From<PageFormat> for lore_page::Format {
    fn from(format: PageFormat) -> lore_page::Format {
        match format {
            PageFormat::Markdown => lore_page::Format::Markdown,
            PageFormat::Org => lore_page::Format::Org,
        }
    }
}

/// What a vault allows and requires.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Identifies the vault in a database, whichever directory or machine it is checked out on.
    pub id: Option<String>,
    /// The name the vault is registered under by default.
    pub name: Option<String>,
    /// The profile it was created with.
    pub profile: Profile,
    /// The format of new pages and generated files; without it, that of the pages in their folder.
    pub format: Option<PageFormat>,
    /// Files to exclude from the index.
    pub exclude: Vec<Pattern>,
    /// What is allowed where no rule matches.
    pub unmatched: Unmatched,
    /// The type of the pages in a directory.
    pub types: BTreeMap<String, String>,
    /// Limits.
    pub limits: Limits,
    /// What may be written where; the first matching rule applies.
    #[serde(rename = "rule")]
    pub rules: Vec<Rule>,
    /// Requirements on pages, by name.
    #[serde(rename = "schema")]
    pub schemas: BTreeMap<String, Schema>,
    /// Files that Lore writes.
    pub generated: Vec<Generated>,
    /// When they are made again besides after a write.
    pub rebuild: Rebuild,
    /// Files that are injected into every agent's context.
    pub inject: Vec<Inject>,
    /// Old paths and their new ones.
    pub aliases: BTreeMap<String, String>,
    /// Credential detection.
    pub secrets: Secrets,
    /// How strict lint is.
    pub lint: LintPolicy,
    /// How git is used.
    pub git: GitPolicy,
    /// The daily page.
    pub rotate: Option<Rotate>,
    /// Logs with a limited number of sections.
    pub rollup: Vec<RollUp>,
    /// Captures of external sources.
    pub raw: Option<Raw>,
    /// When a review of the pages is due.
    pub curate: Curate,
    /// Settings of `lore capture`.
    pub capture: Capture,
    /// Which facts have one value at a time.
    pub facts: Facts,
    /// When pages become stale.
    pub lifecycle: Lifecycle,
    /// What happens to unanswered questions.
    pub gaps: Gaps,
    /// Settings of `lore ingest`.
    pub ingest: Ingest,
    /// Settings of `lore check`.
    pub check: CheckPolicy,
    /// Settings of `lore compact`.
    pub compact: Compact,
    /// Settings of `lore query`.
    pub query: Query,
    /// Namespaces, by name.
    pub namespaces: BTreeMap<String, NamespacePolicy>,
    /// Tables on pages that are read as data.
    #[serde(rename = "table")]
    pub tables: BTreeMap<String, Table>,
    /// What an agent does at regular times.
    #[serde(rename = "routine")]
    pub routines: Vec<Routine>,
    /// Routines that a person adds.
    pub custom_routines: Option<CustomRoutines>,
    /// Where the content of inbox files could go.
    #[serde(rename = "destination")]
    pub destinations: Vec<Destination>,
    /// Pages that can be copied to another directory.
    #[serde(rename = "mirror")]
    pub mirrors: BTreeMap<String, Mirror>,
}

impl Policy {
    /// Loads the policy of the vault at `root`; a vault without `lore.toml` has the default one.
    pub fn load(root: &Path) -> Result<Policy> {
        Policy::from_text(root, Policy::text(&Vault::open(root)?)?.as_deref())
    }

    /// The text of a vault's policy file, where it has one.
    pub(crate) fn text(vault: &Vault) -> Result<Option<String>> {
        let path = || vault.root().join(POLICY_FILE);
        vault.read_text(POLICY_FILE).map_err(|error| match error {
            lore_vault::Error::BadPath { reason, .. } => {
                Error::Policy { path: path(), line: None, message: format!("cannot be read: {reason}") }
            }
            error => error.into(),
        })
    }

    /// Parses the text of a vault's policy file; without one, the default policy applies.
    pub(crate) fn from_text(root: &Path, text: Option<&str>) -> Result<Policy> {
        let failed = |(line, message)| Error::Policy { path: root.join(POLICY_FILE), line, message };
        text.map_or_else(|| Ok(Policy::default()), |text| Policy::parse(text).map_err(failed))
    }

    /// Parses a policy; an error is its line and a message.
    pub fn parse(text: &str) -> std::result::Result<Policy, (Option<usize>, String)> {
        let policy: Policy = toml::from_str(text).map_err(|error| {
            (error.span().map(|span| line_of(text, span.start)), on_one_line(error.message()))
        })?;
        policy.check().map_err(|(at, message)| (at.map(|at| line_of(text, at)), message))?;
        Ok(policy)
    }

    /// Checks what involves several settings; an error is a byte offset and a message.
    fn check(&self) -> std::result::Result<(), (Option<usize>, String)> {
        for named in self.rules.iter().filter_map(|rule| rule.schema.as_ref()) {
            if !self.schemas.contains_key(named.get_ref()) {
                let known: Vec<&str> = self.schemas.keys().map(String::as_str).collect();
                let message =
                    format!("unknown schema {:?}; known schemas: {}", named.get_ref(), known.join(", "));
                return Err((Some(named.span().start), message));
            }
        }
        let allowed = self.secrets.allow.iter().map(|line| &line.rule);
        for named in self.secrets.off.iter().chain(allowed) {
            if !secrets::rules().any(|rule| rule.name == named.get_ref()) {
                let message = format!(
                    "unknown secret rule {:?}; a lint finding shows the name of its rule",
                    named.get_ref()
                );
                return Err((Some(named.span().start), message));
            }
        }
        self.check_paths().map_err(|message| (None, message))?;
        self.capture.check().map_err(|message| (None, message))?;
        self.compact.check().map_err(|message| (None, message))?;
        self.check_namespaces().map_err(|message| (None, message))?;
        self.rebuild.check().map_err(|message| (None, message))?;
        let Some(rotate) = &self.rotate else { return Ok(()) };
        if let Some(zone) = &rotate.time_zone
            && jiff::tz::TimeZone::get(zone.get_ref()).is_err()
        {
            let message = format!("unknown time zone {:?}", zone.get_ref());
            return Err((Some(zone.span().start), message));
        }
        match rotate.day_begins.get_ref() {
            0..24 => Ok(()),
            hour => {
                let message = format!("{hour} is not an hour from 0 to 23");
                Err((Some(rotate.day_begins.span().start), message))
            }
        }
    }

    /// Returns the default type of a page: that of its own path, else of the nearest directory that has one.
    pub fn type_of(&self, path: &str) -> &str {
        if let Some(kind) = self.types.get(without_extension(path)) {
            return kind;
        }
        let mut at = folder(path);
        while !at.is_empty() {
            if let Some(kind) = self.types.get(at) {
                return kind;
            }
            at = folder(at);
        }
        DEFAULT_TYPE
    }

    /// Whether a page's file is indexed.
    pub fn indexes(&self, path: &str) -> bool {
        !self.exclude.iter().any(|pattern| pattern.matches(path))
    }

    /// Whether Lore generates the whole file at a path: a catalogue or one of its parts.
    pub fn is_generated(&self, path: &str) -> bool {
        let is_part = |stem: &str| {
            without_extension(path)
                .strip_prefix(stem)
                .is_some_and(|rest| rest.is_empty() || (rest.starts_with('-') && !rest.contains('/')))
        };
        let catalogues = self.generated.iter().filter(|generated| generated.make == Make::Catalogue);
        is_page_path(path) && catalogues.map(|generated| generated.path.as_str()).any(is_part)
    }

    /// Returns a hash of the settings that decide how pages are indexed.
    pub fn index_mark(&self) -> String {
        let limit = self.limits.page_bytes.to_string();
        let types = self.types.iter().flat_map(|(folder, kind)| [folder.as_str(), kind]);
        let left_out = self.exclude.iter().map(Pattern::as_str);
        format!("{:x}", stable_number(&types.chain(left_out).chain([limit.as_str()]).collect::<Vec<_>>()))
    }

    /// Returns the rule that matches a path.
    pub fn rule(&self, path: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.matches(path))
    }

    /// Returns the schema of a path.
    pub fn schema(&self, path: &str) -> Option<&Schema> {
        self.rule(path).and_then(Rule::schema).and_then(|name| self.schemas.get(name))
    }

    /// Returns what is allowed on a path.
    pub fn allowed(&self, path: &str) -> Vec<Verb> {
        match (self.rule(path), self.unmatched) {
            (Some(rule), _) => rule.allow.clone(),
            (None, Unmatched::Allow) => Verb::ALL.to_vec(),
            (None, Unmatched::ReadOnly) => Vec::new(),
        }
    }

    /// Checks that one of these verbs is allowed on a path; an error names the first.
    pub fn allow(&self, path: &str, any_of: &[Verb]) -> Result<()> {
        let allowed = self.allowed(path);
        if any_of.iter().any(|verb| allowed.contains(verb)) {
            return Ok(());
        }
        let rule = match self.rule(path) {
            Some(rule) => format!("rule {:?} allows {}", rule.name(), verbs(&allowed)),
            None => "no rule matches it, so it is read-only".into(),
        };
        let verb = any_of.first().map_or("a change", |verb| verb.name());
        Err(Error::Denied { path: path.to_owned(), verb, rule })
    }

    /// Returns the new name of an old path; `None` if it is not an old path.
    pub fn alias(&self, path: &str) -> Option<String> {
        let stem = without_extension(path);
        let extension = &path[stem.len()..];
        if let Some(now) = self.aliases.get(stem) {
            return Some(format!("{now}{extension}"));
        }
        let named = self.aliases.iter().filter(|(old, _)| old.contains('{'));
        let mut named = named.filter_map(|(old, now)| {
            let pattern = Pattern::new(old).ok()?;
            let placeholders = pattern.placeholders(stem)?;
            let fill = |now: String, (name, value): &(&str, &str)| now.replace(&format!("{{{name}}}"), value);
            Some(placeholders.iter().fold(now.clone(), fill))
        });
        if let Some(now) = named.next() {
            return Some(format!("{now}{extension}"));
        }
        let folders = self.aliases.iter().filter_map(|(old, now)| Some((old.strip_suffix('*')?, now)));
        let (old, now) = folders.filter(|(old, _)| stem.starts_with(old)).max_by_key(|(old, _)| old.len())?;
        Some(format!("{}{}{extension}", now.strip_suffix('*').unwrap_or(now), &stem[old.len()..]))
    }
}

/// Returns the line number of a byte offset, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
