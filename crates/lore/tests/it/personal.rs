//! A vault of the `personal` profile, with the clock, time zone and actor of its commands.

use std::fs::{self, File};

use jiff::Timestamp;

use crate::sandbox::{Ran, Sandbox};

/// The actor of an agent.
pub const AGENT: &str = "agent";

/// The actor of a person.
pub const PERSON: &str = "ada";

/// Noon of the day on which each of these vaults is created.
pub const NOON: &str = "2026-05-18T12:00:00Z";

/// A page for `state/today`.
pub const TODAY: &str = "---\ndate: 2026-05-18\ntype: today\n---\n# Today\n\n## User Schedule\n\n## User Tasks\n\n\
                         ## Agent Plan\n\n## Agent Notes\n\n## Agent Log\n\n## Handoff\n";

/// A valid journal day.
pub const DAY: &str = "---\ndate: 2026-05-17\nweekday: Sunday\ntype: daily\nowner: agent\nagent_generated: true\n\
                       calendar_events: 2\nmessages_handled: 5\nupdated: 2026-05-18\n---\n# 2026-05-17\n\n\
                       ## Summary\n\nI shipped it.\n\n## Schedule\n\nNothing.\n\n## Tasks\n\nNone.\n\n\
                       ## Conversations\n\nNone.\n";

/// A personal vault in a sandbox.
pub struct Personal {
    sandbox: Sandbox,
    now: String,
    zone: String,
    actor: String,
}

impl Personal {
    /// Creates a vault at noon, in UTC.
    pub fn new() -> Personal {
        Personal::created(NOON, "UTC")
    }

    /// Creates a vault at a time, in a time zone.
    pub fn created(now: &str, zone: &str) -> Personal {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.vault()).expect("a new directory");
        let vault = Personal { sandbox, now: now.into(), zone: zone.into(), actor: AGENT.into() };
        vault.run(&["init", "--profile", "personal", "--no-git"]).ok();
        vault
    }

    /// Sets the time of later commands.
    pub fn at(&mut self, now: &str) -> &mut Personal {
        self.now = now.into();
        self
    }

    /// Sets the actor of later commands.
    pub fn by(&mut self, actor: &str) -> &mut Personal {
        self.actor = actor.into();
        self
    }

    /// Runs `lore`.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.sandbox.command(arguments);
        command.env("LORE_NOW", &self.now).env("TZ", &self.zone).env("LORE_ACTOR", &self.actor);
        command.output().expect("lore runs").into()
    }

    /// Writes a text to a path through Lore.
    pub fn put(&self, path: &str, text: &str) -> Ran {
        let file = self.sandbox.root.join("text");
        fs::write(&file, text).expect("a file next to the vault");
        self.run(&["put", path, &file.to_string_lossy()])
    }

    /// Writes a file directly.
    pub fn write(&self, path: &str, text: &str) {
        self.sandbox.write(path, text);
    }

    /// Appends to a file directly.
    pub fn append(&self, path: &str, more: &str) {
        self.write(path, &format!("{}{more}", self.text(path)));
    }

    /// Removes a file directly.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.sandbox.vault().join(path)).expect(path);
    }

    /// Returns the text of a file.
    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        self.find(path).unwrap_or_else(|| panic!("{path} is not there"))
    }

    /// Returns the text of a file, if it exists.
    pub fn find(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.sandbox.vault().join(path)).ok()
    }

    /// Returns the names in a directory, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.sandbox.vault().join(folder)) else { return Vec::new() };
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Returns every file of the vault with its bytes.
    pub fn files(&self) -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let mut files = self.sandbox.files();
        files.retain(|(path, _)| path.starts_with(self.sandbox.vault()));
        files
    }

    /// Sets the mtime of a file.
    pub fn set_mtime(&self, path: &str, time: &str) {
        let time: Timestamp = time.parse().expect("a time");
        let file = File::options().write(true).open(self.sandbox.vault().join(path)).expect(path);
        file.set_modified(time.into()).expect("a time that a file can have");
    }

    /// Replaces a line of the policy.
    #[track_caller]
    pub fn policy(&self, old: &str, new: &str) {
        let text = self.text("lore.toml");
        assert!(text.contains(old), "{old:?} is not in the policy");
        self.write("lore.toml", &text.replacen(old, new, 1));
    }
}
