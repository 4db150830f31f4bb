//! Keeps the index current while the files change: one refresh after every burst of watcher events.

use std::collections::BTreeSet;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use lore_ports::{Filter, Order, Window, no_progress};
use lore_vault::{Event, Wake, Watching, is_page, next_wake};

use super::{Scope, refresh};
use crate::context::{Access, VaultContext};
use crate::error::{Error, Result};
use crate::hooks::FindingScope;
use crate::index::{Report, ScanMode};
use crate::write::refresh_generated;

/// Parameters of [`follow`].
pub struct Follow<'a> {
    /// The events.
    pub events: &'a Receiver<Event>,
    /// Their source; new directories are watched too.
    pub watching: Option<Watching>,
    /// The quiet period that ends a burst.
    pub quiet: Duration,
}

/// Reconciles after every burst until stopped. Ends with an error if the vault's directory was replaced, or if the database
/// was deleted or replaced, because the context has to be opened again.
pub fn follow(
    context: &VaultContext,
    follow: &mut Follow<'_>,
    report: &mut dyn FnMut(Result<Report>),
) -> Result<()> {
    let root = context.vault().root();
    regenerate(context, report);
    loop {
        let done = match next_wake(follow.events, root, follow.quiet) {
            Wake::Stop => return Ok(()),
            Wake::Replaced => return Err(lore_vault::Error::VaultReplaced { path: root.to_owned() }.into()),
            Wake::Everything => {
                let widened = follow.watching.as_mut().map_or(Ok(()), |all| all.widen(context.vault()));
                Some(
                    widened
                        .map_err(Into::into)
                        .and_then(|()| refresh(context, Scope::Vault(ScanMode::Stat), &no_progress)),
                )
            }
            Wake::Paths(paths) => follow_pages(context, paths),
        };
        match done {
            Some(Err(error @ Error::Port(lore_ports::Error::DatabaseReplaced { .. }))) => return Err(error),
            Some(done) => report(done),
            None => {}
        }
        regenerate(context, report);
    }
}

/// Makes generated files again if the policy asks for it. A file that somebody edited by hand is left to lint.
fn regenerate(context: &VaultContext, report: &mut dyn FnMut(Result<Report>)) {
    if !context.policy().rebuild.on_change || context.access() == Access::ReadOnly {
        return;
    }
    let edited = context.hooks().findings(context, FindingScope::Gate);
    let done = edited.and_then(|edited| match edited.is_empty() {
        true if !context.hooks().derived_files(context)?.is_empty() => refresh_generated(context).map(drop),
        _ => Ok(()),
    });
    if let Err(error) = done {
        report(Err(error));
    }
}

fn follow_pages(context: &VaultContext, paths: BTreeSet<String>) -> Option<Result<Report>> {
    let (pages, others): (BTreeSet<String>, BTreeSet<String>) =
        paths.into_iter().partition(|path| is_page(path.rsplit('/').next().unwrap_or(path)));
    if others.iter().any(|folder| had_pages(context, folder)) {
        return Some(refresh(context, Scope::Vault(ScanMode::Stat), &no_progress));
    }
    let follow = || {
        let report = refresh(context, Scope::Paths(&pages), &no_progress)?;
        Ok(Report { touched: pages.iter().cloned().collect(), ..report })
    };
    (!pages.is_empty()).then(follow)
}

/// Whether the index has pages below a path.
fn had_pages(context: &VaultContext, folder: &str) -> bool {
    let filter = Filter { path: Some(format!("{folder}/")), ..Default::default() };
    let found =
        context.store().list(context.project(), &filter, Order::Title, Window { limit: 1, offset: 0 });
    found.is_ok_and(|pages| !pages.is_empty())
}
