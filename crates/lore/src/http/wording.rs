//! Words hints for HTTP clients: an operation is a POST request, a flag is a field of its body.

use serde_json::{Map, Value};

use crate::ops::OperationInfo;
use crate::server::Face;

/// The words of HTTP.
pub struct HttpFace;

impl Face for HttpFace {
    fn name(&self) -> &'static str {
        "http"
    }

    fn call(&self, operation: &OperationInfo, parameters: &Map<String, Value>) -> Option<String> {
        let mut body = parameters.clone();
        let project = match operation.parameters().iter().any(|name| name == "project") {
            true => None,
            false => body.remove("project"),
        };
        let project = project.as_ref().and_then(Value::as_str);
        let query = project.map(|name| format!("?project={name}")).unwrap_or_default();
        let body = if body.is_empty() { String::new() } else { format!(" {}", Value::Object(body)) };
        Some(format!("POST /api/{}{query}{body}", operation.tool()))
    }

    fn parameter(&self, _: &OperationInfo, name: &str) -> Option<String> {
        Some(name.to_owned())
    }

    fn project(&self) -> &'static str {
        "the query parameter `project`"
    }

    fn catalog(&self) -> &'static str {
        "GET /api/openapi.json"
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::app::access::Grant;
    use crate::app::hints::samples;
    use crate::app::wording::Wording as _;
    use crate::ops;
    use crate::server::{RequestWording, assert_worded};

    fn wording(projects: Option<Vec<String>>, writes: bool) -> RequestWording {
        let grant = Some(Grant { actor: "ada".into(), projects, writes });
        RequestWording { face: Arc::new(HttpFace), grant, machine: true, operation: ops::find("put").ok() }
    }

    #[test]
    fn operations_are_requests() {
        let wording = wording(None, true);
        for (command, expected) in [
            ("lore model list", "POST /api/model_list"),
            ("lore links REF", "POST /api/links {\"reference\":\"REF\"}"),
            ("lore links REF --project work", "POST /api/links?project=work {\"reference\":\"REF\"}"),
            ("lore --tools-json", "GET /api/openapi.json"),
        ] {
            assert_eq!(wording.call(command).as_deref(), Some(expected), "{command}");
        }
        assert_eq!(wording.call("lore serve"), None);
    }

    #[test]
    fn a_limited_token_is_not_told_to_use_the_machine() {
        let limited = wording(Some(vec!["work".into()]), false);
        assert_eq!(limited.call("lore config list"), None);
        assert_eq!(limited.call("lore edit"), None);
        assert_eq!(limited.call("lore search").as_deref(), Some("POST /api/search"));
    }

    #[test]
    fn no_hint_has_a_flag_or_a_command_of_another_face() {
        for hint in samples::hints() {
            let full = wording(None, true).hint(&hint);
            assert_worded(&full);
            assert_worded(&wording(Some(Vec::new()), false).hint(&hint));
            let foreign = full.contains("on the command line: ");
            assert!(
                !foreign || hint.contains("git ") || hint.contains("--watch") || hint.contains("lore trust"),
                "a full token can: {hint}"
            );
        }
    }
}
