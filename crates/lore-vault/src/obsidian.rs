//! What the settings of an Obsidian vault say about its folders.

use serde::Deserialize;

use crate::path::VaultPath;
use crate::vault::Vault;

/// The files with the folder of templates: that of the core plugin and that of Templater.
const SETTINGS: [&str; 2] = ["templates.json", "plugins/templater-obsidian/data.json"];

/// The settings that name a folder of templates.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TemplateSettings {
    #[serde(alias = "templates_folder", alias = "template_folder")]
    folder: Option<String>,
}

/// Returns the folders of templates, relative to the Obsidian vault. `settings` is the path of its `.obsidian`. Settings
/// that cannot be read name none.
pub(crate) fn template_folders(vault: &Vault, settings: &str) -> Vec<String> {
    let named = SETTINGS.iter().filter_map(|name| {
        let text = vault.read_text(&format!("{settings}/{name}")).ok().flatten()?;
        serde_json::from_str::<TemplateSettings>(text.trim_start_matches('\u{feff}')).ok()?.folder
    });
    named
        .filter_map(|folder| VaultPath::parse(folder.trim().trim_matches('/')).ok())
        .map(VaultPath::into_string)
        .collect()
}
