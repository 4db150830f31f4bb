//! The supported clients: where each stores its settings, and the format of Lore's entries.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A supported agent client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Client {
    /// Claude Code
    #[value(alias = "claude-code")]
    #[serde(alias = "claude-code")]
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    #[value(alias = "gemini-cli")]
    Gemini,
    /// Zed
    Zed,
    /// Visual Studio Code
    #[value(alias = "vs-code")]
    Vscode,
}

/// The settings to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettingsScope {
    /// The user's settings, for every directory.
    User,
    /// The settings of the project in the working directory.
    Project,
}

/// The directories that contain settings.
#[derive(Debug, Clone)]
pub struct ConfigPaths {
    /// The user's home directory.
    pub home: PathBuf,
    /// The user's configuration directory.
    pub config: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// The project in the working directory.
    pub project: PathBuf,
}

/// The format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// JSON, with comments allowed.
    Json,
    /// TOML.
    Toml,
    /// Text for people and agents.
    Text,
}

/// Location of the server entry.
pub struct ServerLocation {
    /// The file.
    pub file: PathBuf,
    /// The file format.
    pub format: FileFormat,
    /// The key that holds the servers.
    pub key: &'static str,
}

/// Location and event names of the hooks.
pub struct HookLocation {
    /// The file.
    pub file: PathBuf,
    /// The client's event for the start of a session.
    pub start: &'static str,
    /// The client's event for the end of the agent's turn.
    pub end: &'static str,
}

impl Client {
    /// Every client.
    pub const ALL: [Client; 6] =
        [Client::Claude, Client::Codex, Client::Cursor, Client::Gemini, Client::Zed, Client::Vscode];

