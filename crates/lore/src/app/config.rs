//! The user's `config.toml`: settings and the registry of vaults. Edits preserve comments and order.

use std::path::{Path, PathBuf};

use lore_engine::{Error, Mapping, Projects, Signals, line_of};
use lore_vault::{FolderLock, make_folder, read_text, write_private};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};

/// A setting with its description and default.
pub struct Setting {
    /// The key, such as `search.limit`.
    pub key: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// Value when the setting is not set.
    pub default: &'static str,
}

/// Every setting.
pub const SETTINGS: &[Setting] = &[
    Setting { key: "db", about: "path of the SQLite database", default: "" },
    Setting { key: "default_project", about: "vault to use when nothing else selects one", default: "" },
    Setting {
        key: "format",
        about: "json, human or brief; empty: human on a terminal, json otherwise",
        default: "",
    },
    Setting {
        key: "embedding.model",
        about: "embedding model of a new database, or none; empty: the best one installed",
        default: "",
    },
    Setting { key: "embedding.folder", about: "additional folder to search for models", default: "" },
    Setting {
        key: "embedding.ollama",
        about: "address of Ollama, for models named ollama:NAME",
        default: "http://127.0.0.1:11434",
    },
    Setting {
        key: "embedding.openai",
        about: "address of an OpenAI-compatible service, for models named openai:NAME",
        default: "https://api.openai.com/v1",
    },
    Setting {
        key: "embedding.key_variable",
        about: "environment variable that holds the API key of that service",
        default: "OPENAI_API_KEY",
    },
    Setting {
        key: "embedding.timeout_ms",
        about: "request timeout for Ollama and that service, in milliseconds",
        default: "60000",
    },
    Setting { key: "search.limit", about: "maximum number of results per search", default: "50" },
    Setting {
        key: "search.fusion",
        about: "how lexical and semantic results are combined: weighted, union or rrf",
        default: "weighted",
    },
    Setting {
        key: "search.weight",
        about: "weight of semantic results, from 0 to 1; empty: the best one of the model",
        default: "",
    },
    Setting {
        key: "search.signals",
        about: "ranking signals: exact, complete, relation, entity, mentions, alias, heading, dates, passages, sentences, transcripts, recency; or none",
        default: "exact complete relation entity mentions alias heading dates passages sentences transcripts recency",
    },
    Setting {
        key: "search.min_similarity",
        about: "minimum similarity of pages found by embedding, from 0 to 1",
        default: "0",
    },
    Setting { key: "search.budget", about: "maximum tokens of an answer", default: "4000" },
    Setting {
        key: "context.budget",
        about: "maximum tokens of the `lore context` brief, not counting the policy's injected files",
        default: "2000",
    },
    Setting {
        key: "compact.summarizer",
        about: "summarizer: extractive, agent, command or endpoint",
        default: "extractive",
    },
    Setting {
        key: "compact.command",
        about: "command that reads pages on standard input and prints a summary",
        default: "",
    },
    Setting {
        key: "compact.endpoint",
        about: "address of the language model that writes summaries, such as http://127.0.0.1:11434/v1",
        default: "",
    },
    Setting { key: "compact.model", about: "name of that model", default: "" },
    Setting { key: "compact.api", about: "API of that model: openai or ollama", default: "openai" },
    Setting {
        key: "compact.key_variable",
        about: "environment variable that holds its API key; empty: no key needed",
        default: "",
    },
    Setting { key: "compact.seconds", about: "time limit for one summary, in seconds", default: "120" },
    Setting {
        key: "watch.debounce_ms",
        about: "quiet time before a change is indexed, in milliseconds",
        default: "1000",
    },
];

/// Names of settings in other programs that Lore also accepts.
const ALIASES: [(&str, &str); 3] = [
    ("search_merge_strategy", "search.fusion"),
    ("default_token_budget", "search.budget"),
    ("semantic_min_similarity", "search.min_similarity"),
];

/// Returns the key of a setting that has another name too.
pub fn canonical(key: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, key)| key)
}

/// Parses the value of `search.signals`; an unknown word is returned as the error.
pub fn signals(text: &str) -> std::result::Result<Signals, String> {
    let mut signals = Signals::NONE;
    for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
        match word {
            "none" => signals = Signals::NONE,
            "exact" => signals.exact = true,
            "complete" => signals.complete = true,
            "relation" => signals.relation = true,
            "entity" => signals.entity = true,
            "mentions" => signals.mentions = true,
            "alias" => signals.alias = true,
            "heading" => signals.heading = true,
            "dates" => signals.dates = true,
            "transcripts" => signals.transcripts = true,
            "passages" => signals.passages = true,
            "sentences" => signals.sentences = true,
            "recency" => signals.recency = true,
            other => return Err(other.to_owned()),
        }
    }
    Ok(signals)
}

