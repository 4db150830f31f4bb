//! Access tokens, in a file that only its owner can read, each with an actor and a grant.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use lore_text::ContentHash;
use lore_vault::{is_private, read_text, write_private};
use tokio::sync::watch;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::app::access::Grant;
use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};

/// The tokens of a server, read again whenever the file changes.
pub struct Tokens {
    /// The token file.
    pub file: PathBuf,
    known: Mutex<Known>,
    changes: watch::Sender<()>,
}

/// The tokens as last read.
#[derive(Default)]
struct Known {
    /// The text of the file; none after it could not be read.
    text: Option<String>,
    /// Grants by token hash: comparing hashes leaks nothing about a token through timing.
    grants: Vec<(ContentHash, Grant)>,
}

/// The keys of a token.
const KEYS: [&str; 4] = ["actor", "token", "write", "projects"];

impl Tokens {
    /// Returns the path of the user's token file.
    pub fn place(environment: &Environment) -> PathBuf {
        environment.config_file.with_file_name("tokens.toml")
    }

    /// Reads the tokens; creates one for the user if there is no file.
    pub fn open(environment: &Environment) -> Result<Tokens> {
        let file = Tokens::place(environment);
        if read_text(&file)?.is_none() {
            Tokens::add(
                environment,
                &Grant { actor: environment.actor.clone(), projects: None, writes: true },
            )?;
        }
        let tokens = Tokens { file, known: Mutex::new(Known::default()), changes: watch::Sender::new(()) };
        tokens.refresh()?;
        Ok(tokens)
    }

    /// Reads the file again if it changed; returns whether it did. A file that cannot be read grants nothing.
    pub fn refresh(&self) -> Result<bool> {
        let read = self.read();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match read {
            Ok(text) => text,
            Err(failure) => {
                self.replace(&mut known, Known::default());
                return Err(failure);
            }
        };
        if known.text.as_ref() == Some(&text) {
            return Ok(false);
        }
        self.replace(&mut known, Known::default());
        let parsed = parse(&self.file, &text)?;
        let grants = parsed.into_iter().map(|(token, grant)| (hash(&token), grant)).collect();
        self.replace(&mut known, Known { text: Some(text), grants });
        Ok(true)
    }

    fn replace(&self, known: &mut Known, new: Known) {
        if known.text != new.text {
            *known = new;
            self.changes.send_replace(());
        }
    }

    /// Returns a receiver that is notified when the tokens have changed.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    fn read(&self) -> Result<String> {
        let text = read_text(&self.file)?.unwrap_or_default();
        if !text.is_empty() && !is_private(&self.file) {
            return Err(AppError::usage(
                format!("other users can read {}", self.file.display()),
                format!("make it private with `chmod 600 {}`", self.file.display()),
            ));
        }
        Ok(text)
    }

    /// Returns the grant of a token, as the file is now: a removed token grants nothing at once.
    pub fn grant(&self, token: &str) -> Result<Option<Grant>> {
        self.refresh()?;
        let given = hash(token);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known.grants.iter().find(|(known, _)| *known == given).map(|(_, grant)| grant.clone()))
    }

    /// Creates a token for a grant and returns it.
    pub fn add(environment: &Environment, grant: &Grant) -> Result<String> {
        let file = Tokens::place(environment);
        let mut document = document(&file)?;
        let token = new_token()?;
        let mut table = Table::new();
        table.insert("actor", value(grant.actor.as_str()));
        table.insert("token", value(token.as_str()));
        table.insert("write", value(grant.writes));
        if let Some(projects) = &grant.projects {
            table.insert("projects", value(toml_edit::Array::from_iter(projects.iter().map(String::as_str))));
        }
        let tables = document.entry("token").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        match tables.as_array_of_tables_mut() {
            Some(tables) => tables.push(table),
            None => return Err(broken(&file, "`token` is not a list of tables")),
        }
        write_private(&file, document.to_string().as_bytes())?;
        Ok(token)
    }

    /// Removes the tokens of an actor and returns their number.
    pub fn remove(environment: &Environment, actor: &str) -> Result<usize> {
        let file = Tokens::place(environment);
        let mut document = document(&file)?;
        let Some(tables) = document.get_mut("token").and_then(Item::as_array_of_tables_mut) else {
            return Ok(0);
        };
        let before = tables.len();
        tables.retain(|table| table.get("actor").and_then(Item::as_str) != Some(actor));
        let gone = before - tables.len();
        if gone > 0 {
            write_private(&file, document.to_string().as_bytes())?;
        }
        Ok(gone)
    }

    /// Returns all grants, without their tokens.
    pub fn all(environment: &Environment) -> Result<Vec<Grant>> {
        let file = Tokens::place(environment);
        let text = read_text(&file)?.unwrap_or_default();
        Ok(parse(&file, &text)?.into_iter().map(|(_, grant)| grant).collect())
    }
}

fn hash(token: &str) -> ContentHash {
    ContentHash::of(token.as_bytes())
}

fn document(file: &std::path::Path) -> Result<DocumentMut> {
    parsed(file, &read_text(file)?.unwrap_or_default())
}

fn parsed(file: &std::path::Path, text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| broken(file, error.message()))
}

fn parse(file: &std::path::Path, text: &str) -> Result<Vec<(String, Grant)>> {
    let document = parsed(file, text)?;
    let tables = document.get("token").and_then(Item::as_array_of_tables);
    let mut found = Vec::new();
    for table in tables.into_iter().flatten() {
        // A misspelled `projects` would grant everything.
        if let Some((unknown, _)) = table.iter().find(|(key, _)| !KEYS.contains(key)) {
            return Err(broken(file, &format!("a token has an unknown key {unknown:?}")));
        }
        let text = |key: &str| table.get(key).and_then(Item::as_str).filter(|text| !text.is_empty());
        let (Some(token), Some(actor)) = (text("token"), text("actor")) else {
            return Err(broken(file, "a token has no `token` or no `actor`"));
        };
        let names = |item: &Item| -> Option<Vec<String>> {
            item.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let projects = match table.get("projects") {
            None => None,
            Some(item) => Some(names(item).ok_or_else(|| broken(file, "`projects` is not a list of names"))?),
        };
        let writes = match table.get("write") {
            None => false,
            Some(item) => item.as_bool().ok_or_else(|| broken(file, "`write` is not true or false"))?,
        };
        found.push((token.to_owned(), Grant { actor: actor.to_owned(), projects, writes }));
    }
    Ok(found)
}

fn broken(file: &std::path::Path, reason: &str) -> AppError {
    let hint = "fix the file, or delete it to create a new one";
    AppError::new(lore_engine::Code::Config, reason, hint).at(file.display())
}

fn new_token() -> Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        AppError::usage(format!("cannot get random numbers from the system: {error}"), "retry")
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
