//! Paths that lead out of the vault, seem to, or would on another system: refused by every operation that takes one,
//! on the command line and in JSON. Nothing outside is touched, even while directories are swapped for symlinks.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use lore_vault::fault::POINTS;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::invariants::{Tree, ask, tree};
use crate::sandbox::{Ran, Sandbox};

/// Characters that look like a slash or backslash.
const SLASHES: [char; 7] =
    ['\u{2044}', '\u{2215}', '\u{29f8}', '\u{ff0f}', '\u{29f5}', '\u{ff3c}', '\u{fe68}'];

/// Characters that look like one or two dots, or normalize to them.
const DOTS: [char; 6] = ['\u{2024}', '\u{2025}', '\u{ff0e}', '\u{fe52}', '\u{3002}', '\u{ff61}'];

/// Creates a vault with a page, next to a file and a directory that must not be touched.
fn guarded() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    fs::create_dir(sandbox.root.join("outside")).expect("a folder");
    fs::write(sandbox.root.join("outside/page.md"), "alive\n").expect("a file");
    fs::write(sandbox.root.join("canary.md"), "alive\n").expect("a file");
    sandbox.write("good.md", "good\n");
    sandbox.write("people/ada.md", "# Ada\n");
    sandbox.write("straße.md", "a street\n");
    sandbox.write(".git/config", "[core]\n");
    sandbox.run(&["edit", "good", "--append", "more"]).ok();
    sandbox
}

/// Returns names that every operation must refuse.
fn hostile() -> Vec<String> {
    let plain = [
        "..",
        "../canary",
        "../canary.md",
        "a/../../canary",
        "people/../../canary.md",
        "./../canary",
        "...",
        "/",
        "/etc/x",
        "/tmp/x.md",
        "//server/x",
        "~",
        "~/canary",
        "~root/x",
        "C:\\x",
        "C:/x.md",
        "c:x",
        "\\\\server\\x",
        "..\\canary.md",
        "people\\..\\..\\canary.md",
        "a\nb",
        "a\rb.md",
        "a\tb",
        "a\u{7f}b.md",
        "a\u{85}b.md",
        ".git/x",
        ".git/config",
        ".git/hooks/pre-commit",
        ".GIT/x.md",
        "people/.git/x.md",
        ".lore/x",
        ".lore/staging/x.md",
        ".hidden.md",
        "lore.toml",
        "people /x.md",
        " people/x.md",
        "people/x.md ",
        "people./x.md",
        "people/x. ",
        ".raw",
        ".raw/x.md",
        ".raw/x",
        "people/.raw/x.md",
        "people/.raw/ada.json",
        "people/.raw/../../../canary.md",
        ".raw/.raw/x.json",
        "memory://../canary",
        "memory:///etc/x",
        "memory://~/x",
    ];
    let long = ["x".repeat(300), format!("{}.md", "x".repeat(300)), format!("{}/x", "é".repeat(150))];
    let slashes = SLASHES.iter().map(|slash| format!("..{slash}canary.md"));
    let more = SLASHES.iter().map(|slash| format!("people{slash}x.md"));
    let dots = DOTS.iter().map(|dot| format!("people/{dot}{dot}/x.md"));
    let up = DOTS.iter().map(|dot| format!("{dot}{dot}/canary.md"));
    let names = plain.iter().map(ToString::to_string).chain(long);
    names.chain(slashes).chain(more).chain(dots).chain(up).collect()
}

/// Returns a call of each operation that takes a path, with this path.
fn operations(name: &str) -> Vec<Value> {
    let tool = |tool: &str, input: Value| json!({ "tool": tool, "input": input });
    vec![
        tool("put", json!({ "slug": name, "content": "dead" })),
        tool("mv", json!({ "reference": "good", "to": name })),
        tool("edit", json!({ "reference": name, "append": "dead" })),
        tool("rm", json!({ "reference": name, "yes": true })),
        tool("tag", json!({ "reference": name, "tags": ["dead"] })),
        tool("timeline_add", json!({ "reference": name, "date": "2024-01-01", "summary": "dead" })),
        tool("raw", json!({ "reference": name, "source": "x", "data": "dead" })),
        tool("restore", json!({ "reference": name, "at": 1, "yes": true })),
        tool("capture", json!({ "text": "dead", "extend": name })),
    ]
}

