//! The modes of files: new pages follow the umask, and no change makes a private page readable.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::sandbox::Sandbox;

fn mode(sandbox: &Sandbox, path: &str) -> u32 {
    fs::metadata(sandbox.vault().join(path)).expect("a file").permissions().mode() & 0o777
}

#[test]
fn new_pages_follow_the_umask() {
    let sandbox = Sandbox::with_vault();
    for (umask, expected) in [("077", 0o600), ("027", 0o640), ("002", 0o664)] {
        let path = format!("new-{umask}.md");
        sandbox.sh(&format!("umask {umask}; echo '# New' | lore put new-{umask}")).exits(0);
        assert_eq!(mode(&sandbox, &path), expected, "{umask}");
    }
}

#[test]
fn pages_keep_their_mode() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("private.md", "# Private\n\nSee [[other]].\n");
    sandbox.write("other.md", "# Other\n\nSee [[private]].\n");
    sandbox.sh("chmod 600 private.md other.md; umask 022; lore sync").exits(0);
    sandbox.sh("umask 022; lore edit private --append more").exits(0);
    assert_eq!(mode(&sandbox, "private.md"), 0o600);
    sandbox.sh("umask 022; lore mv private deep/moved").exits(0);
    assert_eq!((mode(&sandbox, "deep/moved.md"), mode(&sandbox, "other.md")), (0o600, 0o600));
    sandbox.sh("umask 022; lore rm deep/moved --yes").exits(0);
    let history = sandbox.run(&["history", "deep/moved.md"]).ok().json();
    let newest = history["snapshots"][0]["snapshot"].as_i64().or(history["snapshots"][0]["number"].as_i64());
    let newest = newest.unwrap_or_else(|| panic!("{history}"));
    sandbox.sh(&format!("umask 022; lore restore deep/moved.md --at {newest} --yes")).exits(0);
    assert_eq!(mode(&sandbox, "deep/moved.md"), 0o600);
}

/// A move that was killed is completed by another process with another umask.
#[test]
fn recovered_moves_keep_the_mode() {
    for point in ["noted", "installed", "before-commit"] {
        let sandbox = Sandbox::with_vault();
        sandbox.write("private.md", "# Private\n");
        sandbox.sh("chmod 600 private.md; lore sync").exits(0);
        sandbox.sh(&format!("LORE_FAULT={point} lore mv private moved"));
        sandbox.sh("umask 022; lore sync").exits(0);
        let path = if sandbox.vault().join("moved.md").exists() { "moved.md" } else { "private.md" };
        assert_eq!(mode(&sandbox, path), 0o600, "{point}");
    }
}

#[test]
fn database_with_other_permissions_becomes_private() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n");
    sandbox.sync();
    for (before, kept) in [("644", 0o600), ("666", 0o600), ("440", 0o400), ("600", 0o600)] {
        sandbox.sh(&format!("chmod {before} ../home/lore.db; lore search a")).exits(0);
        assert_eq!(mode(&sandbox, "../home/lore.db"), kept, "{before}");
    }
    sandbox
        .sh("chmod 644 ../home/lore.db; touch ../home/lore.db-wal; chmod 644 ../home/lore.db-wal; lore sync")
        .exits(0);
    assert_eq!(sandbox.sh("find ../home -name 'lore.db*' -perm /077").text(), "");
    // An empty file may become a database, another program's file may not.
    sandbox.sh("umask 022; touch ../empty.db; lore --db ../empty.db status").exits(0);
    assert_eq!(mode(&sandbox, "../empty.db"), 0o600);
    sandbox.sh("umask 022; echo other >../other.db; lore --db ../other.db status").exits(5);
    assert_eq!(mode(&sandbox, "../other.db"), 0o644);
}

#[test]
fn database_copies_are_private() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n");
    sandbox.sh("umask 000; lore sync && lore db backup ../copy.db").exits(0);
    assert_eq!(mode(&sandbox, "../copy.db"), 0o600);
    sandbox.sh("echo other >../taken.db; lore db backup ../taken.db").exits(2).says("already exists");
    assert_eq!(fs::read_to_string(sandbox.root.join("taken.db")).expect("a file"), "other\n");
}
