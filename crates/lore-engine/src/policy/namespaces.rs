//! Namespaces: groups of pages within a vault, with their own thresholds.

use lore_ports::{Namespace, PageRow};
use lore_text::{fold, project_slug};
use serde::Deserialize;

use super::{Ageing, Policy};

/// Maximum length of a namespace's name.
const NAME_LENGTH: usize = 60;

/// A namespace of a vault: the pages of a folder, and those that have its name as `namespace`, project, tag or wing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NamespacePolicy {
    /// Name for people.
    pub name: Option<String>,
    /// What belongs there.
    pub description: Option<String>,
    /// Folder of its pages; by default, one of its name.
    pub folder: Option<String>,
    /// Whether its pages become stale; implied by either number of days.
    pub age: Option<bool>,
    /// Days without a change or a review, as for the vault.
    pub stale_after_days: Option<u32>,
    /// Days for a page without inbound links, as for the vault.
    pub orphan_after_days: Option<u32>,
}

impl NamespacePolicy {
    /// Whether its pages have thresholds of their own.
    fn has_thresholds(&self) -> bool {
        self.age.is_some() || self.stale_after_days.is_some() || self.orphan_after_days.is_some()
    }
}

impl Policy {
    /// Returns the folder of a namespace.
    pub fn namespace_folder(&self, name: &str) -> String {
        let declared = self.namespaces.get(&project_slug(name)).and_then(|known| known.folder.as_deref());
        declared.unwrap_or(name).trim_matches('/').to_owned()
    }

    /// Returns a declared namespace as a filter.
    pub fn namespace(&self, name: &str) -> Namespace {
        Namespace { name: fold(name), prefixes: vec![format!("{}/", self.namespace_folder(name))] }
    }

    /// Returns the declared namespace that a page belongs to: the one that it names itself, else the first by name.
    pub fn namespace_of(&self, page: &PageRow) -> Option<&str> {
        let own = page.properties.text("namespace").map(project_slug);
        let mut known = self.namespaces.keys().map(String::as_str);
        match own.and_then(|own| self.namespaces.get_key_value(&own)) {
            Some((own, _)) => Some(own),
            None => known.find(|name| self.namespace(name).contains(page)),
        }
    }

    /// Returns when a page becomes stale: by its path, else by its namespace, else as everywhere.
    pub fn ageing(&self, page: &PageRow) -> Ageing {
        let by_namespace = || self.namespace_ageing(self.namespace_of(page)?);
        self.lifecycle
            .at_path(&page.path)
            .or_else(by_namespace)
            .unwrap_or_else(|| self.lifecycle.everywhere())
    }

    /// Returns when the pages of a namespace become stale, if it has thresholds of its own.
    pub fn namespace_ageing(&self, name: &str) -> Option<Ageing> {
        let known = self.namespaces.get(name).filter(|known| known.has_thresholds())?;
        Some(self.lifecycle.overridden(known.age, known.stale_after_days, known.orphan_after_days))
    }

    /// Whether any page becomes stale by age.
    pub fn ages(&self) -> bool {
        let never = Ageing::default();
        let of = |name: &String| self.namespace_ageing(name).is_some_and(|ageing| ageing != never);
        self.lifecycle.ages() || self.namespaces.keys().any(of)
    }

    pub(super) fn check_namespaces(&self) -> Result<(), String> {
        match self.namespaces.keys().find(|name| !is_namespace_name(name)) {
            Some(name) => Err(format!(
                "{name:?} is not the name of a namespace: use lowercase letters, digits and hyphens"
            )),
            None => Ok(()),
        }
    }
}

/// Whether a text can be the name of a namespace, and so of a folder.
pub fn is_namespace_name(name: &str) -> bool {
    name.len() <= NAME_LENGTH && name != "all" && !name.contains('/') && project_slug(name) == name
}

/// Returns the table of a namespace in the policy file.
pub fn namespace_table(name: &str, namespace: &NamespacePolicy) -> String {
    let mut table = toml::Table::new();
    let mut set = |key: &str, value: Option<toml::Value>| {
        if let Some(value) = value {
            table.insert(key.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.clone().map(toml::Value::String);
    let number = |days: Option<u32>| days.map(|days| toml::Value::Integer(days.into()));
    set("name", text(&namespace.name));
    set("description", text(&namespace.description));
    set("folder", text(&namespace.folder));
    set("age", namespace.age.map(toml::Value::Boolean));
    set("stale_after_days", number(namespace.stale_after_days));
    set("orphan_after_days", number(namespace.orphan_after_days));
    format!("[namespaces.{name}]\n{table}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_page::{Properties, Value};

    fn page(path: &str, properties: &[(&str, &str)]) -> PageRow {
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), Value::Text((*value).to_owned()));
        let properties = Properties(properties.iter().map(pair).collect());
        PageRow {
            number: 1,
            id: path.into(),
            path: path.into(),
            slug: path.into(),
            title: path.into(),
            kind: "note".into(),
            status: None,
            wing: String::new(),
            summary: None,
            tags: Vec::new(),
            properties,
            diagnostics: Vec::new(),
            hash: lore_text::ContentHash::of(b""),
            size: 0,
            created: 0,
            updated: 0,
            version: 1,
        }
    }

    #[test]
    fn thresholds_apply_to_the_pages_of_a_namespace() {
        let text = "[lifecycle]\nage = true\n[[lifecycle.paths]]\npattern = \"clients/keep/**\"\nage = false\n\
                    [namespaces.clients]\nstale_after_days = 20\n[namespaces.home]\nfolder = \"private\"\nage = false\n\
                    [namespaces.work]\n";
        let policy = Policy::parse(text).expect("a policy");
        let days = |page: &PageRow| {
            let ageing = policy.ageing(page);
            (ageing.stale_after, ageing.orphan_after)
        };
        assert_eq!(days(&page("clients/a.md", &[])), (Some(20), Some(30)));
        assert_eq!(days(&page("clients/keep/a.md", &[])), (None, None));
        assert_eq!(days(&page("a.md", &[("namespace", "Clients")])), (Some(20), Some(30)));
        assert_eq!(days(&page("private/a.md", &[])), (None, None));
        assert_eq!(days(&page("work/a.md", &[])), (Some(60), Some(30)));
        assert_eq!(policy.namespace_of(&page("a.md", &[("projects", "work")])), Some("work"));
        assert_eq!(policy.namespace_of(&page("clients/a.md", &[("namespace", "work")])), Some("work"));
        assert_eq!(policy.namespace_of(&page("a.md", &[])), None);
    }

    #[test]
    fn table_is_read_back_and_names_are_checked() {
        let namespace = NamespacePolicy {
            name: Some("The \"big\" one\n[limits]".into()),
            stale_after_days: Some(90),
            ..NamespacePolicy::default()
        };
        let policy = Policy::parse(&namespace_table("clients", &namespace)).expect("a policy");
        assert_eq!(policy.namespaces["clients"], namespace);
        for name in ["Clients", "a/b", "..", "", "all", "a b"] {
            assert!(!is_namespace_name(name), "{name}");
        }
        assert!(Policy::parse("[namespaces.\"A B\"]\n").is_err());
        assert!(Policy::parse("[namespaces.a]\nfolder = \"../b\"\n").is_err());
    }
}
