//! The brief of a routine, as output and as text.

use lore_engine::updated;
use lore_memory::routine::{BriefPage, RoutineBrief};
use lore_ports::PageRow;
use schemars::JsonSchema;
use serde::Serialize;

use super::command::Answer;
use crate::ops::Render;
use crate::ops::external_text::fence;
use crate::ops::line::Line;
use crate::ops::views::{count, warning_lines};
use crate::ops::wrapped_page::{WrappedPage, between_elements, elements, origin};

/// Output of `routine run`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RoutineRun {
    routine: String,
    now: String,
    /// Beginning of the window of changes: the last run, or the routine's own window.
    since: String,
    /// Files injected into every agent's context.
    injected: Vec<WrappedPage>,
    /// Rulebook, dossier and further pages.
    pages: Vec<WrappedPage>,
    /// What yesterday's page hands over.
    #[serde(skip_serializing_if = "Option::is_none")]
    handoff: Option<String>,
    /// `external` if yesterday's page comes from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    handoff_origin: Option<&'static str>,
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
        let page = |page: BriefPage| WrappedPage {
            name: page.role.to_owned(),
            path: page.path.into(),
            text: page.text,
            origin: origin(page.is_external),
            snapshot_at: None,
        };
        RoutineRun {
            routine: brief.info.name.clone(),
            now: brief.now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            since: brief.since.to_string(),
            injected: brief.injected.into_iter().map(WrappedPage::from).collect(),
            pages: brief.pages.into_iter().map(page).collect(),
            handoff_origin: brief.handoff.as_ref().and_then(|page| origin(page.is_external)),
            handoff: brief.handoff.map(|page| page.text),
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

impl Render for RoutineRun {
    fn human(&self) -> String {
        if let Some(answer) = &self.answer {
            return answer.clone();
        }
        let mut text = format!("Routine {}, {} (since {})\n", self.routine, self.now, self.since);
        let pages = || self.injected.iter().chain(&self.pages);
        text.push_str(&elements(pages()));
        if let Some(handoff) = &self.handoff {
            let handoff = between_elements(handoff, pages());
            let (head, foot) = match self.handoff_origin {
                Some(_) => fence("yesterday's page", &handoff),
                None => Default::default(),
            };
            text.push_str(&format!("<handoff>\n{head}{handoff}\n{foot}</handoff>\n"));
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
        text.push_str(&warning_lines(&self.warnings));
        text
    }

    fn exit(&self) -> u8 {
        if self.failed() { 5 } else { 0 }
    }
}
