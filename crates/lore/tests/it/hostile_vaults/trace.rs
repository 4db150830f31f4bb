//! Runs commands under strace and checks every system call that starts a program, opens a file or changes a directory.
//!
//! A short run is part of the tests where strace is installed; `make stress` installs it and traces the whole corpus.

use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system calls that are traced.
const CALLS: &str = "trace=execve,execveat,open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,\
                     rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,mknod,mknodat,chmod,fchmodat,\
                     chown,lchown,fchownat";

/// Flags of an open that may change a file.
const WRITING: [&str; 5] = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"];

/// What was seen, over all traces of this process.
#[derive(Default)]
pub struct Counts {
    /// Commands and servers that were traced.
    pub commands: AtomicUsize,
    /// Processes, with the programs that they ran.
    pub programs: AtomicUsize,
    /// Files opened for reading.
    pub reads: AtomicUsize,
    /// Files opened for writing.
    pub writes: AtomicUsize,
    /// Names made, moved or removed, and modes changed.
    pub changes: AtomicUsize,
}

/// The counts of this process.
pub static COUNTS: Counts = Counts {
    commands: AtomicUsize::new(0),
    programs: AtomicUsize::new(0),
    reads: AtomicUsize::new(0),
    writes: AtomicUsize::new(0),
    changes: AtomicUsize::new(0),
};

/// Where commands may write, what they must not read, and which programs they may run.
pub struct Trace {
    root: PathBuf,
    folder: PathBuf,
    programs: Vec<PathBuf>,
    /// Where commands may write.
    own: Vec<PathBuf>,
    /// Whether a person has accepted the settings of the vault: git may borrow objects from where they say.
    is_accepted: Cell<bool>,
}

