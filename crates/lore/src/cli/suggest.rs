//! The error for a command that does not exist, with the command that was probably meant.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::app::error::AppError;

/// Usual names for commands that are called something else here.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("add", &["put", "capture"]),
    ("append", &["edit"]),
    ("ask", &["query"]),
    ("cat", &["get"]),
    ("change", &["edit"]),
    ("combine", &["merge"]),
    ("conflicts", &["check"]),
    ("connect", &["setup"]),
    ("contradictions", &["check"]),
    ("convert", &["mv", "export"]),
    ("copy", &["mirror", "export"]),
    ("create", &["put", "capture"]),
    ("daemon", &["service", "serve"]),
    ("dedupe", &["curate", "merge"]),
    ("del", &["rm"]),
    ("diagnose", &["doctor"]),
    ("dir", &["ls"]),
    ("duplicates", &["curate"]),
    ("erase", &["rm"]),
    ("fetch", &["get"]),
    ("find", &["search"]),
    ("fix", &["lint"]),
    ("grep", &["search"]),
    ("health", &["doctor"]),
    ("hooks", &["setup"]),
    ("html", &["export"]),
    ("http", &["serve"]),
    ("inbox", &["triage"]),
    ("info", &["status"]),
    ("join", &["merge"]),
    ("log", &["history"]),
    ("lookup", &["search"]),
    ("manual", &["man"]),
    ("mcp", &["serve"]),
    ("modify", &["edit"]),
    ("move", &["mv"]),
    ("namespace", &["ns"]),
    ("namespaces", &["ns"]),
    ("neighbors", &["graph"]),
    ("neighbours", &["graph"]),
    ("new", &["put", "capture"]),
    ("note", &["capture"]),
    ("notes", &["list"]),
    ("open", &["show"]),
    ("print", &["get"]),
    ("prune", &["retention"]),
    ("questions", &["gaps"]),
    ("read", &["get"]),
    ("rebuild", &["sync"]),
    ("refresh", &["sync"]),
    ("reindex", &["sync"]),
    ("related", &["graph"]),
    ("remove", &["rm"]),
    ("rename", &["mv"]),
    ("replace", &["edit"]),
    ("revert", &["restore"]),
    ("review", &["curate"]),
    ("server", &["serve"]),
    ("settings", &["config"]),
    ("site", &["export"]),
    ("start", &["init", "serve"]),
    ("store", &["capture"]),
    ("tree", &["ls"]),
    ("undo", &["restore"]),
    ("unzip", &["unpack"]),
    ("update", &["edit", "sync"]),
    ("vault", &["project"]),
    ("vaults", &["project"]),
    ("versions", &["history"]),
    ("view", &["show"]),
    ("watch", &["sync"]),
    ("write", &["put"]),
    ("zip", &["pack"]),
];

/// The same for the subcommands of a group, where the group has the command.
const NESTED_SYNONYMS: &[(&str, &[&str])] = &[
    ("add", &["create", "install", "use"]),
    ("check", &["validate", "scan", "doctor", "status"]),
    ("close", &["resolve"]),
    ("create", &["add"]),
    ("delete", &["remove", "unset", "uninstall"]),
    ("download", &["pull"]),
    ("get", &["show"]),
    ("info", &["show", "status"]),
    ("ls", &["list"]),
    ("new", &["add", "create"]),
    ("rm", &["remove", "unset", "uninstall"]),
    ("show", &["get", "list", "status"]),
    ("start", &["run", "install"]),
    ("switch", &["use", "default"]),
];

/// Shortest word that is completed to the commands that start with it.
const SHORTEST_PREFIX: usize = 3;

/// Maximum number of commands a word is completed to; a word with more says too little.
const MAX_COMPLETIONS: usize = 3;

/// Returns the error for a command line whose command does not exist; `None` for every other error of the parser.
pub(super) fn from_parser(root: &Command, error: &clap::Error, args: &[OsString]) -> Option<AppError> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => {
            Some(unrecognized(&parents(root, args, word), word))
        }
        _ => None,
    }
}

/// Returns the error for `word`, which is not a command below the last of `parents`.
pub(super) fn unrecognized(parents: &[&Command], word: &str) -> AppError {
    let names: Vec<&str> = parents.iter().map(|command| command.get_name()).collect();
    let above = names.join(" ");
    let given = names.iter().skip(1).chain([&word]).copied().collect::<Vec<_>>().join(" ");
    let similar = parents.last().map(|parent| suggestions(parent, parents.len() == 1, word));
    let similar: Vec<String> =
        similar.unwrap_or_default().iter().map(|name| format!("'{above} {name}'")).collect();
    let hint = match similar.as_slice() {
        [] => format!("run '{above} --help' for the list of commands"),
        similar => format!("did you mean {}?", similar.join(" or ")),
    };
    AppError::usage(format!("unrecognized command '{given}'"), hint)
}

