//! Slugs, permalinks, and the key by which names are compared.
//!
//! A slug is lower case and safe in paths and URLs. European scripts become ASCII; scripts that lose their meaning in
//! transliteration (Chinese, Japanese, Korean, Thai, Arabic, Hebrew, the Indic ones) are kept.

use std::ops::RangeInclusive;

use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// File extensions of pages, which are not part of the slug.
const PAGE_EXTENSIONS: [&str; 3] = ["md", "markdown", "org"];

/// Maximum number of characters of an observation's text in its permalink.
const PERMALINK_CHARS: usize = 200;

/// Returns the slug of a name, or of each segment of a path; segments without a letter or digit are dropped.
///
/// ```
/// assert_eq!(lore_text::slugify("Machine Learning Basics!"), "machine-learning-basics");
/// ```
pub fn slugify(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for segment in text.split('/') {
        let kept = slug.len();
        if kept > 0 {
            slug.push('/');
        }
        let start = slug.len();
        push_segment(&mut slug, segment);
        if slug.len() == start {
            slug.truncate(kept);
        }
    }
    slug
}

/// Returns the slug of a page from its vault-relative path.
///
/// A segment that has no slug of its own (a file named with an emoji) gets a stable one from its bytes.
pub fn path_slug(path: &str) -> String {
    let mut slug = String::with_capacity(path.len());
    for segment in without_page_extension(path).split('/').filter(|segment| !segment.is_empty()) {
        if !slug.is_empty() {
            slug.push('/');
        }
        let start = slug.len();
        push_segment(&mut slug, segment);
        if slug.len() == start {
            slug.push_str(&format!("page-{:08x}", fnv1a(segment.as_bytes()) as u32));
        }
    }
    slug
}

/// Returns the permalink of an observation: `page/observations/category/text`, from the first 200 characters of the
/// text.
pub fn observation_permalink(page_slug: &str, category: &str, content: &str) -> String {
    let end = content.char_indices().nth(PERMALINK_CHARS).map_or(content.len(), |(at, _)| at);
    permalink(&[page_slug, "observations", &slugify(category), &slugify(&content[..end])])
}

/// Returns the permalink of a relation: `page/relation/target`.
pub fn relation_permalink(page_slug: &str, relation: &str, target: &str) -> String {
    permalink(&[page_slug, &slugify(relation), &slugify(target)])
}

/// Returns the key by which names are compared: NFC-normalized, lower case, whitespace collapsed.
pub fn fold(name: &str) -> String {
    let composed: String = if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        name.nfc().collect::<String>().to_lowercase()
    };
    let mut folded = String::with_capacity(composed.len());
    for word in composed.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

fn permalink(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join("/")
}

fn without_page_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && !stem.ends_with('/')
                && PAGE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) =>
        {
            stem
        }
        _ => path,
    }
}

/// Appends the slug of one segment.
fn push_segment(slug: &mut String, segment: &str) {
    let start = slug.len();
    if segment.is_ascii() {
        push_chars(slug, start, segment.chars());
    } else {
        push_chars(slug, start, segment.nfc());
        // Half-width kana keep their voicing marks separate until here.
        let composed: String = slug[start..].nfc().collect();
        slug.truncate(start);
        slug.push_str(&composed);
    }
    while slug.len() > start && slug.ends_with(['-', '.']) {
        slug.pop();
    }
}

fn push_chars(slug: &mut String, start: usize, chars: impl Iterator<Item = char>) {
    let mut chars = chars.peekable();
    let mut previous = ' ';
    while let Some(c) = chars.next() {
        match c {
            '.' if previous.is_alphanumeric()
                && slug[start..].ends_with(char::is_alphanumeric)
                && chars.peek().is_some_and(|next| next.is_alphanumeric()) =>
            {
                slug.push('.');
            }
            _ if c.is_ascii() => push_ascii(slug, start, c),
            _ => push_other(slug, start, c),
        }
        previous = c;
    }
}

fn push_ascii(slug: &mut String, start: usize, c: char) {
    match c {
        _ if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
        '\'' => {}
        _ => push_hyphen(slug, start),
    }
}

fn push_other(slug: &mut String, start: usize, c: char) {
    let after_letter = slug[start..].chars().next_back().is_some_and(|last| !last.is_ascii());
    match c {
        '’' | '‘' | 'ʼ' | '\u{200c}' | '\u{200d}' => {}
        _ if c.is_whitespace() => push_hyphen(slug, start),
        _ if is_wide_form(c) && c.is_alphanumeric() => push_wide(slug, start, c),
        _ if is_transliterated(c) && c.is_alphanumeric() => push_transliterated(slug, start, c),
        // A mark stays with the letter it belongs to; alone, or on an emoji, it means nothing.
        _ if is_combining_mark(c) && after_letter && !is_variation_selector(c) => slug.push(c),
        _ if is_combining_mark(c) => {}
        _ if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
        // In scripts without spaces, punctuation is not a word boundary worth a hyphen.
        _ if is_punctuation(c) && !after_letter => push_hyphen(slug, start),
        _ => {}
    }
}

fn push_wide(slug: &mut String, start: usize, c: char) {
    for narrow in std::iter::once(c).nfkc() {
        match narrow {
            _ if narrow.is_ascii() => push_ascii(slug, start, narrow),
            // It has no narrower form.
            _ if is_wide_form(narrow) => slug.extend(narrow.to_lowercase()),
            _ => push_other(slug, start, narrow),
        }
    }
}

fn push_transliterated(slug: &mut String, start: usize, c: char) {
    for ascii in deunicode_char(c).unwrap_or_default().chars() {
        push_ascii(slug, start, ascii);
    }
}

fn push_hyphen(slug: &mut String, start: usize) {
    // The letter that justified a dot may have produced no output.
    if slug.ends_with('.') {
        slug.pop();
    }
    if slug.len() > start && !slug.ends_with('-') {
        slug.push('-');
    }
}

/// Returns whether a character is Latin, Greek, Cyrillic, Armenian, Georgian or an extension of these, or a letter
/// styled as a symbol.
fn is_transliterated(c: char) -> bool {
    const RANGES: [RangeInclusive<char>; 11] = [
        '\u{80}'..='\u{58f}',
        '\u{10a0}'..='\u{10ff}',
        '\u{1c80}'..='\u{1cbf}',
        '\u{1d00}'..='\u{1fff}',
        '\u{2070}'..='\u{218f}',
        '\u{2460}'..='\u{24ff}',
        '\u{2c60}'..='\u{2c7f}',
        '\u{2d00}'..='\u{2d2f}',
        '\u{a640}'..='\u{a7ff}',
        '\u{ab30}'..='\u{ab6f}',
        '\u{fb00}'..='\u{fb17}',
    ];
    RANGES.iter().any(|range| range.contains(&c)) || ('\u{1d400}'..='\u{1d7ff}').contains(&c)
}

/// Returns whether a character is another shape of an ordinary letter: full-width letters, half-width kana and Arabic
/// presentation forms.
fn is_wide_form(c: char) -> bool {
    matches!(c, '\u{ff00}'..='\u{ffef}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{20d0}'..='\u{20ff}')
}

/// Returns whether a character is punctuation beyond ASCII; other characters that are not letters are symbols or emoji.
fn is_punctuation(c: char) -> bool {
    matches!(c,
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
        | '\u{2e00}'..='\u{2e7f}' | '\u{3001}'..='\u{303f}' | '・' | '\u{fe10}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}'
        | '\u{5be}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{6d4}' | '\u{964}' | '\u{965}')
}

/// FNV-1a: a hash that never changes between versions, unlike the standard library's.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests;
