//! The clients that can be set up: where each keeps its settings, and what Lore looks like in them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A program that talks to agents.
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

/// Whose settings are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The user's, for every directory.
    User,
    /// Those of the project in the working directory.
    Project,
}

/// The folders that settings are looked for in.
#[derive(Debug, Clone)]
pub struct Places {
    /// The user's home.
    pub home: PathBuf,
    /// Where programs keep their settings.
    pub config: PathBuf,
    /// What `CLAUDE_CONFIG_DIR` says.
    pub claude: Option<PathBuf>,
    /// What `CODEX_HOME` says.
    pub codex: Option<PathBuf>,
    /// The project in the working directory.
    pub project: PathBuf,
}

/// A kind of settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON, comments allowed.
    Json,
    /// TOML.
    Toml,
}

/// Where the server is written.
pub struct ServerPlace {
    /// The file.
    pub file: PathBuf,
    /// How it is written.
    pub form: Form,
    /// The key that servers are under.
    pub key: &'static str,
}

/// Where the hooks are written, and under which names.
pub struct HookPlace {
    /// The file.
    pub file: PathBuf,
    /// The client's event at the start of a session.
    pub start: &'static str,
    /// The client's event when the agent has finished.
    pub end: &'static str,
}

impl Client {
    /// All of them.
    pub const ALL: [Client; 6] =
        [Client::Claude, Client::Codex, Client::Cursor, Client::Gemini, Client::Zed, Client::Vscode];

    /// The word it is called by.
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

    /// Its name.
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

    /// Where its servers are.
    pub fn server(self, scope: Scope, places: &Places) -> ServerPlace {
        let (file, form, key) = match (self, scope) {
            (Client::Claude, Scope::User) => (
                places.claude.as_ref().unwrap_or(&places.home).join(".claude.json"),
                Form::Json,
                "mcpServers",
            ),
            (Client::Claude, Scope::Project) => (places.project.join(".mcp.json"), Form::Json, "mcpServers"),
            (Client::Codex, _) => (self.folder(scope, places).join("config.toml"), Form::Toml, "mcp_servers"),
            (Client::Cursor, _) => (self.folder(scope, places).join("mcp.json"), Form::Json, "mcpServers"),
            (Client::Gemini, _) => {
                (self.folder(scope, places).join("settings.json"), Form::Json, "mcpServers")
            }
            (Client::Zed, _) => {
                (self.folder(scope, places).join("settings.json"), Form::Json, "context_servers")
            }
            (Client::Vscode, _) => (self.folder(scope, places).join("mcp.json"), Form::Json, "servers"),
        };
        ServerPlace { file, form, key }
    }

    /// Where its hooks are; none where it has no hooks of its own that can be relied on.
    pub fn hooks(self, scope: Scope, places: &Places) -> Option<HookPlace> {
        let folder = self.folder(scope, places);
        match self {
            Client::Claude => {
                Some(HookPlace { file: folder.join("settings.json"), start: "SessionStart", end: "Stop" })
            }
            Client::Codex => {
                Some(HookPlace { file: folder.join("hooks.json"), start: "SessionStart", end: "Stop" })
            }
            Client::Cursor => {
                Some(HookPlace { file: folder.join("hooks.json"), start: "sessionStart", end: "stop" })
            }
            Client::Gemini => Some(HookPlace {
                file: folder.join("settings.json"),
                start: "SessionStart",
                end: "AfterAgent",
            }),
            Client::Zed | Client::Vscode => None,
        }
    }

    /// The folder whose being there says that the client is.
    pub fn folder(self, scope: Scope, places: &Places) -> PathBuf {
        let base = if scope == Scope::User { places.home.as_path() } else { places.project.as_path() };
        match (self, scope) {
            (Client::Claude, Scope::User) => places.claude.clone().unwrap_or_else(|| base.join(".claude")),
            (Client::Codex, Scope::User) => places.codex.clone().unwrap_or_else(|| base.join(".codex")),
            (Client::Zed, Scope::User) => places.config.join("zed"),
            (Client::Vscode, Scope::User) => code_folder(places),
            (Client::Claude, Scope::Project) => base.join(".claude"),
            (Client::Codex, Scope::Project) => base.join(".codex"),
            (Client::Cursor, _) => base.join(".cursor"),
            (Client::Gemini, _) => base.join(".gemini"),
            (Client::Zed, Scope::Project) => base.join(".zed"),
            (Client::Vscode, Scope::Project) => base.join(".vscode"),
        }
    }

    /// The server as the client wants it.
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

    /// A hook as the client wants it: a command with a limit on its time, should the one inside fail.
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

    /// A hook in the list of its event: most clients want a group around it.
    pub fn hook_group(self, hook: Value) -> Value {
        if self == Client::Cursor { hook } else { json!({ "hooks": [hook] }) }
    }
}

/// Where Visual Studio Code keeps what is the user's own.
fn code_folder(places: &Places) -> PathBuf {
    let base = if cfg!(target_os = "macos") {
        places.home.join("Library/Application Support")
    } else if cfg!(windows) {
        places.home.join("AppData/Roaming")
    } else {
        places.config.clone()
    };
    base.join("Code/User")
}
