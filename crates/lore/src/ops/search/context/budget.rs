//! Fits a brief into a token budget: injected files, then conflicts, then alerts, then pages.
//!
//! The JSON of each item is counted, which is never shorter than its text.

use serde::Serialize;

use crate::ops::views;

use super::{AlertItem, Brief, ConflictItem, NodeItem};
use crate::ops::wrapped_page::WrappedPage;

/// What the budget applies to.
pub(super) enum Budget {
    /// The whole brief.
    Everything(usize),
    /// Everything but the injected files, which have limits of their own in the policy.
    BesideInjected(usize),
}

/// Candidates for the brief.
#[derive(Default)]
pub(super) struct BriefParts {
    pub(super) injected: Vec<WrappedPage>,
    pub(super) conflicts: Vec<ConflictItem>,
    pub(super) alerts: Vec<AlertItem>,
    pub(super) nodes: Vec<NodeItem>,
}

/// Tokens reserved for the notice of what was cut.
const NOTICE: usize = 60;

/// Adds what fits to a brief and reports what does not.
pub(super) fn fit(
    mut brief: Brief,
    parts: BriefParts,
    budget: &Budget,
    count: &dyn Fn(&str) -> usize,
) -> Brief {
    let cost = |item: &dyn Fn() -> String| count(&item());
    let base = cost(&|| json(&brief));
    let (limit, strict) = match budget {
        Budget::Everything(tokens) => (*tokens, true),
        Budget::BesideInjected(tokens) => (*tokens, false),
    };
    let mut remaining = Remaining { left: limit.saturating_sub(base + NOTICE), spent: base, count };
    let mut left_out = Vec::new();
    for file in parts.injected {
        let tokens = count(&json(&file));
        if strict && tokens > remaining.left {
            brief.warnings.push(format!("{} omitted: it does not fit the budget", file.path));
            continue;
        }
        remaining.spent += tokens;
        remaining.left -= if strict { tokens } else { 0 };
        brief.injected.push(file);
    }
    let mut cut = |count: usize, what: &str| {
        if count > 0 {
            left_out.push(views::count(count as u64, what));
        }
    };
    cut(remaining.take(parts.conflicts, &mut brief.conflicts), "conflict");
    cut(remaining.take(parts.alerts, &mut brief.stale_alerts), "stale alert");
    cut(remaining.take(parts.nodes, &mut brief.active_nodes), "page");
    if !left_out.is_empty() {
        let what = left_out.join(", ");
        brief.warnings.push(format!(
            "cut to {}: {what} omitted; raise the token budget to see more",
            views::count(limit as u64, "token")
        ));
    }
    brief.tokens = remaining.spent;
    brief
}

/// What is left of the budget.
struct Remaining<'a> {
    left: usize,
    spent: usize,
    count: &'a dyn Fn(&str) -> usize,
}

impl Remaining<'_> {
    /// Moves items while they fit; returns the number of items that do not.
    fn take<T: Serialize>(&mut self, from: Vec<T>, to: &mut Vec<T>) -> usize {
        let all = from.len();
        for item in from {
            let tokens = (self.count)(&json(&item));
            if tokens > self.left {
                break;
            }
            self.left -= tokens;
            self.spent += tokens;
            to.push(item);
        }
        all - to.len()
    }
}

fn json<T: Serialize>(item: &T) -> String {
    serde_json::to_string(item).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Brief {
        Brief {
            namespace: "n".into(),
            loaded_at: "2026-02-10T14:30:00Z".into(),
            active_nodes: Vec::new(),
            conflicts: Vec::new(),
            stale_alerts: Vec::new(),
            project: "p".into(),
            injected: Vec::new(),
            warnings: Vec::new(),
            tokens: 0,
        }
    }

    fn parts() -> BriefParts {
        let text = |text: &str| text.to_owned();
        let node = |number: usize| NodeItem {
            id: format!("{number:08}"),
            slug: format!("page-{number}"),
            title: text("Page"),
            summary: text("What it says."),
            updated_at: text("2026-02-08"),
            links_out: 3,
            origin: None,
        };
        let conflict = ConflictItem {
            node_a: text("a"),
            node_b: text("b"),
            description: text("at odds"),
            slug_a: text("a"),
            slug_b: text("b"),
        };
        let alert = AlertItem {
            id: text("g7h8"),
            slug: text("g"),
            title: text("Client pipeline Q1"),
            stale_since: Some(text("2026-01-28")),
            reason: text("age (43 days)"),
        };
        let file = WrappedPage {
            name: text("user"),
            path: "profile.md".into(),
            text: "word ".repeat(300),
            origin: None,
            snapshot_at: None,
        };
        BriefParts {
            injected: vec![file],
            conflicts: vec![conflict],
            alerts: vec![alert],
            nodes: (0..30).map(node).collect(),
        }
    }

    /// Counts each word as a token.
    fn words(text: &str) -> usize {
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).count()
    }

    #[test]
    fn pages_are_cut_first_and_the_cut_is_reported() {
        let given = fit(head(), parts(), &Budget::BesideInjected(300), &words);
        assert_eq!((given.injected.len(), given.conflicts.len(), given.stale_alerts.len()), (1, 1, 1));
        let nodes = given.active_nodes.len();
        assert!(nodes > 0 && nodes < 30, "{nodes}");
        let said =
            format!("cut to 300 tokens: {} pages omitted; raise the token budget to see more", 30 - nodes);
        assert_eq!(given.warnings, [said]);
        let all = fit(head(), parts(), &Budget::BesideInjected(3000), &words);
        assert_eq!((all.active_nodes.len(), all.warnings.len()), (30, 0));
    }

    #[test]
    fn cut_items_are_counted_in_words() {
        let given = fit(head(), parts(), &Budget::BesideInjected(1), &words);
        let cut =
            "cut to 1 token: 1 conflict, 1 stale alert, 30 pages omitted; raise the token budget to see more";
        assert_eq!(given.warnings, [cut]);
    }

    #[test]
    fn total_budget_holds_and_files_are_not_truncated() {
        for limit in [1, 50, 100, 200, 400, 500, 700, 2000] {
            let given = fit(head(), parts(), &Budget::Everything(limit), &words);
            let cost = words(&json(&given));
            assert!(cost <= limit.max(120), "{cost} of {limit}: {given:?}");
            let whole = given.injected.len() == 1;
            let report = given.warnings.iter().any(|warning| warning.starts_with("profile.md omitted"));
            assert!(whole != report, "{limit}: {:?}", given.warnings);
        }
    }

    #[test]
    fn conflicts_come_before_alerts_and_alerts_before_pages() {
        let mut seen = Vec::new();
        for limit in 1..400 {
            let given = fit(head(), parts(), &Budget::BesideInjected(limit), &words);
            let counts = (given.conflicts.len(), given.stale_alerts.len(), given.active_nodes.len().min(1));
            if seen.last() != Some(&counts) {
                seen.push(counts);
            }
        }
        assert_eq!(seen, [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]);
    }
}
