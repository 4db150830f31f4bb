//! `config`: user settings.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::config::{Config, SETTINGS, canonical};
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::views::{Done, lines};
use crate::ops::{Operation, Render};

/// Print a setting
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore config get search.limit")]
pub struct Get {
    /// Setting key
    key: String,
}

/// A setting.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingItem {
    key: String,
    value: String,
    /// Whether it has its default value.
    default: bool,
    about: &'static str,
}

impl Operation for Get {
    const NAME: &'static str = "config get";
    const MACHINE: bool = true;
    type Output = SettingItem;

    fn run(self, session: &Session) -> Result<SettingItem> {
        if let Some((value, about)) = derived(session, &self.key)? {
            return Ok(SettingItem { key: self.key, value, default: true, about });
        }
        let value = session.config.get(&self.key)?;
        let default = session.config.set_value(&self.key).is_none();
        let key = canonical(&self.key);
        let about = SETTINGS.iter().find(|setting| setting.key == key).map_or("", |setting| setting.about);
        Ok(SettingItem { key: self.key, value, default, about })
    }
}

/// Returns a value that is derived from the state of the database or fixed, and cannot be set.
fn derived(session: &Session, key: &str) -> Result<Option<(String, &'static str)>> {
    Ok(match key {
        "version" => Some((env!("CARGO_PKG_VERSION").to_owned(), "version of Lore")),
        "chunk_strategy" => Some(("section".to_owned(), "how pages are split for embedding")),
        "embedding_model" => {
            let model = session.context()?.active_model()?.map(|model| model.identity.name);
            Some((
                model.unwrap_or_else(|| "none".into()),
                "active embedding model; change it with `lore model use`",
            ))
        }
        "embedding_dimensions" => {
            let active = session.context()?.active_model()?.map(|model| model.identity.dimensions);
            Some((active.unwrap_or_default().to_string(), "dimensions of the active embedding model"))
        }
        _ => None,
    })
}

impl Render for SettingItem {
    fn human(&self) -> String {
        format!("{}\n", self.value)
    }
}

/// Change a setting
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore config set format human\n  lore config set search.limit 20")]
pub struct Set {
    /// Setting key
    key: String,
    /// New value
    value: String,
}

impl Operation for Set {
    const NAME: &'static str = "config set";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        if matches!(
            self.key.as_str(),
            "version" | "chunk_strategy" | "embedding_model" | "embedding_dimensions"
        ) {
            return Err(AppError::usage(
                format!("{} is read-only", self.key),
                "change the embedding model with `lore model use NAME`",
            ));
        }
        Config::change(&session.environment, |config| config.set(&self.key, &self.value))?;
        Ok(Done::new(format!("{} = {}", self.key, self.value)))
    }
}

/// Reset a setting to its default
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore config unset search.limit")]
pub struct Unset {
    /// Setting key
    key: String,
}

impl Operation for Unset {
    const NAME: &'static str = "config unset";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let mut was_set = false;
        let config = Config::change(&session.environment, |config| {
            was_set = config.unset(&self.key)?;
            Ok(())
        })?;
        let state = if was_set { "reset to its default" } else { "was not set" };
        Ok(Done::new(format!("{} {state}: {:?}", self.key, config.get(&self.key)?)))
    }
}

/// List settings with their values
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore config list")]
pub struct List {}

/// Output of `config list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingList {
    settings: Vec<SettingItem>,
}

impl Operation for List {
    const NAME: &'static str = "config list";
    const MACHINE: bool = true;
    type Output = SettingList;

    fn run(self, session: &Session) -> Result<SettingList> {
        let mut settings = Vec::new();
        for setting in SETTINGS {
            settings.push(SettingItem {
                key: setting.key.to_owned(),
                value: session.config.get(setting.key)?,
                default: session.config.set_value(setting.key).is_none(),
                about: setting.about,
            });
        }
        Ok(SettingList { settings })
    }
}

impl Render for SettingList {
    fn human(&self) -> String {
        lines(self.settings.iter().map(|setting| {
            let mark = if setting.default { " (default)" } else { "" };
            format!("{:<18} = {:?}{mark}  {}", setting.key, setting.value, setting.about)
        }))
    }
}
