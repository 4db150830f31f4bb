//! Which predicates have one value at a time: the same answer in `check`, `fact-add`, `put` and the guard.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Predicates with two values that exclude each other.
const ONE: &[(&str, &str, &str)] = &[
    ("ceo", "Ada", "Bob"),
    ("cto", "Ada", "Bob"),
    ("cfo", "Ada", "Bob"),
    ("employer", "Acme", "Brex"),
    ("works_at", "Acme", "Brex"),
    ("manager", "Ada", "Bob"),
    ("reports_to", "Ada", "Bob"),
    ("hq", "Berlin", "Paris"),
    ("headquarters", "Berlin", "Paris"),
    ("headquartered_in", "Berlin", "Paris"),
    ("city", "Berlin", "Paris"),
    ("country", "Germany", "France"),
    ("revenue", "$5M", "$7M"),
    ("annual_revenue", "$5M", "$7M"),
    ("due_date", "2026-12-01", "2026-12-24"),
    ("deadline", "2026-12-01", "2026-12-24"),
    ("current_role", "engineer", "designer"),
    ("role", "engineer", "designer"),
    ("job_title", "engineer", "designer"),
    ("employees", "50", "80"),
    ("headcount", "50", "80"),
    ("valuation", "$1B", "$2B"),
    ("status", "open", "closed"),
    ("stage", "seed", "series A"),
    ("priority", "high", "low"),
    ("version", "1.2", "1.3"),
    ("owner", "Ada", "Bob"),
    ("lead", "Ada", "Bob"),
    ("assignee", "Ada", "Bob"),
    ("price", "10 EUR", "12 EUR"),
    ("budget", "10 EUR", "12 EUR"),
    ("salary", "50k EUR", "60k EUR"),
    ("address", "Main Street 1", "High Street 2"),
    ("lives_in", "Berlin", "Paris"),
    ("based_in", "Berlin", "Paris"),
    ("location", "Berlin", "Paris"),
    ("timezone", "CET", "PST"),
    ("birthday", "1990-01-01", "1991-01-01"),
    ("born_in", "Berlin", "Paris"),
    ("age", "30", "31"),
    ("height", "180 cm", "170 cm"),
    ("weight", "80 kg", "70 kg"),
    ("spouse", "Ada", "Bob"),
    ("founded_in", "2015", "2016"),
    ("founding_year", "2015", "2016"),
    ("release_date", "2026-01-01", "2026-02-01"),
    ("start_date", "2026-01-01", "2026-02-01"),
    ("end_date", "2026-01-01", "2026-02-01"),
    ("department", "Sales", "Legal"),
    ("team", "Search", "Ads"),
    ("company", "Acme", "Brex"),
    ("currency", "EUR", "USD"),
    ("license", "MIT", "GPL"),
    ("population", "5,000", "6,000"),
    ("capital", "Bonn", "Berlin"),
    ("parent_company", "Acme", "Brex"),
    ("successor", "Ada", "Bob"),
    ("net_worth", "$5M", "$7M"),
    ("market_cap", "$5M", "$7M"),
    ("blood_type", "A", "B"),
    ("nationality", "German", "French"),
    ("color", "red", "blue"),
    ("format", "PDF", "EPUB"),
    ("rating", "4", "5"),
    ("approver", "Ada", "Bob"),
    ("is_ceo_of", "Acme", "Brex"),
    ("is_active", "yes", "no"),
    ("puesto", "ingeniera", "directora"),
];

/// Predicates that can have several values.
const MANY: &[&str] = &[
    "knows",
    "uses",
    "speaks",
    "invested_in",
    "likes",
    "friend_of",
    "member_of",
    "is_board_member_of",
    "works_with",
    "works_on",
    "skills",
    "skill",
    "languages",
    "hobbies",
    "hobby",
    "tags",
    "attended",
    "visited",
    "founded",
    "wrote",
    "owns",
    "interested_in",
    "mentions",
    "depends_on",
    "related_to",
    "children",
    "sibling",
    "authored",
    "collaborates_with",
    "follows",
    "contributed_to",
    "advises",
    "studied_at",
    "supports",
    "includes",
    "part_of",
    "has_skill",
    "competitor",
    "product",
    "customer",
    "investor",
    "award",
    "pet",
    "topic",
    "attendee",
    "is_a",
    "former_employer",
    "aliases",
    "genre",
    "author",
    "employees",
    "idiomas",
];

