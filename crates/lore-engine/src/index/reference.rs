//! References as they are written: names, paths, ids, addresses and pointers, before any page is looked up.
//!
//! Pointers that other files use are references too: `id:ID`, `lore: Title (ID)` and `ai-kb: Title (ID)` name the page
//! with that id, else the one with that title. The start of an id has at least four characters and must be unique.

use lore_text::{fold, percent_decode, slugify};
use lore_vault::without_extension;

use crate::error::{Error, Result};

/// Minimum length of an id prefix. One without both a digit and a letter could be a year or a word; it has to be marked
/// as an id or longer.
pub(super) const ID_PREFIX: usize = 4;

/// Minimum length of an id prefix of digits only.
const DIGITS_ID_PREFIX: usize = 6;

/// Words before the title in a pointer.
const POINTERS: [&str; 2] = ["lore:", "ai-kb:"];

/// Returns the two names a reference is looked up by: as written, and as a slug.
pub fn names_of(reference: &str) -> [String; 2] {
    let reference = without_scheme(reference.trim());
    if let Some(Pointer { id, title }) = pointer(reference) {
        return [id, slugify(title)];
    }
    let slug = slugify(without_extension(reference));
    let name = fold(reference);
    let slug = if slug == name { String::new() } else { slug };
    [name, slug]
}

/// A reference by id, with the title as a fallback.
struct Pointer<'a> {
    /// The id, folded.
    id: String,
    /// The title; empty if the pointer has none.
    title: &'a str,
}

/// Parses a pointer: `id:ID` (in Org, an id is any word), `lore: Title (ID)`, `ai-kb: Title (ID)`, or `Title (UUID)` as in a generated index.
fn pointer(reference: &str) -> Option<Pointer<'_>> {
    let found = |id: &str, title| Pointer { id: fold(id), title };
    if let Some(id) = after_word(reference, "id:") {
        let is_written =
            !id.is_empty() && !reference[3..].starts_with(' ') && !id.contains(char::is_whitespace);
        return (is_hexadecimal(id) || is_written).then(|| found(id, ""));
    }
    let marked = POINTERS.iter().find_map(|word| after_word(reference, word));
    let (title, rest) = marked.unwrap_or(reference).rsplit_once('(')?;
    let id = rest.strip_suffix(')')?.trim();
    let is_id = if marked.is_some() { id.len() >= ID_PREFIX && is_hexadecimal(id) } else { is_uuid(id) };
    is_id.then(|| found(id, title.trim()))
}

/// Returns the text after a word, whatever its case.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then(|| rest.trim())
}

fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && is_hexadecimal(text) && text.match_indices('-').map(|(at, _)| at).eq([8, 13, 18, 23])
}

/// Returns a reference without the scheme `memory://`.
pub fn without_scheme(reference: &str) -> &str {
    reference.strip_prefix("memory://").unwrap_or(reference)
}

/// Returns the path of a reference that is one by its form: `./notes/plan`.
pub fn as_path(reference: &str) -> Option<&str> {
    without_scheme(reference.trim()).strip_prefix("./")
}

/// Whether a name has characters that its slug drops: `C++` is more than `c`.
pub fn is_lossy_slug(name: &str) -> bool {
    name.trim().chars().any(|letter| {
        !letter.is_alphanumeric() && !letter.is_whitespace() && !"-_/.,:'’()?!\"".contains(letter)
    })
}

/// Returns the pattern of slugs that a reference is: `memory://people/*`, `people/a*`.
pub fn as_pattern(reference: &str) -> Option<String> {
    let reference = reference.trim();
    let plain = reference.strip_prefix("memory://pages/").unwrap_or(without_scheme(reference));
    plain.contains('*').then(|| fold(plain))
}

/// Returns the slug in the address of a page's resource: `memory://pages/people/ada`.
pub(super) fn resource_slug(reference: &str) -> Option<String> {
    let slug = reference.trim().strip_prefix("memory://pages/")?;
    Some(percent_decode(slug).into_owned()).filter(|slug| !slug.trim().is_empty())
}

