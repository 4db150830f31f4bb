//! Text output of the `skills` commands.

use super::{Extracted, SkillDoctor, SkillItem, SkillList, SkillText};
use crate::ops::Render;
use crate::ops::views::lines;
use crate::skills::SkillSource;

impl Render for SkillList {
    fn human(&self) -> String {
        let line = |skill: &SkillItem| {
            let source = match skill.source {
                SkillSource::BuiltIn => String::new(),
                other => format!("  [{}]", other.word()),
            };
            format!("{}{source}\n    {}", skill.name, skill.description)
        };
        lines(self.skills.iter().map(line))
    }

    fn brief(&self) -> String {
        lines(self.skills.iter().map(|skill| skill.name.clone()))
    }
}

impl Render for SkillText {
    fn human(&self) -> String {
        self.text.clone()
    }

    fn raw(&self) -> Option<&[u8]> {
        Some(self.text.as_bytes())
    }
}

impl Render for Extracted {
    fn human(&self) -> String {
        let mut text = lines(self.files.iter().map(|file| format!("{:<9}  {}", file.state, file.path)));
        if self.exit() != 0 {
            text.push_str("note: kept files have other content; --force replaces them\n");
        }
        text
    }

    fn exit(&self) -> u8 {
        if self.files.iter().any(|file| file.state == "kept") { 4 } else { 0 }
    }
}

impl Render for SkillDoctor {
    fn human(&self) -> String {
        let mut text = String::from("order:\n");
        for (folder, number) in self.order.iter().zip(1..) {
            let missing = if folder.exists { "" } else { "  (missing)" };
            text.push_str(&format!("  {number}. {:<8}  {}{missing}\n", folder.source.word(), folder.path));
        }
        text.push_str(&format!("  {}. built-in\n", self.order.len() + 1));
        for skill in &self.skills {
            text.push_str(&format!("{}  ({} tokens)\n", skill.name, skill.tokens));
            for version in &skill.versions {
                let path = version.path.as_deref().map(|path| format!("  {path}")).unwrap_or_default();
                let hash = version.hash.get(..12).unwrap_or_default();
                text.push_str(&format!("  {:<8}  {hash}  {}{path}\n", version.source.word(), version.state));
            }
            text.extend(skill.problems.iter().map(|problem| format!("  problem: {problem}\n")));
        }
        text
    }

    fn exit(&self) -> u8 {
        if self.skills.iter().any(|skill| !skill.problems.is_empty()) { 5 } else { 0 }
    }
}
