//! Commands of the command line itself, which no other face offers.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::output::print;
use super::{reference, serve, suggest, trust};
use crate::app::error::{AppError, Result};

/// Adds the commands.
pub(super) fn add(root: Command) -> Command {
    root.subcommand(
        Command::new("call")
            .about("Run an operation or MCP tool with JSON parameters")
            .arg(
                Arg::new("tool")
                    .value_name("TOOL")
                    .required(true)
                    .help("Name of an operation or tool, as in --tools-json"),
            )
            .arg(Arg::new("input").value_name("JSON").help("Parameters; - reads them from standard input"))
            .after_help("Examples:\n  lore call search '{\"query\": \"pricing\"}'\n  lore call memory_get '{\"slug\": \"people/ada\"}'"),
    )
    .subcommand(
        Command::new("pipe").about("Run an operation for each JSON line of standard input").after_help(
            "Examples:\n  echo '{\"tool\": \"get\", \"input\": {\"reference\": \"ada\"}}' | lore pipe",
        ),
    )
    .subcommand(serve::command())
    .subcommand(trust::command())
    .subcommand(
        Command::new("completions")
            .about("Print shell completions")
            .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)))
            .after_help(
                "Examples:\n  lore completions bash > ~/.local/share/bash-completion/completions/lore",
            ),
    )
    .subcommand(
        Command::new("man")
            .about("Print the manual page of Lore or of a command")
            .arg(
                Arg::new("command")
                    .value_name("COMMAND")
                    .num_args(0..)
                    .help("Command to describe; all of Lore if omitted"),
            )
            .after_help("Examples:\n  lore man > lore.1\n  lore man search | man -l -"),
    )
    .subcommand(
        Command::new("version")
            .about("Print the version")
            .after_help("Examples:\n  lore version"),
    )
    .subcommand(
        Command::new("reference")
            .about("Print the command-line reference in Markdown")
            .hide(true)
            .after_help("Examples:\n  lore reference > cli.md"),
    )
}

/// Runs the commands that need no vault; returns `None` for any other command.
pub(super) fn run(name: &str, matches: &ArgMatches) -> Result<Option<u8>> {
    let mut bytes = Vec::new();
    match name {
        "completions" => {
            let Some(shell) = matches.get_one::<Shell>("shell") else { return Ok(None) };
            clap_complete::generate(*shell, &mut super::command(), "lore", &mut bytes);
        }
        "man" => {
            let names = matches.get_many::<String>("command").unwrap_or_default();
            bytes = manual(names.map(String::as_str))?;
        }
        "version" => bytes = format!("lore {}\n", env!("CARGO_PKG_VERSION")).into_bytes(),
        "reference" => bytes = reference::markdown(&super::command()).into_bytes(),
        _ => return Ok(None),
    }
    print(&bytes)?;
    Ok(Some(0))
}

fn manual<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<u8>> {
    let mut root = super::command();
    root.build();
    let mut command = &root;
    let mut parents = vec![command];
    for name in names {
        command = command.find_subcommand(name).ok_or_else(|| suggest::unrecognized(&parents, name))?;
        parents.push(command);
    }
    let mut bytes = Vec::new();
    let failed = |error: std::io::Error| {
        AppError::usage(format!("cannot render the manual page: {error}"), "retry the command")
    };
    clap_mangen::Man::new(command.clone()).render(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
