//! Messages for callers that are limited to projects: no absolute path of the machine.

use std::path::Path;

use crate::app::error::AppError;

/// Names that replace the paths of directories.
pub struct PathNames(Vec<(String, String)>);

impl PathNames {
    /// Returns the replacements for directories, each with its name.
    pub fn new<'a>(folders: impl IntoIterator<Item = (&'a Path, String)>) -> PathNames {
        let mut known: Vec<(String, String)> = folders
            .into_iter()
            .map(|(folder, name)| (folder.to_string_lossy().trim_end_matches('/').to_owned(), name))
            .filter(|(folder, _)| !folder.is_empty())
            .collect();
        // A directory inside another is replaced first.
        known.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        PathNames(known)
    }

    /// Returns an error without absolute paths.
    pub fn redact(&self, failure: AppError) -> AppError {
        AppError { message: self.text(&failure.message), hint: self.text(&failure.hint), ..failure }
    }

    /// Returns a text without absolute paths: known directories by their names, any other path by its last part.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (folder, name) in &self.0 {
            text = text.replace(folder, name);
        }
        without_absolute_paths(&text)
    }
}

/// Replaces each absolute path in a text by `…/` and its last part.
fn without_absolute_paths(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(letter) = rest.chars().next() {
        let starts = letter == '/' && (before.is_whitespace() || "\"'`(=:".contains(before));
        let length =
            rest.find(|end: char| end.is_whitespace() || "\"'`)".contains(end)).unwrap_or(rest.len());
        let path = &rest[..length];
        // A lone slash, a route and the two slashes of a URL are no paths.
        if starts && path.len() > 1 && !path.starts_with("//") && !path.starts_with("/api") {
            let last =
                path.trim_end_matches([',', ';', '.', ':', '/']).rsplit('/').next().unwrap_or_default();
            kept.push_str("…/");
            kept.push_str(last);
            let end = path.rfind(last).map_or(path.len(), |at| at + last.len());
            rest = &rest[end..];
            before = 'x';
        } else {
            kept.push(letter);
            before = letter;
            rest = &rest[letter.len_utf8()..];
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_absolute_path_is_left() {
        let names = PathNames::new([
            (Path::new("/home/ada/my notes"), "notes".to_owned()),
            (Path::new("/home/ada"), "~".to_owned()),
        ]);
        for (text, expected) in [
            ("/home/ada/my notes/a.md is locked", "notes/a.md is locked"),
            ("cannot open /home/ada/.local/lore.db: busy", "cannot open ~/.local/lore.db: busy"),
            ("cannot read \"/srv/other vault/x\"", "cannot read \"…/other vault/x\""),
            ("see /var/lib/x.db; retry", "see …/x.db; retry"),
            (
                "path:/etc/passwd, and/or https://example.org/a/b",
                "path:…/passwd, and/or https://example.org/a/b",
            ),
            ("send POST /api/search", "send POST /api/search"),
            ("a / b", "a / b"),
        ] {
            assert_eq!(names.text(text), expected);
        }
    }
}
