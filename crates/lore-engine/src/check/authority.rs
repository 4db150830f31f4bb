//! Whose word counts for more: what somebody stated over what was observed, inferred, or found outside. Pure.

use lore_page::fold;

/// How much a statement counts: 0 where nobody says where it comes from.
pub(super) type Authority = u8;

/// The authority of a fact: by who made it where the fact says so, else by how its page says that it was learnt.
pub(super) fn authority(by: Option<&str>, confidence: Option<&str>) -> Authority {
    let made = by.map(|by| match fold(by).as_str() {
        "manual" | "user" | "human" => 4,
        "agent" => 3,
        "import" => 2,
        "enrichment" => 1,
        _ => 0,
    });
    let learnt = confidence.map(|confidence| match fold(confidence).as_str() {
        "user-stated" => 4,
        "observed" => 3,
        "inferred" => 2,
        "external" => 1,
        _ => 0,
    });
    made.filter(|made| *made > 0).or(learnt).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::authority;

    #[test]
    fn who_made_a_fact_counts_before_how_its_page_was_learnt() {
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
