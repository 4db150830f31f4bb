//! Text bundles, directories that are one note: the text becomes a page, its assets go to a directory beside it.

use lore_engine::Result;
use lore_page::{Format, Value, edit};
use lore_text::percent_encode;
use lore_vault::{SourceFile, SourceTree, is_page_path};
use serde::Deserialize;

use super::super::super::{Found, Proposed, Sink};
use super::{BUNDLE, MAX_FILE, in_utf8};

/// End of the name of the directory that wraps a backup of Bear.
const BACKUP: &str = ".bear2bk/";

/// File of a bundle that describes it.
const ABOUT: &str = "info.json";

/// What Bear knows of a note.
#[derive(Debug, Default, Deserialize)]
struct About {
    #[serde(default, rename = "net.shinyfrog.bear")]
    bear: Bear,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bear {
    #[serde(default)]
    trashed: u8,
    #[serde(default)]
    encrypted: u8,
    #[serde(default)]
    creation_date: Option<String>,
    #[serde(default)]
    modification_date: Option<String>,
}

/// Whether a file lists the tags or the notes of a backup.
pub(super) fn is_about_export(path: &str) -> bool {
    matches!(path.split_once(BACKUP), Some((_, "tags.json" | "backup.json")))
}

/// Reads a file of a bundle.
pub(super) fn read(
    tree: &SourceTree,
    file: &SourceFile,
    bundle: &str,
    inside: &str,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let about = about(tree, bundle);
    let reason = match () {
        () if about.trashed > 0 => "the note is in the trash; only its original is kept",
        () if about.encrypted > 0 => "the note is encrypted; only its original is kept",
        () if inside == ABOUT => return Ok(()),
        () => "it is not the text of the note; only its original is kept",
    };
    let is_left_out = about.trashed > 0 || about.encrypted > 0;
    let bytes = if is_left_out { Vec::new() } else { tree.read(file, MAX_FILE)? };
    match proposed(file, bundle, inside, bytes, &about).filter(|_| !is_left_out) {
        Some(item) => sink(Found::Item(item)),
        None => sink(Found::Skipped { path: file.path.clone(), reason: reason.to_owned() }),
    }
}

fn about(tree: &SourceTree, bundle: &str) -> Bear {
    let file = tree.file(&format!("{bundle}{BUNDLE}{ABOUT}"));
    let bytes = file.and_then(|file| tree.read(file, MAX_FILE).ok()).unwrap_or_default();
    serde_json::from_slice::<About>(&bytes).unwrap_or_default().bear
}

fn proposed(file: &SourceFile, bundle: &str, inside: &str, bytes: Vec<u8>, about: &Bear) -> Option<Proposed> {
    let place = bundle.split_once(BACKUP).map_or(bundle, |(_, inside)| inside);
    let key = file.path.clone();
    if let Some(asset) = inside.strip_prefix("assets/") {
        return Some(Proposed { key, path: format!("{place}.assets/{asset}"), bytes, ..Proposed::default() });
    }
    if !inside.starts_with("text.") || !is_page_path(inside) {
        return None;
    }
    let name = place.rsplit('/').next().unwrap_or(place);
    let folder = percent_encode(&format!("{name}.assets/"), " ()<>");
    let mut text = String::from_utf8(in_utf8(bytes)).ok()?.replace("](assets/", &format!("]({folder}"));
    for (key, time) in [("updated", &about.modification_date), ("created", &about.creation_date)] {
        if let Some(day) = time.as_deref().and_then(|time| time.get(..10)) {
            let day = Value::Text(day.to_owned());
            text = edit::set_property(Format::Markdown, &text, key, &day).unwrap_or(text);
        }
    }
    Some(Proposed { key, path: format!("{place}.md"), bytes: text.into_bytes(), ..Proposed::default() })
}