/// The parsed configuration file.
pub struct Config {
    path: PathBuf,
    document: DocumentMut,
}

impl Config {
    /// Reads the file; a missing file counts as empty.
    pub fn load(path: &Path) -> Result<Config> {
        let text = read_text(path)?.unwrap_or_default();
        let document = text.parse::<DocumentMut>().map_err(|error| Error::Config {
            path: path.to_owned(),
            line: error.span().map(|span| line_of(&text, span.start)),
            message: error.message().lines().collect::<Vec<_>>().join(" "),
        })?;
        Ok(Config { path: path.to_owned(), document })
    }

    /// Reads the file again, changes it and writes it atomically, under a lock that only one process can hold.
    pub fn change(environment: &Environment, work: impl FnOnce(&mut Config) -> Result<()>) -> Result<Config> {
        let path = environment.config_file.as_path();
        let folder = path.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        let _lock = FolderLock::acquire(folder, &environment.state, &environment.actor)?;
        let mut config = Config::load(path)?;
        work(&mut config)?;
        write_private(&config.path, config.document.to_string().as_bytes())?;
        Ok(config)
    }

    /// Returns a setting's value or its default; an unknown key is an error.
    pub fn get(&self, key: &str) -> Result<String> {
        let key = canonical(key);
        let setting = known(key)?;
        Ok(self.set_value(key).unwrap_or_else(|| setting.default.to_owned()))
    }

    /// Returns a setting's value if it is set.
    pub fn set_value(&self, key: &str) -> Option<String> {
        let key = canonical(key);
        let item = key.split('.').try_fold(self.document.as_item(), |item, part| item.get(part))?;
        Some(match item.as_str() {
            Some(text) => text.to_owned(),
            None => item.as_value()?.clone().decorated("", "").to_string(),
        })
    }

    /// Sets a setting.
    pub fn set(&mut self, key: &str, text: &str) -> Result<()> {
        let key = canonical(key);
        let text = if (key, text) == ("search.fusion", "set-union") { "union" } else { text };
        known(key)?;
        check(key, text)?;
        let item = match text.parse::<i64>() {
            Ok(number) if key.contains('.') => value(number),
            _ => value(text),
        };
        match key.split_once('.') {
            Some((table, key)) => {
                self.document.entry(table).or_insert(Item::Table(Table::new()))[key] = item;
            }
            None => self.document[key] = item,
        }
        Ok(())
    }

    /// Removes a setting; returns whether it was set.
    pub fn unset(&mut self, key: &str) -> Result<bool> {
        let key = canonical(key);
        known(key)?;
        let removed = match key.split_once('.') {
            Some((table, key)) => {
                self.document.get_mut(table).and_then(Item::as_table_mut).and_then(|table| table.remove(key))
            }
            None => self.document.remove(key),
        };
        Ok(removed.is_some())
    }

    /// Returns the registry of vaults.
    pub fn projects(&self) -> Projects {
        let mut projects = Projects { default: self.set_value("default_project"), ..Default::default() };
        if let Some(table) = self.document.get("projects").and_then(Item::as_table_like) {
            for (name, item) in table.iter() {
                if let Some(root) = item.as_str().or_else(|| item.get("path").and_then(Item::as_str)) {
                    projects.roots.insert(name.to_owned(), root.into());
                }
            }
        }
        if let Some(maps) = self.document.get("map").and_then(Item::as_array_of_tables) {
            let field = |table: &Table, key: &str| table.get(key).and_then(Item::as_str).map(str::to_owned);
            let mapping = |map: &Table| {
                let (glob, project) = (field(map, "glob")?, field(map, "project")?);
                Some(Mapping { glob, project, namespace: field(map, "namespace") })
            };
            projects.maps.extend(maps.iter().filter_map(mapping));
        }
        projects
    }

    /// Registers a vault.
    pub fn add_project(&mut self, name: &str, root: &Path) {
        let table = self.document.entry("projects").or_insert(Item::Table(Table::new()));
        table[name] = value(root.to_string_lossy().as_ref());
    }

