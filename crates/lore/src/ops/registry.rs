//! The registry: every operation, and how to find one by name.

use std::collections::HashMap;
use std::sync::LazyLock;

use schemars::Schema;
use serde_json::Value;

use super::{OperationInfo, knowledge, machine, pages, search, transfer, upkeep};
use crate::app::error::{AppError, Result};

/// Every operation, in the order of the manual.
pub static REGISTRY: [OperationInfo; 122] = [
    OperationInfo::of::<machine::init::Init>(),
    OperationInfo::of::<machine::project::Add>(),
    OperationInfo::of::<machine::project::List>(),
    OperationInfo::of::<machine::project::Default>(),
    OperationInfo::of::<machine::project::Remove>(),
    OperationInfo::of::<machine::project::Info>(),
    OperationInfo::of::<machine::map::Map>(),
    OperationInfo::of::<machine::namespace::Create>(),
    OperationInfo::of::<machine::namespace::List>(),
    OperationInfo::of::<upkeep::sync::Sync>(),
    OperationInfo::of::<machine::status::Status>(),
    OperationInfo::of::<machine::doctor::Doctor>(),
    OperationInfo::of::<machine::stats::Stats>(),
    OperationInfo::of::<upkeep::validate::Validate>(),
    OperationInfo::of::<machine::config::Get>(),
    OperationInfo::of::<machine::config::Set>(),
    OperationInfo::of::<machine::config::Unset>(),
    OperationInfo::of::<machine::config::List>(),
    OperationInfo::of::<pages::put::Put>(),
    OperationInfo::of::<pages::get::Get>(),
    OperationInfo::of::<pages::show::Show>(),
    OperationInfo::of::<pages::edit::Edit>(),
    OperationInfo::of::<pages::save::Save>(),
    OperationInfo::of::<pages::mv::Mv>(),
    OperationInfo::of::<pages::rm::Rm>(),
    OperationInfo::of::<pages::folder::MvFolder>(),
    OperationInfo::of::<pages::folder::RmFolder>(),
    OperationInfo::of::<pages::list::List>(),
    OperationInfo::of::<pages::ls::Ls>(),
    OperationInfo::of::<pages::recent::Recent>(),
    OperationInfo::of::<pages::tags::Tags>(),
    OperationInfo::of::<pages::tags::Tag>(),
    OperationInfo::of::<pages::tags::Untag>(),
    OperationInfo::of::<pages::timeline::Timeline>(),
    OperationInfo::of::<pages::timeline::TimelineAdd>(),
    OperationInfo::of::<pages::raw::Raw>(),
    OperationInfo::of::<pages::notes::WriteNote>(),
    OperationInfo::of::<pages::notes::EditNote>(),
    OperationInfo::of::<pages::notes::SearchNotes>(),
    OperationInfo::of::<pages::notes::FindNotes>(),
    OperationInfo::of::<pages::notes::ListFolder>(),
    OperationInfo::of::<pages::notes::ReadFile>(),
    OperationInfo::of::<pages::history::History>(),
    OperationInfo::of::<pages::history::Diff>(),
    OperationInfo::of::<pages::history::Restore>(),
    OperationInfo::of::<pages::blame::Blame>(),
    OperationInfo::of::<search::full_text::Search>(),
    OperationInfo::of::<search::query::Query>(),
    OperationInfo::of::<search::build_context::BuildContext>(),
    OperationInfo::of::<search::context::Context>(),
    OperationInfo::of::<search::briefing::Briefing>(),
    OperationInfo::of::<knowledge::link::Link>(),
    OperationInfo::of::<knowledge::links::Links>(),
    OperationInfo::of::<knowledge::links::Backlinks>(),
    OperationInfo::of::<knowledge::link::LinkClose>(),
    OperationInfo::of::<knowledge::link::Unlink>(),
    OperationInfo::of::<knowledge::graph::Graph>(),
    OperationInfo::of::<knowledge::path::Path>(),
    OperationInfo::of::<knowledge::facts::Facts>(),
    OperationInfo::of::<knowledge::facts::FactAdd>(),
    OperationInfo::of::<knowledge::gaps::Gaps>(),
    OperationInfo::of::<knowledge::gaps::Add>(),
    OperationInfo::of::<knowledge::gaps::Approve>(),
    OperationInfo::of::<knowledge::gaps::Resolve>(),
    OperationInfo::of::<knowledge::check::Check>(),
    OperationInfo::of::<knowledge::capture::Capture>(),
    OperationInfo::of::<knowledge::ingest::Ingest>(),
    OperationInfo::of::<transfer::import::Import>(),
    OperationInfo::of::<transfer::imports::Imports>(),
    OperationInfo::of::<transfer::distill::Distill>(),
    OperationInfo::of::<transfer::export::Export>(),
    OperationInfo::of::<transfer::pack::Pack>(),
    OperationInfo::of::<transfer::pack::Unpack>(),
    OperationInfo::of::<knowledge::stale::Stale>(),
    OperationInfo::of::<knowledge::set_status::SetStatus>(),
    OperationInfo::of::<knowledge::compact::Compact>(),
    OperationInfo::of::<knowledge::curate::Curate>(),
    OperationInfo::of::<knowledge::merge::Merge>(),
    OperationInfo::of::<knowledge::merge::Split>(),
    OperationInfo::of::<knowledge::lint::Lint>(),
    OperationInfo::of::<knowledge::generate::Generate>(),
    OperationInfo::of::<knowledge::schema::Validate>(),
    OperationInfo::of::<knowledge::schema::Infer>(),
    OperationInfo::of::<knowledge::schema::Diff>(),
    OperationInfo::of::<upkeep::git::Status>(),
    OperationInfo::of::<upkeep::git::Push>(),
    OperationInfo::of::<upkeep::git::Pull>(),
    OperationInfo::of::<upkeep::git::Commit>(),
    OperationInfo::of::<upkeep::secrets::Scan>(),
    OperationInfo::of::<upkeep::secrets::Purge>(),
    OperationInfo::of::<machine::service::Install>(),
    OperationInfo::of::<machine::service::Status>(),
    OperationInfo::of::<machine::service::Uninstall>(),
    OperationInfo::of::<machine::setup::Setup>(),
    OperationInfo::of::<machine::skills::List>(),
    OperationInfo::of::<machine::skills::Show>(),
    OperationInfo::of::<machine::skills::Extract>(),
    OperationInfo::of::<machine::skills::Doctor>(),
    OperationInfo::of::<upkeep::retention::Run>(),
    OperationInfo::of::<upkeep::retention::Status>(),
    OperationInfo::of::<upkeep::retention::Rotate>(),
    OperationInfo::of::<upkeep::triage::Triage>(),
    OperationInfo::of::<upkeep::routine::List>(),
    OperationInfo::of::<upkeep::routine::Run>(),
    OperationInfo::of::<upkeep::routine::Due>(),
    OperationInfo::of::<upkeep::table::Show>(),
    OperationInfo::of::<upkeep::table::Set>(),
    OperationInfo::of::<upkeep::table::Remove>(),
    OperationInfo::of::<machine::mirror::Mirror>(),
    OperationInfo::of::<upkeep::embed::Embed>(),
    OperationInfo::of::<machine::model::List>(),
    OperationInfo::of::<machine::model::Pull>(),
    OperationInfo::of::<machine::model::Use>(),
    OperationInfo::of::<machine::model::PathOf>(),
    OperationInfo::of::<machine::model::Remove>(),
    OperationInfo::of::<machine::eval::Eval>(),
    OperationInfo::of::<machine::token::Add>(),
    OperationInfo::of::<machine::token::List>(),
    OperationInfo::of::<machine::token::Remove>(),
    OperationInfo::of::<upkeep::test::Test>(),
    OperationInfo::of::<machine::database::Checkpoint>(),
    OperationInfo::of::<machine::database::Backup>(),
];