/// What a line of a trace says.
#[derive(Debug, PartialEq, Eq)]
enum Seen<'a> {
    Program(&'a str),
    Read(&'a str),
    Write(&'a str),
    /// The paths that a call names, each with the directory that it is relative to, where the trace shows it.
    Change(Vec<(Option<&'a str>, &'a str)>),
    Nothing,
}

/// Whether strace is installed and may trace.
pub fn is_available() -> bool {
    Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status().is_ok_and(|done| done.success())
}

impl Trace {
    /// Traces commands of a sandbox with this root, which may run these programs.
    pub fn new(root: &Path, programs: Vec<PathBuf>) -> Trace {
        let folder = root.join("trace");
        fs::create_dir_all(&folder).expect("a folder");
        fs::create_dir_all(root.join("tmp")).expect("a folder");
        let mut own: Vec<PathBuf> = ["v", "home", "tmp"].iter().map(|name| root.join(name)).collect();
        // The repository around a vault that is a part of it.
        own.extend(Some(root.join(".git")).filter(|repository| repository.exists()));
        Trace { root: root.to_owned(), folder, programs, own, is_accepted: Cell::new(false) }
    }

    /// Allows git to read what the settings of the vault name: a person has seen and accepted them.
    pub fn accept(&self) {
        self.is_accepted.set(true);
    }

    /// Returns the words that come before a command to trace it.
    pub fn words(&self) -> Vec<OsString> {
        let own = [
            "strace",
            "-ff",
            "-qq",
            "-y",
            "--seccomp-bpf",
            "-s",
            "4096",
            "-e",
            "signal=none",
            "-e",
            CALLS,
            "-o",
        ];
        own.iter().map(OsString::from).chain([self.folder.join("t").into_os_string()]).collect()
    }

    /// Returns the directory for temporary files.
    pub fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Checks what the last command did.
    #[track_caller]
    pub fn check(&self, what: &str) {
        COUNTS.commands.fetch_add(1, Ordering::Relaxed);
        for entry in fs::read_dir(&self.folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let text = fs::read(&path).expect("a trace");
            for line in String::from_utf8_lossy(&text).lines() {
                if let Some(complaint) = self.judge(&seen(line)) {
                    panic!("{what} {complaint}: {line}");
                }
            }
            fs::remove_file(path).expect("a file");
        }
    }

    /// Counts what was seen; returns what is wrong with it.
    fn judge(&self, seen: &Seen<'_>) -> Option<&'static str> {
        let count = |counter: &AtomicUsize| counter.fetch_add(1, Ordering::Relaxed);
        match seen {
            Seen::Nothing => None,
            Seen::Program(path) => {
                count(&COUNTS.programs);
                let is_known = self.programs.iter().any(|known| Path::new(path).starts_with(known));
                (!is_known).then_some("ran a program that is not its own")
            }
            Seen::Read(path) => {
                count(&COUNTS.reads);
                let is_outside = Path::new(path).starts_with(self.root.join("outside"));
                let is_allowed = self.is_accepted.get() || self.points_back(path);
                (is_outside && !is_allowed).then_some("read what is outside")
            }
            Seen::Write(path) => {
                count(&COUNTS.writes);
                (!self.may_write(path)).then_some("opened a file outside for writing")
            }
            Seen::Change(paths) => {
                count(&COUNTS.changes);
                let leads_out = |(folder, path): &(Option<&str>, &str)| match (path.starts_with('/'), folder)
                {
                    (true, _) => !self.may_write(path),
                    (false, Some(folder)) => {
                        !self.may_write(folder) || path.split('/').any(|name| name == "..")
                    }
                    // git changes its own files from the root of the work tree or the repository.
                    (false, None) => path.split('/').any(|name| name == ".."),
                };
                paths.iter().any(leads_out).then_some("changed what is outside")
            }
        }
    }

    /// Whether a path is one of the files in which a repository says which work tree is its own. They are compared with the
    /// `.git` file that names the repository, and not used if they differ.
    fn points_back(&self, path: &str) -> bool {
        let repository = self.root.join("outside/other/.git");
        ["gitdir", "commondir", "config"].iter().any(|name| repository.join(name) == Path::new(path))
    }

    /// Whether a path belongs to the vault, to Lore's home, to the temporary files or to no disk.
    fn may_write(&self, path: &str) -> bool {
        let path = Path::new(path.strip_suffix(" (deleted)").unwrap_or(path));
        let is_own = self.own.iter().any(|folder| path.starts_with(folder));
        is_own || !path.is_absolute() || path == Path::new("/dev/null") || path == Path::new("/dev/tty")
    }
}

/// Reads a line of a trace. Calls that failed did nothing.
fn seen(line: &str) -> Seen<'_> {
    let Some((call, rest)) = line.split_once('(') else { return Seen::Nothing };
    let Some((arguments, result)) = rest.rsplit_once(") = ") else { return Seen::Nothing };
    let arguments = arguments.trim_end();
    if result.starts_with("-1") || result.starts_with('?') {
        return Seen::Nothing;
    }
    match call {
        "execve" | "execveat" => Seen::Program(named(arguments).first().map_or("", |(_, path)| path)),
        "open" | "openat" | "openat2" | "creat" => {
            // The name of the file that was opened, with symlinks resolved.
            let path = result
                .split_once('<')
                .and_then(|(_, path)| path.rsplit_once('>'))
                .map_or("", |(path, _)| path);
            let writes = call == "creat" || WRITING.iter().any(|flag| arguments.contains(flag));
            if writes { Seen::Write(path) } else { Seen::Read(path) }
        }
        // What a symlink names is not changed.
        "symlink" | "symlinkat" => Seen::Change(named(arguments).into_iter().skip(1).collect()),
        // The first name of a link gains another name, and keeps what it has.
        _ => Seen::Change(named(arguments)),
    }
}

/// Returns the quoted paths among the arguments of a call, each with the directory before it.
fn named(arguments: &str) -> Vec<(Option<&str>, &str)> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let Some(at) = rest.find('"') {
        let before = &rest[..at];
        let folder =
            before.rsplit_once('<').and_then(|(_, folder)| folder.split_once('>')).map(|(folder, _)| folder);
        let text = &rest[at + 1..];
        let Some(end) = closing_quote(text) else { break };
        found.push((folder, &text[..end]));
        rest = &text[end + 1..];
    }
    found
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

#[test]
fn traces_are_read() {
    for (line, expected) in [
        (r#"execve("/usr/bin/git", ["git", "a \" b"], 0x7 /* 9 vars */) = 0"#, Seen::Program("/usr/bin/git")),
        (
            r#"execve("/nowhere/git", ["git"], 0x7 /* 9 vars */) = -1 ENOENT (No such file or directory)"#,
            Seen::Nothing,
        ),
        (r#"openat(AT_FDCWD</v>, "a.md", O_RDONLY|O_CLOEXEC) = 3</v/a.md>"#, Seen::Read("/v/a.md")),
        (r#"openat(4</v>, "l", O_WRONLY|O_CREAT, 0600) = 3</etc/x>"#, Seen::Write("/etc/x")),
        (r#"unlinkat(4</v/d>, "a.md", 0) = 0"#, Seen::Change(vec![(Some("/v/d"), "a.md")])),
        (
            r#"renameat2(4</v>, "a", 5</w>, "b", RENAME_NOREPLACE) = 0"#,
            Seen::Change(vec![(Some("/v"), "a"), (Some("/w"), "b")]),
        ),
        (r#"symlinkat("/etc/passwd", 4</v>, "l") = 0"#, Seen::Change(vec![(Some("/v"), "l")])),
        (r#"rename("a", "/b") = 0"#, Seen::Change(vec![(None, "a"), (None, "/b")])),
        (r#"unlink("gone") = -1 ENOENT (No such file or directory)"#, Seen::Nothing),
        ("+++ exited with 0 +++", Seen::Nothing),
    ] {
        assert_eq!(seen(line), expected, "{line}");
    }
}

#[test]
fn traces_that_lead_out_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = Trace::new(folder.path(), vec!["/usr/bin/git".into()]);
    let root = folder.path().display();
    for (line, is_fine) in [
        (format!(r#"execve("{root}/evil", ["evil"], 0x7) = 0"#), false),
        (r#"execve("/bin/sh", ["sh"], 0x7) = 0"#.to_owned(), false),
        (r#"execve("/usr/bin/git", ["git"], 0x7) = 0"#.to_owned(), true),
        (format!(r#"openat(AT_FDCWD</x>, "l", O_RDONLY) = 3<{root}/outside/secret.md>"#), false),
        (format!(r#"openat(AT_FDCWD</x>, "l", O_RDWR) = 3<{root}/v/a.md>"#), true),
        (format!(r#"openat(AT_FDCWD</x>, "l", O_RDWR) = 3<{root}/new>"#), false),
        (format!(r#"unlinkat(4<{root}/outside>, "secret.md", 0) = 0"#), false),
        (format!(r#"unlinkat(4<{root}/v>, "../outside/secret.md", 0) = 0"#), false),
        (format!(r#"rename("{root}/home/a", "{root}/home/b") = 0"#), true),
        (r#"mkdir("/etc/x", 0777) = 0"#.to_owned(), false),
    ] {
        assert_eq!(trace.judge(&seen(&line)).is_none(), is_fine, "{line}");
    }
}
