//! `put`: writes a whole page.

mod parts;

use std::path::PathBuf;

use clap::Args;
use lore_engine::{
    Action, Code, PageChange, VaultContext, WriteOptions, as_path, fill, is_lossy_slug, refuse_name,
    refused_node, without_scheme, write_as,
};
use lore_page::edit::Dropped;
use lore_ports::PageRow;
use lore_text::{capitalize, date_in_name, fold, slugify};
use lore_vault::{VaultPath, exists, folder, is_page, without_extension};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::views::WriteResult;

use parts::{PutParts, evidence};

/// Start of the address of a page's resource.
const RESOURCE: &str = "memory://pages/";

/// Write a whole page from a file or standard input
///
/// A slug that matches no page creates one, in the folder of the namespace given by --namespace; pass a path ending in .md
/// to choose the file name. An empty text is refused for a page that has text, unless --drop all is given. Facts, relations,
/// observations and timeline entries that the new text does not mention are kept; --drop removes them.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore put people/ada-lovelace ada.md\n  echo '# Note' | lore put notes/today\n  lore put people/grace-hopper --template\n  lore put people/ada-lovelace ada.md --expected-version 3\n  lore put people/ada-lovelace ada.md --drop 'role:: CTO' --drop relations"
)]
pub struct Put {
    /// Slug or path of the page
    slug: String,
    /// File to read the text from [default: standard input]
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Text of the page
    #[arg(skip)]
    #[serde(default)]
    content: Option<String>,
    /// Start from the template of the page's type; only for a new page
    #[arg(long, conflicts_with = "file")]
    #[serde(default)]
    template: bool,
    /// Line to remove, or facts, relations, observations, timeline, all
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    #[serde(default)]
    drop: Vec<String>,
    /// Fail unless the page is at this version; 0: it must not exist
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
    #[arg(skip)]
    #[serde(flatten)]
    parts: PutParts,
}

impl Operation for Put {
    const NAME: &'static str = "put";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let context = session.fresh()?;
        let path = target(session, context, &self.slug)?;
        let mut expected_version = self.expected_version;
        let mut parts = self.parts;
        let evidence = evidence(context, std::mem::take(&mut parts.assertions))?;
        let bytes = match (self.content, &self.file) {
            _ if self.template => {
                expected_version = expected_version.or(Some(0));
                template(context, &path)?.into_bytes()
            }
            (given, None) if given.is_some() || parts.has_text_parts() || !evidence.is_empty() => {
                // Parts are applied to the page as read here; a concurrent change is a conflict.
                if given.is_none() && expected_version.is_none() {
                    expected_version = context.page_at(&path)?.map(|page| page.version);
                }
                parts.text(context, &path, given)?.into_bytes()
            }
            (_, Some(file)) => session.read_file(file)?,
            (_, None) => session.stdin()?,
        };
        let dropped = Dropped::parse(self.drop.iter().map(String::as_str));
        refuse_blank(context, &path, &bytes, &dropped)?;
        let options = WriteOptions::dropping(&path, dropped);
        let at = path.to_string();
        let action = match evidence.is_empty() {
            true => Action::Put(bytes),
            false => Action::PutThen(bytes, Box::new(|text| evidence.add_to(context, &at, text))),
        };
        let change = PageChange { path, action, expected_version };
        Ok(WriteResult::new(write_as(context, &[change], &options)?))
    }
}

/// Refuses a text without any words for a page that has some: it comes from a command that failed more often than from
/// somebody who means it.
pub fn refuse_blank(context: &VaultContext, path: &str, text: &[u8], dropped: &Dropped) -> Result<()> {
    let is_blank = |text: &[u8]| text.trim_ascii().is_empty();
    if !is_blank(text) || dropped.is_all() {
        return Ok(());
    }
    let Some(page) = context.page_at(path)? else { return Ok(()) };
    match context.vault().read(path, u64::MAX)? {
        Some(file) if !is_blank(&file.bytes) => Err(AppError::usage(
            format!("the new text of {} is empty", page.slug),
            format!(
                "to delete the page, use `lore rm {}`; to empty it on purpose, pass --drop all",
                page.slug
            ),
        )),
        _ => Ok(()),
    }
}

/// Returns the path for a slug or path: that of the page with exactly this slug or path, or else a new path, which is in the
/// folder of the namespace that was asked for.
pub fn target(session: &Session, context: &VaultContext, slug: &str) -> Result<VaultPath> {
    let path = target_anywhere(context, slug)?;
    let Some(folder) = session.folder_to_write(context)? else { return Ok(path) };
    let is_known = exists(&context.vault().root().join(path.as_str()));
    if is_known || is_below(&path, &folder) || context.policy().rule(&path).is_some() {
        return Ok(path);
    }
    let name = as_path(slug).unwrap_or(without_scheme(slug.trim())).trim_start_matches('/');
    target_anywhere(context, &format!("{folder}/{name}"))
}

