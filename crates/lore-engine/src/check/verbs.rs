//! What the verb of a relation or the predicate of a fact says about time: some name a state that begins and ends,
//! others an event or a kinship that no leaving undoes. Pure.

/// What a verb is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bond {
    /// A post, a membership, a contract: it ends when somebody leaves.
    Post,
    /// Where somebody lives: it ends with a move, not with a journey.
    Home,
    /// Nothing but that there is a connection.
    Plain,
    /// An event or a kinship: it has no end.
    Lasting,
    /// Not known.
    Other,
}

/// Words of posts, memberships and contracts.
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

/// Words of homes.
const HOME: &[&str] = &["lives", "live", "living", "resides", "residence", "home", "based", "stays"];

/// Words of connections that say nothing more.
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

/// Words of events and kinships.
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

/// What a verb is about: the strongest of its words decides, an event before anything else.
pub fn bond(verb: &str) -> Bond {
    let verb = verb.to_lowercase();
    let has =
        |known: &[&str]| words(&verb).any(|word| known.contains(&word)) || known.contains(&verb.as_str());
    match () {
        () if has(LASTING) => Bond::Lasting,
        () if has(POST) => Bond::Post,
        () if has(HOME) => Bond::Home,
        () if has(PLAIN) => Bond::Plain,
        () => Bond::Other,
    }
}

/// Whether the end of a link with one verb is the end of a fact with the other: both of one kind, both of one word,
/// or a link that says nothing but that there was a connection.
pub fn corresponds(fact: &str, link: &str) -> bool {
    match (bond(fact), bond(link)) {
        (Bond::Lasting, _) | (_, Bond::Lasting) => false,
        (Bond::Post, Bond::Post) | (Bond::Home, Bond::Home) => true,
        (_, Bond::Plain) => true,
        _ => stem(fact) == stem(link),
    }
}

fn words(verb: &str) -> impl Iterator<Item = &str> {
    verb.split(['_', '-', ' ']).filter(|word| !word.is_empty())
}

/// The verb without the small words around it: `is_rated_by` and `rated-by` are both `rated`.
fn stem(verb: &str) -> Vec<String> {
    let small = ["is", "are", "has", "a", "an", "the", "of", "at", "in", "on", "for", "to", "by", "with"];
    words(&verb.to_lowercase()).filter(|word| !small.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_about_a_post_a_home_an_event_or_nothing() {
        for (verb, expected) in [
            ("works_at", Bond::Post),
            ("is_ceo_of", Bond::Post),
            ("Board-Member", Bond::Post),
            ("lives in", Bond::Home),
            ("founded", Bond::Lasting),
            ("is_founder_and_ceo_of", Bond::Lasting),
            ("formerly_works_at", Bond::Lasting),
            ("related_to", Bond::Plain),
            ("uses", Bond::Other),
        ] {
            assert_eq!(bond(verb), expected, "{verb}");
        }
    }

    #[test]
    fn a_link_ends_the_facts_of_its_own_kind() {
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
