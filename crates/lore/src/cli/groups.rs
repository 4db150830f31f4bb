//! The top-level help, which lists every command in one of seven groups, and the commands that only hold subcommands.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

/// A heading of the top-level help with its lines: related commands, and what they do.
struct Group {
    title: &'static str,
    lines: &'static [(&'static str, &'static str)],
}

/// Every visible command, once. Commands that belong together share a line, so that the help fits on a page.
const GROUPS: &[Group] = &[
    Group {
        title: "Start",
        lines: &[
            ("init", "Create a vault or adopt a directory of pages"),
            ("setup", "Set up an AI client to use Lore"),
            ("status, stats, doctor", "Print a status or counts, or find problems"),
        ],
    },
    Group {
        title: "Find",
        lines: &[
            ("search", "Search pages by words"),
            ("query", "Find excerpts that answer a question"),
            ("show, get", "Show a page, or print its file unchanged"),
            ("list, ls, recent", "List pages by property, folder or date"),
        ],
    },
    Group {
        title: "Write",
        lines: &[
            ("capture", "Save a note after checking for similar pages"),
            ("put, edit, save, mv, rm", "Write, change, commit, move or delete a page"),
            ("tags, tag, untag", "List, add and remove tags"),
            ("timeline, timeline-add", "Show a timeline, or add an entry to one"),
            ("raw, table", "Read and write sidecar data and tables"),
            ("ingest, import, imports", "Import a source, a vault or sessions"),
            ("history, diff, blame, restore", "Show and restore earlier versions of a page"),
        ],
    },
    Group {
        title: "Knowledge",
        lines: &[
            ("link, unlink, link-close", "Add, remove and end relations between pages"),
            ("links, backlinks, graph, path", "Show the links between pages"),
            ("facts, fact-add", "List facts, or add one"),
            ("gaps, gap", "List and manage unanswered questions"),
            ("check, curate, merge, split", "Find contradictions; review and merge pages"),
            ("stale, set-status, compact", "List, mark and summarize stale pages"),
        ],
    },
    Group {
        title: "Vault",
        lines: &[
            ("project, map, ns, trust", "Register, map, divide and trust vaults"),
            ("sync, generate", "Update the index and the generated files"),
            ("lint, schema, validate, test", "Check pages, the index and the vault's tests"),
            ("git", "Commit, push and pull the vault"),
            ("secrets", "Find and remove credentials"),
            ("retention, rotate", "Apply retention, or roll over the daily page"),
            ("triage, routine, distill", "Process the inbox, routines and sessions"),
            ("mirror, export, pack, unpack", "Copy pages or the vault elsewhere"),
        ],
    },
    Group {
        title: "Agents",
        lines: &[
            ("serve, token", "Serve MCP or HTTP, and manage access tokens"),
            ("context, build-context", "Print the brief for a directory or a page"),
            ("briefing", "List what needs attention and what changed"),
            ("skills", "List, show and extract skills for agents"),
            ("call, pipe", "Run operations with JSON parameters"),
        ],
    },
    Group {
        title: "Machine",
        lines: &[
            ("embed, model, eval", "Embed pages, manage models, measure search"),
            ("config, service, db", "Manage settings, services and the database"),
            ("completions, man, version", "Print completions, manual pages, the version"),
        ],
    },
];

/// Commands that only hold subcommands: name, summary, examples.
const PARENTS: &[(&str, &str, &str)] = &[
    ("config", "Show and change settings", "lore config list\n  lore config set format human"),
    ("db", "Maintain the database", "lore db backup lore-copy.db"),
    (
        "gap",
        "Add, approve and resolve unanswered questions",
        "lore gap add \"who audits Acme?\"\n  lore gap resolve 1234 --by companies/acme",
    ),
    ("git", "Commit, push and pull the vault", "lore git status\n  lore git push"),
    ("model", "Manage embedding models", "lore model list\n  lore model use all-MiniLM-L6-v2"),
    ("ns", "Create and list namespaces", "lore ns create clients\n  lore ns list"),
    ("project", "Register, list and choose vaults", "lore project add notes ~/notes\n  lore project list"),
    ("retention", "Manage retention", "lore retention status\n  lore retention run"),
    ("routine", "Run an agent's routines", "lore routine list\n  lore routine run morning"),
    ("schema", "Check notes against schemas", "lore schema validate\n  lore schema infer person"),
    (
        "secrets",
        "Find and remove credentials",
        "lore secrets scan --history\n  lore secrets purge 3f1c9a0b2d4e",
    ),
    ("service", "Manage background services", "lore service install --dry-run\n  lore service status"),
    ("skills", "List, show, extract and check skills", "lore skills list\n  lore skills show capture"),
    ("table", "Read and change tables on pages", "lore table show\n  lore table show bindings"),
    ("token", "Manage HTTP access tokens", "lore token add editor --write\n  lore token list"),
];

