//! The command line, made from the registry of operations: parse, run, print, exit.

mod extras;
mod hook;
mod output;
mod pipe;
mod reference;
mod serve;
mod watch;

use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _, ValueEnum};
use lore_engine::Code;

use crate::environment::Environment;
use crate::failure::{Failure, Result, status};
use crate::ops::{self, Entry};
use crate::session::{Options, Session};
use crate::talk::{Level, Talk};
use output::Output;

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
struct Globals {
    /// The database: a SQLite file [env: LORE_DB]
    #[arg(id = "everywhere_db", long = "db", value_name = "WHERE", global = true)]
    db: Option<String>,
    /// The project; else the vault around the working directory [env: LORE_PROJECT]
    #[arg(id = "everywhere_project", long = "project", value_name = "NAME", global = true)]
    project: Option<String>,
    /// How to print [default: human on a terminal, json elsewhere]
    #[arg(id = "everywhere_format", long = "format", value_name = "FORMAT", value_enum, global = true)]
    format: Option<Format>,
    /// Short for --format json
    #[arg(id = "everywhere_json", long = "json", global = true)]
    json: bool,
    /// Do not look for changed files first
    #[arg(id = "everywhere_no_sync", long = "no-sync", global = true)]
    no_sync: bool,
    /// Say more on standard error
    #[arg(id = "everywhere_verbose", long = "verbose", short = 'v', global = true)]
    verbose: bool,
    /// Say nothing but errors on standard error
    #[arg(id = "everywhere_quiet", long = "quiet", short = 'q', global = true)]
    quiet: bool,
}

/// How an output is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object.
    Json,
    /// For reading.
    Human,
    /// One line per item.
    Brief,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut command = command();
    let matches = match command.try_get_matches_from_mut(std::env::args_os()) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version come this way too; clap knows which of them are failures.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let globals = match Globals::from_arg_matches(innermost(&matches)) {
        Ok(globals) => globals,
        Err(_) => Globals::from_arg_matches(&matches).unwrap_or_else(|_| Globals::none()),
    };
    let talk = Talk::new(globals.level());
    let called = matches.subcommand_name() == Some("call");
    let explicit_json = called || globals.json || globals.format == Some(Format::Json);
    match run(&matches, globals) {
        Ok(exit) => ExitCode::from(exit),
        Err(failure) => {
            if explicit_json {
                talk.error(&failure.json().to_string());
            } else {
                talk.error(&format!("error: {}\nhint: {}", failure.message, failure.hint));
            }
            ExitCode::from(status(failure.code).exit)
        }
    }
}

