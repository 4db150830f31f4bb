//! `init`: creates or adopts a vault.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lore_engine::{Access, Error, PageFormat, Policy, Profile, ScanMode, Scope, begin, refresh};
use lore_memory::new_id;
use lore_text::day_of;
use lore_vault::git::create;
use lore_vault::{
    POLICY_FILE, Vault, exists, is_dir, is_page_path, list_names, make_folder, real_folder, scan, write_new,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::app::trust::{Trust, TrustLevel, dangers};
use crate::ops::upkeep::routine::runs;
use crate::ops::views::count;
use crate::ops::{Operation, Render};

/// Create a vault, or adopt a directory that has pages, and register it
///
/// Running it again changes nothing, and existing files are never overwritten.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore init ~/brain --profile brain\n  lore init ~/notes --name notes --no-git"
)]
pub struct Init {
    /// Directory of the vault [default: the working directory]
    #[serde(default)]
    path: Option<PathBuf>,
    /// Initial policy [default: notes]
    #[arg(long, value_enum)]
    #[serde(default)]
    profile: Option<ProfileName>,
    /// Format of new pages [default: org for the profile roam, else markdown]
    #[arg(long, value_enum)]
    #[serde(default)]
    pages: Option<PagesFormat>,
    /// Name to register it under [default: the directory's name]
    #[arg(long)]
    #[serde(default)]
    name: Option<String>,
    /// Do not create a git repository
    #[arg(long)]
    #[serde(default)]
    no_git: bool,
    /// Git remote to push to
    #[arg(long, value_name = "URL", conflicts_with = "no_git")]
    #[serde(default)]
    remote: Option<String>,
}

/// The formats by name.
#[derive(Debug, Clone, Copy, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PagesFormat {
    /// Markdown
    Markdown,
    /// Org
    Org,
}

/// The profiles by name.
#[derive(Debug, Clone, Copy, ValueEnum, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ProfileName {
    /// Any Markdown, nothing required
    Notes,
    /// People, companies, decisions and more by folder, with templates
    Brain,
    /// Lessons, preferences and procedures; strict lint, generated index, git
    Roam,
    /// Personal notes, with permissions, daily rotation and retention
    Personal,
}

/// Output of `init`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitReport {
    /// Name it is registered under.
    name: String,
    /// Root directory.
    path: String,
    profile: &'static str,
    /// Files that were created.
    created: Vec<String>,
    /// Number of pages.
    pages: u64,
    /// Files that were not indexed.
    skipped: usize,
}

impl Operation for Init {
    const NAME: &'static str = "init";
    const MACHINE: bool = true;
    const WRITES: bool = true;
    type Output = InitReport;

    fn run(self, session: &Session) -> Result<InitReport> {
        let requested = session.path(self.path.as_deref().unwrap_or(Path::new(".")));
        if let Some(name) = &self.name {
            session.check_name(name, &real_folder(&requested).unwrap_or(requested.clone()))?;
        }
        if exists(&requested) && !is_dir(&requested) {
            return Err(AppError::usage(
                format!("{} is a file, not a directory", requested.display()),
                "pass a directory",
            ));
        }
        let is_new = list_names(&requested).map_or(true, |names| names.is_empty());
        make_folder(&requested)?;
        let root = real_folder(&requested).ok_or_else(|| {
            AppError::usage(format!("{} is not a directory", requested.display()), "pass a directory")
        })?;
        adopt(session, &root, is_new)?;
        let profile = match self.profile {
            None if exists(&root.join(POLICY_FILE)) => Policy::load(&root)?.profile,
            None | Some(ProfileName::Notes) => Profile::Notes,
            Some(ProfileName::Brain) => Profile::Brain,
            Some(ProfileName::Roam) => Profile::Roam,
            Some(ProfileName::Personal) => Profile::Personal,
        };
        let format = self.pages.map(|format| match format {
            PagesFormat::Markdown => PageFormat::Markdown,
            PagesFormat::Org => PageFormat::Org,
        });
        let name = session.register(self.name.as_deref(), &root)?;
        let is_adopted =
            !is_new && scan(&Vault::open(&root)?).files.iter().any(|file| is_page_path(&file.path));
        let mut created = write_files(session, &root, profile, format, is_adopted)?;
        // A vault works without git, so a failure is only a warning.
        if !self.no_git
            && let Err(error) = create(&root, self.remote.as_deref())
        {
            session.talk.warn(&format!("{error}; the vault works without a repository"));
        }
        // What Lore and git have just created there, such as hooks from the user's own template, is trusted too.
        if !Trust::load(&session.environment)?.covers(&root) {
            session.trust(&root, TrustLevel::Full)?;
        }
        let context = session.open(&name, &root)?;
        let report = refresh(&context, Scope::Vault(ScanMode::Stat), &session.talk.progress("Indexing"))?;
        session.talk.finish();
        if !created.is_empty() {
            runs::begin(&session.environment, &root, (session.environment.clock)().timestamp())?;
            let receipt = begin(&context, &created)?;
            receipt.warnings.iter().for_each(|warning| session.talk.warn(warning));
            created.extend(
                receipt.generated.into_iter().filter(|path| !created.contains(path)).collect::<Vec<_>>(),
            );
        }
        Ok(InitReport {
            path: root.display().to_string(),
            profile: context.policy().profile.name(),
            created,
            pages: context.store().counts(context.project())?.pages,
            skipped: report.skipped.len(),
            name,
        })
    }
}

