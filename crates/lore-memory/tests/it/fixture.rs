//! A vault in a temporary directory with its index, and short helpers for what a user, an agent or a script does.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lore_engine::{
    Action, Author, Check, ContextParts, Error, Outcome, PageChange, Report, Result, ScanMode, Scope,
    VaultContext, Written, duplicate_ids, refresh, write,
};
use lore_memory::{FeatureHooks, validate};
use lore_ports::{
    EmbedError, EmbedResult, Embedder, Filter, LinkFilter, Models, Order, PageRow, Store, Window, no_progress,
};
use lore_sqlite::open;
use lore_text::estimate_tokens;
use lore_vault::VaultPath;
use tempfile::TempDir;

use super::counting_store::{Calls, CountingStore};

/// The current time of every test clock.
pub const NOW: &str = "2024-06-01T12:00:00+00:00[UTC]";

/// Mtime of the first file, in seconds since 1970: a month earlier.
const FIRST: u64 = 1_714_500_000;

/// A vault and its index.
pub struct World {
    /// Opened after the first files are written.
    pub context: VaultContext,
    folder: TempDir,
    ticks: Cell<u64>,
}

impl World {
    /// Creates a vault with these files (`-- path --`, then the text), not yet synced.
    pub fn new(files: &str) -> World {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("vault")).unwrap();
        for (path, text) in split(files).into_iter().filter(|(path, _)| path == "lore.toml") {
            fs::write(folder.path().join("vault").join(path), text).unwrap();
        }
        let context = context(folder.path(), "vault", "lore.db");
        let world = World { context, folder, ticks: Cell::new(0) };
        world.files(files);
        world
    }

    /// Creates a vault with these models, not yet synced.
    pub fn with_models(files: &str, models: Arc<dyn Models>) -> World {
        World::new(files).reopened(models)
    }

    /// Reopens the same vault and database with other models.
    pub fn reopened(mut self, models: Arc<dyn Models>) -> World {
        self.context = memory_with(self.folder.path(), "vault", "lore.db", models);
        self
    }

    /// Reopens the same vault with a store that counts its calls.
    pub fn counted(mut self) -> (World, Calls) {
        let (calls, store) = (Calls::default(), open(&self.folder.path().join("lore.db")).unwrap().store);
        let counting = CountingStore { store: Box::new(store), calls: calls.clone() };
        self.context =
            open_store(self.folder.path(), "vault", "test", Arc::new(NoModels), Box::new(counting));
        calls.borrow_mut().clear();
        (self, calls)
    }

    /// Creates a synced vault; panics if a file is skipped.
    pub fn synced(files: &str) -> World {
        let world = World::new(files);
        let report = refresh(&world.context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        world
    }

    /// Returns the absolute path of a vault path.
    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("vault").join(path)
    }

    /// Returns the path of something next to the vault.
    pub fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes files as a user would.
    pub fn files(&self, files: &str) {
        split(files).into_iter().for_each(|(path, text)| self.file(&path, text));
    }

    /// Writes a file as a user would, each one a second newer than the one before.
    pub fn file(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.ticks.set(self.ticks.get() + 1);
        let time = UNIX_EPOCH + Duration::from_secs(FIRST + self.ticks.get());
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }

    /// Returns a file's content as text.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    /// Returns a file's mtime.
    pub fn time(&self, path: &str) -> SystemTime {
        fs::metadata(self.at(path)).unwrap().modified().unwrap()
    }

    /// Removes a file as a user would.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).unwrap();
    }

    /// Moves a file as a user would.
    pub fn rename(&self, from: &str, to: &str) {
        fs::create_dir_all(self.at(to).parent().unwrap()).unwrap();
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    /// Lists every file of the vault, including hidden ones.
    pub fn listing(&self) -> String {
        let mut found = Vec::new();
        let mut folders = vec![self.at("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else {
                    found.push(path.strip_prefix(self.at("")).unwrap().to_string_lossy().into_owned());
                }
            }
        }
        found.sort();
        found.join(" ")
    }

    /// Syncs and formats the report.
    #[track_caller]
    pub fn sync(&self) -> String {
        let report = refresh(&self.context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
        assert_eq!(report.pages, Some(self.pages().len()), "the report counts the pages");
        shown(&report)
    }

    /// Reconciles only these paths and formats the report.
    pub fn sync_paths(&self, paths: &[&str]) -> String {
        let paths: BTreeSet<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        shown(&refresh(&self.context, Scope::Paths(&paths), &no_progress).unwrap())
    }

    /// Applies one change.
    pub fn change(&self, path: &str, action: Action<'_>, expected_version: Option<u64>) -> Result<Written> {
        let changes = [PageChange { path: VaultPath::known(path), action, expected_version }];
        write(&self.context, &changes).map(|mut receipt| receipt.files.remove(0))
    }

    /// Puts a page without an expected version.
    pub fn put(&self, path: &str, text: &str) -> Written {
        self.change(path, Action::Put(text.into()), None).unwrap()
    }

    /// Returns the page at a path.
    #[track_caller]
    pub fn page(&self, path: &str) -> PageRow {
        self.pages().into_iter().find(|page| page.path == path).expect(path)
    }

    /// Returns all pages, by path.
    pub fn pages(&self) -> Vec<PageRow> {
        pages(&self.context)
    }

    /// Formats the whole state: a line per page, a line per link.
    pub fn state(&self) -> String {
        state(&self.context)
    }

    /// Indexes the same vault into a new database, which knows the same former paths: no file contains them.
    pub fn fresh(&self) -> VaultContext {
        let number = self.ticks.get() + 1;
        self.ticks.set(number);
        let context = context(self.folder.path(), "vault", &format!("fresh-{number}.db"));
        let former = self.context.store().former_paths(self.context.project()).unwrap();
        let former: Vec<_> = former.iter().map(|(from, to)| (from.as_str(), Some(to.as_str()))).collect();
        context.store().set_former_paths(context.project(), &former).unwrap();
        refresh(&context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
        context
    }

    /// Opens the same vault and database once more.
    pub fn again(&self) -> VaultContext {
        context(self.folder.path(), "vault", "lore.db")
    }

    /// Checks that the index has no problems and equals a fresh one.
    #[track_caller]
    pub fn check_consistency(&self) {
        assert_eq!(problems(&self.context), [""; 0]);
        let fresh = self.fresh();
        assert_eq!(self.state(), state(&fresh), "the state differs from a fresh index");
        assert_eq!(derived(&self.context), derived(&fresh), "the rows differ from a fresh index");
    }
}

/// No models, as in a build without weights.
struct NoModels;

impl Models for NoModels {
    fn preferred(&self) -> Vec<String> {
        Vec::new()
    }

    fn open(&self, name: &str) -> EmbedResult<Arc<dyn Embedder>> {
        Err(EmbedError::Model { place: name.into(), reason: "no such model".into() })
    }

    fn is_instant(&self, _: &str) -> bool {
        false
    }

    fn count_tokens(&self, text: &str) -> usize {
        estimate_tokens(text)
    }
}

/// Opens the vault at `root`, with its database and state in `folder`.
pub fn context(folder: &Path, root: &str, database: &str) -> VaultContext {
    memory_with(folder, root, database, Arc::new(NoModels))
}

/// Opens the vault at `root` under this name.
pub fn named_context(folder: &Path, root: &str, database: &str, name: &str) -> VaultContext {
    open_context(folder, root, database, name, Arc::new(NoModels))
}

/// Opens the vault with these models.
pub fn memory_with(folder: &Path, root: &str, database: &str, models: Arc<dyn Models>) -> VaultContext {
    open_context(folder, root, database, "test", models)
}

fn open_context(
    folder: &Path,
    root: &str,
    database: &str,
    name: &str,
    models: Arc<dyn Models>,
) -> VaultContext {
    let opened = open(&folder.join(database)).unwrap();
    assert_eq!(opened.warnings, [""; 0]);
    open_store(folder, root, name, models, Box::new(opened.store))
}

fn open_store(
    folder: &Path,
    root: &str,
    name: &str,
    models: Arc<dyn Models>,
    store: Box<dyn Store>,
) -> VaultContext {
    let now: jiff::Zoned = NOW.parse().unwrap();
    let context = VaultContext::open(ContextParts {
        access: lore_engine::Access::Full,
        name: name.into(),
        root: folder.join(root),
        store,
        state: folder.join("state"),
        clock: Arc::new(move || now.clone()),
        author: Author { actor: "tester".into(), face: "test".into(), session: "s".into() },
        models,
        hooks: Arc::new(FeatureHooks),
    })
    .unwrap();
    // Tests delete all pages on purpose.
    context.accept_missing().unwrap();
    context
}

fn split(files: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in files.lines().skip_while(|line| line.is_empty()) {
        if let Some(path) = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
            found.push((path.to_owned(), String::new()));
        } else {
            let (_, text) = found.last_mut().expect("a file starts with -- path --");
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

/// Returns the problems found by every check.
pub fn problems(context: &VaultContext) -> Vec<String> {
    let checks = [Check::Database, Check::Files, Check::Links, Check::Facts, Check::Embeddings];
    let mut problems: Vec<String> =
        checks.into_iter().flat_map(|check| validate(context, check).unwrap()).collect();
    problems.extend(duplicate_ids(context).unwrap());
    problems
}

/// An edit of a page's text.
pub fn edit<'a>(edit: impl Fn(&str) -> Result<String> + 'a) -> Action<'a> {
    Action::Edit(Box::new(edit))
}

/// A move with an edit of the page's text.
pub fn move_to<'a>(path: &str, edit: impl Fn(&str) -> Result<String> + 'a) -> Action<'a> {
    Action::Move(VaultPath::known(path), Box::new(edit))
}

