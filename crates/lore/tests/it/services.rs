//! The watcher and the server as services. The tests only print and read service files, since nothing may be started.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sandbox::Sandbox;

fn states(ran: &Value) -> Vec<(String, String)> {
    let name = |file: &Value| {
        let path = file["path"].as_str().expect("a path");
        Path::new(path).file_name().expect("a name").to_string_lossy().into_owned()
    };
    let files = ran["files"].as_array().expect("files").iter();
    files.map(|file| (name(file), file["state"].as_str().expect("a state").to_owned())).collect()
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
