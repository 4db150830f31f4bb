use lore_page::Interval;
use lore_ports::{LinkDraft, LinkRow};

use super::*;
use crate::policy::Ageing;

const TODAY: &str = "2026-02-10";

fn day(text: &str) -> Date {
    text.parse().expect("a day")
}

/// Returns a page changed on a date, in a vault with limits of 60 and 30 days.
fn page(touched: &str) -> Evidence {
    let ageing = Ageing { stale_after: Some(60), orphan_after: Some(30) };
    Evidence { touched: day(touched), inbound: 1, ageing, ..Evidence::default() }
}

fn superseder(slug: &str, since: &str) -> Superseder {
    Superseder { slug: slug.into(), title: slug.to_uppercase(), since: day(since) }
}

/// Compares the derived state as `status since: reasons`.
#[track_caller]
fn check(known: Evidence, expected: &str) {
    let state = derive(known, day(TODAY));
    let since = state.since.as_deref().map(|day| format!(" {day}")).unwrap_or_default();
    assert_eq!(format!("{}{since}: {}", state.status, state.reason()), expected);
}

#[test]
fn page_is_active_by_default() {
    check(page(TODAY), "active: ");
    check(page("2026-03-01"), "active: ");
}

#[test]
fn page_is_stale_since_it_passed_its_threshold() {
    check(page("2025-12-12"), "active: ");
    check(page("2025-12-11"), "stale 2026-02-09: age (61 days)");
    let override_of_20 = Ageing { stale_after: Some(30), orphan_after: None };
    check(Evidence { ageing: override_of_20, ..page("2025-12-29") }, "stale 2026-01-28: age (43 days)");
    check(Evidence { ageing: Ageing::default(), ..page("1999-01-01") }, "active: ");
    let for_ever = Ageing { stale_after: Some(u32::MAX), orphan_after: Some(u32::MAX) };
    check(Evidence { ageing: for_ever, ..page("1999-01-01") }, "active: ");
}

#[test]
fn orphan_is_stale_sooner() {
    let orphan = |touched: &str| Evidence { inbound: 0, ..page(touched) };
    check(orphan("2026-01-11"), "active: ");
    check(orphan("2026-01-10"), "stale 2026-02-09: no inbound links (31 days)");
    check(orphan("2025-12-01"), "stale 2025-12-31: age (71 days), no inbound links (71 days)");
    check(Evidence { inbound: 1, ..page("2026-01-10") }, "active: ");
}

#[test]
fn page_is_superseded_since_its_first_superseder() {
    let by = vec![superseder("b", "2026-01-05"), superseder("c", "2026-01-02")];
    let known = Evidence { superseders: by, ..page(TODAY) };
    check(known.clone(), "superseded 2026-01-02: superseded by b, superseded by c");
    let state = derive(known, day(TODAY));
    assert!(state.is_stale());
    assert_eq!(state.superseded_by, [("b".into(), "B".into()), ("c".into(), "C".into())]);
    assert_eq!(state.warnings(), ["superseded by b, c"]);
}

#[test]
fn contradiction_makes_a_page_contested() {
    let odds = vec![("b".to_owned(), "different conclusion".to_owned())];
    let known = Evidence { contradicts: odds, ..page(TODAY) };
    check(known.clone(), "contested: contradicts b");
    let state = derive(known.clone(), day(TODAY));
    assert!(!state.is_stale());
    assert_eq!(state.warnings(), ["contested: contradicts b (different conclusion)"]);
    check(Evidence { touched: day("2025-12-01"), ..known }, "contested: contradicts b, age (71 days)");
}

#[test]
fn compacted_overrides_other_states() {
    let known = Evidence { compacted_into: Some("sum".into()), ..page("2025-12-01") };
    check(known.clone(), "compacted: compacted into sum, age (71 days)");
    assert_eq!(derive(known, day(TODAY)).warnings(), ["compacted into sum"]);
}

#[test]
fn status_in_file_overrides_derived_state() {
    let stated = |status: &str, known: Evidence| Evidence { stated: Some(status.into()), ..known };
    let superseded = Evidence { superseders: vec![superseder("b", "2026-01-05")], ..page(TODAY) };
    check(stated("active", page("2025-01-01")), "active: status: active");
    check(stated("active", superseded.clone()), "active: status: active, superseded by b");
    check(
        stated("superseded", superseded.clone()),
        "superseded 2026-01-05: status: superseded, superseded by b",
    );
    check(stated("stale", page("2026-02-01")), "stale 2026-02-01: status: stale");
    check(stated("reversed", page("2026-02-01")), "reversed 2026-02-01: status: reversed");
    check(stated("current", page("2025-01-01")), "current: status: current");
    let compacted = Evidence { compacted_into: Some("sum".into()), ..page(TODAY) };
    check(stated("active", compacted), "active: status: active, compacted into sum");
    let warnings = derive(stated("active", superseded), day(TODAY)).warnings();
    assert_eq!(warnings, ["superseded by b, but its file says active"]);
    for (status, warnings) in
        [("stale", "stale: set in its file"), ("reversed", "reversed: set in its file"), ("done", "")]
    {
        let warnings: Vec<&str> = warnings.split_terminator('\n').collect();
        assert_eq!(derive(stated(status, page(TODAY)), day(TODAY)).warnings(), warnings);
    }
}

