//! The namespace that a session works in.

use std::collections::HashSet;

use lore_engine::{VaultContext, is_known_namespace, known_namespaces, named_namespace};
use lore_ports::{Filter, Namespace, Order, Window};
use lore_text::fold;

use super::Session;
use crate::app::error::{AppError, Result};

/// The pages that a session shows beside those that its caller names.
pub(crate) struct Visible(Option<HashSet<String>>);

impl Visible {
    /// Returns whether it has the page with this slug.
    pub fn has(&self, slug: &str) -> bool {
        self.0.as_ref().is_none_or(|slugs| slugs.contains(slug))
    }
}

/// Maximum number of namespaces that an error lists.
const LISTED: usize = 12;

/// The name that stands for all pages of a vault.
const ALL: &str = "all";

impl Session {
    /// Returns the namespace that was asked for for the whole session.
    pub fn named_namespace(&self) -> Option<&str> {
        self.options.namespace.as_deref()
    }

    /// Returns the namespace that was asked for, by the operation or for the whole session, else the one that the working
    /// directory is mapped to. `all` stands for the whole vault. One that was asked for must exist; a directory may be
    /// mapped to one that has no pages yet.
    pub fn namespace(&self, context: &VaultContext, asked: Option<&str>) -> Result<Option<String>> {
        let given = |asked: &str| Some(asked.trim().to_owned()).filter(|asked| !asked.is_empty());
        let everywhere = || self.options.namespace.as_deref().and_then(given);
        match asked.and_then(given).or_else(everywhere) {
            Some(asked) if asked == ALL => Ok(None),
            Some(asked) if !is_known_namespace(context, &asked)? => Err(self.no_namespace(context, &asked)?),
            Some(asked) => Ok(Some(asked)),
            None => Ok(self.mapped_namespace(context)),
        }
    }

    fn no_namespace(&self, context: &VaultContext, name: &str) -> Result<AppError> {
        let mut known = known_namespaces(context)?;
        known.sort_by(|one, other| {
            let likeness = |known: &str| strsim::jaro_winkler(&fold(known), &fold(name));
            likeness(other).total_cmp(&likeness(one)).then_with(|| one.cmp(other))
        });
        let more = if known.len() > LISTED { ", …" } else { "" };
        known.truncate(LISTED);
        let known = match known.is_empty() {
            true => "there is none yet".to_owned(),
            false => format!("known namespaces: {}{more}", known.join(", ")),
        };
        Ok(AppError::usage(
            format!("no namespace {name:?} in {}", context.name()),
            self.hint(&format!("{known}; create it with `lore ns create {name}`, or pass `all`")),
        ))
    }

    /// Returns the pages of [`Session::namespace`]; `None` means all of them.
    pub fn namespace_filter(&self, context: &VaultContext, asked: Option<&str>) -> Result<Option<Namespace>> {
        Ok(self.namespace(context, asked)?.map(|name| named_namespace(context, &name)))
    }

    /// Returns the session's namespace to write new pages to; an error if it is none of the vault's.
    pub fn namespace_to_write(&self, context: &VaultContext) -> Result<Option<String>> {
        match self.namespace(context, None)? {
            Some(name) if !is_known_namespace(context, &name)? => Err(self.no_namespace(context, &name)?),
            found => Ok(found),
        }
    }

    /// Returns the folder of the namespace that was asked for for the whole session. A page that is named by its slug is put
    /// there; where the working directory alone is mapped to a namespace, a slug is taken as it is.
    pub fn folder_to_write(&self, context: &VaultContext) -> Result<Option<String>> {
        if self.named_namespace().is_none_or(|name| name.trim().is_empty()) {
            return Ok(None);
        }
        let folder = |name: String| context.policy().namespace_folder(&name);
        Ok(self.namespace_to_write(context)?.map(folder).filter(|folder| !folder.is_empty()))
    }

    /// Returns the pages of the session's namespace; all if it has none.
    pub(crate) fn visible(&self, context: &VaultContext) -> Result<Visible> {
        self.visible_in(context, None)
    }

    /// Returns the pages of the namespace that was asked for, else of the session's; all if there is none.
    pub(crate) fn visible_in(&self, context: &VaultContext, asked: Option<&str>) -> Result<Visible> {
        let Some(namespace) = self.namespace_filter(context, asked)? else { return Ok(Visible(None)) };
        let all = Window { limit: i64::MAX as usize, offset: 0 };
        let filter = Filter { namespace: Some(namespace), ..Filter::default() };
        let pages = context.store().list(context.project(), &filter, Order::Title, all)?;
        Ok(Visible(Some(pages.into_iter().map(|page| page.slug).collect())))
    }

    /// Returns whether the working directory is mapped to this vault as a whole.
    pub fn is_mapped(&self, context: &VaultContext) -> bool {
        self.is_mapped_to(context) && self.mapped_namespace(context).is_none()
    }

    fn mapped_namespace(&self, context: &VaultContext) -> Option<String> {
        let projects = self.projects();
        let map = projects.mapping(self.environment.here.as_deref()?)?;
        map.namespace.clone().filter(|_| map.project == context.name())
    }

    fn is_mapped_to(&self, context: &VaultContext) -> bool {
        let projects = self.projects();
        let map = self.environment.here.as_deref().and_then(|here| projects.mapping(here));
        map.is_some_and(|map| map.project == context.name())
    }
}
