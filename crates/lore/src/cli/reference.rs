//! The reference of the command line, from the command line itself.

use clap::Command;

/// Every command with its help, in Markdown.
pub(super) fn markdown(root: &Command) -> String {
    let mut root = root.clone().term_width(100);
    root.build();
    let mut text = String::from(
        "# The command line\n\nMade from the code by `lore reference`; a test keeps it so. Options under \"Everywhere\" \
         are the same for every command and are shown once.\n\n",
    );
    section(&mut text, &mut root.clone(), "lore", true);
    for command in
        root.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        walk(&mut text, command, "lore");
    }
    text
}

fn walk(text: &mut String, command: &Command, above: &str) {
    let name = format!("{above} {}", command.get_name());
    let inner: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    if inner.is_empty() {
        section(text, &mut command.clone(), &name, false);
    }
    for command in inner {
        walk(text, command, &name);
    }
}

fn section(text: &mut String, command: &mut Command, name: &str, whole: bool) {
    let help = command.clone().term_width(100).render_long_help().to_string();
    let help = if whole { help } else { without_globals(&help) };
    let trimmed: Vec<&str> = help.lines().map(str::trim_end).collect();
    text.push_str(&format!("## `{name}`\n\n```text\n{}\n```\n\n", trimmed.join("\n").trim_end()));
}

/// The help without the options that every command has.
fn without_globals(help: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    for line in help.lines() {
        if line == "Everywhere:" {
            inside = true;
        } else if inside && !line.is_empty() && !line.starts_with(' ') {
            inside = false;
        }
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    #[test]
    fn the_reference_is_what_the_code_says() {
        let text = super::markdown(&crate::cli::command());
        expect_file!["../../../../docs/cli.md"].assert_eq(&text);
    }
}
