//! Checks records of unfinished writes: one that this machine did not seal changes nothing, one that it sealed changes
//! only files that Lore may write, and none of them keeps Lore from answering.

#![no_main]

use std::cell::RefCell;
use std::fs;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use lore_fuzz::{OUTSIDE, Scene};
use lore_text::ContentHash;
use serde_json::{Value, json};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    sealed: bool,
    record: Record<'a>,
    news: Vec<&'a [u8]>,
}

#[derive(Debug, Arbitrary)]
enum Record<'a> {
    Bytes(&'a [u8]),
    Steps { follows: bool, steps: Vec<Step<'a>>, moved: Option<(Place<'a>, Place<'a>)> },
}

#[derive(Debug, Arbitrary)]
struct Step<'a> {
    place: Place<'a>,
    old: Hash,
    new: Hash,
}

#[derive(Debug, Arbitrary)]
enum Place<'a> {
    Known(u8),
    Path(&'a str),
}

#[derive(Debug, Clone, Copy, Arbitrary)]
enum Hash {
    None,
    /// The hash of the file that is there.
    There,
    /// The hash of the staged bytes of this step.
    Staged,
    Other,
}

const PATHS: [&str; 16] = [
    "page.md",
    "people/ada.md",
    "new.md",
    "people/new.md",
    "../diary.md",
    "out/secret.md",
    "out/new.md",
    "diary.md",
    "lore.toml",
    ".git/config",
    ".lore/templates/x.md",
    "/etc/hostname",
    "people",
    "a/../../diary.md",
    "people/.raw/ada.json",
    ".gitattributes",
];

thread_local! {
    static SCENE: RefCell<Option<Scene>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input<'_>| {
    SCENE.with_borrow_mut(|scene| {
        let scene = scene.get_or_insert_with(Scene::new);
        let before = scene.files();
        let record = record(scene, &input);
        scene.instance.leave_write("0192-fuzz", &record, input.sealed, &input.news);
        let answer = scene.instance.run("sync", json!({})).expect("an answer");
        assert!(!answer.to_string().contains(OUTSIDE), "{answer}");
        scene.check_surroundings();
        let after = scene.files();
        let changed = after.iter().filter(|file| !before.contains(file));
        let changed: Vec<_> = changed.chain(before.iter().filter(|file| !after.contains(file))).collect();
        assert!(input.sealed || changed.is_empty(), "{input:?} changed {changed:?}");
        for (path, _) in &changed {
            let path = path.strip_prefix(scene.vault()).expect("inside").to_string_lossy();
            let is_page = path.ends_with(".md") || path.contains(".raw/");
            let is_hidden = path.split('/').any(|name| name.starts_with('.') && name != ".raw");
            assert!(is_page && !is_hidden && path != "diary.md", "{input:?} changed {path}");
        }
        // Every input meets the same files.
        let staging = scene.vault().join(".lore");
        if staging.exists() {
            fs::remove_dir_all(&staging).expect("what was set aside");
        }
        for (path, _) in after.iter().filter(|file| !before.contains(file)) {
            fs::remove_file(path).expect("a file");
        }
        for (path, bytes) in before.iter().filter(|file| !after.contains(file)) {
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, bytes).expect("a file");
        }
    });
});

fn record(scene: &Scene, input: &Input<'_>) -> Vec<u8> {
    let (follows, steps, moved) = match &input.record {
        Record::Bytes(bytes) => return bytes.to_vec(),
        Record::Steps { follows, steps, moved } => (*follows, steps, moved),
    };
    let path = |place: &Place<'_>| match place {
        Place::Known(at) => PATHS[usize::from(*at) % PATHS.len()].to_owned(),
        Place::Path(path) => (*path).to_owned(),
    };
    let steps: Vec<Value> = steps
        .iter()
        .enumerate()
        .map(|(number, step)| {
            let path = path(&step.place);
            let hash = |hash: Hash| match hash {
                Hash::None => None,
                Hash::There => fs::read(scene.vault().join(&path)).ok().map(|bytes| ContentHash::of(&bytes)),
                Hash::Staged => input.news.get(number).map(|bytes| ContentHash::of(bytes)),
                Hash::Other => Some(ContentHash::of(b"other")),
            };
            let text = |hash: Option<ContentHash>| hash.map(|hash| hash.to_string());
            json!({ "path": path, "old": text(hash(step.old)), "new": text(hash(step.new)), "sole_author": true })
        })
        .collect();
    let moved: Vec<(String, String)> = moved.iter().map(|(from, to)| (path(from), path(to))).collect();
    let author = json!({ "actor": "fuzz", "face": "cli", "session": "fuzz" });
    let record = json!({ "id": "0192-fuzz", "author": author, "subject": "x", "steps": steps, "moved": moved, "follows": follows });
    record.to_string().into_bytes()
}
