//! What in a repository could make git run a program or reach elsewhere: settings, hooks, borrowed objects. Read as plain
//! files, before git is ever run there.

use std::fs;
use std::path::Path;

use lore_text::{ContentHash, on_one_line};

use super::config::{self, Entry};
use super::locate::{Located, locate};
use crate::files::{exists, list_names, owner_of, real_folder};
use crate::regular::read_regular;

/// Maximum size of a hook that is hashed.
const HOOK: u64 = 16 * 1024 * 1024;

/// Maximum length of a value in a message.
const SHOWN: usize = 60;

/// Something that could do harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// What it is, such as `git setting core.fsmonitor`.
    pub what: String,
    /// Its value, for a message: one short line.
    pub shown: String,
    /// Changes whenever the thing itself changes.
    pub mark: String,
}

impl Risk {
    /// Returns a risk with a value.
    pub fn new(what: impl Into<String>, value: &str) -> Risk {
        let line = on_one_line(value);
        let mut shown: String = line.chars().filter(|letter| !letter.is_control()).take(SHOWN).collect();
        if line.chars().count() > SHOWN {
            shown.push('…');
        }
        Risk { what: what.into(), shown, mark: ContentHash::of(value.as_bytes()).to_string() }
    }
}

/// Returns what in the repository around a vault could do harm; nothing without a repository that would be used.
pub fn risks(root: &Path) -> Vec<Risk> {
    let Some(Ok(located)) = real_folder(root).as_deref().and_then(locate) else { return Vec::new() };
    let mut risks = Vec::new();
    let settings = settings(&located);
    // The work tree of a submodule; it was checked when the repository was found.
    let own_tree = |entry: &Entry| {
        let tree = || fs::canonicalize(located.git_dir.join(&entry.value)).ok();
        entry.key() == "core.worktree" && tree().as_ref() == Some(&located.top)
    };
    let harmful = settings.iter().filter(|entry| !is_harmless(entry) && !own_tree(entry));
    risks.extend(
        harmful.map(|entry| Risk::new(format!("git setting {}", on_one_line(&entry.key())), &entry.value)),
    );
    risks.extend(hooks(&located.common_dir.join("hooks")));
    let alternates = located.common_dir.join("objects/info/alternates");
    if exists(&alternates) {
        let text = read_regular(&alternates, HOOK).ok().flatten().unwrap_or_default();
        risks.push(Risk::new("objects borrowed from another repository", &String::from_utf8_lossy(&text)));
    }
    let owner = owner_of(root);
    for folder in [&located.top, &located.git_dir, &located.common_dir] {
        if owner_of(folder) != owner {
            let what = format!("the git repository of another user, {}", folder.display());
            risks.push(Risk::new(what, &format!("{:?}", owner_of(folder))));
        }
    }
    risks
}

/// The settings of a repository's own files, without the user's.
pub(super) fn settings(located: &Located) -> Vec<Entry> {
    let mut entries = config::read(&located.common_dir.join("config"));
    entries.extend(config::read(&located.git_dir.join("config.worktree")));
    if located.git_dir != located.common_dir {
        entries.extend(config::read(&located.common_dir.join("config.worktree")));
    }
    entries
}

/// Returns the hooks that git would run: executable, and not one of its samples.
fn hooks(folder: &Path) -> Vec<Risk> {
    let names = list_names(folder).unwrap_or_default();
    let hook = |name: &String| {
        let path = folder.join(name);
        let found = fs::metadata(&path).ok()?;
        if name.ends_with(".sample") || found.is_dir() || !is_executable(&found) {
            return None;
        }
        let mark = match read_regular(&path, HOOK) {
            Ok(bytes) => ContentHash::of(&bytes.unwrap_or_default()).to_string(),
            // A symlink, or something stranger.
            Err(_) => format!("{:?}", fs::read_link(&path).ok()),
        };
        Some(Risk { what: format!("git hook {}", on_one_line(name)), shown: String::new(), mark })
    };
    names.iter().filter_map(hook).collect()
}

