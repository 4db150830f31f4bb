//! Facts: found by any name of the subject, closed by a new value, identical after a rebuild.

use lore_engine::{Check, Code, Result, Temporal, VaultContext};
use lore_memory::check::{CheckScope, check, settle};
use lore_memory::{FactQuery, NewAssertion, add_fact, fact_contradictions, facts, validate};
use lore_page::edit::NewFact;
use lore_ports::no_progress;

use super::fixture::World;

const PEOPLE: &str = "\
-- people/ada.md --
---
aliases: [Countess]
---
# Ada Lovelace

- role:: translator {1842..1843} (source: letter/1; by: agent; confidence: 0.9; \"in her own hand\")
- role:: programmer {1844..}
- knows:: Babbage
-- notes/tea.md --
- Ada Lovelace | lives_in:: London
- countess | likes:: tea {..1852}
- Nobody | likes:: coffee
";

/// Formats each fact as `subject (about) predicate object interval @ path:line`.
fn listed(context: &VaultContext, query: &FactQuery<'_>) -> String {
    let found = facts(context, query).unwrap();
    let mut lines: Vec<String> = found
        .facts
        .iter()
        .map(|fact| {
            let statement = &fact.statement;
            let about = fact.about.as_deref().unwrap_or("?");
            let (path, line) = (&fact.path, statement.lines.first);
            format!(
                "{} ({about}) {} {} {} @ {path}:{line}",
                fact.subject, statement.predicate, statement.object, statement.interval
            )
        })
        .collect();
    lines.push(format!("left out {}", found.left_out));
    lines.join("\n")
}

fn query<'a>(temporal: Temporal, day: &'a str) -> FactQuery<'a> {
    FactQuery { page: None, subject: None, predicate: None, temporal, day }
}

fn ids(context: &VaultContext) -> Vec<u64> {
    facts(context, &query(Temporal::All, "2024-06-01")).unwrap().facts.iter().map(|fact| fact.id).collect()
}

#[test]
fn facts_are_found_by_subject() {
    let world = World::synced(PEOPLE);
    let ada = world.page("people/ada.md");
    let about = FactQuery { page: Some(&ada), ..query(Temporal::All, "2024-06-01") };
    let expected = "Ada Lovelace (people/ada) lives_in London  @ notes/tea.md:1\n\
                    Ada Lovelace (people/ada) likes tea {..1852} @ notes/tea.md:2\n\
                    Ada Lovelace (people/ada) role translator {1842..1843} @ people/ada.md:6\n\
                    Ada Lovelace (people/ada) role programmer {1844..} @ people/ada.md:7\n\
                    Ada Lovelace (people/ada) knows Babbage  @ people/ada.md:8\nleft out 0";
    assert_eq!(listed(&world.context, &about), expected);
    for name in ["Ada Lovelace", "countess", "people/ada", "ADA"] {
        let named = FactQuery { subject: Some(name), ..query(Temporal::All, "2024-06-01") };
        assert_eq!(listed(&world.context, &named), expected, "{name}");
    }
    let by_subject = FactQuery { subject: Some("nobody"), ..query(Temporal::Current, "2024-06-01") };
    assert_eq!(listed(&world.context, &by_subject), "Nobody (?) likes coffee  @ notes/tea.md:3\nleft out 0");
}

