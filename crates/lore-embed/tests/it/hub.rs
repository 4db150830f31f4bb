//! Downloads from a hub that works, breaks off, sends wrong files and has none.
#![expect(clippy::disallowed_methods, reason = "tests inspect the written files")]

use std::fs;
use std::path::Path;

use lore_embed::{Check, HubFile, HubModel, known_model, known_models, pull, verify};
use lore_ports::EmbedError;
use lore_text::ContentHash;
use tempfile::tempdir;

use crate::server::{Reply, Request, Server, http};

const CONFIG: &[u8] = br#"{"architectures":["BertModel"]}"#;

fn weights() -> Vec<u8> {
    (0..200_000u32).flat_map(u32::to_le_bytes).collect()
}

/// A model with one pinned file and one of unknown hash.
fn model() -> HubModel {
    let sha256 = ContentHash::of(&weights()).to_string().leak();
    let files = [
        HubFile { path: "1_Pooling/config.json", check: Check::FirstUse { most: 1000 } },
        HubFile { path: "model.safetensors", check: Check::Pinned { size: weights().len() as u64, sha256 } },
    ];
    HubModel {
        name: "tiny",
        repository: "someone/tiny",
        revision: "0123456789abcdef0123456789abcdef01234567",
        files: Vec::from(files).leak(),
    }
}

/// Serves the model's files and supports ranges.
fn serve(request: &Request, weights: &[u8]) -> Reply {
    let file = if request.head.contains("1_pooling/config.json") { CONFIG } else { weights };
    match range(request) {
        Some(start) => {
            let range = format!("Content-Range: bytes {start}-{}/{}\r\n", file.len() - 1, file.len());
            http("206 Partial Content", &range, &file[start..])
        }
        None => http("200 OK", "", file),
    }
}

fn range(request: &Request) -> Option<usize> {
    let range = request.head.lines().find_map(|line| line.strip_prefix("range: bytes="))?;
    range.strip_suffix('-')?.parse().ok()
}

/// Drops the last bytes of a response, as if the connection broke.
fn cut(reply: Reply, bytes: usize) -> Reply {
    match reply {
        Reply::Bytes(mut all) => {
            all.truncate(all.len() - bytes);
            Reply::Bytes(all)
        }
        Reply::Nothing => Reply::Nothing,
    }
}

fn is_weights(request: &Request) -> bool {
    request.head.contains("model.safetensors")
}

/// Returns the names in a directory.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".lock"))
        .collect();
    names.sort();
    names
}

fn quiet(_: u64, _: u64) {}

#[test]
fn models_are_downloaded_once_and_verified() {
    let server = Server::start(|_, request| serve(request, &weights()));
    let (into, model) = (tempdir().unwrap(), model());
    let mut progress = Vec::new();
    let folder =
        pull(&model, into.path(), &server.base, &mut |done, total| progress.push((done, total))).unwrap();
    assert_eq!(folder, into.path().join("tiny"));
    assert_eq!(fs::read(folder.join("model.safetensors")).unwrap(), weights());
    assert_eq!(fs::read(folder.join("1_Pooling/config.json")).unwrap(), CONFIG);
    assert_eq!(names(&folder), ["1_Pooling", "lore-model.json", "model.safetensors"]);
    assert_eq!(names(into.path()), ["tiny"]);
    let all = (weights().len() + CONFIG.len()) as u64;
    assert!(progress.is_sorted() && progress.iter().all(|(done, total)| done <= total), "{progress:?}");
    assert_eq!(progress.last(), Some(&(all, all)));
    let request = &server.requests()[1].head;
    assert!(
        request.starts_with(&format!("get /someone/tiny/resolve/{}/model.safetensors ", model.revision)),
        "{request}"
    );

    verify(&folder).unwrap();
    pull(&model, into.path(), &server.base, &mut quiet).unwrap();
    assert_eq!(server.requests().len(), 2, "an intact model is not downloaded again");

    fs::write(folder.join("model.safetensors"), "damaged").unwrap();
    let error = verify(&folder).unwrap_err().to_string();
    assert!(error.contains("model.safetensors") && error.contains("expected"), "{error}");
    pull(&model, into.path(), &server.base, &mut quiet).unwrap();
    verify(&folder).unwrap();
}

