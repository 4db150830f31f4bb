//! Prepares a requested change: path, version, permission, new bytes.

use lore_page::edit::LineChanges;
use lore_page::{Format, Value, edit, revision, revision_of_edit};
use lore_ports::Authorship;
use lore_text::ContentHash;
use lore_vault::{decode, exists, folder, is_attachment_path, is_page_path};

use super::keep::{keep_id, keep_lines};
use super::sections;
use super::{Action, Authority, Edit, Outcome, PageChange, Paths, PreparedChange, WriteOptions, twice};
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::lint::refuse_name;
use crate::policy::{OnEdited, POLICY_FILE, PathClass, Verb};

/// Returns every path of a change, normalized; each file may occur only once.
pub(super) fn paths(context: &VaultContext, changes: &[PageChange<'_>]) -> Result<Paths> {
    let mut paths = Paths::new();
    for change in changes {
        let to = match &change.action {
            Action::Move(to, _) | Action::Relocate(to) => Some(to),
            _ => None,
        };
        let from = normalize(context, &change.path)?;
        let to = to.map(|to| destination(context, &from, to)).transpose()?;
        for path in std::iter::once(from).chain(to) {
            if paths.contains(&path) {
                return Err(twice(&path));
            }
            paths.insert(path);
        }
    }
    Ok(paths)
}

/// Checks a change and computes its new bytes.
pub(super) fn prepare(
    context: &VaultContext,
    change: &PageChange<'_>,
    terms: &WriteOptions,
) -> Result<PreparedChange> {
    let path = normalize(context, &change.path)?;
    match terms.authority {
        Authority::Settings if path == POLICY_FILE => context.vault().check_writable(&path)?,
        _ => check_writable_target(context, &path, terms.noted.batch.is_some())?,
    }
    let limit = context.policy().limits.page_bytes;
    let old = context.vault().read(&path, limit)?.map(|file| file.bytes);
    let row = context.page_at(&path)?;
    check_version(context, &path, row.as_ref().map(|row| row.slug.as_str()), change.expected_version)?;
    let mode = context.vault().mode(&path).or(terms.mode);
    let mode = match terms.private.get(change.path.as_str()) {
        Some(widest) => Some(mode.map_or(*widest, |mode| mode & widest)),
        None => mode,
    };
    let mut ready = PreparedChange {
        path,
        row,
        old,
        new: None,
        to: None,
        outcome: Outcome::Updated,
        sole_author: true,
        mode,
        lines: LineChanges::default(),
    };
    make(context, change, terms, &mut ready)?;
    if let Some(name) = ready.to.as_ref().or(Some(&ready.path).filter(|_| ready.old.is_none())) {
        refuse_name(context, name)?;
    }
    if terms.authority == Authority::Author {
        permit(context, change, &ready)?;
        sections::check(context, change, terms, &ready)?;
    }
    settle(context, &mut ready, terms.authority)?;
    Ok(ready)
}

/// Computes the new bytes.
fn make(
    context: &VaultContext,
    change: &PageChange<'_>,
    terms: &WriteOptions,
    ready: &mut PreparedChange,
) -> Result<()> {
    if !matches!(change.action, Action::Put(_) | Action::PutThen(..)) {
        ready.sole_author = is_own(context, ready)?;
    }
    ready.new = match &change.action {
        Action::Put(bytes) => Some(put_and_keep(context, change, terms, ready, bytes)?),
        Action::PutThen(bytes, edit) => {
            let bytes = put_and_keep(context, change, terms, ready, bytes)?;
            Some(edit(utf8(&ready.path, &bytes)?)?.into_bytes())
        }
        Action::Edit(edit) => Some(edited(ready, edit)?),
        Action::Rewrite(edit) => {
            let bytes = rewritten(context, ready, edit, terms)?;
            Some(keep_lines(context, ready, change, bytes, terms)?)
        }
        Action::Move(to, edit) => {
            ready.to = Some(free_path(context, &ready.path, to)?);
            Some(edited(ready, edit)?)
        }
        Action::Relocate(to) => {
            ready.to = Some(free_path(context, &ready.path, to)?);
            Some(existing(ready)?.to_vec())
        }
        Action::Check => Some(existing(ready)?.to_vec()),
        Action::DeleteIf(holds) if !holds() => ready.old.clone(),
        Action::Delete | Action::DeleteIf(_) => {
            existing(ready)?;
            None
        }
    };
    Ok(())
}

/// Returns the normalized path that a file moves to; no file may exist there.
fn free_path(context: &VaultContext, from: &str, to: &str) -> Result<String> {
    let path = destination(context, from, to)?;
    check_writable_target(context, &path, false)?;
    match exists(&context.vault().root().join(&path)) {
        true => Err(Error::Exists { path }),
        false => Ok(path),
    }
}

/// Returns the new bytes of a page with what it keeps of the old ones.
fn put_and_keep(
    context: &VaultContext,
    change: &PageChange<'_>,
    terms: &WriteOptions,
    ready: &mut PreparedChange,
    bytes: &[u8],
) -> Result<Vec<u8>> {
    let bytes = put(context, ready, bytes, terms)?;
    let bytes = keep_id(ready, bytes, terms);
    let bytes = keep_lines(context, ready, change, bytes, terms)?;
    ready.sole_author &= ready.lines.kept.is_empty() || is_own(context, ready)?;
    Ok(bytes)
}

fn utf8<'t>(path: &str, bytes: &'t [u8]) -> Result<&'t str> {
    std::str::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_owned() })
}

