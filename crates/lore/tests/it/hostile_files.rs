//! Files that a Markdown reader does not expect: each is indexed or counted as skipped, and nothing else is affected.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Creates a vault with one good page, which shows whether other pages are affected.
fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("good.md", "# Good\n\nSound and well.\n");
    sandbox
}

/// Asserts what a sync added and skipped, that the good page is found and that the index is valid.
#[track_caller]
fn check(sandbox: &Sandbox, added: Value, skipped: &[(&str, &str)]) {
    let report = sandbox.sync();
    assert_eq!(report["added"], added);
    let reported = report["skipped"].as_array().expect("a list");
    assert_eq!(reported.len(), skipped.len(), "{reported:?}");
    for (one, (path, reason)) in reported.iter().zip(skipped) {
        assert_eq!(one["path"], *path);
        assert!(one["reason"].as_str().expect("a reason").contains(reason), "{one}");
    }
    assert_eq!(sandbox.search("sound well"), ["good"]);
    sandbox.validate();
}

#[test]
fn directory_named_like_a_page_is_skipped_and_searched() {
    let sandbox = vault();
    sandbox.write("x.md/inside.md", "inside");
    check(&sandbox, json!(["good.md", "x.md/inside.md"]), &[("x.md", "directory")]);
    sandbox.run(&["get", "x"]).exits(1).says("no page matches");
    assert_eq!(sandbox.run(&["get", "x.md/inside.md"]).ok().text(), "inside");
    sandbox.pipe(&["put", "x"], b"text").exits(2).says("x.md");
}

#[test]
fn file_of_200_megabytes_is_skipped_unread() {
    let sandbox = vault();
    sandbox.write("big.md", "");
    let file = File::options().write(true).open(sandbox.vault().join("big.md")).expect("it is there");
    file.set_len(200 << 20).expect("a sparse file");
    check(&sandbox, json!(["good.md"]), &[("big.md", "209715200 bytes, over the limit")]);
    for _ in 0..3 {
        check(&sandbox, json!([]), &[("big.md", "over the limit")]);
    }
    let doctor = sandbox.run(&["doctor", "--format", "human"]).exits(5).text();
    assert!(doctor.contains("big.md cannot be indexed"), "{doctor}");
    sandbox.write("big.md", "small now");
    check(&sandbox, json!(["big.md"]), &[]);
    sandbox.run(&["doctor"]).ok();
}

#[test]
fn page_over_the_size_limit_is_not_written() {
    let sandbox = vault();
    let long = vec![b'x'; (16 << 20) + 1];
    sandbox.pipe(&["put", "good"], &long).exits(4).says("over the limit");
    assert_eq!(sandbox.read("good.md"), b"# Good\n\nSound and well.\n");
    sandbox.pipe(&["put", "long"], &long[1..]).ok();
    assert_eq!(sandbox.read("long.md").len(), 16 << 20);
}

#[test]
fn invalid_utf_8_is_indexed_and_never_rewritten() {
    let sandbox = vault();
    let latin = b"# K\xe4se\n\nJ\xfcrgen isst gern K\xe4se aus \xd6sterreich.\n";
    sandbox.write("latin.md", latin);
    sandbox.write("torn.md", b"# Torn \xf0\x9f\x98\n\nzeppelin \xff\xfe\xfd here\n");
    check(&sandbox, json!(["good.md", "latin.md", "torn.md"]), &[]);
    assert_eq!(sandbox.search("österreich"), ["latin"]);
    assert_eq!(sandbox.search("zeppelin"), ["torn"]);
    assert_eq!(sandbox.run(&["get", "latin"]).ok().out, latin);
    let shown = sandbox.run(&["show", "latin", "--format", "human"]).ok().text();
    assert!(shown.contains("not UTF-8") && shown.contains("Jürgen isst"), "{shown}");
    sandbox.run(&["edit", "latin", "--append", "x"]).exits(2).says("not UTF-8");
    assert_eq!(sandbox.read("latin.md"), latin);
}

#[test]
fn nul_bytes_are_preserved() {
    let sandbox = vault();
    let bytes = b"# Nul\n\nbefore\0after zeppelin\n";
    sandbox.write("nul.md", bytes);
    check(&sandbox, json!(["good.md", "nul.md"]), &[]);
    assert_eq!(sandbox.search("zeppelin"), ["nul"]);
    assert_eq!(sandbox.run(&["get", "nul"]).ok().out, bytes);
    let warnings = &sandbox.run(&["show", "nul", "--json"]).ok().json()["diagnostics"];
    assert!(warnings.to_string().contains("NUL"), "{warnings}");
}

