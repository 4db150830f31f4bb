//! Marks contradictions on pages: their status, and a relation between them.

use std::collections::{BTreeMap, BTreeSet};

use lore_engine::{
    Action, Error, FurtherChange, PageChange, PreparedChange, Result, Rewrites, VaultContext, link_target,
};
use lore_page::edit::{EditError, NewRelation, add_relation, set_property};
use lore_page::{Format, Value, parse};
use lore_vault::{VaultPath, decode, without_extension};

use super::{CONTESTED, CONTRADICTS};

/// The pages that are marked, with their texts so far.
pub(super) struct Marks {
    /// Texts of the written pages, by their path after the write.
    written: BTreeMap<String, String>,
    /// Texts of other pages, as they will be when they are marked.
    others: BTreeMap<String, String>,
    changed: BTreeSet<String>,
    warnings: Vec<String>,
}

impl Marks {
    /// Starts from the texts of a write.
    pub(super) fn new(changes: &[PreparedChange]) -> Marks {
        let text = |change: &PreparedChange| {
            let text = String::from_utf8(change.new.clone()?).ok()?;
            Some((change.to.as_ref().unwrap_or(&change.path).clone(), text))
        };
        let written = changes.iter().filter_map(text).collect();
        Marks { written, others: BTreeMap::new(), changed: BTreeSet::new(), warnings: Vec::new() }
    }

    /// Returns a page's text as it will be.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.written.get(path).or_else(|| self.others.get(path)).map(String::as_str)
    }

    /// Marks a written page and adds relations to the pages it contradicts.
    pub(super) fn mark_new(
        &mut self,
        context: &VaultContext,
        path: &str,
        others: &BTreeSet<String>,
    ) -> Result<()> {
        self.set_contested(path);
        let Some(mut text) = self.written.get(path).cloned() else { return Ok(()) };
        for other in others {
            let row = context.page_at(other)?;
            let named =
                |target: &str| context.find(target).ok().flatten().is_some_and(|row| row.path == *other);
            let links = parse(path, &text).page.links;
            let contradicts = |relation: &str| relation.eq_ignore_ascii_case(CONTRADICTS);
            if links.iter().any(|link| contradicts(&link.relation) && named(&link.target)) {
                continue;
            }
            let title = row.as_ref().map(|row| row.title.clone()).filter(|title| named(title));
            let slug =
                row.as_ref().map_or_else(|| without_extension(other).to_owned(), |row| row.slug.clone());
            let relation = |name: String| {
                let (target, label) = match &row {
                    Some(row) => link_target(path, row, name),
                    None => (name, None),
                };
                NewRelation { relation: CONTRADICTS.into(), target, label, ..NewRelation::default() }
            };
            let added = title
                .map(|title| add_relation(Format::of(path), &text, &relation(title)))
                .and_then(std::result::Result::ok);
            match added.map_or_else(|| add_relation(Format::of(path), &text, &relation(slug)), Ok) {
                Ok(related) => text = related,
                Err(error) => self.warnings.push(not_marked(path, &error)),
            }
        }
        self.written.insert(path.to_owned(), text);
        self.changed.insert(path.to_owned());
        Ok(())
    }

    /// Marks a page that is contradicted: in its new text if it is part of the write, else as a further change.
    pub(super) fn mark_other(&mut self, context: &VaultContext, path: &str) -> Result<()> {
        if self.written.contains_key(path) {
            self.set_contested(path);
            return Ok(());
        }
        let file = context.vault().read(path, context.policy().limits.page_bytes)?;
        let text = file.map(|file| decode(&file.bytes).text.into_owned()).unwrap_or_default();
        self.others.insert(path.to_owned(), set_contested(path, &text).unwrap_or(text));
        Ok(())
    }

    /// Returns what the write has to change, with more warnings after those of the marks.
    pub(super) fn finish(self, further_warnings: Vec<String>) -> Rewrites {
        let Marks { written, others, changed, mut warnings } = self;
        warnings.extend(further_warnings);
        let texts = written.into_iter().filter(|(path, _)| changed.contains(path)).collect();
        let further = others.into_keys().map(further_change).collect();
        Rewrites { texts, further, warnings }
    }

    fn set_contested(&mut self, path: &str) {
        let Some(text) = self.written.get_mut(path) else { return };
        match set_contested(path, text) {
            Ok(marked) => {
                *text = marked;
                self.changed.insert(path.to_owned());
            }
            Err(error) => self.warnings.push(not_marked(path, &error)),
        }
    }
}

fn further_change(path: String) -> FurtherChange {
    let slug = path.clone();
    let edit = move |text: &str| {
        set_contested(&slug, text).map_err(|source| Error::Edit { slug: slug.clone(), source })
    };
    let action = Action::Edit(Box::new(edit));
    FurtherChange {
        change: PageChange { path: VaultPath::known(path), action, expected_version: None },
        purpose: "marked as contested",
    }
}

fn set_contested(path: &str, text: &str) -> std::result::Result<String, EditError> {
    set_property(Format::of(path), text, "status", &Value::Text(CONTESTED.into()))
}

fn not_marked(path: &str, error: &EditError) -> String {
    format!("{path} could not be marked as contested: {error}")
}
