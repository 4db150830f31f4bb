//! The pages changed last in all vaults. Shown in a directory that belongs to no vault if there are several vaults and no
//! default.

use std::cmp::Reverse;
use std::sync::mpsc::Sender;

use lore_engine::{Projects, ScanMode, Scope, refresh};
use lore_memory::{BriefRequest, Node, brief};
use lore_ports::no_progress;
use serde_json::Value;

use super::{HookRequest, RECENT, context_block, started};
use crate::app::environment::Environment;
use crate::app::error::Result;
use crate::app::session::{Session, SessionOptions};
use crate::app::stderr::{Stderr, Verbosity};
use crate::ops::line_for_agents;

/// Sends the pages as the indexes have them, then, if files have changed, as they are now. A vault that is not trusted or
/// cannot be opened is left out.
pub(super) fn answer(
    asked: &HookRequest,
    environment: &Environment,
    projects: &Projects,
    give: &Sender<Value>,
) -> Result<()> {
    let mut vaults = Vec::new();
    for name in projects.names() {
        let options = SessionOptions {
            db: asked.db.clone(),
            project: Some(name.clone()),
            face: "hook",
            ..SessionOptions::default()
        };
        let session = Session::new(environment.clone(), options, Stderr::new(Verbosity::Quiet))?;
        if session.context().is_ok() {
            vaults.push((name, session));
        }
    }
    let mut last = String::new();
    for is_refreshed in [false, true] {
        let text = text(&vaults, is_refreshed);
        if !text.is_empty() && text != last {
            let _ = give.send(started(&asked.client, &context_block("the user", &text)));
        }
        last = text;
    }
    Ok(())
}

/// Returns the pages changed last as text; empty if there are none.
fn text(vaults: &[(String, Session)], is_refreshed: bool) -> String {
    let mut pages: Vec<(&str, Node)> = Vec::new();
    for (name, session) in vaults {
        let Ok(context) = session.context() else { continue };
        if is_refreshed {
            // What cannot be read now is shown as it was indexed.
            let _ = refresh(context, Scope::Vault(ScanMode::Stat), &no_progress);
        }
        let request = BriefRequest { limit: Some(RECENT), recent: true, ..BriefRequest::default() };
        let nodes = brief(context, &request).map(|found| found.nodes).unwrap_or_default();
        pages.extend(nodes.into_iter().map(|node| (name.as_str(), node)));
    }
    pages.sort_by_key(|(_, node)| Reverse(node.page.updated));
    let line = |(project, node): &(&str, Node)| {
        let day: String = lore_engine::updated(&node.page).chars().take(10).collect();
        let title = line_for_agents(&node.page.title);
        let head =
            format!("  {}  {title}  (--project {}, {day})\n", node.page.slug, line_for_agents(project));
        if node.summary.is_empty() { head } else { format!("{head}      {}\n", node.summary) }
    };
    let lines: String = pages.iter().take(RECENT).map(line).collect();
    if lines.is_empty() { lines } else { format!("Pages changed last, in all vaults\n{lines}") }
}
