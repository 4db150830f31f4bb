//! The tools, in the order they are listed.

use serde_json::{Map, Value};

use super::tool::{Acts, Set, Takes, Tool, may, must};

/// A tool over one operation.
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
                acts: Acts::$acts,
                repeatable: false,
                operation: |_| $operation,
                schema: $operation,
                takes: { const TAKES: &[Takes] = &[$($takes),*]; TAKES },
                gives: &[$($gives),*],
                fixed: "{}",
            }
        }
    };
}

const SLUG: Takes = must("slug").to("reference");
const VERSION: Takes = must("page_version").to("expected_version");
const TEMPORAL: Takes = may("temporal").or("\"current\"");
const PATH: Takes = must("path").to("reference");

/// Every tool.
pub const TOOLS: &[Tool] = &[
    tool!("memory_query", "Ask", "query", Memory, Reads,
        "Answer a question by words and meaning. Use first, before answering from memory or writing",
        [must("question"), may("depth").or("\"auto\""), may("token_budget").or("4000"), may("wing"), may("limit"),
         may("as_of").about("date")]
        -> ["hits", "total_tokens", "budget_remaining", "notes"], core: true),
    tool!("memory_search", "Search words", "search", Memory, Reads,
        "Full-text search: names, codes, exact phrases",
        [must("query"), may("type").in_list(), may("wing"), may("limit")] -> ["hits"], core: true),
    tool!("memory_get", "Read page", "show", Memory, Reads,
        "Read a page with its version. Any reference works: slug, id, title, alias",
        [SLUG] -> ["slug", "version", "content"], core: true),
    tool!("memory_put", "Write page", "put", Memory, Replaces,
        "Write a page whole, or by its parts. expected_version is the one you read; 0 for a new page",
        [must("slug"), may("content").about("whole Markdown"), must("expected_version"),
         may("assertions"), may("compiled_truth"), may("timeline_append"), may("frontmatter")]
        -> ["slug", "version", "warnings"], core: true),
    tool!("memory_ingest", "Take source in", "ingest", Memory, Adds,
        "Take a source in once, with all that follows for pages, links and timelines: all or nothing",
        [must("content"), must("source_type"), must("source_ref"), may("force").or("false"), must("pages")]
        -> ["outcome", "pages"], repeatable: true),
    tool!("memory_link", "Link pages", "link", Memory, Adds,
        "Link two pages by a typed, dated relation",
        [must("from"), must("to"), may("relationship"), may("context"), may("valid_from"), VERSION]
        -> ["version", "link"]),
    tool!("memory_links", "Links from page", "links", Memory, Reads, "Links from a page, with ids",
        [SLUG, TEMPORAL] -> ["links"]),
    tool!("memory_link_close", "End link", "link_close", Memory, Replaces, "End a link that no longer holds",
        [must("link_id").to("id"), must("valid_until"), VERSION] -> ["version", "link"], repeatable: true),
    tool!("memory_unlink", "Remove link", "unlink", Memory, Replaces,
        "Remove a link that was never right; end one that was with memory_link_close",
        [must("from"), must("to"), may("relationship"), VERSION] -> ["version"]),
    tool!("memory_timeline", "Timeline", "timeline", Memory, Reads, "A page's timeline",
        [SLUG, may("limit")] -> ["entries"]),
    tool!("memory_timeline_add", "Add event", "timeline_add", Memory, Adds, "Add an event to a page's timeline",
        [SLUG, must("date"), must("summary"), may("source"), may("detail"), VERSION] -> ["version"]),
    tool!("memory_tags", "Tags of page", "tags", Memory, Reads, "A page's tags", [SLUG] -> ["tags"]),
    tool!("memory_tag", "Tag page", "tag", Memory, Replaces, "Add a tag to a page, or remove it",
        [SLUG, must("tag").to("tags").in_list(), may("remove").chooses("boolean"), VERSION] -> ["version"],
        operation: tag_or_untag, repeatable: true),
    tool!("memory_list", "List pages", "list", Memory, Reads, "List pages",
        [may("type").in_list(), may("tag").in_list(), may("wing"), may("limit"), may("sort")] -> ["pages"]),
    tool!("memory_backlinks", "Links to page", "backlinks", Memory, Reads, "Links to a page",
        [SLUG, TEMPORAL] -> ["links"]),
    tool!("memory_graph", "Neighbourhood", "graph", Memory, Reads, "Pages within a few links, and their links",
        [SLUG, may("depth").or("2"), TEMPORAL, may("limit").or("50")] -> ["nodes", "edges"]),
    tool!("memory_check", "Find contradictions", "check", Memory, Replaces,
        "Find contradictions; resolve takes a finding's id",
        [may("slug").to("reference"), may("type"), may("resolve")] -> ["findings"], repeatable: true),
    tool!("memory_gap", "Note gap", "gap_add", Memory, Adds,
        "Note a question that memory could not answer; only its hash is kept",
        [must("query_text").to("question"), may("context"), may("confidence_score").to("confidence")] -> ["id"],
        repeatable: true),
    tool!("memory_gap_approve", "Approve gap", "gap_approve", Memory, Replaces,
        "Let a gap's words be kept, with a person's approval",
        [must("gap_id").to("id"), must("sensitivity"), must("approver"), may("redacted_query")] -> ["id"],
        repeatable: true),
    tool!("memory_gaps", "List gaps", "gaps", Memory, Reads, "List open gaps",
        [may("limit"), may("include_resolved").to("resolved")] -> ["gaps"]),
    tool!("memory_stats", "Statistics", "stats", Memory, Reads, "Counts of pages, links, gaps and more",
        [] -> ["pages", "links"]),
    tool!("memory_raw", "Sidecar data", "raw", Memory, Replaces, "Read or write enrichment data kept beside a page",
        [SLUG, may("source"), may("data"), VERSION] -> ["sources"], repeatable: true),
    tool!("write_note", "Write note", "write_note", Notes, Replaces, "Write a note; its file is named after its title",
        [must("title"), must("content"), may("directory").or("\"\""), PROJECT, may("tags"),
         may("note_type").or("\"note\""), may("metadata"), may("overwrite").or("false")]
        -> ["permalink", "file_path", "version"], repeatable: true),
    tool!("read_note", "Read note", "show", Notes, Reads, "Read a note with what is stated on it and its links",
        [PATH, PROJECT] -> ["slug", "version", "content"], fixed: r#"{"with_links": true}"#),
    tool!("edit_note", "Edit note", "edit_note", Notes, Replaces,
        "Change a note: text under an existing heading replaces that section, other text is added at the end; \
         or JSON such as {\"find\": …, \"replace\": …}",
        [must("path"), must("content_updates"), PROJECT] -> ["version"]),
    tool!("delete_note", "Delete note", "rm", Notes, Replaces, "Delete a note",
        [PATH, PROJECT] -> ["outcome"], fixed: r#"{"yes": true}"#),
    tool!("search_notes", "Search notes", "search_notes", Notes, Reads, "Search notes by words, meaning or both",
        [must("query"), PROJECT, may("page").or("1"), may("search_type").or("\"hybrid\""),
         may("output_format").or("\"text\""), may("note_types"), may("after_date"), may("tags")]
        -> ["hits", "more"]),
    tool!("build_context", "Read surroundings", "build_context", Notes, Reads,
        "Read the page of a memory:// URI with its neighbours",
        [must("path"), PROJECT] -> ["page", "related"]),
    tool!("list_directory", "List folder", "ls", Notes, Reads, "List a folder",
        [PROJECT, may("path").or("\"\"")] -> ["entries"]),
    tool!("recent_activity", "Recent changes", "recent", Notes, Reads, "Pages that changed lately",
        [may("timeframe").or("\"1 day\""), PROJECT] -> ["pages"]),
    tool!("list_memory_projects", "List projects", "project_list", Notes, Reads, "List projects",
        [] -> ["projects"]),
    tool!("create_memory_project", "Create project", "project_add", Notes, Adds, "Create a project in a folder",
        [must("name"), must("path")] -> ["name", "path"], repeatable: true),
    tool!("capture", "Remember", "capture", Common, Adds,
        "Keep something worth remembering: a decision, preference, fact or procedure. Similar pages are shown first; \
         then say extend or keep",
        [must("text"), may("title"), may("tags"), may("source"), may("extend").about("page to add it to"),
         may("keep")] -> [], core: true),
    tool!("context", "Brief me", "context", Common, Reads,
        "The brief for this directory: pages in use, conflicts, stale alerts. Use at the start of work",
        [may("namespace"), may("limit"), may("recent"), may("token_budget")]
        -> ["active_nodes", "conflicts", "stale_alerts"], core: true),
    tool!("check", "Check everything", "check", Common, Reads, "All contradictions of the vault",
        [may("type"), may("include_resolved")] -> ["findings"], core: true, fixed: r#"{"all": true}"#),
    tool!("compact_plan", "Plan compaction", "compact", Common, Reads,
        "Clusters of stale pages to summarise, with their texts",
        [may("path"), may("limit"), may("token_budget")] -> [], fixed: r#"{"plan": true}"#),
    tool!("compact_apply", "Apply summaries", "compact", Common, Replaces,
        "Write summaries of clusters from compact_plan; originals are kept and marked",
        [must("summaries"), may("dry_run")] -> [], repeatable: true),
    tool!("lifecycle", "Page states", "set_status", Common, Replaces,
        "Without a slug: stale and superseded pages. With one: its state. With a status too: set it \
         (active says it was reviewed)",
        [may("slug").to("reference"), may("status"), may("limit").chooses("integer"),
         may("page_version").to("expected_version")] -> [], operation: lifecycle, repeatable: true),
];

const PROJECT: Takes = may("project").chooses("string");

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
