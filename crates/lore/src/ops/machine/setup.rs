//! `setup`: adds Lore to the settings of a client.

mod files;

use std::path::{Path, PathBuf};

use clap::Args;
use lore_vault::{exists, read_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::files::{ChangeRequest, change};
use crate::app::environment;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::{Operation, Render};
use crate::setup::{
    Call, Client, ConfigPaths, FilePlan, RuleVault, SettingsScope, files as planned, plan, rules_plan,
};

/// Set up a client to use Lore
///
/// Writes the server, and with --hooks the hooks, into the client's own settings. Everything else in the settings
/// stays, including comments and order; a backup is written beside the file. Running it again changes nothing. With
/// --rules, it also writes a short rule file: when agents read this vault, and what they keep where. Without a client, it
/// lists the clients and which are set up.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore setup\n  lore setup claude --hooks\n  lore --project kb setup claude --rules\n  lore setup codex --dry-run\n  lore setup cursor --project-scope\n  lore setup zed --remove\n\nHooks pass the brief of `lore context` to the agent when a session begins, and remind it once per session to capture what is worth keeping. Claude Code, Codex, Cursor and Gemini CLI support them."
)]
pub struct Setup {
    /// Client to set up
    #[arg(value_enum)]
    #[serde(default)]
    client: Option<Client>,
    /// Also write the hooks: brief at the start, capture reminder at the end
    #[arg(long)]
    #[serde(default)]
    hooks: bool,
    /// Also write the rule file: when to read this vault, what to keep where
    #[arg(long)]
    #[serde(default)]
    rules: bool,
    /// Use the project settings in the working directory, not the user's
    #[arg(long)]
    #[serde(default)]
    project_scope: bool,
    /// Offer only this set of tools: core, notes, memory or all
    #[arg(long, value_name = "SET")]
    #[serde(default)]
    tools: Option<String>,
    /// Remove the server, hooks and rules, and nothing else
    #[arg(long, requires = "client", conflicts_with_all = ["hooks", "rules"])]
    #[serde(default)]
    remove: bool,
    /// Only show what would change
    #[arg(long)]
    #[serde(default)]
    dry_run: bool,
}

/// Output of `setup`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SetupOutput {
    /// The list of clients.
    Clients {
        /// Each of them.
        clients: Vec<ClientItem>,
    },
    /// One client, set up or removed.
    Done {
        /// The client.
        client: Client,
        /// User or project settings.
        scope: SettingsScope,
        /// The settings files.
        files: Vec<FileItem>,
        /// Notes for the user.
        notes: Vec<String>,
    },
}

/// A client.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClientItem {
    pub client: Client,
    pub name: &'static str,
    /// Whether the directory of its settings exists.
    found: bool,
    /// Whether Lore is in the user's settings.
    pub server: bool,
    /// Whether the hooks are installed; null if the client has none.
    pub hooks: Option<bool>,
    /// Path of the user's settings.
    path: String,
}

/// A settings file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileItem {
    path: String,
    /// `written`, `unchanged`, `planned` or `removed`.
    state: &'static str,
    /// Path of the backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
    /// Changes as a diff.
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
}

impl Operation for Setup {
    const NAME: &'static str = "setup";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = SetupOutput;

    fn run(self, session: &Session) -> Result<SetupOutput> {
        let paths = config_paths(session)?;
        let scope = if self.project_scope { SettingsScope::Project } else { SettingsScope::User };
        if let Some(set) =
            self.tools.as_deref().filter(|set| !["core", "notes", "memory", "all"].contains(set))
        {
            return Err(AppError::usage(
                format!("unknown set of tools {set:?}"),
                "use core, notes, memory or all",
            ));
        }
        let call = self.call(session, scope)?;
        let Some(client) = self.client else {
            return Ok(SetupOutput::Clients { clients: clients(&paths, &call)? });
        };
        let (server, hooks) = plan(client, scope, &paths, &call);
        let has_hooks = hooks.is_some();
        let mut plans = planned(server, hooks.filter(|_| self.hooks || self.remove));
        let rules = self.rules_plan(session, client, scope, &paths)?;
        let has_rules = rules.is_some();
        plans.extend(rules);
        let state = session.environment.state.as_path();
        let request = ChangeRequest { client, remove: self.remove, dry_run: self.dry_run, state };
        let files = change(&plans, &request)?;
        let mut notes = self.notes(session, client, has_hooks, has_rules);
        if files.iter().any(|file| file.state == "written") {
            notes.push(format!("restart {} to apply the change", client.name()));
        }
        Ok(SetupOutput::Done { client, scope, files, notes })
    }
}

impl Setup {
    /// Returns how the client calls Lore. Shared settings must not contain a path of this machine.
    fn call(&self, session: &Session, scope: SettingsScope) -> Result<Call> {
        let project = session.asked_project().map(|name| vec!["--project".to_owned(), name.to_owned()]);
        let project = project.unwrap_or_default();
        let tools = self.tools.iter().flat_map(|set| ["--tools".to_owned(), set.clone()]);
        let server = std::iter::once("serve".to_owned()).chain(tools).chain(project.clone()).collect();
        if scope == SettingsScope::Project {
            return Ok(Call { program: "lore".into(), server, before_hook: project, home: None });
        }
        let program = session.environment.program.as_ref().ok_or_else(|| {
            AppError::usage("cannot find the path of the lore program", "run lore by its full path")
        })?;
        let home = session.environment.own.clone();
        Ok(Call { program: program.display().to_string(), server, before_hook: project, home })
    }

