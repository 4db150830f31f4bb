//! Text that is safe to show: what a terminal or a reader would act on without seeing it is written out.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the text with control characters, bidirectional overrides and invisible tag characters in visible form, such
/// as `\x1b` and `\u{202e}`. Line breaks and tabs are kept, and a line break of two characters becomes one.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|letter| letter == '\r' || is_acted_on(letter)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' if letters.peek() == Some(&'\n') => {}
            letter if letter == '\r' || is_acted_on(letter) => {
                let code = letter as u32;
                // Writing to a string cannot fail.
                let _ = if code < 0x80 {
                    write!(shown, "\\x{code:02x}")
                } else {
                    write!(shown, "\\u{{{code:x}}}")
                };
            }
            letter => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Returns JSON text in which the characters that [`visible`] writes out, and that JSON does not escape by itself, are
/// escaped. It means the same.
pub fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    let mut units = [0; 2];
    let mut rest = json;
    // Everything up to a character that may have to be escaped is copied at once.
    while let Some(at) = rest.bytes().position(may_be_acted_on) {
        shown.push_str(&rest[..at]);
        let Some(letter) = rest[at..].chars().next() else { break };
        match is_acted_on(letter) {
            false => shown.push(letter),
            true => shown.extend(letter.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
        rest = &rest[at + letter.len_utf8()..];
    }
    shown.push_str(rest);
    shown
}

/// Whether a byte may begin a character that [`is_acted_on`] accepts.
fn may_be_acted_on(byte: u8) -> bool {
    MAY_BE_ACTED_ON[usize::from(byte)]
}

/// A table, because every byte of an output is looked up.
static MAY_BE_ACTED_ON: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = matches!(byte as u8, 0..0x20 | 0x7F | 0xC2 | 0xE2 | 0xF3);
        byte += 1;
    }
    bytes
};

/// Whether a character changes how the text around it is shown, or hides text from people: control characters except
/// line feed, carriage return and tab, line separators, bidirectional embeddings, overrides and isolates, and tags.
pub fn is_acted_on(letter: char) -> bool {
    match letter {
        '\n' | '\r' | '\t' => false,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}' => true,
        letter => letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        for (text, shown) in [
            ("plain, é 東京 👩‍👩‍👧 نص", "plain, é 東京 👩‍👩‍👧 نص"),
            ("two\nlines\tand a tab\n", "two\nlines\tand a tab\n"),
            ("dos\r\nlines\r\n", "dos\nlines\n"),
            ("over\rwritten", "over\\x0dwritten"),
            ("\u{1b}[31mred\u{7}\0\u{7f}", "\\x1b[31mred\\x07\\x00\\x7f"),
            ("c1 \u{9b}31m", "c1 \\u{9b}31m"),
            ("\u{202e}gnp.exe\u{2066}", "\\u{202e}gnp.exe\\u{2066}"),
            ("a\u{2028}b\u{e0041}", "a\\u{2028}b\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn hidden_characters_are_escaped_in_json() {
        let json = "{\"a\":\"é 東京 – 👩 \u{7f}b\u{9b}c\u{202e}\u{2066}\u{e0041}\"}\n";
        let escaped = "{\"a\":\"é 東京 – 👩 \\u007fb\\u009bc\\u202e\\u2066\\udb40\\udc41\"}\n";
        assert_eq!(visible_json(json), escaped);
    }

    #[test]
    fn hidden_characters_are_known_by_their_first_byte() {
        for letter in ('\0'..=char::MAX).filter(|letter| is_acted_on(*letter)) {
            assert!(may_be_acted_on(letter.encode_utf8(&mut [0; 4]).as_bytes()[0]), "{letter:?}");
        }
    }
}
