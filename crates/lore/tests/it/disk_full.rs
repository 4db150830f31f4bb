//! Disks that cannot be written: reads still work, a write fails naming the file, and existing files are unchanged.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::sandbox::{LORE, Ran, Sandbox};

fn vault() -> Sandbox {
    let sandbox = Sandbox::with_vault();
    sandbox.write("page.md", "# Page\n\nzeppelin\n");
    sandbox.write("people/ada.md", "# Ada\n");
    sandbox
}

/// Runs a shell script while the vault is read-only by its mode. Root ignores modes, so it runs the script as another
/// user.
fn read_only(sandbox: &Sandbox, script: &str) -> Ran {
    let folders = [sandbox.vault(), sandbox.vault().join("people")];
    let set = |mode| folders.iter().for_each(|folder| set_mode(folder, mode));
    set(0o555);
    let by_mode = fs::write(sandbox.vault().join("probe"), "").is_err();
    let ran = if by_mode {
        sandbox.sh(script)
    } else {
        fs::remove_file(sandbox.vault().join("probe")).expect("the probe");
        as_nobody(sandbox, script)
    };
    set(0o755);
    ran
}

/// Runs a shell script as a user who owns only a home directory, with a copy of the binary it may execute.
fn as_nobody(sandbox: &Sandbox, script: &str) -> Ran {
    const NOBODY: u32 = 65534;
    let own = tempfile::tempdir().expect("a directory");
    // Copied by another process: a file that is open for writing cannot be executed, and a process that another thread
    // starts at that moment inherits the open file.
    let copied = Command::new("install").args(["-m", "755", LORE]).arg(own.path().join("lore")).status();
    assert!(copied.expect("install runs").success());
    set_mode(own.path(), 0o777);
    set_mode(&sandbox.root, 0o755);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("lore trust --below {} >/dev/null; {script}", sandbox.root.display())]);
    sandbox.isolate(&mut command);
    command.env("PATH", format!("{}:/usr/bin:/bin", own.path().display()));
    command.env("LORE_HOME", own.path().join("home")).uid(NOBODY).gid(NOBODY);
    command.output().expect("a shell").into()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

/// Runs a shell script in a mount namespace.
fn in_namespace(sandbox: &Sandbox, script: &str) -> Ran {
    fs::write(sandbox.root.join("script"), script).expect("a file");
    sandbox.sh("unshare --user --map-root-user --mount sh ../script")
}

/// Returns whether this machine allows mount namespaces.
fn has_namespaces(sandbox: &Sandbox) -> bool {
    in_namespace(sandbox, "mount -t tmpfs tmpfs .").code == 0
}

#[test]
fn read_only_vault_can_be_read_and_write_errors_name_the_file() {
    let sandbox = vault();
    let before = sandbox.files();
    let found =
        read_only(&sandbox, "lore sync && lore search zeppelin --format brief && lore get page").exits(0);
    let text = found.text();
    assert!(text.contains("\npage.md:3  ") && text.ends_with("\n# Page\n\nzeppelin\n"), "{text}");
    for command in [
        "echo new | lore put page",
        "echo new | lore put new",
        "echo new | lore put new/folder/page",
        "lore edit page --append x",
        "lore mv page people/page",
        "lore rm page --yes",
    ] {
        let ran = read_only(&sandbox, command).exits(2).says("error: cannot write ").says("hint: ");
        assert!(ran.err.contains(&*sandbox.vault().to_string_lossy()), "{command}: {}", ran.err);
    }
    assert_eq!(sandbox.files(), before);
    sandbox.sync();
    sandbox.validate();
}

#[test]
fn full_disk_keeps_the_old_page_and_the_index() {
    let sandbox = vault();
    sandbox.sync();
    let namespaces = has_namespaces(&sandbox);
    let disk =
        if namespaces { "mount -t tmpfs -o size=64k tmpfs full".into() } else { format!("{LIMITED} 4000") };
    let script = format!(
        "head -c 4000000 /dev/zero | tr '\\0' x > ../big
         mkdir full && {disk} && cd full && touch lore.toml && echo small > page.md
         lore sync > /dev/null 2>&1
         lore put page ../../big; echo $?; cat page.md
         lore put new ../../big; echo $?; ls -A
         lore get page"
    );
    let ran = if namespaces { in_namespace(&sandbox, &script) } else { sandbox.sh(&script) };
    assert_eq!(ran.text(), "2\nsmall\n2\nlore.toml\npage.md\nsmall\n", "{}", ran.err);
    for name in ["page.md", "new.md"] {
        let path = sandbox.vault().join("full").join(name);
        assert!(ran.err.contains(&format!("error: cannot write {}", path.display())), "{}", ran.err);
    }
    assert_eq!(ran.err.contains("hint: free some disk space"), namespaces, "{}", ran.err);
}

/// `ulimit` limits every file to a few kilobytes; its signal is ignored, since a full disk sends none.
const LIMITED: &str = "trap '' XFSZ; ulimit -f";

#[test]
fn failed_write_leaves_the_old_bytes_and_no_leftovers() {
    let sandbox = vault();
    sandbox.sync();
    // The limit is far above what the index needs here.
    let big = "zeppelin ".repeat(400_000);
    fs::write(sandbox.root.join("big"), &big).expect("a file");
    for target in ["page", "new"] {
        let ran = sandbox.sh(&format!("{LIMITED} 4000; lore put {target} ../big"));
        ran.exits(2).says(&format!("cannot write {}", sandbox.vault().join(target).display()));
    }
    assert_eq!(sandbox.read("page.md"), b"# Page\n\nzeppelin\n");
    let names = sandbox.sh("ls -A . people").ok().text();
    assert_eq!(names, ".:\nlore.toml\npage.md\npeople\n\npeople:\nada.md\n");
    sandbox.validate();
    sandbox.run(&["put", "page", "../big"]).ok();
    assert_eq!(sandbox.read("page.md"), big.as_bytes());
}

#[test]
fn index_without_disk_space_recovers_later() {
    let sandbox = vault();
    for number in 0..300 {
        let text = format!("# Page {number}\n\n{}", "many different words ".repeat(40));
        sandbox.write(&format!("pages/{number}.md"), text);
    }
    for blocks in [20, 200, 400] {
        let ran = sandbox.sh(&format!("{LIMITED} {blocks}; lore sync"));
        assert!([2, 5].contains(&ran.code), "{blocks}: {ran:?}");
        ran.says("error: ").says("hint: ");
    }
    sandbox.run(&["sync"]).ok();
    assert_eq!(sandbox.run(&["status"]).ok().json()["pages"], 302);
    sandbox.validate();
}
