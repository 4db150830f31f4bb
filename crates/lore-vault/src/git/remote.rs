//! The remote: comparing the branch with it, fetching, fast-forwarding and pushing. Never merges, never forces.

use std::time::Duration;

use super::call::{Call, REWRITING, UNATTENDED};
use super::message::{in_the_way, without_credentials};
use super::run::Output;
use super::{GitError, Repo, config};

/// The transports that are allowed without the user's own settings, and no recursion into submodules.
const TRANSPORTS: [&str; 8] = [
    "protocol.allow=never",
    "protocol.https.allow=always",
    "protocol.http.allow=always",
    "protocol.ssh.allow=always",
    "protocol.git.allow=always",
    "protocol.file.allow=always",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
];

/// State of the branch, as far as known without the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    /// The branch; `None` when HEAD is detached.
    pub branch: Option<String>,
    /// The upstream, such as `origin/main`: the configured one, else the remote's branch of the same name. `None` until
    /// there is such a branch.
    pub upstream: Option<String>,
    /// The remote's URL, without credentials.
    pub url: Option<String>,
    /// Commits that only the branch has. Without an upstream, those not known to be on the remote.
    pub ahead: u64,
    /// Commits that only the upstream has.
    pub behind: u64,
}

/// The branch and its upstream.
#[derive(Debug, Default)]
struct Following {
    branch: Option<String>,
    /// Whether there is any commit.
    born: bool,
    /// The remote's name.
    remote: Option<String>,
    /// Full name of the configured upstream branch on the remote.
    configured: Option<String>,
    /// Full name of the remote-tracking branch, if it exists.
    seen: Option<String>,
}

impl Repo {
    /// Compares the branch with its upstream, without using the network.
    pub fn state(&self) -> Result<State, GitError> {
        let following = self.following()?;
        let url = match &following.remote {
            Some(remote) => {
                let output = self.run(&Call::look(&["remote", "get-url", "--", remote]))?;
                Some(without_credentials(&output.text())).filter(|_| output.success())
            }
            None => None,
        };
        let (ahead, behind) = self.distance(&following)?;
        let upstream = following.seen.as_deref().map(short);
        Ok(State { upstream, url, ahead, behind, branch: following.branch })
    }

    /// Whether the repository has a remote. For most without one, this is known without running git.
    pub fn has_remote(&self) -> bool {
        let own = config::read(&self.common_dir.join("config"));
        let mut sections = own.iter().map(|entry| entry.section.as_str());
        if !own.is_empty() && !sections.any(|section| !is_usual(section) || section == "remote") {
            return false;
        }
        self.run(&Call::look(&["config", "--get-regexp", r"^remote\..*\.url$"]))
            .is_ok_and(|output| output.success())
    }

    /// Fetches from the upstream's remote, else from `origin`, else from the only remote.
    pub fn fetch(&self, timeout: Duration) -> Result<(), GitError> {
        let remote = self.remote_for("fetch")?;
        self.network(&["fetch", "--quiet", "--", &remote], timeout)?.expect_success().map(drop)
    }

    /// Checks that the remote answers. An empty remote counts as reachable. This is a read, so it runs no program that the
    /// repository names: then the remote is not contacted.
    pub fn reachable(&self, timeout: Duration) -> Result<(), GitError> {
        if !self.transport.is_empty() {
            let settings = self.transport.join(", ");
            let message =
                format!("not contacted, because the repository has its own settings for this: {settings}");
            return Err(GitError::failed("ls-remote", message));
        }
        let remote = self.remote_for("ls-remote")?;
        self.network(&["ls-remote", "--quiet", "--", &remote, "HEAD"], timeout)?.expect_success().map(drop)
    }

    /// Returns the files of the vault that a fast-forward would change or delete.
    pub fn incoming(&self) -> Result<Vec<String>, GitError> {
        let following = self.following()?;
        let Some(seen) = following.seen.filter(|_| following.born) else { return Ok(Vec::new()) };
        let options = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--relative", "-z"];
        let call = Call::look(&options).with(["--diff-filter=MDT", "HEAD", &seen, "--"]);
        Ok(self.run(&call)?.expect_success()?.fields())
    }

