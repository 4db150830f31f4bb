//! `find-notes`: notes, observations and relations by words, name or property, in one project or several.

mod lines;
mod metadata;
mod pages;
mod windows;

use clap::{Args, ValueEnum};
use lore_engine::{MAX_HITS, VaultContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::external_text::PageText;
use crate::ops::line::Line;
use crate::ops::views::{check_not_zero, lines as text_lines};
use crate::ops::{Operation, Render};

/// Find notes, observations and relations
///
/// Without words, what matches the filters is listed, last changed first.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore find-notes engine --search-type text\n  lore find-notes 'people/*' --search-type permalink\n  lore find-notes --entity-types observation --categories decision"
)]
pub struct FindNotes {
    /// Words, a title or a permalink
    #[serde(default)]
    query: Option<String>,
    /// How notes are found [default: hybrid]
    #[arg(long, value_enum)]
    #[serde(default)]
    search_type: Option<SearchType>,
    /// Page of results, starting at 1 [default: 1]
    #[arg(long)]
    #[serde(default)]
    page: Option<usize>,
    /// Results per page [default: 10]
    #[arg(long)]
    #[serde(default)]
    page_size: Option<usize>,
    /// Only notes of these types
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    note_types: Vec<String>,
    /// What to find: notes, observations, relations [default: entity]
    #[arg(long, value_enum, value_delimiter = ',')]
    #[serde(default)]
    entity_types: Vec<EntityType>,
    /// Only observations of these categories
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    categories: Vec<String>,
    /// Only notes with all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    tags: Vec<String>,
    /// Only notes with this status
    #[arg(long)]
    #[serde(default)]
    status: Option<String>,
    /// Only notes changed after this date
    #[arg(long)]
    #[serde(default)]
    after_date: Option<String>,
    /// Only notes with these properties: a value, a list, or operators such as $gt, $in and $between
    #[arg(skip)]
    #[serde(default)]
    metadata_filters: Map<String, Value>,
    /// Only notes at least this similar, from 0 to 1
    #[arg(long)]
    #[serde(default)]
    min_similarity: Option<f64>,
    /// Only notes with a fact or relation that is valid on this day
    #[arg(long, value_name = "DATE")]
    #[serde(default)]
    valid_at: Option<String>,
    /// Search these projects [default: the current one]
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    projects: Vec<String>,
    /// Search all projects
    #[arg(long)]
    #[serde(default)]
    all_projects: bool,
    /// Return the text of each note
    #[arg(long)]
    #[serde(default)]
    contents: bool,
    /// Return the lines that contain the query, with this many lines around them
    #[arg(long, value_name = "N")]
    #[serde(default)]
    context_lines: Option<usize>,
    /// Maximum number of such lines per note [default: 10]
    #[arg(long, value_name = "N")]
    #[serde(default)]
    max_matches: Option<usize>,
}

/// How notes are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchType {
    /// Full-text search
    Text,
    /// Words of the title
    Title,
    /// Permalink, with wildcards
    Permalink,
    /// Semantic search
    Vector,
    /// Semantic search
    Semantic,
    /// Both
    Hybrid,
}

/// What is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntityType {
    /// Notes
    Entity,
    /// Observations
    Observation,
    /// Relations
    Relation,
}

/// Output of `find-notes`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundNotes {
    /// Best first.
    results: Vec<FoundNote>,
    page: usize,
    page_size: usize,
    /// Number of results; of those looked at if it is not exact.
    total: usize,
    total_is_exact: bool,
    more: bool,
    /// The projects that were searched.
    projects: Vec<String>,
}

/// A note, an observation or a relation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FoundNote {
    #[serde(rename = "type")]
    kind: EntityType,
    title: String,
    permalink: String,
    /// Permalink of the note.
    entity: String,
    /// Id of the note.
    id: String,
    file_path: Line,
    /// Score, comparable within this result only.
    score: f64,
    note_type: String,
    tags: Vec<String>,
    created: String,
    updated: String,
    project: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<PageText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<FoundRelation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    properties: Option<lore_page::Properties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<windows::Matches>,
}