/// Returns the new bytes of a page. If the policy says so, a page with somebody else's text gets a revision instead.
fn put(
    context: &VaultContext,
    ready: &mut PreparedChange,
    bytes: &[u8],
    terms: &WriteOptions,
) -> Result<Vec<u8>> {
    if ready.old.as_deref() == Some(bytes) || !revises(context, ready, terms) || is_own(context, ready)? {
        return Ok(bytes.to_vec());
    }
    let old = ready.old.as_deref().map(std::str::from_utf8);
    match (old, std::str::from_utf8(bytes)) {
        (Some(Ok(current)), Ok(new)) => {
            ready.sole_author = false;
            Ok(revision(Format::of(&ready.path), current, new, &revision_time(context)).into_bytes())
        }
        _ => Ok(bytes.to_vec()),
    }
}

/// Returns the edited bytes of a page. If the policy says so, an edit of a page that somebody has edited since it was
/// written becomes a revision, unless it changes properties only.
fn rewritten(
    context: &VaultContext,
    ready: &PreparedChange,
    edit: &Edit<'_>,
    terms: &WriteOptions,
) -> Result<Vec<u8>> {
    let bytes = edited(ready, edit)?;
    if !revises(context, ready, terms) || written_by(context, ready)?.is_some() {
        return Ok(bytes);
    }
    match (ready.old.as_deref().map(std::str::from_utf8), std::str::from_utf8(&bytes)) {
        (Some(Ok(current)), Ok(new)) => {
            Ok(revision_of_edit(Format::of(&ready.path), current, new, &revision_time(context)).into_bytes())
        }
        _ => Ok(bytes),
    }
}

/// Whether the policy keeps the current text where somebody else wrote some of it.
fn revises(context: &VaultContext, ready: &PreparedChange, terms: &WriteOptions) -> bool {
    let policy = context.policy();
    let keeps = policy.rule(&ready.path).is_some_and(|rule| rule.edited == OnEdited::Revision);
    keeps && ready.old.is_some() && !terms.overwrite && terms.authority == Authority::Author
}

fn revision_time(context: &VaultContext) -> String {
    context.now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Whether the current page was written by this author alone.
fn is_own(context: &VaultContext, ready: &PreparedChange) -> Result<bool> {
    let author = written_by(context, ready)?;
    Ok(ready.old.is_none() || author.is_some_and(|author| author.actor == context.author().actor))
}

/// Returns who wrote the whole current page through Lore, if nobody else has edited it.
fn written_by(context: &VaultContext, ready: &PreparedChange) -> Result<Option<Authorship>> {
    let Some(old) = &ready.old else { return Ok(None) };
    let author = context.store().author(context.project(), &ready.path)?;
    Ok(author.filter(|author| author.sole_author && author.hash == ContentHash::of(old)))
}

/// Checks the change against the policy's rules.
fn permit(context: &VaultContext, change: &PageChange<'_>, ready: &PreparedChange) -> Result<()> {
    let policy = context.policy();
    let appends = match (&ready.old, &ready.new) {
        (Some(old), Some(new)) => new.starts_with(old),
        _ => false,
    };
    match &change.action {
        Action::Put(_) | Action::PutThen(..) if ready.old.is_none() => {
            policy.allow(&ready.path, &[Verb::Create])
        }
        // A revision appends to the page, whatever the caller requested.
        Action::Put(bytes) | Action::PutThen(bytes, _) if appends && ready.new.as_ref() != Some(bytes) => {
            policy.allow(&ready.path, &[Verb::Put, Verb::Append])
        }
        Action::Put(_) | Action::PutThen(..) => policy.allow(&ready.path, &[Verb::Put]),
        Action::Edit(_) | Action::Rewrite(_) if appends => {
            policy.allow(&ready.path, &[Verb::Append, Verb::Patch])
        }
        Action::Edit(_) | Action::Rewrite(_) => policy.allow(&ready.path, &[Verb::Patch]),
        Action::Check => Ok(()),
        Action::Delete | Action::DeleteIf(_) => policy.allow(&ready.path, &[Verb::Delete]),
        Action::Move(..) | Action::Relocate(_) => {
            policy.allow(&ready.path, &[Verb::Delete])?;
            policy.allow(ready.to.as_ref().unwrap_or(&ready.path), &[Verb::Create])
        }
    }
}

/// Sets the outcome, checks the size, and stamps the date if the schema requires it.
fn settle(context: &VaultContext, ready: &mut PreparedChange, authority: Authority) -> Result<()> {
    ready.outcome = match (&ready.old, &ready.new) {
        (_, None) => Outcome::Deleted,
        _ if ready.to.is_some() => Outcome::Moved,
        (None, Some(_)) => Outcome::Created,
        (Some(old), Some(new)) if old == new => Outcome::Unchanged,
        _ => Outcome::Updated,
    };
    let target = ready.to.as_ref().unwrap_or(&ready.path);
    if matches!(ready.outcome, Outcome::Created | Outcome::Moved)
        && let Some(twin) = context.vault().case_twin(target)
        && twin != ready.path
    {
        let reason = "several files or folders differ from it only in case; use the spelling of one of them";
        return Err(lore_vault::Error::BadPath { path: target.clone(), reason }.into());
    }
    if authority == Authority::Author && matches!(ready.outcome, Outcome::Created | Outcome::Updated) {
        stamp(context, ready);
    }
    let limit = context.policy().limits.page_bytes;
    match ready.new.as_ref().map(|new| new.len() as u64) {
        Some(size) if size > limit => {
            Err(lore_vault::Error::TooLarge { path: ready.path.clone(), size, limit }.into())
        }
        _ => Ok(()),
    }
}

/// Refuses a NUL character that a text does not have yet: other programs take such a file for a binary one.
pub(super) fn refuse_null(ready: &PreparedChange) -> Result<()> {
    let has_null = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().is_some_and(|bytes| bytes.contains(&0) && decode(bytes).text.contains('\0'))
    };
    let path = ready.to.as_ref().unwrap_or(&ready.path);
    if !is_page_path(path) || !has_null(&ready.new) || has_null(&ready.old) {
        return Ok(());
    }
    Err(Error::BadInput {
        message: format!("the text for {path} contains a NUL character (U+0000)"),
        hint: "remove it, then write again; nothing was changed".into(),
    })
}

