//! The command line, built from the registry of operations: parse, run, print, exit.

mod extras;
mod groups;
mod hook;
mod output;
mod pipe;
mod reference;
mod serve;
mod suggest;
mod trust;
mod unknown_option;
mod watch;
mod watch_import;
mod welcome;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command, FromArgMatches as _, ValueEnum};
use lore_engine::Code;
use lore_text::secrets::masked;

use crate::app::environment::Environment;
use crate::app::error::{AppError, Result, status};
use crate::app::session::{Session, SessionOptions};
use crate::app::stderr::{Stderr, Verbosity};
use crate::mcp;
use crate::ops;
use crate::ops::OperationInfo;

use output::Output;
use welcome::Welcome;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct Globals {
    /// SQLite database file [env: LORE_DB]
    #[arg(id = "everywhere_db", long = "db", value_name = "WHERE", global = true)]
    db: Option<String>,
    /// Vault to use, by name [env: LORE_PROJECT]
    ///
    /// Default: the vault that contains the working directory, the one mapped to it, the default, or the only one
    #[arg(id = "everywhere_project", long = "project", value_name = "NAME", global = true)]
    project: Option<String>,
    /// Namespace to use; `all` for the whole vault
    ///
    /// Default: the namespace that the working directory is mapped to
    #[arg(id = "namespace", long = "namespace", value_name = "NAME", global = true)]
    namespace: Option<String>,
    /// Output format
    ///
    /// Default: LORE_FORMAT, else human on a terminal, json elsewhere
    #[arg(id = "everywhere_format", long = "format", value_name = "FORMAT", value_enum, global = true)]
    format: Option<Format>,
    /// Short for --format json
    #[arg(id = "everywhere_json", long = "json", global = true)]
    json: bool,
    /// Do not check for changed files first
    #[arg(id = "everywhere_no_sync", long = "no-sync", global = true)]
    no_sync: bool,
    /// Print more to standard error
    #[arg(id = "everywhere_verbose", long = "verbose", short = 'v', global = true)]
    verbose: bool,
    /// Print only errors to standard error
    #[arg(id = "everywhere_quiet", long = "quiet", short = 'q', global = true)]
    quiet: bool,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object.
    Json,
    /// Text for people.
    Human,
    /// One line per item.
    Brief,
}

