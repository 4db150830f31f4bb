//! A static site: one file per page and an index with search, which open from the disk. Text of the pages is never run:
//! HTML in it is shown as text, and only harmless link schemes are kept. A link leads to the page that the index resolves
//! it to.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lore_engine::{Result, VaultContext};
use lore_page::{Format, convert, page_destination, path_from_root};
use lore_ports::{LinkFilter, PageNo, PageRow, Progress};
use lore_text::{fold, on_one_line, percent_decode, percent_encode};
use lore_vault::{NewFolder, folder as folder_of, relative, without_extension};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use serde_json::json;

use super::{Exported, read_page};
use crate::derived::widest_mode;

const STYLE: &str = include_str!("site.css");
const SEARCH: &str = include_str!("search.js");

/// Files of the site itself.
const OWN: [&str; 4] = ["index.html", "assets/pages.js", "assets/search.js", "assets/site.css"];

/// Characters of a page's text that search looks at.
const SEARCHED: usize = 20_000;

pub(super) fn write(
    context: &VaultContext,
    rows: &[PageRow],
    folder: &NewFolder,
    exported: &mut Exported,
    progress: Progress<'_>,
) -> Result<()> {
    let files = site_files(rows, &lore_vault::files(context.vault()));
    let mut searched = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        progress(number, rows.len())?;
        let Some(text) = read_page(context, row, exported)? else { continue };
        let text = convert(&text, Format::of(&row.path), Format::Markdown);
        let Some(path) = files.get(row.path.as_str()) else { continue };
        let page = SitePage { context, row, targets: targets(context, row, &files)? };
        folder.write_within(path, page.html(&text).as_bytes(), context.vault().mode(&row.path))?;
        let body: String = on_one_line(body_of(&text)).chars().take(SEARCHED).collect();
        searched.push(json!({ "href": address(path), "title": row.title, "text": body }));
        exported.pages += 1;
    }
    // A script element cannot end inside a JSON string that has no `<`.
    let list = serde_json::to_string(&searched).unwrap_or_default().replace('<', "\\u003c");
    let mode = widest_mode(context, rows);
    folder.write_within("assets/pages.js", format!("window.LORE_PAGES = {list};\n").as_bytes(), mode)?;
    folder.write("assets/search.js", SEARCH.as_bytes())?;
    folder.write("assets/site.css", STYLE.as_bytes())?;
    folder.write_within("index.html", index(context, rows, &files).as_bytes(), mode)?;
    Ok(())
}

/// Returns the file of each page in the site, by the page's path. No two pages share one, whatever their formats and even
/// on a file system that ignores case. The files of the site itself, and those beside the pages, keep their names.
fn site_files<'r>(rows: &'r [PageRow], beside: &[String]) -> BTreeMap<&'r str, String> {
    let mut taken: BTreeSet<String> = beside.iter().map(|path| fold(path)).collect();
    taken.extend(OWN.map(str::to_owned));
    let mut files = BTreeMap::new();
    for row in rows {
        let stem = without_extension(&row.path);
        let others = (2..).map(|number| format!("{stem}-page-{number}.html"));
        let mut names = [format!("{stem}.html"), format!("{stem}-page.html")].into_iter().chain(others);
        let file = names.find(|name| taken.insert(fold(name)));
        files.insert(row.path.as_str(), file.unwrap_or_default());
    }
    files
}

/// Returns the file of the page that each link on a page resolves to, by the target as the index has it. Links to pages
/// that are not exported are not included.
fn targets<'f>(
    context: &VaultContext,
    row: &PageRow,
    files: &'f BTreeMap<&str, String>,
) -> Result<HashMap<String, &'f str>> {
    let (store, project) = (context.store(), context.project());
    let links = store.links(project, &LinkFilter::From(&[row.number]))?;
    let numbers: Vec<PageNo> = links.iter().filter_map(|link| link.to).collect();
    let pages = store.pages(project, &numbers)?;
    let by_number: HashMap<PageNo, &str> =
        pages.iter().map(|page| (page.number, page.path.as_str())).collect();
    let found = links.into_iter().filter_map(|link| {
        let file = files.get(*by_number.get(&link.to?)?)?;
        Some((link.link.target, file.as_str()))
    });
    Ok(found.collect())
}

/// Returns a path as an address. A colon would end a scheme, and browsers read a backslash as a slash.
fn address(path: &str) -> String {
    percent_encode(path, " \"#?<>:\\")
}

fn body_of(text: &str) -> &str {
    let start = Format::Markdown.parse(text).page.truth.start;
    text.get(start..).unwrap_or(text)
}

/// A page of the site.
struct SitePage<'a> {
    context: &'a VaultContext,
    row: &'a PageRow,
    /// The files that its links lead to, by target.
    targets: HashMap<String, &'a str>,
}

