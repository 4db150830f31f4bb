//! Adds Lore to realistic settings and removes it again.

use expect_test::{Expect, expect};

use super::*;

fn config_paths() -> ConfigPaths {
    ConfigPaths {
        home: "/home/ada".into(),
        config: "/home/ada/.config".into(),
        claude: None,
        codex: None,
        project: "/code/app".into(),
    }
}

fn call() -> Call {
    Call {
        program: "/opt/my tools/lore".into(),
        server: vec!["serve".into()],
        before_hook: Vec::new(),
        home: None,
    }
}

fn planned(client: Client) -> Vec<FilePlan> {
    let (server, hooks) = plan(client, SettingsScope::User, &config_paths(), &call());
    files(server, hooks)
}

/// Adds Lore twice and removes it: the second time changes nothing, and other settings are never touched.
#[track_caller]
fn check(client: Client, file: usize, text: &str, expected: Expect) {
    let plans = planned(client);
    let plan = &plans[file];
    let added = plan.add(client, text).expect("valid settings");
    expected.assert_eq(&added.text.replace('\r', ""));
    assert_eq!(added.text.replace("\r\n", "").contains('\n'), !text.contains('\r'), "line endings change");
    let again = plan.add(client, &added.text).expect("valid settings");
    assert_eq!(again.text, added.text, "adding twice changes the text");
    assert!(again.created_keys.is_empty());
    assert!(plan.is_in(&added.text) && !plan.is_in(text));
    let removed = plan.remove(&added.text, &added.created_keys).expect("valid settings");
    if text.is_empty() {
        assert!(plan.is_blank(&removed), "{removed}");
    } else {
        assert_eq!(removed, text, "removal does not restore the text");
    }
}

