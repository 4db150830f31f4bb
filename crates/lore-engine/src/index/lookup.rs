//! Finds pages and files of a vault by reference or path.

use std::collections::BTreeSet;

use lore_ports::PageRow;
use lore_vault::{FileBytes, exists, ignored, is_page_path};

use super::resolve::{find, resolve, without_scheme};
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::policy::PathClass;

impl VaultContext {
    /// Resolves a reference to a page; an old path resolves to its new one.
    pub fn page(&self, reference: &str) -> Result<PageRow> {
        let alias = self.policy().alias(without_scheme(reference));
        let key = resolve(self.store(), self.project(), alias.as_deref().unwrap_or(reference))?;
        let row = self.store().pages(self.project(), &[key.page])?.pop();
        row.ok_or(Error::NotFound { reference: reference.to_owned(), suggestions: Vec::new() })
    }

    /// Resolves a reference to a page, if there is one.
    pub fn find(&self, reference: &str) -> Result<Option<PageRow>> {
        let alias = self.policy().alias(without_scheme(reference));
        match find(self.store(), self.project(), alias.as_deref().unwrap_or(reference))? {
            Some(key) => Ok(self.store().pages(self.project(), &[key.page])?.pop()),
            None => Ok(None),
        }
    }

    /// Resolves a reference to a file path: a page's, or a file that a rule gives another extension.
    pub fn file(&self, reference: &str) -> Result<String> {
        let missing = match self.page(reference) {
            Ok(page) => return Ok(page.path),
            Err(error) => error,
        };
        let policy = self.policy();
        let plain = without_scheme(reference);
        let plain = policy.alias(plain).unwrap_or_else(|| plain.to_owned());
        let extension = policy.rule(&plain).and_then(|rule| rule.extension.clone());
        let named = extension.map(|extension| match plain.ends_with(&format!(".{extension}")) {
            true => plain.clone(),
            false => format!("{plain}.{extension}"),
        });
        let named = named.or_else(|| policy.is_raw(&plain).then(|| plain.clone()));
        match named.filter(|path| exists(&self.vault().root().join(path))) {
            Some(path) => Ok(self.vault().file_path(&path)?),
            None => Err(missing),
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
