//! Ready-made policies with their templates, as `lore init` writes them.

use serde::{Deserialize, Serialize};

/// A ready policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Any Markdown; nothing required.
    #[default]
    Notes,
    /// People, companies, decisions and the rest by folder, with templates.
    Brain,
}

impl Profile {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Notes => "notes",
            Profile::Brain => "brain",
        }
    }

    /// The `lore.toml` it begins with.
    pub fn policy(self) -> &'static str {
        match self {
            Profile::Notes => include_str!("profiles/notes.toml"),
            Profile::Brain => include_str!("profiles/brain.toml"),
        }
    }

    /// The template of a page of a type, where the profile has one.
    pub fn template(self, kind: &str) -> Option<&'static str> {
        self.templates().iter().find(|(name, _)| *name == kind).map(|(_, text)| *text)
    }

    /// Every template by the type it is for.
    pub fn templates(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Profile::Notes => &[],
            Profile::Brain => &[
                ("person", include_str!("profiles/person.md")),
                ("company", include_str!("profiles/company.md")),
                ("decision", include_str!("profiles/decision.md")),
                ("commitment", include_str!("profiles/commitment.md")),
                ("action_item", include_str!("profiles/action_item.md")),
                ("original", include_str!("profiles/original.md")),
            ],
        }
    }
}

/// Fills a template's `{{title}}` and `{{date}}`.
pub fn fill(template: &str, title: &str, date: &str) -> String {
    // A title goes into YAML between double quotes, so its own must be escaped.
    let quoted = title.replace('\\', "\\\\").replace('"', "\\\"");
    template.replace("{{title:quoted}}", &quoted).replace("{{title}}", title).replace("{{date}}", date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn every_profile_is_a_valid_policy_of_its_own_name() {
        for profile in [Profile::Notes, Profile::Brain] {
            let policy = Policy::parse(profile.policy()).expect("a valid policy");
            assert_eq!(policy.profile, profile);
        }
    }

    #[test]
    fn every_template_is_a_page_of_its_type() {
        for (kind, template) in Profile::Brain.templates() {
            let text = fill(template, "Ada \"the first\" Lovelace", "2024-05-01");
            let parsed = lore_page::parse("x/ada.md", &text);
            assert_eq!(parsed.page.kind.as_deref(), Some(*kind));
            assert!(parsed.page.title.contains("Ada \"the first\" Lovelace"), "{}", parsed.page.title);
            assert_eq!(parsed.page.entries.len(), 1, "{kind} has a first timeline entry");
            assert_eq!(parsed.diagnostics, [], "{kind}");
        }
    }
}