    /// Returns the name used on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Client::Claude => "claude",
            Client::Codex => "codex",
            Client::Cursor => "cursor",
            Client::Gemini => "gemini",
            Client::Zed => "zed",
            Client::Vscode => "vscode",
        }
    }

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Client::Claude => "Claude Code",
            Client::Codex => "Codex",
            Client::Cursor => "Cursor",
            Client::Gemini => "Gemini CLI",
            Client::Zed => "Zed",
            Client::Vscode => "Visual Studio Code",
        }
    }

    /// Returns the location of the server entry.
    pub fn server(self, scope: SettingsScope, paths: &ConfigPaths) -> ServerLocation {
        let (file, format, key) = match (self, scope) {
            (Client::Claude, SettingsScope::User) => (
                paths.claude.as_ref().unwrap_or(&paths.home).join(".claude.json"),
                FileFormat::Json,
                "mcpServers",
            ),
            (Client::Claude, SettingsScope::Project) => {
                (paths.project.join(".mcp.json"), FileFormat::Json, "mcpServers")
            }
            (Client::Codex, _) => {
                (self.folder(scope, paths).join("config.toml"), FileFormat::Toml, "mcp_servers")
            }
            (Client::Cursor, _) => {
                (self.folder(scope, paths).join("mcp.json"), FileFormat::Json, "mcpServers")
            }
            (Client::Gemini, _) => {
                (self.folder(scope, paths).join("settings.json"), FileFormat::Json, "mcpServers")
            }
            (Client::Zed, _) => {
                (self.folder(scope, paths).join("settings.json"), FileFormat::Json, "context_servers")
            }
            (Client::Vscode, _) => (self.folder(scope, paths).join("mcp.json"), FileFormat::Json, "servers"),
        };
        ServerLocation { file, format, key }
    }

    /// Returns the location of the hooks; none if the client has no reliable hooks of its own.
    pub fn hooks(self, scope: SettingsScope, paths: &ConfigPaths) -> Option<HookLocation> {
        let folder = self.folder(scope, paths);
        match self {
            Client::Claude => {
                Some(HookLocation { file: folder.join("settings.json"), start: "SessionStart", end: "Stop" })
            }
            Client::Codex => {
                Some(HookLocation { file: folder.join("hooks.json"), start: "SessionStart", end: "Stop" })
            }
            Client::Cursor => {
                Some(HookLocation { file: folder.join("hooks.json"), start: "sessionStart", end: "stop" })
            }
            Client::Gemini => Some(HookLocation {
                file: folder.join("settings.json"),
                start: "SessionStart",
                end: "AfterAgent",
            }),
            Client::Zed | Client::Vscode => None,
        }
    }

    /// Returns the file of the rules that every session reads, and the front matter it needs; `None` if there is none.
    pub fn rules(self, scope: SettingsScope, paths: &ConfigPaths) -> Option<(PathBuf, &'static str)> {
        let folder = self.folder(scope, paths);
        let for_all_files = "---\napplyTo: \"**\"\n---\n";
        Some(match (self, scope) {
            (Client::Claude, _) => (folder.join("rules/lore.md"), ""),
            (Client::Codex, SettingsScope::User) => (folder.join("AGENTS.md"), ""),
            (Client::Codex, SettingsScope::Project) => (paths.project.join("AGENTS.md"), ""),
            (Client::Gemini, SettingsScope::User) => (folder.join("GEMINI.md"), ""),
            (Client::Gemini, SettingsScope::Project) => (paths.project.join("GEMINI.md"), ""),
            (Client::Cursor, SettingsScope::Project) => {
                (folder.join("rules/lore.mdc"), "---\nalwaysApply: true\n---\n")
            }
            (Client::Zed, SettingsScope::Project) => (paths.project.join(".rules"), ""),
            (Client::Vscode, SettingsScope::User) => {
                (folder.join("prompts/lore.instructions.md"), for_all_files)
            }
            (Client::Vscode, SettingsScope::Project) => {
                (paths.project.join(".github/instructions/lore.instructions.md"), for_all_files)
            }
            (Client::Cursor | Client::Zed, SettingsScope::User) => return None,
        })
    }

    /// Returns the client's settings directory; its existence means that the client is installed.
    pub fn folder(self, scope: SettingsScope, paths: &ConfigPaths) -> PathBuf {
        let base = if scope == SettingsScope::User { paths.home.as_path() } else { paths.project.as_path() };
        match (self, scope) {
            (Client::Claude, SettingsScope::User) => {
                paths.claude.clone().unwrap_or_else(|| base.join(".claude"))
            }
            (Client::Codex, SettingsScope::User) => {
                paths.codex.clone().unwrap_or_else(|| base.join(".codex"))
            }
            (Client::Zed, SettingsScope::User) => paths.config.join("zed"),
            (Client::Vscode, SettingsScope::User) => code_folder(paths),
            (Client::Claude, SettingsScope::Project) => base.join(".claude"),
            (Client::Codex, SettingsScope::Project) => base.join(".codex"),
            (Client::Cursor, _) => base.join(".cursor"),
            (Client::Gemini, _) => base.join(".gemini"),
            (Client::Zed, SettingsScope::Project) => base.join(".zed"),
            (Client::Vscode, SettingsScope::Project) => base.join(".vscode"),
        }
    }

    /// Returns the server entry in the client's format.
    pub fn server_value(self, command: &str, arguments: &[String], home: Option<&Path>) -> Value {
        let mut server = match self {
            Client::Claude | Client::Vscode => {
                json!({ "type": "stdio", "command": command, "args": arguments })
            }
            _ => json!({ "command": command, "args": arguments }),
        };
        if let Some(home) = home {
            server["env"] = json!({ "LORE_HOME": home.display().to_string() });
        }
        server
    }

    /// Returns a hook in the client's format, with a timeout in case the hook's own limit fails.
    pub fn hook_value(self, command: &str, event: &str) -> Value {
        match self {
            Client::Cursor if event == "session-end" => {
                json!({ "command": command, "timeout": 5, "loop_limit": 1 })
            }
            Client::Cursor => json!({ "command": command, "timeout": 5 }),
            Client::Gemini => {
                json!({ "name": format!("lore-{event}"), "type": "command", "command": command, "timeout": 5000 })
            }
            _ => json!({ "type": "command", "command": command, "timeout": 5 }),
        }
    }

    /// Wraps a hook for the list of its event: most clients require a group around it.
    pub fn hook_group(self, hook: Value) -> Value {
        if self == Client::Cursor { hook } else { json!({ "hooks": [hook] }) }
    }
}

/// Returns the user settings directory of Visual Studio Code.
fn code_folder(paths: &ConfigPaths) -> PathBuf {
    let base = if cfg!(target_os = "macos") {
        paths.home.join("Library/Application Support")
    } else if cfg!(windows) {
        paths.home.join("AppData/Roaming")
    } else {
        paths.config.clone()
    };
    base.join("Code/User")
}