    /// Fast-forwards the branch and the files to the upstream and returns whether they moved. Fails when both sides
    /// have new commits, or when local files would be overwritten.
    pub fn fast_forward(&self) -> Result<bool, GitError> {
        let following = self.following()?;
        let (ahead, behind) = self.distance(&following)?;
        let Some(seen) = following.seen.filter(|_| behind > 0 && following.branch.is_some()) else {
            return Ok(false);
        };
        if ahead > 0 {
            return Err(GitError::Diverged { ahead, behind });
        }
        self.refuse_midway("merge")?;
        let call = Call::new(&["merge", "--ff-only", "--quiet", "--no-autostash", &seen])
            .configured(UNATTENDED)
            .within(REWRITING);
        let output = self.run_locking(&call)?;
        match in_the_way(&output.stderr).as_slice() {
            _ if output.success() => Ok(true),
            [] => Err(output.failure()),
            files => Err(GitError::failed(
                "merge",
                format!(
                    "the upstream has other versions of uncommitted files: {}; \
                     commit them or move them away, and retry",
                    files.join(", ")
                ),
            )),
        }
    }

    /// Pushes the branch and returns the number of commits pushed; the first push sets its upstream. If the remote has
    /// moved, it is fetched and the push fails: there is no retry and no force.
    pub fn push(&self, timeout: Duration) -> Result<u64, GitError> {
        let following = self.following()?;
        let Some(branch) = &following.branch else {
            let way_out = "no branch is checked out; switch to one with `git switch BRANCH`";
            return Err(GitError::failed("push", way_out));
        };
        let Some(remote) = &following.remote else { return Err(no_remote("push")) };
        let (ahead, _) = self.distance(&following)?;
        if !following.born || (ahead == 0 && following.seen.is_some()) {
            return Ok(0);
        }
        let ours = format!("refs/heads/{branch}");
        let target = format!("{ours}:{}", following.configured.as_ref().unwrap_or(&ours));
        let output = match following.configured {
            Some(_) => self.network(&["push", "--porcelain", "--", remote, &target], timeout)?,
            None => {
                self.network(&["push", "--porcelain", "--set-upstream", "--", remote, &target], timeout)?
            }
        };
        if output.success() {
            return Ok(ahead);
        }
        if !remote_moved(&output.text()) {
            return Err(refused(&output));
        }
        // The fetch is a convenience; the rejection is what must be reported.
        let fetched = self.fetch(timeout).is_ok();
        let first = if fetched { "" } else { "`git fetch`, then " };
        let upstream = self.following()?.seen.as_deref().map_or_else(|| format!("{remote}/{branch}"), short);
        Err(GitError::Rejected {
            message: format!(
                "the remote has commits that are not here, so nothing was pushed and nothing is lost; in the vault's \
                 directory, run {first}`git -c rebase.autoStash=true rebase {upstream}`, then push again"
            ),
        })
    }

    /// Counts the commits that only the branch has, and those that only the upstream has.
    fn distance(&self, following: &Following) -> Result<(u64, u64), GitError> {
        let count = |arguments: &[&str]| -> Result<Vec<u64>, GitError> {
            let output = self.run(&Call::look(&["rev-list", "--count"]).with(arguments).with(["--"]))?;
            Ok(output.expect_success()?.text().split('\t').filter_map(|count| count.parse().ok()).collect())
        };
        let counted = match (&following.seen, &following.remote) {
            (Some(seen), _) if following.born => count(&["--left-right", &format!("HEAD...{seen}")])?,
            (Some(seen), _) => [vec![0], count(&[seen])?].concat(),
            (None, Some(remote)) if following.born => {
                count(&["HEAD", "--not", &format!("--remotes={remote}")])?
            }
            _ => Vec::new(),
        };
        let at = |place: usize| counted.get(place).copied().unwrap_or(0);
        Ok((at(0), at(1)))
    }

