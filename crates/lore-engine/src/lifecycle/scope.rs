//! Which pages belong to where the work is done: a folder, or a project, tag or wing of one name.

use lore_page::fold;

use crate::error::Result;
use crate::index::{Filter, Order, PageRow, Window};
use crate::memory::Memory;
use crate::project_slug::project_slug;

/// The nearest of these directories whose name pages have as their project, tag or wing, as a slug.
pub(crate) fn known_directory(memory: &Memory, directories: &[String]) -> Result<Option<String>> {
    for scope in directories.iter().filter_map(|name| Scope::directory(name)) {
        let first = Window { limit: 1, offset: 0 };
        for filter in scope.filters().into_iter().filter(|filter| filter.path.is_none()) {
            if !memory.store().list(memory.project(), &filter, Order::Updated, first)?.is_empty() {
                return Ok(Some(scope.slug));
            }
        }
    }
    Ok(None)
}

/// What pages have in common: a folder, or a project, tag or wing of one name.
pub(super) struct Scope {
    /// What they are called.
    pub(super) name: String,
    /// What their paths may start with.
    pub(super) prefixes: Vec<String>,
    pub(super) slug: String,
    /// Whether somebody asked for it, so that nothing else is wanted.
    pub(super) alone: bool,
}

impl Scope {
    /// What a person named: a folder, the beginning of a path, or a name.
    pub(super) fn named(memory: &Memory, text: &str) -> Scope {
        let name = text.trim().trim_matches('/').to_owned();
        let is_path = name.contains('/') && !memory.vault().root().join(&name).is_dir();
        let prefix = if is_path { name.clone() } else { format!("{name}/") };
        Scope { prefixes: vec![prefix], slug: project_slug(&name), name, alone: true }
    }

    /// What is called as a directory is; a name that says nothing gives nothing.
    pub(super) fn directory(name: &str) -> Option<Scope> {
        let slug = project_slug(name);
        if slug == project_slug("") {
            return None;
        }
        let mut prefixes = vec![format!("{slug}/"), format!("{name}/")];
        prefixes.dedup();
        Some(Scope { name: slug.clone(), prefixes, slug, alone: false })
    }

    /// Whether a page is one of them.
    pub(super) fn takes(&self, page: &PageRow) -> bool {
        let is_slug = |text: &str| fold(text) == self.slug;
        self.prefixes.iter().any(|prefix| page.path.starts_with(prefix.as_str()))
            || page.properties.list("projects").iter().any(|project| is_slug(project))
            || page.tags.iter().any(|tag| is_slug(tag))
            || is_slug(&page.wing)
    }

    /// Filters that find them, each by an index.
    pub(super) fn filters(&self) -> Vec<Filter> {
        let slug = || self.slug.clone();
        let by_path = |prefix: &String| Filter { path: Some(prefix.clone()), ..Filter::default() };
        let mut filters: Vec<Filter> = self.prefixes.iter().map(by_path).collect();
        filters.push(Filter { properties: vec![("projects".into(), slug())], ..Filter::default() });
        filters.push(Filter { tags: vec![slug()], ..Filter::default() });
        filters.push(Filter { wing: Some(slug()), ..Filter::default() });
        filters
    }
}