#[test]
fn facts_are_filtered_by_validity() {
    let world = World::synced(PEOPLE);
    let roles = |temporal, day| {
        let listed = listed(&world.context, &FactQuery { predicate: Some("Role"), ..query(temporal, day) });
        listed
            .lines()
            .map(|line| line.split(' ').nth(4).unwrap_or(line).to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(roles(Temporal::Current, "2024-06-01"), "programmer left out 1");
    assert_eq!(roles(Temporal::Current, "1843"), "translator left out 1");
    assert_eq!(roles(Temporal::Current, "1843-12-31"), "translator left out 1");
    assert_eq!(roles(Temporal::Historical, "1844"), "translator left out 1");
    assert_eq!(roles(Temporal::Begun, "1843-05"), "translator left out 1");
    assert_eq!(roles(Temporal::All, "1700"), "translator programmer left out 0");
}

fn assert_fact(world: &World, predicate: &str, object: &str, dates: &str) -> Result<(String, usize)> {
    let page = world.page("people/ada.md");
    let interval = if dates == ".." { Default::default() } else { dates.parse().unwrap() };
    let fact = NewFact { predicate: predicate.into(), object: object.into(), interval, ..Default::default() };
    let done = add_fact(&world.context, &NewAssertion { page: &page, fact, expected_version: None })?;
    Ok((done.fact.statement.interval.to_string(), done.ended.len()))
}

#[test]
fn new_values_close_old_ones_and_keep_their_provenance() {
    let world = World::synced(
        "-- people/ada.md --\n- role:: clerk {2019..} (source: letter/1; \"as told\")\n- knows:: Bob\n",
    );
    let before = ids(&world.context);
    assert_eq!(
        assert_fact(&world, "role", "engineer", "2023-03-01..").unwrap(),
        ("{2023-03-01..}".into(), 1)
    );
    assert_eq!(assert_fact(&world, "role", "boss", "..").unwrap(), ("{2024-06-01..}".into(), 1));
    assert_eq!(assert_fact(&world, "knows", "Eve", "..").unwrap(), (String::new(), 0));
    assert_eq!(
        world.text("people/ada.md"),
        "- role:: clerk {2019..2023-02-28} (source: letter/1; \"as told\")\n- knows:: Bob\n\
         - role:: engineer {2023-03-01..2024-05-31}\n- role:: boss {2024-06-01..}\n- knows:: Eve\n"
    );
    assert_eq!(ids(&world.context)[..2], before, "ids do not change when a fact is closed");
    assert_eq!(ids(&world.context), ids(&world.fresh()));
    world.check_consistency();
}

#[test]
fn duplicate_facts_are_skipped_and_conflicts_rejected() {
    let world = World::synced("-- people/ada.md --\n- Role:: clerk {2019..}\n-- companies/acme.md --\nx\n");
    for dates in ["2019..", "..", "2020.."] {
        assert_eq!(assert_fact(&world, "role", "Clerk", dates).unwrap(), ("{2019..}".into(), 0), "{dates}");
    }
    for dates in ["2018..", "2019..", "2020..2021"] {
        let error = assert_fact(&world, "role", "boss", dates).expect_err(dates);
        assert_eq!(error.code(), Code::Lint, "{dates}: {error}");
    }
    assert_eq!(assert_fact(&world, "two words", "x", "..").expect_err("no word").code(), Code::Usage);
    assert_eq!(world.text("people/ada.md"), "- Role:: clerk {2019..}\n");
    // A page is the same value under any of its names.
    assert_eq!(assert_fact(&world, "owner", "[[companies/acme]]", "2020..").unwrap().1, 0);
    assert_eq!(assert_fact(&world, "owner", "acme", "..").unwrap(), ("{2020..}".into(), 0));
}

#[test]
fn explicit_subjects_can_name_the_page_itself() {
    let world = World::synced(
        "-- people/ada.md --\n# Ada\n\n- Ada | status:: busy {2020..}\n- Bob | status:: busy\n",
    );
    let page = world.page("people/ada.md");
    let fact = NewFact {
        subject: Some("people/ada".into()),
        predicate: "status".into(),
        object: "free".into(),
        ..Default::default()
    };
    let new = NewAssertion { page: &page, fact, expected_version: None };
    assert_eq!(add_fact(&world.context, &new).unwrap().ended.len(), 1);
    assert_eq!(
        world.text("people/ada.md"),
        "# Ada\n\n- Ada | status:: busy {2020..2024-05-31}\n- Bob | status:: busy\n- status:: free {2024-06-01..}\n"
    );
}

#[test]
fn policy_sets_single_valued_predicates() {
    let world = World::synced(
        "-- lore.toml --\n[facts]\nsingle = [\"knows\"]\nmany = [\"role\"]\n-- people/ada.md --\n- knows:: Bob {2019..}\n- role:: x {2019..}\n",
    );
    assert_eq!(assert_fact(&world, "knows", "Eve", "..").unwrap().1, 1);
    assert_eq!(assert_fact(&world, "role", "y", "..").unwrap().1, 0);
}

#[test]
fn overlapping_values_and_bad_intervals_are_reported() {
    let world = World::synced(
        "-- a.md --\n- role:: clerk {2019..}\n- role:: boss {2020..}\n- Bob | role:: boss\n- role:: page {2010..2018}\n\
         - knows:: x {2020..}\n- knows:: y {2020..}\n- likes:: z {2020..2019}\n- at [[b]] {2021..2020}\n-- b.md --\nx\n",
    );
    let problems = validate(&world.context, Check::Facts).unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("a.md:7: `{2020..2019}` is not an interval"), "{problems:?}");
    let contradictions = fact_contradictions(&world.context).unwrap();
    assert_eq!(contradictions, ["a.md: lines 1 and 2 give role two values at the same time: clerk and boss"]);
    let problems = validate(&world.context, Check::Links).unwrap();
    assert!(
        problems.len() == 1 && problems[0].starts_with("a.md:8: `{2021..2020}` is not an interval"),
        "{problems:?}"
    );
}

#[test]
fn resolved_contradictions_are_not_reported() {
    let world = World::synced(
        "-- a.md --\n- role:: clerk {2019..}\n- role:: boss {2020..}\n-- b.md --\n- role:: x\n- role:: y\n",
    );
    assert_eq!(fact_contradictions(&world.context).unwrap().len(), 2);
    let found = check(&world.context, CheckScope::default(), &no_progress).unwrap();
    let of_a = found.iter().find(|one| one.places[0].path == "a.md").unwrap();
    settle(&world.context, &of_a.id, &no_progress).unwrap();
    let left = fact_contradictions(&world.context).unwrap();
    assert_eq!(left, ["b.md: lines 1 and 2 give role two values at the same time: x and y"]);
    assert_eq!(validate(&world.context, Check::Facts).unwrap(), Vec::<String>::new());
}