/// The edit that changes nothing.
pub fn same(text: &str) -> Result<String> {
    Ok(text.to_owned())
}

/// Formats a report in one line: `+added ~modified from>to -removed !skipped`.
pub fn shown(report: &Report) -> String {
    let mut parts: Vec<String> = report.added.iter().map(|path| format!("+{path}")).collect();
    parts.extend(report.modified.iter().map(|path| format!("~{path}")));
    parts.extend(report.moved.iter().map(|(from, to)| format!("{from}>{to}")));
    parts.extend(report.removed.iter().map(|path| format!("-{path}")));
    parts.extend(report.skipped.iter().map(|skipped| format!("!{} ({})", skipped.path, skipped.reason)));
    parts.join(" ")
}

/// Returns all pages, by path.
pub fn pages(context: &VaultContext) -> Vec<PageRow> {
    let all = Window { limit: 10_000, offset: 0 };
    let mut pages = context.store().list(context.project(), &Filter::default(), Order::Title, all).unwrap();
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages
}

/// Returns what the rows derive from the current files, without history.
fn derived(context: &VaultContext) -> Vec<PageRow> {
    let rows = pages(context).into_iter();
    rows.map(|row| PageRow { number: 0, id: String::new(), created: 0, version: 0, ..row }).collect()
}

