//! Builds the page of a capture: its path, title and the properties its schema requires.

use lore_engine::{Capture, Error, Result, Schema, VaultContext, Verb};
use lore_page::{Format, Value, convert, edit, parse};
use lore_ports::{KeyKind, NameQuery};
use lore_text::{fold, path_slug, project_slug, slugify};
use lore_vault::exists;

use crate::lint_fix::filled;
use crate::page_text::first_sentence;

/// Properties that a capture sets itself instead of using the schema's defaults.
const CAPTURE_PROPERTIES: [&str; 5] = ["title", "tags", "projects", "source", "summary"];

/// Contents of a new page.
#[derive(Default)]
pub(crate) struct NewPage<'a> {
    /// Text, including any frontmatter.
    pub text: &'a str,
    /// Title.
    pub title: &'a str,
    /// Tags.
    pub tags: Vec<String>,
    /// Source of the information.
    pub source: Option<String>,
    /// Name of the directory it was captured in.
    pub directory: Option<&'a str>,
    /// Properties that no schema requires.
    pub extra: Vec<(&'static str, String)>,
}

/// Returns a text in the format of a path. Text for an Org file may be Markdown, which agents write.
pub(crate) fn in_format(context: &VaultContext, path: &str, text: &str) -> String {
    if Format::of(path) == Format::Markdown || Format::guess(text) == Format::Org {
        return text.to_owned();
    }
    convert(&with_ids(context, text), Format::Markdown, Format::Org)
}

/// Returns a Markdown text in which links by title to pages with ids name these: Org and org-roam follow only those.
fn with_ids(context: &VaultContext, text: &str) -> String {
    let mut links = parse("text.md", text).page.links;
    links.sort_by_key(|link| std::cmp::Reverse(link.span.start));
    let mut text = text.to_owned();
    for link in links {
        let title = link.target.trim();
        let is_whole_page = link.heading.is_none() && !link.embed && link.span.of(&text).starts_with("[[");
        let label = link.label.as_deref().unwrap_or(title);
        // The title of a node inside a page resolves to the page, which has another id.
        let page = context.find(title).ok().flatten().filter(|page| fold(&page.title) == fold(title));
        let page = page.filter(|_| is_whole_page);
        if let Some(id) = page.as_ref().and_then(|page| page.properties.text("id")) {
            text.replace_range(link.span.start..link.span.end, &format!("[[id:{id}|{label}]]"));
        }
    }
    text
}

/// Returns the text of the page, with its own properties kept and those its schema requires added.
pub(crate) fn new_page(context: &VaultContext, path: &str, new: &NewPage<'_>) -> Result<String> {
    let policy = context.policy();
    let schema = policy.schema(path).cloned().unwrap_or_default();
    let format = Format::of(path);
    let mut text =
        in_format(context, path, new.text.trim_start_matches('\u{feff}').trim()).trim_end().to_owned() + "\n";
    let given = parse(path, &text).page;
    if format == Format::Markdown && given.heading_title.is_none() {
        let heading = format!("# {}\n\n", new.title);
        text = edit::prepend(format, &text, &heading).map_err(|source| edit_failed(path, source))?;
    }
    let mut own = properties(context, new, &schema);
    // Without an id, an Org file is no node, and nothing in org-roam finds it or links to it.
    if format == Format::Org && own.iter().all(|(key, _)| key != "id") {
        own.insert(0, ("id".to_owned(), Value::Text(filled(context, "{{id}}"))));
    }
    for (key, value) in own {
        if given.properties.get(&key).is_none() {
            text = edit::set_property(format, &text, &key, &value)
                .map_err(|source| edit_failed(path, source))?;
        }
    }
    Ok(text)
}

/// Returns the properties to add where the page lacks them, in order.
fn properties(context: &VaultContext, new: &NewPage<'_>, schema: &Schema) -> Vec<(String, Value)> {
    let required = |key: &str| schema.required.iter().any(|known| known == key);
    let default_value =
        |key: &String| schema.defaults.get(key).map(|text| Value::Text(filled(context, text)));
    let others = schema.required.iter().filter(|key| !CAPTURE_PROPERTIES.contains(&key.as_str()));
    let mut all: Vec<(String, Value)> =
        others.filter_map(|key| Some((key.clone(), default_value(key)?))).collect();
    let mut set = |key: &str, value: Value| all.push((key.to_owned(), value));
    set("title", Value::Text(new.title.to_owned()));
    let tags = tags(new, schema, context.policy().capture.tag.as_deref());
    if !tags.is_empty() {
        set("tags", list(tags));
    }
    if required("projects") {
        let slug = new.directory.map_or_else(|| "general".into(), project_slug);
        set("projects", list(vec![slug]));
    }
    if let Some(source) = new.source.clone().map(Value::Text).or_else(|| default_value(&"source".to_owned()))
    {
        set("source", source);
    }
    if required("summary") {
        set("summary", Value::Text(first_sentence(new.text, 200)));
    }
    for (key, value) in &new.extra {
        set(key, Value::Text(value.clone()));
    }
    all
}

