//! `lore setup`: client settings as people keep them are changed, shown and restored.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::Value;

use crate::sandbox::{LORE, Sandbox};

/// Settings of Claude Code with many entries that are not Lore's.
const SETTINGS: &str = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\", \"env\": { \"KEY\": \"v\" } }\n  },\n  \"z\": [1,2]\n}";

fn home(sandbox: &Sandbox, path: &str) -> PathBuf {
    sandbox.root.join(path)
}

fn put(sandbox: &Sandbox, path: &str, text: &str) {
    let path = home(sandbox, path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(path, text).expect("a file");
}

fn get(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(home(sandbox, path)).expect(path)
}

fn states(value: &Value) -> Vec<&str> {
    value["files"].as_array().expect("files").iter().filter_map(|file| file["state"].as_str()).collect()
}

#[test]
fn setup_is_idempotent_and_removal_restores_every_byte() {
    let sandbox = Sandbox::empty();
    put(&sandbox, ".claude.json", SETTINGS);
    put(&sandbox, ".claude/settings.json", "{\"model\": \"x\"}");
    fs::set_permissions(home(&sandbox, ".claude.json"), fs::Permissions::from_mode(0o600)).expect("its mode");
    let files = sandbox.files();

    let shown = sandbox.run(&["setup", "claude", "--hooks", "--dry-run"]).ok().json();
    assert_eq!(states(&shown), ["planned", "planned"]);
    assert!(shown["files"][0]["diff"].as_str().expect("a diff").contains("+    \"lore\": {"), "{shown}");
    assert_eq!(sandbox.files(), files, "a dry run writes nothing");

    let done = sandbox.run(&["setup", "claude", "--hooks"]).ok().json();
    assert_eq!(states(&done), ["written", "written"]);
    let new: Value = serde_json::from_str(&get(&sandbox, ".claude.json")).expect("JSON");
    assert_eq!(new["mcpServers"]["lore"]["command"], LORE);
    assert_eq!(new["mcpServers"]["lore"]["args"], serde_json::json!(["serve"]));
    assert_eq!(new["mcpServers"]["other"]["env"]["KEY"], "v");
    assert_eq!(get(&sandbox, ".claude.json.lore-backup"), SETTINGS);
    for name in [".claude.json", ".claude.json.lore-backup"] {
        let mode = fs::metadata(home(&sandbox, name)).expect(name).permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }

    let files_after = sandbox.files();
    assert_eq!(states(&sandbox.run(&["setup", "claude", "--hooks"]).ok().json()), ["unchanged", "unchanged"]);
    assert_eq!(sandbox.files(), files_after, "a second setup changes nothing");
    let all = sandbox.run(&["setup"]).ok().json();
    assert_eq!((&all["clients"][0]["server"], &all["clients"][0]["hooks"]), (&true.into(), &true.into()));
    assert_eq!(all["clients"][1]["found"], false);

    assert_eq!(states(&sandbox.run(&["setup", "claude", "--remove"]).ok().json()), ["written", "written"]);
    assert_eq!(sandbox.files(), files, "every file is restored");
    assert_eq!(
        states(&sandbox.run(&["setup", "claude", "--remove"]).ok().json()),
        ["unchanged", "unchanged"]
    );
}

#[test]
fn rules_point_to_the_contract_and_are_removed_without_a_trace() {
    let sandbox = Sandbox::empty();
    sandbox.run(&["init", "kb", "--profile", "roam"]).ok();
    put(&sandbox, ".codex/AGENTS.md", "# Mine\n\nBe brief.\n");
    let files = sandbox.files();
    for (client, file) in [("claude", ".claude/rules/lore.md"), ("codex", ".codex/AGENTS.md")] {
        let setup = ["--project", "kb", "setup", client, "--rules"];
        sandbox.run(&setup).ok();
        let rules = get(&sandbox, file);
        for part in
            ["kb/AGENT_CONTRACT.org`", "kb/index.org`", "T1", "T2", "T3", "lore --project kb remember"]
        {
            assert!(rules.contains(part), "{client}: {part}: {rules}");
        }
        assert_eq!(states(&sandbox.run(&setup).ok().json()), ["unchanged", "unchanged"]);
        sandbox.run(&["setup", client, "--remove"]).ok();
    }
    assert_eq!(sandbox.files(), files);
    // Edits around the block stay, and a new vault replaces what is in it.
    sandbox.run(&["--project", "kb", "setup", "codex", "--rules"]).ok();
    put(&sandbox, ".codex/AGENTS.md", &format!("{}\nLater.\n", get(&sandbox, ".codex/AGENTS.md")));
    sandbox.run(&["init", "other", "--profile", "roam"]).ok();
    sandbox.run(&["--project", "other", "setup", "codex", "--rules"]).ok();
    let rules = get(&sandbox, ".codex/AGENTS.md");
    assert!(rules.contains("other/index.org`") && !rules.contains("kb/"), "{rules}");
    sandbox.run(&["setup", "codex", "--remove"]).ok();
    assert_eq!(get(&sandbox, ".codex/AGENTS.md"), "# Mine\n\nBe brief.\n\nLater.\n");
    // Shared rules have no path of this machine.
    sandbox.run(&["--project", "kb", "setup", "cursor", "--rules", "--project-scope"]).ok();
    let rules = get(&sandbox, ".cursor/rules/lore.mdc");
    assert!(rules.starts_with("---\nalwaysApply: true\n---\n"), "{rules}");
    assert!(!rules.contains(sandbox.root.to_str().expect("UTF-8")), "{rules}");
    sandbox.run(&["--project", "kb", "setup", "cursor", "--rules"]).ok().prints("use --project-scope");
}

#[test]
fn hooks_added_later_are_removed_too() {
    let sandbox = Sandbox::empty();
    put(&sandbox, ".gemini/settings.json", "{ \"theme\": \"x\" }\n");
    let files = sandbox.files();
    sandbox.run(&["setup", "gemini"]).ok();
    sandbox.run(&["setup", "gemini", "--hooks"]).ok();
    assert_eq!(get(&sandbox, ".gemini/settings.json.lore-backup"), "{ \"theme\": \"x\" }\n");
    sandbox.run(&["setup", "gemini", "--remove"]).ok();
    assert_eq!(sandbox.files(), files);
}

#[test]
fn removal_restores_settings_of_any_formatting() {
    for text in
        ["", " \n", "{ }", "{\n\n}\n", "// mine\n{ /* nothing yet */ }", "{\"a\":1}", "\u{feff}{}\r\n"]
    {
        let sandbox = Sandbox::empty();
        put(&sandbox, ".config/zed/settings.json", text);
        let files = sandbox.files();
        sandbox.run(&["setup", "zed", "--remove"]).ok();
        assert_eq!(sandbox.files(), files, "there is no entry of Lore to remove: {text:?}");
        sandbox.run(&["setup", "zed"]).ok();
        assert_ne!(sandbox.files(), files);
        sandbox.run(&["setup", "zed", "--remove"]).ok();
        assert_eq!(sandbox.files(), files, "{text:?}");
    }
}

#[test]
fn removal_keeps_later_edits() {
    let sandbox = Sandbox::empty();
    sandbox.run(&["setup", "zed"]).ok();
    let path = ".config/zed/settings.json";
    let edited = get(&sandbox, path).replacen('{', "{\n  // mine\n  \"vim_mode\": true,", 1);
    put(&sandbox, path, &edited);
    sandbox.run(&["setup", "zed", "--remove"]).ok();
    assert_eq!(get(&sandbox, path), "{\n  // mine\n  \"vim_mode\": true\n}\n");
    // A file that Lore created and nobody edited is removed.
    sandbox.run(&["setup", "vscode"]).ok();
    let done = sandbox.run(&["setup", "vscode", "--remove"]).ok().json();
    assert_eq!(states(&done), ["removed"]);
    assert!(!home(&sandbox, ".config/Code/User/mcp.json").exists());
}

#[test]
fn broken_settings_are_reported_and_no_file_is_changed() {
    let sandbox = Sandbox::empty();
    put(&sandbox, ".claude.json", SETTINGS);
    put(&sandbox, ".claude/settings.json", "{\n  \"hooks\": {\n");
    let files = sandbox.files();
    sandbox
        .run(&["setup", "claude", "--hooks"])
        .exits(2)
        .says(".claude/settings.json:")
        .says("nothing was changed");
    sandbox.run(&["setup", "claude", "--remove"]).exits(2).says(".claude/settings.json:");
    put(&sandbox, ".codex/config.toml", "model = \n");
    sandbox.run(&["setup", "codex"]).exits(2).says(".codex/config.toml:1");
    put(&sandbox, ".cursor/mcp.json", "{\"mcpServers\": {\"lore\": {\"command\": \"folklore\"}}}");
    sandbox.run(&["setup", "cursor"]).exits(2).says("another program");
    fs::remove_dir_all(home(&sandbox, ".codex")).expect("made above");
    fs::remove_dir_all(home(&sandbox, ".cursor")).expect("made above");
    assert_eq!(sandbox.files(), files);
}

#[test]
fn symlinked_settings_stay_a_symlink() {
    let sandbox = Sandbox::empty();
    put(&sandbox, "dotfiles/config.toml", "# kept in git\nmodel = \"x\"\n");
    fs::create_dir(home(&sandbox, ".codex")).expect("a folder");
    symlink("../dotfiles/config.toml", home(&sandbox, ".codex/config.toml")).expect("a link");
    sandbox.run(&["setup", "codex", "--hooks"]).ok();
    assert!(fs::symlink_metadata(home(&sandbox, ".codex/config.toml")).expect("there").is_symlink());
    let text = get(&sandbox, "dotfiles/config.toml");
    assert!(text.starts_with("# kept in git\nmodel = \"x\"\n\n[mcp_servers.lore]\n"), "{text}");
    let hooks: Value = serde_json::from_str(&get(&sandbox, ".codex/hooks.json")).expect("JSON");
    let command = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().expect("a command");
    assert!(command.ends_with("hook session-end --client codex"), "{command}");
    sandbox.run(&["setup", "codex", "--remove"]).ok();
    assert_eq!(get(&sandbox, "dotfiles/config.toml"), "# kept in git\nmodel = \"x\"\n");
    assert!(!home(&sandbox, ".codex/hooks.json").exists());
}

#[test]
fn project_settings_contain_no_local_path() {
    let sandbox = Sandbox::with_vault();
    fs::create_dir(sandbox.vault().join(".git")).expect("a stand-in for a repository");
    fs::create_dir(sandbox.vault().join("deep")).expect("a folder");
    let mut command = sandbox.command(&[
        "setup",
        "cursor",
        "--project-scope",
        "--hooks",
        "--tools",
        "core",
        "--project",
        "v",
    ]);
    let ran = command.current_dir(sandbox.vault().join("deep")).output().expect("lore runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let server: Value = serde_json::from_slice(&sandbox.read(".cursor/mcp.json")).expect("JSON");
    let expected =
        serde_json::json!({ "command": "lore", "args": ["serve", "--tools", "core", "--project", "v"] });
    assert_eq!(server["mcpServers"]["lore"], expected);
    let hooks: Value = serde_json::from_slice(&sandbox.read(".cursor/hooks.json")).expect("JSON");
    assert_eq!(
        hooks["hooks"]["sessionStart"][0]["command"],
        "lore --project v hook session-start --client cursor"
    );
    assert_eq!(hooks["version"], 1);
}

#[test]
fn clients_without_hooks_and_unknown_clients_are_reported() {
    let sandbox = Sandbox::empty();
    let done = sandbox.run(&["setup", "zed", "--hooks"]).ok().json();
    assert!(done["notes"][0].as_str().expect("a note").contains("Zed has no hooks"), "{done}");
    sandbox.run(&["setup", "claude-code", "--dry-run"]).ok();
    sandbox.run(&["setup", "emacs"]).exits(2).says("claude");
    sandbox.run(&["setup", "zed", "--tools", "some"]).exits(2).says("core, notes, memory or all");
}
