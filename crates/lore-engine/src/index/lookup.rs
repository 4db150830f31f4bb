//! Finds pages and files of a vault by reference or path.

use std::collections::BTreeSet;

use lore_ports::{Filter, KeyKind, KeyRow, NameQuery, Order, PageRow, Window};
use lore_vault::{FileBytes, exists, ignored, is_page_path};

use super::node::split_place;
use super::reference::{as_path, as_pattern, names_of, without_scheme};
use super::resolve::{Purpose, find, find_to, resolve, resolve_to};
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::policy::PathClass;

impl VaultContext {
    /// Resolves a reference to a page; an old path resolves to its new one.
    pub fn page(&self, reference: &str) -> Result<PageRow> {
        let name = self.current_name(reference);
        let found = resolve(self.store(), self.project(), &name).map(Some);
        self.row_of(self.in_scope(&name, found)?)?.ok_or_else(|| not_found(reference))
    }

    /// Returns the pages that a pattern such as `memory://people/*` matches, by title; `None` if the reference is no pattern, or
    /// the name of a page.
    pub fn pages_matching(&self, reference: &str, window: Window) -> Result<Option<Vec<PageRow>>> {
        let Some(pattern) = as_pattern(reference) else { return Ok(None) };
        let names = names_of(reference);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if !self.store().lookup(self.project(), &NameQuery::Exact(&names))?.is_empty() {
            return Ok(None);
        }
        let filter = Filter { slug_match: Some(pattern), ..Filter::default() };
        Ok(Some(self.store().list(self.project(), &filter, Order::Title, window)?))
    }

    /// Resolves a reference to a page that will be written: a path is not completed.
    pub fn page_to_write(&self, reference: &str) -> Result<PageRow> {
        self.page_to(Purpose::Change, reference)
    }

    /// Resolves a reference to a page that will be deleted, moved or restored: nothing is guessed.
    pub fn page_to_remove(&self, reference: &str) -> Result<PageRow> {
        self.page_to(Purpose::Remove, reference)
    }

    fn page_to(&self, purpose: Purpose, reference: &str) -> Result<PageRow> {
        let name = self.current_name(reference);
        let found = resolve_to(purpose, self.store(), self.project(), &name).map(Some);
        self.row_of(self.in_scope(&name, found)?)?.ok_or_else(|| not_found(reference))
    }

    /// Resolves a reference to a page, if there is one.
    pub fn find(&self, reference: &str) -> Result<Option<PageRow>> {
        let name = self.current_name(reference);
        self.row_of(self.in_scope(&name, find(self.store(), self.project(), &name))?)
    }

    /// Resolves a reference to a page that will be written, if there is one: a path is not completed.
    pub fn find_to_write(&self, reference: &str) -> Result<Option<PageRow>> {
        let name = self.current_name(reference);
        let found = find_to(Purpose::Change, self.store(), self.project(), &name);
        self.row_of(self.in_scope(&name, found)?)
    }

    /// Returns what a reference names in the namespace of the context, so that a title that two clients use means one's own
    /// page, and another's title nothing. A path, slug or id names any page.
    fn in_scope(&self, reference: &str, found: Result<Option<KeyRow>>) -> Result<Option<KeyRow>> {
        match found {
            Ok(Some(row)) => {
                let is_full = as_path(reference).is_some()
                    || matches!(row.kind, KeyKind::Id | KeyKind::Slug | KeyKind::Path);
                Ok(if is_full || self.is_in_scope(&row.slug)? { Some(row) } else { None })
            }
            Err(Error::Ambiguous { reference, candidates }) => {
                let mut own = Vec::new();
                for slug in candidates {
                    if self.is_in_scope(&slug)? {
                        own.push(slug);
                    }
                }
                match own.as_slice() {
                    [] => Ok(None),
                    [one] => find(self.store(), self.project(), one),
                    _ => Err(Error::Ambiguous { reference, candidates: own }),
                }
            }
            found => found,
        }
    }

