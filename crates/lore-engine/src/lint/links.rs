//! Decides which links are broken. A link may lead to a page, to a heading of a page, or to any other file of the vault;
//! placeholders of templates, addresses and days without a page are not broken.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_page::{Format, heading_links, parse};
use lore_ports::{LinkFilter, LinkRow, PageNo};
use lore_text::{fold, is_day_name};
use lore_vault::{decode, exists, files, without_extension};

use super::headings::HeadingNames;
use crate::context::VaultContext;
use crate::error::Result;
use crate::index::Proposal;

/// A link that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLink {
    /// Path of the page it is on.
    pub path: String,
    /// Its line.
    pub line: u32,
    /// Its target as written, with the heading.
    pub target: String,
    /// What is wrong with it.
    pub message: String,
}

/// Extensions of files that are linked and embedded in notes, as opposed to names that contain a dot.
const ATTACHMENTS: [&str; 36] = [
    "apng",
    "avif",
    "base",
    "bmp",
    "canvas",
    "csv",
    "doc",
    "docx",
    "epub",
    "excalidraw",
    "flac",
    "gif",
    "htm",
    "html",
    "jpeg",
    "jpg",
    "json",
    "m4a",
    "mkv",
    "mov",
    "mp3",
    "mp4",
    "odt",
    "ogg",
    "pdf",
    "png",
    "ppt",
    "pptx",
    "svg",
    "txt",
    "wav",
    "webm",
    "webp",
    "xls",
    "xlsx",
    "zip",
];

/// Returns the broken links of these pages, or of all, by path and line. Files in `proposal` count as they will be.
pub fn broken_links(
    context: &VaultContext,
    only: Option<&BTreeSet<String>>,
    proposal: Option<&Proposal>,
) -> Result<Vec<BrokenLink>> {
    let (store, project) = (context.store(), context.project());
    let rows = match only {
        Some(paths) => {
            let known = store.fingerprints(project, context.replica(), Some(paths))?;
            let numbers: Vec<PageNo> = known.into_iter().map(|page| page.page).collect();
            store.links(project, &LinkFilter::From(&numbers))?
        }
        None => {
            let mut rows = store.links(project, &LinkFilter::Pending)?;
            rows.extend(
                store.links(project, &LinkFilter::WithHeading)?.into_iter().filter(|row| row.to.is_some()),
            );
            rows
        }
    };
    let mut targets = Targets { context, proposal, files: None, headings: HashMap::new() };
    let mut broken = Vec::new();
    for row in rows {
        let message = match row.to {
            None => targets.missing(&row),
            Some(page) => targets.missing_heading(&row, page)?,
        };
        if let Some(message) = message {
            let heading = row.link.heading.map(|heading| format!("#{heading}")).unwrap_or_default();
            let target = format!("{}{heading}", row.link.target);
            broken.push(BrokenLink { path: row.from_path, line: row.link.line, target, message });
        }
    }
    broken.sort_by(|a, b| (&a.path, a.line, &a.target).cmp(&(&b.path, b.line, &b.target)));
    Ok(broken)
}

/// Returns the links of a page to headings that it does not have itself, each with its line.
pub(super) fn own_headings(path: &str, text: &str) -> Vec<(u32, String)> {
    if !["[[#", "|#", "[[*"].iter().any(|mark| text.contains(mark)) {
        return Vec::new();
    }
    let own = HeadingNames::new(&parse(path, text).page, text);
    let missing = heading_links(Format::of(path), text).into_iter().filter(|(_, heading)| !own.has(heading));
    missing.map(|(line, heading)| (line, format!("the page has no heading {heading:?}"))).collect()
}

/// Whether a target is not a name: a placeholder of a template, an address, a pattern, or no letter at all.
fn is_no_name(target: &str) -> bool {
    ["{{", "}}", "<%", "%>", "${", "://", "*"].iter().any(|mark| target.contains(mark))
        || target.starts_with('<') && target.ends_with('>')
        || !target.chars().any(char::is_alphanumeric)
}

/// What links may lead to, read when it is first needed.
struct Targets<'a> {
    context: &'a VaultContext,
    proposal: Option<&'a Proposal>,
    /// See [`Targets::files`].
    files: Option<BTreeMap<String, Vec<String>>>,
    headings: HashMap<PageNo, HeadingNames>,
}

