//! Destinations of Markdown links.

use lore_text::percent_decode;

/// Returns whether the destination is a page: a path to a Markdown or Org file, not a URL.
pub(super) fn is_page(destination: &str) -> bool {
    let path = split(destination).0;
    // The extension is checked first because it decides nearly every link.
    has_page_extension(path) && !path.starts_with("//") && !has_scheme(path)
}

/// Returns the target from the vault's root, and the heading. A path that leaves the vault stays as written.
pub(super) fn resolve(page: &str, destination: &str) -> (String, Option<String>) {
    let (path, fragment) = split(destination);
    let heading = (!fragment.is_empty()).then(|| percent_decode(fragment).into_owned());
    (path_from_root(page, &percent_decode(path)).unwrap_or_else(|| path.to_owned()), heading)
}

/// Returns the page that the destination of a Markdown link names, as a path from the vault's root, and the heading;
/// `None` if it names no page.
pub fn page_destination(page: &str, destination: &str) -> Option<(String, Option<String>)> {
    is_page(destination).then(|| resolve(page, destination))
}

/// Splits a destination into its path and its fragment without `#`.
fn split(destination: &str) -> (&str, &str) {
    let (rest, fragment) = destination.split_once('#').unwrap_or((destination, ""));
    (rest.split_once('?').map_or(rest, |(path, _)| path), fragment)
}

/// Returns whether a path ends as a page does.
pub(crate) fn has_page_extension(path: &str) -> bool {
    let is = |extension: &str| {
        let start = path.len().checked_sub(extension.len());
        start.and_then(|start| path.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(extension))
    };
    is(".md") || is(".markdown") || is(".org")
}

fn has_scheme(path: &str) -> bool {
    let Some((scheme, _)) = path.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'))
}

/// Returns a relative path on a page as a path from the vault's root; `None` if it leaves the vault.
pub fn path_from_root(page: &str, path: &str) -> Option<String> {
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (folder, path) = match path.strip_prefix('/') {
        Some(path) => ("", path),
        None => (folder, path),
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in folder.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}