#[cfg(unix)]
fn is_executable(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &fs::Metadata) -> bool {
    true
}

/// Names that no value makes harmful, by section. Everything that is not listed here counts as a risk: a list of harmful
/// settings would have to follow every version of git.
const HARMLESS: [(&str, &[&str]); 28] = [
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bare",
            "bigfilethreshold",
            "checkstat",
            "commentchar",
            "commitgraph",
            "compression",
            "eol",
            "filemode",
            "fscache",
            "ignorecase",
            "logallrefupdates",
            "longpaths",
            "multipackindex",
            "precomposeunicode",
            "preloadindex",
            "protecthfs",
            "protectntfs",
            "quotepath",
            "repositoryformatversion",
            "safecrlf",
            "sharedrepository",
            "splitindex",
            "symlinks",
            "trustctime",
            "untrackedcache",
            "whitespace",
        ],
    ),
    ("user", &["name", "email", "signingkey", "useconfigonly"]),
    ("author", &["name", "email"]),
    ("committer", &["name", "email"]),
    (
        "extensions",
        &[
            "objectformat",
            "compatobjectformat",
            "refstorage",
            "worktreeconfig",
            "preciousobjects",
            "noop",
            "relativeworktrees",
        ],
    ),
    ("init", &["defaultbranch", "defaultobjectformat"]),
    (
        "gc",
        &["auto", "autodetach", "autopacklimit", "pruneexpire", "reflogexpire", "reflogexpireunreachable"],
    ),
    ("maintenance", &["auto", "strategy"]),
    ("push", &["default", "followtags", "autosetupremote", "gpgsign"]),
    ("pull", &["rebase", "ff"]),
    ("fetch", &["prune", "prunetags", "writecommitgraph", "parallel"]),
    ("rebase", &["autostash", "autosquash", "updaterefs"]),
    ("merge", &["ff", "conflictstyle", "renamelimit", "renames", "log", "stat", "autostash"]),
    ("diff", &["renames", "renamelimit", "algorithm", "context", "colormoved", "mnemonicprefix", "noprefix"]),
    ("status", &["short", "branch", "showuntrackedfiles", "showstash", "submodulesummary"]),
    ("color", &["ui", "diff", "status", "branch"]),
    ("commit", &["gpgsign", "verbose", "status"]),
    ("tag", &["gpgsign", "sort"]),
    ("gpg", &["format", "mintrustlevel"]),
    ("log", &["date", "decorate", "follow", "showsignature"]),
    ("i18n", &["commitencoding", "logoutputencoding"]),
    ("index", &["version", "threads", "skiphash"]),
    ("pack", &["threads", "windowmemory", "packsizelimit", "usebitmaps"]),
    ("receive", &["denycurrentbranch", "denynonfastforwards", "denydeletes", "fsckobjects"]),
    ("transfer", &["fsckobjects", "unpacklimit"]),
    ("rerere", &["enabled", "autoupdate"]),
    ("lfs", &["repositoryformatversion"]),
    ("feature", &["manyfiles", "experimental"]),
];

/// Names below a subsection, such as `remote.origin.fetch`, that no value makes harmful.
const HARMLESS_BELOW: [(&str, &[&str]); 3] = [
    (
        "remote",
        &["fetch", "push", "tagopt", "prune", "prunetags", "skipdefaultupdate", "skipfetchall", "mirror"],
    ),
    (
        "branch",
        &["merge", "rebase", "description", "mergeoptions", "vscode-merge-base", "github-pr-owner-number"],
    ),
    ("submodule", &["active", "branch", "ignore"]),
];

/// Names whose value is an address.
const ADDRESSES: [(&str, &[&str]); 3] =
    [("remote", &["url", "pushurl"]), ("branch", &["remote", "pushremote"]), ("submodule", &["url"])];

