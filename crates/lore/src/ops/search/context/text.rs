//! The brief as text: short, injected files first.

use lore_text::escape_closing_tags;

use super::Brief;
use crate::app::xml;
use crate::ops::Render;
use crate::ops::views::count;

impl Render for Brief {
    fn human(&self) -> String {
        let mut text = String::new();
        for file in &self.injected {
            let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
            let name: String = file.name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
            let body = escape_closing_tags(file.text.trim_end(), &[&name]);
            let time =
                file.snapshot_at.as_ref().map(|time| format!(" snapshot_at=\"{}\"", xml::escape(time)));
            let (path, time) = (xml::escape(&file.path), time.unwrap_or_default());
            text.push_str(&format!("<{name} path=\"{path}\"{time}>\n{body}\n</{name}>\n"));
        }
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
            format!("{}  {}  ({}, {}, {links}){summary}", one.id, one.title, one.slug, one.updated_at)
        };
        section(&format!("Pages ({})", self.namespace), self.active_nodes.iter().map(node).collect());
        text.extend(self.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        text
    }

    fn brief(&self) -> String {
        let node = |one: &super::NodeItem| format!("{}  {}: {}\n", one.slug, one.title, one.summary);
        self.active_nodes.iter().map(node).collect()
    }
}
