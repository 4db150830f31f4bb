//! The page that a capture makes: its name, its title, and every property that its schema wants.

use lore_page::{Value, edit, parse, path_slug, slugify};

use crate::error::{Error, Result};
use crate::index::{KeyKind, Names};
use crate::lint::filled;
use crate::memory::Memory;
use crate::policy::{Capture, Schema};
use crate::project_slug::project_slug;
use crate::vault::exists;

/// Properties that a capture knows better than the schema's defaults.
const SET_BELOW: [&str; 5] = ["title", "tags", "projects", "source", "summary"];

/// What a new page is made of.
#[derive(Default)]
pub(crate) struct NewPage<'a> {
    /// Its text, with whatever frontmatter it has.
    pub text: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its tags.
    pub tags: Vec<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The name of the directory it was learnt in.
    pub directory: Option<&'a str>,
    /// Properties that no schema asks for.
    pub more: Vec<(&'static str, String)>,
}

/// The page's text: its own properties kept, those that its schema wants added.
pub(crate) fn new_page(memory: &Memory, path: &str, new: &NewPage<'_>) -> Result<String> {
    let policy = memory.policy();
    let schema = policy.schema(path).cloned().unwrap_or_default();
    let given = parse(path, new.text).page;
    let mut text = new.text.trim_start_matches('\u{feff}').trim().to_owned() + "\n";
    if given.heading_title.is_none() {
        let heading = format!("# {}\n\n", new.title);
        text = edit::prepend(&text, &heading).map_err(|source| edit_failed(path, source))?;
    }
    for (key, value) in properties(memory, new, &schema) {
        if given.properties.get(&key).is_none() {
            text = edit::set_property(&text, &key, &value).map_err(|source| edit_failed(path, source))?;
        }
    }
    Ok(text)
}

/// The properties that a page gets where it does not have them, in their order.
fn properties(memory: &Memory, new: &NewPage<'_>, schema: &Schema) -> Vec<(String, Value)> {
    let required = |key: &str| schema.required.iter().any(|known| known == key);
    let usual = |key: &String| schema.defaults.get(key).map(|text| Value::Text(filled(memory, text)));
    let others = schema.required.iter().filter(|key| !SET_BELOW.contains(&key.as_str()));
    let mut all: Vec<(String, Value)> = others.filter_map(|key| Some((key.clone(), usual(key)?))).collect();
    let mut set = |key: &str, value: Value| all.push((key.to_owned(), value));
    set("title", Value::Text(new.title.to_owned()));
    let tags = tags(new, schema, memory.policy().capture.tag.as_deref());
    if !tags.is_empty() {
        set("tags", list(tags));
    }
    if required("projects") {
        let slug = new.directory.map_or_else(|| "general".into(), project_slug);
        set("projects", list(vec![slug]));
    }
    if let Some(source) = new.source.clone().map(Value::Text).or_else(|| usual(&"source".to_owned())) {
        set("source", source);
    }
    if required("summary") {
        set("summary", Value::Text(first_sentence(new.text, 200)));
    }
    for (key, value) in &new.more {
        set(key, Value::Text(value.clone()));
    }
    all
}

/// A property's value from several texts.
pub(crate) fn list(items: Vec<String>) -> Value {
    Value::List(items.into_iter().map(Value::Text).collect())
}

fn tags(new: &NewPage<'_>, schema: &Schema, usual: Option<&str>) -> Vec<String> {
    let mut tags = plain_tags(&new.tags);
    let fits = schema.tags.is_empty() || tags.iter().any(|tag| schema.tags.contains(tag));
    if let Some(usual) = usual.filter(|_| !fits) {
        tags.push(usual.to_owned());
    }
    tags
}

/// Tags without their signs; those that are nothing else are left out.
pub(super) fn plain_tags(tags: &[String]) -> Vec<String> {
    let plain = tags.iter().map(|tag| tag.trim().trim_start_matches('#').to_owned());
    plain.filter(|tag| !tag.is_empty()).collect()
}

/// A path that is free: by the policy's pattern, with a number where it is taken.
pub(super) fn free_path(memory: &Memory, title: &str) -> Result<String> {
    let policy = memory.policy();
    let Capture { folder, name, .. } = &policy.capture;
    free_path_of(memory, &Naming { folder, name, title, day: &memory.today() })
}

/// What the path of a new page is made of.
pub(crate) struct Naming<'a> {
    /// Its folder.
    pub folder: &'a str,
    /// The pattern of its name.
    pub name: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its day.
    pub day: &'a str,
}

/// A path that neither a file nor a page's name has, with a number where the first choice is taken.
pub(crate) fn free_path_of(memory: &Memory, naming: &Naming<'_>) -> Result<String> {
    let Naming { folder, name, title, day } = naming;
    let now = memory.now();
    let slug: String = slugify(title).replace('/', "-").chars().take(60).collect();
    let slug = slug.trim_matches('-');
    let name = name
        .replace("{slug}", if slug.is_empty() { "note" } else { slug })
        .replace("{date}", day)
        .replace("{time}", &now.strftime("%Y%m%d%H%M%S").to_string());
    let folder = folder.trim_matches('/');
    let stem = if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let numbered = (2..).map(|number| format!("{stem}-{number}.md"));
    let mut names = std::iter::once(format!("{stem}.md")).chain(numbered);
    let free = names.find(|path| !is_taken(memory, path));
    memory.vault().page_path(&free.unwrap_or(stem))
}

/// Whether a file is there, or another page has the name that the path would give.
fn is_taken(memory: &Memory, path: &str) -> bool {
    let slug = path_slug(path);
    let rows = memory.store().lookup(memory.project(), &Names::Exact(&[&slug]));
    let is_named = rows.is_ok_and(|rows| rows.iter().any(|row| row.kind == KeyKind::Slug));
    is_named || exists(&memory.vault().root().join(path))
}

/// The title given, else the first heading, else the first sentence.
pub(crate) fn title_of(given: Option<&str>, text: &str) -> String {
    let page = parse("", text).page;
    let own = page.properties.text("title").map(str::to_owned).or(page.heading_title);
    given.map(str::to_owned).or(own).unwrap_or_else(|| first_sentence(text, 80))
}

/// The first sentence of a text's body, cut at a word where it is long.
pub(crate) fn first_sentence(text: &str, limit: usize) -> String {
    let page = parse("", text).page;
    let body =
        page.truth.of(text).lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = body.map(|line| line.trim_start_matches(['-', '*', '>', ' '])).next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence = line[..end].trim_end_matches('.');
    match sentence.char_indices().nth(limit) {
        None => sentence.to_owned(),
        Some((at, _)) => {
            let cut = sentence[..at].rfind(' ').unwrap_or(at);
            format!("{}…", sentence[..cut].trim_end())
        }
    }
}

fn edit_failed(path: &str, source: edit::EditError) -> Error {
    Error::Edit { slug: path.to_owned(), source }
}