    /// Removes a vault from the registry, with its maps and its default status.
    pub fn remove_project(&mut self, name: &str) {
        if let Some(table) = self.document.get_mut("projects").and_then(Item::as_table_like_mut) {
            table.remove(name);
        }
        if self.set_value("default_project").as_deref() == Some(name) {
            self.document.remove("default_project");
        }
        self.retain_maps(|map| map.get("project").and_then(Item::as_str) != Some(name));
    }

    /// Maps working directories to a vault or a namespace, replacing an older map of the same glob.
    pub fn add_map(&mut self, new: &Mapping) {
        self.remove_map(&new.glob);
        let mut map = Table::new();
        map["glob"] = value(&new.glob);
        map["project"] = value(&new.project);
        if let Some(namespace) = &new.namespace {
            map["namespace"] = value(namespace);
        }
        let maps = self.document.entry("map").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        if let Some(maps) = maps.as_array_of_tables_mut() {
            maps.push(map);
        }
    }

    /// Removes a map; returns whether it existed.
    pub fn remove_map(&mut self, glob: &str) -> bool {
        self.retain_maps(|map| map.get("glob").and_then(Item::as_str) != Some(glob))
    }

    fn retain_maps(&mut self, keep: impl FnMut(&Table) -> bool) -> bool {
        let Some(maps) = self.document.get_mut("map").and_then(Item::as_array_of_tables_mut) else {
            return false;
        };
        let before = maps.len();
        maps.retain(keep);
        let changed = maps.len() != before;
        if maps.is_empty() {
            self.document.remove("map");
        }
        changed
    }
}

fn known(key: &str) -> Result<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let keys: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
        AppError::usage(format!("unknown setting {key:?}"), format!("known settings: {}", keys.join(", ")))
    })
}

fn check(key: &str, text: &str) -> Result<()> {
    let fine = match key {
        "format" => matches!(text, "json" | "human" | "brief"),
        "search.limit" | "watch.debounce_ms" | "embedding.timeout_ms" => {
            text.parse::<u32>().is_ok_and(|number| number > 0)
        }
        "search.budget" | "context.budget" => text.parse::<u32>().is_ok_and(|number| number > 0),
        "search.fusion" => matches!(text, "weighted" | "union" | "rrf"),
        "search.weight" | "search.min_similarity" => {
            text.parse::<f64>().is_ok_and(|weight| (0.0..=1.0).contains(&weight))
        }
        "search.signals" => signals(text).is_ok(),
        "compact.summarizer" => matches!(text, "extractive" | "agent" | "command" | "endpoint"),
        "compact.api" => matches!(text, "openai" | "ollama"),
        "compact.seconds" => text.parse::<u32>().is_ok_and(|number| number > 0),
        _ => !text.is_empty(),
    };
    if fine {
        return Ok(());
    }
    let about = SETTINGS.iter().find(|setting| setting.key == key).map_or("", |setting| setting.about);
    Err(AppError::usage(format!("invalid value {text:?} for {key}"), about))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config { path: "config.toml".into(), document: text.parse().expect("toml") }
    }

    #[test]
    fn edits_preserve_comments_and_order() {
        let mut config = config("# mine\nformat = \"json\" # always\n\n[projects]\na = \"/a\"\n");
        config.set("search.limit", "20").expect("set");
        config.add_project("b", Path::new("/b"));
        config.add_map(&Mapping { glob: "/code/*".into(), project: "b".into(), namespace: None });
        let text = config.document.to_string();
        assert!(text.starts_with("# mine\nformat = \"json\" # always\n"), "{text}");
        assert_eq!(config.projects().names(), ["a", "b"]);
        assert_eq!(config.get("search.limit").expect("set"), "20");
        config.remove_project("b");
        assert!(config.projects().maps.is_empty());
    }

    #[test]
    fn other_names_of_settings_are_accepted() {
        let mut config = config("");
        config.set("search_merge_strategy", "set-union").expect("set");
        config.set("default_token_budget", "900").expect("set");
        assert_eq!(config.get("search.fusion").expect("set"), "union");
        assert_eq!(config.get("search_merge_strategy").expect("set"), "union");
        assert_eq!(config.get("search.budget").expect("set"), "900");
        assert!(config.unset("default_token_budget").expect("set"));
        assert_eq!(config.get("default_token_budget").expect("default"), "4000");
    }

    #[test]
    fn unknown_keys_and_bad_values_are_refused() {
        let mut config = config("");
        assert!(config.get("colour").is_err());
        assert!(config.set("format", "xml").is_err());
        assert!(config.set("search.limit", "none").is_err());
        assert_eq!(config.get("search.limit").expect("default"), "50");
    }
}
