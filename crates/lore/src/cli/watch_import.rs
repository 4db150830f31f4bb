//! `import --watch`: imports what another program adds to its files, as it does.

use std::sync::mpsc::channel;
use std::time::Duration;

use clap::{ArgMatches, FromArgMatches as _};
use lore_vault::{DEBOUNCE, Wake, next_source_wake, watch_source};

use super::output::Output;
use super::watch::stop_when_told;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::{Import, Round};

/// How many quiet periods of a vault the source must be quiet for. An agent writes a line every few seconds, and each
/// import makes a version of the page.
const PAUSE: u32 = 10;

/// Imports the source, then what is new in it after every burst of changes, until the process is stopped.
pub(super) fn watch(
    session: &Session,
    matches: &ArgMatches,
    output: Output,
    reopen: &dyn Fn() -> Result<Session>,
) -> Result<u8> {
    let import = Import::from_arg_matches(matches)
        .map_err(|error| AppError::usage(error.to_string(), "run with --help for usage"))?;
    session.starting(true);
    let folder = import.watched(session)?;
    let (sender, events) = channel();
    // The watcher starts before the first import, so that no change is missed in between.
    let _watching = watch_source(&folder, sender.clone())?;
    stop_when_told(sender);
    let first = import.round(session, &Round::default())?;
    output.answer(&first)?;
    session.talk.note(&format!("watching {}; press Ctrl-C to stop", folder.display()));
    let quiet = session.config.get("watch.debounce_ms")?.parse().map_or(DEBOUNCE, Duration::from_millis);
    let mut last = first.import_id().map(str::to_owned);
    let (mut reopened, mut is_behind) = (None, false);
    loop {
        let changed = match next_source_wake(&events, &folder, quiet * PAUSE) {
            Wake::Stop => return Ok(0),
            Wake::Replaced => {
                let message = format!("{} was moved or replaced", folder.display());
                return Err(AppError::usage(message, "start the import again"));
            }
            Wake::Paths(paths) if !is_behind => Some(paths),
            Wake::Paths(_) | Wake::Everything => None,
        };
        let session = reopened.as_ref().unwrap_or(session);
        let round = Round { changed: changed.as_ref(), replaces: last.as_deref() };
        match import.round(session, &round) {
            Ok(answer) => {
                is_behind = false;
                if let Some(id) = answer.import_id() {
                    last = Some(id.to_owned());
                    output.answer(&answer)?;
                }
            }
            Err(error) => {
                session.talk.warn(&format!("{}; {}", error.message, error.hint));
                // The next round reads everything, and with a new session: the database may have been replaced.
                is_behind = true;
                let again = reopen()?;
                again.starting(true);
                reopened = Some(again);
            }
        }
    }
}
