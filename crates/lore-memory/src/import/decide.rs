//! Decides what happens to a proposed page or file, by the vault, the policy and earlier imports.

use std::collections::BTreeSet;

use lore_engine::{Level, PathClass, Result, VaultContext, Verb, page_findings, refuse_name};
use lore_text::{ContentHash, fold};
use lore_vault::{
    EXPECTATIONS_FILE, POLICY_FILE, VaultPath, decode, is_attachment_path, is_page_path, is_sidecar,
    without_extension,
};

use super::manifest::{ImportedItem, Known};
use super::originals::has_certain_secret;
use super::{ImportOutcome, Proposed};

/// What happens to a proposed page or file.
pub(super) enum Decision {
    /// It is written.
    Write(Planned),
    /// It is already there.
    Unchanged(ImportedItem),
    /// The vault has something else there, which is left alone.
    Conflict {
        /// Vault-relative path.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// It cannot become a file of the vault.
    Skip {
        /// The reason.
        reason: String,
    },
}

/// A page or file to write.
pub(super) struct Planned {
    pub key: String,
    pub path: String,
    pub bytes: Vec<u8>,
    pub proposed: ContentHash,
    pub outcome: ImportOutcome,
    /// The version that the decision was made on.
    pub version: u64,
}

/// Decides about the items of one source.
pub(super) struct Judge<'a> {
    pub context: &'a VaultContext,
    pub folder: String,
    pub known: &'a Known,
    /// Folded paths that items of this source have.
    pub taken: BTreeSet<String>,
}

impl Judge<'_> {
    /// Decides about one item.
    pub(super) fn decide(&mut self, item: Proposed) -> Result<Decision> {
        let known = self.known.items.get(&item.key);
        let path = match known {
            Some(known) => known.path.clone(),
            None => match self.place(&item) {
                Ok(path) => path,
                Err(reason) => return Ok(Decision::Skip { reason }),
            },
        };
        self.taken.insert(fold(&path));
        let proposed = ContentHash::of(&item.bytes);
        if let Some(known) = known.filter(|known| known.proposed == proposed) {
            return Ok(Decision::Unchanged(known.clone()));
        }
        if let Some(reason) = self.refusal(&path, &item)? {
            return Ok(Decision::Skip { reason });
        }
        let version = self.context.version_of(&path)?;
        let current = self.context.vault().read(&path, u64::MAX)?.map(|file| file.bytes);
        let unchanged = || ImportedItem { path: path.clone(), proposed, written: Some(proposed) };
        let written = known.and_then(|known| known.written);
        Ok(match (current, known.is_some()) {
            (Some(current), _) if current == item.bytes => Decision::Unchanged(unchanged()),
            (None, false) => write(item, path, ImportOutcome::Created, version),
            (None, true) => {
                Decision::Conflict { path, reason: "it was deleted or moved since it was imported" }
            }
            (Some(current), true) if written == Some(ContentHash::of(&current)) => {
                write(item, path, ImportOutcome::Updated, version)
            }
            (Some(current), true) => match extended(&current, &item) {
                Some(bytes) if bytes == current => Decision::Unchanged(unchanged()),
                Some(bytes) => {
                    let (key, outcome) = (item.key, ImportOutcome::Extended);
                    Decision::Write(Planned { key, path, bytes, proposed, outcome, version })
                }
                None => Decision::Conflict { path, reason: "it was edited since it was imported" },
            },
            (Some(_), false) => Decision::Conflict { path, reason: "another file is already there" },
        })
    }

    /// Returns the vault-relative path of a new item, or why it has none.
    fn place(&self, item: &Proposed) -> std::result::Result<String, String> {
        let wanted = match self.folder.is_empty() {
            true => item.path.clone(),
            false => format!("{}/{}", self.folder, item.path),
        };
        let wanted = match VaultPath::parse(&wanted) {
            Ok(path) => path.into_string(),
            Err(_) => VaultPath::parse(&tidied(&wanted)).map_err(|error| error.to_string())?.into_string(),
        };
        // A name may become one of these only when it is tidied.
        if [POLICY_FILE, EXPECTATIONS_FILE].contains(&fold(&wanted).as_str()) {
            return Err("it would be the settings of this vault; only its original is kept".to_owned());
        }
        let is_free = |path: &str| {
            !self.taken.contains(&fold(path))
                && (!item.is_named_freely || self.is_free_in_vault(path, &item.bytes))
        };
        if is_free(&wanted) {
            return Ok(wanted);
        }
        let stem = without_extension(&wanted);
        let (stem, ending) = match stem.len() < wanted.len() {
            true => (stem, &wanted[stem.len()..]),
            false => wanted
                .rsplit_once('.')
                .map_or((wanted.as_str(), ""), |(stem, _)| (stem, &wanted[stem.len()..])),
        };
        let numbered =
            (2..10_000).map(|number| format!("{stem}-{number}{ending}")).find(|path| is_free(path));
        numbered.ok_or_else(|| "too many files have its name".to_owned())
    }

    fn is_free_in_vault(&self, path: &str, bytes: &[u8]) -> bool {
        let current = self.context.vault().read(path, u64::MAX);
        current.is_ok_and(|current| current.is_none_or(|current| current.bytes == bytes))
    }

    /// Returns why the vault cannot take an item.
    fn refusal(&self, path: &str, item: &Proposed) -> Result<Option<String>> {
        let policy = self.context.policy();
        let limit = policy.limits.page_bytes;
        if item.bytes.len() as u64 > limit {
            return Ok(Some(format!("it has {} bytes, over the limit of {limit}", item.bytes.len())));
        }
        if let PathClass::Refused(reason) = self.context.classify(path)
            && !is_attachment_path(path)
            && !is_sidecar(path)
        {
            return Ok(Some(reason.to_owned()));
        }
        if let Err(error) = policy.allow(path, &[Verb::Create]) {
            return Ok(Some(error.to_string()));
        }
        if let Err(error) = refuse_name(self.context, path) {
            return Ok(Some(error.to_string()));
        }
        if has_certain_secret(self.context, &item.bytes) {
            return Ok(Some("it contains a credential".to_owned()));
        }
        if is_page_path(path) {
            let findings = page_findings(&policy, path, &decode(&item.bytes).text);
            let error = findings.into_iter().find(|found| found.level == Level::Error);
            return Ok(error.map(|found| match found.line {
                Some(line) => format!("line {line}: {}", found.message),
                None => found.message,
            }));
        }
        Ok(None)
    }
}