/// Builds ties from links given as `from verb to {from..until}`, with page numbers.
fn ties(links: &[&str]) -> Ties {
    let row = |(number, text): (i64, &&str)| {
        let parts: Vec<&str> = text.split(' ').collect();
        let interval = parts.get(3).map(|text| {
            let (from, until) = text.split_once("..").expect("an interval");
            Interval { from: from.parse().ok(), until: until.parse().ok() }
        });
        let link = LinkDraft {
            id: 0,
            relation: parts[1].into(),
            target: String::new(),
            names: Default::default(),
            heading: None,
            label: None,
            context: None,
            interval: interval.unwrap_or_default(),
            line: 1,
        };
        let number_of = |text: &str| text.parse::<PageNo>().ok();
        LinkRow {
            number,
            from: number_of(parts[0]).expect("a page"),
            from_path: String::new(),
            to: number_of(parts[2]),
            link,
        }
    };
    Ties::of(&(1..).zip(links).map(row).collect::<Vec<_>>(), TODAY)
}

fn above(ties: &Ties, page: PageNo) -> Vec<PageNo> {
    ties.superseders(page).iter().map(|tie| tie.other).collect()
}

#[test]
fn supersession_can_be_stated_on_either_page() {
    for link in ["2 supersedes 1", "2 SUPERSEDES 1", "1 superseded_by 2", "1 Superseded-By 2"] {
        let ties = ties(&[link]);
        assert_eq!((above(&ties, 1), above(&ties, 2)), (vec![2], vec![]), "{link}");
    }
    assert_eq!(above(&ties(&["2 supersedes 1", "1 superseded_by 2"]), 1), [2], "duplicates count once");
    assert_eq!(above(&ties(&["2 supersedes ?"]), 1), [0; 0], "a missing page supersedes nothing");
}

#[test]
fn only_links_valid_today_count() {
    for (interval, holds) in [
        ("..2026-02-10", true),
        ("..2026-02-09", false),
        ("2026-02-11..", false),
        ("2026-02..", true),
        ("2025..2025", false),
    ] {
        let superseded = ties(&[&format!("2 supersedes 1 {interval}")]);
        assert_eq!(!above(&superseded, 1).is_empty(), holds, "{interval}");
        let contested = ties(&[&format!("2 contradicts 1 {interval}")]);
        assert_eq!(!contested.contradictions(1).is_empty(), holds, "{interval}");
    }
}

#[test]
fn contradiction_is_listed_once_at_both_ends() {
    let ties = ties(&["1 contradicts 2", "2 Contradicts 1", "3 contradicts 3"]);
    let ends = |page: PageNo| ties.contradictions(page).iter().map(|tie| tie.other).collect::<Vec<_>>();
    assert_eq!((ends(1), ends(2), ends(3)), (vec![2], vec![1], vec![]));
}

#[test]
fn chain_is_followed_to_its_end() {
    let chain = ties(&["2 supersedes 1", "3 supersedes 2", "4 supersedes 2", "5 supersedes 4"]);
    assert_eq!(chain.chain(1), [vec![2], vec![3, 4], vec![5]]);
    assert_eq!(chain.circle(1), [0; 0]);
    assert_eq!(above(&chain, 1), [2], "a superseded superseder still supersedes");
}

#[test]
fn cycles_are_detected_and_reported() {
    let ties = ties(&[
        "2 supersedes 1",
        "3 supersedes 2",
        "1 supersedes 3",
        "1 supersedes 9",
        "8 supersedes 3",
        "7 supersedes 7",
    ]);
    assert_eq!(ties.circle(1), [1, 2, 3]);
    assert_eq!(ties.circle(3), [3, 1, 2]);
    assert_eq!(ties.circle(9), [0; 0], "below the cycle");
    assert_eq!(ties.circle(8), [0; 0], "above the cycle");
    assert_eq!(ties.circle(7), [7]);
    assert_eq!(above(&ties, 7), [0; 0], "a page cannot supersede itself");
    assert_eq!(ties.chain(1), [vec![2], vec![3], vec![8]]);
    let circle = Evidence {
        superseders: vec![superseder("b", TODAY)],
        circle: vec!["a".into(), "b".into()],
        ..page(TODAY)
    };
    check(circle, "superseded 2026-02-10: superseded by b, supersession cycle: a, b");
}

#[test]
fn long_chain_takes_linear_time() {
    let links: Vec<String> = (0..20_000).map(|page| format!("{} supersedes {page}", page + 1)).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let ties = ties(&links);
    assert_eq!(ties.chain(0).len(), 20_000);
    assert!((0..20_000).all(|page| ties.circle(page).is_empty()));
}

#[test]
fn words_for_closed_pages_are_known() {
    for (status, live) in [("active", true), ("current", true), ("open", true), ("Contested", true)] {
        assert_eq!(is_live(status), live, "{status}");
    }
    for status in
        ["stale", "Superseded", "compacted", "reversed", "completed", "dropped", "archived", "removed"]
    {
        assert!(!is_live(status), "{status}");
    }
}