#[test]
fn broken_downloads_are_resumed() {
    let server = Server::start(|_, request| match range(request) {
        None if is_weights(request) => cut(serve(request, &weights()), 300_000),
        Some(start) if start < 600_000 => cut(serve(request, &weights()), 100_000),
        _ => serve(request, &weights()),
    });
    let into = tempdir().unwrap();
    let folder = pull(&model(), into.path(), &server.base, &mut quiet).unwrap();
    verify(&folder).unwrap();
    let ranges: Vec<Option<usize>> = server.requests().iter().map(range).collect();
    assert_eq!(ranges, [None, None, Some(500_000), Some(700_000)]);
}

#[test]
fn the_next_pull_resumes_the_last_one() {
    let server = Server::start(|number, request| match number {
        1 => cut(serve(request, &weights()), 300_000),
        2 => Reply::Bytes(Vec::new()),
        _ => serve(request, &weights()),
    });
    let into = tempdir().unwrap();
    let error = pull(&model(), into.path(), &server.base, &mut quiet).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { .. }), "{error}");
    assert!(!into.path().join("tiny").exists(), "an incomplete directory does not appear");
    verify(&pull(&model(), into.path(), &server.base, &mut quiet).unwrap()).unwrap();
    assert_eq!(server.requests().last().and_then(range), Some(500_000));
}