/// The whole command line.
pub(super) fn command() -> Command {
    let mut root = Globals::augment_args(Command::new("lore"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("A memory for AI agents and people, in plain files that you own")
        .arg(
            clap::Arg::new("tools_json")
                .long("tools-json")
                .action(clap::ArgAction::SetTrue)
                .help("Print every operation with its schema, for tool discovery"),
        )
        .after_help(
            "Examples:\n  lore init ~/brain --profile brain    make a vault\n  lore search \"enterprise pivot\"        find pages\n  lore show \"Ada Lovelace\"              read one\n\nExit: 0 done or found; 1 nothing found; 2 error; 3 version conflict; 4 refused; 5 vault or index missing or broken",
        )
        .args_override_self(true)
        .subcommand_required(false)
        .arg_required_else_help(true);
    for entry in ops::registry() {
        root = add(root, &entry);
    }
    extras::add(root).subcommand(hook::command())
}

fn add(root: Command, entry: &Entry) -> Command {
    let command = (entry.command)().args_override_self(true);
    match entry.name.split_once(' ') {
        None => root.subcommand(command),
        Some((group, _)) if root.find_subcommand(group).is_some() => {
            root.mut_subcommand(group, |group| group.subcommand(command))
        }
        Some((group, _)) => root.subcommand(
            Command::new(group)
                .about(group_about(group))
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(command),
        ),
    }
}

fn group_about(group: &str) -> &'static str {
    match group {
        "project" => "Register, list and choose projects",
        "config" => "Show and change settings",
        "db" => "Care for the database",
        "gap" => "Note, approve and close questions that found no answer",
        "git" => "The vault's repository: status, push, pull, commit",
        "token" => "Who may ask the server over HTTP",
        "service" => "The vault's timers as services of the user",
        "retention" => "What is kept how long",
        "skills" => "Ways of working that agents read: list, show, extract, check",
        _ => "",
    }
}

fn run(matches: &ArgMatches, globals: Globals) -> Result<u8> {
    if matches.get_flag("tools_json") {
        let output = Output { format: Format::Json, explicit: true };
        return output.value(&ops::tools()).map(|()| 0);
    }
    let Some((name, inner)) = matches.subcommand() else {
        return Err(Failure::usage("no command is given", "see `lore --help`"));
    };
    if name == "hook" {
        return Ok(hook::run(inner, &globals));
    }
    if let Some(done) = extras::run(name, inner)? {
        return Ok(done);
    }
    if name == "serve" {
        return serve::serve(inner, &globals);
    }
    match attempt(name, inner, &globals) {
        // Damage that shows only when a page of the database is read: put it aside, and begin anew where that
        // cannot do anything twice.
        Err((failure, Some(session))) if failure.code == Code::IndexBroken => {
            session.talk.warn(&lore_index::set_aside(&session.database()?, &failure.message)?);
            drop(session);
            if may_write(name, inner) {
                Err(failure)
            } else {
                attempt(name, inner, &globals).map_err(|(failure, _)| failure)
            }
        }
        outcome => outcome.map_err(|(failure, _)| failure),
    }
}

/// Whether running a command a second time could write a second time. A sync cannot: it follows the files.
fn may_write(name: &str, matches: &ArgMatches) -> bool {
    let entry = match name {
        "call" => ops::find(matches.get_one::<String>("tool").map(String::as_str).unwrap_or_default()),
        _ => entry(name, matches).map(|(entry, _)| entry),
    };
    entry.map_or(true, |entry| entry.writes && entry.name != "sync")
}

/// Runs a command once. A failure comes with the session it happened in.
fn attempt(
    name: &str,
    matches: &ArgMatches,
    globals: &Globals,
) -> std::result::Result<u8, (Failure, Option<Box<Session>>)> {
    let session = Box::new(open_session(name, globals).map_err(|failure| (failure, None))?);
    let run = || {
        let output = Output::choose(globals, &session)?;
        match name {
            "call" => pipe::call(&session, matches),
            "pipe" => pipe::pipe(&session),
            "sync" if matches.get_flag("watch") => watch::watch(&session, matches, output),
            _ => {
                let (entry, inner) = entry(name, matches)?;
                let answer = (entry.from_cli)(inner, &session)?;
                output.answer(answer.as_ref())
            }
        }
    };
    run().map_err(|failure| (failure, Some(session)))
}

fn open_session(name: &str, globals: &Globals) -> Result<Session> {
    let face = match name {
        "call" | "pipe" => "pipe",
        _ => "cli",
    };
    let options = Options {
        db: globals.db.clone(),
        project: globals.project.clone(),
        sync: !globals.no_sync,
        keeps_up: false,
        face,
    };
    Session::new(Environment::read()?, options, Talk::new(globals.level()))
}

fn entry<'a>(name: &str, matches: &'a ArgMatches) -> Result<(Entry, &'a ArgMatches)> {
    match ops::registry().into_iter().find(|entry| entry.name == name || entry.aliases.contains(&name)) {
        Some(entry) => Ok((entry, matches)),
        None => {
            let (command, inner) = matches.subcommand().unwrap_or((name, matches));
            ops::find(&format!("{name} {command}")).map(|entry| (entry, inner))
        }
    }
}

/// Global options may stand after any command; the innermost matches have them all.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, inner)| innermost(inner))
}

impl Globals {
    fn none() -> Globals {
        Globals {
            db: None,
            project: None,
            format: None,
            json: false,
            no_sync: false,
            verbose: false,
            quiet: false,
        }
    }

    fn level(&self) -> Level {
        match (self.quiet, self.verbose) {
            (true, _) => Level::Quiet,
            (_, true) => Level::Verbose,
            _ => Level::Normal,
        }
    }
}
