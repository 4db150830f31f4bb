//! A vault as one file.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _};

use lore_text::ContentHash;
use serde_json::{Value, json};
use zip::ZipArchive;

use super::archives::archive;
use super::{files, import, tree};
use crate::sandbox::{Ran, Sandbox};

/// Runs `lore` with another home, in a directory of the sandbox.
fn elsewhere(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command(arguments);
    command.env("LORE_HOME", sandbox.root.join("other")).current_dir(sandbox.root.join(folder));
    command.output().expect("lore runs").into()
}

const MORE: &[(&str, &str)] = &[
    ("garden.md", "# Garden\n\nLilacs bloom behind the wall.\n\n- market:: [[Moorings]]\n"),
    ("coast/light.md", "---\ntags: [coast]\n---\n# Lighthouse\n\nIt is white and forty metres tall.\n"),
];

fn packed(more: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("a.md", "# Moorings\n\nThe zeppelin moors at the quay.\n");
    more.iter().for_each(|(path, text)| sandbox.write(path, text));
    sandbox.run(&["init"]).exits(0);
    tree(&sandbox, "src", &[("b.md", b"# B\n\nAnvils. [[Moorings]]\n"), ("w.png", b"\x89PNG")]);
    import(&sandbox, &["../src"]);
    sandbox.run(&["edit", "a", "--append", "On Sundays."]).exits(0);
    sandbox.run(&["sync"]).exits(0);
    sandbox.run(&["pack", "../v.lorepack"]).ok();
    sandbox
}

/// Returns the whole answer to a question.
fn answer(ran: &Ran) -> Value {
    ran.json()
}

const QUESTIONS: [&str; 20] = [
    "zeppelin",
    "where are anvils",
    "when does the zeppelin moor",
    "moorings",
    "Sundays",
    "quay",
    "airship anchored at a pier",
    "blacksmith tools",
    "harbour",
    "which page is about flying",
    "b",
    "heavy iron",
    "weekend",
    "\"moors at the quay\"",
    "zeppelin quay",
    "who owns the zeppelin",
    "what is linked to moorings",
    "lilac trees",
    "the lighthouse is white",
    "when is the market",
];

#[test]
fn unpacked_vault_answers_the_same_without_embedding() {
    let sandbox = packed(MORE);
    sandbox.run(&["unpack", "../v.lorepack", "--list"]).ok().prints("vault/a.md");
    elsewhere(&sandbox, ".", &["unpack", "v.lorepack", "there"]).exits(0).prints("lore trust");
    let mut expected = files(&sandbox.vault());
    expected.retain(|path, _| {
        !path.starts_with(".git/hooks") && !path.ends_with('/') && !path.starts_with(".lore/staging")
    });
    let mut found = files(&sandbox.root.join("there"));
    found.retain(|path, _| !path.ends_with('/'));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert_eq!(found, expected);
    elsewhere(&sandbox, "there", &["status"]).exits(4);
    elsewhere(&sandbox, "there", &["trust", "."]).exits(0);
    elsewhere(&sandbox, "there", &["sync"]).exits(0);
    for question in QUESTIONS {
        assert_eq!(
            answer(&elsewhere(&sandbox, "there", &["query", question])),
            answer(&sandbox.run(&["query", question])),
            "{question}"
        );
    }
    // The ledger came along: versions, snapshots and the originals of the import.
    assert_eq!(
        elsewhere(&sandbox, "there", &["show", "a"]).json()["version"],
        sandbox.run(&["show", "a"]).json()["version"]
    );
    let imports = elsewhere(&sandbox, "there", &["imports"]).exits(0).json();
    let id = imports["imports"][0]["import_id"].as_str().expect("an id").to_owned();
    elsewhere(&sandbox, "there", &["export", "--raw", "--import-id", &id, "--dir", "../raw"]).exits(0);
    assert_eq!(files(&sandbox.root.join("raw")), files(&sandbox.root.join("src")));
    let history = |ran: Ran| ran.exits(0).json()["snapshots"].as_array().map(Vec::len);
    assert_eq!(
        history(elsewhere(&sandbox, "there", &["history", "a"])),
        history(sandbox.run(&["history", "a"]))
    );
}

#[test]
fn damaged_packs_are_refused() {
    let sandbox = packed(&[]);
    let good = fs::read(sandbox.root.join("v.lorepack")).expect("a pack");
    let refused = |bytes: &[u8]| {
        fs::write(sandbox.root.join("bad.lorepack"), bytes).expect("a file");
        elsewhere(&sandbox, ".", &["unpack", "bad.lorepack", "bad"]).exits(2).says("damaged");
        assert!(!sandbox.root.join("bad").exists());
        let left = fs::read_dir(&sandbox.root).expect("a folder").flatten();
        assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(".lore-")));
    };
    refused(&good[..good.len() / 2]);
    refused(b"PK not a pack");
    let (eighths, end) = ((1..8).map(|part| good.len() * part / 8), good.len() - 1);
    let directory = good.windows(4).position(|four| four == b"PK\x01\x02").expect("a directory");
    // A zip reader ignores the version, the time and the attributes of an entry.
    let ignored = [4, 12, 36, 38].map(|offset| directory + offset);
    for at in eighths.chain(ignored).chain([end]) {
        let mut flipped = good.clone();
        flipped[at] ^= 0x55;
        refused(&flipped);
    }
    refused(&[&good[..], b"x"].concat());
}