/// The operations by tool name and alias.
static BY_NAME: LazyLock<HashMap<String, &'static OperationInfo>> = LazyLock::new(|| {
    let aliases = REGISTRY.iter().flat_map(|info| {
        info.aliases.iter().chain(info.former_names).map(move |alias| (normal(alias), info))
    });
    // A name of an operation takes precedence over an alias of another.
    aliases.chain(REGISTRY.iter().map(|info| (info.tool(), info))).collect()
});

/// Returns the operation with this tool name, command name or alias.
pub fn find(name: &str) -> Result<&'static OperationInfo> {
    BY_NAME.get(&normal(name)).copied().ok_or_else(|| unknown(name))
}

/// Returns the form of a name that is looked up: `project add` is `project_add`.
fn normal(name: &str) -> String {
    name.replace([' ', '-'], "_")
}

fn unknown(name: &str) -> AppError {
    let wanted = normal(name);
    let scored = REGISTRY.iter().map(|info| (strsim::jaro_winkler(&info.tool(), &wanted), info.tool()));
    let nearest = scored.filter(|(score, _)| *score > 0.75).max_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = nearest.map(|(_, tool)| format!("did you mean {tool}? ")).unwrap_or_default();
    AppError::usage(
        format!("unknown operation {name:?}"),
        format!("{nearest}`lore --tools-json` lists all operations"),
    )
}