/// Trusts a directory that becomes a vault here, unless it comes from somebody else as far as can be seen: it has a policy
/// already, or something that could do harm. An agent never trusts a directory that has content for its person.
pub(in crate::ops) fn adopt(session: &Session, root: &Path, is_new: bool) -> Result<()> {
    if session.is_trusted(root) {
        return Ok(());
    }
    let is_plain = session.is_person() && !exists(&root.join(POLICY_FILE)) && dangers(root).is_empty();
    if is_new || is_plain {
        return session.trust(root, TrustLevel::Full);
    }
    match session.access(root)? {
        Access::Full => Ok(()),
        Access::ReadOnly => {
            let why = "it is trusted for reading only".into();
            Err(Error::Untrusted { path: root.to_owned(), why }.into())
        }
    }
}

/// Writes the policy, the templates and the seed pages where they do not exist. Templates are in a hidden directory so
/// that they are not indexed as pages. A vault that already has a policy is left unchanged.
fn write_files(
    session: &Session,
    root: &Path,
    profile: Profile,
    format: Option<PageFormat>,
    is_adopted: bool,
) -> Result<Vec<String>> {
    if exists(&root.join(POLICY_FILE)) {
        return Ok(Vec::new());
    }
    let template = |(kind, text): &(&str, &str)| (format!(".lore/templates/{kind}.md"), (*text).to_owned());
    let now = (session.environment.clock)();
    // A vault with a daily page starts with the page of the current day.
    let day_begins = Policy::parse(profile.policy())
        .ok()
        .and_then(|policy| policy.rotate)
        .map(|rotate| *rotate.day_begins.get_ref());
    let day = day_begins.map_or_else(|| now.date(), |hour| day_of(&now, hour)).to_string();
    let seed = |(path, text): &(&str, &str)| {
        let filled = text.replace("{{date}}", &day).replace("{{actor}}", &session.environment.actor);
        ((*path).to_owned(), filled.replace("{{id}}", &new_id()))
    };
    let files = profile.templates().iter().map(template).chain(profile.seeds_in(format).iter().map(seed));
    let mut created = Vec::new();
    // The policy is written last: a vault that has one is complete.
    for (path, text) in files.chain([(POLICY_FILE.to_owned(), new_policy(profile, format, is_adopted))]) {
        if write_new(&root.join(&path), text.as_bytes())? {
            created.push(path);
        }
    }
    Ok(created)
}

/// Returns the profile's policy with an id for the new vault. Pages that were there before do not become stale unless
/// somebody asks for it.
fn new_policy(profile: Profile, format: Option<PageFormat>, is_adopted: bool) -> String {
    let policy = match is_adopted {
        true => profile.policy_in(format).replace("\nage = true\n", "\nage = false\n"),
        false => profile.policy_in(format),
    };
    let line = format!("profile = \"{}\"\n", profile.name());
    let about = "# Identifies this vault in a database, wherever it is checked out.";
    policy.replacen(&line, &format!("{about}\nid = \"{}\"\n\n{line}", new_id()), 1)
}

impl Render for InitReport {
    fn human(&self) -> String {
        let mut text = format!(
            "{} is ready at {} ({}, profile {})\n",
            self.name,
            self.path,
            count(self.pages, "page"),
            self.profile
        );
        text.extend(self.created.iter().map(|file| format!("created {file}\n")));
        if self.skipped > 0 {
            let files = count(self.skipped as u64, "file");
            text.push_str(&format!("{files} not indexed; see `lore doctor`\n"));
        }
        text
    }
}
