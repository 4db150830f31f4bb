//! Classifies verbs of relations and predicates of facts: some name a state that begins and ends, others an event or a
//! kinship that leaving does not end. Pure.

/// Kind of state or event that a verb names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerbKind {
    /// A post, membership or contract, which ends when somebody leaves.
    Post,
    /// A residence, which ends with a move but not with a journey.
    Home,
    /// An unspecified connection.
    Plain,
    /// An event or a kinship, which does not end.
    Lasting,
    /// Unknown.
    Other,
}

/// Words for posts, memberships and contracts.
const POST: &[&str] = &[
    "work",
    "works",
    "working",
    "employed",
    "employee",
    "employer",
    "job",
    "role",
    "position",
    "post",
    "ceo",
    "cto",
    "cfo",
    "coo",
    "cmo",
    "cpo",
    "cio",
    "chief",
    "president",
    "vp",
    "chair",
    "chairs",
    "chairman",
    "chairwoman",
    "chairperson",
    "director",
    "directs",
    "manager",
    "manages",
    "managing",
    "head",
    "heads",
    "lead",
    "leads",
    "leader",
    "run",
    "runs",
    "engineer",
    "designer",
    "developer",
    "researcher",
    "analyst",
    "associate",
    "secretary",
    "treasurer",
    "partner",
    "member",
    "board",
    "advisor",
    "adviser",
    "advises",
    "advising",
    "consultant",
    "consults",
    "consulting",
    "contractor",
    "contracts",
    "contract",
    "intern",
    "interns",
    "interning",
    "teaches",
    "teacher",
    "professor",
    "studies",
    "student",
    "enrolled",
    "serves",
    "belongs",
    "volunteer",
    "volunteers",
    "officer",
    "staff",
    "team",
    "reports",
    "affiliated",
    "represents",
    "plays",
    "coaches",
    "coach",
    "operates",
    "maintains",
    "maintainer",
    "owner",
    "owns",
    "tenant",
    "rents",
    "customer",
    "client",
    "subscriber",
    "subscribes",
    "supplier",
    "supplies",
    "vendor",
    "married",
    "spouse",
    "dating",
];

/// Words for residences.
const HOME: &[&str] = &["lives", "live", "living", "resides", "residence", "home", "based", "stays"];

/// Words for unspecified connections.
const PLAIN: &[&str] = &[
    "related",
    "relates",
    "relation",
    "associated",
    "connected",
    "connection",
    "linked",
    "links",
    "affiliation",
];

/// Words for events and kinships.
const LASTING: &[&str] = &[
    "founded",
    "cofounded",
    "co-founded",
    "founder",
    "cofounder",
    "created",
    "creates",
    "creator",
    "invented",
    "inventor",
    "wrote",
    "writes",
    "written",
    "author",
    "authored",
    "built",
    "made",
    "born",
    "died",
    "knows",
    "knew",
    "known",
    "met",
    "meets",
    "invested",
    "investor",
    "invests",
    "backed",
    "supersedes",
    "superseded",
    "contradicts",
    "derived",
    "implements",
    "mentions",
    "mentioned",
    "cites",
    "cited",
    "acquired",
    "acquires",
    "bought",
    "sold",
    "attended",
    "interviewed",
    "introduced",
    "hired",
    "fired",
    "recruited",
    "child",
    "parent",
    "sibling",
    "brother",
    "sister",
    "mother",
    "father",
    "son",
    "daughter",
    "cousin",
    "inspired",
    "inspires",
    "influenced",
    "admires",
    "likes",
    "similar",
    "same",
    "alumnus",
    "alumna",
    "alumni",
    "graduated",
    "formerly",
    "previously",
    "former",
    "ex",
    "was",
    "left",
    "quit",
    "joined",
    "located",
];

/// Returns the kind of a verb. If its words differ in kind, an event takes precedence.
pub fn verb_kind(verb: &str) -> VerbKind {
    let verb = verb.to_lowercase();
    let has =
        |known: &[&str]| words(&verb).any(|word| known.contains(&word)) || known.contains(&verb.as_str());
    match () {
        () if has(LASTING) => VerbKind::Lasting,
        () if has(POST) => VerbKind::Post,
        () if has(HOME) => VerbKind::Home,
        () if has(PLAIN) => VerbKind::Plain,
        () => VerbKind::Other,
    }
}

