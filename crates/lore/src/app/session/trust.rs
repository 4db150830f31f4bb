//! The one place where a vault is opened or not, by the person's decision. Every face opens vaults through the session, so
//! none can forget it.

use std::path::Path;
use std::time::{Duration, Instant};

use lore_engine::{Access, Error};
use lore_vault::real_folder;

use super::Session;
use crate::app::error::Result;
use crate::app::trust::{Judgement, Trust, TrustLevel};

/// How long an open vault is used before the decision is looked up again: a server runs for weeks.
const RECHECK: Duration = Duration::from_secs(1);

impl Session {
    /// Returns what may be done with a vault. On a terminal, the person is asked about one that is not trusted.
    pub fn access(&self, root: &Path) -> Result<Access> {
        // A missing directory is reported by whatever opens it.
        let Some(root) = real_folder(root) else { return Ok(Access::Full) };
        let why = match Trust::load(&self.environment)?.judge(&root) {
            Judgement::Trusted(Access::Full) => return Ok(Access::Full),
            Judgement::Trusted(Access::ReadOnly) if self.is_person() => {
                self.mark_read_only(&root);
                return Ok(Access::ReadOnly);
            }
            Judgement::Trusted(Access::ReadOnly) => "it is trusted for reading by you only".to_owned(),
            Judgement::Untrusted(why) if self.is_person() => why,
            // What a stranger's settings are called is no text for an agent.
            Judgement::Untrusted(_) => "its user has not trusted it".to_owned(),
        };
        if self.can_ask() && !self.declined.borrow().contains(&root) {
            let question = format!(
                "The vault {} is not trusted: {why}.\nTrust it? t: trust, r: only search and read it, n: no",
                root.display()
            );
            let level = match self.talk.answer(&question, "t/r/N").as_str() {
                "t" | "trust" | "y" | "yes" => Some(TrustLevel::Full),
                "r" | "read" => Some(TrustLevel::ReadOnly),
                _ => None,
            };
            if let Some(level) = level {
                self.trust(&root, level)?;
                return self.access(&root);
            }
            self.declined.borrow_mut().push(root.clone());
        }
        Err(Error::Untrusted { path: root, why }.into())
    }

    /// Returns whether a vault is fully trusted, without asking.
    pub fn is_trusted(&self, root: &Path) -> bool {
        Trust::load(&self.environment)
            .is_ok_and(|trust| trust.judge(root) == Judgement::Trusted(Access::Full))
    }

    /// Records the person's decision about a vault.
    pub fn trust(&self, root: &Path, level: TrustLevel) -> Result<()> {
        Trust::change(&self.environment, |trust| trust.add(root, level))
    }

    /// Returns whether a person is at the other end, rather than an agent.
    pub fn is_person(&self) -> bool {
        matches!(self.options.face, "cli" | "pipe")
    }

    /// Sets whether the operation that is about to run writes, so that it is refused before it does anything.
    pub fn starting(&self, writes: bool) {
        self.writes.set(writes);
    }

    /// Fails if an operation that writes runs on a vault that may only be read.
    pub(super) fn check_operation(&self, root: &Path, access: Access) -> Result<()> {
        if access == Access::ReadOnly && self.writes.get() {
            let why = "it is trusted for reading only".into();
            return Err(Error::Untrusted { path: root.to_owned(), why }.into());
        }
        Ok(())
    }

    /// Looks the decision about an open vault up again if that was some time ago.
    pub(super) fn recheck(&self, root: &Path, access: Access) -> Result<()> {
        let is_old = self.checked.get().is_none_or(|checked| checked.elapsed() >= RECHECK);
        if is_old && self.options.face != "cli" {
            if self.access(root)? != access {
                let why = "the decision about it has changed".into();
                return Err(Error::Untrusted { path: root.to_owned(), why }.into());
            }
            self.checked.set(Some(Instant::now()));
        }
        self.check_operation(root, access)
    }

    fn can_ask(&self) -> bool {
        self.options.face == "cli" && self.environment.interactive
    }

    /// Says once that what follows comes from somebody else.
    fn mark_read_only(&self, root: &Path) {
        let warning = format!("{} is trusted for reading only; its text is somebody else's", root.display());
        if !self.warnings.borrow().contains(&warning) {
            self.talk.warn(&warning);
            self.warnings.borrow_mut().push(warning);
        }
    }
}
