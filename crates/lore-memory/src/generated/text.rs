//! Escapes text for generated files, and formats tables.
//!
//! Escapes are kept to a minimum, since people and agents read these files as they are: `snake_case`, `C#` and `a - b`
//! stay.

use lore_page::Format;
use lore_text::on_one_line;

/// Returns the text on one line, with everything that Markdown or Lore would interpret escaped.
pub(super) fn plain(format: Format, text: &str) -> String {
    let line = on_one_line(text);
    if format == Format::Org {
        return org_plain(&line);
    }
    let mut plain = String::with_capacity(line.len() + 8);
    for (at, character) in line.char_indices() {
        if needs_escape(&line[..at], character, &line[at + character.len_utf8()..]) {
            plain.push('\\');
        }
        plain.push(character);
    }
    plain
}

/// Returns a line in which Org would see neither a link nor the end of a cell.
fn org_plain(line: &str) -> String {
    let line = line.replace('|', "\\vert{}").replace("[[", "[ [").replace("]]", "] ]");
    match line.starts_with(['*', '#', ':', '-', '+']) {
        true => format!("\u{200b}{line}"),
        false => line,
    }
}

/// Returns the text as inline code if that is safe, else as escaped text: tables split at bars even in code, and Lore
/// treats a bar as the end of a fact's subject.
pub(super) fn code(format: Format, text: &str) -> String {
    let line = on_one_line(text);
    let is_unsafe = line.is_empty() || line.contains(['`', '|', '\\']);
    match (is_unsafe, format) {
        (true, _) => plain(format, &line),
        (false, Format::Markdown) => format!("`{line}`"),
        (false, Format::Org) => format!("={line}="),
    }
}

/// Returns the first two lines of a table.
pub(super) fn table_head(format: Format, columns: &[&str]) -> String {
    let titles: Vec<String> = columns.iter().map(|title| (*title).to_owned()).collect();
    match format {
        Format::Markdown => format!("{}|{}\n", row(&titles), "---|".repeat(columns.len())),
        Format::Org => format!("{}|{}|\n", row(&titles), vec!["---"; columns.len()].join("+")),
    }
}

/// Returns a table row of cells that are already escaped.
pub(super) fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn needs_escape(before: &str, character: char, after: &str) -> bool {
    let previous = before.chars().next_back();
    let next = after.chars().next();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match character {
        '\\' | '|' | '[' | ']' | '<' | '`' | '*' => true,
        '#' => !is_letter(previous),
        '_' => !is_letter(previous) || !is_letter(next),
        // The text that follows may start with a colon.
        ':' => previous == Some(':') || next.is_none(),
        '%' | '~' | '=' => previous == Some(character),
        '-' | '+' | '>' => previous.is_none(),
        // Number of a list item.
        '.' | ')' => {
            !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_digit()) && !is_letter(next)
        }
        '&' => is_entity(after),
        _ => false,
    }
}

/// Returns whether a name and a semicolon follow, as in `&lt;`.
fn is_entity(after: &str) -> bool {
    let name = after.split_once(';').map(|(name, _)| name.strip_prefix('#').unwrap_or(name));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_special_syntax_is_escaped() {
        for (text, expected) in [
            ("Plain text, with (all) its punctuation!", "Plain text, with (all) its punctuation!"),
            (
                "snake_case, C#, R&D, 5 > 3, ~/x, 10%, a - b, 1.5",
                "snake_case, C#, R&D, 5 > 3, ~/x, 10%, a - b, 1.5",
            ),
            ("[[x]] [a](b.md)", r"\[\[x\]\] \[a\](b.md)"),
            ("a | b \\ c", r"a \| b \\ c"),
            ("#tag (#tag) ##", r"\#tag (\#tag) \#\#"),
            ("<!-- x --> <b>", r"\<!-- x --> \<b>"),
            ("`code` *b* __init__", r"\`code\` \*b\* \_\_init\_\_"),
            ("key:: value", r"key:\: value"),
            ("Title:", r"Title\:"),
            ("%% x %% ~~y~~ ==z==", r"%\% x %\% ~\~y~\~ =\=z=\="),
            ("- item", r"\- item"),
            ("12. item", r"12\. item"),
            ("&lt; &#91; & ;", r"\&lt; \&\#91; & ;"),
            (" a\r\n\t b\u{2028}c\0d ", "a b c d"),
            ("", ""),
        ] {
            assert_eq!(plain(Format::Markdown, text), expected, "{text}");
        }
    }

    #[test]
    fn text_is_code_only_if_safe() {
        for (text, expected) in [
            ("identity/profile.md", "`identity/profile.md`"),
            ("a [[b]].md", "`a [[b]].md`"),
            ("a`b.md", r"a\`b.md"),
            ("a | b:: c.md", r"a \| b:\: c.md"),
            ("", ""),
        ] {
            assert_eq!(code(Format::Markdown, text), expected, "{text}");
        }
    }
}
