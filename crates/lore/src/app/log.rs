//! The diagnostic log on standard error, off unless `LORE_LOG` is set.
//!
//! It shows what Lore does, how often and how long it takes, and never the text of pages, titles or queries.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::prelude::*;

use crate::app::error::{AppError, Result};

/// Prefix of the names of Lore's crates. The logs of other crates may contain whole requests, so they are left out.
const OWN: &str = "lore";

/// Starts the log at a level: `error`, `warn`, `info`, `debug` or `trace`.
pub fn start(level: &str) -> Result<()> {
    let level: LevelFilter = level.parse().map_err(|_| {
        AppError::usage(
            format!("LORE_LOG is {level:?}, which is not a level"),
            "set it to error, warn, info, debug or trace",
        )
    })?;
    // A span is printed when it ends, with its duration.
    let lines =
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_span_events(FmtSpan::CLOSE);
    let log = tracing_subscriber::registry().with(Targets::new().with_target(OWN, level)).with(lines);
    // It is started once per process, but every session reads the environment.
    let _ = log.try_init();
    Ok(())
}