/// Returns a list value of these texts.
pub(crate) fn list(items: Vec<String>) -> Value {
    Value::List(items.into_iter().map(Value::Text).collect())
}

fn tags(new: &NewPage<'_>, schema: &Schema, default_tag: Option<&str>) -> Vec<String> {
    let mut tags = plain_tags(&new.tags);
    let fits = schema.tags.is_empty() || tags.iter().any(|tag| schema.tags.contains(tag));
    if let Some(default_tag) = default_tag.filter(|_| !fits) {
        tags.push(default_tag.to_owned());
    }
    tags
}

/// Strips the leading `#` from tags and drops empty ones.
pub(super) fn plain_tags(tags: &[String]) -> Vec<String> {
    let plain = tags.iter().map(|tag| tag.trim().trim_start_matches('#').to_owned());
    plain.filter(|tag| !tag.is_empty()).collect()
}

/// Where a new page is put, and how it names its namespace where its folder does not.
pub(super) struct Place {
    /// A free path.
    pub(super) path: String,
    /// Value of `projects`, if its schema requires that property.
    pub(super) project: Option<String>,
    /// Value of `namespace`.
    pub(super) namespace: Option<String>,
}

/// Returns a free path from the policy's pattern, numbered if it is taken: in the folder of the namespace, unless the
/// schema groups pages by project or the policy allows no new page there.
pub(super) fn place(context: &VaultContext, title: &str, namespace: Option<&str>) -> Result<Place> {
    let policy = context.policy();
    let Capture { folder, name, .. } = &policy.capture;
    let day = &context.today();
    let path = free_path_of(context, &Naming { folder, name, title, day })?;
    let Some(namespace) = namespace else { return Ok(Place { path, project: None, namespace: None }) };
    let is_required =
        |key: &str| policy.schema(&path).is_some_and(|schema| schema.required.iter().any(|one| one == key));
    if is_required("projects") {
        return Ok(Place { path, project: Some(namespace.to_owned()), namespace: None });
    }
    let folder = &policy.namespace_folder(namespace);
    let own = free_path_of(context, &Naming { folder, name, title, day })?;
    match policy.allow(&own, &[Verb::Create]) {
        Ok(()) => Ok(Place { path: own, project: None, namespace: None }),
        Err(_) => Ok(Place { path, project: None, namespace: Some(namespace.to_owned()) }),
    }
}

/// Inputs for the path of a new page.
pub(crate) struct Naming<'a> {
    /// Folder.
    pub folder: &'a str,
    /// Name pattern.
    pub name: &'a str,
    /// Title.
    pub title: &'a str,
    /// Date.
    pub day: &'a str,
}

/// Returns a path that no file and no page slug uses, numbered if the first choice is taken.
pub(crate) fn free_path_of(context: &VaultContext, naming: &Naming<'_>) -> Result<String> {
    let Naming { folder, name, title, day } = naming;
    let now = context.now();
    let slug: String = slugify(title).replace('/', "-").chars().take(60).collect();
    let slug = slug.trim_matches('-');
    let name = name
        .replace("{slug}", if slug.is_empty() { "note" } else { slug })
        .replace("{date}", day)
        .replace("{time}", &now.strftime("%Y%m%d%H%M%S").to_string());
    let folder = folder.trim_matches('/');
    let stem = if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let extension = context.extension_for(lore_vault::folder(&stem))?;
    let numbered = (2..).map(|number| format!("{stem}-{number}.{extension}"));
    let mut names = std::iter::once(format!("{stem}.{extension}")).chain(numbered);
    let free = names.find(|path| !is_taken(context, path));
    Ok(context.vault().page_path(&free.unwrap_or(stem))?)
}

/// Returns whether the file exists or another page has the slug of this path.
pub(crate) fn is_taken(context: &VaultContext, path: &str) -> bool {
    let slug = path_slug(path);
    let rows = context.store().lookup(context.project(), &NameQuery::Exact(&[&slug]));
    let is_named = rows.is_ok_and(|rows| rows.iter().any(|row| row.kind == KeyKind::Slug));
    is_named || exists(&context.vault().root().join(path))
}

/// Returns whether a page has this title or another name like it. No page is called by a title that cannot be looked up,
/// so a search for a free title ends.
pub(crate) fn is_title_taken(context: &VaultContext, title: &str) -> bool {
    matches!(context.find(title), Ok(Some(_)) | Err(Error::Ambiguous { .. }))
}

fn edit_failed(path: &str, source: edit::EditError) -> Error {
    Error::Edit { slug: path.to_owned(), source }
}
