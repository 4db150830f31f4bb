//! A static site: one file per page and an index with search, which open from the disk. Text of the pages is never run:
//! HTML in it is shown as text, and only harmless link schemes are kept.

use lore_engine::{Result, VaultContext};
use lore_page::parse;
use lore_ports::{PageRow, Progress};
use lore_text::{on_one_line, percent_decode, percent_encode};
use lore_vault::{NewFolder, folder as folder_of, relative, without_extension};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use serde_json::json;

use super::{Exported, read_page};

const STYLE: &str = include_str!("site.css");
const SEARCH: &str = include_str!("search.js");

/// Characters of a page's text that search looks at.
const SEARCHED: usize = 20_000;

pub(super) fn write(
    context: &VaultContext,
    rows: &[PageRow],
    folder: &NewFolder,
    exported: &mut Exported,
    progress: Progress<'_>,
) -> Result<()> {
    let mut searched = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        progress(number, rows.len())?;
        let Some(text) = read_page(context, row, exported)? else { continue };
        let path = html_path(&row.path);
        folder.write(&path, page(context, row, &text)?.as_bytes())?;
        let body: String = on_one_line(body_of(row, &text)).chars().take(SEARCHED).collect();
        searched.push(json!({ "href": address(&path), "title": row.title, "text": body }));
        exported.pages += 1;
    }
    // A script element cannot end inside a JSON string that has no `<`.
    let list = serde_json::to_string(&searched).unwrap_or_default().replace('<', "\\u003c");
    folder.write("assets/pages.js", format!("window.LORE_PAGES = {list};\n").as_bytes())?;
    folder.write("assets/search.js", SEARCH.as_bytes())?;
    folder.write("assets/site.css", STYLE.as_bytes())?;
    folder.write("index.html", index(context, rows).as_bytes())?;
    Ok(())
}

/// Returns the file of a page in the site. The index of the site keeps its name.
fn html_path(path: &str) -> String {
    let stem = without_extension(path);
    match stem {
        "index" => "index-page.html".to_owned(),
        stem => format!("{stem}.html"),
    }
}

fn address(path: &str) -> String {
    percent_encode(path, " \"#?<>")
}

fn body_of<'t>(row: &PageRow, text: &'t str) -> &'t str {
    let start = parse(&row.path, text).page.truth.start;
    text.get(start..).unwrap_or(text)
}

fn page(context: &VaultContext, row: &PageRow, text: &str) -> Result<String> {
    let up = "../".repeat(row.path.matches('/').count());
    let mut body = format!("<nav><a href=\"{up}index.html\">All pages</a> / {}</nav>\n", escaped(&row.path));
    let facts: Vec<String> = [("type", row.kind.clone()), ("tags", row.tags.join(", "))]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}: {}", escaped(&value)))
        .collect();
    body.push_str(&format!("<p class=\"facts\">{}</p>\n", facts.join(" · ")));
    let text = body_of(row, text);
    if !text.trim_start().starts_with("# ") {
        body.push_str(&format!("<h1>{}</h1>\n", escaped(&row.title)));
    }
    html::push_html(&mut body, events(context, row, text).into_iter());
    Ok(document(&row.title, &up, &body, ""))
}

/// Returns the parsed text with links that lead to the files of the site.
fn events<'t>(context: &VaultContext, row: &PageRow, text: &'t str) -> Vec<Event<'t>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_WIKILINKS;
    let mut events = Vec::new();
    // Whether the link that is open has a place to go to.
    let mut open = Vec::new();
    for event in Parser::new_ext(text, options) {
        events.push(match event {
            Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let to = destination(context, row, link_type, &dest_url);
                open.push(to.is_some());
                match to {
                    Some(to) => Event::Start(Tag::Link {
                        link_type: LinkType::Inline,
                        dest_url: to.into(),
                        title,
                        id,
                    }),
                    None => Event::InlineHtml(CowStr::from("<span class=\"missing\">")),
                }
            }
            Event::End(TagEnd::Link) => match open.pop() {
                Some(false) => Event::InlineHtml(CowStr::from("</span>")),
                _ => Event::End(TagEnd::Link),
            },
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let to = image(context, row, link_type, &dest_url).unwrap_or_default();
                Event::Start(Tag::Image { link_type: LinkType::Inline, dest_url: to.into(), title, id })
            }
            event => event,
        });
    }
    events
}

