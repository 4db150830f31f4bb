//! Checks MCP calls with any tool and any arguments: each is answered, with no internal error, and nothing outside the
//! vault is read or changed.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use lore::fuzzing::McpClient;
use lore_fuzz::{OUTSIDE, Scene};
use serde_json::{Map, Value, json};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    calls: Vec<Call<'a>>,
}

#[derive(Debug, Arbitrary)]
struct Call<'a> {
    tool: u8,
    arguments: Vec<(u8, Argument<'a>)>,
}

#[derive(Debug, Arbitrary)]
enum Argument<'a> {
    Text(&'a str),
    /// A reference to a page that exists, or to something outside.
    Known(u8),
    Number(i64),
    Float(f64),
    Bool(bool),
    Null,
    List(Vec<&'a str>),
    /// A JSON document.
    Json(&'a str),
}

const KNOWN: [&str; 14] = [
    "page",
    "people/ada",
    "clients/plan",
    "Root Note",
    "diary",
    "out/secret",
    "../diary",
    "out/secret.md",
    "lore.toml",
    ".lore/staging/x",
    "memory://page",
    "current",
    "2024-03-01",
    "# Title\n\n- knows [[page]]\n\n---\n",
];

/// A vault is used for this many inputs, so that it does not grow without end.
const USES: usize = 300;

struct Served {
    client: McpClient,
    tools: Vec<(String, Vec<String>)>,
    uses: usize,
    scene: Scene,
}

thread_local! {
    static SERVED: RefCell<Option<Served>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input<'_>| {
    SERVED.with_borrow_mut(|served| {
        if served.as_ref().is_none_or(|served| served.uses >= USES) {
            *served = Some(serve());
        }
        let Some(served) = served else { return };
        served.uses += 1;
        for call in input.calls.iter().take(4) {
            served.call(call);
        }
        served.scene.check_surroundings();
    });
});

fn serve() -> Served {
    let scene = Scene::new();
    let mut client = scene.instance.mcp();
    let listed = client.request("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools").iter().map(|tool| {
        let takes = tool["inputSchema"]["properties"].as_object().expect("properties");
        (tool["name"].as_str().expect("a name").to_owned(), takes.keys().cloned().collect())
    });
    Served { tools: tools.collect(), client, uses: 0, scene }
}

impl Served {
    fn call(&mut self, call: &Call<'_>) {
        let (name, takes) = &self.tools[usize::from(call.tool) % self.tools.len()];
        let mut arguments = Map::new();
        for (at, argument) in &call.arguments {
            // One index past the parameters is a name that the tool does not have.
            let parameter = takes.get(usize::from(*at) % (takes.len() + 1)).map_or("project", String::as_str);
            arguments.insert(parameter.to_owned(), value(argument));
        }
        let parameters = json!({ "name": name, "arguments": arguments });
        let answer = self.client.request("tools/call", &parameters);
        let text = answer.to_string();
        assert!(!text.contains(OUTSIDE), "{parameters}: {text}");
        let error = &answer["result"]["structuredContent"]["error"];
        let internal = answer["error"]["code"] == json!(-32603) || error["code"] == json!("io");
        assert!(!internal && error["code"] != json!("index_broken"), "{parameters}: {text}");
        assert!(answer.get("result").is_some() || answer.get("error").is_some(), "{parameters}: {text}");
    }
}

fn value(argument: &Argument<'_>) -> Value {
    match argument {
        Argument::Text(text) => json!(text),
        Argument::Known(at) => json!(KNOWN[usize::from(*at) % KNOWN.len()]),
        Argument::Number(number) => json!(number),
        Argument::Float(number) => json!(number),
        Argument::Bool(is) => json!(is),
        Argument::Null => Value::Null,
        Argument::List(texts) => json!(texts),
        Argument::Json(text) => serde_json::from_str(text).unwrap_or(Value::Null),
    }
}
