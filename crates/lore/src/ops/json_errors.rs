//! Words what the JSON reader says about values in the terms of JSON instead of Rust.

/// Maximum number of characters of a value that an error shows.
const SHOWN: usize = 60;

/// Returns an error of the reader in plain words: `expected a list, not the string "plans"`.
pub(crate) fn in_plain_words(error: &str) -> String {
    let (what, place) = match error.rsplit_once(" at line ") {
        Some((what, place)) if place.split_once(" column ").is_some() => (what, format!(" at line {place}")),
        _ => (error, String::new()),
    };
    let worded = ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|start| {
        let (value, kind) = what.strip_prefix(start)?.rsplit_once(", expected ")?;
        let value =
            if start.starts_with("invalid length") { format!("{value} of them") } else { given(value) };
        Some(format!("expected {}, not {value}", expected(kind)))
    });
    format!("{}{place}", worded.or_else(|| about_a_name(what)).unwrap_or_else(|| what.to_owned()))
}

/// Words an error about a name: of a field, or of one of several values.
fn about_a_name(what: &str) -> Option<String> {
    if what.starts_with("data did not match any variant") {
        return Some("the value has none of the accepted forms".into());
    }
    if let Some(name) = what.strip_prefix("missing field ") {
        return Some(format!("{} is missing", quoted(name)));
    }
    if let Some(name) = what.strip_prefix("duplicate field ") {
        return Some(format!("{} is given twice", quoted(name)));
    }
    let kinds = [("unknown variant ", "unknown value"), ("unknown field ", "unknown field")];
    kinds.iter().find_map(|(start, kind)| {
        let (name, known) = what.strip_prefix(start)?.split_once(", ")?;
        let known = known.trim_start_matches("expected ").trim_start_matches("one of ").replace('`', "");
        Some(format!("{kind} {}, expected {known}", quoted(name)))
    })
}

/// Names the expected type.
fn expected(kind: &str) -> String {
    let plain = match kind {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number of 0 or more",
        "isize" | "i64" | "i32" | "i16" | "i8" => "a whole number",
        "f64" | "f32" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "path string" => "a path",
        "string or map" | "map with a single key" | "variant identifier" | "a borrowed string" => "a string",
        _ if ["struct ", "internally tagged enum ", "adjacently tagged enum "]
            .iter()
            .any(|start| kind.starts_with(start)) =>
        {
            "an object"
        }
        _ if kind.starts_with("enum ") => "a string",
        _ if kind.starts_with("a tuple") || kind.starts_with("tuple ") => "a list",
        other => other,
    };
    plain.to_owned()
}

/// Names a value as the reader does, in the terms of JSON.
fn given(value: &str) -> String {
    match value {
        "sequence" => "a list".into(),
        "map" => "an object".into(),
        "null" | "unit value" | "Option value" => "null".into(),
        _ => match value.split_once('`') {
            Some((kind, number)) if kind.starts_with("integer") || kind.starts_with("floating") => {
                format!("the number {}", number.trim_end_matches('`'))
            }
            Some(("boolean ", truth)) => truth.trim_end_matches('`').to_owned(),
            _ => format!("the {}", shortened(value)),
        },
    }
}

fn shortened(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

fn quoted(name: &str) -> String {
    format!("{:?}", name.trim_matches('`'))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors of reading it matter")]
    struct Sample {
        name: String,
        #[serde(default)]
        count: u64,
        #[serde(default)]
        list: Vec<Sample>,
        #[serde(default)]
        switch: bool,
        #[serde(default)]
        level: Option<Level>,
        #[serde(default)]
        score: Option<f64>,
        #[serde(default)]
        either: Option<Either>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Level {
        Low,
        High,
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only the errors of reading it matter")]
    enum Either {
        Number(u64),
        Text(String),
    }

    #[track_caller]
    fn check(value: Value, expected: &str) {
        let error = serde_json::from_value::<Sample>(value).expect_err("an error").to_string();
        assert_eq!(in_plain_words(&error), expected, "{error}");
    }

    #[test]
    fn errors_are_worded_in_the_terms_of_json() {
        check(json!({}), "\"name\" is missing");
        check(json!({ "name": 5 }), "expected a string, not the number 5");
        check(json!({ "name": ["a"] }), "expected a string, not a list");
        check(json!({ "name": { "a": 1 } }), "expected a string, not an object");
        check(json!({ "name": null }), "expected a string, not null");
        check(json!({ "name": "a", "count": -1 }), "expected a whole number of 0 or more, not the number -1");
        check(
            json!({ "name": "a", "count": 1.5 }),
            "expected a whole number of 0 or more, not the number 1.5",
        );
        check(
            json!({ "name": "a", "count": "far" }),
            "expected a whole number of 0 or more, not the string \"far\"",
        );
        check(
            json!({ "name": "a", "list": "x, expected y" }),
            "expected a list, not the string \"x, expected y\"",
        );
        check(json!({ "name": "a", "list": ["x"] }), "expected an object, not the string \"x\"");
        check(json!({ "name": "a", "switch": "yes" }), "expected true or false, not the string \"yes\"");
        check(json!({ "name": true }), "expected a string, not true");
        check(json!({ "name": "a", "level": "mid" }), "unknown value \"mid\", expected low or high");
        check(json!({ "name": "a", "level": 1 }), "expected a string, not the number 1");
        check(json!({ "name": "a", "level": {} }), "expected a string, not an object");
        check(json!({ "name": "a", "score": [] }), "expected a number, not a list");
        check(json!({ "name": "a", "either": [] }), "the value has none of the accepted forms");
        check(
            json!({ "nome": "a" }),
            "unknown field \"nome\", expected name, count, list, switch, level, score, either",
        );
        let long = "x".repeat(100);
        let shown = format!("expected a list, not the string \"{}…", "x".repeat(SHOWN - "string \"".len()));
        check(json!({ "name": "a", "list": long }), &shown);
        let error = serde_json::from_str::<Sample>("{\"name\": 5}").expect_err("an error").to_string();
        assert_eq!(in_plain_words(&error), "expected a string, not the number 5 at line 1 column 10");
    }
}