#[test]
fn unclosed_frontmatter_is_a_page_with_a_warning() {
    let sandbox = vault();
    sandbox.write("open.md", "---\ntitle: Zeppelin\ntags: [a\n\n# Heading\n\nHindenburg\n");
    sandbox.write("only.md", "---\n");
    check(&sandbox, json!(["good.md", "only.md", "open.md"]), &[]);
    assert_eq!(sandbox.search("hindenburg"), ["open"]);
    let page = sandbox.run(&["show", "open", "--json"]).ok().json();
    assert!(!page["diagnostics"].as_array().expect("a list").is_empty(), "{page}");
}

#[test]
fn page_with_ten_thousand_links_keeps_them_all() {
    let sandbox = vault();
    let links: String = (0..10_000).map(|number| format!("- sees [[target {number}]]\n")).collect();
    sandbox.write("many.md", format!("# Many\n\n{links}"));
    sandbox.write("target-9999.md", "the last");
    check(&sandbox, json!(["good.md", "many.md", "target-9999.md"]), &[]);
    let status = sandbox.run(&["status"]).ok().json();
    assert_eq!((&status["links"], &status["pending_links"]), (&json!(1), &json!(9_999)));
    let links = sandbox.run(&["links", "many"]).ok().json();
    assert_eq!(links["links"].as_array().expect("a list").len(), 10_000);
    let back = sandbox.run(&["backlinks", "target-9999"]).ok().json();
    assert_eq!(back["links"][0]["line"], 10_002);
}

#[test]
fn symlinks_out_of_the_vault_are_not_followed() {
    let sandbox = vault();
    let outside = sandbox.root.join("outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("secret.md"), "the secret zeppelin").expect("a file");
    let vault = sandbox.vault();
    symlink(outside.join("secret.md"), vault.join("out.md")).expect("a link");
    symlink(outside.join("new.md"), vault.join("dangling.md")).expect("a link");
    symlink("loop.md", vault.join("loop.md")).expect("a link");
    symlink(&outside, vault.join("folder")).expect("a link");
    symlink("good.md", vault.join("same.md")).expect("a link inside the vault");
    let leaves = "is broken or leaves the vault";
    let skipped = [("dangling.md", leaves), ("loop.md", leaves), ("out.md", leaves)];
    let report = sandbox.sync();
    let mut reported: Vec<_> = report["skipped"].as_array().expect("a list").iter().collect();
    reported.sort_by_key(|one| one["path"].to_string());
    for (one, (path, reason)) in reported.iter().zip(skipped) {
        assert_eq!(
            (&one["path"], &one["reason"]),
            (&json!(path), &json!(format!("it is a symlink that {reason}")))
        );
    }
    assert_eq!(reported.len(), 3);
    assert_eq!(report["added"], json!(["good.md", "same.md"]));
    assert_eq!(sandbox.search("secret zeppelin"), Vec::<String>::new());
    let before = sandbox.files();
    for slug in ["out", "out.md", "dangling", "loop", "folder/secret", "folder/new", "folder/a/b"] {
        let ran = sandbox.pipe(&["put", slug], b"overwritten").says("error: ");
        assert!([2, 4].contains(&ran.code), "{slug}: {ran:?}");
        sandbox.run(&["get", slug]).exits(1);
        sandbox.run(&["edit", slug, "--append", "x"]).exits(1);
        sandbox.run(&["mv", "good", slug]).says("error: ");
    }
    assert_eq!(sandbox.files(), before);
}

/// Stops the other thread when dropped, also on panic.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn pages_may_vanish_during_a_sync() {
    let sandbox = vault();
    let done = AtomicBool::new(false);
    let rounds = std::thread::scope(|scope| {
        let churn = scope.spawn(|| churn(&sandbox, &done));
        let ends = StopOnDrop(&done);
        for _ in 0..25 {
            assert_eq!(sandbox.sync()["skipped"], json!([]));
            sandbox.run(&["search", "sound"]).ok();
        }
        drop(ends);
        churn.join().expect("no panic")
    });
    assert!(rounds > 10, "the files changed only {rounds} times");
    sandbox.sync();
    assert_eq!(sandbox.run(&["status"]).ok().json()["pages"], 1);
    sandbox.validate();
}

/// Repeatedly creates, moves and deletes twenty pages.
fn churn(sandbox: &Sandbox, done: &AtomicBool) -> usize {
    let [made, moved] = ["churn", "moved"].map(|name| sandbox.vault().join(name));
    for round in 0.. {
        for page in 0..20 {
            sandbox.write(&format!("churn/{page}.md"), format!("round {round} [[{}]]", page + 1));
        }
        fs::rename(&made, &moved).expect("a rename");
        fs::remove_dir_all(&moved).expect("a removal");
        if done.load(Ordering::Relaxed) {
            return round;
        }
    }
    unreachable!("the loop ends only by return")
}