/// The end of the top-level help, and of the manual page.
pub(super) const FOOTER: &str = "\
Example: lore search \"enterprise pivot\" --type decision
Exit status: 0 done, 1 nothing found, 2 error, 3 conflict, 4 refused, 5 broken
Run 'lore help COMMAND' for the options and examples of a command";

/// Returns a command that only holds subcommands.
pub(super) fn parent(name: &'static str) -> Command {
    let (about, examples) = PARENTS
        .iter()
        .find(|(parent, _, _)| *parent == name)
        .map_or(("", ""), |(_, about, examples)| (*about, *examples));
    Command::new(name)
        .about(about)
        .after_help(format!("Examples:\n  {examples}"))
        .subcommand_required(true)
        .arg_required_else_help(true)
}

/// Renders the top-level help. `root` has the global options and no subcommands yet.
pub(super) fn help(root: &Command) -> StyledStr {
    let (header, literal) = (*root.get_styles().get_header(), *root.get_styles().get_literal());
    let about = root.get_about().map(ToString::to_string).unwrap_or_default();
    let mut text =
        format!("{about}\n\n{header}Usage:{header:#} {literal}lore{literal:#} [OPTIONS] [COMMAND]\n\n");
    let names = GROUPS.iter().flat_map(|group| group.lines).map(|(names, _)| names.len());
    let width = names.max().unwrap_or_default();
    for Group { title, lines } in GROUPS {
        text.push_str(&format!("{header}{title}:{header:#}\n"));
        for (names, does) in *lines {
            text.push_str(&format!("  {literal}{names:width$}{literal:#}  {does}\n"));
        }
        text.push('\n');
    }
    text.push_str(&format!("{header}Options:{header:#}\n{}\n\n{FOOTER}", options(root)));
    text.into()
}

/// Renders the global options, one line each whether the short or the long help is wanted.
fn options(root: &Command) -> String {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help");
    let mut command =
        root.clone().disable_help_flag(true).arg(help).help_template("{options}").term_width(80);
    command.render_help().ansi().to_string().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command;

    fn listed() -> Vec<&'static str> {
        GROUPS.iter().flat_map(|group| group.lines).flat_map(|(names, _)| names.split(", ")).collect()
    }

    /// Calls `check` with every command, hidden ones too, and its full name.
    fn for_each(command: &Command, name: &str, check: &mut dyn FnMut(&Command, &str)) {
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            let name = format!("{name} {}", inner.get_name());
            check(inner, &name);
            for_each(inner, &name, check);
        }
    }

    #[test]
    fn every_visible_command_is_in_one_group() {
        let root = command();
        let visible = root.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name);
        let mut visible: Vec<&str> = visible.collect();
        let mut listed = listed();
        visible.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, visible, "GROUPS must list every visible command once");
    }

    #[test]
    fn every_parent_is_described() {
        let root = command();
        let mut parents: Vec<&str> = root
            .get_subcommands()
            .filter(|command| command.has_subcommands())
            .map(Command::get_name)
            .collect();
        parents.sort_unstable();
        assert_eq!(PARENTS.iter().map(|(name, _, _)| *name).collect::<Vec<_>>(), parents);
    }

    #[test]
    fn every_command_has_an_example() {
        let mut root = command();
        root.build();
        let mut missing = Vec::new();
        for_each(&root, "lore", &mut |command, name| {
            if !command.clone().render_long_help().to_string().contains("Example") {
                missing.push(name.to_owned());
            }
        });
        assert_eq!(missing, [""; 0], "commands without an example in their help");
    }

    #[test]
    fn summaries_are_short_and_have_no_full_stop() {
        let mut bad = Vec::new();
        for_each(&command(), "lore", &mut |command, name| {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let fits = (1..70).contains(&about.chars().count());
            if !fits || about.ends_with('.') || !about.starts_with(|first: char| first.is_ascii_uppercase()) {
                bad.push(format!("{name}: {about}"));
            }
        });
        assert_eq!(bad, [""; 0], "summaries must be capitalized, under 70 characters, without a full stop");
    }
}
