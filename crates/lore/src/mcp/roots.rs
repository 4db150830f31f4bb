//! The directory that a client works in, which `lore map` maps to a project or a namespace.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lore_text::percent_decode;
use lore_vault::real_folder;
use rmcp::RoleServer;
use rmcp::model::Root;
use rmcp::service::RequestContext;
use tokio::sync::Mutex;

/// How long a client may take to name its directories. One that does not answer is asked once.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The first root of the client of one session, once it was asked for.
#[derive(Clone, Default)]
pub(super) struct Roots {
    first: Arc<Mutex<Option<Option<PathBuf>>>>,
}

impl Roots {
    /// Returns the directory that the client works in: the first of its roots that is a directory.
    pub(super) async fn directory(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        let mut first = self.first.lock().await;
        if let Some(known) = first.as_ref() {
            return known.clone();
        }
        // A client without sessions cannot be asked.
        let info = context.peer.peer_info().filter(|info| info.capabilities.roots.is_some());
        let found = match info {
            Some(_) => match tokio::time::timeout(TIMEOUT, context.peer.list_roots()).await {
                Ok(Ok(listed)) => listed.roots.iter().find_map(folder),
                _ => None,
            },
            None => None,
        };
        *first = Some(found.clone());
        found
    }

    /// Forgets the roots, because they changed.
    pub(super) async fn forget(&self) {
        *self.first.lock().await = None;
    }
}

/// Returns the directory of a root, with symlinks resolved if it is on this machine.
fn folder(root: &Root) -> Option<PathBuf> {
    let rest = root.uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(percent_decode(path).into_owned());
    path.is_absolute().then(|| real_folder(&path).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_file_addresses_of_absolute_paths() {
        let of = |uri: &str| folder(&Root::new(uri));
        assert_eq!(of("file:///no/such/client%20a"), Some("/no/such/client a".into()));
        assert_eq!(of("file://localhost/no/such"), Some("/no/such".into()));
        for other in ["https://example.org/a", "file://host/a", "file:relative", "/plain", "file://"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
