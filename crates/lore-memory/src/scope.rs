//! Pages that belong to a working directory: a folder, or a project, tag or wing of that name.

use lore_engine::{Result, VaultContext};
use lore_ports::{Filter, Order, PageRow, Window};
use lore_text::{fold, project_slug};
use lore_vault::is_dir;

/// Returns the nearest of these directories whose name is used as a project, tag or wing, as a slug.
pub(crate) fn known_directory(context: &VaultContext, directories: &[String]) -> Result<Option<String>> {
    for scope in directories.iter().filter_map(|name| PageScope::directory(name)) {
        let first = Window { limit: 1, offset: 0 };
        for filter in scope.filters().into_iter().filter(|filter| filter.path.is_none()) {
            if !context.store().list(context.project(), &filter, Order::Updated, first)?.is_empty() {
                return Ok(Some(scope.slug));
            }
        }
    }
    Ok(None)
}

/// A scope of pages: a folder, or a project, tag or wing of one name.
pub(crate) struct PageScope {
    /// Name of the scope.
    pub(crate) name: String,
    /// Path prefixes.
    pub(crate) prefixes: Vec<String>,
    pub(crate) slug: String,
    /// Whether it was requested explicitly, so that only its pages are wanted.
    pub(crate) exclusive: bool,
}

impl PageScope {
    /// Returns the scope that a user named: a folder, a path prefix or a name.
    pub(crate) fn named(context: &VaultContext, text: &str) -> PageScope {
        let name = text.trim().trim_matches('/').to_owned();
        let is_path = name.contains('/') && !is_dir(&context.vault().root().join(&name));
        let prefix = if is_path { name.clone() } else { format!("{name}/") };
        PageScope { prefixes: vec![prefix], slug: project_slug(&name), name, exclusive: true }
    }

    /// Returns the scope of a directory name; none if the name has no usable slug.
    pub(crate) fn directory(name: &str) -> Option<PageScope> {
        let slug = project_slug(name);
        if slug == project_slug("") {
            return None;
        }
        let mut prefixes = vec![format!("{slug}/"), format!("{name}/")];
        prefixes.dedup();
        Some(PageScope { name: slug.clone(), prefixes, slug, exclusive: false })
    }

    /// Returns whether a page belongs to the scope.
    pub(crate) fn contains(&self, page: &PageRow) -> bool {
        let matches_slug = |text: &str| fold(text) == self.slug;
        self.prefixes.iter().any(|prefix| page.path.starts_with(prefix.as_str()))
            || page.properties.list("projects").iter().any(|project| matches_slug(project))
            || page.tags.iter().any(|tag| matches_slug(tag))
            || matches_slug(&page.wing)
    }

    /// Returns filters that find its pages, each using an index.
    pub(crate) fn filters(&self) -> Vec<Filter> {
        let slug = || self.slug.clone();
        let by_path = |prefix: &String| Filter { path: Some(prefix.clone()), ..Filter::default() };
        let mut filters: Vec<Filter> = self.prefixes.iter().map(by_path).collect();
        filters.push(Filter { properties: vec![("projects".into(), slug())], ..Filter::default() });
        filters.push(Filter { tags: vec![slug()], ..Filter::default() });
        filters.push(Filter { wing: Some(slug()), ..Filter::default() });
        filters
    }
}