#[track_caller]
fn two_values(sandbox: &Sandbox) -> Vec<Value> {
    let answer = sandbox.run(&["check", "--type", "cross_page"]).ok().json();
    answer["findings"].as_array().expect("findings").clone()
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    String::from_utf8(sandbox.read(path)).expect("text")
}

#[test]
fn predicates_with_one_value_are_reported() {
    let sandbox = Sandbox::with_vault();
    for (at, (predicate, one, two)) in ONE.iter().enumerate() {
        sandbox.write(
            &format!("{at:02}.md"),
            format!("# P{at}\n- {predicate}:: {one}\n- {predicate}:: {two}\n"),
        );
    }
    let found = two_values(&sandbox);
    let is_found = |at: usize| found.iter().any(|one| one["places"][0]["path"] == format!("{at:02}.md"));
    let missed: Vec<&str> = (0..ONE.len()).filter(|at| !is_found(*at)).map(|at| ONE[at].0).collect();
    assert_eq!(missed, [""; 0], "of {}", ONE.len());
}

#[test]
fn predicates_with_several_values_are_not() {
    let sandbox = Sandbox::with_vault();
    for (at, predicate) in MANY.iter().enumerate() {
        sandbox
            .write(&format!("{at:02}.md"), format!("# P{at}\n- {predicate}:: Anna\n- {predicate}:: Boris\n"));
    }
    let found: Vec<String> = two_values(&sandbox).iter().map(|one| one["message"].to_string()).collect();
    assert_eq!(found, [""; 0], "of {}", MANY.len());
}

#[test]
fn synonyms_exclude_each_other() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n- employees:: 50\n- headcount:: 80\n- employees:: Ada\n");
    sandbox.write("b.md", "# B\n- hq:: Berlin\n- headquartered_in:: Paris\n");
    sandbox.write("c.md", "# C\n- works_at:: Acme\n- employer:: Brex\n");
    let messages: Vec<String> = two_values(&sandbox).iter().map(|one| one["message"].to_string()).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].contains("`employees` and `headcount`"), "{messages:?}");
    // The same answer when a value is added: the synonym ends, and is not repeated.
    sandbox.write("d.md", "# D\n- employer:: Acme {2019..}\n- knows:: Bob\n- employees:: Eve\n");
    sandbox.run(&["fact-add", "d", "works_at", "Brex", "--valid-from", "2026-01-01"]).ok();
    sandbox.run(&["fact-add", "d", "current_employer", "Brex"]).ok();
    sandbox.run(&["fact-add", "d", "knows", "Carol"]).ok();
    sandbox.run(&["fact-add", "d", "employees", "50"]).ok();
    assert_eq!(
        text(&sandbox, "d.md"),
        "# D\n- employer:: Acme {2019..2025-12-31}\n- knows:: Bob\n- employees:: Eve\n\
         - works_at:: Brex {2026-01-01..}\n- knows:: Carol\n- employees:: 50\n"
    );
}

#[test]
fn rewritten_page_ends_the_old_value_of_any_predicate() {
    let sandbox = Sandbox::with_vault();
    sandbox.write("a.md", "# A\n\n- city:: Berlin {2019..}\n- hobby:: chess\n");
    let new = b"# A\n\n- city:: Paris {2026-01-01..}\n- hobby:: go\n";
    sandbox.pipe(&["put", "a", "--expected-version", "1"], new).ok();
    let text = text(&sandbox, "a.md");
    for line in [
        "- city:: Berlin {2019..2025-12-31}",
        "- city:: Paris {2026-01-01..}",
        "- hobby:: chess",
        "- hobby:: go",
    ] {
        assert!(text.contains(line), "{line} is not in: {text}");
    }
}

#[test]
fn vault_and_policy_decide_about_other_predicates() {
    let sandbox = Sandbox::with_vault();
    for page in ["a", "b", "c"] {
        sandbox.write(&format!("{page}.md"), format!("# {page}\n- flavor:: sweet\n- flavor:: sour\n"));
    }
    assert_eq!(two_values(&sandbox).len(), 0, "three pages give several values");
    sandbox.run(&["fact-add", "a", "flavor", "salty"]).ok();
    assert!(text(&sandbox, "a.md").contains("- flavor:: sweet\n"), "and a new one ends none of them");
    sandbox.write("lore.toml", "name = \"vault\"\n[facts]\nsingle = [\"flavor\"]\nmany = [\"role\"]\n");
    sandbox.write("d.md", "# D\n- role:: CEO\n- role:: CTO\n");
    let found = two_values(&sandbox);
    assert!(
        !found.is_empty() && found.iter().all(|one| one["message"].to_string().contains("flavor")),
        "{found:?}"
    );
}
