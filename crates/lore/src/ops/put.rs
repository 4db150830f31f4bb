//! `put`: write a whole page.

mod parts;

use std::path::PathBuf;

use clap::Args;
use lore_engine::upkeep::date_in_name;
use lore_engine::vault::{is_page, read_text, safe_page_path};
use lore_engine::{Action, Code, Memory, PageChange, fill, write};
use lore_page::slugify;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Operation;
use super::views::WriteResult;
use crate::failure::{Failure, Result};
use crate::session::Session;
use parts::Parts;

/// Write a whole page, from a file or from standard input
///
/// A slug that names no page makes one; give a path that ends in .md to choose the file's name yourself.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore put people/ada-lovelace ada.md\n  echo '# Note' | lore put notes/today\n  lore put people/grace-hopper --template\n  lore put people/ada-lovelace ada.md --expected-version 3"
)]
pub struct Put {
    /// The page's slug or path
    slug: String,
    /// The file to take the text from; standard input without it
    #[serde(skip)]
    file: Option<PathBuf>,
    /// The page's text
    #[arg(skip)]
    #[serde(default)]
    content: Option<String>,
    /// Begin with the template of the page's type instead of a text; only for a new page
    #[arg(long, conflicts_with = "file")]
    #[serde(default)]
    template: bool,
    /// Fail unless the page is at this version; 0 says that it must not exist yet
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
    #[arg(skip)]
    #[serde(flatten)]
    parts: Parts,
}

impl Operation for Put {
    const NAME: &'static str = "put";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let memory = session.fresh()?;
        let path = target(memory, &self.slug)?;
        let mut expected_version = self.expected_version;
        let bytes = match (self.content, &self.file) {
            _ if self.template => {
                expected_version = expected_version.or(Some(0));
                template(memory, &path)?.into_bytes()
            }
            (given, None) if given.is_some() || self.parts.stand_alone() => {
                // Parts are made from the page as it is read here: what changes it meanwhile is a conflict.
                if self.parts.stand_alone() && expected_version.is_none() {
                    expected_version = memory.page_at(&path)?.map(|page| page.version);
                }
                self.parts.text(memory, &path, given)?.into_bytes()
            }
            (_, Some(file)) => session.read_file(file)?,
            (_, None) => session.stdin()?,
        };
        let written = write(memory, &[PageChange { path, action: Action::Put(bytes), expected_version }])?;
        Ok(WriteResult::new(written))
    }
}

/// The path that a slug means: that of the page which has it, else a new file's.
pub fn target(memory: &Memory, slug: &str) -> Result<String> {
    let policy = memory.policy();
    let wanted = safe_page_path(slug.strip_prefix("memory://").unwrap_or(slug))?;
    let wanted = policy.alias(&wanted).unwrap_or(wanted);
    if let Some(extension) = policy.rule(&wanted).and_then(|rule| rule.extension.as_ref()) {
        let named = wanted.ends_with(&format!(".{extension}"));
        return Ok(if named { wanted } else { format!("{wanted}.{extension}") });
    }
    match memory.find(&wanted) {
        // A page found by title or alias is not the page this slug asks for.
        Ok(Some(page)) if page.slug == slugify(&wanted) || page.path == wanted || page.slug == wanted => {
            return Ok(page.path);
        }
        Ok(_) => {}
        Err(error) if error.code() == Code::Ambiguous => {}
        Err(error) => return Err(error.into()),
    }
    // A path that the policy speaks of is meant as it is written: `_index`, `2026-W19`.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/_-.".contains(letter);
    if policy.rule(&wanted).is_some() && wanted.chars().all(plain) && !is_page(&wanted) {
        return Ok(format!("{wanted}.md"));
    }
    new_path(&wanted)
}

/// The path of a new page: as it is where it names a file, else made from the slug.
pub fn new_path(wanted: &str) -> Result<String> {
    let wanted = safe_page_path(wanted.strip_prefix("memory://").unwrap_or(wanted))?;
    if is_page(wanted.rsplit('/').next().unwrap_or(&wanted)) {
        return Ok(wanted);
    }
    let slug = slugify(&wanted);
    if slug.is_empty() || slug.split('/').count() != wanted.split('/').count() {
        return Err(Failure::usage(
            format!("no slug can be made of {wanted:?}"),
            "give a path that ends in .md, or a name with a letter or digit in each part",
        ));
    }
    Ok(format!("{slug}.md"))
}

/// The template of the page's type: the vault's own, else its profile's.
fn template(memory: &Memory, path: &str) -> Result<String> {
    let policy = memory.policy();
    let kind = policy.type_of(path);
    let own = memory.vault().root().join(format!(".lore/templates/{kind}.md"));
    let text = match read_text(&own)? {
        Some(text) => Some(text),
        None => policy.profile.template(kind).map(str::to_owned),
    };
    let Some(text) = text else {
        return Err(Failure::usage(
            format!("there is no template for pages of type {kind}"),
            format!("write one to .lore/templates/{kind}.md in the vault, or pipe the page in"),
        ));
    };
    let name = lore_engine::vault::without_extension(path).rsplit('/').next().unwrap_or(path);
    // A page with a date in its name is of that day; one whose name is a date is called by it.
    let period = date_in_name(path);
    let day = period.map_or_else(|| memory.today(), |period| period.first.to_string());
    let called_by_date = period.is_some() && !name.contains(|letter: char| letter.is_ascii_lowercase());
    let title = if called_by_date { name.to_owned() } else { title(name) };
    Ok(fill(&text, &title, &day))
}

/// `ada-lovelace` is titled `Ada Lovelace`.
fn title(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    name.split(['-', '_', ' ']).filter(|word| !word.is_empty()).map(capital).collect::<Vec<_>>().join(" ")
}
