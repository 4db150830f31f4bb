//! The tools, in list order.

use serde_json::{Map, Value};

use super::tool::{Effect, Parameter, Set, Tool, may, must};
use crate::app::error::Result;
use crate::ops::{self, OperationInfo};

/// Defines a tool for one operation.
macro_rules! tool {
    ($name:literal, $title:literal, $operation:literal, $set:ident, $acts:ident, $about:literal,
     [$($takes:expr),* $(,)?] -> [$($gives:literal),*] $(, $field:ident: $value:expr)*) => {
        Tool {
            $($field: $value,)*
            ..Tool {
                name: $name,
                title: $title,
                about: $about,
                set: Set::$set,
                core: false,
                acts: Effect::$acts,
                repeatable: false,
                operation: |_| $operation,
                schema: $operation,
                takes: { const TAKES: &[Parameter] = &[$($takes),*]; TAKES },
                gives: &[$($gives),*],
                fixed: "{}",
                bridge: None,
            }
        }
    };
}

const SLUG: Parameter = must("slug").to("reference");
const VERSION: Parameter = must("page_version").to("expected_version");
const TEMPORAL: Parameter = may("temporal").or("\"current\"");
const PATH: Parameter = must("path").to("reference");

/// Every tool.
pub const TOOLS: &[Tool] = &[
    tool!("memory_query", "Ask", "query", Memory, Adds,
        "Hybrid search for a question: the lines that prove the answer, with page, date and line numbers. Use first, \
         before answering from memory or writing. Verdict unsure: check the lines; nothing: no page answers. Depth list \
         gives one line per page, for questions about all of something",
        [must("question"), may("depth").or("\"auto\""), may("token_budget").about("up to; usually 1000 are enough"),
         may("wing").about("entity by name or part of it"), may("namespace"), may("limit"), may("date_from").about("date"), may("date_to"), may("participant"),
         may("as_of").about("date"), may("details").about("ids and hashes"), may("all").about("hits below the threshold too"), may("min_similarity")]
        -> ["verdict", "confidence", "hits", "total_tokens"], core: true),
    tool!("memory_search", "Full-text search", "search", Memory, Reads,
        "Full-text search: names, codes, exact phrases",
        [must("query"), may("type").in_list(), may("wing"), may("namespace"), may("limit"), may("all")]
        -> ["verdict", "confidence", "hits"], core: true),
    tool!("memory_get", "Read page", "show", Memory, Reads,
        "Read a page, or a range of its lines such as 12-30, with its version. Any reference works: slug, id, title, \
         alias",
        [SLUG, may("lines")] -> ["slug", "version", "content"], core: true),
    tool!("memory_put", "Write page", "put", Memory, Replaces,
        "Write a whole page or parts of it. expected_version is the version you read; 0 for a new page. Facts, \
         relations, observations and timeline entries not in the text are kept; drop names lines to remove",
        [must("slug"), may("content").about("whole Markdown"), must("expected_version"),
         may("assertions"), may("compiled_truth"), may("timeline_append"), may("frontmatter"), may("drop")]
        -> ["slug", "version", "kept", "added", "removed", "warnings"], core: true),
    tool!("memory_ingest", "Import source", "ingest", Memory, Adds,
        "Import a source once, with all its changes to pages. expected_version is the version read, 0 for a new \
         page; body_append adds prose to an existing one. Dates may be 2022-03 or {2022-03-10..2022-03-16}. Lines not in \
         new content are kept; drop names lines to remove",
        [may("content").about("the source or your summary; omit to change pages only"),
         must("source_type"), must("source_ref"),
         may("source_date").to("date"), may("source_slug"),
         may("fills").about("ids of gaps it answers"), may("force").or("false"), may("pages")]
        -> ["outcome", "source", "source_date", "pages"], repeatable: true),
    tool!("memory_link", "Link pages", "link", Memory, Adds,
        "Link two pages with a typed, dated relation",
        [must("from"), must("to"), may("relationship"), may("context"), may("valid_from"), VERSION]
        -> ["version", "link"]),
    tool!("memory_links", "Links from page", "links", Memory, Reads, "Links from a page, with ids",
        [SLUG, TEMPORAL] -> ["links"]),
    tool!("memory_link_close", "End link", "link_close", Memory, Replaces, "End a link that no longer holds",
        [must("link_id").to("id"), must("valid_until"), VERSION] -> ["version", "link"], repeatable: true),
    tool!("memory_unlink", "Remove link", "unlink", Memory, Replaces,
        "Remove a link that was never true; to end one that was, use memory_link_close",
        [must("from"), must("to"), may("relationship"), VERSION] -> ["version"]),
    tool!("memory_timeline", "Timeline", "timeline", Memory, Reads, "Read a page's timeline",
        [SLUG, may("limit")] -> ["entries"]),
    tool!("memory_timeline_add", "Add event", "timeline_add", Memory, Adds, "Add an event to a page's timeline",
        [SLUG, must("date"), must("summary"), may("source"), may("detail"), VERSION] -> ["version"]),
    tool!("memory_tags", "Page tags", "tags", Memory, Reads, "List a page's tags", [SLUG] -> ["tags"]),
    tool!("memory_tag", "Tag page", "tag", Memory, Replaces, "Add or remove a tag of a page",
        [SLUG, must("tag").to("tags").in_list(), may("remove").chooses("boolean"), VERSION] -> ["version"],
        operation: tag_or_untag, repeatable: true),
    tool!("memory_list", "List pages", "list", Memory, Reads, "List pages",
        [may("type").in_list(), may("tag").in_list(), may("wing"), may("limit"), may("page"), may("sort")]
        -> ["pages", "total", "more"]),
    tool!("memory_backlinks", "Links to page", "backlinks", Memory, Reads, "Links to a page",
        [SLUG, TEMPORAL] -> ["links"]),
    tool!("memory_graph", "Neighbourhood", "graph", Memory, Reads, "Pages within a few links, and their links",
        [SLUG, may("depth").or("2"), TEMPORAL, may("limit").or("50")] -> ["nodes", "edges"]),
    tool!("memory_check", "Find contradictions", "check", Memory, Replaces,
        "Find contradictions; resolve takes a finding's id",
        [may("slug").to("reference"), may("type"), may("resolve")] -> ["findings"], repeatable: true),
    tool!("memory_gap", "Log gap", "gap_add", Memory, Adds,
        "Log a question that memory could not answer; only its hash is stored",
        [must("query_text").to("question"), may("context"), may("confidence_score").to("confidence")] -> ["id"],
        repeatable: true),
    tool!("memory_gap_approve", "Approve gap", "gap_approve", Memory, Replaces,
        "Store a gap's text, with a person's approval",
        [must("gap_id").to("id"), must("sensitivity"), must("approver"), may("redacted_query"),
         may("query_text")] -> ["id"], repeatable: true),
    tool!("memory_gap_resolve", "Resolve gap", "gap_resolve", Memory, Replaces, "Close a gap with the page that answers it",
        [must("gap_id").to("id"), must("slug").to("by")] -> ["id", "resolved_by_slug"], repeatable: true),
    tool!("memory_gaps", "List gaps", "gaps", Memory, Reads, "List open gaps",
        [may("limit"), may("include_resolved").to("resolved")] -> ["gaps"]),
    tool!("memory_stats", "Statistics", "stats", Memory, Reads, "Counts of pages, links, gaps and more",
        [] -> ["pages", "links"]),
    tool!("memory_raw", "Sidecar data", "raw", Memory, Replaces, "Read or write enrichment data stored with a page",
        [SLUG, may("source"), may("data"), VERSION.only_with("data")] -> ["sources"], repeatable: true),
    tool!("write_note", "Write note", "write_note", Notes, Replaces, "Write a note; its title gives the file name. overwrite keeps structured lines not \
         in the text; drop names lines to remove",
        [must("title"), must("content"), may("directory"), PROJECT, may("tags"),
         may("note_type"), may("metadata"), may("overwrite").or("false"), may("drop")]
        -> ["permalink", "file_path", "version", "kept"], repeatable: true),
    tool!("read_note", "Read note", "show", Notes, Reads, "Read a note with its observations and links",
        [PATH, PROJECT] -> ["slug", "version", "content"], fixed: r#"{"with_links": true}"#),
    tool!("edit_note", "Edit note", "edit_note", Notes, Replaces,
        "Append text to a note, which is made if it is missing; or JSON such as {\"find\": …, \
         \"replace\": …}, {\"section\": …, \"with\": …}",
        [must("path"), must("content_updates"), PROJECT] -> ["version"]),
    tool!("delete_note", "Delete note", "rm", Notes, Replaces, "Delete a note",
        [PATH, PROJECT] -> ["outcome"], fixed: r#"{"yes": true}"#),
    tool!("search_notes", "Search notes", "search_notes", Notes, Reads, "Full-text, semantic or hybrid note search",
        [must("query"), PROJECT, may("page").or("1"), may("search_type").or("\"hybrid\""),
         may("output_format").or("\"text\""), may("note_types"), may("after_date"), may("tags"), may("min_similarity")]
        -> ["verdict", "hits", "more"]),
    tool!("build_context", "Read context", "build_context", Notes, Reads,
        "Read the page of a memory:// URI, or those of a pattern such as people/*, with neighbours",
        [must("path"), PROJECT] -> ["page", "related"]),
    tool!("list_directory", "List folder", "ls", Notes, Reads, "List a folder",
        [PROJECT, may("path").or("\"\"")] -> ["entries"]),
    tool!("recent_activity", "Recent changes", "recent", Notes, Reads, "List recently changed pages",
        [may("timeframe").or("\"1 day\""), PROJECT, may("page"), may("page_size").to("limit")]
        -> ["pages", "total", "more"]),
    tool!("list_memory_projects", "List projects", "project_list", Notes, Reads, "List projects",
        [] -> ["projects"]),
    tool!("create_memory_project", "Create project", "project_add", Notes, Adds, "Create a project in a folder",
        [must("name"), must("path")] -> ["name", "path"], repeatable: true),
    tool!("capture", "Remember", "capture", Common, Adds,
        "Save a decision, preference, fact or procedure. Similar pages are listed first; then call again with \
         extend, update, supersedes, contradicts or keep",
        [must("text"), may("title"), may("tags"), may("source"), may("extend"),
         may("update").about("page whose truth it replaces"), may("expected_version"),
         may("supersedes"), may("contradicts"), may("keep"),
         may("namespace")] -> [], core: true),
    tool!("context", "Brief me", "context", Common, Reads,
        "Brief for this directory: active pages, conflicts, stale alerts. Use at the start of work",
        [may("namespace"), may("limit"), may("recent"), may("token_budget")]
        -> ["active_nodes", "conflicts", "stale_alerts"], core: true),
    tool!("check", "Check vault", "check", Common, Reads, "Find all contradictions",
        [may("type"), may("include_resolved")] -> ["findings"], core: true, fixed: r#"{"all": true}"#),
    tool!("compact_plan", "Plan compaction", "compact", Common, Reads,
        "List clusters of stale pages, with their text",
        [may("path"), may("limit"), may("token_budget")] -> [], fixed: r#"{"plan": true}"#),
    tool!("compact_apply", "Apply summaries", "compact", Common, Replaces,
        "Write summaries of clusters from compact_plan; originals are kept",
        [must("summaries"), may("dry_run")] -> [], repeatable: true),
    tool!("lifecycle", "Page status", "set_status", Common, Replaces,
        "List stale and superseded pages; show or set the status of one (active marks it as reviewed)",
        [may("slug").to("reference"), may("status"), may("limit").chooses("integer"),
         may("page_version").to("expected_version")] -> [], operation: lifecycle, repeatable: true),
    tool!("triage", "Sort inbox", "triage", Common, Replaces,
        "Show an inbox file and where it could go; done: it is sorted",
        [may("file").to("reference"), may("done"), may("into")] -> [],
        repeatable: true),
    tool!("routine", "Run routine", "routine_run", Common, Adds,
        "Read what a routine needs; without name, list routines",
        [may("name")] -> [], operation: routine),
];

const PROJECT: Parameter = may("project").chooses("string");

fn tag_or_untag(arguments: &Map<String, Value>) -> &'static str {
    match arguments.get("remove") {
        Some(Value::Bool(true)) => "untag",
        _ => "tag",
    }
}

fn lifecycle(arguments: &Map<String, Value>) -> &'static str {
    let given = |name: &str| arguments.get(name).is_some_and(|value| !value.is_null());
    match (given("slug"), given("status")) {
        (false, _) => "stale",
        (true, false) => "show",
        (true, true) => "set_status",
    }
}

fn routine(arguments: &Map<String, Value>) -> &'static str {
    match arguments.get("name") {
        None | Some(Value::Null) => "routine_list",
        Some(_) => "routine_run",
    }
}

/// Returns the operation with this name, or else the one that the tool with this name is made for.
pub fn operation_named(name: &str) -> Result<&'static OperationInfo> {
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    ops::find(name).or_else(|unknown| tool.map_or(Err(unknown), |tool| ops::find(tool.schema)))
}

/// Returns the operation with this name, or else that of the tool with this name, and its parameters.
pub fn operation_of(name: &str, parameters: Value) -> Result<(&'static str, Value)> {
    let known = ops::find(name);
    let tool = TOOLS.iter().find(|tool| tool.name == name).filter(|_| known.is_err());
    match (tool, parameters) {
        (Some(tool), Value::Object(arguments)) => tool.call(arguments),
        (Some(tool), Value::Null) => tool.call(Map::new()),
        (_, parameters) => known.map(|operation| (operation.name, parameters)),
    }
}

/// Returns the operations and the tools whose names are not those of operations, in the form of tool discovery.
pub fn all_tools() -> Value {
    let mut all = ops::tools();
    let tools = TOOLS.iter().filter(|tool| ops::find(tool.name).is_err()).map(|tool| {
        serde_json::json!({
            "name": tool.name,
            "description": tool.about,
            "inputSchema": tool.input_schema(),
            "outputSchema": tool.output_schema(),
            "annotations": { "readOnlyHint": tool.acts == Effect::Reads },
        })
    });
    if let Some(listed) = all.get_mut("tools").and_then(Value::as_array_mut) {
        listed.extend(tools);
    }
    all
}
