//! Refuses requests that the protocol library does not recognize: a method that does not exist, or parameters that are not
//! those of the method.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, GetPromptRequestParams,
    PaginatedRequestParams, ReadResourceRequestParams, SetLevelRequestParams, SubscribeRequestParams,
    UnsubscribeRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::ops::json_errors::in_plain_words;
use crate::ops::line_for_agents;

/// Returns the error for a request: invalid parameters if the method exists.
pub(super) fn refusal(request: &CustomRequest) -> ErrorData {
    let parameters = request.params.as_ref();
    let problem = match request.method.as_str() {
        "tools/call" => problem::<CallToolRequestParams>(parameters),
        "resources/read" => problem::<ReadResourceRequestParams>(parameters),
        "resources/subscribe" => problem::<SubscribeRequestParams>(parameters),
        "resources/unsubscribe" => problem::<UnsubscribeRequestParams>(parameters),
        "prompts/get" => problem::<GetPromptRequestParams>(parameters),
        "completion/complete" => problem::<CompleteRequestParams>(parameters),
        "logging/setLevel" => problem::<SetLevelRequestParams>(parameters),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
            problem::<PaginatedRequestParams>(parameters)
        }
        method => {
            let message = format!("unknown method {:?}", line_for_agents(method));
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
        }
    };
    let method = &request.method;
    ErrorData::invalid_params(format!("invalid parameters of {method}: {}", line_for_agents(&problem)), None)
}

/// Returns what is wrong with the parameters of a method.
fn problem<P: DeserializeOwned>(parameters: Option<&Value>) -> String {
    let parameters = parameters.cloned().unwrap_or_else(|| json!({}));
    match serde_json::from_value::<P>(parameters) {
        Err(error) => in_plain_words(&error.to_string()),
        Ok(_) => "they are not those of this method".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(method: &str, parameters: Value, code: i32, message: &str) {
        let refused = refusal(&CustomRequest::new(method, Some(parameters)));
        assert_eq!((refused.code.0, refused.message.contains(message)), (code, true), "{refused:?}");
    }

    #[test]
    fn known_methods_have_invalid_parameters_and_others_are_unknown() {
        check("tools/call", json!({ "arguments": {} }), -32602, "\"name\" is missing");
        check("tools/call", json!({ "name": "x", "arguments": [1] }), -32602, "tools/call");
        check("resources/read", json!({}), -32602, "\"uri\" is missing");
        check("resources/subscribe", json!({ "uri": 5 }), -32602, "resources/subscribe");
        check("prompts/get", json!({ "name": 1 }), -32602, "prompts/get");
        check("logging/setLevel", json!({ "level": "loud" }), -32602, "logging/setLevel");
        check("tools/list", json!({ "cursor": [] }), -32602, "tools/list");
        check("completion/complete", json!({}), -32602, "completion/complete");
        check("tools/calls", json!({}), -32601, "unknown method");
    }
}