    /// Returns the change of the rule file: added if asked for, removed if it is there.
    fn rules_plan(
        &self,
        session: &Session,
        client: Client,
        scope: SettingsScope,
        paths: &ConfigPaths,
    ) -> Result<Option<FilePlan>> {
        if self.rules {
            return Ok(rules_plan(client, scope, paths, &rule_vault(session, scope)?));
        }
        let Some(plan) = rules_plan(client, scope, paths, &RuleVault::default()).filter(|_| self.remove)
        else {
            return Ok(None);
        };
        let is_there = read_text(&plan.path)?.is_some_and(|text| plan.is_in(&text));
        Ok(is_there.then_some(plan))
    }

    fn notes(&self, session: &Session, client: Client, has_hooks: bool, has_rules: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if self.hooks && !has_hooks {
            let hint = session.hint("run `lore context` instead");
            notes.push(format!("{} has no hooks that Lore can use; {hint}", client.name()));
        }
        if self.rules && !has_rules {
            let name = client.name();
            notes.push(format!("{name} reads the user's rules from no file; use --project-scope"));
        }
        if self.hooks && client == Client::Codex {
            notes.push("Codex runs new hooks only after you review them: type /hooks in Codex".into());
        }
        notes
    }
}

/// Returns what the rules say about the vault in use. Shared rules must not contain a path of this machine.
fn rule_vault(session: &Session, scope: SettingsScope) -> Result<RuleVault> {
    let root = session.context()?.vault().root();
    let there = |names: [&'static str; 2]| names.into_iter().find(|name| exists(&root.join(name)));
    let registered = session.projects().roots.into_iter().find(|(_, known)| known == root);
    Ok(RuleVault {
        project: registered.map(|(name, _)| name),
        root: (scope == SettingsScope::User).then(|| root.to_owned()),
        contract: there(["AGENT_CONTRACT.org", "AGENT_CONTRACT.md"]),
        index: there(["index.org", "index.md"]),
    })
}

fn config_paths(session: &Session) -> Result<ConfigPaths> {
    let env = &session.environment;
    let home = env.home.clone().ok_or_else(|| {
        AppError::usage("no home directory to find settings in", "set HOME to an absolute path")
    })?;
    let here = env.here.clone().unwrap_or_else(|| PathBuf::from("."));
    let root = here.ancestors().find(|folder| exists(&folder.join(".git"))).map(Path::to_owned);
    Ok(ConfigPaths {
        config: env.user_config.clone().unwrap_or_else(|| home.join(".config")),
        home,
        claude: environment::folder("CLAUDE_CONFIG_DIR"),
        codex: environment::folder("CODEX_HOME"),
        project: root.unwrap_or(here),
    })
}

/// Returns the clients that are on this machine.
pub fn found_clients(session: &Session) -> Result<Vec<ClientItem>> {
    let setup = Setup {
        client: None,
        hooks: false,
        rules: false,
        project_scope: false,
        tools: None,
        remove: false,
        dry_run: true,
    };
    let clients = clients(&config_paths(session)?, &setup.call(session, SettingsScope::User)?)?;
    Ok(clients.into_iter().filter(|item| item.found).collect())
}

fn clients(paths: &ConfigPaths, call: &Call) -> Result<Vec<ClientItem>> {
    let item = |client: Client| -> Result<ClientItem> {
        let (server, hooks) = plan(client, SettingsScope::User, paths, call);
        let is_in = |plan: &crate::setup::FilePlan| -> Result<bool> {
            Ok(read_text(&plan.path)?.is_some_and(|text| plan.is_in(&text)))
        };
        Ok(ClientItem {
            client,
            name: client.name(),
            found: exists(&client.folder(SettingsScope::User, paths)),
            server: is_in(&server)?,
            hooks: hooks.as_ref().map(is_in).transpose()?,
            path: server.path.display().to_string(),
        })
    };
    Client::ALL.into_iter().map(item).collect()
}

impl Render for SetupOutput {
    fn human(&self) -> String {
        match self {
            SetupOutput::Clients { clients } => clients.iter().map(ClientItem::line).collect(),
            SetupOutput::Done { files, notes, .. } => {
                let mut text: String = files.iter().map(FileItem::human).collect();
                text.extend(notes.iter().map(|note| format!("note: {note}\n")));
                text
            }
        }
    }
}

impl ClientItem {
    fn line(&self) -> String {
        let state = match (self.found, self.server, self.hooks) {
            (_, true, Some(true)) => "set up with hooks",
            (_, true, _) => "set up",
            (true, false, _) => "not set up",
            (false, false, _) => "not found",
        };
        format!("{:<8} {:<18} {state:<18} {}\n", self.client.word(), self.name, self.path)
    }
}

impl FileItem {
    fn human(&self) -> String {
        let backup = self.backup.as_ref().map(|path| format!("  (backup: {path})")).unwrap_or_default();
        format!("{:<9}  {}{backup}\n{}", self.state, self.path, self.diff)
    }
}
