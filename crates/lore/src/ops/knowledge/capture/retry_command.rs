//! The follow-up command to show when similar pages were found.

use super::Capture;
use crate::app::session::Session;
use crate::app::shell::quote;

/// Maximum length of a text that is repeated in the command.
const MAX_TEXT_BYTES: usize = 300;

/// The original command, split into the parts that each follow-up needs.
pub(super) struct RetryCommand {
    /// The text and the options that always apply.
    text: String,
    /// The options that apply to a new page only.
    new_page: String,
}

impl RetryCommand {
    /// Rebuilds the command as it could be typed in a shell. Other faces repeat only the deciding option, and the vault
    /// and namespace that it writes to.
    pub(super) fn of(given: &Capture, session: &Session) -> RetryCommand {
        let namespace = given.namespace.as_deref().or(session.named_namespace());
        let project = session.named_project();
        if !session.is_command_line() {
            let target = [("--namespace", namespace), ("--project", project)];
            let target = target.into_iter().filter_map(|(option, value)| Some((option, value?)));
            let target = target.map(|(option, value)| format!(" {option} \"{value}\""));
            let text = format!("lore capture TEXT{}", target.collect::<String>());
            return RetryCommand { text, new_page: String::new() };
        }
        let mut text = match (&given.text, &given.file) {
            (Some(text), _) if text.len() <= MAX_TEXT_BYTES && !text.contains(char::is_control) => {
                format!("lore capture {}", quote(text))
            }
            (None, Some(file)) => format!("lore capture --file {}", quote(&file.to_string_lossy())),
            (Some(_), _) => "lore capture TEXT".to_owned(),
            (None, None) => "… | lore capture".to_owned(),
        };
        let mut add = |option: &str, value: &str| text.push_str(&format!(" {option} {}", quote(value)));
        given.tags.iter().for_each(|tag| add("--tag", tag));
        given.source.iter().for_each(|source| add("--source", source));
        given.fills.iter().for_each(|gap| add("--fills", &gap.to_string()));
        namespace.iter().for_each(|namespace| add("--namespace", namespace));
        project.iter().for_each(|project| add("--project", project));
        let title = given.title.iter().map(|title| format!(" --title {}", quote(title)));
        let raw = given.raw.iter().map(|raw| format!(" --raw {}", quote(&raw.to_string_lossy())));
        let whole = given.whole.then(|| " --whole".to_owned());
        RetryCommand { text, new_page: title.chain(raw).chain(whole).collect() }
    }

    /// Returns the command that appends to a page.
    pub(super) fn extending(&self, page: &str) -> String {
        format!("{} --extend {page}", self.text)
    }

    /// Returns the command that replaces the truth of a page at a version.
    pub(super) fn updating(&self, page: &str, version: u64) -> String {
        format!("{} --update {page} --expected-version {version}", self.text)
    }

    /// Returns the command that writes a new page with a relation to a page: `supersedes` or `contradicts`.
    pub(super) fn relating(&self, relation: &str, page: &str) -> String {
        format!("{}{} --{relation} {page}", self.text, self.new_page)
    }

    /// Returns the command that writes a new page.
    pub(super) fn keeping(&self) -> String {
        format!("{}{} --keep", self.text, self.new_page)
    }
}