#[test]
fn missing_file_is_created() {
    check(
        Client::Claude,
        0,
        "",
        expect![[r#"
            {
              "mcpServers": {
                "lore": {
                  "type": "stdio",
                  "command": "/opt/my tools/lore",
                  "args": ["serve"]
                }
              }
            }
        "#]],
    );
    check(
        Client::Codex,
        0,
        "",
        expect![[r#"
            [mcp_servers.lore]
            command = "/opt/my tools/lore"
            args = ["serve"]
        "#]],
    );
    check(
        Client::Cursor,
        1,
        "",
        expect![[r#"
            {
              "version": 1,
              "hooks": {
                "sessionStart": [
                  {
                    "command": "'/opt/my tools/lore' hook session-start --client cursor",
                    "timeout": 5
                  }
                ],
                "stop": [
                  {
                    "command": "'/opt/my tools/lore' hook session-end --client cursor",
                    "timeout": 5,
                    "loop_limit": 1
                  }
                ]
              }
            }
        "#]],
    );
}

#[test]
fn comments_order_and_other_servers_are_preserved() {
    check(
        Client::Zed,
        0,
        "// Zed settings\n{\n  \"theme\": \"One Dark\", // dark\n  /* servers */\n  \"context_servers\": {\n    \"other\": { \"command\": \"x\" }, // mine\n  },\n  \"vim_mode\": true,\n}\n",
        expect![[r#"
            // Zed settings
            {
              "theme": "One Dark", // dark
              /* servers */
              "context_servers": {
                "other": { "command": "x" }, // mine
                "lore": {
                  "command": "/opt/my tools/lore",
                  "args": ["serve"],
                },
              },
              "vim_mode": true,
            }
        "#]],
    );
    check(
        Client::Codex,
        0,
        "# my model\nmodel = \"o9\" # fast\n\n[mcp_servers.docs]\ncommand = \"docs\"\n\n[profiles.a]\nx = 1\n",
        expect![[r#"
            # my model
            model = "o9" # fast

            [mcp_servers.docs]
            command = "docs"

            [mcp_servers.lore]
            command = "/opt/my tools/lore"
            args = ["serve"]

            [profiles.a]
            x = 1
        "#]],
    );
    check(
        Client::Gemini,
        0,
        "{\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [\r\n\t\t\t{ \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\r\n\t\t]\r\n\t}\r\n}\r\n",
        expect![[r#"
            {
            	"hooks": {
            		"SessionStart": [
            			{ "hooks": [{ "type": "command", "command": "mine" }] },
            			{
            				"hooks": [
            					{
            						"name": "lore-session-start",
            						"type": "command",
            						"command": "'/opt/my tools/lore' hook session-start --client gemini",
            						"timeout": 5000
            					}
            				]
            			}
            		],
            		"AfterAgent": [
            			{
            				"hooks": [
            					{
            						"name": "lore-session-end",
            						"type": "command",
            						"command": "'/opt/my tools/lore' hook session-end --client gemini",
            						"timeout": 5000
            					}
            				]
            			}
            		]
            	},
            	"mcpServers": {
            		"lore": {
            			"command": "/opt/my tools/lore",
            			"args": ["serve"]
            		}
            	}
            }
        "#]],
    );
}

#[test]
fn user_keys_in_the_entry_are_preserved_and_an_old_executable_is_replaced() {
    let plan = &planned(Client::Claude)[0];
    let old = r#"{"mcpServers": {"lore": {"command": "/old/lore", "args": ["serve"], "disabled": true}}}"#;
    let new = plan.add(Client::Claude, old).expect("valid").text;
    let value: Value = serde_json::from_str(&new).expect("JSON");
    assert_eq!(value["mcpServers"]["lore"]["disabled"], true);
    assert_eq!(value["mcpServers"]["lore"]["command"], "/opt/my tools/lore");
}

#[test]
fn hook_among_other_hooks_is_replaced_and_removed_alone() {
    let plan = &planned(Client::Claude)[1];
    let theirs = r#"{"type":"command","command":"mine"}"#;
    let old = format!(
        r#"{{"hooks":{{"SessionStart":[{{"hooks":[{theirs},{{"type":"command","command":"/old/lore hook session-start"}}]}}]}}}}"#
    );
    let new = plan.add(Client::Claude, &old).expect("valid").text;
    let value: Value = serde_json::from_str(&new).expect("JSON");
    let hooks = &value["hooks"]["SessionStart"][0]["hooks"];
    assert_eq!(value["hooks"]["SessionStart"].as_array().map(Vec::len), Some(1), "{new}");
    assert_eq!(hooks[0]["command"], "mine");
    assert_eq!(hooks[1]["command"], "'/opt/my tools/lore' hook session-start --client claude");
    let removed: Value = serde_json::from_str(&plan.remove(&new, &[]).expect("valid")).expect("JSON");
    assert_eq!(removed["hooks"]["SessionStart"][0]["hooks"].to_string(), format!("[{theirs}]"));
    assert_eq!(removed["hooks"]["Stop"].to_string(), "[]", "not created by this change, so not removed");
}

#[test]
fn server_of_another_program_is_not_changed() {
    let plan = &planned(Client::Claude)[0];
    let text = r#"{"mcpServers": {"lore": {"command": "folklore"}}}"#;
    let broken = plan.add(Client::Claude, text).err().expect("refused");
    assert!(broken.message.contains("another program"), "{broken:?}");
    assert_eq!(plan.remove(text, &[]).expect("valid"), text);
}

#[test]
fn invalid_settings_are_reported_with_their_line() {
    let json = &planned(Client::Claude)[0];
    for (text, line) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", Some(2)),
        ("[1]", Some(1)),
        ("{\"mcpServers\": []}", None),
        ("{", Some(1)),
    ] {
        let broken = json.add(Client::Claude, text).err().unwrap_or_else(|| panic!("{text} is accepted"));
        assert_eq!(broken.line, line, "{text}: {broken:?}");
    }
    let toml = &planned(Client::Codex)[0];
    assert_eq!(toml.add(Client::Codex, "a = 1\nb =\n").err().and_then(|broken| broken.line), Some(2));
    assert!(toml.add(Client::Codex, "mcp_servers = 3\n").is_err());
}

#[test]
fn crlf_byte_order_marks_and_inline_tables_are_preserved() {
    let plan = &planned(Client::Codex)[0];
    let added = plan.add(Client::Codex, "a = 1\r\n\r\n[b]\r\nc = 2\r\n").expect("valid").text;
    assert!(
        added.starts_with("a = 1\r\n\r\n[b]\r\nc = 2\r\n") && !added.replace("\r\n", "").contains('\n'),
        "{added:?}"
    );
    let inline = plan.add(Client::Codex, "mcp_servers = { x = { command = \"y\" } }\n").expect("valid").text;
    assert!(inline.contains("x = { command = \"y\" }") && inline.contains("lore = {"), "{inline}");
    let with_mark = planned(Client::Claude)[0].add(Client::Claude, "\u{feff}{}").expect("valid").text;
    assert!(with_mark.starts_with("\u{feff}{"), "{with_mark}");
}

#[test]
fn plugin_matches_project_setup() {
    let call = Call { program: "lore".into(), ..call() };
    let (server, hooks) = plan(Client::Claude, SettingsScope::Project, &config_paths(), &call);
    let json = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let added = |plan: &FilePlan| json(&plan.add(Client::Claude, "").expect("valid").text);
    assert_eq!(json(include_str!("../../plugin/.mcp.json")), added(&server));
    let mut shipped = json(include_str!("../../plugin/hooks/hooks.json"));
    shipped.as_object_mut().expect("an object").remove("description");
    assert_eq!(shipped, added(&hooks.expect("Claude Code has hooks")));
    let plugin = json(include_str!("../../plugin/.claude-plugin/plugin.json"));
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let market = json(include_str!("../../../../.claude-plugin/marketplace.json"));
    assert_eq!((&market["plugins"][0]["name"], &plugin["name"]), (&"lore".into(), &"lore".into()));
    assert_eq!(market["plugins"][0]["source"], "./crates/lore/plugin");
}

#[test]
fn settings_files_of_every_client() {
    let mut table = String::new();
    for client in Client::ALL {
        for scope in [SettingsScope::User, SettingsScope::Project] {
            let (server, hooks) = plan(client, scope, &config_paths(), &call());
            let hooks = hooks.map_or("-".to_owned(), |hooks| hooks.path.display().to_string());
            table.push_str(&format!("{} {} {hooks}\n", client.word(), server.path.display()));
        }
    }
    if cfg!(target_os = "linux") {
        expect![[r#"
            claude /home/ada/.claude.json /home/ada/.claude/settings.json
            claude /code/app/.mcp.json /code/app/.claude/settings.json
            codex /home/ada/.codex/config.toml /home/ada/.codex/hooks.json
            codex /code/app/.codex/config.toml /code/app/.codex/hooks.json
            cursor /home/ada/.cursor/mcp.json /home/ada/.cursor/hooks.json
            cursor /code/app/.cursor/mcp.json /code/app/.cursor/hooks.json
            gemini /home/ada/.gemini/settings.json /home/ada/.gemini/settings.json
            gemini /code/app/.gemini/settings.json /code/app/.gemini/settings.json
            zed /home/ada/.config/zed/settings.json -
            zed /code/app/.zed/settings.json -
            vscode /home/ada/.config/Code/User/mcp.json -
            vscode /code/app/.vscode/mcp.json -
        "#]]
        .assert_eq(&table);
    }
}
