//! Namespaces of a vault: groups of pages that are searched, briefed and aged on their own.

use std::collections::BTreeSet;

use lore_ports::{Filter, Namespace, Order, Window};
use lore_text::project_slug;
use lore_vault::{VaultPath, is_dir};

use crate::change::{Action, Authority, Edit, PageChange, Receipt, WriteOptions};
use crate::context::VaultContext;
use crate::error::{Error, Result};
use crate::lint::refuse_secret;
use crate::policy::{NamespacePolicy, POLICY_FILE, Policy, is_namespace_name, namespace_table};
use crate::write::write_as;

/// A namespace with the number of its pages.
#[derive(Debug, Clone)]
pub struct NamespaceInfo {
    /// Name.
    pub slug: String,
    /// Its settings.
    pub settings: NamespacePolicy,
    /// Folder of its pages.
    pub folder: String,
    /// Number of its pages.
    pub pages: usize,
}

/// Returns the namespace that a user named: a declared one, a folder, a path prefix, or a project, tag or wing.
pub fn named_namespace(context: &VaultContext, text: &str) -> Namespace {
    let name = text.trim().trim_matches('/');
    let folder = context.policy().namespace_folder(name);
    let is_path = folder.contains('/') && !has_folder(context, &folder);
    let prefix = if is_path { folder } else { format!("{folder}/") };
    Namespace { name: project_slug(name), prefixes: vec![prefix] }
}

/// Returns the namespace of a directory's name; none if the name has no usable slug.
pub fn directory_namespace(name: &str) -> Option<Namespace> {
    let slug = project_slug(name);
    if slug == project_slug("") {
        return None;
    }
    let mut prefixes = vec![format!("{slug}/"), format!("{name}/")];
    prefixes.dedup();
    Some(Namespace { name: slug, prefixes })
}

/// Returns whether a namespace is declared, or has pages or a folder.
pub fn is_known_namespace(context: &VaultContext, name: &str) -> Result<bool> {
    let policy = context.policy();
    let is_declared = policy.namespaces.contains_key(&project_slug(name));
    let has_folder = || has_folder(context, &policy.namespace_folder(name));
    Ok(is_declared || has_folder() || count(context, named_namespace(context, name))? > 0)
}

/// Returns the names of the namespaces that are declared or that pages are in, by folder or property.
pub fn known_namespaces(context: &VaultContext) -> Result<Vec<String>> {
    let mut names: BTreeSet<String> = context.policy().namespaces.keys().cloned().collect();
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    for page in context.store().list(context.project(), &Filter::default(), Order::Title, all)? {
        names.extend(page.path.split_once('/').map(|(folder, _)| folder.to_owned()));
        for key in ["namespace", "projects"] {
            names.extend(page.properties.list(key));
        }
    }
    Ok(names.into_iter().collect())
}

/// Whether the vault has a folder. A name that leads out of the vault says nothing about what is there.
fn has_folder(context: &VaultContext, folder: &str) -> bool {
    VaultPath::parse(folder).is_ok_and(|path| is_dir(&context.vault().root().join(path.into_string())))
}

/// Returns the known namespaces, by name: the declared ones and those that pages are in.
pub fn namespaces(context: &VaultContext) -> Result<Vec<NamespaceInfo>> {
    let policy = context.policy();
    let info = |slug: String| -> Result<NamespaceInfo> {
        Ok(NamespaceInfo {
            settings: policy.namespaces.get(&slug).cloned().unwrap_or_default(),
            folder: policy.namespace_folder(&slug),
            pages: count(context, named_namespace(context, &slug))?,
            slug,
        })
    };
    known_namespaces(context)?.into_iter().map(info).collect()
}

fn count(context: &VaultContext, namespace: Namespace) -> Result<usize> {
    let filter = Filter { namespace: Some(namespace), ..Filter::default() };
    Ok(usize::try_from(context.store().count(context.project(), &filter)?).unwrap_or(usize::MAX))
}

/// Declares a namespace in the policy file. One that exists with the same settings is left as it is.
pub fn create_namespace(context: &VaultContext, name: &str, settings: &NamespacePolicy) -> Result<Receipt> {
    if !is_namespace_name(name) {
        return Err(Error::BadInput {
            message: format!("{name:?} is not the name of a namespace"),
            hint: "use lowercase letters, digits and hyphens, such as ep-advisory".into(),
        });
    }
    refuse_secret(context, "the name", settings.name.as_deref().unwrap_or_default())?;
    refuse_secret(context, "the description", settings.description.as_deref().unwrap_or_default())?;
    let table = namespace_table(name, settings);
    let add: Edit<'_> = Box::new(|text| added(context, name, settings, &table, text));
    let has_policy = context.vault().read_text(POLICY_FILE)?.is_some();
    let (action, expected_version) = match has_policy {
        true => (Action::Edit(add), None),
        false => (Action::Put(added(context, name, settings, &table, "")?.into_bytes()), Some(0)),
    };
    let change = PageChange { path: VaultPath::known(POLICY_FILE.to_owned()), action, expected_version };
    let options = WriteOptions {
        authority: Authority::Settings,
        subject: Some(format!("Create namespace {name}")),
        ..WriteOptions::default()
    };
    let receipt = write_as(context, &[change], &options)?;
    context.reload_policy()?;
    Ok(receipt)
}

/// Returns the text of the policy file with a namespace added at its end.
fn added(
    context: &VaultContext,
    name: &str,
    settings: &NamespacePolicy,
    table: &str,
    text: &str,
) -> Result<String> {
    let known = Policy::from_text(context.vault().root(), Some(text))?;
    match known.namespaces.get(name) {
        Some(same) if same == settings || *settings == NamespacePolicy::default() => {
            return Ok(text.to_owned());
        }
        Some(_) => {
            return Err(Error::BadInput {
                message: format!("the namespace {name} exists with other settings"),
                hint: format!("change [namespaces.{name}] in {POLICY_FILE}; nothing was changed"),
            });
        }
        None => {}
    }
    let gap = if text.is_empty() {
        ""
    } else if text.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let text = format!("{text}{gap}{table}");
    // The whole file is checked as it would be read.
    Policy::from_text(context.vault().root(), Some(&text))?;
    Ok(text)
}
