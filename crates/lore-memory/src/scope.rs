//! Pages that belong to a working directory: a namespace that a user named or that has the directory's name.

use lore_engine::{Result, VaultContext, directory_namespace, named_namespace};
use lore_ports::{Filter, Namespace, Order, PageRow, Window};

/// Returns the nearest of these directories whose name is used as a namespace, project, tag or wing, as a slug.
pub(crate) fn known_directory(context: &VaultContext, directories: &[String]) -> Result<Option<String>> {
    for namespace in directories.iter().filter_map(|name| directory_namespace(name)) {
        let first = Window { limit: 1, offset: 0 };
        // A folder of that name says nothing about its use as a tag.
        let labelled = Namespace { prefixes: Vec::new(), ..namespace.clone() };
        let filter = Filter { namespace: Some(labelled), ..Filter::default() };
        if !context.store().list(context.project(), &filter, Order::Updated, first)?.is_empty() {
            return Ok(Some(namespace.name));
        }
    }
    Ok(None)
}

/// A scope of pages.
pub(crate) struct PageScope {
    /// Name of the scope.
    pub(crate) name: String,
    /// Its pages.
    pub(crate) namespace: Namespace,
    /// Whether it was requested explicitly, so that only its pages are wanted.
    pub(crate) exclusive: bool,
}

impl PageScope {
    /// Returns the scope that a user named: a namespace, a folder, a path prefix or a name.
    pub(crate) fn named(context: &VaultContext, text: &str) -> PageScope {
        let name = text.trim().trim_matches('/').to_owned();
        PageScope { namespace: named_namespace(context, &name), name, exclusive: true }
    }

    /// Returns the scope of a directory name; none if the name has no usable slug.
    pub(crate) fn directory(name: &str) -> Option<PageScope> {
        let namespace = directory_namespace(name)?;
        Some(PageScope { name: namespace.name.clone(), namespace, exclusive: false })
    }

    /// Returns whether a page belongs to the scope.
    pub(crate) fn contains(&self, page: &PageRow) -> bool {
        self.namespace.contains(page)
    }

    /// Returns the filter that finds its pages.
    pub(crate) fn filter(&self) -> Filter {
        Filter { namespace: Some(self.namespace.clone()), ..Filter::default() }
    }
}
