//! `db`: care of the database.

use std::path::PathBuf;

use clap::Args;
use lore_engine::vault::exists;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Operation;
use super::views::Done;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Fold the write-ahead log into the database file
#[derive(Debug, Args, Deserialize, JsonSchema)]
pub struct Checkpoint {}

impl Operation for Checkpoint {
    const NAME: &'static str = "db checkpoint";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = Done;

    fn run(self, session: &Session) -> Result<Done> {
        session.store()?.checkpoint()?;
        Ok(Done::new(format!("{} is one file now", session.database()?.display())))
    }
}

/// Copy the database, consistent, to a new file
#[derive(Debug, Args, Deserialize, JsonSchema)]
pub struct Backup {
    /// The file to make
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
            return Err(Failure::usage(
                format!("{} exists already", to.display()),
                "name a file that is not there yet",
            ));
        }
        session.store()?.backup(&to)?;
        Ok(Done::new(format!("copied to {}", to.display())))
    }
}
