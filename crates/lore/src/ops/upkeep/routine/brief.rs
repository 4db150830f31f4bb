//! The brief of a routine, as output and as text.

use lore_engine::updated;
use lore_memory::Injected;
use lore_memory::routine::RoutineBrief;
use lore_ports::PageRow;
use lore_text::escape_closing_tags;
use schemars::JsonSchema;
use serde::Serialize;

use super::command::Answer;
use crate::app::xml;
use crate::ops::Render;
use crate::ops::line::Line;
use crate::ops::views::count;

/// Output of `routine run`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RoutineRun {
    routine: String,
    now: String,
    /// Beginning of the window of changes: the last run, or the routine's own window.
    since: String,
    /// Files injected into every agent's context.
    injected: Vec<BriefPage>,
    /// Rulebook, dossier and further pages.
    pages: Vec<BriefPage>,
    /// What yesterday's page hands over.
    #[serde(skip_serializing_if = "Option::is_none")]
    handoff: Option<String>,
    /// Pages that changed in the window, newest first.
    changes: Vec<ChangedPage>,
    /// Number of changed pages that are left out.
    more_changes: usize,
    /// Files in the inbox that nobody has sorted.
    inbox: Vec<Line>,
    /// Whether the run is recorded in the dossier.
    pub(super) recorded: bool,
    /// What the command printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    /// Exit status of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_status: Option<i32>,
    pub(super) warnings: Vec<String>,
}

/// A page of the brief.
#[derive(Debug, Serialize, JsonSchema)]
struct BriefPage {
    /// Name of the element that wraps it.
    name: String,
    path: Line,
    text: String,
    /// When it was read, if it changes during a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot_at: Option<String>,
}

/// A page that changed.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangedPage {
    path: Line,
    title: Line,
    updated: String,
}

impl RoutineRun {
    pub(super) fn new(brief: RoutineBrief, warnings: Vec<String>) -> RoutineRun {
        let changed = |page: PageRow| ChangedPage {
            updated: updated(&page),
            path: page.path.into(),
            title: page.title.into(),
        };
        let page = |(role, path, text): (&'static str, String, String)| BriefPage {
            name: role.to_owned(),
            path: path.into(),
            text,
            snapshot_at: None,
        };
        RoutineRun {
            routine: brief.info.name.clone(),
            now: brief.now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            since: brief.since.to_string(),
            injected: brief.injected.into_iter().map(BriefPage::from).collect(),
            pages: brief.pages.into_iter().map(page).collect(),
            handoff: brief.handoff,
            changes: brief.changes.into_iter().map(changed).collect(),
            more_changes: brief.more_changes,
            inbox: brief.unread.into_iter().map(Line::from).collect(),
            recorded: false,
            answer: None,
            exit_status: None,
            warnings: warnings.into_iter().chain(brief.warnings).collect(),
        }
    }

    /// Adds what the command answered.
    pub(super) fn finish(&mut self, answer: Answer) {
        self.exit_status = Some(answer.status.unwrap_or(-1));
        self.answer = Some(answer.text);
    }

    /// Returns how the command failed.
    pub(super) fn failure(&self) -> Option<String> {
        match self.exit_status.filter(|_| self.failed())? {
            -1 => Some("the command was ended by a signal".into()),
            status => Some(format!("the command ended with exit status {status}")),
        }
    }

    /// Whether the command failed.
    pub(super) fn failed(&self) -> bool {
        self.exit_status.is_some_and(|status| status != 0)
    }
}

impl From<Injected> for BriefPage {
    fn from(file: Injected) -> BriefPage {
        let Injected { name, path, text, snapshot_at } = file;
        BriefPage { name, path: path.into(), text, snapshot_at }
    }
}

impl BriefPage {
    fn wrapped(&self) -> String {
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let name: String = self.name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
        let body = escape_closing_tags(self.text.trim_end(), &[&name]);
        let path = xml::escape(&self.path);
        let time = self.snapshot_at.as_ref().map(|time| format!(" snapshot_at=\"{}\"", xml::escape(time)));
        format!("<{name} path=\"{path}\"{}>\n{body}\n</{name}>\n", time.unwrap_or_default())
    }
}

impl Render for RoutineRun {
    fn human(&self) -> String {
        if let Some(answer) = &self.answer {
            return answer.clone();
        }
        let mut text = format!("Routine {}, {} (since {})\n", self.routine, self.now, self.since);
        text.extend(self.injected.iter().chain(&self.pages).map(BriefPage::wrapped));
        if let Some(handoff) = &self.handoff {
            let handoff = escape_closing_tags(handoff, &["handoff"]);
            text.push_str(&format!("<handoff>\n{handoff}\n</handoff>\n"));
        }
        if !self.changes.is_empty() {
            text.push_str("Changed since\n");
        }
        for page in &self.changes {
            text.push_str(&format!("  {}  {}  {}\n", page.updated, page.path, page.title));
        }
        if self.more_changes > 0 {
            text.push_str(&format!("  and {} more\n", self.more_changes));
        }
        if !self.inbox.is_empty() {
            text.push_str(&format!("Inbox: {} to sort\n", count(self.inbox.len() as u64, "file")));
            text.extend(self.inbox.iter().map(|path| format!("  {path}\n")));
        }
        text.extend(self.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        text
    }

    fn exit(&self) -> u8 {
        if self.failed() { 5 } else { 0 }
    }
}
