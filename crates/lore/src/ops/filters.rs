//! The filters that `search` and `list` share.

use clap::Args;
use lore_engine::{Filter, Memory, since, until};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::failure::{Failure, Result};

/// Which pages count.
#[derive(Debug, Clone, Default, Args, Deserialize, JsonSchema)]
#[serde(default)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Pages of this type; may be given more than once
    #[arg(id = "type", long = "type", value_name = "TYPE")]
    #[serde(rename = "type", deserialize_with = "one_or_many")]
    #[schemars(with = "Vec<String>")]
    pub kind: Vec<String>,
    /// Pages with this tag; given more than once, with all of them
    #[arg(long, value_name = "TAG")]
    #[serde(deserialize_with = "one_or_many")]
    pub tag: Vec<String>,
    /// Pages whose file states this status
    #[arg(long)]
    pub status: Option<String>,
    /// Pages of this wing (the entity they belong to)
    #[arg(long)]
    pub wing: Option<String>,
    /// Pages whose path starts so; `people/` is a folder
    #[arg(long, value_name = "PREFIX")]
    pub path: Option<String>,
    /// Changed since: a date, `7d`, `2 weeks`, `yesterday`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Changed until, the day included
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// Pages with this property, as `key=value`; may be given more than once
    #[arg(long = "where", value_name = "KEY=VALUE")]
    #[serde(rename = "where", deserialize_with = "one_or_many")]
    pub properties: Vec<String>,
    /// The page with this slug
    #[arg(long)]
    pub permalink: Option<String>,
    /// Pages whose slug starts so, or matches this glob
    #[arg(long, value_name = "GLOB")]
    pub permalink_match: Option<String>,
    /// Pages with these words in their title
    #[arg(long)]
    pub title: Option<String>,
}

impl Filters {
    /// The filter as the index takes it.
    pub fn build(self, memory: &Memory) -> Result<Filter> {
        let mut properties = Vec::new();
        for pair in self.properties {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                Failure::usage(
                    format!("{pair:?} is not key=value"),
                    "write a property and its value, such as stage=seed",
                )
            })?;
            properties.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        let folder = |path: String| {
            let path = path.trim_start_matches('/').trim_start_matches("./").to_owned();
            // A name that is a folder of the vault means the folder, not every path that begins alike.
            let is_folder = !path.ends_with('/') && memory.vault().root().join(&path).is_dir();
            if is_folder { format!("{path}/") } else { path }
        };
        Ok(Filter {
            kinds: self.kind,
            tags: self.tag.into_iter().map(|tag| tag.trim_start_matches('#').to_owned()).collect(),
            status: self.status,
            wing: self.wing,
            path: self.path.map(folder).filter(|path| !path.is_empty() && path != "/"),
            slug: self.permalink,
            slug_match: self.permalink_match,
            title: self.title,
            since: self.since.map(|text| since(&text, &memory.now())).transpose()?,
            until: self.until.map(|text| until(&text, &memory.now())).transpose()?,
            properties,
            among: Vec::new(),
            aged: None,
        })
    }
}

/// A list, or a single text that stands for a list of one.
fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
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
