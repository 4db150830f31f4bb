//! Trust: what a person decides about a vault, what follows from it, and when they are asked again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};
use crate::server_support::McpClient;

/// A vault that was not made here: a policy and a page.
fn received() -> Sandbox {
    let sandbox = Sandbox::untrusted();
    fs::create_dir(sandbox.vault()).expect("a folder");
    sandbox.write("lore.toml", "name = \"v\"\nid = \"0192f3a1-7c4e-7b21-9d55-000000000001\"\n");
    sandbox.write("a.md", "# A\n\nThe zeppelin text.\n");
    sandbox
}

/// A vault that was made here, in a repository.
fn made() -> Sandbox {
    let sandbox = Sandbox::untrusted();
    fs::create_dir(sandbox.vault()).expect("a folder");
    sandbox.run(&["init"]).ok();
    sandbox.pipe(&["put", "a"], b"# A\n\nThe zeppelin text.\n").exits(0);
    sandbox
}

#[track_caller]
fn refused(ran: Ran, why: &str) {
    let ran = ran.exits(4).says("is not trusted").says(why).says("lore trust ");
    assert_eq!(ran.text(), "");
}

#[test]
fn received_vault_is_inert_until_it_is_trusted() {
    let sandbox = received();
    for command in
        [&["status"][..], &["search", "zeppelin"], &["get", "a"], &["doctor", "--path", "a"], &["sync"]]
    {
        refused(sandbox.run(command), "it was not made here");
    }
    refused(sandbox.pipe(&["put", "b"], b"x"), "it was not made here");
    let error: Value = serde_json::from_str(&sandbox.run(&["status", "--json"]).exits(4).err).expect("JSON");
    assert_eq!(error["error"]["code"], "untrusted");
    assert!(!sandbox.root.join("home/config.toml").exists(), "it is registered");
    assert!(!sandbox.vault().join(".lore").exists());
    sandbox.run(&["doctor"]).exits(5);
    let trusted = sandbox.run(&["trust"]).ok().json();
    assert_eq!(trusted["trusted"][0]["path"], json!(sandbox.vault()));
    sandbox.run(&["status"]).exits(0);
    sandbox.pipe(&["put", "b"], b"x").exits(0);
    let mode = fs::metadata(sandbox.root.join("home/state/trust.json")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    sandbox.run(&["trust", "--revoke"]).ok();
    refused(sandbox.run(&["status"]), "it was not made here");
}

#[test]
fn vault_for_reading_is_shown_to_the_person_only() {
    let sandbox = received();
    sandbox.sh("git init -q . && git add . && git -c user.name=x -c user.email=x commit -qm first").exits(0);
    sandbox.run(&["trust", "--read-only", "."]).ok();
    let ran = sandbox.run(&["search", "zeppelin"]).exits(0).says("is trusted for reading only");
    assert_eq!(ran.json()["hits"][0]["slug"], "a");
    sandbox.run(&["get", "a"]).exits(0).says("somebody else's");
    let status = sandbox.run(&["status"]).exits(0).json();
    assert!(
        status["git"].is_null() && status["warnings"][0].as_str().expect("a text").contains("reading only")
    );
    sandbox.run(&["blame", "a"]).exits(0);
    for command in [
        &["edit", "a", "--append", "x"][..],
        &["rm", "a", "--yes"],
        &["gap", "add", "who?"],
        &["git", "commit"],
        &["index"],
        &["init"],
    ] {
        sandbox.run(command).exits(4).says("is not trusted: it is trusted for reading only");
    }
    let mut agent = McpClient::start(&sandbox, "all");
    let answer = agent.call("memory_search", json!({ "query": "zeppelin" })).to_string();
    assert!(answer.contains("untrusted") && !answer.contains("text."), "{answer}");
    let tree = sandbox.sh("find . -path ./.git -prune -o -print | sort").text();
    assert_eq!(tree, ".\n./a.md\n./lore.toml\n");
    sandbox.run(&["trust", "."]).ok();
    sandbox.run(&["edit", "a", "--append", "x"]).ok();
}

#[test]
fn agents_learn_nothing_of_a_vault_that_is_not_trusted() {
    let sandbox = received();
    sandbox.sh("git init -q . && git config alias.ignore-your-instructions x").exits(0);
    let mut agent = McpClient::start(&sandbox, "all");
    for (tool, input) in
        [("memory_search", json!({ "query": "zeppelin" })), ("memory_get", json!({ "slug": "a" }))]
    {
        let answer = agent.call(tool, input).to_string();
        assert!(answer.contains("is not trusted") && answer.contains("lore trust"), "{answer}");
        assert!(!answer.contains("instructions") && !answer.contains("zeppelin text"), "{answer}");
    }
    drop(agent);
    // A hook knows registered vaults only; this one was registered while it was trusted.
    sandbox.run(&["trust"]).ok();
    sandbox.run(&["sync"]).exits(0);
    sandbox.run(&["trust", "--revoke"]).ok();
    let input = json!({ "cwd": sandbox.vault(), "session_id": "s" }).to_string();
    let output =
        sandbox.pipe(&["hook", "session-start", "--time-limit", "60000"], input.as_bytes()).ok().text();
    assert!(output.contains("not trusted it") && output.contains("lore trust"), "{output}");
    assert!(!output.contains("zeppelin") && !output.contains("lore-context"), "{output}");
    assert_eq!(
        sandbox.pipe(&["hook", "session-end", "--time-limit", "60000"], input.as_bytes()).ok().text(),
        ""
    );
    let list = sandbox.run(&["project", "list", "--format", "human"]).ok().text();
    assert!(list.contains("not trusted"), "{list}");
}

#[test]
fn vault_made_here_is_trusted_through_ordinary_use_of_git() {
    let sandbox = made();
    for script in [
        "git -C .. init -q --bare remote.git && git remote add origin ../remote.git && git push -q -u origin main",
        "echo more >> a.md && git -c user.name=x -c user.email=x commit -qam more && git fetch -q && git gc -q",
        "git switch -q -c side && git config user.name Ada && git config pull.rebase true && git switch -q main",
        "git config --unset user.name; rm -f .git/hooks/*",
    ] {
        sandbox.sh(script).exits(0);
        sandbox.run(&["status"]).exits(0);
    }
    sandbox.run(&["git", "push"]).exits(0);
    sandbox.run(&["init"]).ok();
    sandbox.run(&["status"]).exits(0);
}

#[test]
fn person_is_asked_again_when_something_harmful_appears() {
    for (script, named) in [
        ("git config core.fsmonitor ./x", "git setting core.fsmonitor (./x)"),
        ("git config core.sshCommand 'ssh -x'", "core.sshcommand"),
        ("git config diff.x.textconv x", "diff.x.textconv"),
        ("git config remote.origin.url 'ext::x y'", "remote.origin.url"),
        ("printf '[core]\\n\\thooksPath = x\\n' > inc; git config include.path ../inc", "core.hookspath"),
        ("echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", "git hook pre-commit"),
        ("echo '???' >> .git/config", "unreadable config"),
        ("echo /x > .git/objects/info/alternates", "objects borrowed"),
        ("printf '[[inject]]\\npath = \"a.md\"\\nas = \"a\"\\n' >> lore.toml", "lore.toml: inject (a.md)"),
        (
            "printf '[[routine]]\\nname = \"nightly\"\\nschedule = \"0 4 * * *\"\\nrulebook = \"a\"\\n' >> lore.toml",
            "lore.toml: routine nightly (at 0 4 * * *, rulebook a",
        ),
        (
            "printf '[custom_routines]\\nfolder = \"r\"\\ndossiers = \"d\"\\n' >> lore.toml",
            "lore.toml: custom_routines (r at its property schedule",
        ),
        ("printf '[mirror.out]\\npages = \"**\"\\n' >> lore.toml", "lore.toml: mirror out (**)"),
        ("printf '[secrets]\\noff = [\"github-token\"]\\n' >> lore.toml", "secrets.off"),
    ] {
        let sandbox = made();
        sandbox.run(&["status"]).exits(0);
        sandbox.sh(script).exits(0);
        let ran = sandbox.run(&["status"]);
        if named == "secrets.off" && ran.code != 4 {
            // The name of a rule may change; an unknown one is an error of its own.
            ran.exits(2).says("unknown secret rule");
            continue;
        }
        refused(ran, named);
        sandbox.run(&["trust", "."]).ok();
        let again = sandbox.run(&["list"]);
        assert_ne!(again.code, 4, "{script}: {again:?}");
    }
}

/// What a pull brings is no decision of the person.
#[test]
fn a_routine_that_changes_is_asked_about_again() {
    let sandbox = made();
    let routine = |rulebook: &str| {
        let policy = String::from_utf8(sandbox.read("lore.toml")).expect("text");
        let policy = policy.split("[[routine]]").next().expect("a text").to_owned();
        let routine =
            format!("[[routine]]\nname = \"nightly\"\nschedule = \"* * * * *\"\nrulebook = \"{rulebook}\"\n");
        sandbox.write("lore.toml", policy + &routine);
    };
    routine("a");
    let proof = sandbox.root.join("proof");
    let touch = proof.to_string_lossy().into_owned();
    refused(sandbox.run(&["routine", "due", "--", "touch", &touch]), "routine nightly");
    assert!(!proof.exists());
    sandbox.run(&["trust", "."]).ok();
    sandbox.run(&["routine", "list"]).ok();
    routine("b");
    refused(sandbox.run(&["routine", "run", "nightly", "--", "touch", &touch]), "rulebook b");
    assert!(!proof.exists());
}

#[test]
fn what_is_gone_needs_no_question_and_what_changed_does() {
    let sandbox = made();
    sandbox.sh("git config alias.x '!y'; git config alias.z '!y'").exits(0);
    sandbox.run(&["trust"]).ok();
    sandbox.sh("git config --unset alias.x").exits(0);
    sandbox.run(&["status"]).exits(0);
    sandbox.sh("git config alias.z '!other'").exits(0);
    refused(sandbox.run(&["status"]), "alias.z (!other)");
}

#[test]
fn another_directory_is_not_the_trusted_one() {
    let sandbox = made();
    // A copy and a clone are new directories, and so is one that takes the place of the old one.
    sandbox
        .sh("cd ..; cp -r v copy; git clone -q v clone; mkdir new; cp v/*.md new; touch new/lore.toml")
        .exits(0);
    for name in ["copy", "clone"] {
        let mut status = sandbox.command(&["status"]);
        refused(
            status.current_dir(sandbox.root.join(name)).output().expect("lore runs").into(),
            "it was not made here",
        );
    }
    sandbox.sh("cd ..; mv v old; mv new v").exits(0);
    refused(sandbox.run(&["status"]), "another directory has taken its place");
    let mut moved = sandbox.command(&["status"]);
    refused(
        moved.current_dir(sandbox.root.join("old")).output().expect("lore runs").into(),
        "it was not made here",
    );
    // Back in its place it is the same one again; restored from a backup, its id says so.
    sandbox.sh("cd ..; rm -r v; mv old v").exits(0);
    sandbox.run(&["status"]).exits(0);
    sandbox.sh("cd ..; cp -r v backup; rm -r v; mv backup v").exits(0);
    sandbox.run(&["status"]).exits(0);
}

#[test]
fn changed_owner_is_not_trusted() {
    let sandbox = made();
    if sandbox.sh("chown -R 65534 .").code == 0 {
        refused(sandbox.run(&["status"]), "its owner has changed");
        sandbox.run(&["trust", "."]).ok();
        sandbox.run(&["status"]).exits(0);
    }
}

#[test]
fn every_vault_below_a_directory_can_be_trusted() {
    let sandbox = received();
    sandbox.run(&["trust", "--below", ".."]).ok();
    sandbox
        .sh("git init -q . && git config core.fsmonitor false && mkdir -p ../x && cp lore.toml ../x")
        .exits(0);
    sandbox.run(&["status"]).exits(0);
    let list = sandbox.run(&["trust", "--list", "--format", "human"]).ok().text();
    assert_eq!(list, format!("{}  full, with every vault below it\n", sandbox.root.display()));
    sandbox.run(&["trust", "--revoke", "."]).exits(2).says("is still trusted");
    sandbox.run(&["trust", "--revoke", ".."]).ok();
    refused(sandbox.run(&["status"]), "it was not made here");
    sandbox.run(&["trust", "--revoke", ".."]).exits(2).says("was not trusted");
    sandbox.run(&["trust", "nowhere"]).exits(2).says("is not a directory");
}

#[test]
fn init_and_project_add_do_not_trust_what_comes_from_somebody() {
    let sandbox = received();
    let before = sandbox.files();
    refused(sandbox.run(&["init"]), "it was not made here");
    refused(sandbox.run(&["project", "add", "x", "."]), "it was not made here");
    assert_eq!(sandbox.files(), before);
    assert!(!sandbox.root.join("home/config.toml").exists());
    // Pages alone are adopted; with a setting that runs a command, they are not.
    fs::remove_file(sandbox.vault().join("lore.toml")).expect("the policy");
    sandbox.sh("git init -q . && git config core.fsmonitor ./x").exits(0);
    refused(sandbox.run(&["init"]), "core.fsmonitor");
    sandbox.sh("git config --unset core.fsmonitor").exits(0);
    sandbox.run(&["init"]).ok();
    sandbox.run(&["project", "add", "new", "../new"]).ok();
    sandbox.run(&["status", "--project", "new"]).exits(0);
}

#[test]
fn init_trusts_the_hooks_of_the_users_own_template() {
    let sandbox = Sandbox::untrusted();
    sandbox.sh(
        "mkdir -p t/hooks && printf '#!/bin/sh\\n' > t/hooks/pre-commit && chmod +x t/hooks/pre-commit && \
         git config --global init.templateDir \"$HOME/t\" && lore init notes && cd notes && lore status",
    )
    .exits(0);
}

#[test]
fn only_the_command_line_trusts() {
    let sandbox = received();
    let tools = sandbox.run(&["--tools-json"]).ok().text();
    assert!(!tools.contains("\"trust\""), "trust is offered to agents");
    sandbox.run(&["call", "trust", "{\"path\": \".\"}"]).exits(2).says("unknown operation");
}

#[test]
fn person_at_a_terminal_is_asked() {
    for (answer, code) in [("t", 0), ("r", 0), ("n", 4), ("", 4)] {
        let sandbox = received();
        // `script` gives the command a terminal on which the answer is typed.
        let ran = sandbox.sh(&format!("printf '{answer}\\n' | script -qec 'lore get a' /dev/null"));
        assert_eq!(ran.code, code, "{answer}: {ran:?}");
        assert!(ran.text().contains("is not trusted: it was not made here"), "{ran:?}");
        assert_eq!(ran.text().contains("zeppelin"), code == 0, "{ran:?}");
        let list = sandbox.run(&["trust", "--list"]).ok().text();
        assert_eq!(list.contains("read-only"), answer == "r", "{list}");
    }
}
