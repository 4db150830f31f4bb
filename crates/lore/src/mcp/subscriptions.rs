//! Notifications to a client: changed resources that it subscribed to, changes of the list, log messages.

#![expect(
    deprecated,
    reason = "clients of current protocol versions subscribe and set the log level this way"
)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, ServiceError};
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::resources;
use crate::app::error::Result;
use crate::app::session::Session;
use crate::server::PageChanges;

/// Maximum number of subscriptions of a session.
const MAX_SUBSCRIPTIONS: usize = 1000;

/// A resource that a client wants to hear about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subscription {
    /// Its address, as the client wrote it.
    pub(super) uri: String,
    root: PathBuf,
    /// The page; none for a list of pages.
    slug: Option<String>,
}

impl Subscription {
    /// Returns the subscription to a resource, which need not exist yet.
    pub(super) fn new(session: &Session, uri: &str) -> Result<Subscription> {
        let slug = resources::page_of(session, uri)?;
        let (_, root) = session.choose()?;
        Ok(Subscription { uri: uri.to_owned(), root, slug })
    }

    /// Whether these changes affect the resource.
    pub(super) fn is_affected(&self, changes: &PageChanges) -> bool {
        let is_listed = |slug: &String| changes.slugs.contains(slug);
        *self.root == *changes.root && self.slug.as_ref().map_or(changes.list, is_listed)
    }
}

/// The subscriptions and the log level of one session.
#[derive(Clone, Default)]
pub(super) struct Subscriptions {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    all: Vec<Subscription>,
    level: Option<LoggingLevel>,
}

impl Subscriptions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a subscription; the oldest one ends if there are too many.
    pub(super) fn add(&self, subscription: Subscription) {
        let mut state = self.state();
        state.all.retain(|known| known.uri != subscription.uri);
        if state.all.len() >= MAX_SUBSCRIPTIONS {
            state.all.remove(0);
        }
        state.all.push(subscription);
    }

    /// Ends a subscription.
    pub(super) fn remove(&self, uri: &str) {
        self.state().all.retain(|known| known.uri != uri);
    }

    /// Sets the level of the log messages that are sent; none are before.
    pub(super) fn set_level(&self, level: LoggingLevel) {
        self.state().level = Some(level);
    }

    /// Notifies a client of changes until it disconnects.
    pub(super) async fn tell(self, peer: Peer<RoleServer>, mut changes: Receiver<PageChanges>) {
        loop {
            let sent = match next(&mut changes).await {
                Next::Ended => return,
                Next::Lost => peer.notify_resource_list_changed().await,
                Next::Changes(changes) => self.tell_once(&peer, &changes).await,
            };
            if sent.is_err() {
                return;
            }
        }
    }

    async fn tell_once(
        &self,
        peer: &Peer<RoleServer>,
        changes: &PageChanges,
    ) -> std::result::Result<(), ServiceError> {
        let (affected, level): (Vec<String>, _) = {
            let state = self.state();
            let affected = state.all.iter().filter(|one| one.is_affected(changes));
            (affected.map(|one| one.uri.clone()).collect(), state.level)
        };
        if changes.list {
            peer.notify_resource_list_changed().await?;
        }
        for uri in affected {
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await?;
        }
        if level.is_some_and(|level| matches!(level, LoggingLevel::Debug | LoggingLevel::Info)) {
            let data = json!({ "vault": name(&changes.root), "changed_pages": changes.slugs.len() });
            peer.notify_logging_message(LoggingMessageNotificationParam::new(LoggingLevel::Info, data))
                .await?;
        }
        Ok(())
    }
}

fn name(root: &Path) -> String {
    root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The next thing to tell.
pub(super) enum Next {
    Changes(PageChanges),
    /// More changes happened than could be kept: anything may have changed.
    Lost,
    /// The server stops.
    Ended,
}

/// Waits for the next changes.
pub(super) async fn next(changes: &mut Receiver<PageChanges>) -> Next {
    match changes.recv().await {
        Ok(changes) => Next::Changes(changes),
        Err(RecvError::Lagged(_)) => Next::Lost,
        Err(RecvError::Closed) => Next::Ended,
    }
}