    fn following(&self) -> Result<Following, GitError> {
        let head = self.run(&Call::look(&["symbolic-ref", "--quiet", "HEAD"]))?.text();
        let Some(branch) = head.strip_prefix("refs/heads/").map(str::to_owned) else {
            let born = self.is_there("HEAD")?;
            return Ok(Following { born, remote: self.usual_remote()?, ..Following::default() });
        };
        let format = "--format=%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)";
        let output = self.run(&Call::look(&["for-each-ref", format, &head]))?.expect_success()?.text();
        let mut upstream =
            output.split('\0').map(|field| Some(field.to_owned()).filter(|text| !text.is_empty()));
        let mut next = || upstream.next().flatten();
        let (tracked, remote, configured) = match (next(), next(), next()) {
            // A dot means a branch of this repository, which has no remote.
            (tracked, Some(remote), configured) if remote != "." => (tracked, Some(remote), configured),
            _ => (None, self.usual_remote()?, None),
        };
        let likely = remote.as_ref().map(|remote| format!("refs/remotes/{remote}/{branch}"));
        let seen = match tracked.or(likely) {
            Some(name) if self.is_there(&name)? => Some(name),
            _ => None,
        };
        Ok(Following { branch: Some(branch), born: !output.is_empty(), remote, configured, seen })
    }

    fn is_there(&self, name: &str) -> Result<bool, GitError> {
        let call = Call::look(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]);
        Ok(self.run(&call)?.success())
    }

    /// Returns `origin`, else the only remote.
    fn usual_remote(&self) -> Result<Option<String>, GitError> {
        let names = self.run(&Call::look(&["remote"]))?.expect_success()?.text();
        let names: Vec<&str> = names.lines().collect();
        Ok(match names.as_slice() {
            [only] => Some((*only).to_owned()),
            names => names.iter().find(|name| **name == "origin").map(|name| (*name).to_owned()),
        })
    }

    fn remote_for(&self, command: &str) -> Result<String, GitError> {
        self.following()?.remote.ok_or_else(|| no_remote(command))
    }

    /// Runs a command that uses the network. Nothing may prompt the user.
    fn network(&self, arguments: &[&str], timeout: Duration) -> Result<Output, GitError> {
        let mut settings: Vec<String> =
            UNATTENDED.iter().chain(&TRANSPORTS).map(|&line| line.into()).collect();
        if self.setting("core.sshCommand")?.is_none() {
            // A command in the environment takes precedence over this one; a program there (`GIT_SSH`) would not.
            let seconds = timeout.as_secs().max(1);
            settings.push(format!(
                "core.sshCommand=test -n \"$GIT_SSH\" && exec \"$GIT_SSH\" \"$@\"; \
                 ssh -oBatchMode=yes -oConnectTimeout={seconds}"
            ));
        }
        self.run(&Call::new(arguments).configured(settings).within(timeout))
    }
}

fn no_remote(command: &str) -> GitError {
    GitError::NoRemote { command: command.to_owned() }
}

/// Whether the push was rejected because the remote's branch has moved.
fn remote_moved(output: &str) -> bool {
    output.lines().filter(|line| line.starts_with('!')).any(|line| {
        line.contains("[rejected]")
            || line.contains("cannot lock ref")
            || line.contains("incorrect old value")
    })
}

/// Returns the remote's rejection with its reason, which git prints separately.
fn refused(output: &Output) -> GitError {
    let text = output.text();
    let reason = text.lines().find(|line| line.starts_with('!')).and_then(|line| line.rsplit('\t').next());
    match (output.failure(), reason) {
        (GitError::Failed { command, message }, Some(reason)) => {
            GitError::Failed { command, message: format!("{reason}; {message}") }
        }
        (other, _) => other,
    }
}

/// Shortens the name of a remote-tracking branch.
fn short(name: &str) -> String {
    name.trim_start_matches("refs/remotes/").trim_start_matches("refs/heads/").to_owned()
}

/// Whether a section of the configuration cannot name a remote, as an included file can.
fn is_usual(section: &str) -> bool {
    matches!(section, "core" | "remote" | "branch" | "user" | "extensions" | "gc" | "maintenance" | "commit")
}