fn write(item: Proposed, path: String, outcome: ImportOutcome, version: u64) -> Decision {
    let proposed = ContentHash::of(&item.bytes);
    Decision::Write(Planned { key: item.key, path, bytes: item.bytes, proposed, outcome, version })
}

/// Returns a page with the parts that it lacks added at its end; none if the item has no parts.
fn extended(current: &[u8], item: &Proposed) -> Option<Vec<u8>> {
    if item.turns.is_empty() {
        return None;
    }
    let mut text = std::str::from_utf8(current).ok()?.to_owned();
    for (anchor, part) in &item.turns {
        let has = text.lines().any(|line| line.trim_end().ends_with(anchor.as_str()));
        if !has {
            let gap = if text.ends_with("\n\n") {
                ""
            } else if text.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            text.push_str(gap);
            text.push_str(part);
        }
    }
    Some(text.into_bytes())
}

/// Returns a path whose names every system accepts: no leading dots or spaces, no reserved characters.
fn tidied(path: &str) -> String {
    let tidy = |name: &str| -> String {
        let plain = name.chars().map(|letter| match letter {
            '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '-',
            letter if letter.is_control() => ' ',
            letter if "\u{2044}\u{2215}\u{29f8}\u{ff0f}\u{29f5}\u{ff3c}".contains(letter) => '-',
            letter if "\u{2024}\u{2025}\u{ff0e}\u{fe52}\u{fe68}".contains(letter) => '.',
            letter => letter,
        });
        let plain: String = plain.collect();
        let (stem, ending) = match plain.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && ending.len() <= 10 => (stem, format!(".{ending}")),
            _ => (plain.as_str(), String::new()),
        };
        let mut stem = stem.trim_matches([' ', '.', '~']).to_owned();
        while stem.len() + ending.len() > 240 {
            stem.pop();
        }
        let name = format!("{}{}", stem.trim_end(), ending.trim_end());
        let name = name.trim_end_matches(['.', ' ']);
        if name.is_empty() || name.starts_with('.') { format!("untitled{name}") } else { name.to_owned() }
    };
    path.split('/').filter(|name| !name.is_empty()).map(tidy).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tidied() {
        for (path, expected) in [
            ("a/b .md", "a/b.md"),
            ("a: b/c?.md", "a- b/c-.md"),
            (" x/.hidden.md", "x/hidden.md"),
            ("a\u{2215}b.md", "a-b.md"),
            ("...", "untitled"),
        ] {
            assert_eq!(tidied(path), expected);
            assert!(VaultPath::parse(&tidied(path)).is_ok(), "{path}");
        }
        assert!(VaultPath::parse(&tidied(&format!("{}.md", "é".repeat(300)))).is_ok());
    }

    #[test]
    fn missing_parts_are_added() {
        let turns =
            vec![("^t1".to_owned(), "One ^t1\n".to_owned()), ("^t2".to_owned(), "Two ^t2\n".to_owned())];
        let item = Proposed { turns, ..Proposed::default() };
        let text = extended(b"# T\n\nOne, edited ^t1\n", &item).expect("text");
        assert_eq!(String::from_utf8(text).expect("text"), "# T\n\nOne, edited ^t1\n\nTwo ^t2\n");
    }
}
