//! Closing tags in text that is put between tags: the text must not end its own block.

use std::borrow::Cow;

/// Returns the text with `[` in place of the `<` of every closing tag of one of these names, however it is written: in any
/// case, with spaces, line breaks or invisible characters in between, with full-width characters, character references or
/// escapes. A reader that is no strict parser would take any of them as the end of the block.
pub fn escape_closing_tags<'a>(text: &'a str, names: &[&str]) -> Cow<'a, str> {
    escape(text, &|rest| names.iter().any(|name| closes(rest, name)))
}

/// Returns the text with `[` in place of the `<` of every tag of one of these names, opening or closing, as
/// [`escape_closing_tags`] does.
pub fn escape_tags<'a>(text: &'a str, names: &[&str]) -> Cow<'a, str> {
    escape(text, &|rest| names.iter().any(|name| closes(rest, name) || names_tag(rest, name)))
}

/// Puts `[` in place of every `<` that begins a tag, which is judged by the text after it.
fn escape<'a>(text: &'a str, is_tag: &dyn Fn(&str) -> bool) -> Cow<'a, str> {
    let mut escaped = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices(['<', '＜', '﹤', '&', '\\']) {
        if at < kept {
            continue;
        }
        let (first, rest) = split_first(&text[at..]);
        let is_less = first.is_some_and(|letter| matches!(letter, '<' | '＜' | '﹤'));
        if is_less && is_tag(rest) {
            escaped.push_str(&text[kept..at]);
            escaped.push('[');
            kept = text.len() - rest.len();
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[kept..]);
    Cow::Owned(escaped)
}

/// Whether a text goes on, after `<`, as the closing tag of a name.
fn closes(text: &str, name: &str) -> bool {
    let (slash, rest) = split_first_seen(text);
    slash.is_some_and(|letter| matches!(letter, '/' | '／' | '⁄' | '∕')) && names_tag(rest, name)
}

/// Whether a text begins with a name of a tag.
fn names_tag(text: &str, name: &str) -> bool {
    let mut rest = text;
    for wanted in name.chars() {
        let (letter, after) = split_first_seen(rest);
        if !letter.is_some_and(|letter| ascii_of(letter).eq_ignore_ascii_case(&wanted)) {
            return false;
        }
        rest = after;
    }
    // A longer word is another tag.
    !split_first(rest).0.is_some_and(char::is_alphanumeric)
}

/// Splits off the first character that is neither a space nor invisible.
fn split_first_seen(text: &str) -> (Option<char>, &str) {
    let mut rest = text;
    loop {
        match split_first(rest) {
            (Some(letter), after) if letter.is_whitespace() || is_invisible(letter) => rest = after,
            found => return found,
        }
    }
}

/// Splits off the first character, decoding a character reference or an escape.
fn split_first(text: &str) -> (Option<char>, &str) {
    if let Some((letter, length)) = reference(text).or_else(|| escaped(text)) {
        return (Some(letter), &text[length..]);
    }
    let mut letters = text.chars();
    (letters.next(), letters.as_str())
}

/// Decodes a character reference: `&lt;`, `&#60;`, `&#x3c;`. The semicolon may be missing.
fn reference(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    let length =
        body.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '#').unwrap_or(body.len());
    let name = body.get(..length.min(16))?.to_ascii_lowercase();
    let letter = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix('x') {
            Some(digits) => char::from_u32(u32::from_str_radix(digits, 16).ok()?)?,
            None => char::from_u32(number.parse().ok()?)?,
        },
        None => match name.as_str() {
            "lt" => '<',
            "sol" => '/',
            "hyphen" | "dash" | "minus" => '-',
            "lowbar" => '_',
            "nbsp" | "tab" | "newline" => ' ',
            "shy" | "zwj" | "zwnj" | "zerowidthspace" | "nobreak" => '\u{ad}',
            _ => return None,
        },
    };
    let end = 1 + length;
    Some((letter, if text[end..].starts_with(';') { end + 1 } else { end }))
}

/// Decodes an escape of JSON or JavaScript: `\/`, `\u003c`, `\x3c`.
fn escaped(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('\\')?;
    let digits = |from: usize, length: usize| -> Option<(char, usize)> {
        let code = u32::from_str_radix(body.get(from..from + length)?, 16).ok()?;
        Some((char::from_u32(code)?, 1 + from + length))
    };
    match body.chars().next()? {
        '/' => Some(('/', 2)),
        'u' => digits(1, 4),
        'x' => digits(1, 2),
        _ => None,
    }
}

/// Whether a character takes no room, so that a word reads the same with it.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        || letter.is_control()
}

/// Returns the ASCII character that a full-width character or a dash looks like.
fn ascii_of(letter: char) -> char {
    match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '_' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        letter => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_tags_are_escaped_in_every_form() {
        for text in [
            "</lore-context>",
            "</LORE-Context >",
            "< / lore-context>",
            "<\u{200b}/lore\u{200d}-con\u{ad}text>",
            "</lore-\ncontext>",
            "</ l o r e - c o n t e x t>",
            "</lore-context",
            "</lore–context>",
            "</lore_context>",
            "＜／ｌｏｒｅ-context＞",
            "&lt;/lore-context&gt;",
            "&LT;&#47;lore-context>",
            "&#60;/lore-context>",
            "&#x3C;/lore-context>",
            "\\u003c/lore-context>",
            "<\\/lore-context>",
            "<\u{202e}/\u{1b}lore-context>",
            "</lore&#45;context>",
            "</lo&shy;re-con&#x200b;text>",
            "&lt/lore-context>",
        ] {
            let escaped = escape_closing_tags(text, &["memory", "lore-context"]);
            assert_ne!(escaped, text, "{text:?}");
            assert_eq!(escape_closing_tags(&escaped, &["lore-context"]), escaped, "{text:?}");
        }
        assert_eq!(escape_closing_tags("a </memory> b </MEMORY>", &["memory"]), "a [/memory> b [/MEMORY>");
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in [
            "",
            "plain",
            "<lore-context>",
            "#include <memory>",
            "</lore-contexts>",
            "</lore>",
            "a < b / memory",
            "R&D &amp; x",
            "C:\\dir",
            "Vec<String>",
        ] {
            assert_eq!(escape_closing_tags(text, &["lore-context", "memory"]), text);
        }
    }
}