impl SitePage<'_> {
    /// Returns the page with this text, which is Markdown.
    fn html(&self, text: &str) -> String {
        let row = self.row;
        let up = "../".repeat(row.path.matches('/').count());
        let mut body =
            format!("<nav><a href=\"{up}index.html\">All pages</a> / {}</nav>\n", escaped(&row.path));
        let facts: Vec<String> = [("type", row.kind.clone()), ("tags", row.tags.join(", "))]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| format!("{key}: {}", escaped(&value)))
            .collect();
        body.push_str(&format!("<p class=\"facts\">{}</p>\n", facts.join(" · ")));
        let text = body_of(text);
        // The title of an Org page is a keyword, so its first heading is not the title.
        if Format::of(&row.path) == Format::Org || !text.trim_start().starts_with("# ") {
            body.push_str(&format!("<h1>{}</h1>\n", escaped(&row.title)));
        }
        html::push_html(&mut body, self.events(text).into_iter());
        document(&row.title, &up, &body, "")
    }

    /// Returns the parsed text with links that lead to the files of the site.
    fn events<'t>(&self, text: &'t str) -> Vec<Event<'t>> {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_WIKILINKS;
        let mut events = Vec::new();
        // Whether the link that is open has a place to go to.
        let mut open = Vec::new();
        let mut in_comment = false;
        for event in Parser::new_ext(text, options) {
            events.push(match event {
                Event::Html(raw) | Event::InlineHtml(raw) => {
                    in_comment |= raw.trim_start().starts_with("<!--");
                    if in_comment {
                        in_comment = !raw.contains("-->");
                        continue;
                    }
                    Event::Text(raw)
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                    let to = self.destination(link_type, &dest_url);
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
                    let to = self.image(link_type, &dest_url).unwrap_or_default();
                    Event::Start(Tag::Image { link_type: LinkType::Inline, dest_url: to.into(), title, id })
                }
                event => event,
            });
        }
        events
    }

    /// Returns where a link leads: a page of the site, a file beside it, or an address of the web.
    fn destination(&self, kind: LinkType, to: &str) -> Option<String> {
        if let Some(heading) = to.strip_prefix('#') {
            return Some(format!("#{}", address(heading)));
        }
        if let LinkType::WikiLink { .. } = kind {
            // A name may contain the sign before a heading, as `C#` does.
            let name = to.split('#').next().unwrap_or(to);
            let file = self.file_of(to.trim()).or_else(|| self.file_of(name.trim()));
            return file.or_else(|| web_address(to));
        }
        if has_scheme(to) {
            return web_address(to);
        }
        match page_destination(&self.row.path, to) {
            Some((page, _)) => self.file_of(&page),
            None => self.attachment(to),
        }
    }

    /// Returns the address of the page that a target resolves to.
    fn file_of(&self, target: &str) -> Option<String> {
        self.targets.get(target).map(|file| address(&relative(&self.row.path, file)))
    }

    /// Returns the address of a file beside the pages, which has the same path in the site as in the vault.
    fn attachment(&self, to: &str) -> Option<String> {
        let name = percent_decode(to.split(['#', '?']).next().unwrap_or(to));
        let path = path_from_root(&self.row.path, &name)?;
        Some(address(&relative(&self.row.path, &path)))
    }

    fn image(&self, kind: LinkType, to: &str) -> Option<String> {
        if has_scheme(to) {
            return web_address(to);
        }
        if !matches!(kind, LinkType::WikiLink { .. }) {
            return self.attachment(to);
        }
        // An embed names a file by its last part.
        let name = percent_decode(to.split(['#', '|']).next().unwrap_or(to));
        let wanted = name.to_lowercase();
        let files = lore_vault::files(self.context.vault());
        let ends = |path: &&String| {
            let path = path.to_lowercase();
            path == wanted || path.ends_with(&format!("/{wanted}"))
        };
        files.iter().find(ends).map(|path| address(&relative(&self.row.path, path)))
    }
}

/// Returns an address of the web if its scheme is harmless.
fn web_address(to: &str) -> Option<String> {
    is_harmless(to).then(|| to.to_owned())
}

fn has_scheme(to: &str) -> bool {
    to.starts_with("//") || to.split(['/', '#', '?']).next().is_some_and(|start| start.contains(':'))
}

fn is_harmless(to: &str) -> bool {
    let scheme = to.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "mailto")
}

fn index(context: &VaultContext, rows: &[PageRow], files: &BTreeMap<&str, String>) -> String {
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
        let href = files.get(row.path.as_str()).map(|file| escaped(&address(file))).unwrap_or_default();
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
