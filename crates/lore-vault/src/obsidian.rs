//! What the settings of an Obsidian vault say about its folders.

use serde::Deserialize;

use crate::path::VaultPath;

/// The files with the folder of templates: that of the core plugin and that of Templater.
const SETTINGS: [&str; 2] = ["templates.json", "plugins/templater-obsidian/data.json"];

/// The settings that name a folder of templates.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TemplateSettings {
    #[serde(alias = "templates_folder", alias = "template_folder")]
    folder: Option<String>,
}

/// Returns the folders of templates, relative to the Obsidian vault. `read` returns the text of a file below its
/// `.obsidian`; settings that cannot be read name no folder.
pub(crate) fn template_folders(read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let named = SETTINGS.iter().filter_map(|name| {
        let text = read(name)?;
        serde_json::from_str::<TemplateSettings>(text.trim_start_matches('\u{feff}')).ok()?.folder
    });
    named
        .filter_map(|folder| VaultPath::parse(folder.trim().trim_matches('/')).ok())
        .map(VaultPath::into_string)
        .collect()
}