/// Files outside a vault: path and bytes.
type Outside = Vec<(String, Option<Vec<u8>>)>;

/// Returns everything around the vault except Lore's own files, and the vault.
fn all(sandbox: &Sandbox) -> (Outside, Tree) {
    let mut outside: Vec<(String, Option<Vec<u8>>)> = Vec::new();
    for folder in [sandbox.root.clone(), sandbox.root.join("outside")] {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.display().to_string();
            if !["/v", "/home", "/questions"].iter().any(|own| name.ends_with(own)) {
                outside.push((name, fs::read(&path).ok()));
            }
        }
    }
    outside.sort();
    let mut inside = tree(sandbox);
    inside.insert(".git/config".into(), sandbox.read(".git/config"));
    (outside, inside)
}

/// Returns the initial files around the vault.
fn untouched(sandbox: &Sandbox) -> Vec<(String, Option<Vec<u8>>)> {
    let alive = Some(b"alive\n".to_vec());
    let at = |name: &str| sandbox.root.join(name).display().to_string();
    vec![(at("canary.md"), alive.clone()), (at("outside"), None), (at("outside/page.md"), alive)]
}

#[test]
fn every_operation_refuses_hostile_paths_in_json() {
    let mut sandbox = guarded();
    let before = all(&sandbox).1;
    let mut wrong = Vec::new();
    for name in hostile().into_iter().chain(["a\0b".into(), "good\0.md".into(), "\0".into()]) {
        for (operation, answer) in operations(&name).iter().zip(ask(&sandbox, "home", &operations(&name))) {
            let refused = [1, 2, 4].contains(&answer["exit"].as_i64().unwrap_or(0))
                && answer["error"]["message"].as_str().is_some_and(|message| !message.contains("os error"))
                && answer["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty());
            let short: String = name.chars().take(40).collect();
            if !refused {
                wrong.push(format!("{} {short:?}: {answer}", operation["tool"]));
            }
        }
        let (outside, inside) = all(&sandbox);
        assert_eq!(outside, untouched(&sandbox), "{name:?} changed a file outside");
        if inside != before {
            wrong.push(format!("{name:?} left {:?}", inside.keys().collect::<Vec<_>>()));
            sandbox = guarded();
        }
    }
    assert!(wrong.is_empty(), "{} accepted:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn command_line_refuses_hostile_paths_with_a_hint() {
    let mut sandbox = guarded();
    let before = all(&sandbox).1;
    let mut wrong = Vec::new();
    for name in hostile() {
        for (command, codes) in [(&["put", &name][..], &[2, 4][..]), (&["mv", "good", &name], &[2, 4])] {
            let ran = sandbox.pipe(command, b"dead");
            let reported =
                ran.err.contains("error: ") && ran.err.contains("hint: ") && !ran.err.contains("panicked");
            if !codes.contains(&ran.code) || !reported {
                let short: String = name.chars().take(40).collect();
                wrong.push(format!("{} {short:?}: {ran:?}", command[0]));
            }
        }
        let (outside, inside) = all(&sandbox);
        assert_eq!(outside, untouched(&sandbox), "{name:?} changed a file outside");
        if inside != before {
            wrong.push(format!("{name:?} left {:?}", inside.keys().collect::<Vec<_>>()));
            sandbox = guarded();
        }
    }
    assert!(wrong.is_empty(), "{} accepted:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn title_never_moves_a_capture() {
    let sandbox = guarded();
    let (outside, _) = all(&sandbox);
    for title in hostile() {
        let ran = sandbox.run(&["capture", "Something worth keeping", "--keep", "--title", &title]);
        assert!([0, 2, 4].contains(&ran.code) && !ran.err.contains("panicked"), "{title:?}: {ran:?}");
        if ran.code == 0 {
            let path = ran.json()["path"].as_str().expect("a path").to_owned();
            let name = path.strip_prefix("captures/").unwrap_or_else(|| panic!("{title:?} became {path}"));
            let plain = !name.contains('/') && !name.starts_with('.') && name.ends_with(".md");
            assert!(plain && sandbox.vault().join(&path).is_file(), "{title:?} became {path}");
        }
    }
    assert_eq!(all(&sandbox).0, outside);
    assert_eq!(sandbox.read(".git/config"), b"[core]\n");
    let names: Vec<String> = tree(&sandbox).into_keys().filter(|path| path.starts_with('.')).collect();
    assert_eq!(names, [".git/config"; 0], "hidden files were created");
}

#[test]
fn no_two_files_differ_only_in_case() {
    let sandbox = guarded();
    for name in [
        "People/Ada",
        "People/Ada.md",
        "PEOPLE/new.md",
        "people/ADA.MD",
        "people/Ada.markdown",
        "GOOD.md",
        "Good",
        "STRASSE.md",
        "STRASSE",
        "strasse.md",
        "STRASSE/x.md",
        "good.md/x",
        "good.md/x.md",
        "people.md/../good.md",
    ] {
        for input in
            [json!({ "slug": name, "content": "# Other\n" }), json!({ "reference": "good", "to": name })]
        {
            let tool = if input["slug"].is_string() { "put" } else { "mv" };
            let ran = sandbox.run(&["call", tool, &input.to_string()]);
            assert!([0, 2, 4].contains(&ran.code), "{tool} {name}: {ran:?}");
            let files: Vec<String> = tree(&sandbox).into_keys().collect();
            let fold = |path: &String| path.to_lowercase().replace('ß', "ss");
            let folded: BTreeSet<String> = files.iter().map(fold).collect();
            assert_eq!(folded.len(), files.len(), "{tool} {name} created a case variant: {files:?}");
            if ran.code == 0 {
                // Restores the initial pages.
                sandbox.sh("rm -rf * && mkdir people && printf '# Ada\\n' > people/ada.md && printf 'good\\n' > good.md");
                sandbox.write("straße.md", "a street\n");
                sandbox.run(&["init", "--no-git"]).exits(0);
                sandbox.sync();
            }
        }
    }
}

#[test]
fn longest_file_names_are_written_or_refused_without_leftovers() {
    let sandbox = guarded();
    for length in 245..=256 {
        let name = "n".repeat(length);
        let ran = sandbox.run(&["call", "put", &json!({ "slug": name, "content": "text" }).to_string()]);
        assert!([0, 2, 4].contains(&ran.code), "{length}: {ran:?}");
        assert_eq!(sandbox.vault().join(format!("{name}.md")).is_file(), ran.code == 0, "{length}");
        assert!(
            ran.code == 0 || ran.err.contains("longer than") && ran.err.contains("hint"),
            "{length}: {ran:?}"
        );
        assert!(!sandbox.vault().join(".lore").exists(), "{length}");
    }
    sandbox.validate();
}

#[test]
fn path_longer_than_the_system_limit_is_refused() {
    let sandbox = guarded();
    let long = format!("{}x", format!("{}/", "y".repeat(250)).repeat(17));
    for (operation, answer) in operations(&long).iter().zip(ask(&sandbox, "home", &operations(&long))) {
        let tool = &operation["tool"];
        assert!([1, 2, 4].contains(&answer["exit"].as_i64().unwrap_or(0)), "{tool} was accepted");
        let message = answer["error"]["message"].to_string();
        assert!(!message.contains("os error"), "{tool}: {}", &message[message.len().saturating_sub(100)..]);
        assert!(!sandbox.vault().join("y".repeat(250)).exists(), "{tool} left directories");
    }
}

#[test]
fn path_of_thousands_of_directories_is_refused_at_once() {
    let sandbox = guarded();
    let deep = format!("{}x", "a/".repeat(3000));
    for command in
        [format!("echo dead | lore put {deep}"), format!("lore mv good {deep}"), format!("lore ls {deep}")]
    {
        // A process that takes this long would run for hours while holding the vault lock.
        let ran = sandbox.sh(&format!("echo '{command}' > ../script; timeout 20 sh ../script"));
        let short: String = command.chars().take(30).collect();
        assert!([1, 2, 4].contains(&ran.code), "{short}: {ran:?}");
        ran.says("error: ");
    }
}

#[test]
fn writes_do_not_follow_symlinks_out_of_the_vault() {
    let sandbox = guarded();
    let at = |path: &str| sandbox.vault().join(path);
    symlink("../outside", at("link")).expect("a link");
    symlink(sandbox.root.join("outside"), at("people/absolute")).expect("a link");
    symlink("../canary.md", at("out.md")).expect("a link");
    symlink("../new.md", at("dangling.md")).expect("a link");
    symlink("../../outside", at("people/.raw")).expect("a link");
    symlink("loop", at("loop")).expect("a link");
    let names = [
        "link/x",
        "link/x.md",
        "link/page.md",
        "link/page",
        "link/deep/x.md",
        "people/absolute/x.md",
        "out",
        "out.md",
        "dangling",
        "dangling.md",
        "loop/x.md",
    ];
    let before = all(&sandbox);
    for name in names {
        for (operation, answer) in operations(name).iter().zip(ask(&sandbox, "home", &operations(name))) {
            assert!([1, 2, 4].contains(&answer["exit"].as_i64().unwrap_or(0)), "{operation}: {answer}");
            assert_eq!(all(&sandbox), before, "{operation}");
        }
    }
    let raw = json!({ "tool": "raw", "input": { "reference": "people/ada", "source": "x", "data": "dead" } });
    let answer = ask(&sandbox, "home", &[raw]).remove(0);
    assert!(answer["error"].is_object(), "{answer}");
    assert_eq!(all(&sandbox), before);
}

#[test]
fn staging_directory_that_is_a_symlink_is_not_used() {
    for inner in ["", "/staging"] {
        let sandbox = guarded();
        let link = sandbox.vault().join(format!(".lore{inner}"));
        fs::create_dir_all(link.parent().expect("a folder")).expect("folders");
        symlink(sandbox.root.join("outside"), &link).expect("a link");
        let before = all(&sandbox).0;
        let ran = sandbox.pipe(&["put", "good"], b"new\n");
        assert_eq!(all(&sandbox).0, before, "{inner}: {ran:?}");
        assert!([0, 2, 4].contains(&ran.code), "{inner}: {ran:?}");
        sandbox.run(&["status"]);
        assert_eq!(all(&sandbox).0, before, "{inner}: status removes nothing that is not Lore's");
    }
}

#[test]
fn a_directory_swapped_for_a_symlink_lets_nothing_out_at_any_step() {
    for point in POINTS {
        let sandbox = guarded();
        let (folder, aside, canary) =
            (sandbox.vault().join("race"), sandbox.vault().join("aside"), sandbox.root.join("empty"));
        sandbox.write("race/page.md", "old\n");
        fs::create_dir(&canary).expect("a directory");
        let mut command = sandbox.command(&["put", "race/page", "--json"]);
        command.env("LORE_FAULT", format!("stop@{point}")).stdin(Stdio::piped());
        let mut child = sandbox.spawn(&mut command);
        child.stdin.take().expect("piped").write_all(b"text\n").expect("it reads");
        let pid = Pid::from_raw(child.id().cast_signed());
        // Blocks until the process is suspended at the point; one that ends before has not reached it.
        let status = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).expect("a child");
        assert!(matches!(status, WaitStatus::Stopped(..)), "{point} was not reached: {status:?}");
        fs::rename(&folder, &aside).expect("a rename");
        symlink(&canary, &folder).expect("a symlink");
        kill(pid, Signal::SIGCONT).expect("a child");
        let ran: Ran = child.wait_with_output().expect("it ran").into();
        assert!([0, 2, 3, 4].contains(&ran.code), "{point}: {ran:?}");
        assert_eq!(fs::read_dir(&canary).expect("a directory").count(), 0, "{point}: a file escaped");
        fs::remove_file(&folder).expect("the symlink");
        fs::rename(&aside, &folder).expect("a rename");
        sandbox.sync();
        sandbox.validate();
        assert!(!sandbox.vault().join(".lore").exists(), "{point} left its staging directory");
    }
}