#[test]
fn hubs_without_ranges_restart_the_file() {
    let server = Server::start(|number, request| {
        let whole = Request { head: request.head.replace("range:", "no-range:"), ..request.clone() };
        let reply = serve(&whole, &weights());
        if number == 1 { cut(reply, 300_000) } else { reply }
    });
    let into = tempdir().unwrap();
    verify(&pull(&model(), into.path(), &server.base, &mut quiet).unwrap()).unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn ranges_at_the_wrong_offset_are_discarded() {
    let server = Server::start(|number, request| match number {
        1 => cut(serve(request, &weights()), 300_000),
        2 => http(
            "206 Partial Content",
            "Content-Range: bytes 400000-799999/800000\r\n",
            &weights()[400_000..],
        ),
        _ => serve(request, &weights()),
    });
    let into = tempdir().unwrap();
    verify(&pull(&model(), into.path(), &server.base, &mut quiet).unwrap()).unwrap();
    assert_eq!(server.requests().iter().map(range).next_back(), Some(None), "restarted from the beginning");
}

#[test]
fn files_with_the_wrong_hash_are_rejected() {
    let server = Server::start(|_, request| {
        let mut other = weights();
        other[7] ^= 1;
        serve(request, &other)
    });
    let into = tempdir().unwrap();
    let error = pull(&model(), into.path(), &server.base, &mut quiet).unwrap_err();
    assert!(matches!(error, EmbedError::Wrong { .. }), "{error}");
    let mut other = weights();
    other[7] ^= 1;
    for hash in [ContentHash::of(&weights()), ContentHash::of(&other)] {
        assert!(error.to_string().contains(&hash.to_string()), "{error}");
    }
    assert!(!into.path().join("tiny").exists());
    let staging = into.path().join(&names(into.path())[0]);
    assert_eq!(names(&staging), ["1_Pooling"], "the part file is removed");
}

#[test]
fn first_use_files_must_not_change() {
    let into = tempdir().unwrap();
    let good = Server::start(|_, request| serve(request, &weights()));
    let folder = pull(&model(), into.path(), &good.base, &mut quiet).unwrap();
    fs::write(folder.join("1_Pooling/config.json"), "damaged").unwrap();
    let other = Server::start(|_, request| {
        if is_weights(request) { serve(request, &weights()) } else { http("200 OK", "", b"{}") }
    });
    let error = pull(&model(), into.path(), &other.base, &mut quiet).unwrap_err();
    assert!(error.to_string().contains(&ContentHash::of(CONFIG).to_string()), "{error}");
    verify(&pull(&model(), into.path(), &good.base, &mut quiet).unwrap()).unwrap();
}

#[test]
fn oversized_files_are_rejected() {
    let announced = Server::start(|_, request| {
        let large = || cut(http("200 OK", "", &vec![0; 900_000]), 900_000);
        if is_weights(request) { large() } else { serve(request, &weights()) }
    });
    let endless = Server::start(|_, _| {
        Reply::Bytes([&b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"[..], &[b' '; 2000]].concat())
    });
    for (server, most) in [(announced, "800000 bytes"), (endless, "1000 bytes")] {
        let into = tempdir().unwrap();
        let error = pull(&model(), into.path(), &server.base, &mut quiet).unwrap_err();
        assert!(matches!(error, EmbedError::Wrong { .. }), "{error}");
        assert!(error.to_string().contains(&format!("the file is larger than {most}")), "{error}");
        assert!(!into.path().join("tiny").exists());
    }
}

#[test]
fn missing_files_are_not_retried() {
    let server = Server::start(|_, _| http("404 Not Found", "", b"Entry not found"));
    let into = tempdir().unwrap();
    let error = pull(&model(), into.path(), &server.base, &mut quiet).unwrap_err();
    assert!(
        matches!(&error, EmbedError::Model { .. }) && error.to_string().contains("status 404"),
        "{error}"
    );
    assert_eq!(server.requests().len(), 1);
    let busy = Server::start(|_, _| http("503 Service Unavailable", "", b""));
    let error = pull(&model(), into.path(), &busy.base, &mut quiet).unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { .. }), "{error}");
}

#[test]
fn redirects_of_the_hub_are_followed() {
    let store = Server::start(|_, request| serve(request, &weights()));
    let location = format!("Location: {}/1_Pooling/config.json/model.safetensors\r\n", store.base);
    let hub = Server::start(move |_, request| {
        let location = location
            .replace(if is_weights(request) { "1_Pooling/config.json/" } else { "/model.safetensors" }, "");
        http("302 Found", &location, b"")
    });
    let into = tempdir().unwrap();
    verify(&pull(&model(), into.path(), &hub.base, &mut quiet).unwrap()).unwrap();
}

#[test]
fn foreign_directories_are_not_touched() {
    let server = Server::start(|_, request| serve(request, &weights()));
    let into = tempdir().unwrap();
    fs::create_dir(into.path().join("tiny")).unwrap();
    fs::write(into.path().join("tiny/precious"), "mine").unwrap();
    let error = pull(&model(), into.path(), &server.base, &mut quiet).unwrap_err();
    assert!(error.to_string().contains("was not created by Lore"), "{error}");
    assert_eq!(names(&into.path().join("tiny")), ["precious"]);
    assert!(verify(&into.path().join("tiny")).is_err());
}

#[test]
fn records_are_checked_against_pinned_hashes() {
    let folder = tempdir().unwrap();
    let known = known_model("all-MiniLM-L6-v2").unwrap();
    let files: Vec<String> = known
        .files
        .iter()
        .map(|file| format!(r#"{{"path":"{}","size":1,"sha256":"{}"}}"#, file.path, "0".repeat(64)))
        .collect();
    let record = format!(
        r#"{{"name":"{}","repository":"{}","revision":"{}","files":[{}]}}"#,
        known.name,
        known.repository,
        known.revision,
        files.join(",")
    );
    fs::write(folder.path().join("lore-model.json"), record).unwrap();
    let error = verify(folder.path()).unwrap_err().to_string();
    assert!(error.contains("recorded SHA-256 of config.json is 0000"), "{error}");
}

#[test]
fn known_models_are_pinned() {
    for model in known_models() {
        assert_eq!(model.revision.len(), 40, "{}", model.name);
        assert!(model.repository.ends_with(model.name), "{}", model.name);
        let weights = model.files.iter().find(|file| file.path == "model.safetensors").unwrap();
        assert!(matches!(weights.check, Check::Pinned { .. }), "{}", model.name);
        for file in model.files {
            if let Check::Pinned { size, sha256 } = file.check {
                assert!(size > 0 && sha256.len() == 64, "{} {}", model.name, file.path);
                assert!(sha256.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase()));
            }
        }
    }
}
