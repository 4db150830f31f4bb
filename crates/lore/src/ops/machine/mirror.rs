//! `mirror`: copies pages to another directory, as far as the policy's rules allow.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use lore_memory::{Mirrored, mirrored_pages};
use lore_text::ContentHash;
use lore_vault::{exists, make_folder, read_bytes, read_text, real_target, remove_file, write_private};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::views::warning_lines;
use crate::ops::{Operation, Render};

/// File in the directory that records what was copied there.
const RECORD: &str = ".lore-mirror.json";

/// Copy pages to another directory, leaving out private parts
///
/// The policy selects the pages, and the page whose rules say what to leave out. Credentials are masked. A page with
/// the opt-out property is not copied, and its earlier copy is removed. Copies that were edited are not overwritten.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore mirror journal --to ~/notes/Journal --dry-run\n  lore mirror journal --to ~/notes/Journal"
)]
pub struct Mirror {
    /// Name of the mirror in the policy
    name: String,
    /// Directory to copy to
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Only show what would be done
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

/// Output of `mirror`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct MirrorOutput {
    written: Vec<Line>,
    unchanged: usize,
    /// Pages that opted out.
    kept_back: Vec<Line>,
    /// Copies that were removed because their page opted out.
    removed: Vec<Line>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Operation for Mirror {
    const NAME: &'static str = "mirror";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = MirrorOutput;

    fn run(self, session: &Session) -> Result<MirrorOutput> {
        let context = session.fresh()?;
        let to = real_target(&session.path(&self.to));
        if to.starts_with(context.vault().root()) {
            return Err(AppError::usage("the directory is inside the vault", "pass one outside of it"));
        }
        let pages = mirrored_pages(context, &self.name)?;
        let record = to.join(RECORD);
        let known: BTreeMap<String, String> = match read_text(&record)? {
            Some(text) => serde_json::from_str(&text).map_err(|error| {
                AppError::usage(format!("{} is invalid: {error}", record.display()), "delete it and retry")
            })?,
            None => BTreeMap::new(),
        };
        if !self.dry_run {
            make_folder(&to)?;
        }
        let mut run = Run { to: &to, known, dry_run: self.dry_run, output: MirrorOutput::default() };
        for page in pages {
            run.copy(page)?;
        }
        let text = serde_json::to_string_pretty(&run.known).unwrap_or_default();
        if !self.dry_run {
            write_private(&record, text.as_bytes())?;
        }
        Ok(run.output)
    }
}

/// A run in progress.
struct Run<'a> {
    to: &'a Path,
    /// The hashes of the copies as they were written.
    known: BTreeMap<String, String>,
    dry_run: bool,
    output: MirrorOutput,
}

impl Run<'_> {
    fn copy(&mut self, page: Mirrored) -> Result<()> {
        let path = self.to.join(&page.name);
        let current = if exists(&path) { Some(read_bytes(&path, u64::MAX)?) } else { None };
        let hash = current.as_deref().map(|bytes| ContentHash::of(bytes).to_string());
        let is_own = hash.is_none() || hash.as_ref() == self.known.get(&page.name);
        let Some(text) = page.text else {
            self.output.kept_back.push(page.path.into());
            match (hash.is_some(), is_own) {
                (true, true) => self.remove(&path, page.name)?,
                (true, false) => self.output.warnings.push(left_alone(&path)),
                (false, _) => {}
            }
            return Ok(());
        };
        if current.as_deref() == Some(text.as_bytes()) {
            self.output.unchanged += 1;
        } else if !is_own {
            self.output.warnings.push(left_alone(&path));
            return Ok(());
        } else {
            if !self.dry_run {
                write_private(&path, text.as_bytes())?;
            }
            self.output.written.push(page.name.clone().into());
        }
        self.known.insert(page.name, ContentHash::of(text.as_bytes()).to_string());
        Ok(())
    }

    fn remove(&mut self, path: &Path, name: String) -> Result<()> {
        if !self.dry_run {
            remove_file(path)?;
            self.known.remove(&name);
        }
        self.output.removed.push(name.into());
        Ok(())
    }
}

fn left_alone(path: &Path) -> String {
    format!("{} is not as Lore wrote it and is left alone", path.display())
}

impl Render for MirrorOutput {
    fn human(&self) -> String {
        let mut text = String::new();
        text.extend(self.written.iter().map(|name| format!("wrote {name}\n")));
        text.extend(self.removed.iter().map(|name| format!("removed {name}\n")));
        text.extend(self.kept_back.iter().map(|path| format!("kept back {path}\n")));
        text.push_str(&format!("{} written, {} unchanged\n", self.written.len(), self.unchanged));
        text.push_str(&warning_lines(&self.warnings));
        text
    }
}