fn is_harmless(entry: &Entry) -> bool {
    let listed = |table: &[(&str, &[&str])]| {
        table.iter().any(|(section, names)| *section == entry.section && names.contains(&entry.name.as_str()))
    };
    match &entry.subsection {
        None => listed(&HARMLESS),
        Some(_) => listed(&HARMLESS_BELOW) || listed(&ADDRESSES) && is_plain_address(&entry.value),
    }
}

/// Whether a setting that is no harmless one says how a remote is contacted: by which program, through which host.
pub(super) fn is_about_transport(entry: &Entry) -> bool {
    const SECTIONS: [&str; 7] = ["credential", "http", "protocol", "remote", "branch", "ssh", "url"];
    const CORE: [&str; 4] = ["sshcommand", "gitproxy", "askpass", "alternaterefscommand"];
    let listed = SECTIONS.contains(&entry.section.as_str());
    (listed || entry.section == "core" && CORE.contains(&entry.name.as_str())) && !is_harmless(entry)
}

/// Whether an address is a path, a host or the name of a remote: none that git hands to a program of another name, and
/// none that a command line would take for an option.
fn is_plain_address(address: &str) -> bool {
    const SCHEMES: [&str; 6] = ["https", "http", "ssh", "git", "file", "git+ssh"];
    let scheme = address.split_once("://").map(|(scheme, _)| scheme);
    !address.starts_with('-')
        && !address.contains("::")
        && !address.chars().any(char::is_control)
        && scheme.is_none_or(|scheme| SCHEMES.contains(&scheme))
        // A host or path that ssh would take for an option.
        && !address.contains("://-")
        && !address.contains(":-")
        && !address.contains("@-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_settings_are_harmless() {
        let entry = |key: &str, value: &str| {
            let (section, rest) = key.split_once('.').expect("a section");
            let (subsection, name) = match rest.rsplit_once('.') {
                Some((subsection, name)) => (Some(subsection.to_owned()), name),
                None => (None, rest),
            };
            Entry { section: section.into(), subsection, name: name.into(), value: value.into() }
        };
        for (key, value) in [
            ("core.bare", "false"),
            ("remote.origin.url", "https://example.org/a.git"),
            ("remote.origin.url", "git@example.org:a/b.git"),
            ("remote.origin.url", "../remote.git"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("branch.main.remote", "origin"),
            ("branch.a.b.merge", "refs/heads/main"),
        ] {
            assert!(is_harmless(&entry(key, value)), "{key}={value}");
        }
        for (key, value) in [
            ("core.fsmonitor", "true"),
            ("core.hookspath", "hooks"),
            ("core.sshcommand", "x"),
            ("core.worktree", "/"),
            ("core.attributesfile", "x"),
            ("include.path", "x"),
            ("includeif.gitdir:/.path", "x"),
            ("alias.status", "!x"),
            ("diff.x.textconv", "x"),
            ("diff.external", "x"),
            ("merge.x.driver", "x"),
            ("filter.x.clean", "x"),
            ("credential.helper", "x"),
            ("url.ext::x.insteadof", "https://"),
            ("remote.origin.uploadpack", "x"),
            ("remote.origin.vcs", "ext"),
            ("remote.origin.url", "ext::sh -c x"),
            ("remote.origin.url", "-oProxyCommand=x"),
            ("remote.origin.url", "ssh://-oProxyCommand=x/a"),
            ("branch.main.remote", "--upload-pack=x"),
            ("protocol.ext.allow", "always"),
            ("gpg.program", "x"),
            ("gpg.ssh.program", "x"),
            ("submodule.x.update", "!x"),
            ("extensions.partialclone", "evil"),
            ("http.proxy", "x"),
            ("unreadable config", "x"),
        ] {
            let entry = key.contains('.').then(|| entry(key, value));
            assert!(entry.is_none_or(|entry| !is_harmless(&entry)), "{key}={value}");
        }
    }
}
