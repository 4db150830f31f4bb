//! `lint`: validity of pages.

use std::collections::BTreeSet;

use clap::Args;
use lore_engine::{Finding, Level, Lint as Rule, VaultContext, lint};
use lore_memory::{FixRequest, MissingLink, fix, missing_links};
use lore_ports::{Filter, Order, Window};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::Result;
use crate::app::hints::finding_hint;
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::{count, lines};
use crate::ops::{Operation, Render};

/// Check that pages are valid
///
/// Checks structure, ids, properties, sections, links, secrets and generated files. Exits with 4 if there is an error;
/// lore.toml sets the level of each rule. --links also reports mentions of other pages that are not links (the rule
/// `link-missing`, which is off unless the policy enables it): the first mention on a page, in whole words, of exactly
/// one current page. `--fix` turns them into links and changes no other byte; timelines and ingested sources are
/// evidence and are left unchanged.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore lint\n  lore lint people/ada --json\n  lore lint --namespace clients\n  lore lint --fix\n  lore lint --fix --links --dry-run"
)]
pub struct Lint {
    /// Pages to check [default: all pages, raw captures and generated files]
    #[arg(value_name = "REF")]
    #[serde(default)]
    references: Vec<String>,
    /// Only pages of this namespace; `all` for every page
    #[arg(long, value_name = "NAME", conflicts_with = "references")]
    #[serde(default)]
    namespace: Option<String>,
    /// Fix what is safe: defaults, wrong case, generated files
    #[arg(long)]
    #[serde(default)]
    fix: bool,
    /// Report unlinked mentions of pages; with --fix, link them
    #[arg(long)]
    #[serde(default)]
    links: bool,
    /// With --fix, only show what would be fixed
    #[arg(long, requires = "fix")]
    #[serde(default)]
    dry_run: bool,
}

/// Output of `lint`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Linted {
    /// Number of errors.
    errors: usize,
    /// Number of warnings.
    warnings: usize,
    /// Files that were fixed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixed: Vec<String>,
    /// Mentions that were linked, or with --dry-run would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked: Vec<MissingLinkItem>,
    /// Whether --fix ran without changing anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    findings: Vec<LintFindingItem>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// An unlinked mention of a page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingLinkItem {
    /// Page with the mention.
    pub path: Line,
    pub line: u32,
    /// The words of the mention.
    pub words: String,
    /// Slug of the mentioned page.
    pub to: String,
    /// Title of the mentioned page.
    pub title: String,
}

impl From<MissingLink> for MissingLinkItem {
    fn from(missing: MissingLink) -> MissingLinkItem {
        let MissingLink { path, line, words, to, title, .. } = missing;
        MissingLinkItem { path: path.into(), line, words, to, title }
    }
}

impl MissingLinkItem {
    /// Returns the item as one line.
    pub fn line(&self) -> String {
        format!("{}:{}  {:?} mentions {}", self.path, self.line, self.words, self.to)
    }
}

/// A rule violation.
#[derive(Debug, Serialize, JsonSchema)]
struct LintFindingItem {
    level: Level,
    rule: &'static str,
    path: Line,
    line: Option<u32>,
    message: String,
    /// Whether `--fix` fixes it.
    fixable: bool,
}

impl LintFindingItem {
    fn new(session: &Session, found: Finding) -> LintFindingItem {
        let hint = finding_hint(found.lint).map(|hint| format!("; {}", session.hint(hint)));
        LintFindingItem {
            level: found.level,
            rule: found.lint.name(),
            path: found.path.into(),
            line: found.line,
            message: found.message + &hint.unwrap_or_default(),
            fixable: found.fixable,
        }
    }
}

impl Lint {
    /// Returns the paths of the pages to check; `None` for the whole vault.
    fn only(&self, session: &Session, context: &VaultContext) -> Result<Option<BTreeSet<String>>> {
        let mut only = BTreeSet::new();
        for reference in &self.references {
            let page = match self.fix {
                true => context.page_to_write(reference)?,
                false => context.page(reference)?,
            };
            only.insert(page.path);
        }
        let namespace = session.namespace_filter(context, self.namespace.as_deref())?;
        if !only.is_empty() || namespace.is_none() {
            return Ok((!only.is_empty()).then_some(only));
        }
        let filter = Filter { namespace, ..Filter::default() };
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
        Ok(Some(pages.into_iter().map(|page| page.path).collect()))
    }
}

