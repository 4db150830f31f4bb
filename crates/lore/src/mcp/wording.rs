//! Words hints for MCP clients: an operation is a tool of the client's set, a flag is a parameter of the tool.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::tool::Tool;
use crate::ops::{self, OperationInfo};
use crate::server::Face;

/// Tools that serve the purpose of an operation without a tool of its own, best first.
const SUBSTITUTES: &[(&str, &[&str])] = &[
    ("edit", &["memory_put", "edit_note"]),
    ("get", &["memory_get", "read_note"]),
    ("put", &["write_note"]),
    ("search", &["search_notes"]),
    ("query", &["search_notes"]),
    ("list", &["list_directory"]),
];

/// The words of MCP, for a client with these tools.
#[derive(Clone)]
pub struct McpFace {
    /// The tools that the server offers.
    pub tools: Arc<[&'static Tool]>,
    /// The tool that is called.
    pub tool: Option<&'static Tool>,
}

impl Face for McpFace {
    fn name(&self) -> &'static str {
        "mcp"
    }

    fn call(&self, operation: &OperationInfo, parameters: &Map<String, Value>) -> Option<String> {
        let name = operation.tool();
        let inverted = self.tools.iter().filter_map(|tool| Some((tool, tool.invert(&name, parameters)?)));
        // The best tool is made for the operation and adds the fewest fixed parameters.
        if let Some((tool, (arguments, _))) = inverted.min_by_key(|(tool, (_, added))| {
            (ops::find(tool.schema).is_ok_and(|made| made.name != operation.name), *added)
        }) {
            let arguments =
                if arguments.is_empty() { String::new() } else { format!(" {}", Value::Object(arguments)) };
            return Some(format!("{}{arguments}", tool.name));
        }
        let (_, substitutes) =
            SUBSTITUTES.iter().find(|(known, _)| *known == name && parameters.is_empty())?;
        let offered = |name: &&&str| self.tools.iter().any(|tool| tool.name == **name);
        substitutes.iter().find(offered).map(|name| (*name).to_owned())
    }

    fn parameter(&self, _: &OperationInfo, name: &str) -> Option<String> {
        self.tool?.parameter(name).map(str::to_owned)
    }

    fn project(&self) -> &'static str {
        "`project`"
    }

    fn catalog(&self) -> &'static str {
        "tools/list"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::hints::samples;
    use crate::app::wording::Wording as _;
    use crate::mcp::tools::TOOLS;
    use crate::mcp::{Toolset, toolset};
    use crate::server::{RequestWording, assert_worded};

    fn wording(set: Toolset, tool: &str) -> RequestWording {
        let tool = TOOLS.iter().find(|known| known.name == tool);
        let face = McpFace { tools: toolset(set).into(), tool };
        RequestWording {
            face: Arc::new(face),
            grant: None,
            machine: true,
            operation: tool.and_then(|tool| ops::find(tool.schema).ok()),
        }
    }

    #[test]
    fn operations_are_tools_of_the_set() {
        for (set, command, expected) in [
            (Toolset::All, "lore search", Some("memory_search")),
            (Toolset::Notes, "lore search", Some("search_notes")),
            (Toolset::All, "lore show REF", Some("memory_get {\"slug\":\"REF\"}")),
            (Toolset::Notes, "lore show REF", Some("read_note {\"path\":\"REF\"}")),
            (Toolset::All, "lore edit", Some("memory_put")),
            (Toolset::Notes, "lore edit", Some("edit_note")),
            (Toolset::Core, "lore list", None),
            (Toolset::All, "lore compact --plan", Some("compact_plan")),
            (Toolset::All, "lore compact --apply FILE", Some("compact_apply")),
            (Toolset::All, "lore gaps --resolved", Some("memory_gaps {\"include_resolved\":true}")),
            (Toolset::All, "lore stale", Some("lifecycle")),
            (
                Toolset::All,
                "lore link-close 12 --valid-until DAY",
                Some("memory_link_close {\"link_id\":12,\"valid_until\":\"DAY\"}"),
            ),
            (Toolset::All, "lore doctor", None),
            (Toolset::All, "lore serve", None),
        ] {
            assert_eq!(wording(set, "memory_get").call(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn flags_are_parameters_of_the_called_tool() {
        let hint = "pass --expected-version, or --valid-until";
        assert_eq!(
            wording(Toolset::All, "memory_link_close").hint(hint),
            "pass `page_version`, or `valid_until`"
        );
        assert_eq!(wording(Toolset::All, "memory_tag").hint(hint), "pass `page_version`");
    }

    #[test]
    fn no_hint_has_a_flag_or_a_command_of_another_face() {
        for set in [Toolset::Core, Toolset::Notes, Toolset::Memory, Toolset::All] {
            for hint in samples::hints() {
                for tool in ["memory_put", "memory_search", "capture", "compact_apply"] {
                    assert_worded(&wording(set, tool).hint(&hint));
                }
            }
        }
    }
}
