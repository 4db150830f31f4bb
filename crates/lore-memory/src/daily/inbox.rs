//! Names for processed inbox files.

use jiff::civil::Date;
use lore_text::find_period;
use lore_vault::EXTENSIONS;

/// Maximum length of the slug in bytes, so that the name with date and extension is valid on file systems.
const SLUG_LIMIT: usize = 200;

/// Returns the file name in the scratch folder for an inbox file: `inbox-YYYY-MM-DD-<slug>.md`. The date is that of the
/// file's name, else the given day.
pub fn scratch_name(inbox_file: &str, day: Date) -> String {
    let name = inbox_file.rsplit('/').next().unwrap_or(inbox_file);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_extension(extension) => (stem, extension),
        _ => (name, EXTENSIONS[0]),
    };
    let is_page = EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    let extension = if is_page { EXTENSIONS[0].to_owned() } else { extension.to_lowercase() };
    let (day, rest) = match find_period(stem).filter(|(period, _)| period.is_day()) {
        Some((period, range)) => (period.first, format!("{} {}", &stem[..range.start], &stem[range.end..])),
        None => (day, stem.to_owned()),
    };
    match slug(&rest) {
        slug if slug.is_empty() => format!("inbox-{day}.{extension}"),
        slug => format!("inbox-{day}-{slug}.{extension}"),
    }
}

fn is_extension(text: &str) -> bool {
    (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the slug of the rest of a name. Characters without a slug, such as emoji, still distinguish two names.
fn slug(rest: &str) -> String {
    let mut slug = lore_text::slugify(rest);
    let is_distinctive = |character: char| !character.is_ascii_punctuation() && !character.is_whitespace();
    if slug.is_empty() && rest.contains(is_distinctive) {
        slug = lore_text::path_slug(rest);
    }
    let end = (0..=SLUG_LIMIT.min(slug.len())).rev().find(|at| slug.is_char_boundary(*at)).unwrap_or(0);
    slug[..end].trim_end_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_date_or_use_the_given_day() {
        let day = jiff::civil::date(2026, 6, 1);
        for (file, expected) in [
            ("state/inbox/2026-05-18-call.md", "inbox-2026-05-18-call.md"),
            ("2026-05-18-Call with Zoë!.markdown", "inbox-2026-05-18-call-with-zoe.md"),
            ("state/inbox/call 2026-05-18.MD", "inbox-2026-05-18-call.md"),
            ("state/inbox/Call Notes.md", "inbox-2026-06-01-call-notes.md"),
            ("state/inbox/2026-05-18.md", "inbox-2026-05-18.md"),
            ("state/inbox/2026-05-18-.md", "inbox-2026-05-18.md"),
            ("state/inbox/2026-05-notes.md", "inbox-2026-06-01-2026-05-notes.md"),
            ("state/inbox/2026-02-30-call.md", "inbox-2026-06-01-2026-02-30-call.md"),
            ("state/inbox/v1.2 notes", "inbox-2026-06-01-v1.2-notes.md"),
            ("state/inbox/2026-05-18-photo.JPG", "inbox-2026-05-18-photo.jpg"),
            ("state/inbox/買い物.md", "inbox-2026-06-01-買い物.md"),
            ("state/inbox/🎉.md", "inbox-2026-06-01-page-75432f29.md"),
            ("", "inbox-2026-06-01.md"),
        ] {
            assert_eq!(scratch_name(file, day), expected, "{file:?}");
        }
    }

    #[test]
    fn long_names_are_truncated() {
        let day = jiff::civil::date(2026, 6, 1);
        for letter in ["x", "щ", "買"] {
            let name = scratch_name(&format!("{}.md", letter.repeat(255 / letter.len())), day);
            assert!(name.len() <= 255 && name.ends_with(".md"), "{name}");
        }
    }
}