/// Name of the command that runs where none is given.
const BARE: &str = "";

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let mut command = command();
    let args: Vec<OsString> = std::env::args_os().collect();
    let matches = match command.try_get_matches_from_mut(&args) {
        Ok(matches) => matches,
        Err(error) => {
            if let Some(failure) = suggest::from_parser(&command, &error, &args) {
                return report(&failure, &Stderr::default(), false);
            }
            // Help and version are errors to clap too; it knows their exit status.
            let given = error.to_string();
            let plain = in_plain_words(&given);
            let clean = masked(&plain, |_| true);
            if error.use_stderr() && clean != given {
                Stderr::default().error(clean.trim_end());
            } else {
                drop(error.print());
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if let Some(failure) = unknown_option::taken_as_text(&command, &matches, &args) {
        return report(&failure, &Stderr::default(), false);
    }
    let globals = match Globals::from_arg_matches(innermost(&matches)) {
        Ok(globals) => globals,
        Err(_) => Globals::from_arg_matches(&matches).unwrap_or_else(|_| Globals::none()),
    };
    let talk = Stderr::new(globals.level());
    let called = matches.subcommand_name() == Some("call");
    let explicit_json = called || globals.json || globals.format == Some(Format::Json);
    match run(&matches, globals) {
        Ok(exit) => ExitCode::from(exit),
        Err(failure) => report(&failure, &talk, explicit_json),
    }
}

/// Words what the standard library says about a number that it cannot parse.
fn in_plain_words(error: &str) -> String {
    let whole = ["invalid digit found in string", "cannot parse integer from empty string"];
    let plain = whole.iter().fold(error.to_owned(), |text, known| {
        text.replace(&format!("': {known}"), "': expected a whole number of 0 or more")
    });
    [
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
    ]
    .iter()
    .fold(plain, |text, (known, plain)| text.replace(&format!("': {known}"), &format!("': {plain}")))
}

/// Prints an error and returns its exit status.
fn report(failure: &AppError, talk: &Stderr, json: bool) -> ExitCode {
    if json {
        talk.error(output::json_line(&failure.json()).trim_end());
    } else {
        talk.error(&format!("error: {}\nhint: {}", failure.message, failure.hint));
    }
    ExitCode::from(status(failure.code).exit)
}

/// Returns the whole command line.
pub(super) fn command() -> Command {
    let mut root = Globals::augment_args(Command::new("lore"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("A memory for AI agents and people, in plain files that you own")
        .arg(
            clap::Arg::new("tools_json")
                .long("tools-json")
                .action(clap::ArgAction::SetTrue)
                .help("Print every operation and tool with its schema"),
        )
        // Only the manual page shows it; paragraphs keep its lines apart there.
        .after_help(groups::FOOTER.replace('\n', "\n\n"))
        .args_override_self(true)
        .subcommand_required(false);
    let help = groups::help(&root);
    root = root.override_help(help);
    for entry in &ops::REGISTRY {
        root = add(root, entry);
    }
    extras::add(root).subcommand(hook::command())
}

fn add(root: Command, entry: &OperationInfo) -> Command {
    let command = (entry.command)().args_override_self(true);
    match entry.name.split_once(' ') {
        None => root.subcommand(command),
        Some((group, _)) if root.find_subcommand(group).is_some() => {
            root.mut_subcommand(group, |group| group.subcommand(command))
        }
        Some((group, _)) => root.subcommand(groups::parent(group).subcommand(command)),
    }
}

fn run(matches: &ArgMatches, globals: Globals) -> Result<u8> {
    if matches.get_flag("tools_json") {
        let output = Output { format: Format::Json, explicit: true, terminal: false };
        return output.value(&mcp::all_tools()).map(|()| 0);
    }
    let Some((name, inner)) = matches.subcommand() else {
        return run_operation(BARE, &ArgMatches::default(), &globals);
    };
    if name == "hook" {
        return Ok(hook::run(inner, &globals));
    }
    if let Some(done) = extras::run(name, inner)? {
        return Ok(done);
    }
    match name {
        "serve" => return serve::serve(inner, &globals),
        "trust" => return trust::run(inner, &globals),
        _ => {}
    }
    run_operation(name, inner, &globals)
}

/// Runs a command that needs a session, a second time where the database turned out to be damaged.
fn run_operation(name: &str, matches: &ArgMatches, globals: &Globals) -> Result<u8> {
    match attempt(name, matches, globals) {
        // Some damage shows only when a page of the database is read. Set the database aside, and retry where that
        // cannot write twice.
        Err((failure, Some(session))) if failure.code == Code::IndexBroken => {
            session.talk.warn(&session.set_database_aside(&failure.message)?);
            drop(session);
            if may_write(name, matches) {
                Err(failure)
            } else {
                attempt(name, matches, globals).map_err(|(failure, _)| failure)
            }
        }
        outcome => outcome.map_err(|(failure, _)| failure),
    }
}

/// Returns whether running a command a second time could write a second time. A sync cannot: it only updates the index.
fn may_write(name: &str, matches: &ArgMatches) -> bool {
    let entry = match name {
        BARE => return false,
        "call" => {
            let name = matches.get_one::<String>("tool").map(String::as_str).unwrap_or_default();
            mcp::operation_named(name)
        }
        _ => entry(name, matches).map(|(entry, _)| entry),
    };
    entry.map_or(true, |entry| entry.writes && entry.name != "sync")
}

/// Runs a command once. An error comes with the session in which it happened.
fn attempt(
    name: &str,
    matches: &ArgMatches,
    globals: &Globals,
) -> std::result::Result<u8, (AppError, Option<Box<Session>>)> {
    let session = Box::new(open_session(name, globals).map_err(|failure| (failure, None))?);
    let run = || {
        let output = Output::choose(globals, &session)?;
        match name {
            BARE => bare(&session, output),
            "call" => pipe::call(&session, matches),
            "pipe" => pipe::pipe(&session, &|| open_session(name, globals)),
            "sync" if matches.get_flag("watch") => watch::watch(&session, matches, output),
            "import" if matches.get_flag("watch") => {
                watch_import::watch(&session, matches, output, &|| open_session(name, globals))
            }
            _ => {
                let (entry, inner) = entry(name, matches)?;
                let answer = (entry.from_cli)(inner, &session)?;
                output.answer(answer.as_ref())
            }
        }
    };
    run().map_err(|failure| (failure, Some(session)))
}

/// Prints the status of the vault in use, or how to begin where no vault is registered.
fn bare(session: &Session, output: Output) -> Result<u8> {
    let (named, known) = (session.asked_project().is_some(), session.config.projects().names());
    match ops::run("status", serde_json::Value::Null, session) {
        Err(failure) if failure.code == Code::NoVault && !named && known.is_empty() => {
            output.answer(&Welcome::new())
        }
        answer => {
            let exit = output.answer(answer?.as_ref())?;
            if output.format == Format::Human {
                session.talk.note("run `lore --help` for the list of commands");
            }
            Ok(exit)
        }
    }
}

fn open_session(name: &str, globals: &Globals) -> Result<Session> {
    let face = match name {
        "call" | "pipe" => "pipe",
        _ => "cli",
    };
    let options = SessionOptions {
        db: globals.db.clone(),
        project: globals.project.clone(),
        namespace: globals.namespace.clone(),
        server_directory: None,
        sync: !globals.no_sync,
        keeps_up: false,
        face,
        read_only: false,
    };
    Session::new(Environment::read()?, options, Stderr::new(globals.level()))
}

fn entry<'a>(name: &str, matches: &'a ArgMatches) -> Result<(&'static OperationInfo, &'a ArgMatches)> {
    // `lore status REF STATUS` sets the status of a page.
    let sets_status = name == "status" && matches.try_contains_id("reference").is_ok_and(|given| given);
    match ops::find(if sets_status { "set-status" } else { name }) {
        Ok(entry) => Ok((entry, matches)),
        // The name of a group.
        Err(_) => {
            let (command, inner) = matches.subcommand().unwrap_or((name, matches));
            ops::find(&format!("{name} {command}")).map(|entry| (entry, inner))
        }
    }
}

/// Returns the innermost matches, which have the global options wherever they were given.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, inner)| innermost(inner))
}

impl Globals {
    fn none() -> Globals {
        Globals {
            db: None,
            project: None,
            namespace: None,
            format: None,
            json: false,
            no_sync: false,
            verbose: false,
            quiet: false,
        }
    }

    fn level(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}
