//! Reads git's configuration files as plain text, so that what a repository would have git do is known before git runs.
//!
//! It follows git's own grammar. A line that it does not understand becomes an entry too: whoever judges the entries must
//! not take a file for harmless because it could not be read.

use std::path::{Path, PathBuf};

use crate::regular::read_regular;

/// Maximum size of a configuration file; git's own are a few hundred bytes.
const LIMIT: u64 = 1024 * 1024;

/// Maximum depth of included files, as in git.
const DEPTH: usize = 10;

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Section, in lower case.
    pub(super) section: String,
    /// Subsection, with its case.
    pub(super) subsection: Option<String>,
    /// Name, in lower case; empty for something that is not a setting.
    pub(super) name: String,
    /// Value; a name without one means true.
    pub(super) value: String,
}

impl Entry {
    /// Returns the full name, such as `remote.origin.url`.
    pub(super) fn key(&self) -> String {
        match &self.subsection {
            _ if self.name.is_empty() => self.section.clone(),
            Some(subsection) => format!("{}.{subsection}.{}", self.section, self.name),
            None => format!("{}.{}", self.section, self.name),
        }
    }

    fn unreadable(path: &Path, why: &str) -> Entry {
        let section = format!("unreadable {}", path.file_name().unwrap_or_default().to_string_lossy());
        Entry { section, subsection: None, name: String::new(), value: why.to_owned() }
    }
}

/// Reads a configuration file with the files that it includes, under any condition.
pub(super) fn read(path: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    read_into(path, DEPTH, &mut entries);
    entries
}

fn read_into(path: &Path, depth: usize, entries: &mut Vec<Entry>) {
    let text = match read_regular(path, LIMIT) {
        Ok(None) => return,
        Ok(Some(bytes)) => bytes,
        Err(error) => return entries.push(Entry::unreadable(path, &error.to_string())),
    };
    let (found, complete) = parse(&text);
    for entry in found {
        let is_include = matches!(entry.section.as_str(), "include" | "includeif") && entry.name == "path";
        let included = is_include.then(|| included(path, &entry.value)).flatten();
        entries.push(entry);
        match included {
            Some(_) if depth == 0 => entries.push(Entry::unreadable(path, "too many included files")),
            Some(included) => read_into(&included, depth - 1, entries),
            None => {}
        }
    }
    if !complete {
        entries.push(Entry::unreadable(path, "a line is not a setting"));
    }
}

/// Returns the file that an include names. One in the home directory belongs to the user.
fn included(from: &Path, value: &str) -> Option<PathBuf> {
    (!value.is_empty() && !value.starts_with('~'))
        .then(|| from.parent().unwrap_or(Path::new(".")).join(value))
}

/// Parses the text of a file; the second value is whether all of it was understood.
fn parse(text: &[u8]) -> (Vec<Entry>, bool) {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
    let mut rest = text.chars().peekable();
    let mut entries = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    while let Some(letter) = rest.next() {
        match letter {
            letter if letter.is_ascii_whitespace() => {}
            '#' | ';' => while rest.next_if(|letter| *letter != '\n').is_some() {},
            '[' => match header(&mut rest) {
                Some(found) => section = Some(found),
                None => return (entries, false),
            },
            letter if letter.is_ascii_alphabetic() => {
                let Some((section, subsection)) = section.clone() else { return (entries, false) };
                let mut name = letter.to_ascii_lowercase().to_string();
                while let Some(letter) =
                    rest.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
                {
                    name.push(letter.to_ascii_lowercase());
                }
                while rest.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
                let value = match rest.next() {
                    None | Some('\n') => Some("true".to_owned()),
                    Some('=') => value(&mut rest),
                    Some(_) => None,
                };
                let Some(value) = value else { return (entries, false) };
                entries.push(Entry { section, subsection, name, value });
            }
            _ => return (entries, false),
        }
    }
    (entries, true)
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Parses `section]`, `section.sub]` or `section "sub"]`.
fn header(rest: &mut Letters<'_>) -> Option<(String, Option<String>)> {
    let mut section = String::new();
    while let Some(letter) =
        rest.next_if(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.'))
    {
        section.push(letter.to_ascii_lowercase());
    }
    match rest.next()? {
        ']' => Some(match section.split_once('.') {
            Some((section, subsection)) => (section.to_owned(), Some(subsection.to_owned())),
            None => (section, None),
        }),
        ' ' | '\t' => {
            while rest.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
            if rest.next()? != '"' {
                return None;
            }
            let mut subsection = String::new();
            loop {
                match rest.next()? {
                    '\n' => return None,
                    '"' => break,
                    '\\' => subsection.push(rest.next().filter(|letter| *letter != '\n')?),
                    letter => subsection.push(letter),
                }
            }
            // git takes everything between the first and the last dot of a full name as the subsection.
            let (section, subsection) = match section.split_once('.') {
                Some((first, more)) => (first.to_owned(), format!("{more}.{subsection}")),
                None => (section, subsection),
            };
            (rest.next()? == ']').then_some((section, Some(subsection)))
        }
        _ => None,
    }
}

/// Parses a value up to the end of its line.
fn value(rest: &mut Letters<'_>) -> Option<String> {
    let (mut value, mut quoted, mut spaces) = (String::new(), false, String::new());
    loop {
        match rest.next() {
            None | Some('\n') if quoted => return None,
            None | Some('\n') => return Some(value),
            Some('#' | ';') if !quoted => while rest.next_if(|letter| *letter != '\n').is_some() {},
            Some(letter) if letter.is_ascii_whitespace() && !quoted => {
                if !value.is_empty() {
                    spaces.push(letter);
                }
            }
            Some(letter) => {
                value.push_str(&std::mem::take(&mut spaces));
                match letter {
                    '"' => quoted = !quoted,
                    '\\' => match rest.next()? {
                        '\n' => {}
                        't' => value.push('\t'),
                        'b' => value.push('\u{8}'),
                        'n' => value.push('\n'),
                        letter @ ('\\' | '"') => value.push(letter),
                        _ => return None,
                    },
                    letter => value.push(letter),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)], complete: bool) {
        let (entries, all) = parse(text.as_bytes());
        let found: Vec<(String, String)> =
            entries.iter().map(|entry| (entry.key(), entry.value.clone())).collect();
        let found: Vec<(&str, &str)> =
            found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!((found.as_slice(), all), (expected, complete), "{text}");
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        check("[core]\n\tbare = false\n", &[("core.bare", "false")], true);
        check("[CORE] FSMonitor=x # why\n", &[("core.fsmonitor", "x")], true);
        check("[core]fsmonitor = \"a;b\" ; c\n", &[("core.fsmonitor", "a;b")], true);
        check("[core]\nfsmonitor = a \\\n  b\n", &[("core.fsmonitor", "a   b")], true);
        check("[filter \"X\"]\r\nclean\r\n", &[("filter.X.clean", "true")], true);
        check("[filter.Y]\nclean = \"a\\\\b\\t\"\n", &[("filter.y.clean", "a\\b\t")], true);
        check("[a \"b\\\"]c\"]\nd=e\n", &[("a.b\"]c.d", "e")], true);
        check("[a.b \"c\"]\nd=e\n", &[("a.b.c.d", "e")], true);
        check("\u{feff}# x\n; y\n[a]\n", &[], true);
        check("key = outside\n", &[], false);
        check("[a]\nb = \"open\n", &[], false);
        check("[a]\nb = 1\n???\n", &[("a.b", "1")], false);
        check("[a \"b\nc = d\n", &[], false);
    }
}
