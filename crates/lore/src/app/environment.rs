//! The process environment, read once: no other module reads variables, the clock or the working directory.

#![expect(clippy::disallowed_methods, reason = "this is the only module allowed to call them")]

use std::env;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::{Timestamp, Zoned};
use lore_engine::Clock;

use crate::app::error::{AppError, Result};
use crate::app::log;

/// Directories, user, clock and terminal of this process.
#[derive(Clone)]
pub struct Environment {
    /// The configuration file.
    pub config_file: PathBuf,
    /// The directory of the database.
    pub data: PathBuf,
    /// The directory of private state.
    pub state: PathBuf,
    /// `LORE_HOME`.
    pub own: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub user_config: Option<PathBuf>,
    /// Path of this executable.
    pub program: Option<PathBuf>,
    /// `LORE_SESSION`, else an id generated for this run.
    pub session: String,
    /// `LORE_SESSION`, if set.
    pub named_session: Option<String>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The working directory, with symlinks resolved.
    pub here: Option<PathBuf>,
    /// `LORE_MODEL`: the embedding model of a new database.
    pub model: Option<String>,
    /// `LORE_MODELS`: a directory of models.
    pub models: Option<PathBuf>,
    /// `LORE_DB`.
    pub db: Option<String>,
    /// `LORE_PROJECT`.
    pub project: Option<String>,
    /// `LORE_FORMAT`: the output format.
    pub format: Option<String>,
    /// `LORE_ACTOR`, else the user's name.
    pub actor: String,
    /// The clock; `LORE_NOW` fixes it.
    pub clock: Clock,
    /// Whether standard output is a terminal.
    pub terminal: bool,
    /// Whether standard input is a terminal.
    pub interactive: bool,
}

impl Environment {
    /// Reads the environment.
    pub fn read() -> Result<Environment> {
        if let Some(level) = text("LORE_LOG") {
            log::start(&level)?;
        }
        let own = directory("LORE_HOME");
        if let Some(point) = text("LORE_FAULT") {
            lore_vault::fault::arm(&point);
        }
        let home = directory("HOME").or_else(|| directory("USERPROFILE"));
        let place = |variable: &str, default: &str| -> Result<PathBuf> {
            let base = directory(variable).or_else(|| home.as_ref().map(|home| home.join(default)));
            base.map(|base| base.join("lore")).ok_or_else(no_home)
        };
        let (config, data, state) = match &own {
            Some(own) => (own.clone(), own.clone(), own.join("state")),
            None => (
                place("XDG_CONFIG_HOME", ".config")?,
                place("XDG_DATA_HOME", ".local/share")?,
                place("XDG_STATE_HOME", ".local/state")?,
            ),
        };
        let actor = text("LORE_ACTOR").or_else(|| text("USER")).or_else(|| text("USERNAME"));
        Ok(Environment {
            config_file: config.join("config.toml"),
            data,
            state,
            own: own.clone(),
            user_config: directory("XDG_CONFIG_HOME"),
            program: env::current_exe().ok(),
            session: text("LORE_SESSION").unwrap_or_else(new_session),
            named_session: text("LORE_SESSION"),
            home: home.clone(),
            here: env::current_dir().ok().and_then(|here| lore_vault::real_folder(&here)),
            model: text("LORE_MODEL"),
            models: directory("LORE_MODELS"),
            db: text("LORE_DB"),
            project: text("LORE_PROJECT"),
            format: text("LORE_FORMAT"),
            actor: actor.unwrap_or_else(|| "user".into()),
            clock: clock(text("LORE_NOW"))?,
            terminal: std::io::stdout().is_terminal(),
            interactive: std::io::stdin().is_terminal(),
        })
    }
}

/// Returns a secret from an environment variable.
pub fn secret(variable: &str) -> Option<String> {
    text(variable)
}

/// Returns the absolute path in an environment variable of another program.
pub fn folder(variable: &str) -> Option<PathBuf> {
    directory(variable)
}

fn text(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}

fn directory(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn clock(fixed: Option<String>) -> Result<Clock> {
    let Some(fixed) = fixed else { return Ok(Arc::new(Zoned::now)) };
    let bad = |_| {
        AppError::usage(
            format!("LORE_NOW is {fixed:?}, which is not a timestamp"),
            "set it to one such as 2024-03-01T12:00:00Z",
        )
    };
    let at: Timestamp = fixed.parse().map_err(bad)?;
    let at = at.to_zoned(jiff::tz::TimeZone::system());
    Ok(Arc::new(move || at.clone()))
}

/// Returns an id that distinguishes this run's writes from those of other runs.
fn new_session() -> String {
    uuid::Uuid::now_v7().to_string()
}

fn no_home() -> AppError {
    AppError::usage("cannot find the home directory", "set HOME, or set LORE_HOME to an absolute path")
}
