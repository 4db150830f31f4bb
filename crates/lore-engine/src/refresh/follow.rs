//! Keeps the index current while the files change: one refresh after every burst of watcher events.

use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use lore_ports::{Filter, Order, Window, no_progress};
use lore_vault::{Event, Wake, Watching, is_page, next_wake};

use super::{Scope, refresh};
use crate::context::Memory;
use crate::error::Result;
use crate::index::{Report, Trust};

/// Parameters of [`follow`].
pub struct Follow<'a> {
    /// The events.
    pub events: &'a Receiver<Event>,
    /// Their source; new directories are watched too.
    pub watching: Option<Watching>,
    /// The quiet period that ends a burst.
    pub quiet: Duration,
}

/// Reconciles after every burst until stopped.
pub fn follow(memory: &Memory, mut follow: Follow<'_>, report: &mut dyn FnMut(Result<Report>)) {
    loop {
        match next_wake(follow.events, memory.vault().root(), follow.quiet) {
            Wake::Stop => return,
            Wake::Everything => {
                let widened = follow.watching.as_mut().map_or(Ok(()), |all| all.widen(memory.vault()));
                report(
                    widened
                        .map_err(Into::into)
                        .and_then(|()| refresh(memory, Scope::Vault(Trust::Stat), &no_progress)),
                );
            }
            Wake::Pages(paths) => {
                let (pages, others): (BTreeSet<String>, BTreeSet<String>) =
                    paths.into_iter().partition(|path| is_page(path.rsplit('/').next().unwrap_or(path)));
                if others.iter().any(|folder| had_pages(memory, folder)) {
                    report(refresh(memory, Scope::Vault(Trust::Stat), &no_progress));
                } else if !pages.is_empty() {
                    report(refresh(memory, Scope::Paths(&pages), &no_progress));
                }
            }
        }
    }
}

/// Whether the index has pages below a path.
fn had_pages(memory: &Memory, folder: &str) -> bool {
    let filter = Filter { path: Some(format!("{folder}/")), ..Default::default() };
    let found = memory.store().list(memory.project(), &filter, Order::Title, Window { limit: 1, offset: 0 });
    found.is_ok_and(|pages| !pages.is_empty())
}
