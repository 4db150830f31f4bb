//! Server instructions: when to search and when to write. They name only tools that the server offers.

use super::tool::Tool;
use super::tools::TOOLS;

/// One instruction per line; a blank line starts a paragraph.
const ALL: &str = include_str!("instructions.md");

/// Returns the instructions for a client with these tools.
pub(super) fn instructions(offered: &[&Tool]) -> String {
    let is_offered = |name: &str| offered.iter().any(|tool| tool.name == name);
    let applies = |line: &&str| named(line).all(is_offered);
    let mut text = String::new();
    for paragraph in ALL.split("\n\n") {
        let lines: Vec<&str> = paragraph.lines().filter(applies).collect();
        if !lines.is_empty() {
            text.push_str(&lines.join(" "));
            text.push_str("\n\n");
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the tools that a line names. A tool whose name is an English word is named with `call` or `Use`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_call = move |words: &[&str], at: usize| {
        words[at].contains('_') || at > 0 && matches!(words[at - 1], "call" | "Use")
    };
    let is_tool = |word: &str| TOOLS.iter().any(|tool| tool.name == word);
    let found: Vec<&str> = (0..words.len())
        .filter(|at| is_tool(words[*at]) && is_call(&words, *at))
        .map(|at| words[at])
        .collect();
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::{Toolset, toolset};

    #[test]
    fn instructions_name_only_tools_of_the_set() {
        for set in [Toolset::Core, Toolset::Notes, Toolset::Memory, Toolset::All] {
            let tools = toolset(set);
            let text = instructions(&tools);
            for name in named(&text) {
                assert!(tools.iter().any(|tool| tool.name == name), "{set:?} has no {name}: {text}");
            }
            assert!(text.contains("first, and cite"), "{set:?}: {text}");
            assert!(lore_embed::count_tokens(&text) < 600 && text.len() < 2048, "{set:?}");
        }
        assert!(instructions(&toolset(Toolset::Core)).contains("memory_query"));
        assert!(!instructions(&toolset(Toolset::Core)).contains("memory_gap"));
    }
}
