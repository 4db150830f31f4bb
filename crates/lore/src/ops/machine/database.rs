//! `db`: database maintenance.

use std::path::PathBuf;

use clap::Args;
use lore_vault::exists;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::views::Done;

/// Write the write-ahead log back into the database file
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore db checkpoint")]
pub struct Checkpoint {}

impl Operation for Checkpoint {
    const NAME: &'static str = "db checkpoint";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        session.store()?.optimize()?;
        Ok(Done::new(format!("checkpointed {}", session.database()?.display())))
    }
}

/// Copy the database to a new file, consistently
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(after_help = "Examples:\n  lore db backup ~/lore-backup.db")]
pub struct Backup {
    /// File to create
    file: PathBuf,
}

impl Operation for Backup {
    const NAME: &'static str = "db backup";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        let to = session.path(&self.file);
        if exists(&to) {
            return Err(AppError::usage(
                format!("{} already exists", to.display()),
                "pass the name of a new file",
            ));
        }
        session.sqlite()?.backup(&to)?;
        Ok(Done::new(format!("copied to {}", to.display())))
    }
}
