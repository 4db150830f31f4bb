//! Wings: the entities that pages belong to, found by their names or parts of them.

use lore_ports::LabelKind;
use lore_text::fold;

use crate::context::VaultContext;
use crate::error::Result;

/// Returns the wings of a vault that a text names: as a whole (`ada-keller`), by parts (`ada`), or with `%` for any
/// characters (`ada%`).
pub fn wings_named(context: &VaultContext, text: &str) -> Result<Vec<String>> {
    let wanted = fold(text.trim());
    let all = context.store().labels(context.project(), LabelKind::Wing)?;
    Ok(all.into_iter().map(|(wing, _)| wing).filter(|wing| is_named(&wanted, wing)).collect())
}

/// Returns whether a folded text names a folded wing.
pub(crate) fn is_named(wanted: &str, wing: &str) -> bool {
    if wanted.contains('%') {
        return is_like(wanted, wing);
    }
    let (wanted, parts) = (parts(wanted), parts(wing));
    !wanted.is_empty() && parts.windows(wanted.len()).any(|some| some == wanted.as_slice())
}

/// Returns the words of a name.
fn parts(name: &str) -> Vec<&str> {
    name.split(|letter: char| !letter.is_alphanumeric()).filter(|part| !part.is_empty()).collect()
}

/// Returns whether a text matches a pattern in which `%` stands for any characters.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('%');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wings_are_named_by_parts_and_patterns() {
        for (wanted, wing, expected) in [
            ("ada", "ada", true),
            ("ada", "ada-keller", true),
            ("keller", "ada-keller", true),
            ("ada keller", "ada-keller", true),
            ("ad", "ada-keller", false),
            ("keller ada", "ada-keller", false),
            ("", "ada", false),
            ("-", "ada", false),
            ("ad%", "ada-keller", true),
            ("%kel%", "ada-keller", true),
            ("%ler", "ada-keller", true),
            ("ada%x", "ada-keller", false),
            ("a%a%a", "aa", false),
            ("%", "ada", true),
            ("%%", "ada", true),
        ] {
            assert_eq!(is_named(wanted, wing), expected, "{wanted} {wing}");
        }
    }
}
