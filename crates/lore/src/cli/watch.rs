//! `sync --watch`: indexes changes as they happen.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use clap::ArgMatches;
use lore_engine::{Error, Follow, ScanMode, Scope, VaultContext, drain_queue, follow, refresh};
use lore_vault::{Event, watch as start};

use super::output::Output;
use crate::app::error::Result;
use crate::app::hints::hint;
use crate::app::session::Session;
use crate::ops;

/// Syncs, then follows file system events until the process is stopped.
pub(super) fn watch(session: &Session, matches: &ArgMatches, output: Output) -> Result<u8> {
    let context = session.context()?;
    let (sender, events) = channel();
    // The watcher starts before the first sync, so that no change is missed in between.
    let watching = start(context.vault(), sender.clone())?;
    stop_when_told(sender);
    let answer = (ops::find("sync")?.from_cli)(matches, session)?;
    output.answer(answer.as_ref())?;
    session.talk.note(&format!("watching {}; press Ctrl-C to stop", context.vault().root().display()));
    let quiet =
        session.config.get("watch.debounce_ms")?.parse().map_or(lore_vault::DEBOUNCE, Duration::from_millis);
    let mut followed = Follow { events: &events, watching: Some(watching), quiet };
    let mut done = follow_files(session, context, &mut followed, &output);
    while let Err(error) = done {
        if !is_replaced(&error) {
            return Err(error.into());
        }
        session.talk.warn(&format!("{error}; it is opened again and rebuilt from your files"));
        let (name, root) = session.choose()?;
        let context = session.open(&name, &root)?;
        let report = refresh(&context, Scope::Vault(ScanMode::Stat), &session.talk.progress("Indexing"))?;
        session.talk.finish();
        output.answer(&ops::synced(report))?;
        done = follow_files(session, &context, &mut followed, &output);
    }
    Ok(0)
}

fn follow_files(
    session: &Session,
    context: &VaultContext,
    followed: &mut Follow<'_>,
    output: &Output,
) -> lore_engine::Result<()> {
    drain(session, context);
    follow(context, followed, &mut |report| match report {
        Ok(report) if report.is_empty() => {}
        Ok(report) => {
            drain(session, context);
            drop(output.answer(&ops::synced(report)));
        }
        Err(error) => session.talk.warn(&format!("{error}; {}", hint(&error))),
    })
}

/// Whether the database was deleted or replaced.
fn is_replaced(error: &Error) -> bool {
    matches!(error, Error::Port(lore_ports::Error::DatabaseReplaced { .. }))
}

/// Embeds with models that are too slow for a refresh. Chunks that cannot be embedded now stay pending.
fn drain(session: &Session, context: &VaultContext) {
    if let Err(error) = drain_queue(context, &session.talk.progress("Embedding")) {
        session.talk.detail(&format!("chunks stay pending: {error}"));
    }
    session.talk.finish();
}

/// Ends the watch on SIGINT or SIGTERM, even if the parent process had set them to be ignored.
#[cfg(unix)]
pub(super) fn stop_when_told(events: Sender<Event>) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // Without a handler the signals end the process.
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
        std::thread::spawn(move || signals.forever().next().map(|_| events.send(Event::Stop)));
    }
}

/// On other systems the default handler ends the process.
#[cfg(not(unix))]
pub(super) fn stop_when_told(_: Sender<Event>) {}
