//! Access tokens, in a file that only its owner can read, each with an actor and a grant.

use std::path::PathBuf;

use lore_text::ContentHash;
use lore_vault::{is_private, read_text, write_private};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::app::access::Grant;
use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};

/// The tokens of a server.
pub struct Tokens {
    /// The token file.
    pub file: PathBuf,
    /// Grants by token hash: comparing hashes leaks nothing about a token through timing.
    known: Vec<(ContentHash, Grant)>,
}

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
        if !is_private(&file) {
            return Err(AppError::usage(
                format!("other users can read {}", file.display()),
                format!("make it private with `chmod 600 {}`", file.display()),
            ));
        }
        let known = read(&file)?.into_iter().map(|(token, grant)| (hash(&token), grant)).collect();
        Ok(Tokens { file, known })
    }

    /// Returns the grant of a token.
    pub fn grant(&self, token: &str) -> Option<Grant> {
        let given = hash(token);
        self.known.iter().find(|(known, _)| *known == given).map(|(_, grant)| grant.clone())
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
        Ok(read(&Tokens::place(environment))?.into_iter().map(|(_, grant)| grant).collect())
    }
}

fn hash(token: &str) -> ContentHash {
    ContentHash::of(token.as_bytes())
}

fn document(file: &std::path::Path) -> Result<DocumentMut> {
    let text = read_text(file)?.unwrap_or_default();
    text.parse().map_err(|error: toml_edit::TomlError| broken(file, error.message()))
}

fn read(file: &std::path::Path) -> Result<Vec<(String, Grant)>> {
    let document = document(file)?;
    let tables = document.get("token").and_then(Item::as_array_of_tables);
    let mut found = Vec::new();
    for table in tables.into_iter().flatten() {
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
        let writes = table.get("write").and_then(Item::as_bool).unwrap_or(false);
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
