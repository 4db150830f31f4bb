//! The initial files and templates of profiles, compiled into the program.

/// A file's path and its text.
pub(super) type Built = (&'static str, &'static str);

macro_rules! built {
    ($root:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../profiles/", $root, "/", $path)))),*]
    };
}

/// Initial files of the profile `personal`.
pub(super) const PERSONAL: &[Built] = built![
    "personal/seed":
    "_index.md",
    "identity/_index.md",
    "identity/expertise.md",
    "identity/goals.md",
    "identity/people.md",
    "identity/personal.md",
    "identity/profile.md",
    "identity/work.md",
    "journal/_index.md",
    "journal/agent.md",
    "knowledge/_index.md",
    "knowledge/dossiers/_index.md",
    "knowledge/dossiers/evening.md",
    "knowledge/dossiers/hourly.md",
    "knowledge/dossiers/monthly.md",
    "knowledge/dossiers/morning.md",
    "knowledge/dossiers/roadmap.md",
    "knowledge/dossiers/weekly.md",
    "knowledge/wiki/main/_index.md",
    "plans/_index.md",
    "plans/projects/_active.base",
    "plans/projects/_index.md",
    "plans/roadmap.md",
    "policies/_index.md",
    "policies/integrations.md",
    "policies/journal-export.md",
    "policies/journal-format.md",
    "policies/management-captures/_index.md",
    "policies/management.md",
    "policies/mcp.md",
    "policies/redaction.md",
    "policies/routines/_index.md",
    "policies/routines/evening.md",
    "policies/routines/hourly.md",
    "policies/routines/monthly.md",
    "policies/routines/morning.md",
    "policies/routines/weekly.md",
    "state/profile-questions.md",
    "state/today.md",
];

/// Initial files of the profile `roam`.
pub(super) const ROAM: &[Built] = built![
    "roam/seed":
    ".gitattributes",
    "AGENTS.md",
    "AGENT_CONTRACT.org",
    "CLAUDE.md",
    "README.org",
    "start-here.org",
];

/// Initial files of the profile `roam` with Markdown pages.
pub(super) const ROAM_MARKDOWN: &[Built] = built![
    "roam/markdown":
    ".gitattributes",
    "AGENTS.md",
    "AGENT_CONTRACT.md",
    "CLAUDE.md",
    "README.md",
    "start-here.md",
];

/// The templates of the profile `personal`.
pub(super) const PERSONAL_TEMPLATES: &[Built] = &[
    ("capture", include_str!("../profiles/personal/templates/capture.md")),
    ("daily", include_str!("../profiles/personal/templates/daily.md")),
    ("dossier", include_str!("../profiles/personal/templates/dossier.md")),
    ("entity", include_str!("../profiles/personal/templates/entity.md")),
    ("monthly", include_str!("../profiles/personal/templates/monthly.md")),
    ("project", include_str!("../profiles/personal/templates/project.md")),
    ("routine", include_str!("../profiles/personal/templates/routine.md")),
    ("today", include_str!("../profiles/personal/templates/today.md")),
    ("weekly", include_str!("../profiles/personal/templates/weekly.md")),
];
