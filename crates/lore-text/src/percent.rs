//! Percent escapes in URIs and link destinations.

use std::borrow::Cow;

use percent_encoding::{percent_decode_str, percent_encode_byte};

/// Decodes percent escapes; returns the text unchanged if the result is not valid UTF-8.
pub fn percent_decode(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text))
}

/// Escapes the given ASCII characters and the percent sign, and keeps all others, so that names stay readable.
pub fn percent_encode(text: &str, escaped: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for character in text.chars() {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() && (byte == b'%' || escaped.contains(character)) => {
                encoded.push_str(percent_encode_byte(byte));
            }
            _ => encoded.push(character),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_escapes_are_decoded() {
        for (text, decoded) in [
            ("people/ad%C3%A4", "people/adä"),
            ("a%20b%2fc", "a b/c"),
            ("100%", "100%"),
            ("a%zz", "a%zz"),
            ("a%+f", "a%+f"),
            ("%ff", "%ff"),
            ("%ff%20", "%ff%20"),
        ] {
            assert_eq!(percent_decode(text), decoded, "{text}");
        }
    }

    #[test]
    fn encoded_text_is_decoded_to_itself() {
        for (text, encoded) in [
            ("a (1).md", "a%20%281%29.md"),
            ("größe.md", "größe.md"),
            ("50%.md", "50%25.md"),
            ("a%20b.md", "a%2520b.md"),
        ] {
            assert_eq!(percent_encode(text, " ()"), encoded, "{text}");
            assert_eq!(percent_decode(encoded), text);
        }
    }
}