    /// Resolves a reference to a file path: a page's, or a file that a rule gives another extension.
    pub fn file(&self, reference: &str) -> Result<String> {
        self.file_of(reference, self.page(reference))
    }

    /// Resolves a reference to the path of a file that will be written: a path is not completed.
    pub fn file_to_write(&self, reference: &str) -> Result<String> {
        self.file_of(reference, self.page_to_write(reference))
    }

    /// Resolves a reference to the path of a file that will be deleted: nothing is guessed.
    pub fn file_to_remove(&self, reference: &str) -> Result<String> {
        self.file_of(reference, self.page_to_remove(reference))
    }

    fn file_of(&self, reference: &str, page: Result<PageRow>) -> Result<String> {
        let missing = match page {
            Ok(page) => return Ok(page.path),
            Err(error) => error,
        };
        let policy = self.policy();
        let plain = as_path(reference).unwrap_or(without_scheme(reference));
        let plain = policy.alias(plain).unwrap_or_else(|| plain.to_owned());
        let rule = policy.rule(&plain);
        let extension = rule.and_then(|rule| rule.extension.clone());
        let named = extension.map(|extension| match plain.ends_with(&format!(".{extension}")) {
            true => plain.clone(),
            false => format!("{plain}.{extension}"),
        });
        let is_file = policy.is_raw(&plain) || rule.is_some_and(|rule| rule.any_file);
        let named = named.or_else(|| is_file.then(|| plain.clone()));
        match named.filter(|path| exists(&self.vault().root().join(path))) {
            Some(path) => Ok(self.vault().file_path(&path)?),
            None => Err(missing),
        }
    }

    /// Returns a reference with an old path replaced by its new one.
    fn current_name(&self, reference: &str) -> String {
        let policy = self.policy();
        let reference = split_place(reference).map_or(reference, |(file, _)| file);
        match as_path(reference) {
            Some(path) => format!("./{}", policy.alias(path).as_deref().unwrap_or(path)),
            None => policy.alias(without_scheme(reference)).unwrap_or_else(|| reference.to_owned()),
        }
    }

    fn row_of(&self, key: Option<KeyRow>) -> Result<Option<PageRow>> {
        match key {
            Some(key) => Ok(self.store().pages(self.project(), &[key.page])?.pop()),
            None => Ok(None),
        }
    }

    /// Returns the indexed page at a path.
    pub fn page_at(&self, path: &str) -> Result<Option<PageRow>> {
        let known = self.store().fingerprints(
            self.project(),
            self.replica(),
            Some(&BTreeSet::from([path.to_owned()])),
        )?;
        match known.first() {
            Some(known) => Ok(self.store().pages(self.project(), &[known.page])?.pop()),
            None => Ok(None),
        }
    }

    /// Classifies a path under the policy and the vault's ignore files.
    pub fn classify(&self, path: &str) -> PathClass {
        self.policy().classify(path, is_page_path(path) && ignored(self.vault(), path))
    }

    /// Whether a file at this path is indexed, if no ignore file excludes it.
    pub fn indexes(&self, path: &str) -> bool {
        self.policy().classify(path, false) == PathClass::Page
    }

    /// Returns the version of the file at a path; 0 when it does not exist.
    pub fn version_of(&self, path: &str) -> Result<u64> {
        if self.indexes(path) {
            return Ok(self.page_at(path)?.map_or(0, |row| row.version));
        }
        if !exists(&self.vault().root().join(path)) {
            return Ok(0);
        }
        Ok(self.store().version(self.project(), path)?.map_or(1, |(version, _)| version))
    }

    /// Reads a page's current bytes from disk.
    pub fn read(&self, page: &PageRow) -> Result<FileBytes> {
        let read = self.vault().read(&page.path, u64::MAX)?;
        read.ok_or_else(|| Error::NotFound { reference: page.slug.clone(), suggestions: Vec::new() })
    }
}

fn not_found(reference: &str) -> Error {
    Error::NotFound { reference: reference.to_owned(), suggestions: Vec::new() }
}