/// Returns whether the end of a link implies the end of a fact: both have the same kind, both have the same stem, or
/// the link is an unspecified connection.
pub fn corresponds(fact: &str, link: &str) -> bool {
    match (verb_kind(fact), verb_kind(link)) {
        (VerbKind::Lasting, _) | (_, VerbKind::Lasting) => false,
        (VerbKind::Post, VerbKind::Post) | (VerbKind::Home, VerbKind::Home) => true,
        (_, VerbKind::Plain) => true,
        _ => stem(fact) == stem(link),
    }
}

/// Words of relations that name an employment without its role.
const EMPLOYMENT: &[&str] = &[
    "work",
    "works",
    "working",
    "employed",
    "employee",
    "employer",
    "job",
    "role",
    "position",
    "post",
    "staff",
    "serves",
    "officer",
    "associate",
];

/// Returns whether a relation ends when a role or a body in this scope ends: `works_at` and `is_cto_of` end with `CTO`,
/// `advises` and `on_board_of` do not. Without a scope everything ends.
pub fn ends_with_scope(relation: &str, scope: &[String]) -> bool {
    let relation = relation.to_lowercase();
    let has = |known: &dyn Fn(&str) -> bool| words(&relation).any(known);
    let bodies = ["board", "committee", "council", "team", "group", "panel", "jury", "union"];
    let is_body = scope.iter().any(|word| bodies.contains(&word.as_str()));
    scope.is_empty()
        || has(&|word| scope.iter().any(|limit| limit == word))
        || !is_body && has(&|word| EMPLOYMENT.contains(&word))
        || !is_body && verb_kind(&relation) != VerbKind::Post
}

fn words(verb: &str) -> impl Iterator<Item = &str> {
    verb.split(['_', '-', ' ']).filter(|word| !word.is_empty())
}

/// Returns the verb without function words: `is_rated_by` and `rated-by` both become `rated`.
fn stem(verb: &str) -> Vec<String> {
    let small = ["is", "are", "has", "a", "an", "the", "of", "at", "in", "on", "for", "to", "by", "with"];
    words(&verb.to_lowercase()).filter(|word| !small.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_classified_by_kind() {
        for (verb, expected) in [
            ("works_at", VerbKind::Post),
            ("is_ceo_of", VerbKind::Post),
            ("Board-Member", VerbKind::Post),
            ("lives in", VerbKind::Home),
            ("founded", VerbKind::Lasting),
            ("is_founder_and_ceo_of", VerbKind::Lasting),
            ("formerly_works_at", VerbKind::Lasting),
            ("related_to", VerbKind::Plain),
            ("uses", VerbKind::Other),
        ] {
            assert_eq!(verb_kind(verb), expected, "{verb}");
        }
    }

    #[test]
    fn relation_ends_with_its_own_role_only() {
        for (relation, scope, expected) in [
            ("works_at", "", true),
            ("advises", "", true),
            ("works_at", "cto", true),
            ("is_cto_of", "cto", true),
            ("is_ceo_of", "cto", false),
            ("advises", "ceo", false),
            ("on_board_of", "board", true),
            ("works_at", "committee", false),
            ("member_of", "member", true),
            ("partnered", "head", true),
        ] {
            let scope: Vec<String> = scope.split_whitespace().map(str::to_owned).collect();
            assert_eq!(ends_with_scope(relation, &scope), expected, "{relation} {scope:?}");
        }
    }

    #[test]
    fn link_ends_facts_of_its_kind() {
        for (fact, link, expected) in [
            ("is_ceo_of", "works_at", true),
            ("lives_in", "based_in", true),
            ("rated_by", "is-rated-by", true),
            ("is_ceo_of", "related_to", true),
            ("invested_in", "works_at", false),
            ("is_ceo_of", "founded", false),
            ("likes", "lives_in", false),
            ("uses", "pays", false),
        ] {
            assert_eq!(corresponds(fact, link), expected, "{fact} {link}");
        }
    }
}