/// Returns a pack with other contents that is sealed like a good one.
fn repacked(good: &[u8], change: impl Fn(&mut BTreeMap<String, Vec<u8>>)) -> Vec<u8> {
    let mut zip = ZipArchive::new(Cursor::new(good)).expect("an archive");
    let mut entries = BTreeMap::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("bytes");
        entries.insert(entry.name().expect("a name").into_owned(), bytes);
    }
    let manifest = entries.remove("manifest.json").expect("a manifest");
    change(&mut entries);
    let mut manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    let item = |bytes: &Vec<u8>| json!({ "size": bytes.len(), "hash": ContentHash::of(bytes).to_string() });
    manifest["files"] = entries.iter().map(|(name, bytes)| (name.clone(), item(bytes))).collect();
    entries.insert("manifest.json".to_owned(), manifest.to_string().into_bytes());
    let list: Vec<(&str, &[u8])> =
        entries.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let mut bytes = archive(&list);
    // The comment, which the seal ends, comes after its length.
    let end = bytes.len() - 2;
    bytes.truncate(end);
    bytes.extend(71u16.to_le_bytes());
    bytes.extend(b"sha256:");
    let seal = ContentHash::of(&bytes).to_string();
    [bytes, seal.into_bytes()].concat()
}

/// Vectors belong to texts, not to vaults: what an unpacked vault brings must not be able to break another one.
#[test]
fn broken_vectors_are_not_taken() {
    let infinite = format!("x'0000807f{}'", "00".repeat(256));
    for vector in ["'text'", "zeroblob(5000000)", &infinite] {
        let sandbox = packed(MORE);
        let good = fs::read(sandbox.root.join("v.lorepack")).expect("a pack");
        let bad = repacked(&good, |entries| {
            let file = sandbox.root.join("ledger.db");
            fs::write(&file, &entries["ledger.db"]).expect("a file");
            let ledger = rusqlite::Connection::open(&file).expect("a database");
            ledger.execute(&format!("UPDATE vector SET vector = {vector}"), []).expect("vectors");
            drop(ledger);
            entries.insert("ledger.db".to_owned(), fs::read(&file).expect("a file"));
        });
        fs::write(sandbox.root.join("bad.lorepack"), bad).expect("a file");
        elsewhere(&sandbox, ".", &["unpack", "bad.lorepack", "there"]).exits(0);
        // The same text in a vault of one's own.
        fs::create_dir(sandbox.root.join("own")).expect("a directory");
        fs::copy(sandbox.vault().join("garden.md"), sandbox.root.join("own/garden.md")).expect("a page");
        elsewhere(&sandbox, "own", &["init", "--no-git"]).exits(0);
        elsewhere(&sandbox, "own", &["sync"]).exits(0);
        elsewhere(&sandbox, "own", &["query", "lilacs"]).exits(0);
        elsewhere(&sandbox, "own", &["validate", "--all"]).exits(0);
    }
}

#[test]
fn pack_bomb() {
    let sandbox = packed(&[]);
    let good = fs::read(sandbox.root.join("v.lorepack")).expect("a pack");
    let bad = repacked(&good, |entries| {
        entries.insert("vault/zeros.bin".to_owned(), vec![0; 300 * 1024 * 1024]);
    });
    fs::write(sandbox.root.join("bad.lorepack"), bad).expect("a file");
    elsewhere(&sandbox, ".", &["unpack", "bad.lorepack", "bad"]).exits(2).says("out of proportion");
    assert!(!sandbox.root.join("bad").exists());
}

#[test]
fn nothing_existing_is_touched() {
    let sandbox = packed(&[]);
    sandbox.run(&["pack", "../v.lorepack"]).exits(2).says("pass the name of a new file");
    sandbox.run(&["pack", "inside.lorepack"]).exits(2).says("inside the vault");
    fs::create_dir_all(sandbox.root.join("full")).expect("a directory");
    fs::write(sandbox.root.join("full/x"), "x").expect("a file");
    elsewhere(&sandbox, ".", &["unpack", "v.lorepack", "full"]).exits(2).says("not an empty directory");
    assert_eq!(fs::read(sandbox.root.join("full/x")).expect("a file"), b"x");
    // This database knows the vault already.
    sandbox.run(&["unpack", "../v.lorepack", "../again"]).exits(5).says("already has this vault");
    assert!(!sandbox.root.join("again").exists());
}
