//! Compares two trees of pages by their meaning: pages, properties, truths, timeline entries, links, sidecar data and other
//! files. The order of properties, line ends, blank lines at the ends and the encoding do not count.

use std::collections::BTreeSet;

use lore_engine::Result;
use lore_page::{Page, parse};
use lore_vault::{SourceTree, is_hidden, is_page_path, is_sidecar};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use super::normal_text;

/// Maximum size of a file that is compared.
const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Files at the root that describe a tree instead of being part of it.
const SPECIAL: [&str; 4] = ["index.md", "lore-index.md", "schema.md", "README.md"];

/// A difference between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path of the file.
    pub path: String,
    /// What differs: `missing`, `extra`, `properties`, `truth`, `timeline`, `entries`, `links`, `data` or `bytes`.
    pub what: &'static str,
    /// The difference, in a few words.
    pub detail: String,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct TreeComparison {
    /// Number of pages in both.
    pub pages: usize,
    /// Number of other files in both.
    pub files: usize,
    /// The differences, sorted by path.
    pub differences: Vec<Difference>,
}

/// Compares the files of two trees.
pub fn compare_trees(original: &SourceTree, exported: &SourceTree) -> Result<TreeComparison> {
    let mut found = TreeComparison::default();
    let (ours, theirs) = (paths(original), paths(exported));
    for path in ours.union(&theirs) {
        let (one, other) = (file(original, path), file(exported, path));
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (original.read(one, MAX_FILE)?, exported.read(other, MAX_FILE)?),
            _ if SPECIAL.contains(&path.as_str()) => continue,
            (Some(_), None) => {
                found.add(path, "missing", "it is only in the original");
                continue;
            }
            _ => {
                found.add(path, "extra", "it is only in the export");
                continue;
            }
        };
        if is_page_path(path) {
            found.pages += 1;
            found.compare_pages(path, &normal_text(&one), &normal_text(&other));
        } else if is_sidecar(path) {
            found.files += 1;
            let value = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok();
            if one != other && (value(&one).is_none() || value(&one) != value(&other)) {
                found.add(path, "data", "the sidecar data differs");
            }
        } else {
            found.files += 1;
            if one != other {
                found.add(path, "bytes", &format!("{} and {} bytes differ", one.len(), other.len()));
            }
        }
    }
    Ok(found)
}

/// Returns the paths that count, in composed Unicode: hidden files are settings.
fn paths(tree: &SourceTree) -> BTreeSet<String> {
    let counts = |path: &String| is_sidecar(path) || !path.split('/').any(is_hidden);
    tree.files.iter().map(|file| file.path.nfc().collect::<String>()).filter(counts).collect()
}

fn file<'a>(tree: &'a SourceTree, path: &str) -> Option<&'a lore_vault::SourceFile> {
    tree.file(path).or_else(|| tree.files.iter().find(|file| file.path.nfc().eq(path.chars())))
}

impl TreeComparison {
    fn add(&mut self, path: &str, what: &'static str, detail: &str) {
        self.differences.push(Difference { path: path.to_owned(), what, detail: detail.to_owned() });
    }

    fn compare_pages(&mut self, path: &str, one: &str, other: &str) {
        if one == other {
            return;
        }
        let (a, b) = (parse(path, one).page, parse(path, other).page);
        let sorted = |page: &Page| -> Vec<(String, String)> {
            let text = |value: &lore_page::Value| serde_json::to_string(value).unwrap_or_default();
            let mut list: Vec<_> =
                page.properties.iter().map(|(key, value)| (key.to_owned(), text(value))).collect();
            list.sort();
            list
        };
        let (ours, theirs) = (sorted(&a), sorted(&b));
        if let Some((key, _)) = ours
            .iter()
            .find(|pair| !theirs.contains(pair))
            .or(theirs.iter().find(|pair| !ours.contains(pair)))
        {
            self.add(path, "properties", &format!("the property {key:?} differs"));
        }
        if a.truth.of(one).trim() != b.truth.of(other).trim() {
            let line = first_difference(a.truth.of(one).trim(), b.truth.of(other).trim());
            self.add(path, "truth", &line);
        }
        if a.entries != b.entries && texts(&a) != texts(&b) {
            self.add(
                path,
                "entries",
                &format!("{} and {} timeline entries", a.entries.len(), b.entries.len()),
            );
        }
        let timeline = |page: &Page, text: &str| {
            page.timeline.map_or(String::new(), |range| range.of(text).trim().to_owned())
        };
        if timeline(&a, one) != timeline(&b, other) && texts(&a) == texts(&b) {
            self.add(path, "timeline", &first_difference(&timeline(&a, one), &timeline(&b, other)));
        }
        let links = |page: &Page| -> Vec<(String, String)> {
            page.links.iter().map(|link| (link.relation.clone(), link.target.clone())).collect()
        };
        if links(&a) != links(&b) {
            self.add(path, "links", &format!("{} and {} links", links(&a).len(), links(&b).len()));
        }
    }
}

/// Returns the entries without their lines.
fn texts(page: &Page) -> Vec<(String, String, String)> {
    let text = |entry: &lore_page::Entry| {
        let detail = format!("{:?} {:?}", entry.source, entry.detail);
        (entry.date.clone(), entry.summary.clone(), detail)
    };
    page.entries.iter().map(text).collect()
}

fn first_difference(one: &str, other: &str) -> String {
    let (mut ours, mut theirs) = (one.lines(), other.lines());
    for number in 1.. {
        match (ours.next(), theirs.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => {
                let shown =
                    |line: Option<&str>| line.unwrap_or("nothing").chars().take(60).collect::<String>();
                return format!("line {number}: {:?} and {:?}", shown(one), shown(other));
            }
        }
    }
    "blank lines differ".to_owned()
}