impl Targets<'_> {
    /// Returns what is wrong with a link that no page matches.
    fn missing(&mut self, row: &LinkRow) -> Option<String> {
        let target = row.link.target.trim();
        // A Markdown link that leads out of the vault keeps its dots. It is not the vault's to judge.
        let is_outside = target.split('/').any(|name| name == "..") && row.link.names[1].is_empty();
        if is_outside || is_no_name(target) || is_day_name(without_extension(target)) || self.has_file(target)
        {
            return None;
        }
        let extension = target.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
        let what = match extension.filter(|extension| ATTACHMENTS.contains(&extension.as_str())) {
            // A vault without a single file of a type keeps such files elsewhere.
            Some(extension) if !self.has_type(&extension) => return None,
            Some(_) => "file",
            None => "page",
        };
        Some(format!("the link to {:?} matches no {what}", row.link.target))
    }

    fn has_type(&mut self, extension: &str) -> bool {
        let end = format!(".{extension}");
        self.files().keys().any(|name| name.ends_with(&end))
    }

    /// Returns the paths of all files by their names, in lower case.
    fn files(&mut self) -> &BTreeMap<String, Vec<String>> {
        let (vault, proposal) = (self.context.vault(), self.proposal);
        self.files.get_or_insert_with(|| {
            let stays = |path: &String| !is_deleted(proposal, path);
            by_name(files(vault).into_iter().filter(stays).collect())
        })
    }

    /// Whether a file of the vault that is not a page has this path, or a path that ends with it.
    fn has_file(&mut self, target: &str) -> bool {
        let vault = self.context.vault();
        let names = target.split('/').filter(|name| !matches!(*name, "" | "." | ".."));
        let path = fold(&names.collect::<Vec<_>>().join("/"));
        let Some(name) = path.rsplit('/').next().map(str::to_owned) else { return false };
        let fits = |file: &String| {
            let file = fold(file);
            [file.as_str(), without_extension(&file)].iter().any(|file| {
                file.strip_suffix(path.as_str())
                    .is_some_and(|before| before.is_empty() || before.ends_with('/'))
            })
        };
        self.files().get(&name).is_some_and(|same| same.iter().any(fits))
            // A hidden file, such as one of `.github`, is linked by its whole path.
            || target.contains('/') && !target.contains("..") && {
                let path = target.trim_start_matches('/');
                exists(&vault.root().join(path)) && !is_deleted(self.proposal, path)
            }
    }

    /// Returns what is wrong with a link to a page if the page has no such heading.
    fn missing_heading(&mut self, row: &LinkRow, page: PageNo) -> Result<Option<String>> {
        let Some(heading) = row.link.heading.as_deref().filter(|heading| !is_no_name(heading)) else {
            return Ok(None);
        };
        if !self.headings.contains_key(&page) {
            let names = self.headings_of(page)?;
            self.headings.insert(page, names);
        }
        let has = self.headings.get(&page).is_none_or(|names| names.has(heading));
        Ok((!has).then(|| format!("the page {:?} has no heading {heading:?}", row.link.target)))
    }

    fn headings_of(&self, page: PageNo) -> Result<HeadingNames> {
        let Some(row) = self.context.store().pages(self.context.project(), &[page])?.pop() else {
            return Ok(HeadingNames::unknown());
        };
        let planned = self.proposal.and_then(|proposal| proposal.get(&row.path)).cloned().flatten();
        let bytes = match planned {
            Some(bytes) => Some(bytes),
            None => self.context.vault().read(&row.path, u64::MAX).ok().flatten().map(|file| file.bytes),
        };
        // A page that cannot be read is reported by itself.
        let Some(bytes) = bytes else { return Ok(HeadingNames::unknown()) };
        let text = decode(&bytes).text.into_owned();
        Ok(HeadingNames::new(&parse(&row.path, &text).page, &text))
    }
}

/// Whether a change deletes this file, which is still on the disk.
fn is_deleted(proposal: Option<&Proposal>, path: &str) -> bool {
    proposal.and_then(|proposal| proposal.get(path)).is_some_and(Option::is_none)
}

/// Groups paths by their names, with and without the extension of a page.
fn by_name(paths: Vec<String>) -> BTreeMap<String, Vec<String>> {
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let name = fold(path.rsplit('/').next().unwrap_or(&path));
        let stem = without_extension(&name).to_owned();
        if stem != name {
            by_name.entry(stem).or_default().push(path.clone());
        }
        by_name.entry(name).or_default().push(path);
    }
    by_name
}
