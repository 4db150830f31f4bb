//! Captures of external sources: a small stub with URL, date and excerpt; the complete file only on request.

use lore_engine::{Action, Error, PageChange, Raw, Result, VaultContext};
use lore_page::{Format, convert};
use lore_text::secrets::looks_binary;
use lore_text::slugify;
use lore_vault::{VaultPath, decode, exists};

/// External text that a page is based on.
#[derive(Debug, Default)]
pub struct RawText {
    /// Contents; empty to record only the URL.
    pub bytes: Vec<u8>,
    /// Extension of the original file.
    pub extension: Option<String>,
    /// Whether to store the complete text and not only an excerpt.
    pub whole: bool,
}

/// Returns the files of a capture, and the value of the page's `source` property.
pub(crate) fn raw_changes(
    context: &VaultContext,
    text: &RawText,
    title: &str,
    url: Option<&str>,
) -> Result<(Vec<PageChange<'static>>, Option<String>)> {
    let policy = context.policy();
    let Some(raw) = &policy.raw else {
        return Err(Error::BadInput {
            message: "this vault does not store raw captures".into(),
            hint: "add a [raw] table with a folder to its lore.toml, or pass only the source".into(),
        });
    };
    let stem = free_stem(context, raw, title);
    let put = |path: String, bytes: Vec<u8>| PageChange {
        path: VaultPath::known(path),
        action: Action::Put(bytes),
        expected_version: Some(0),
    };
    let mut changes = Vec::new();
    let mut stored = None;
    if text.whole {
        let extension = text.extension.as_deref().map_or_else(|| "txt".into(), slugify);
        let path = format!("{}/files/{stem}.{extension}", raw.folder);
        changes.push(put(path.clone(), text.bytes.clone()));
        stored = Some(path);
    }
    let excerpt = if looks_binary(&text.bytes) { None } else { Some(decode(&text.bytes).text.into_owned()) };
    let stub = stub(context, raw, title, url, excerpt.as_deref(), stored.as_deref());
    let format = context.policy().format.map(Format::from).unwrap_or_default();
    let stub = convert(&stub, Format::Markdown, format);
    let path = format!("{}/{stem}.{}", raw.folder, format.extension());
    changes.insert(0, put(path.clone(), stub.into_bytes()));
    Ok((changes, Some(path)))
}

fn stub(
    context: &VaultContext,
    raw: &Raw,
    title: &str,
    url: Option<&str>,
    text: Option<&str>,
    stored: Option<&str>,
) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut stub = format!("---\ntitle: {}\n", quoted(title));
    if let Some(url) = url {
        stub.push_str(&format!("url: {}\n", quoted(url)));
    }
    stub.push_str(&format!("retrieved: {}\n", context.today()));
    if let Some(stored) = stored {
        stub.push_str(&format!("file: {}\n", quoted(stored)));
    }
    stub.push_str("---\n");
    let (excerpt, cut) = text.map(|text| excerpt(text, raw)).unwrap_or_default();
    if !excerpt.is_empty() {
        stub.push_str(&format!("\n{}\n", excerpt.trim_end()));
    }
    if cut {
        stub.push_str("\n(The source goes on; this is an excerpt.)\n");
    }
    stub
}

/// Returns the text cut at a word boundary to the excerpt limits, and whether it was cut.
fn excerpt<'a>(text: &'a str, raw: &Raw) -> (&'a str, bool) {
    let mut end = 0;
    for (words, word) in text.split_whitespace().enumerate() {
        let word_end = word.as_ptr() as usize - text.as_ptr() as usize + word.len();
        if words == raw.excerpt_words || word_end > raw.excerpt_bytes {
            return (&text[..end], true);
        }
        end = word_end;
    }
    (text.trim_end(), false)
}

fn free_stem(context: &VaultContext, raw: &Raw, title: &str) -> String {
    let slug: String = slugify(title).replace('/', "-").chars().take(60).collect();
    let slug = slug.trim_matches('-');
    let base = format!("{}-{}", context.today(), if slug.is_empty() { "source" } else { slug });
    let extensions = ["md", "org"];
    let taken = |stem: &str| {
        let file =
            |extension: &&str| context.vault().root().join(format!("{}/{stem}.{extension}", raw.folder));
        extensions.iter().any(|extension| exists(&file(extension)))
    };
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|stem| !taken(stem)).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_engine::Policy;

    #[test]
    fn excerpt_is_cut_at_a_word_within_both_limits() {
        let policy =
            Policy::parse("[raw]\nfolder = \"raw\"\nexcerpt_words = 3\nexcerpt_bytes = 12\n").expect("valid");
        let raw = policy.raw.expect("a table");
        for (text, expected) in [
            ("one two", ("one two", false)),
            ("one two three\n", ("one two", true)),
            ("a b c d", ("a b c", true)),
            ("ä ö ü", ("ä ö ü", false)),
            ("abcdefghijklmnop", ("", true)),
            ("", ("", false)),
        ] {
            assert_eq!(excerpt(text, &raw), expected, "{text}");
        }
    }
}
