//! The tools, in the order of Basic Memory's list.

use super::arguments::{BridgeParameter, Kind, may, must};
use super::{AnswerForm, Bridge, context, listing, manual, projects, reading, schema, searching, writing};
use crate::mcp::tool::{Effect, Parameter, Set, Tool, must as named};

/// Defines a tool: its name, title, effect, operation, description, parameters, answer and translation. `hints` maps the
/// parameters that errors may name.
macro_rules! tool {
    ($name:literal, $title:literal, $acts:ident, $operation:literal, $about:literal,
     [$($takes:expr),* $(,)?] -> $gives:ident, $call:path, $reply:path $(, hints: [$($hint:expr),*])?) => {
        Tool {
            name: $name,
            title: $title,
            about: $about,
            set: Set::BasicMemory,
            core: false,
            acts: Effect::$acts,
            repeatable: false,
            operation: |_| $operation,
            schema: $operation,
            takes: { const HINTS: &[Parameter] = &[$($($hint),*)?]; HINTS },
            gives: &[],
            fixed: "{}",
            bridge: Some({
                const TAKES: &[BridgeParameter] = &[$($takes),*];
                const BRIDGE: &Bridge =
                    &Bridge { takes: TAKES, form: AnswerForm::$gives, call: $call, reply: $reply };
                BRIDGE
            }),
        }
    };
}

const TEXT: Kind = Kind::Text;
const PROJECT: BridgeParameter = may("project", TEXT).about("Project by name; default: the current one");
const PROJECT_ID: BridgeParameter = may("project_id", TEXT).about("Project by id");
const WORKSPACE: BridgeParameter = may("workspace", TEXT);
const FORMAT: BridgeParameter = may("output_format", Kind::Choice(&["text", "json"])).or("\"text\"");
const PAGE: BridgeParameter = may("page", Kind::Integer).or("1").alias(&["page_number"]);
const PAGE_SIZE: BridgeParameter = may("page_size", Kind::Integer).or("10").alias(&["limit", "per_page"]);
const PLAIN_PAGE: BridgeParameter = may("page", Kind::Integer).or("1");
const PLAIN_SIZE: BridgeParameter = may("page_size", Kind::Integer).or("10");
const IDENTIFIER: BridgeParameter = must("identifier", TEXT).about("Title, permalink or memory:// URL");
const START: BridgeParameter = may("start_line", Kind::Integer);
const END: BridgeParameter = may("end_line", Kind::Integer);
const TIMEFRAME: BridgeParameter = may("timeframe", TEXT)
    .or("\"7d\"")
    .alias(&["since", "time_range", "lookback"])
    .about("Such as 7d or last week");
const IS_DIRECTORY: BridgeParameter = may("is_directory", Kind::Boolean).or("false").alias(&["is_dir"]);
const CHECKSUM: BridgeParameter =
    may("expected_checksum", TEXT).about("Fail unless the note has this checksum");

