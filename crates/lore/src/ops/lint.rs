//! `lint` and `index`: whether the pages are valid; generated files written anew.

use std::collections::BTreeSet;

use clap::Args;
use lore_engine::{Finding, Level, fix, lint, refresh_generated};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::views::{count, lines};
use super::{Operation, Render};
use crate::failure::Result;
use crate::session::Session;

/// Check that pages are valid: structure, ids, properties, sections, links, secrets, generated files
///
/// Exit 4 when there is an error. How bad each finding is, the vault's lore.toml says.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore lint\n  lore lint people/ada --json\n  lore lint --fix")]
pub struct Lint {
    /// The pages; all of them, the raw captures and the generated files without any
    #[arg(value_name = "REF")]
    #[serde(default)]
    references: Vec<String>,
    /// Mend what is safe to mend: missing properties with a default, values in the wrong case, generated files
    #[arg(long)]
    #[serde(default)]
    fix: bool,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Linted {
    /// How many errors.
    errors: usize,
    /// How many warnings.
    warnings: usize,
    /// Files that were mended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixed: Vec<String>,
    findings: Vec<FindingItem>,
}

/// Something that is not as it should be.
#[derive(Debug, Serialize, JsonSchema)]
struct FindingItem {
    level: Level,
    rule: &'static str,
    path: String,
    line: Option<u32>,
    message: String,
    /// Whether `--fix` mends it.
    fixable: bool,
}

impl From<Finding> for FindingItem {
    fn from(found: Finding) -> FindingItem {
        FindingItem {
            level: found.level,
            rule: found.lint.name(),
            path: found.path,
            line: found.line,
            message: found.message,
            fixable: found.fixable,
        }
    }
}

impl Operation for Lint {
    const NAME: &'static str = "lint";
    const WRITES: bool = true;
    type Output = Linted;

    fn run(self, session: &Session) -> Result<Linted> {
        let memory = session.fresh()?;
        let mut only = BTreeSet::new();
        for reference in &self.references {
            only.insert(memory.page(reference)?.path);
        }
        let only = if only.is_empty() { None } else { Some(&only) };
        let (fixed, found) = match self.fix {
            true => {
                let fixed = fix(memory, only)?;
                (fixed.paths, fixed.left)
            }
            false => (Vec::new(), lint(memory, only)?),
        };
        let errors = found.iter().filter(|found| found.level == Level::Error).count();
        let warnings = found.len() - errors;
        Ok(Linted { errors, warnings, fixed, findings: found.into_iter().map(FindingItem::from).collect() })
    }
}

impl Render for Linted {
    fn human(&self) -> String {
        let level = |level| if level == Level::Error { "error" } else { "warning" };
        let mut text = lines(self.findings.iter().map(|found| {
            let line = found.line.map(|line| format!(":{line}")).unwrap_or_default();
            let fix = if found.fixable { " (--fix mends it)" } else { "" };
            format!(
                "{:<7}  {}{line}  {} [{}]{fix}",
                level(found.level),
                found.path,
                found.message,
                found.rule
            )
        }));
        text.extend(self.fixed.iter().map(|path| format!("mended   {path}\n")));
        let (errors, warnings) = (count(self.errors as u64, "error"), count(self.warnings as u64, "warning"));
        text.push_str(&format!("{errors}, {warnings}\n"));
        text
    }

    fn brief(&self) -> String {
        lines(self.findings.iter().map(|found| format!("{} {}", found.rule, found.path)))
    }

    fn exit(&self) -> u8 {
        if self.errors > 0 { 4 } else { 0 }
    }
}

/// Write the generated files anew from the pages
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore index")]
pub struct Index {}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Indexed {
    /// The files that were not what the pages say.
    written: Vec<String>,
    /// The commit, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Operation for Index {
    const NAME: &'static str = "index";
    const WRITES: bool = true;
    type Output = Indexed;

    fn run(self, session: &Session) -> Result<Indexed> {
        let receipt = refresh_generated(session.fresh()?)?;
        Ok(Indexed { written: receipt.generated, commit: receipt.commit, warnings: receipt.warnings })
    }
}

impl Render for Indexed {
    fn human(&self) -> String {
        let mut text = match self.written.is_empty() {
            true => "every generated file is what the pages say\n".into(),
            false => lines(self.written.iter().map(|path| format!("wrote {path}"))),
        };
        text.extend(self.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        text
    }
}
