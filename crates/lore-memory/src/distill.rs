//! Prepares an imported conversation for an agent that turns it into pages: lines that state decisions, facts, preferences and
//! open questions, each with its turn, and the pages that it mentions. What is worth keeping is the agent's decision.

use lore_engine::{Error, Result, VaultContext};
use lore_ports::PageRow;
use lore_text::sentences;
use lore_vault::decode;

use crate::mentions::{Mention, mentions};

/// Maximum number of candidates of each kind.
const MAX_CANDIDATES: usize = 40;

/// Maximum number of characters of a quotation.
const QUOTE_CHARS: usize = 300;

/// What a line may be worth keeping as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    /// Something was decided.
    Decision,
    /// A fact or a preference was stated.
    Fact,
    /// Something is left to do or to find out.
    Open,
}

impl CandidateKind {
    /// Every kind.
    pub const ALL: [CandidateKind; 3] = [CandidateKind::Decision, CandidateKind::Fact, CandidateKind::Open];

    /// Phrases that a line of this kind has, in lower case.
    fn phrases(self) -> &'static [&'static str] {
        match self {
            CandidateKind::Decision => &[
                "decided",
                "we agreed",
                "let's use",
                "let's go with",
                "we'll use",
                "we will use",
                "go with",
                "i chose",
                "we chose",
                "instead of",
                "settled on",
                "the plan is",
                "switch to",
                "switched to",
                "from now on",
            ],
            CandidateKind::Fact => &[
                "i prefer",
                "we prefer",
                "i like",
                "i don't like",
                "my name is",
                "i work",
                "i live",
                "i'm based",
                "remember that",
                "note that",
                "keep in mind",
                "the reason is",
                "because of",
                "turns out",
                "always ",
                "never ",
                "is called",
                "is located",
                "deadline is",
                "root cause",
            ],
            CandidateKind::Open => &[
                "todo",
                "to do:",
                "next step",
                "still need",
                "need to find",
                "not sure",
                "open question",
                "follow up",
                "remains to",
                "left to do",
                "we should",
                "later:",
            ],
        }
    }
}

/// A line that may be worth keeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it may be.
    pub kind: CandidateKind,
    /// Who said it: `User`, `Assistant`.
    pub speaker: String,
    /// Time of the turn, if known.
    pub at: String,
    /// Anchor of the turn, for a link: `^t-1a2b3c4d`.
    pub anchor: String,
    /// Line number on the page, from 1.
    pub line: u32,
    /// The words.
    pub quote: String,
}

/// A conversation, prepared.
#[derive(Debug)]
pub struct Distilled {
    /// Its page.
    pub page: PageRow,
    /// Number of turns.
    pub turns: usize,
    /// Lines that may be worth keeping, by kind and in their order.
    pub candidates: Vec<Candidate>,
    /// Number of candidates beyond the limit.
    pub left_out: usize,
    /// Pages that it mentions, most mentioned first.
    pub mentions: Vec<Mention>,
}

/// A turn on a page.
struct TurnText<'t> {
    speaker: &'t str,
    at: &'t str,
    anchor: &'t str,
    /// Lines with their numbers.
    lines: Vec<(u32, &'t str)>,
}

/// Prepares the conversation on a page.
pub fn distill(context: &VaultContext, reference: &str) -> Result<Distilled> {
    let page = context.page(reference)?;
    let file = context.read(&page)?;
    let text = decode(&file.bytes).text.into_owned();
    let turns = turns(&text);
    if turns.is_empty() {
        return Err(Error::BadInput {
            message: format!("{} has no turns of a conversation", page.path),
            hint: "name a page that `lore import` made of a conversation; `lore list --type conversation` lists them".into(),
        });
    }
    let mut candidates = Vec::new();
    let mut left_out = 0;
    for kind in CandidateKind::ALL {
        let mut found = of_kind(kind, &turns);
        left_out += found.len().saturating_sub(MAX_CANDIDATES);
        found.truncate(MAX_CANDIDATES);
        candidates.extend(found);
    }
    let spoken: String = turns
        .iter()
        .filter(|turn| turn.speaker != "Tool")
        .flat_map(|turn| &turn.lines)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    let (mentions, _) = mentions(context, &spoken, &page.path)?;
    Ok(Distilled { page, turns: turns.len(), candidates, left_out, mentions })
}

/// Splits the text of a page into its turns: a heading with an anchor, then a fence.
fn turns(text: &str) -> Vec<TurnText<'_>> {
    let mut turns: Vec<TurnText<'_>> = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => turns.last_mut().into_iter().for_each(|turn| turn.lines.push((number, line))),
            None => {
                let anchor = line
                    .rsplit_once(' ')
                    .map(|(_, anchor)| anchor)
                    .filter(|anchor| anchor.starts_with("^t-"));
                if let (Some(heading), Some(anchor)) = (line.strip_prefix("## "), anchor) {
                    let heading = heading.strip_suffix(anchor).unwrap_or(heading).trim();
                    let (speaker, at) = heading.split_once(' ').unwrap_or((heading, ""));
                    turns.push(TurnText { speaker, at, anchor, lines: Vec::new() });
                } else if let Some(ticks) =
                    line.strip_suffix("text").filter(|ticks| is_fence(ticks) && !turns.is_empty())
                {
                    fence = Some(ticks);
                }
            }
        }
    }
    turns
}

fn is_fence(ticks: &str) -> bool {
    ticks.len() >= 3 && ticks.bytes().all(|byte| byte == b'`')
}

/// Returns the sentences of a kind; each only once.
fn of_kind(kind: CandidateKind, turns: &[TurnText<'_>]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for turn in turns.iter().filter(|turn| turn.speaker != "Tool") {
        for (line, text) in &turn.lines {
            if text.starts_with("[tool ") {
                continue;
            }
            for sentence in sentences(text) {
                let lowered = sentence.to_lowercase();
                if !kind.phrases().iter().any(|phrase| lowered.contains(phrase)) {
                    continue;
                }
                let quote: String = sentence.trim().chars().take(QUOTE_CHARS).collect();
                if quote.len() > 8 && !found.iter().any(|known| known.quote == quote) {
                    found.push(Candidate {
                        kind,
                        speaker: turn.speaker.to_owned(),
                        at: turn.at.to_owned(),
                        anchor: turn.anchor.to_owned(),
                        line: *line,
                        quote,
                    });
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found_with_their_turns() {
        let text = "# S\n\n## User 2026-01-02 10:03 ^t-11111111\n\n```text\nHello. We decided to moor at the quay. I prefer tea.\n```\n\n\
                    ## Assistant ^t-22222222\n\n````text\n```\ncode\n```\nTODO: paint the hull\n````\n\n## Tool ^t-33333333\n\n```text\nwe decided nothing\n```\n";
        let turns = turns(text);
        assert_eq!(
            turns.iter().map(|turn| (turn.speaker, turn.at)).collect::<Vec<_>>(),
            [("User", "2026-01-02 10:03"), ("Assistant", ""), ("Tool", "")]
        );
        let found: Vec<(String, String, u32)> = CandidateKind::ALL
            .into_iter()
            .flat_map(|kind| of_kind(kind, &turns))
            .map(|one| (one.quote, one.anchor, one.line))
            .collect();
        assert_eq!(
            found,
            [
                ("We decided to moor at the quay.".to_owned(), "^t-11111111".to_owned(), 6),
                ("I prefer tea.".to_owned(), "^t-11111111".to_owned(), 6),
                ("TODO: paint the hull".to_owned(), "^t-22222222".to_owned(), 15),
            ]
        );
    }
}
