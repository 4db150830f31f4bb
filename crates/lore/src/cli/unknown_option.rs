//! Options that were taken as text. Some arguments accept text that starts with a dash, such as a list item; a word that
//! looks like an option is never meant as that text.

use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgMatches, Command};

use crate::app::error::AppError;

/// Returns the error for an option that was taken as text. Text after `--` or `=` is text, whatever it looks like.
pub(super) fn taken_as_text(root: &Command, matches: &ArgMatches, args: &[OsString]) -> Option<AppError> {
    let (mut command, mut matches) = (root, matches);
    while let Some((name, inner)) = matches.subcommand() {
        command = command.find_subcommand(name)?;
        matches = inner;
    }
    let given: Vec<&OsStr> = args.iter().map(OsString::as_os_str).take_while(|arg| *arg != "--").collect();
    let takes_text = |arg: &&Arg| arg.is_allow_hyphen_values_set() && !arg.is_trailing_var_arg_set();
    let texts = command.get_arguments().filter(takes_text);
    let mut values = texts.filter_map(|arg| matches.get_raw(arg.get_id().as_str())).flatten();
    let option = values.find(|value| given.contains(value) && looks_like_option(value))?.to_string_lossy();
    Some(AppError::usage(
        format!("unexpected argument '{option}'"),
        format!(
            "run 'lore {} --help' for its options, or write -- before text that starts with a dash",
            command.get_name()
        ),
    ))
}

/// Whether a word has the form of an option: one or two dashes, then letters.
fn looks_like_option(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
    let name = name.split('=').next().unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()) && name.chars().all(is_letter)
}
