//! The brief as text: short, injected files first.

use super::Brief;
use crate::ops::Render;
use crate::ops::views::{count, warning_lines};
use crate::ops::wrapped_page::elements;

impl Render for Brief {
    fn human(&self) -> String {
        let mut text = elements(self.injected.iter());
        let mut section = |title: &str, items: Vec<String>| {
            if !items.is_empty() {
                text.push_str(&format!("{title}\n"));
                text.extend(items.into_iter().map(|item| format!("  {item}\n")));
            }
        };
        let conflict =
            |one: &super::ConflictItem| format!("{} x {}: {}", one.slug_a, one.slug_b, one.description);
        section("Conflicts", self.conflicts.iter().map(conflict).collect());
        let alert = |one: &super::AlertItem| {
            let since = one.stale_since.as_deref().map(|day| format!(", since {day}")).unwrap_or_default();
            format!("{}  {}: {}{since}", one.slug, one.title, one.reason)
        };
        section("Stale", self.stale_alerts.iter().map(alert).collect());
        let node = |one: &super::NodeItem| {
            let links = count(one.links_out as u64, "link");
            let summary =
                if one.summary.is_empty() { String::new() } else { format!("\n      {}", one.summary) };
            let origin = one.origin.map(|origin| format!(", {origin}")).unwrap_or_default();
            format!("{}  {}  ({}, {}, {links}{origin}){summary}", one.id, one.title, one.slug, one.updated_at)
        };
        section(&format!("Pages ({})", self.namespace), self.active_nodes.iter().map(node).collect());
        text.push_str(&warning_lines(&self.warnings));
        text
    }

    fn brief(&self) -> String {
        let node = |one: &super::NodeItem| format!("{}  {}: {}\n", one.slug, one.title, one.summary);
        self.active_nodes.iter().map(node).collect()
    }
}