impl Operation for Lint {
    const NAME: &'static str = "lint";
    const WRITES: bool = true;
    type Output = Linted;

    fn run(self, session: &Session) -> Result<Linted> {
        let context = session.fresh()?;
        let only = self.only(session, context)?;
        let only = only.as_ref();
        let request = FixRequest { only, links: self.links };
        let mut linted = match (self.fix, self.dry_run) {
            (true, false) => {
                let fixed = fix(context, &request)?;
                Linted {
                    fixed: fixed.paths,
                    ..Linted::new(session, fixed.linked, fixed.remaining, fixed.warnings)
                }
            }
            _ => {
                let found = lint(context, only)?;
                let includes_mentions = found.iter().any(|found| found.lint == Rule::LinkMissing);
                let missing =
                    if self.links || includes_mentions { missing_links(context, only)? } else { Vec::new() };
                let mut linted = Linted::new(session, missing, found, Vec::new());
                if !self.fix {
                    // Without --fix, an unlinked mention is a finding like any other.
                    let missing = std::mem::take(&mut linted.linked);
                    linted.findings.extend(
                        missing.into_iter().filter(|_| !includes_mentions).map(LintFindingItem::from),
                    );
                }
                linted
            }
        };
        linted.dry_run = self.dry_run;
        linted.errors = linted.findings.iter().filter(|found| found.level == Level::Error).count();
        linted.warnings = linted.findings.len() - linted.errors;
        Ok(linted)
    }
}

impl Linted {
    fn new(session: &Session, linked: Vec<MissingLink>, found: Vec<Finding>, notes: Vec<String>) -> Linted {
        Linted {
            errors: 0,
            warnings: 0,
            fixed: Vec::new(),
            linked: linked.into_iter().map(MissingLinkItem::from).collect(),
            dry_run: false,
            findings: found.into_iter().map(|one| LintFindingItem::new(session, one)).collect(),
            notes,
        }
    }
}

impl From<MissingLinkItem> for LintFindingItem {
    fn from(missing: MissingLinkItem) -> LintFindingItem {
        LintFindingItem {
            level: Level::Warning,
            rule: Rule::LinkMissing.name(),
            message: format!("{:?} mentions {} without a link", missing.words, missing.to),
            path: missing.path,
            line: Some(missing.line),
            fixable: true,
        }
    }
}

impl Render for Linted {
    fn human(&self) -> String {
        let level = |level| if level == Level::Error { "error" } else { "warning" };
        let mut text = lines(self.findings.iter().map(|found| {
            let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
            let fix = if found.fixable { " (fixable with --fix)" } else { "" };
            format!(
                "{:<7}  {}{line}  {} [{}]{fix}",
                level(found.level),
                found.path,
                found.message,
                found.rule
            )
        }));
        let linked = if self.dry_run { "to link" } else { "linked" };
        text.extend(self.linked.iter().map(|missing| format!("{linked:<7}  {}\n", missing.line())));
        text.extend(self.fixed.iter().map(|path| format!("fixed    {path}\n")));
        text.extend(self.notes.iter().map(|note| format!("note: {note}\n")));
        if self.dry_run {
            text.push_str("nothing was changed\n");
        }
        let (errors, warnings) = (count(self.errors as u64, "error"), count(self.warnings as u64, "warning"));
        text.push_str(&format!("{errors}, {warnings}\n"));
        text
    }

    fn brief(&self) -> String {
        lines(self.findings.iter().map(|found| {
            let line = found.line.map(|line| format!("{line}:")).unwrap_or_default();
            format!("{}:{line} {} [{}]", found.path, found.message, found.rule)
        }))
    }

    fn exit(&self) -> u8 {
        if self.errors > 0 { 4 } else { 0 }
    }
}
