//! Text in XML: reports, drawings and property lists.

/// Escapes text for XML, in elements and attributes; characters that XML forbids become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Unescaped, these would be read as spaces in an attribute.
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\r' => escaped.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_reads_back() {
        let text = "a \"<&>\" 'b' ]]> in\ttwo\r\nlines\u{1}";
        let document = format!("<a b=\"{0}\">{0}</a>", escape(text));
        let document = roxmltree::Document::parse(&document).expect("well-formed");
        let kept = text.replace('\u{1}', "\u{fffd}");
        let root = document.root_element();
        assert_eq!((root.attribute("b"), root.text()), (Some(kept.as_str()), Some(kept.as_str())));
    }
}
