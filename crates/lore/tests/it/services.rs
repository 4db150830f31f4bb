//! The watcher and the server as services. The tests only print and read service files, since nothing may be started.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sandbox::{LORE, Ran, Sandbox};

fn states(ran: &Value) -> Vec<(String, String)> {
    let name = |file: &Value| {
        let path = file["path"].as_str().expect("a path");
        let name = Path::new(path).file_name().expect("a name").to_string_lossy().into_owned();
        // The sandbox has a Lore home of its own, whose hash is part of the name.
        let (start, rest) = name.split_once('.').expect("an ending");
        rest.rsplit_once('.').map_or(name.clone(), |(_, ending)| format!("{start}.{ending}"))
    };
    let files = ran["files"].as_array().expect("files").iter();
    files.map(|file| (name(file), file["state"].as_str().expect("a state").to_owned())).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn units_of_odd_names_are_valid_and_use_the_same_database() {
    let sandbox = Sandbox::empty();
    // systemd checks that the program exists.
    let program = sandbox.root.join("a b%h\"$x\\y").join("lore");
    fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
    fs::copy(LORE, &program).expect("a copy");
    let names = ["a b", "a-b", "$HOME %h", "new\nExecStartPost=/bin/evil", "quote\"d\\", ";"];
    let mut paths = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        let vault = sandbox.root.join(format!("v{at}"));
        fs::create_dir(&vault).expect("a folder");
        sandbox.run(&["project", "add", name, &vault.to_string_lossy()]).ok();
        let mut command = Command::new(&program);
        command.args(["--project", name, "service", "install", "--watcher", "--server", "--dry-run"]);
        sandbox.isolate(&mut command);
        command.env("LORE_DB", "relative.db").env("LORE_MODELS", sandbox.root.join("models of $me"));
        fs::create_dir_all(sandbox.root.join("models of $me")).expect("a folder");
        let planned = Ran::from(command.output().expect("it runs")).ok().json();
        for file in planned["files"].as_array().expect("files") {
            let text = file["text"].as_str().expect("a text");
            let database = sandbox.root.join("relative.db");
            assert!(text.contains(&format!("LORE_DB={}", database.display())), "{text}");
            assert!(text.contains("models of $me\"") && text.contains("LORE_HOME="), "{text}");
            assert!(!text.contains("\nExecStartPost"), "{text}");
            let path = Path::new(file["path"].as_str().expect("a path"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("a unit");
            paths.push(path.to_owned());
        }
    }
    let count = paths.len();
    paths.sort();
    paths.dedup();
    assert_eq!((paths.len(), count), (names.len() * 2, names.len() * 2), "two vaults share a unit");
    // The unit tests read the files as systemd does; where it is installed, it reads them itself.
    let analyze = Path::new("/usr/bin/systemd-analyze");
    if analyze.exists() {
        let mut command = Command::new(analyze);
        sandbox.isolate(command.args(["verify", "--user", "--man=no"]).args(&paths));
        let verified = Ran::from(command.env("XDG_RUNTIME_DIR", &sandbox.root).output().expect("it runs"));
        let about_ours: Vec<&str> = verified.err.lines().filter(|line| line.contains("lore-")).collect();
        assert!(about_ours.is_empty(), "{about_ours:#?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn watcher_and_server_are_installed_only_on_request() {
    let sandbox = Sandbox::with_vault();
    let nothing = sandbox.run(&["service", "install", "--dry-run"]).ok().json();
    assert_eq!(states(&nothing), []);
    let shown = sandbox
        .run(&["service", "install", "--watcher", "--server", "127.0.0.1:7799", "--dry-run"])
        .ok()
        .json();
    let planned = |name: &str| (name.to_owned(), "planned".to_owned());
    assert_eq!(states(&shown), [planned("lore-watch-v.service"), planned("lore-serve-v.service")]);
    let text = |at: usize| shown["files"][at]["text"].as_str().expect("a text");
    assert!(text(0).contains("--project v sync --watch\nRestart=on-failure\n"), "{}", text(0));
    assert!(text(1).contains("--project v serve --http 127.0.0.1:7799\n"), "{}", text(1));
    let alone = sandbox.run(&["service", "install", "--dry-run", "--server"]).ok().json();
    assert!(alone["files"][0]["text"].as_str().expect("a text").contains("serve --http\n"), "{alone}");

    assert_eq!(states(&sandbox.run(&["service", "status"]).ok().json()), []);
    for file in shown["files"].as_array().expect("files") {
        let path = Path::new(file["path"].as_str().expect("a path"));
        assert!(path.starts_with(&sandbox.root));
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, file["text"].as_str().expect("a text")).expect("a file");
    }
    let installed = |name: &str| (name.to_owned(), "installed".to_owned());
    let there = sandbox.run(&["service", "status"]).ok().json();
    assert_eq!(states(&there), [installed("lore-watch-v.service"), installed("lore-serve-v.service")]);
    let again = sandbox.run(&["service", "install", "--dry-run"]).ok().json();
    assert_eq!(states(&again), [], "existing services are left alone unless requested");
}