/// Returns the commands that precede `word` on the command line, beginning with the root.
fn parents<'a>(root: &'a Command, args: &[OsString], word: &str) -> Vec<&'a Command> {
    let takes_value = |arg: &str| {
        let options = root.get_arguments().filter(|option| option.get_action().takes_values());
        arg.strip_prefix("--")
            .is_some_and(|name| options.into_iter().any(|option| option.get_long() == Some(name)))
    };
    let mut innermost = root;
    let mut parents = vec![root];
    let mut args = args.iter().skip(1).map(|arg| arg.to_string_lossy());
    while let Some(arg) = args.next().filter(|arg| arg != word) {
        if takes_value(&arg) {
            args.next();
        } else if let Some(inner) = innermost.find_subcommand(&*arg).filter(|_| arg != "help") {
            innermost = inner;
            parents.push(inner);
        }
    }
    parents
}

/// Returns the names that `word` probably stands for: synonyms, then names of nested commands, then names that start with
/// it, then the most similar name. Hidden commands are never among them.
fn suggestions(parent: &Command, is_root: bool, word: &str) -> Vec<String> {
    let word = word.to_lowercase();
    if is_root {
        if let Some((_, names)) = SYNONYMS.iter().find(|(synonym, _)| *synonym == word) {
            return names.iter().map(|name| (*name).to_owned()).collect();
        }
        let nested: Vec<String> = visible(parent)
            .filter(|outer| visible(outer).any(|inner| inner.get_name() == word))
            .map(|outer| format!("{} {word}", outer.get_name()))
            .collect();
        if !nested.is_empty() {
            return nested;
        }
    } else if let Some((_, names)) = NESTED_SYNONYMS.iter().find(|(synonym, _)| *synonym == word) {
        let known = |name: &&&str| visible(parent).any(|command| command.get_name() == **name);
        if let Some(name) = names.iter().find(known) {
            return vec![(*name).to_owned()];
        }
    }
    let names: Vec<&str> = visible(parent)
        .flat_map(|command| std::iter::once(command.get_name()).chain(command.get_visible_aliases()))
        .collect();
    let starts = |name: &&&str| word.len() >= SHORTEST_PREFIX && name.starts_with(&word);
    let completed: Vec<String> = names.iter().filter(starts).map(|name| (*name).to_owned()).collect();
    if completed.is_empty() || completed.len() > MAX_COMPLETIONS {
        return most_similar(&names, &word).map(str::to_owned).into_iter().collect();
    }
    completed
}

fn visible(parent: &Command) -> impl Iterator<Item = &Command> {
    parent.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// Returns the name with the fewest typing errors, at most one for every three letters of the word.
fn most_similar<'a>(names: &[&'a str], word: &str) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let scored = names.iter().map(|name| (strsim::damerau_levenshtein(name, word), *name));
    let similar = scored.filter(|(distance, _)| *distance <= limit);
    let likeness = |name: &str| strsim::jaro_winkler(name, word);
    similar.min_by(|a, b| a.0.cmp(&b.0).then(likeness(b.1).total_cmp(&likeness(a.1)))).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    #[test]
    fn synonyms_are_no_commands_and_name_visible_ones() {
        let root = command();
        for (synonym, names) in SYNONYMS {
            assert!(root.find_subcommand(synonym).is_none(), "{synonym} is a command now");
            for name in *names {
                assert!(visible(&root).any(|command| command.get_name() == *name), "{synonym}: {name}");
            }
        }
        assert!(SYNONYMS.is_sorted_by_key(|(synonym, _)| *synonym));
        assert!(NESTED_SYNONYMS.is_sorted_by_key(|(synonym, _)| *synonym));
    }

    #[test]
    fn parents_skip_values_of_options() {
        let root = command();
        let check = |line: &str, expected: &[&str]| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let found = parents(&root, &args, "aprove");
            assert_eq!(
                found.iter().map(|command| command.get_name()).collect::<Vec<_>>(),
                expected,
                "{line}"
            );
        };
        check("lore aprove", &["lore"]);
        check("lore gap aprove 12", &["lore", "gap"]);
        check("lore help gap aprove", &["lore", "gap"]);
        check("lore --project search --json gap -v aprove", &["lore", "gap"]);
    }
}