/// Returns the operations in the form of MCP tool discovery.
pub fn tools() -> Value {
    let bare = |schema: Schema| {
        let mut value = schema.to_value();
        if let Some(object) = value.as_object_mut() {
            object.retain(|key, _| !matches!(key.as_str(), "description" | "title" | "$schema"));
        }
        value
    };
    let tool = |entry: &OperationInfo| {
        let input = (entry.input)();
        let about = input.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        serde_json::json!({
            "name": entry.tool(),
            "description": about,
            "inputSchema": bare(input),
            "outputSchema": bare((entry.output)()),
            "annotations": { "readOnlyHint": !(entry.writes || entry.logs) },
        })
    };
    serde_json::json!({ "tools": REGISTRY.iter().map(tool).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    use crate::app::access::Reach;

    #[test]
    fn every_operation_has_a_unique_name_and_help() {
        let mut names: Vec<String> = REGISTRY.iter().map(OperationInfo::tool).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "two operations share a name");
        for info in &REGISTRY {
            let about = (info.command)().get_about().map(ToString::to_string).unwrap_or_default();
            assert!(about.len() > 10 && !about.ends_with('.'), "{}: {about:?}", info.name);
            assert!((info.input)().get("description").is_some(), "{} has no description", info.name);
        }
    }

    #[test]
    fn operations_are_found_by_command_tool_and_alias() {
        for info in &REGISTRY {
            let others = info.aliases.iter().chain(info.former_names).copied();
            for name in [info.name, &info.tool()].into_iter().chain(others) {
                assert_eq!(find(name).ok().map(|found| found.name), Some(info.name), "{name}");
            }
        }
    }

    /// What a server offers to whom: to every token, to tokens for all vaults, or only with `--allow-machine`.
    #[test]
    fn reach_of_every_operation() {
        let mut table = String::new();
        for info in &REGISTRY {
            let reach = match info.reach {
                Reach::Vault => "vault",
                Reach::ReadsMachine => "reads the machine",
                Reach::ChangesMachine => "changes the machine",
            };
            let access = if info.writes { "write" } else { "read" };
            table.push_str(&format!("{:<17}  {access:<5}  {reach}\n", info.name));
        }
        expect_test::expect_file!["reach.txt"].assert_eq(&table);
    }

    /// No operation for every token takes the path of a file of this machine, except at the command line.
    #[test]
    fn arguments_that_name_files_are_not_in_schemas() {
        let mut found = Vec::new();
        let file_type = clap::value_parser!(PathBuf).type_id();
        for info in REGISTRY.iter().filter(|info| info.reach != Reach::ChangesMachine) {
            let known = info.parameters();
            let command = (info.command)();
            for argument in command.get_arguments() {
                let name = argument.get_id().as_str();
                let is_file = argument.get_value_parser().type_id() == file_type;
                assert!(!(is_file && known.iter().any(|known| known == name)), "{}: {name}", info.name);
                if is_file {
                    let given = serde_json::json!({ name: "/etc/passwd" });
                    let failure = info.check(&given).expect_err("it is no parameter");
                    assert!(failure.message.contains("only on the command line"), "{}", failure.message);
                    found.push(format!("{} {name}", info.name));
                }
            }
        }
        expect_test::expect![[r#"
            validate original
            validate exported
            put file
            capture file
            capture raw
            ingest file
            ingest json_payload
            compact apply
            test junit"#]]
        .assert_eq(&found.join("\n"));
    }

    #[test]
    fn unknown_operation_suggests_the_nearest() {
        let failure = find("serch").err().expect("unknown");
        assert!(failure.hint.contains("search"), "{}", failure.hint);
    }
}