/// Checks the form of a reference.
pub(super) fn check(reference: &str) -> Result<()> {
    check_uri(reference)?;
    if reference.trim().chars().any(char::is_control) {
        let path = reference.chars().take(200).collect();
        return Err(lore_vault::Error::BadPath { path, reason: "it contains a control character" }.into());
    }
    Ok(())
}

/// Returns the start of an id that a name may be. It has a digit and a letter, or enough digits, and at least `minimum`
/// characters, unless it is marked as an id (`id:2026`, `kt-2026`): no word and no year is taken as an id.
pub(super) fn id_start<'a>(reference: &str, name: &'a str, minimum: usize) -> Option<&'a str> {
    let marked = name.strip_prefix("kt-");
    let start = marked.unwrap_or(name);
    let has = |is: fn(&u8) -> bool| start.as_bytes().iter().any(is);
    let is_marked = marked.is_some() || pointer(without_scheme(reference.trim())).is_some();
    let is_clear = has(u8::is_ascii_digit)
        && (has(u8::is_ascii_alphabetic) || start.len() >= DIGITS_ID_PREFIX)
        && start.len() >= minimum;
    ((is_marked || is_clear) && start.len() >= ID_PREFIX && is_hexadecimal(start)).then_some(start)
}

/// Checks the syntax of `memory://` references; other references are names and may contain anything.
fn check_uri(reference: &str) -> Result<()> {
    let Some(path) = reference.trim().strip_prefix("memory://") else { return Ok(()) };
    let bad = path.is_empty()
        || path.contains("://")
        || path.contains("//")
        || path.contains(['<', '>', '"', '|', '?']);
    if bad {
        return Err(Error::BadInput {
            message: format!("{reference:?} is not a memory:// reference"),
            hint: "use memory:// and the page's slug, such as memory://people/ada-lovelace".into(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_looked_up_by_id_then_by_title() {
        let id = "0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f";
        for (written, title) in [
            (format!("id:{id}"), ""),
            (format!("ai-kb: Commit style ({id})"), "commit-style"),
            (format!("lore: Commit style ({})", id.to_uppercase()), "commit-style"),
            (format!("LORE:Plans (2026) ({id})"), "plans-2026"),
            (format!("Commit style ({id})"), "commit-style"),
        ] {
            assert_eq!(names_of(&written), [id, title], "{written}");
        }
        assert_eq!(names_of("lore: Plans (0f3a)"), ["0f3a", "plans"]);
        for name in ["id: the passport", "Plans (2026)", "lore: Plans (x)", "Identity"] {
            assert!(pointer(name).is_none(), "{name}");
        }
    }

    #[test]
    fn start_of_an_id_is_neither_a_word_nor_a_year() {
        for (name, expected) in [
            ("a1b2", Some("a1b2")),
            ("kt-a1b2", Some("a1b2")),
            ("kt-2026", Some("2026")),
            ("123456", Some("123456")),
            ("2026", None),
            ("face", None),
            ("a1b", None),
            ("kt-plan", None),
        ] {
            assert_eq!(id_start(name, name, ID_PREFIX), expected, "{name}");
        }
        let to_write = |reference, name| id_start(reference, name, 8);
        assert_eq!(to_write("id:2026", "2026"), Some("2026"));
        assert_eq!(to_write("kt-a1b2", "kt-a1b2"), Some("a1b2"));
        assert_eq!(to_write("a1b2c3d4", "a1b2c3d4"), Some("a1b2c3d4"));
        assert_eq!(to_write("a1b2c3d", "a1b2c3d"), None);
    }

    #[test]
    fn reference_is_looked_up_as_written_and_as_a_slug() {
        assert_eq!(names_of("memory://People/Ada Lovelace"), ["people/ada lovelace", "people/ada-lovelace"]);
        assert_eq!(names_of("people/ada.md"), ["people/ada.md", "people/ada"]);
        assert_eq!(names_of("ada"), ["ada", ""]);
    }
}
