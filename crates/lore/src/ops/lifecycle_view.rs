//! What a page shows about its successors and contradictions.

use schemars::JsonSchema;
use serde::Serialize;

/// A page that supersedes another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SupersederItem {
    /// Slug of the page.
    pub slug: String,
    /// Title of the page.
    pub title: String,
    /// Distance: 1 supersedes the page itself, 2 supersedes one that does.
    pub step: usize,
}

/// A page that contradicts another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContradictionItem {
    /// Slug of the page.
    pub slug: String,
    /// Context of the link.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
}

/// Returns `superseded by A, which is superseded by B`; `None` without a chain.
pub fn chain_sentence(chain: &[SupersederItem]) -> Option<String> {
    let mut sentence = String::new();
    let mut many = false;
    for step in 1..=chain.last()?.step {
        let ring: Vec<&str> =
            chain.iter().filter(|page| page.step == step).map(|page| page.slug.as_str()).collect();
        let link = match (step, many) {
            (1, _) => "superseded by ",
            (_, false) => ", which is superseded by ",
            (_, true) => ", which are superseded by ",
        };
        sentence.push_str(link);
        sentence.push_str(&ring.join(" and "));
        many = ring.len() > 1;
    }
    Some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_renders_as_a_sentence() {
        let chain = |pages: &[(&str, usize)]| {
            let item = |(slug, step): &(&str, usize)| SupersederItem {
                slug: (*slug).into(),
                title: String::new(),
                step: *step,
            };
            chain_sentence(&pages.iter().map(item).collect::<Vec<_>>())
        };
        assert_eq!(chain(&[]), None);
        assert_eq!(chain(&[("a", 1)]).as_deref(), Some("superseded by a"));
        assert_eq!(
            chain(&[("a", 1), ("b", 1), ("c", 2), ("d", 3)]).as_deref(),
            Some("superseded by a and b, which are superseded by c, which is superseded by d")
        );
    }
}
