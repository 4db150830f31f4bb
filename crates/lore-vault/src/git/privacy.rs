//! Whether anybody can read the remote, as far as that can be known without credentials.

use std::time::Duration;

use super::call::{Call, UNATTENDED};
use super::{GitError, Repo};

/// Who can read the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Privacy {
    /// There is no remote.
    NoRemote,
    /// It is a directory of this machine.
    Local,
    /// Anybody can read it at this address.
    Public {
        /// The address.
        url: String,
    },
    /// It asks for credentials, or denies that it exists.
    Restricted,
    /// It could not be asked.
    Unknown {
        /// Why not.
        why: String,
    },
}

/// No credentials, and nothing but the web.
const ANONYMOUS: [&str; 5] = [
    "credential.helper=",
    "core.askPass=",
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.http.allow=always",
];

impl Repo {
    /// Asks the remote for its branches without credentials. This is a read, so nothing that the repository configures is
    /// run.
    pub fn privacy(&self, timeout: Duration) -> Result<Privacy, GitError> {
        let Some(url) = self.state()?.url else { return Ok(Privacy::NoRemote) };
        let Some(address) = web_address(&url) else { return Ok(Privacy::Local) };
        if !self.transport.is_empty() {
            let why = format!("the repository has its own settings for this: {}", self.transport.join(", "));
            return Ok(Privacy::Unknown { why });
        }
        let call = Call::new(&["ls-remote", "--quiet", "--", &address, "HEAD"])
            .configured(UNATTENDED)
            .configured(ANONYMOUS)
            .within(timeout);
        let output = match self.run(&call) {
            Ok(output) => output,
            Err(error) => return Ok(Privacy::Unknown { why: error.to_string() }),
        };
        if output.success() {
            return Ok(Privacy::Public { url: address });
        }
        Ok(match is_denied(&output.stderr) {
            true => Privacy::Restricted,
            false => Privacy::Unknown { why: output.failure().to_string() },
        })
    }
}

/// Whether the remote answered and refused.
fn is_denied(told: &str) -> bool {
    let told = told.to_lowercase();
    ["authentication", "could not read username", "not found", "forbidden", "401", "403", "404"]
        .iter()
        .any(|sign| told.contains(sign))
}

/// Returns the address at which a web browser would find a remote; none for a directory.
fn web_address(url: &str) -> Option<String> {
    if url.starts_with("http://") || url.starts_with("https://") {
        return Some(url.to_owned());
    }
    if url.starts_with("file://") || url.starts_with(['/', '.', '~']) {
        return None;
    }
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host);
    Some(format!("https://{host}/{}", path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_have_web_addresses() {
        for (url, expected) in [
            ("git@example.org:notes/ai-kb.git", Some("https://example.org/notes/ai-kb.git")),
            ("ssh://git@example.org:2222/ai-kb.git", Some("https://example.org/ai-kb.git")),
            ("https://example.org/a.git", Some("https://example.org/a.git")),
            ("git://example.org/a.git", Some("https://example.org/a.git")),
            ("/srv/git/a.git", None),
            ("../a.git", None),
            ("file:///srv/a.git", None),
        ] {
            assert_eq!(web_address(url).as_deref(), expected, "{url}");
        }
        assert!(is_denied(
            "fatal: could not read Username for 'https://example.org': terminal prompts disabled"
        ));
        assert!(is_denied("remote: Repository not found."));
        assert!(!is_denied("fatal: unable to access: Could not resolve host: example.org"));
    }
}