/// Sets the date of the last change. Frontmatter that cannot be edited is left for lint to report.
fn stamp(context: &VaultContext, ready: &mut PreparedChange) {
    let policy = context.policy();
    let Some(key) = policy.schema(&ready.path).and_then(|schema| schema.stamp.as_ref()) else { return };
    let Some(text) = ready.new.as_deref().and_then(|new| std::str::from_utf8(new).ok()) else { return };
    if is_page_path(&ready.path)
        && let Ok(text) =
            edit::set_property(Format::of(&ready.path), text, key, &Value::Text(context.today()))
    {
        ready.new = Some(text.into_bytes());
    }
}

/// Normalizes a path: aliases resolved, checked, composed, and spelled as the folders and the file that exist.
fn normalize(context: &VaultContext, path: &str) -> Result<String> {
    let path = context.vault().file_path(path)?;
    let path = match context.policy().alias(&path) {
        Some(now) => context.vault().file_path(&now)?,
        None => path,
    };
    Ok(context.vault().spelled(&path))
}

/// Normalizes the path that a file moves to. A move may change only the case of the file's own name.
fn destination(context: &VaultContext, from: &str, to: &str) -> Result<String> {
    let spelled = normalize(context, to)?;
    if spelled != from {
        return Ok(spelled);
    }
    let name = to.rsplit('/').next().unwrap_or(to);
    let folder = folder(from);
    Ok(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") })
}

fn edited(ready: &PreparedChange, edit: &Edit<'_>) -> Result<Vec<u8>> {
    let decoded = decode(existing(ready)?);
    if decoded.encoding.is_some() {
        return Err(Error::NotUtf8 { path: ready.path.clone() });
    }
    edit(&decoded.text).map(String::into_bytes)
}

fn existing(ready: &PreparedChange) -> Result<&[u8]> {
    let missing = || Error::NotFound { reference: ready.path.clone(), suggestions: Vec::new() };
    ready.old.as_deref().ok_or_else(missing)
}

/// Checks that Lore may write to a path: what kind of file it is, and that no symlink leads it outside the vault. An import
/// also writes the files that pages embed.
pub(super) fn check_writable_target(context: &VaultContext, path: &str, is_import: bool) -> Result<()> {
    if let PathClass::Refused(reason) = context.classify(path)
        && !(is_import && is_attachment_path(path))
    {
        return Err(lore_vault::Error::BadPath { path: path.to_owned(), reason }.into());
    }
    Ok(context.vault().check_writable(path)?)
}

fn check_version(
    context: &VaultContext,
    path: &str,
    slug: Option<&str>,
    expected: Option<u64>,
) -> Result<()> {
    let Some(expected) = expected else { return Ok(()) };
    let current = context.version_of(path)?;
    if current == expected {
        return Ok(());
    }
    Err(Error::Conflict { slug: slug.unwrap_or(path).to_owned(), expected, current })
}
