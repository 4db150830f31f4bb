//! Filters shared by `search`, `query`, `list` and `stale`.

use clap::Args;
use lore_engine::{VaultContext, states, status, wings_named};
use lore_ports::{Filter, Order, Window};
use lore_text::{since, until};
use lore_vault::is_dir;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;

/// Page filters.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Only pages of this type; repeatable
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    #[serde(rename = "type", deserialize_with = "one_or_many")]
    #[schemars(schema_with = "one_or_many_schema")]
    pub kind: Vec<String>,
    /// Only pages with this tag; if repeated, with all of them
    #[arg(long, value_name = "TAG")]
    #[serde(deserialize_with = "one_or_many")]
    #[schemars(schema_with = "one_or_many_schema")]
    pub tag: Vec<String>,
    /// Only pages with this status, declared or derived: superseded, stale
    #[arg(long)]
    pub status: Option<String>,
    /// Only pages of this wing (the entity they belong to), by its name, a word of it or a pattern with `%`
    #[arg(long)]
    pub wing: Option<String>,
    /// Only pages under this path
    #[arg(long, value_name = "PREFIX")]
    pub path: Option<String>,
    /// Only pages of this namespace; `all` for every page
    ///
    /// Default: the namespace that the working directory is mapped to
    #[arg(long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// Only pages changed since: a date, `7d`, `2 weeks`, `yesterday`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only pages changed until this day, inclusive
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// Only pages with this property; repeatable
    #[arg(long = "where", value_name = "KEY=VALUE")]
    #[serde(rename = "where", deserialize_with = "one_or_many")]
    #[schemars(schema_with = "one_or_many_schema")]
    pub properties: Vec<String>,
    /// Only the page with this slug
    #[arg(long)]
    pub permalink: Option<String>,
    /// Only pages whose slug has this prefix or matches this glob
    #[arg(long, value_name = "GLOB")]
    pub permalink_match: Option<String>,
    /// Only pages with these words in the title
    #[arg(long)]
    pub title: Option<String>,
}

impl Filters {
    /// Returns whether any filter is given.
    pub fn is_given(&self) -> bool {
        let lists = [&self.kind, &self.tag, &self.properties];
        let texts = [
            &self.status,
            &self.wing,
            &self.path,
            &self.namespace,
            &self.since,
            &self.until,
            &self.permalink,
            &self.permalink_match,
            &self.title,
        ];
        lists.iter().any(|list| !list.is_empty()) || texts.iter().any(|text| text.is_some())
    }

    /// Converts to the filter of the index.
    pub fn build(self, session: &Session, context: &VaultContext) -> Result<Filter> {
        let namespace = session.namespace_filter(context, self.namespace.as_deref())?;
        let mut properties = Vec::new();
        for pair in self.properties {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                AppError::usage(
                    format!("{pair:?} is not of the form key=value"),
                    "pass a property and its value, such as stage=seed",
                )
            })?;
            properties.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        let folder = |path: String| {
            let path = path.trim_start_matches('/').trim_start_matches("./");
            let (name, end) = path.strip_suffix('/').map_or((path, ""), |name| (name, "/"));
            let path = format!("{}{end}", context.vault().spelled(name));
            // The name of a folder means that folder, not every path with that prefix.
            let is_folder = !path.ends_with('/') && is_dir(&context.vault().root().join(&path));
            if is_folder { format!("{path}/") } else { path }
        };
        let mut filter = Filter {
            kinds: self.kind,
            tags: self.tag.into_iter().map(|tag| tag.trim_start_matches('#').to_owned()).collect(),
            status: None,
            wings: self.wing.map(|wing| wings(context, wing)).transpose()?.unwrap_or_default(),
            path: self.path.map(folder).filter(|path| !path.is_empty() && path != "/"),
            slug: self.permalink,
            slug_match: self.permalink_match,
            title: self.title,
            since: self.since.map(|text| since(&text, &context.now())).transpose()?,
            until: self.until.map(|text| until(&text, &context.now())).transpose()?,
            properties,
            among: Vec::new(),
            aged: None,
            namespace,
        };
        if let Some(status) = self.status {
            filter = with_status(context, filter, &status)?;
        }
        Ok(filter)
    }
}

/// Returns the wings that a name means; itself if there is none, so that no page matches.
fn wings(context: &VaultContext, name: String) -> Result<Vec<String>> {
    let found = wings_named(context, &name)?;
    Ok(if found.is_empty() { vec![name] } else { found })
}

/// Returns a note if no page passes a filter, so that no question could be answered.
pub fn nothing_left(context: &VaultContext, filter: &Filter) -> Result<Option<String>> {
    let window = Window { limit: 1, offset: 0 };
    if *filter == Filter::default()
        || !context.store().list(context.project(), filter, Order::Title, window)?.is_empty()
    {
        return Ok(None);
    }
    let wing = filter.wings.first().map(|wing| format!(": no wing is named {wing:?}")).unwrap_or_default();
    Ok(Some(format!("no page passes the filters{wing}; leave one out")))
}

/// Restricts a filter to the pages in a state. Those of Lore are derived from links and dates, as `show` does it.
fn with_status(context: &VaultContext, filter: Filter, status: &str) -> Result<Filter> {
    if !status::ALL.iter().any(|own| status.trim().eq_ignore_ascii_case(own)) {
        return Ok(Filter { status: Some(status.to_owned()), ..filter });
    }
    let wanted = status::known(status.trim());
    let all = Window { limit: i64::MAX as usize, offset: 0 };
    let rows = context.store().list(context.project(), &filter, Order::Title, all)?;
    let states = states(context, &rows)?;
    let fits = rows.into_iter().zip(states).filter(|(_, state)| state.status == wanted);
    let mut among: Vec<String> = fits.map(|(row, _)| row.slug).collect();
    if among.is_empty() {
        // No page has an empty slug, and no slug at all would match every page.
        among.push(String::new());
    }
    Ok(Filter { among, ..filter })
}

/// The schema of what [`one_or_many`] takes.
fn one_or_many_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["array", "string", "null"], "items": { "type": "string" } })
}

/// Deserializes a list, or a single string as a list of one.
fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a string or a list of strings")]
    enum OneOrMany {
        None(()),
        One(String),
        Many(Vec<String>),
    }
    Ok(match OneOrMany::deserialize(from)? {
        OneOrMany::None(()) => Vec::new(),
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}