/// Returns where a link leads: a page of the site, a file beside it, or an address of the web.
fn destination(context: &VaultContext, row: &PageRow, kind: LinkType, to: &str) -> Option<String> {
    if has_scheme(to) {
        return is_harmless(to).then(|| to.to_owned());
    }
    let (name, heading) = to.split_once('#').map_or((to, None), |(name, heading)| (name, Some(heading)));
    if name.is_empty() {
        return heading.map(|heading| format!("#{}", address(heading)));
    }
    let is_wiki = matches!(kind, LinkType::WikiLink { .. });
    let name = percent_decode(name);
    let found = match is_wiki {
        true => context.find(&name).ok().flatten(),
        false => at(row, &name).and_then(|path| context.page_at(&path).ok().flatten()),
    };
    match found {
        Some(page) => Some(address(&relative(&row.path, &html_path(&page.path)))),
        None if is_wiki => None,
        None => Some(address(&name)),
    }
}

fn image(context: &VaultContext, row: &PageRow, kind: LinkType, to: &str) -> Option<String> {
    if has_scheme(to) {
        return is_harmless(to).then(|| to.to_owned());
    }
    let name = percent_decode(to.split(['#', '|']).next().unwrap_or(to));
    if !matches!(kind, LinkType::WikiLink { .. }) {
        return Some(address(&name));
    }
    // An embed names a file by its last part.
    let wanted = name.to_lowercase();
    let files = lore_vault::files(context.vault());
    let ends = |path: &&String| {
        let path = path.to_lowercase();
        path == wanted || path.ends_with(&format!("/{wanted}"))
    };
    files.iter().find(ends).map(|path| address(&relative(&row.path, path)))
}

/// Returns the vault path that a relative link on a page names.
fn at(row: &PageRow, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder_of(&row.path).split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn has_scheme(to: &str) -> bool {
    to.starts_with("//") || to.split(['/', '#', '?']).next().is_some_and(|start| start.contains(':'))
}

fn is_harmless(to: &str) -> bool {
    let scheme = to.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "mailto")
}

fn index(context: &VaultContext, rows: &[PageRow]) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<input id=\"q\" type=\"search\" placeholder=\"Search {} pages\" autofocus>\n<ol id=\"hits\"></ol>\n<div id=\"all\">\n",
        escaped(context.name()),
        rows.len()
    );
    let mut last = None;
    for row in rows {
        let folder = folder_of(&row.path);
        if last != Some(folder) {
            body.push_str(if last.is_some() { "</ul>\n" } else { "" });
            body.push_str(&format!(
                "<h2>{}</h2>\n<ul>\n",
                escaped(if folder.is_empty() { "Pages" } else { folder })
            ));
            last = Some(folder);
        }
        let href = escaped(&address(&html_path(&row.path)));
        body.push_str(&format!("<li><a href=\"{href}\">{}</a></li>\n", escaped(&row.title)));
    }
    body.push_str(if last.is_some() { "</ul>\n</div>\n" } else { "</div>\n" });
    let scripts = "<script src=\"assets/pages.js\"></script>\n<script src=\"assets/search.js\"></script>\n";
    document(context.name(), "", &body, scripts)
}

fn document(title: &str, up: &str, body: &str, scripts: &str) -> String {
    format!(
        "<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src * data: file:; style-src 'self' file:; \
         script-src 'self' file:\">\n<title>{}</title>\n<link rel=\"stylesheet\" href=\"{up}assets/site.css\">\n</head>\n\
         <body>\n{body}{scripts}</body>\n</html>\n",
        escaped(title)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_schemes_are_kept() {
        for (to, harmless) in [
            ("https://a.example", true),
            ("mailto:a@b.example", true),
            ("javascript:alert(1)", false),
            ("JavaScript:alert(1)", false),
            ("data:text/html,x", false),
            ("file:///etc/passwd", false),
            ("//a.example/x", false),
        ] {
            assert!(has_scheme(to), "{to}");
            assert_eq!(is_harmless(to), harmless, "{to}");
        }
        assert!(!has_scheme("people/ada.md") && !has_scheme("a/b:c.md"));
    }
}