/// A relation between two notes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FoundRelation {
    id: u64,
    relation_type: String,
    from: String,
    from_title: String,
    /// Permalink of the target, if it exists.
    to: Option<String>,
    /// The target as written.
    to_name: String,
}

impl Operation for FindNotes {
    const NAME: &'static str = "find-notes";
    const HIDDEN: bool = true;
    type Output = FoundNotes;

    fn run(self, session: &Session) -> Result<FoundNotes> {
        check_not_zero(&[("page", self.page), ("page-size", self.page_size)])?;
        let (page, page_size) = (self.page.unwrap_or(1), self.page_size.unwrap_or(10));
        self.check()?;
        let wanted = page.saturating_mul(page_size).saturating_add(1).min(MAX_HITS);
        let (mut results, mut projects) = (Vec::new(), Vec::new());
        if self.all_projects || !self.projects.is_empty() {
            for (name, root) in self.chosen(session)? {
                let context = session.open_fresh(&name, &root)?;
                results.extend(self.of_project(session, &context, wanted)?);
                projects.push(name);
            }
            results.sort_by(|a, b| b.score.total_cmp(&a.score));
        } else {
            let context = session.fresh()?;
            results = self.of_project(session, context, wanted)?;
            projects.push(context.name().to_owned());
        }
        let (total, first) = (results.len(), (page - 1).saturating_mul(page_size));
        let more = total > first.saturating_add(page_size);
        let results: Vec<FoundNote> = results.into_iter().skip(first).take(page_size).collect();
        Ok(FoundNotes { results, page, page_size, total, total_is_exact: total < wanted, more, projects })
    }
}

impl FindNotes {
    fn check(&self) -> Result<()> {
        let has_filter = !self.note_types.is_empty()
            || !self.entity_types.is_empty()
            || !self.categories.is_empty()
            || !self.tags.is_empty()
            || !self.metadata_filters.is_empty()
            || [&self.status, &self.after_date, &self.valid_at].iter().any(|given| given.is_some());
        if self.words().is_none() && !has_filter {
            return Err(AppError::usage("nothing to search for", "pass words, or a filter such as tags"));
        }
        metadata::check(&self.metadata_filters)
    }

    /// Returns the query; one of `tag:name` alone is a filter.
    fn words(&self) -> Option<&str> {
        self.query.as_deref().map(str::trim).filter(|query| !query.is_empty())
    }

    /// Returns the projects to search, of those that the caller may know of.
    fn chosen(&self, session: &Session) -> Result<Vec<(String, std::path::PathBuf)>> {
        let known = session.projects();
        if self.all_projects {
            return Ok(known.roots.into_iter().collect());
        }
        let find = |name: &String| match known.roots.get(name) {
            Some(root) => Ok((name.clone(), root.clone())),
            None => {
                Err(lore_engine::Error::UnknownProject { name: name.clone(), known: known.names() }.into())
            }
        };
        self.projects.iter().map(find).collect()
    }

    fn of_project(&self, session: &Session, context: &VaultContext, wanted: usize) -> Result<Vec<FoundNote>> {
        let kinds = match self.entity_types.is_empty() {
            true if self.categories.is_empty() => vec![EntityType::Entity],
            true => vec![EntityType::Observation],
            false => self.entity_types.clone(),
        };
        let mut found = Vec::new();
        for kind in kinds {
            match kind {
                EntityType::Entity => found.extend(self.notes(session, context, wanted)?),
                lines => found.extend(self.lines(session, context, lines, wanted)?),
            }
        }
        found.sort_by(|a: &FoundNote, b| b.score.total_cmp(&a.score).then(b.updated.cmp(&a.updated)));
        found.truncate(wanted);
        Ok(found)
    }
}

impl Render for FoundNotes {
    fn human(&self) -> String {
        if self.results.is_empty() {
            return "nothing found; try fewer or different words\n".into();
        }
        text_lines(self.results.iter().map(|one| format!("{}  {}", one.permalink, one.title)))
    }

    fn exit(&self) -> u8 {
        u8::from(self.results.is_empty())
    }
}
