//! A vault of profile personal, with the clock, the zone and the name under which it is used.

use std::fs::{self, File};

use jiff::Timestamp;

use crate::sandbox::{Ran, Sandbox};

/// The actor of an agent.
pub const AGENT: &str = "agent";

/// The actor of a person.
pub const PERSON: &str = "ada";

/// Noon of the day on which every such vault begins.
pub const NOON: &str = "2026-05-18T12:00:00Z";

/// A page of the day.
pub const TODAY: &str = "---\ndate: 2026-05-18\ntype: today\n---\n# Today\n\n## User Schedule\n\n## User Tasks\n\n\
                         ## Agent Plan\n\n## Agent Notes\n\n## Agent Log\n\n## Handoff\n";

/// A day of the journal, valid as it is.
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
    /// A fresh vault at noon, in UTC.
    pub fn new() -> Personal {
        Personal::begun(NOON, "UTC")
    }

    /// A fresh vault, made at a time in a zone.
    pub fn begun(now: &str, zone: &str) -> Personal {
        let sandbox = Sandbox::empty();
        fs::create_dir(sandbox.vault()).expect("a new directory");
        let vault = Personal { sandbox, now: now.into(), zone: zone.into(), actor: AGENT.into() };
        vault.run(&["init", "--profile", "personal", "--no-git"]).ok();
        vault
    }

    /// The same vault at another time.
    pub fn at(&mut self, now: &str) -> &mut Personal {
        self.now = now.into();
        self
    }

    /// The same vault used by somebody else.
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

    /// Puts a text to a path.
    pub fn put(&self, path: &str, text: &str) -> Ran {
        let file = self.sandbox.root.join("text");
        fs::write(&file, text).expect("a file beside the vault");
        self.run(&["put", path, &file.to_string_lossy()])
    }

    /// Writes a file as any other program would.
    pub fn write(&self, path: &str, text: &str) {
        self.sandbox.write(path, text);
    }

    /// Adds to a file as any other program would.
    pub fn write_more(&self, path: &str, more: &str) {
        self.write(path, &format!("{}{more}", self.text(path)));
    }

    /// Removes a file as any other program would.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.sandbox.vault().join(path)).expect(path);
    }

    /// A file's text.
    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        self.find(path).unwrap_or_else(|| panic!("{path} is not there"))
    }

    /// A file's text, where there is one.
    pub fn find(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.sandbox.vault().join(path)).ok()
    }

    /// The names in a folder, in order.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.sandbox.vault().join(folder)) else { return Vec::new() };
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Every file of the vault with its bytes.
    pub fn files(&self) -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let mut files = self.sandbox.files();
        files.retain(|(path, _)| path.starts_with(self.sandbox.vault()));
        files
    }

    /// Gives a file the time of its last change.
    pub fn changed_at(&self, path: &str, time: &str) {
        let time: Timestamp = time.parse().expect("a time");
        let file = File::options().write(true).open(self.sandbox.vault().join(path)).expect(path);
        file.set_modified(time.into()).expect("a time that a file can have");
    }

    /// Changes a line of the policy.
    #[track_caller]
    pub fn policy(&self, old: &str, new: &str) {
        let text = self.text("lore.toml");
        assert!(text.contains(old), "{old:?} is not in the policy");
        self.write("lore.toml", &text.replacen(old, new, 1));
    }
}
