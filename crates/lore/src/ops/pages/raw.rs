//! `raw`: structured data that belongs to a page, such as an API response, stored beside it by source.

use clap::Args;
use lore_engine::{Action, Code, Error, PageChange, VaultContext, write};
use lore_ports::PageRow;
use lore_vault::{VaultPath, exists, sidecar};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::line::Line;
use crate::ops::{Operation, Render};

/// Read or write the sidecar data of a page, by source
///
/// The data is in `.raw/NAME.json` beside the page, as `{"sources": {"SOURCE": DATA}}`.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore raw people/ada\n  lore raw people/ada --source registry --data '{\"born\": 1815}'"
)]
pub struct Raw {
    /// Page the data belongs to
    #[arg(value_name = "REF")]
    reference: String,
    /// Source of the data
    #[arg(long)]
    #[serde(default)]
    source: Option<String>,
    /// JSON to store; replaces the data of that source
    #[arg(long, value_name = "JSON", requires = "source", value_parser = parse_json)]
    #[serde(default)]
    data: Option<Value>,
    /// With --data, fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

/// Output of `raw`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RawData {
    slug: String,
    /// Version of the page.
    version: u64,
    /// Path of the sidecar file.
    path: Line,
    /// Data by source.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    sources: Map<String, Value>,
}

impl Operation for Raw {
    const NAME: &'static str = "raw";
    const WRITES: bool = true;
    type Output = RawData;

    fn run(self, session: &Session) -> Result<RawData> {
        let context = session.fresh()?;
        let page = match &self.data {
            Some(_) => context.page_to_write(&self.reference)?,
            None => context.page(&self.reference)?,
        };
        if self.data.is_some() {
            context.refuse_node(&page, &self.reference)?;
        }
        // Reading needs no version.
        let expected = self.expected_version.filter(|_| self.data.is_some());
        if let Some(expected) = expected.filter(|expected| *expected != page.version) {
            return Err(Error::Conflict { slug: page.slug, expected, current: page.version }.into());
        }
        let path = sidecar(&page.path);
        let (mut sources, mut version) = (read(context, &path)?, page.version);
        if let (Some(source), Some(data)) = (&self.source, self.data) {
            sources = store_source(context, &page, self.expected_version, source, &data)?;
            version = context.page_at(&page.path)?.map_or(version, |page| page.version);
        } else if let Some(source) = &self.source {
            sources.retain(|name, _| name == source);
        }
        Ok(RawData { slug: page.slug, version, path: path.into(), sources })
    }
}

/// Replaces the data of one source; data of other sources stays, even if it was written concurrently.
fn store_source(
    context: &VaultContext,
    page: &PageRow,
    page_version: Option<u64>,
    source: &str,
    data: &Value,
) -> Result<Map<String, Value>> {
    let path = &sidecar(&page.path);
    let with_source = |mut sources: Map<String, Value>| {
        sources.insert(source.to_owned(), data.clone());
        serde_json::to_string_pretty(&json!({ "sources": sources })).unwrap_or_default() + "\n"
    };
    let invalid = |failure: AppError| Error::BadInput { message: failure.message, hint: failure.hint };
    loop {
        let is_existing = exists(&context.vault().root().join(path));
        let (action, expected_version) = if is_existing {
            let edit = |text: &str| parse(path, text.as_bytes()).map(with_source).map_err(invalid);
            (Action::Edit(Box::new(edit)), None)
        } else {
            (Action::Put(with_source(Map::new()).into_bytes()), Some(0))
        };
        // The version of the page is checked once more with the vault locked.
        let page = PageChange {
            path: VaultPath::known(page.path.clone()),
            action: Action::Check,
            expected_version: page_version,
        };
        let data = PageChange { path: VaultPath::known(path.to_owned()), action, expected_version };
        match write(context, &[page, data]) {
            Err(Error::Conflict { expected: 0, .. }) if !is_existing => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return read(context, path),
        }
    }
}

fn read(context: &VaultContext, path: &str) -> Result<Map<String, Value>> {
    match context.vault().read(path, u64::MAX)? {
        Some(file) => parse(path, &file.bytes),
        None => Ok(Map::new()),
    }
}

fn parse(path: &str, bytes: &[u8]) -> Result<Map<String, Value>> {
    let invalid = |reason: String| {
        let message = format!("{path} is not sidecar data: {reason}");
        AppError::new(Code::Io, message, "fix the file or move it aside; nothing was changed")
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| invalid(error.to_string()))?;
    match value.get("sources") {
        Some(Value::Object(sources)) => Ok(sources.clone()),
        _ => Err(invalid("no object \"sources\"".into())),
    }
}

fn parse_json(text: &str) -> std::result::Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

impl Render for RawData {
    fn human(&self) -> String {
        serde_json::to_string_pretty(&self.sources).unwrap_or_default() + "\n"
    }

    fn exit(&self) -> u8 {
        u8::from(self.sources.is_empty())
    }
}
