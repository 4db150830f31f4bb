//! Adds Lore to a client's settings and removes it again. Works from text to text; the operation reads and writes the
//! files.

mod clients;
mod json;
mod record;
mod rules;
mod toml;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use clients::{Client, ConfigPaths, FileFormat, SettingsScope};
use json::Json;

pub use record::SetupRecord;
pub use rules::{RuleVault, Rules};
use toml::Toml;

use crate::app::shell::quote;

/// Name of the server in every client.
const NAME: &str = "lore";

/// Settings that cannot be parsed, or have something else where Lore's entry belongs.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The line, if known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// The command line that clients use to run Lore.
#[derive(Debug, Clone)]
pub struct Call {
    /// The executable.
    pub program: String,
    /// Arguments of the server.
    pub server: Vec<String>,
    /// Arguments before `hook` in a hook command.
    pub before_hook: Vec<String>,
    /// `LORE_HOME`, if it must be set.
    pub home: Option<PathBuf>,
}

/// Lore's entries in one settings file.
pub struct FilePlan {
    /// The file.
    pub path: PathBuf,
    format: FileFormat,
    entries: Vec<SettingsEntry>,
}

enum SettingsEntry {
    /// The server entry, under the client's key for servers.
    Server { key: &'static str, value: Value },
    /// A hook in the list of a client event; `own` is Lore's name for the event.
    Hook { event: &'static str, own: &'static str, value: Value },
    /// A field that the file must have besides the hooks.
    Field { key: &'static str, value: Value },
    /// The rules, in a text of their own.
    Rules(Rules),
}

/// Settings after an addition, with the paths of the objects created for it.
pub struct AddedEntries {
    /// The new text.
    pub text: String,
    /// The paths of the created objects.
    pub created_keys: Vec<Vec<String>>,
}

/// Returns Lore's entries in the files of a client: the server, and the hooks if the client supports them.
pub fn plan(
    client: Client,
    scope: SettingsScope,
    paths: &ConfigPaths,
    call: &Call,
) -> (FilePlan, Option<FilePlan>) {
    let server = client.server(scope, paths);
    let value = client.server_value(&call.program, &call.server, call.home.as_deref());
    let entries = vec![SettingsEntry::Server { key: server.key, value }];
    let server = FilePlan { path: server.file, format: server.format, entries };
    let hooks = client.hooks(scope, paths).map(|location| {
        let hook = |event: &'static str, own: &'static str| {
            let value = client.hook_value(&call.hook(client, own), own);
            SettingsEntry::Hook { event, own, value }
        };
        let mut entries = vec![hook(location.start, "session-start"), hook(location.end, "session-end")];
        if client == Client::Cursor {
            entries.insert(0, SettingsEntry::Field { key: "version", value: 1.into() });
        }
        FilePlan { path: location.file, format: FileFormat::Json, entries }
    });
    (server, hooks)
}

/// Returns Lore's part of the rule file of a client; `None` if it reads rules from no file there.
pub fn rules_plan(
    client: Client,
    scope: SettingsScope,
    paths: &ConfigPaths,
    vault: &RuleVault,
) -> Option<FilePlan> {
    let (path, header) = client.rules(scope, paths)?;
    let entries = vec![SettingsEntry::Rules(Rules::new(vault, header))];
    Some(FilePlan { path, format: FileFormat::Text, entries })
}

/// Returns the files to change, each once.
pub fn files(server: FilePlan, hooks: Option<FilePlan>) -> Vec<FilePlan> {
    match hooks {
        Some(hooks) if hooks.path == server.path => {
            let entries = server.entries.into_iter().chain(hooks.entries).collect();
            vec![FilePlan { path: server.path, format: server.format, entries }]
        }
        hooks => std::iter::once(server).chain(hooks).collect(),
    }
}

impl Call {
    /// Returns the shell command of a hook.
    fn hook(&self, client: Client, event: &str) -> String {
        let home = self.home.iter().map(|home| format!("LORE_HOME={}", quote(&home.display().to_string())));
        let words = std::iter::once(&self.program).chain(&self.before_hook).map(|word| quote(word));
        let rest = ["hook", event, "--client", client.word()].map(str::to_owned);
        home.chain(words).chain(rest).collect::<Vec<_>>().join(" ")
    }
}

impl FilePlan {
    /// Adds Lore to the settings.
    pub fn add(&self, client: Client, text: &str) -> Result<AddedEntries, SettingsError> {
        if let Some(rules) = self.rules() {
            return Ok(AddedEntries { text: rules.add(text)?, created_keys: Vec::new() });
        }
        if self.format == FileFormat::Toml {
            return self.add_to_toml(text);
        }
        let document = Json::parse(text)?;
        let mut created_keys = Vec::new();
        for entry in &self.entries {
            created_keys.extend(match entry {
                SettingsEntry::Server { key, value } => {
                    check_not_foreign(key, document.get(&[key, NAME]).as_ref())?;
                    document.set(&[key, NAME], value)?
                }
                SettingsEntry::Hook { event, own, value } => {
                    let group = |hook| client.hook_group(hook);
                    document.set_hook(&["hooks", event], value, group, |hook| is_hook(hook, own))?
                }
                SettingsEntry::Field { key, .. } if document.get(&[key]).is_some() => Vec::new(),
                SettingsEntry::Field { key, value } => {
                    document.set(&[key], value)?;
                    vec![vec![(*key).to_owned()]]
                }
                SettingsEntry::Rules(_) => Vec::new(),
            });
        }
        Ok(AddedEntries { text: document.text(), created_keys })
    }

    fn add_to_toml(&self, text: &str) -> Result<AddedEntries, SettingsError> {
        let mut document = Toml::parse(text)?;
        let mut created_keys = Vec::new();
        for entry in &self.entries {
            if let SettingsEntry::Server { key, value } = entry {
                check_not_foreign(key, document.get(&[key, NAME]).as_ref())?;
                created_keys.extend(document.set([key, NAME], value)?);
            }
        }
        Ok(AddedEntries { text: document.text(), created_keys })
    }

    /// Removes Lore from the settings, and the objects created for it if they are empty.
    pub fn remove(&self, text: &str, created_keys: &[Vec<String>]) -> Result<String, SettingsError> {
        let without = self.without(text, created_keys)?;
        Ok(if self.is_in(text) { without } else { text.to_owned() })
    }

    /// Returns the rules, if this is a rule file.
    fn rules(&self) -> Option<&Rules> {
        self.entries.iter().find_map(|entry| match entry {
            SettingsEntry::Rules(rules) => Some(rules),
            _ => None,
        })
    }

    fn without(&self, text: &str, created_keys: &[Vec<String>]) -> Result<String, SettingsError> {
        if let Some(rules) = self.rules() {
            return rules.remove(text);
        }
        if self.format == FileFormat::Toml {
            let mut document = Toml::parse(text)?;
            for entry in &self.entries {
                if let SettingsEntry::Server { key, .. } = entry
                    && is_server(document.get(&[key, NAME]).as_ref())
                {
                    document.remove([key, NAME]);
                }
            }
            created_keys.iter().filter_map(|path| path.first()).for_each(|key| document.remove_empty(key));
            return Ok(document.text());
        }
        let document = Json::parse(text)?;
        for entry in &self.entries {
            match entry {
                SettingsEntry::Server { key, .. } if is_server(document.get(&[key, NAME]).as_ref()) => {
                    document.remove(&[key, NAME]);
                }
                SettingsEntry::Hook { event, own, .. } => {
                    document.remove_hook(&["hooks", event], |hook| is_hook(hook, own));
                }
                SettingsEntry::Server { .. } | SettingsEntry::Field { .. } | SettingsEntry::Rules(_) => {}
            }
        }
        // Innermost first.
        let mut created_keys: Vec<Vec<&str>> =
            created_keys.iter().map(|path| path.iter().map(String::as_str).collect()).collect();
        created_keys.sort_by_key(|path| std::cmp::Reverse(path.len()));
        created_keys.iter().for_each(|path| document.remove_empty(path));
        for entry in &self.entries {
            if let SettingsEntry::Field { key, .. } = entry
                && created_keys.contains(&vec![*key])
                && document.get(&["hooks"]).is_none()
            {
                document.remove(&[key]);
            }
        }
        Ok(document.text())
    }

    /// Whether the settings contain any entry of Lore.
    pub fn is_in(&self, text: &str) -> bool {
        // Parsing alone may turn empty text into an object.
        let read = match self.format {
            FileFormat::Json => Json::parse(text).map(|document| document.text()),
            FileFormat::Toml => Toml::parse(text).map(|document| document.text()),
            FileFormat::Text => Ok(text.to_owned()),
        };
        read.is_ok_and(|read| self.without(text, &[]).is_ok_and(|without| without != read))
    }

    /// Whether the settings are empty.
    pub fn is_blank(&self, text: &str) -> bool {
        match self.format {
            FileFormat::Toml => text.trim().is_empty(),
            FileFormat::Text => self.rules().is_some_and(|rules| rules.is_blank(text)),
            FileFormat::Json => {
                serde_json::from_str::<Value>(text).is_ok_and(|value| value == serde_json::json!({}))
            }
        }
    }
}

/// Returns an error if another program uses Lore's server name.
fn check_not_foreign(key: &str, server: Option<&Value>) -> Result<(), SettingsError> {
    match server {
        Some(_) if !is_server(server) => Err(SettingsError {
            line: None,
            message: format!("{key}.{NAME} is a server of another program; rename it first"),
        }),
        _ => Ok(()),
    }
}

fn is_server(server: Option<&Value>) -> bool {
    server.and_then(|server| server.get("command")).and_then(Value::as_str).is_some_and(is_program)
}

/// Whether a hook is Lore's hook for an event.
fn is_hook(hook: &Value, event: &str) -> bool {
    let Some(command) = hook.get("command").and_then(Value::as_str) else { return false };
    let Some((before, _)) = command.split_once(&format!(" hook {event}")) else { return false };
    // Such as `LORE_HOME='…' '/a b/lore' --project x`: one of the words is the executable.
    before.split([' ', '\'', '"']).any(is_program)
}

fn is_program(word: &str) -> bool {
    Path::new(word).file_stem().is_some_and(|stem| stem == "lore")
}

#[cfg(test)]
mod tests;
