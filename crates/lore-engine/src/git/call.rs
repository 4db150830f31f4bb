//! What git is asked: the arguments, how long it may take, and what it is given.

use std::ffi::OsString;
use std::time::Duration;

/// So many bytes of paths go on one command line; every system takes that many.
pub(super) const ARGUMENTS: usize = 24 * 1024;

/// Maintenance on its own would make one run in many slow; `maintain` is its place.
pub(super) const UNATTENDED: [&str; 2] = ["gc.auto=0", "maintenance.auto=false"];

/// An open directory or file whose operating-system lock has to outlive this process for as long as git runs.
#[expect(clippy::disallowed_types, reason = "it is handed on to git, never read or written")]
pub type HeldLock = std::fs::File;

/// For whatever needs no network.
const LOCAL: Duration = Duration::from_secs(20);

/// For what rewrites many files: to stop that half-way would leave a mess.
pub(super) const REWRITING: Duration = Duration::from_secs(120);

/// For `git maintenance`, which may repack the whole repository.
pub(super) const TIDYING: Duration = Duration::from_secs(600);

/// What to run.
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

    /// A command that only looks: it takes no lock, and runs no hook.
    pub(super) fn look(arguments: &[&str]) -> Self {
        Call { reads_only: true, ..Call::new(arguments) }.configured(["core.quotepath=false"])
    }

    pub(super) fn within(self, timeout: Duration) -> Self {
        Call { timeout, ..self }
    }

    pub(super) fn holding(self, hold: Option<&'a HeldLock>) -> Self {
        Call { hold, ..self }
    }

    /// Gives it these bytes to read.
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

/// The paths in portions that fit on a command line.
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
