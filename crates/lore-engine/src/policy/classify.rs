//! What kind of file a path is, decided in one place for writes, the index, lint and the resolver.

use lore_vault::{EXPECTATIONS_FILE, is_page_path, is_sidecar};

use super::Policy;

/// The class of a path in a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathClass {
    /// A page: indexed and linted.
    Page,
    /// JSON data beside a page.
    Sidecar,
    /// A raw capture.
    Raw,
    /// Another file that Lore may write: one that a rule gives an extension, one that is excluded from the index, or the
    /// vault's expectations.
    Data,
    /// A file that Lore does not write, and why.
    Refused(&'static str),
}

impl Policy {
    /// Classifies a path; `ignored` is whether the vault's ignore files exclude it.
    pub fn classify(&self, path: &str, ignored: bool) -> PathClass {
        if is_page_path(path) {
            return match (ignored, self.indexes(path)) {
                (true, _) => PathClass::Refused(
                    "it is excluded by an ignore file of the vault, or by default: templates and node_modules",
                ),
                (false, true) => PathClass::Page,
                (false, false) if self.is_raw(path) => PathClass::Raw,
                (false, false) => PathClass::Data,
            };
        }
        if self.is_raw(path) {
            return PathClass::Raw;
        }
        if is_sidecar(path) {
            return PathClass::Sidecar;
        }
        let rule = self.rule(path);
        if rule.is_some_and(|rule| rule.any_file) && !ignored {
            return PathClass::Data;
        }
        let extension = rule.and_then(|rule| rule.extension.as_ref());
        let named = extension.is_some_and(|extension| path.ends_with(&format!(".{extension}")));
        if named || path == EXPECTATIONS_FILE {
            return PathClass::Data;
        }
        PathClass::Refused("a page's name must end in .md or .org")
    }

    /// Whether a path is below the directory of raw captures.
    pub fn is_raw(&self, path: &str) -> bool {
        let folder = self.raw.as_ref().map(|raw| raw.folder.as_str());
        folder.and_then(|folder| path.strip_prefix(folder)).is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_one_class() {
        let text = "exclude = [\"drafts/**\", \"raw/**\"]\n[raw]\nfolder = \"raw\"\n[[rule]]\npaths = [\"plans/**\"]\nextension = \"base\"\n";
        let policy = Policy::parse(text).expect("a policy");
        for (path, ignored, expected) in [
            ("people/ada.md", false, PathClass::Page),
            (
                "people/ada.md",
                true,
                PathClass::Refused(
                    "it is excluded by an ignore file of the vault, or by default: templates and node_modules",
                ),
            ),
            ("drafts/a.md", false, PathClass::Data),
            ("raw/a.md", false, PathClass::Raw),
            ("raw/files/a.pdf", true, PathClass::Raw),
            ("people/.raw/ada.json", false, PathClass::Sidecar),
            ("plans/active.base", false, PathClass::Data),
            ("expectations.toml", false, PathClass::Data),
            ("picture.png", false, PathClass::Refused("a page's name must end in .md or .org")),
        ] {
            assert_eq!(policy.classify(path, ignored), expected, "{path}");
        }
    }
}
