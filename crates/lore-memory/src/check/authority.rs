//! Authority of statements: stated by a person ranks above observed, inferred and external. Pure.

use lore_text::fold;

/// Rank of a statement; 0 if its origin is unknown.
pub(super) type Authority = u8;

/// Returns the authority of a fact: by its author if the fact names one, else by the confidence of its page.
pub(super) fn authority(by: Option<&str>, confidence: Option<&str>) -> Authority {
    let by_author = by.map(|by| match fold(by).as_str() {
        "manual" | "user" | "human" => 4,
        "agent" => 3,
        "import" => 2,
        "enrichment" => 1,
        _ => 0,
    });
    let by_confidence = confidence.map(|confidence| match fold(confidence).as_str() {
        "user-stated" => 4,
        "observed" => 3,
        "inferred" => 2,
        "external" => 1,
        _ => 0,
    });
    by_author.filter(|by_author| *by_author > 0).or(by_confidence).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::authority;

    #[test]
    fn author_of_a_fact_overrides_confidence_of_its_page() {
        for (by, confidence, expected) in [
            (None, Some("user-stated"), 4),
            (None, Some("Observed"), 3),
            (Some("import"), Some("user-stated"), 2),
            (Some("manual"), Some("external"), 4),
            (Some("somebody"), Some("inferred"), 2),
            (None, Some("0.9"), 0),
            (None, None, 0),
        ] {
            assert_eq!(authority(by, confidence), expected, "{by:?} {confidence:?}");
        }
    }
}
