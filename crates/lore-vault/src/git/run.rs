//! Runs git: its environment, its output, collected without deadlock, and a timeout.

use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;
use std::{io, thread};

use super::call::Call;
use super::message::{explain, held_lock};
use super::{GitError, Repo};
use crate::process::{PAUSE, end, feed, gather, own_group};

/// Variables that would point git at another repository (hooks set them), add settings, or change how it reads paths.
pub(super) const FOREIGN: [&str; 22] = [
    "GIT_ATTR_SOURCE",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// Settings of every run. The repository's own settings never override them.
const ALWAYS: [&str; 5] = [
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "submodule.recurse=false",
    "diff.ignoreSubmodules=all",
    "protocol.ext.allow=never",
];

/// Settings of a run that only reads: nothing that a repository can name is run, and nothing is fetched.
const READING: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.askPass=",
    "credential.helper=",
    "protocol.allow=never",
    "log.showSignature=false",
];

/// The result of a run.
#[derive(Debug)]
pub(super) struct Output {
    command: String,
    status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Output {
    pub(super) fn success(&self) -> bool {
        self.status.success()
    }

    /// Returns itself, or an error with what git reported.
    pub(super) fn expect_success(self) -> Result<Output, GitError> {
        if self.success() { Ok(self) } else { Err(self.failure()) }
    }

    pub(super) fn failure(&self) -> GitError {
        GitError::failed(&self.command, explain(&self.stderr, self.status))
    }

    /// Returns the standard output as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end_matches(['\n', '\r']).to_owned()
    }

    /// Returns the fields of NUL-separated or NUL-terminated output.
    pub(super) fn fields(&self) -> Vec<String> {
        if self.stdout.is_empty() {
            return Vec::new();
        }
        let whole = self.stdout.strip_suffix(&[0]).unwrap_or(&self.stdout);
        whole.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    }
}

impl Repo {
    /// Runs git and waits for it to exit, up to the call's timeout.
    pub(super) fn run(&self, call: &Call) -> Result<Output, GitError> {
        let failed = |error: io::Error| GitError::failed(&call.command(), error.to_string());
        let mut child = self.command(call).map_err(failed)?.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => GitError::Missing,
            _ => failed(error),
        })?;
        if let Some(input) = call.input.clone() {
            feed(&mut child, input);
        }
        let deadline = Instant::now() + call.timeout;
        let (status, gathered) = gather(&mut child, deadline).map_err(failed)?;
        match status {
            Some(status) => Ok(Output {
                command: call.command(),
                status,
                stdout: gathered.data,
                stderr: String::from_utf8_lossy(&gathered.talk).into_owned(),
            }),
            None => {
                end(&mut child);
                let seconds = call.timeout.as_millis().div_ceil(1000);
                let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
                Err(GitError::TimedOut { command: call.command(), seconds })
            }
        }
    }

    /// Runs git, and retries while another git holds a lock that it needs.
    pub(super) fn run_locking(&self, call: &Call) -> Result<Output, GitError> {
        let started = Instant::now();
        loop {
            let output = self.run(call)?;
            let Some(lock) = held_lock(&output) else { return Ok(output) };
            if started.elapsed() >= self.patience {
                let command = call.command();
                return Err(GitError::Locked {
                    message: format!(
                        "git {command} timed out waiting for another git that holds {lock}; if none is running, \
                         remove that file and retry"
                    ),
                });
            }
            thread::sleep(PAUSE);
        }
    }

    /// Returns a git setting from any of the user's configuration files.
    pub(super) fn setting(&self, key: &str) -> Result<Option<String>, GitError> {
        let output = self.run(&Call::look(&["config", "--get", key]))?;
        Ok(Some(output.text()).filter(|value| output.success() && !value.is_empty()))
    }

    fn command(&self, call: &Call) -> io::Result<Command> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root);
        // Named, so that git looks for no other: a directory inside the vault may pose as a repository.
        command.arg("--git-dir").arg(&self.git_dir).arg("--work-tree").arg(&self.top).arg("--no-pager");
        let own: &[&str] = match call.reads_only {
            true => &READING,
            false if self.hooks => &[],
            false => &READING[..1],
        };
        for setting in ALWAYS.iter().chain(own).copied().chain(call.config.iter().map(String::as_str)) {
            command.arg("-c").arg(setting);
        }
        command.args(&call.arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
        if call.reads_only {
            // Hooks would inherit these: they would read their own patterns as names, and fetch nothing.
            command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_LITERAL_PATHSPECS", "1");
            command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
            command.env("GIT_CEILING_DIRECTORIES", &self.top);
            disable_filters(&mut command, &self.filters);
        }
        command.stdin(match call.hold {
            Some(lock) => Stdio::from(lock.try_clone()?),
            None if call.input.is_some() => Stdio::piped(),
            None => Stdio::null(),
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        own_group(&mut command);
        Ok(command)
    }
}

/// Disables these filters. In the environment, because the name of one may contain any character.
fn disable_filters(command: &mut Command, filters: &[String]) {
    let settings = filters.iter().flat_map(|name| {
        [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
            .map(|(key, value)| (format!("filter.{name}.{key}"), value))
    });
    let mut count = 0;
    for (key, value) in settings {
        command.env(format!("GIT_CONFIG_KEY_{count}"), key).env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    if count > 0 {
        command.env("GIT_CONFIG_COUNT", count.to_string());
    }
}