/// Every tool.
pub const TOOLS: &[Tool] = &[
    tool!("basic_memory_diagnostics", "Diagnostics", Reads, "status", "Version, system and state of the vault",
        [] -> Text, projects::status, projects::diagnostics),
    tool!("delete_note", "Delete Note", Replaces, "rm", "Delete a note, or all notes of a directory",
        [IDENTIFIER, IS_DIRECTORY, PROJECT, PROJECT_ID, FORMAT] -> Result, writing::delete, writing::deleted,
        hints: [named("identifier").to("reference")]),
    tool!("read_content", "Read Content", Reads, "read_file", "Read a file as it is",
        [must("path", TEXT).alias(&["file_path", "filepath", "file"]), PROJECT, PROJECT_ID]
        -> Object, reading::file, reading::read_content, hints: [named("path").to("reference")]),
    tool!("build_context", "Build Context", Reads, "build_context",
        "Read the note of a memory:// URL, or those of a pattern such as folder/*, with what they link to",
        [must("url", TEXT).alias(&["uri", "memory_url"]), PROJECT, PROJECT_ID, may("depth", TEXT).or("1"), TIMEFRAME,
         PAGE, PAGE_SIZE, may("max_related", Kind::Integer).or("10").alias(&["max_results"]),
         may("output_format", Kind::Choice(&["json", "text"])).or("\"json\""),
         may("compact", Kind::Boolean).or("false")]
        -> Result, context::call, context::reply, hints: [named("url").to("path")]),
    tool!("recent_activity", "Recent Activity", Reads, "find_notes", "List what changed recently",
        [may("type", Kind::List).or("[]").alias(&["types", "kind"]).about("entity, observation, relation"),
         may("depth", Kind::Integer).or("1"), TIMEFRAME, PAGE, PAGE_SIZE, PROJECT, PROJECT_ID, FORMAT]
        -> Result, searching::recent, searching::recent_answer),
    tool!("search_notes", "Search Notes", Reads, "find_notes",
        "Search notes by words, title, permalink or meaning, and filter them; filters alone list notes",
        [may("query", TEXT).alias(&["q", "search", "text"]), PROJECT, PROJECT_ID,
         may("search_all_projects", Kind::Boolean).or("false").alias(&["all_projects"]), may("projects", Kind::List),
         PAGE, PAGE_SIZE, may("search_type", TEXT).about("text, title, permalink, vector, semantic or hybrid"), FORMAT,
         may("note_types", Kind::List).alias(&["note_type", "types"]).about("Types in the frontmatter"),
         may("entity_types", Kind::List).alias(&["entity_type"]).about("entity, observation, relation"),
         may("categories", Kind::List).alias(&["category"]),
         may("after_date", TEXT).alias(&["since", "after", "from_date"]),
         may("metadata_filters", Kind::Object).about("Properties: a value, a list, or $gt, $gte, $lt, $lte, $in, $between"),
         may("tags", Kind::List), may("status", TEXT),
         may("min_similarity", Kind::Number).alias(&["threshold", "similarity_threshold"]),
         may("valid_at", TEXT).alias(&["as_of", "valid_on"]),
         may("valid_overlaps", TEXT).alias(&["overlaps", "valid_during"]), may("time_kind", TEXT).alias(&["kind"]),
         may("compact", Kind::Boolean).or("false")]
        -> Result, searching::search_notes, searching::searched, hints: [named("query")]),
    tool!("read_note", "Read Note", Reads, "show", "Read a note, or lines of it",
        [IDENTIFIER, PROJECT, PROJECT_ID, PAGE, PAGE_SIZE, FORMAT,
         may("include_frontmatter", Kind::Boolean).or("false"), START, END,
         may("include_content", Kind::Boolean).or("true")]
        -> Result, reading::show, reading::read_note, hints: [named("identifier").to("reference")]),
    tool!("view_note", "View Note", Reads, "show", "Read a note to show it to the user",
        [IDENTIFIER, PROJECT, PROJECT_ID] -> Result, reading::show, reading::view_note,
        hints: [named("identifier").to("reference")]),
    tool!("write_note", "Write Note", Replaces, "write_note",
        "Create a note, or replace one with overwrite. Structured lines that a new text does not mention are kept",
        [must("title", TEXT), must("content", TEXT), must("directory", TEXT).alias(&["folder", "dir", "path"]), PROJECT,
         WORKSPACE, PROJECT_ID, may("tags", Kind::List), may("note_type", TEXT).or("\"note\""),
         may("metadata", Kind::Object), may("overwrite", Kind::Boolean), CHECKSUM, FORMAT]
        -> Result, writing::write, writing::written,
        hints: [named("title"), named("content"), named("directory"), named("overwrite")]),
    tool!("list_directory", "List Directory", Reads, "list_folder", "List folders and files",
        [may("dir_name", TEXT).or("\"/\"").alias(&["directory", "folder", "path", "dir"]),
         may("depth", Kind::Integer).or("1"),
         may("file_name_glob", TEXT).alias(&["glob", "pattern", "filter"]),
         may("sort", Kind::Choice(&["title_asc", "title_desc", "updated_asc", "updated_desc"])), PLAIN_PAGE, PAGE_SIZE,
         FORMAT, PROJECT, PROJECT_ID]
        -> Result, listing::list, listing::list_answer),
    tool!("edit_note", "Edit Note", Replaces, "edit_note",
        "Edit part of a note. append and prepend create a note that does not exist",
        [IDENTIFIER, must("operation", Kind::Choice(writing::EDITS)),
         must("content", TEXT).alias(&["new_content", "replacement", "replace_with"]), PROJECT, WORKSPACE, PROJECT_ID,
         may("section", TEXT).alias(&["section_heading", "heading"]),
         may("find_text", TEXT).alias(&["find", "old_text", "old_content", "search"]),
         may("expected_replacements", Kind::Integer), may("replace_subsections", Kind::Boolean),
         may("metadata", Kind::Object), CHECKSUM, FORMAT]
        -> Result, writing::edit, writing::edited, hints: [named("identifier").to("path")]),
    tool!("move_note", "Move Note", Adds, "mv", "Move a note, or all notes of a directory; links to them follow",
        [IDENTIFIER,
         may("destination_path", TEXT).or("\"\"").alias(&["dest_path", "new_path", "to", "destination"]),
         may("destination_folder", TEXT).alias(&["dest_folder", "to_folder"]), IS_DIRECTORY, PROJECT, PROJECT_ID, FORMAT]
        -> Result, writing::relocate, writing::moved,
        hints: [named("identifier").to("reference"), named("destination_path").to("to")]),
    tool!("list_workspaces", "List Workspaces", Reads, "project_list", "List cloud workspaces: none",
        [FORMAT] -> Result, projects::list, projects::workspaces),
    tool!("list_memory_projects", "List Projects", Reads, "project_list", "List projects",
        [FORMAT] -> Result, projects::list, projects::listed),
    tool!("create_memory_project", "Create Project", Adds, "project_add", "Create a project in a directory",
        [must("project_name", TEXT), must("project_path", TEXT), may("set_default", Kind::Boolean).or("false"), WORKSPACE,
         FORMAT] -> Result, projects::create, projects::created),
    tool!("delete_project", "Delete Project", Replaces, "project_remove", "Unregister a project; its files stay",
        [must("project_name", TEXT), may("delete_notes", Kind::Boolean).or("false"), WORKSPACE]
        -> Result, projects::delete, projects::deleted),
    tool!("search", "Search", Reads, "find_notes", "Search notes, in the shape of ChatGPT's search",
        [must("query", TEXT)] -> Result, searching::search, searching::chat_results),
    tool!("fetch", "Fetch", Reads, "show", "Read a note, in the shape of ChatGPT's fetch",
        [must("id", TEXT)] -> Result, reading::show_id, reading::fetch),
    tool!("cat", "Cat", Reads, "show", "Read a note, a section or lines of it",
        [IDENTIFIER, START, END, may("section", TEXT), may("max_tokens", Kind::Integer),
         may("include_frontmatter", Kind::Boolean).or("true"), PROJECT, PROJECT_ID]
        -> Object, reading::show, reading::cat, hints: [named("identifier").to("reference")]),
    tool!("grep", "Grep", Reads, "find_notes", "Search the text of notes, with the lines that match",
        [must("pattern", TEXT), may("semantic", Kind::Boolean).or("false"), PLAIN_PAGE, PLAIN_SIZE, PROJECT, PROJECT_ID,
         may("context_lines", Kind::Integer), may("max_matches", Kind::Integer).or("10")]
        -> Object, searching::grep, searching::grepped),
    tool!("ls", "Ls", Reads, "list_folder", "List one folder; / lists the projects",
        [may("path", TEXT).or("\"/\""), PLAIN_PAGE, PLAIN_SIZE, PROJECT, PROJECT_ID]
        -> Object, listing::ls, listing::ls_answer),
    tool!("find", "Find", Reads, "list_folder", "Find files by name, or notes by properties such as born>1800",
        [may("path", TEXT).or("\"/\""), may("name", TEXT), may("depth", Kind::Integer).or("10"), PLAIN_PAGE, PLAIN_SIZE,
         may("meta", Kind::List), may("fields", Kind::List), PROJECT, PROJECT_ID]
        -> Object, listing::find, listing::find_answer),
    tool!("tail", "Tail", Reads, "find_notes", "List the notes that changed last",
        [may("timeframe", TEXT).or("\"7d\""), may("lines", Kind::Integer).or("10"), PROJECT, PROJECT_ID]
        -> Result, searching::tail, searching::tailed),
    tool!("man", "Man", Reads, "skills_list", "Read the manual: an index, or the page of a tool or skill",
        [may("page", TEXT), may("query", TEXT), PROJECT, PROJECT_ID] -> Result, manual::call, manual::reply),
    tool!("schema_validate", "Validate Schema", Reads, "schema_validate", "Check notes against their schemas",
        [may("note_type", TEXT), may("identifier", TEXT), PROJECT, PROJECT_ID, FORMAT]
        -> Result, schema::validate, schema::reply),
    tool!("schema_infer", "Infer Schema", Reads, "schema_infer", "Infer a schema from the notes of a type",
        [must("note_type", TEXT), may("threshold", Kind::Number).or("0.25"), PROJECT, PROJECT_ID, FORMAT]
        -> Result, schema::infer, schema::reply),
    tool!("schema_diff", "Schema Diff", Reads, "schema_diff", "Compare a schema with the notes of its type",
        [must("note_type", TEXT), PROJECT, PROJECT_ID, FORMAT] -> Result, schema::diff, schema::reply),
];
