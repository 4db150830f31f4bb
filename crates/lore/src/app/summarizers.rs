//! The summarizers: the built-in extractive one, a configured command or a configured language model.

use std::path::Path;
use std::time::Duration;

use lore_embed::{Chat, ChatProtocol, ChatSettings, RequestPolicy};
use lore_engine::VaultContext;
use lore_memory::{Extractive, ModelSummarizer};
use lore_ports::{TextModel, TextModelError};
use lore_vault::process::{ProgramError, run_program};

use crate::app::config::Config;
use crate::app::environment::secret;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::app::shell;

/// Returns the built-in summarizer, which needs no configuration.
pub fn extractive(context: &VaultContext) -> Extractive {
    Extractive { today: context.today(), tokens: context.policy().compact.tokens }
}

/// A command that reads pages on standard input and prints a summary.
pub struct Command {
    words: Vec<String>,
    time: Duration,
}

impl Command {
    /// Returns the configured command.
    pub fn new(session: &Session) -> Result<ModelSummarizer<Command>> {
        session.limits().check_command("the setting compact.command")?;
        let text = wanted(&session.config, "compact.command", "command")?;
        let words = words(&text).ok_or_else(|| {
            AppError::usage(
                format!("compact.command is {text:?}, which has an unclosed quote or no program"),
                "write it as for a shell, or as a list: [\"llm\", \"-m\", \"small\"]",
            )
        })?;
        Ok(ModelSummarizer(Command { words, time: seconds(&session.config)? }))
    }

    fn failed(&self, reason: String) -> TextModelError {
        TextModelError {
            place: format!("command `{}`", shell::join(self.words.iter().map(String::as_str))),
            reason,
        }
    }
}

impl TextModel for Command {
    fn name(&self) -> String {
        let program = self.words.first().map(Path::new).and_then(Path::file_name);
        program.map_or_else(|| "command".into(), |name| name.to_string_lossy().into_owned())
    }

    fn complete(&self, instructions: &str, prompt: &str) -> std::result::Result<String, TextModelError> {
        let input = format!("{instructions}\n\n{prompt}");
        let output = run_program(&self.words, &input, self.time)
            .map_err(|error: ProgramError| self.failed(error.to_string()))?;
        let text =
            String::from_utf8(output).map_err(|_| self.failed("its output is not valid UTF-8".into()))?;
        match text.trim() {
            "" => Err(self.failed("its output is empty".into())),
            text => Ok(text.to_owned()),
        }
    }
}

/// Returns the configured language model.
pub fn endpoint(session: &Session) -> Result<ModelSummarizer<Chat>> {
    let config = &session.config;
    let base = wanted(config, "compact.endpoint", "endpoint")?;
    let model = wanted(config, "compact.model", "endpoint")?;
    let protocol = match config.get("compact.api")?.as_str() {
        "ollama" => ChatProtocol::Ollama,
        _ => ChatProtocol::OpenAi,
    };
    let variable = config.get("compact.key_variable")?;
    let key = match variable.as_str() {
        "" => None,
        name => Some(secret(name).ok_or_else(|| {
            AppError::usage(
                format!("the environment variable {name}, named by compact.key_variable, is not set"),
                "set it, or run `lore config unset compact.key_variable` if no key is needed",
            )
        })?),
    };
    let policy = RequestPolicy { request: seconds(config)?, ..RequestPolicy::default() };
    let chat = Chat::new(ChatSettings { protocol, base, model, key, policy });
    Ok(ModelSummarizer(chat.map_err(lore_engine::Error::from)?))
}

/// Returns a setting that a summarizer requires.
fn wanted(config: &Config, key: &str, summarizer: &str) -> Result<String> {
    let value = config.get(key)?;
    if !value.trim().is_empty() {
        return Ok(value);
    }
    Err(AppError::usage(
        format!("the summarizer {summarizer} needs the setting {key}"),
        format!("set it with `lore config set {key} …`, or use --summarizer extractive"),
    ))
}

fn seconds(config: &Config) -> Result<Duration> {
    Ok(Duration::from_secs(config.get("compact.seconds")?.parse().unwrap_or(120)))
}

/// Splits a command: a JSON list, or words quoted as for a shell. No shell is run.
fn words(text: &str) -> Option<Vec<String>> {
    let words = match serde_json::from_str::<Vec<String>>(text) {
        Ok(words) => words,
        Err(_) => shell::split(text)?,
    };
    words.first().is_some_and(|program| !program.trim().is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_split_like_in_a_shell() {
        for (text, expected) in [
            ("llm -m small", Some(vec!["llm", "-m", "small"])),
            ("  sh -c 'cat | wc -l' ", Some(vec!["sh", "-c", "cat | wc -l"])),
            (r#"a "b \" c" d\ e ''"#, Some(vec!["a", "b \" c", "d e", ""])),
            (r#"["a b", "c"]"#, Some(vec!["a b", "c"])),
            (r#"printf "a\n\$b" c\d"#, Some(vec!["printf", r"a\n$b", "cd"])),
            ("$HOME/x > y; z", Some(vec!["$HOME/x", ">", "y;", "z"])),
            ("llm # a comment", Some(vec!["llm"])),
            ("llm -m a#b", Some(vec!["llm", "-m", "a#b"])),
            ("a 'b", None),
            ("", None),
            ("''", None),
            ("[]", None),
        ] {
            let expected = expected.map(|words| words.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
