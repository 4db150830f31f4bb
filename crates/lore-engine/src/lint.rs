//! Page validation: one engine for `lore lint`, every write, and curation.

mod ambiguous;
mod errors;
mod headings;
mod links;
mod page;
mod secrets;
mod vault;

use std::collections::BTreeSet;

use ambiguous::ambiguous_links;

pub use errors::error_count;
pub use headings::heading_key;
pub use links::{BrokenLink, broken_links};
pub(crate) use page::CONFLICT;
pub use page::{Findings, file_findings, page_findings, property_values};
pub(crate) use secrets::{byte_findings, name_findings, refused, secret_finding};
pub use secrets::{secrets_in, shown};

use lore_vault::{decode, is_page_path};

use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::hooks::FindingScope;
use crate::index::Proposal;
use crate::policy::{Finding, Gate, Level, Lint};

/// Lints these pages, or the whole vault including raw captures and generated files. Sorted by path.
pub fn lint(context: &VaultContext, only: Option<&BTreeSet<String>>) -> Result<Vec<Finding>> {
    let mut findings = pages(context, only, None)?;
    findings.extend(vault::links(context, only, None)?);
    findings.extend(vault::moved(context, only)?);
    findings.extend(ambiguous_links(context, only, Level::Warning)?);
    findings.extend(vault::names(context, only)?);
    let read: BTreeSet<String> = findings.iter().map(|found| found.path.clone()).collect();
    // A page that was indexed before it became unreadable is reported already.
    findings.extend(vault::failures(context, only)?.into_iter().filter(|found| !read.contains(&found.path)));
    if only.is_none() {
        findings.extend(vault::raw(context)?);
    }
    findings
        .extend(context.hooks().findings(context, only.map_or(FindingScope::Vault, FindingScope::Pages))?);
    findings.retain(|found| found.level > Level::Off);
    findings.sort_by(|a, b| (&a.path, a.line, a.lint).cmp(&(&b.path, b.line, b.lint)));
    Ok(findings)
}

/// Fails if any finding is an error; returns the others.
pub fn refuse(findings: Vec<Finding>) -> Result<Vec<Finding>> {
    let (errors, rest): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|found| found.level == Level::Error);
    if errors.is_empty() { Ok(rest) } else { Err(Error::Lint { findings: errors }) }
}

/// Fails if a text that is not a page contains a credential.
pub fn refuse_secret(context: &VaultContext, what: &str, text: &str) -> Result<()> {
    refuse_secret_bytes(context, what, text.as_bytes())
}

/// Fails if bytes of any kind contain a credential.
pub fn refuse_secret_bytes(context: &VaultContext, what: &str, bytes: &[u8]) -> Result<()> {
    let mut found = byte_findings(&context.policy(), what, bytes);
    found.retain(|found| found.lint == Lint::Secret);
    refuse(found).map(drop)
}

/// Fails if a path contains a credential. A slug is checked before it is made: it has other letters than the name.
pub fn refuse_name(context: &VaultContext, path: &str) -> Result<()> {
    refuse(name_findings(&context.policy(), path)).map(drop)
}

/// Decides whether a change may be made, when the index already contains it but the disk does not. The changed pages
/// must have no errors; if the policy requires it, neither may the rest of the vault, unless the change fixes a page.
pub(crate) fn gate(context: &VaultContext, proposal: &Proposal, fixes_page: bool) -> Result<Vec<Finding>> {
    let changed: BTreeSet<String> =
        proposal.iter().filter(|(_, new)| new.is_some()).map(|(path, _)| path.clone()).collect();
    let mut found = pages(context, Some(&changed), Some(proposal))?;
    found.extend(vault::links(context, Some(&changed), Some(proposal))?);
    found.extend(ambiguous_links(context, Some(&changed), Level::Error)?);
    found.extend(vault::names(context, Some(&changed))?);
    found.retain(|found| found.level > Level::Off);
    let found = refuse(found)?;
    if context.policy().lint.gate == Gate::Vault && !fixes_page {
        let mut rest = rest_of_vault(context, &changed, proposal)?;
        rest.retain(|found| found.level == Level::Error);
        refuse(rest)?;
    }
    let reported = [Lint::Structure, Lint::SecretLikely, Lint::Size, Lint::Slug, Lint::FieldValue];
    Ok(found.into_iter().filter(|found| reported.contains(&found.lint)).collect())
}

/// Lints the vault as it would be, except for the changed pages.
fn rest_of_vault(
    context: &VaultContext,
    changed: &BTreeSet<String>,
    proposal: &Proposal,
) -> Result<Vec<Finding>> {
    let known = context.store().fingerprints(context.project(), context.replica(), None)?;
    let others: BTreeSet<String> =
        known.into_iter().map(|page| page.path).filter(|path| !changed.contains(path)).collect();
    let mut rest = pages(context, Some(&others), None)?;
    let between =
        vault::links(context, None, Some(proposal))?.into_iter().chain(vault::names(context, None)?);
    let between = between.chain(ambiguous_links(context, None, Level::Error)?);
    rest.extend(between.filter(|found| !changed.contains(&found.path)));
    rest.extend(vault::raw(context)?);
    rest.extend(context.hooks().findings(context, FindingScope::Gate)?);
    Ok(rest)
}

/// Whether one of these pages currently has an error: a change to it is allowed while other pages still have errors,
/// since it must have none afterwards. Only needed when the gate covers the whole vault.
pub(crate) fn has_errors(context: &VaultContext, paths: &BTreeSet<String>) -> Result<bool> {
    if context.policy().lint.gate == Gate::Change {
        return Ok(false);
    }
    let mut found = pages(context, Some(paths), None)?;
    found.extend(vault::links(context, Some(paths), None)?);
    found.extend(ambiguous_links(context, Some(paths), Level::Error)?);
    found.extend(vault::names(context, Some(paths))?);
    Ok(found.iter().any(|found| found.level == Level::Error))
}

/// Lints the text of each page by itself.
fn pages(
    context: &VaultContext,
    only: Option<&BTreeSet<String>>,
    proposal: Option<&Proposal>,
) -> Result<Vec<Finding>> {
    let policy = context.policy();
    let every;
    let paths: &BTreeSet<String> = match only {
        Some(paths) => paths,
        None => {
            let known = context.store().fingerprints(context.project(), context.replica(), None)?;
            every = known.into_iter().map(|page| page.path).collect();
            &every
        }
    };
    let mut findings = Vec::new();
    for path in paths {
        let new = proposal.and_then(|proposal| proposal.get(path)).cloned().flatten();
        let is_new = new.is_some();
        let bytes = match new {
            Some(bytes) => Some(bytes),
            None => match context.vault().read(path, u64::MAX) {
                Ok(file) => file.map(|file| file.bytes),
                // The others are checked even so.
                Err(error) => {
                    findings.push(page::unreadable(path, &error));
                    continue;
                }
            },
        };
        let Some(bytes) = bytes else { continue };
        if context.indexes(path) {
            let decoded = decode(&bytes);
            findings.extend(page_findings(&policy, path, &decoded.text));
            findings.extend(page::date_findings(&policy, path, &decoded.text, context.day()));
        } else if is_new {
            // What Lore itself writes is checked even if it is data.
            findings.extend(byte_findings(&policy, path, &bytes));
        } else {
            findings.extend(page::file_findings(&policy, path, &bytes));
        }
        if is_page_path(path) && bytes.contains(&0) {
            findings.push(page::binary(&policy, path));
            findings.extend(byte_findings(&policy, path, &bytes));
        }
    }
    Ok(findings)
}
