//! Decodes a file's bytes: UTF-8 as is, other encodings by detection. Never fails.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// A file's text and its encoding.
#[derive(Debug)]
pub struct Decoded<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The encoding's name, if it is not UTF-8.
    pub encoding: Option<&'static str>,
}

/// Decodes bytes. A byte-order mark decides, then UTF-8 validity, then detection by content.
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    if marked.is_none_or(|encoding| encoding == UTF_8)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Decoded { text: Cow::Borrowed(text), encoding: None };
    }
    let encoding = marked.filter(|encoding| *encoding != UTF_8).unwrap_or_else(|| detect(bytes));
    let (text, _, _) = encoding.decode(bytes);
    Decoded { text, encoding: Some(encoding.name()) }
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_encoding_is_decoded() {
        for (bytes, text, encoding) in [
            (&b"plain"[..], "plain", None),
            ("Jürgen 你好".as_bytes(), "Jürgen 你好", None),
            (b"J\xfcrgen isst gern K\xe4se", "Jürgen isst gern Käse", Some("windows-1252")),
            (b"\xff\xfeh\0i\0", "hi", Some("UTF-16LE")),
        ] {
            let decoded = decode(bytes);
            assert_eq!((decoded.text.as_ref(), decoded.encoding), (text, encoding));
        }
    }
}