/// Formats `path slug "title"`, then its links as `relation target -> path`, by line.
pub fn state(context: &VaultContext) -> String {
    let store: &dyn Store = context.store();
    let pages = pages(context);
    let path = |number: i64| pages.iter().find(|page| page.number == number).map(|page| page.path.clone());
    let mut lines = Vec::new();
    for page in &pages {
        lines.push(format!("{} {} {:?}", page.path, page.slug, page.title));
        for row in store.links(context.project(), &LinkFilter::From(&[page.number])).unwrap() {
            let to = row.to.map_or_else(|| "?".to_owned(), |to| path(to).unwrap_or_else(|| "gone".into()));
            lines.push(format!("  {} {} -> {to}", row.link.relation, row.link.target));
        }
    }
    lines.join("\n") + "\n"
}

/// Formats the result of a write in one line, or the error code.
pub fn done(result: &Result<Written>) -> String {
    match result {
        Ok(written) => {
            let outcome = match written.outcome {
                Outcome::Created => "created",
                Outcome::Updated => "updated",
                Outcome::Moved => "moved",
                Outcome::Deleted => "deleted",
                Outcome::Unchanged => "unchanged",
            };
            format!("{outcome} {} v{}", written.path, written.version)
        }
        Err(Error::Conflict { expected, current, .. }) => format!("conflict: {expected}, is {current}"),
        Err(error) => error.code().name().to_owned(),
    }
}
