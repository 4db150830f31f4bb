//! Text exchanged with git: the commit message, and parsing of git's errors.

use std::process::ExitStatus;

use lore_text::on_one_line;

use super::run::Output;

/// Trailer with the author of a change.
pub const ACTOR: &str = "Lore-Actor";
/// Trailer with the face the change came through.
pub const FACE: &str = "Lore-Face";
/// Trailer with the session of the change.
pub const SESSION: &str = "Lore-Session";

/// Maximum number of lines of git's output that are reported.
const LINES: usize = 8;

/// A commit message.
#[derive(Debug, Clone, Default)]
pub struct CommitMessage {
    /// The first line.
    pub subject: String,
    /// The optional body.
    pub body: Option<String>,
    /// Trailers such as `Lore-Actor: ada`, for programs to read. Empty ones are omitted.
    pub trailers: Vec<(&'static str, String)>,
}

impl CommitMessage {
    /// Returns the message as git stores it. Subject and trailers are reduced to one line each.
    pub(super) fn text(&self) -> String {
        let subject = on_one_line(&self.subject);
        let subject = if subject.is_empty() { "Change pages".to_owned() } else { subject };
        let body = self.body.as_deref().map(body_text).unwrap_or_default();
        let trailers = self.trailers.iter().map(|(name, value)| (name, on_one_line(value)));
        let trailers: Vec<String> = trailers
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let mut parts = vec![subject, body, trailers.join("\n")];
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
    }
}

fn body_text(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    // Programs that read patches and trailers take a line of dashes as the end of the message.
    let lines = clean.trim().lines();
    let lines = lines.map(|line| if line.starts_with("---") { format!(" {line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the last lines of git's output joined into one, without hints and credentials.
pub(super) fn explain(stderr: &str, status: ExitStatus) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let bare = lines.map(|line| line.trim_start_matches("fatal: ").trim_start_matches("error: "));
    let lines: Vec<String> = bare.map(without_credentials).collect();
    match lines.as_slice() {
        [] => format!("no reason given ({status}); a hook of the repository may have rejected it"),
        lines => lines[lines.len().saturating_sub(LINES)..].join("; ").replace(":; ", ": "),
    }
}

/// Returns the lock file that another git holds, if that is why a run failed.
pub(super) fn held_lock(output: &Output) -> Option<&str> {
    if output.success() {
        return None;
    }
    let (_, rest) = output.stderr.split_once("Unable to create '")?;
    let (path, _) = rest.split_once("': File exists")?;
    path.ends_with(".lock").then_some(path)
}

/// Whether git failed because no user name or address is configured.
pub(super) fn lacks_identity(stderr: &str) -> bool {
    ["identity unknown", "Please tell me who you are", "empty ident name"]
        .iter()
        .any(|words| stderr.contains(words))
}

/// Returns the files that git refused to overwrite: it lists them indented.
pub(super) fn in_the_way(stderr: &str) -> Vec<&str> {
    if !stderr.contains("would be overwritten") {
        return Vec::new();
    }
    stderr.lines().filter_map(|line| line.strip_prefix('\t')).collect()
}

/// Removes the user and password from every URL. The user of an ssh URL is not secret and stays.
pub(super) fn without_credentials(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        clean.push_str(before);
        let authority_end = after
            .find(|c: char| matches!(c, '/' | '?' | '#' | '\'' | '"') || c.is_whitespace())
            .unwrap_or(after.len());
        let (authority, tail) = after.split_at(authority_end);
        clean.push_str(&match authority.rsplit_once('@') {
            Some((user, host)) if before.ends_with("ssh://") => {
                format!("{}@{host}", user.split(':').next().unwrap_or_default())
            }
            Some((_, host)) => host.to_owned(),
            None => authority.to_owned(),
        });
        rest = tail;
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_url(text: &str, expected: &str) {
        assert_eq!(without_credentials(text), expected);
    }

    #[test]
    fn only_credentials_are_removed_from_urls() {
        check_url("https://ada:secret@example.org/v.git", "https://example.org/v.git");
        check_url("https://token@example.org", "https://example.org");
        check_url("'https://a:p@ss@example.org:8080/x@y'", "'https://example.org:8080/x@y'");
        check_url("ssh://git:secret@example.org/v", "ssh://git@example.org/v");
        check_url("ssh://git@example.org/v", "ssh://git@example.org/v");
        check_url("git@example.org:v.git", "git@example.org:v.git");
        check_url("from http://a:b@c/d to http://e:f@g/h", "from http://c/d to http://g/h");
        check_url("see https://example.org and mail a@b", "see https://example.org and mail a@b");
    }

    #[test]
    fn message_has_subject_body_and_single_line_trailers() {
        let message = CommitMessage {
            subject: " Add\npage\0 ".into(),
            body: Some("First.\r\n---\nLast.\n\n".into()),
            trailers: vec![(ACTOR, "ada\nLore-Face: forged".into()), (SESSION, " ".into())],
        };
        assert_eq!(message.text(), "Add page\n\nFirst.\n ---\nLast.\n\nLore-Actor: ada Lore-Face: forged\n");
        assert_eq!(CommitMessage::default().text(), "Change pages\n");
    }

    #[test]
    fn reason_is_reported_without_hints() {
        let said = "error: would be overwritten:\n\ta.md\nhint: do this\n\nfatal: no https://a:b@c/\n";
        assert_eq!(explain(said, ExitStatus::default()), "would be overwritten: a.md; no https://c/");
        assert!(explain("hint: x\n", ExitStatus::default()).starts_with("no reason given"));
        assert_eq!(in_the_way(said), ["a.md"]);
    }
}
