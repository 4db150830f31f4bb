//! A git invocation: the arguments, the timeout and the input.

use std::ffi::OsString;
use std::time::Duration;

/// Maximum bytes of paths on one command line; every system supports this many.
pub(super) const ARGUMENTS: usize = 24 * 1024;

/// Disables automatic maintenance, which would make an occasional run slow; `maintain` runs it.
pub(super) const UNATTENDED: [&str; 2] = ["gc.auto=0", "maintenance.auto=false"];

/// An open directory or file whose operating-system lock must be held for as long as git runs, even if this process
/// ends.
#[expect(clippy::disallowed_types, reason = "it is passed to git, never read or written")]
pub type HeldLock = std::fs::File;

/// Timeout of commands that need no network.
const LOCAL: Duration = Duration::from_secs(20);

/// Timeout of commands that rewrite many files: killing one midway would leave the work tree inconsistent.
pub(super) const REWRITING: Duration = Duration::from_secs(120);

/// Timeout of `git maintenance`, which may repack the whole repository.
pub(super) const TIDYING: Duration = Duration::from_secs(600);

/// The command to run.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) config: Vec<String>,
    pub(super) arguments: Vec<OsString>,
    pub(super) timeout: Duration,
    pub(super) reads_only: bool,
    pub(super) hold: Option<&'a HeldLock>,
    pub(super) input: Option<Vec<u8>>,
}

impl<'a> Call<'a> {
    /// A command that may change something.
    pub(super) fn new(arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(OsString::from).collect();
        Call { config: Vec::new(), arguments, timeout: LOCAL, reads_only: false, hold: None, input: None }
    }

    /// A read-only command: it takes no lock and runs no hook.
    pub(super) fn look(arguments: &[&str]) -> Self {
        Call { reads_only: true, ..Call::new(arguments) }.configured(["core.quotepath=false"])
    }

    pub(super) fn within(self, timeout: Duration) -> Self {
        Call { timeout, ..self }
    }

    pub(super) fn holding(self, hold: Option<&'a HeldLock>) -> Self {
        Call { hold, ..self }
    }

    /// Sets the bytes written to its standard input.
    pub(super) fn given(self, input: Vec<u8>) -> Self {
        Call { input: Some(input), ..self }
    }

    pub(super) fn with(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub(super) fn configured(mut self, settings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.config.extend(settings.into_iter().map(Into::into));
        self
    }

    /// Its name, for messages.
    pub(super) fn command(&self) -> String {
        self.arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Splits the paths into batches that fit on a command line.
pub(super) fn batches<'p>(paths: &'p [&'p str]) -> Vec<&'p [&'p str]> {
    let mut batches = Vec::new();
    let mut rest = paths;
    while !rest.is_empty() {
        let mut size = 0;
        let fitting = rest.iter().take_while(|path| {
            size += path.len() + 1;
            size <= ARGUMENTS
        });
        let (batch, after) = rest.split_at(fitting.count().max(1));
        batches.push(batch);
        rest = after;
    }
    batches
}
