//! Built-in policies with their templates, as written by `lore init`.

mod built;

use serde::{Deserialize, Serialize};

use super::PageFormat;

/// A built-in policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Any Markdown; nothing required.
    #[default]
    Notes,
    /// People, companies, decisions and more by folder, with templates.
    Brain,
    /// Lessons, preferences and procedures with provenance; strict lint, generated index, git.
    Roam,
    /// A personal knowledge base in six classes: identity, state, plans, journal, knowledge, policies.
    Personal,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 4] = [Profile::Notes, Profile::Brain, Profile::Roam, Profile::Personal];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Notes => "notes",
            Profile::Brain => "brain",
            Profile::Roam => "roam",
            Profile::Personal => "personal",
        }
    }

    /// Returns its initial `lore.toml`.
    pub fn policy(self) -> &'static str {
        match self {
            Profile::Notes => include_str!("profiles/notes.toml"),
            Profile::Brain => include_str!("profiles/brain.toml"),
            Profile::Roam => include_str!("profiles/roam/lore.toml"),
            Profile::Personal => include_str!("profiles/personal/lore.toml"),
        }
    }

    /// Returns the template with a name, if the profile has one: that of a page type, or `meeting`.
    pub fn template(self, kind: &str) -> Option<&'static str> {
        self.templates().iter().find(|(name, _)| *name == kind).map(|(_, text)| *text)
    }

    /// Returns its initial `lore.toml` for pages of another format; the profile's own if it has no other.
    pub fn policy_in(self, format: Option<PageFormat>) -> String {
        match (self, format) {
            (Profile::Roam, Some(PageFormat::Markdown)) => {
                self.policy().replace("format = \"org\"", "format = \"markdown\"").replace(".org", ".md")
            }
            (Profile::Roam, _) | (_, None) => self.policy().to_owned(),
            (_, Some(format)) => {
                let line = format!("profile = \"{}\"\n", self.name());
                let with_format = format!("{line}format = \"{}\"\n", format.name());
                self.policy().replacen(&line, &with_format, 1)
            }
        }
    }

    /// Returns the initial files of a vault for pages of a format.
    pub fn seeds_in(self, format: Option<PageFormat>) -> &'static [(&'static str, &'static str)] {
        match (self, format) {
            (Profile::Roam, Some(PageFormat::Markdown)) => built::ROAM_MARKDOWN,
            _ => self.seeds(),
        }
    }

    /// Returns the initial files of a vault: path and text, with `{{date}}`, `{{actor}}` and `{{id}}` to be filled in.
    pub fn seeds(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Profile::Notes | Profile::Brain => &[],
            Profile::Roam => built::ROAM,
            Profile::Personal => built::PERSONAL,
        }
    }

    /// Returns all templates by page type.
    pub fn templates(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Profile::Notes | Profile::Roam => &[],
            Profile::Personal => built::PERSONAL_TEMPLATES,
            Profile::Brain => &[
                ("person", include_str!("profiles/person.md")),
                ("company", include_str!("profiles/company.md")),
                ("decision", include_str!("profiles/decision.md")),
                ("commitment", include_str!("profiles/commitment.md")),
                ("action_item", include_str!("profiles/action_item.md")),
                ("original", include_str!("profiles/original.md")),
                ("meeting", include_str!("profiles/meeting.md")),
                ("deal", include_str!("profiles/deal.md")),
                ("concept", include_str!("profiles/concept.md")),
                ("project", include_str!("profiles/project.md")),
            ],
        }
    }
}

/// Fills a template's `{{title}}`, `{{slug}}`, `{{date}}` and `{{weekday}}`.
pub fn fill(template: &str, title: &str, date: &str) -> String {
    // A title is inserted into double-quoted YAML, so its quotes must be escaped.
    let quoted = title.replace('\\', "\\\\").replace('"', "\\\"");
    let weekday = date.parse::<jiff::civil::Date>().map(|date| date.strftime("%A").to_string());
    template
        .replace("{{title:quoted}}", &quoted)
        .replace("{{title}}", title)
        .replace("{{slug}}", &lore_text::slugify(title))
        .replace("{{date}}", date)
        .replace("{{weekday}}", weekday.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::page_findings;
    use crate::policy::Policy;
    use lore_vault::is_page_path;

    #[test]
    fn every_profile_has_a_valid_policy() {
        for profile in Profile::ALL {
            let policy = Policy::parse(profile.policy()).expect("a valid policy");
            assert_eq!(policy.profile, profile);
        }
    }

    #[test]
    fn every_initial_file_is_valid() {
        for profile in Profile::ALL {
            let policy = Policy::parse(profile.policy()).expect("a valid policy");
            let pages = profile.seeds().iter().filter(|(path, _)| is_page_path(path) && policy.indexes(path));
            for (path, text) in pages {
                let text = fill(text, "x", "2026-05-24")
                    .replace("{{id}}", "0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f")
                    .replace("{{actor}}", "ada");
                assert_eq!(page_findings(&policy, path, &text), [], "{path}");
            }
        }
    }

    #[test]
    fn every_template_is_a_page_of_its_type() {
        for (kind, template) in Profile::Brain.templates() {
            let text = fill(template, "Ada \"the first\" Lovelace", "2024-05-01");
            let parsed = lore_page::parse("x/ada.md", &text);
            let expected = if *kind == "meeting" { "source" } else { kind };
            assert_eq!(parsed.page.kind.as_deref(), Some(expected));
            assert!(
                parsed.page.properties.text("due").is_none_or(str::is_empty),
                "{kind} is not due by default"
            );
            assert!(parsed.page.title.contains("Ada \"the first\" Lovelace"), "{}", parsed.page.title);
            assert_eq!(parsed.page.entries.len(), 1, "{kind} has a first timeline entry");
            assert_eq!(parsed.diagnostics, [], "{kind}");
        }
    }
}