/// Whether a path is in a folder.
fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the path for a slug or path in the whole vault.
fn target_anywhere(context: &VaultContext, slug: &str) -> Result<VaultPath> {
    let policy = context.policy();
    let slug = match slug.trim().strip_prefix(RESOURCE) {
        Some(_) if context.find(slug)?.is_some() => &context.page(slug)?.path,
        Some(new) => new,
        None => slug,
    };
    let requested = VaultPath::parse_page(as_path(slug).unwrap_or(without_scheme(slug)))?.into_string();
    let requested = policy.alias(&requested).unwrap_or(requested);
    let requested = context.vault().spelled(&requested);
    refuse_node_id(context, &requested)?;
    if let Some(extension) = policy.rule(&requested).and_then(|rule| rule.extension.as_ref()) {
        let named = requested.ends_with(&format!(".{extension}"));
        return Ok(VaultPath::known(if named { requested } else { format!("{requested}.{extension}") }));
    }
    if policy.rule(&requested).is_some_and(|rule| rule.any_file) && names_file(&requested) {
        return Ok(VaultPath::known(requested));
    }
    let is_path = is_page(requested.rsplit('/').next().unwrap_or(&requested));
    let name = if is_path { requested.clone() } else { slugify(&requested) };
    for name in [&requested, &name].into_iter().filter(|name| !name.is_empty()) {
        let found = context.find(&format!("./{name}"))?;
        let is_exact = |page: &PageRow| {
            [&page.slug, &page.path].contains(&&requested) || without_extension(&page.path) == requested
        };
        if let Some(page) = found.filter(|page| is_exact(page) || !differs(&requested, &page.title)) {
            return Ok(VaultPath::known(page.path));
        }
    }
    // A path covered by a policy rule is used verbatim: `_index`, `2026-W19`.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/_-.".contains(letter);
    if policy.rule(&requested).is_some() && requested.chars().all(plain) && !is_path {
        let extension = context.extension_for(folder(&requested))?;
        return Ok(VaultPath::known(format!("{requested}.{extension}")));
    }
    let path = new_path(context, &requested)?;
    if !is_path && exists(&context.vault().root().join(path.as_str())) {
        let title = context.page_at(&path)?.map_or_else(|| path.to_string(), |page| page.title);
        return Err(AppError::new(
            Code::Exists,
            format!("{requested:?} would be written to {path}, which is the page {title:?}"),
            "use the slug of that page to change it, or a path ending in .md for another page",
        ));
    }
    Ok(path)
}

/// Refuses the id of a node of a page, which would otherwise name a new page.
fn refuse_node_id(context: &VaultContext, name: &str) -> Result<()> {
    let id = name.strip_prefix("id:").unwrap_or(name);
    let Some(page) = context.find(id).ok().flatten() else { return Ok(()) };
    match context.node(&page, id)?.filter(|node| fold(&node.id) == fold(id)) {
        Some(node) => Err(refused_node(&page.path, &node).into()),
        None => Ok(()),
    }
}

/// Whether a path ends in the extension of a file that is not a page: `mail.eml`.
fn names_file(path: &str) -> bool {
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
    let is_short = |end: &str| (1..=5).contains(&end.len());
    !is_page(path.rsplit('/').next().unwrap_or(path))
        && extension.is_some_and(|end| is_short(end) && end.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Whether two titles are different although they have the same slug, because it drops characters: `C++` and `C#`.
pub fn differs(one: &str, other: &str) -> bool {
    let name = |title: &str| fold(title.rsplit('/').next().unwrap_or(title).trim());
    (is_lossy_slug(one) || is_lossy_slug(other)) && name(one) != name(other)
}

/// Returns the path of a new page: verbatim if it names a file, otherwise named as its neighbours are. Existing folders are
/// used whatever the case they are typed in, and by their slugs.
pub fn new_path(context: &VaultContext, requested: &str) -> Result<VaultPath> {
    let requested = VaultPath::parse_page(without_scheme(requested))?.into_string();
    refuse_name(context, &requested)?;
    let requested = context.vault().spelled(&requested);
    if is_page(requested.rsplit('/').next().unwrap_or(&requested)) {
        return Ok(VaultPath::known(requested));
    }
    let slug = slugify(&requested);
    if slug.is_empty() || slug.split('/').count() != requested.split('/').count() {
        return Err(AppError::usage(
            format!("cannot derive a slug from {requested:?}"),
            "use a path ending in .md, or a name with a letter or digit in each component",
        ));
    }
    let name = requested.rsplit('/').next().unwrap_or(&requested);
    let typed = context.folder_on_disk(folder(&requested));
    let is_known = exists(&context.vault().root().join(&typed));
    let directory = if is_known { typed } else { context.folder_on_disk(folder(&slug)) };
    let name = context.file_name_for(&directory, name)?;
    let extension = context.extension_for(&directory)?;
    let name = format!("{name}.{extension}");
    let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
    Ok(VaultPath::known(context.vault().spelled(&path)))
}

/// Returns the template of the page's type: the vault's own, or else the profile's.
fn template(context: &VaultContext, path: &str) -> Result<String> {
    let policy = context.policy();
    let kind = policy.type_of(path);
    // Meetings are sources with a template of their own: one named after the folder is preferred.
    let folder = folder(path).rsplit('/').next().unwrap_or_default();
    let folder = folder.strip_suffix('s').unwrap_or(folder);
    let named = if folder.is_empty() { None } else { context.template(folder)? };
    let Some(text) = named.map_or_else(|| context.template(kind), |text| Ok(Some(text)))? else {
        return Err(AppError::usage(
            format!("no template for pages of type {kind}"),
            format!("create .lore/templates/{kind}.md in the vault, or pass the text on standard input"),
        ));
    };
    let name = lore_vault::without_extension(path).rsplit('/').next().unwrap_or(path);
    // A page with a date in its name gets that date; a name that is only a date becomes the title unchanged.
    let period = date_in_name(path);
    let day = period.map_or_else(|| context.today(), |period| period.first.to_string());
    let is_date_name = period.is_some() && !name.contains(|letter: char| letter.is_ascii_lowercase());
    let title = if is_date_name { name.to_owned() } else { title(name) };
    Ok(fill(&text, &title, &day))
}

/// Turns a file name into a title: `ada-lovelace` becomes `Ada Lovelace`.
fn title(name: &str) -> String {
    name.split(['-', '_', ' ']).filter(|word| !word.is_empty()).map(capitalize).collect::<Vec<_>>().join(" ")
}
