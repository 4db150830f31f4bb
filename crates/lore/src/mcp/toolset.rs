//! Tool sets and how their tools are listed.

use rmcp::model::ToolAnnotations;

use super::basic_memory::{self, AnswerForm};
use super::tool::{Effect, Set, Tool};
use super::tools::TOOLS;

/// The set of tools to offer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Toolset {
    /// The tools that most agents need
    #[default]
    Core,
    /// Notes by title, plus the common tools
    Notes,
    /// Pages, links, facts and gaps, plus the common tools
    Memory,
    /// Every tool
    All,
    /// The tools of Basic Memory, for prompts that were written for it
    BasicMemory,
}

/// Returns the tools of a set.
pub fn toolset(set: Toolset) -> Vec<&'static Tool> {
    if set == Toolset::BasicMemory {
        return basic_memory::TOOLS.iter().collect();
    }
    let offered = |tool: &&Tool| match set {
        Toolset::Core => tool.core,
        Toolset::Notes => matches!(tool.set, Set::Notes | Set::Common),
        Toolset::Memory => matches!(tool.set, Set::Memory | Set::Common),
        Toolset::All | Toolset::BasicMemory => true,
    };
    TOOLS.iter().filter(offered).collect()
}

/// Returns a tool as listed to clients.
pub(super) fn listed(tool: &Tool) -> rmcp::model::Tool {
    let annotations = ToolAnnotations::new()
        .read_only(tool.acts == Effect::Reads)
        .destructive(tool.acts == Effect::Replaces)
        .idempotent(tool.repeatable || tool.acts == Effect::Reads)
        .open_world(false);
    let listed = rmcp::model::Tool::new(tool.name, tool.about, tool.input_schema())
        .with_title(tool.title)
        .with_annotations(annotations);
    match tool.bridge.is_some_and(|bridge| bridge.form == AnswerForm::Text) {
        true => listed,
        false => listed.with_raw_output_schema(tool.output_schema().into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    #[test]
    fn sets_have_their_documented_names() {
        let names = Toolset::value_variants().iter().filter_map(|set| set.to_possible_value());
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        assert_eq!(names, ["core", "notes", "memory", "all", "basic-memory"]);
    }

    #[test]
    fn tool_lists_stay_within_token_limits() {
        assert!(lore_embed::counts_exactly(), "the test needs the built-in tokenizer");
        let tokens = |set: Toolset| {
            let tools: Vec<rmcp::model::Tool> = toolset(set).into_iter().map(listed).collect();
            lore_embed::count_tokens(&serde_json::to_string(&tools).expect("tools are JSON"))
        };
        assert!(toolset(Toolset::default()).len() <= 10);
        let (core, all) = (tokens(Toolset::Core), tokens(Toolset::All));
        assert_eq!(Toolset::default(), Toolset::Core);
        assert!(core <= 2000 && all <= 6200, "{core} tokens in core, {all} in all");
    }

    #[test]
    fn default_set_has_one_tool_for_each_operation() {
        let mut schemas: Vec<&str> = toolset(Toolset::default()).iter().map(|tool| tool.schema).collect();
        let count = schemas.len();
        schemas.sort_unstable();
        schemas.dedup();
        assert_eq!(schemas.len(), count, "two tools do the same");
    }

    #[test]
    fn tool_of_an_operation_that_logs_is_not_read_only() {
        let logging: Vec<&str> = TOOLS
            .iter()
            .filter(|tool| crate::ops::find(tool.schema).is_ok_and(|entry| entry.logs))
            .map(|tool| {
                let hints = listed(tool).annotations.expect("every tool has annotations");
                assert_eq!((hints.read_only_hint, hints.destructive_hint), (Some(false), Some(false)));
                tool.name
            })
            .collect();
        assert_eq!(logging, ["memory_query"]);
    }
}
