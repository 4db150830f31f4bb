//! Lifecycle states in a real vault: from links, dates and declared statuses. Today is 2024-06-01.

use lore_engine::{
    ScanMode, Scope, Stale, Stated, VaultContext, conflicts, find_stale, plan_status, refresh, stale_pages,
    states, supersession,
};
use lore_memory::{BriefRequest, brief, short_id};
use lore_ports::no_progress;

use super::fixture::{World, pages};

const AGEING: &str = "-- lore.toml --\n[lifecycle]\nage = true\n\
                      [[lifecycle.paths]]\npattern = \"clients/**\"\nstale_after_days = 20\n\
                      [[lifecycle.paths]]\npattern = \"people/**\"\nage = false\n";

/// Formats `path status since: reasons` of every page, by path.
fn shown(context: &VaultContext) -> Vec<String> {
    let pages = pages(context);
    let states = states(context, &pages).unwrap();
    let line = |(page, state): (&lore_ports::PageRow, &lore_engine::State)| {
        let since = state.since.as_deref().unwrap_or("-");
        format!("{} {} {since}: {}", page.path.trim_end_matches(".md"), state.status, state.reason())
    };
    pages.iter().zip(&states).map(line).collect()
}

fn stale(context: &VaultContext) -> Vec<String> {
    stale_pages(context).unwrap().into_iter().map(|(page, _)| page.slug).collect()
}

fn page(day: &str, rest: &str) -> String {
    format!("---\nupdated: {day}\n---\n{rest}\n")
}

#[test]
fn links_determine_the_state() {
    let world = World::synced(&format!(
        "-- a.md --\n{}-- b.md --\n{}-- c.md --\n{}-- d.md --\n{}-- e.md --\n{}-- f.md --\n{}-- g.md --\n{}",
        page("2024-01-01", ""),
        page("2024-01-02", "- supersedes [[a]]\n- contradicts [[c]]"),
        page("2024-01-03", "- supersedes [[b]] {2024-02-01..}"),
        page("2024-01-04", "- Superseded_By [[c]]"),
        page("2024-01-05", "- contradicts [[f]] (another number)\n- supersedes [[f]] {..2024-05-31}"),
        page("2024-01-06", "- contradicts [[a]]"),
        "---\nsupersedes: \"[[nobody]]\"\ncompacted_into: \"[[a]]\"\n---\n",
    ));
    assert_eq!(
        shown(&world.context),
        [
            "a superseded 2024-01-02: superseded by b",
            "b superseded 2024-02-01: superseded by c",
            "c active -: ",
            "d superseded 2024-01-03: superseded by c",
            "e contested -: contradicts f",
            "f contested -: contradicts e",
            "g compacted -: compacted into a",
        ],
        "superseded pages are never contested"
    );
    assert_eq!(stale(&world.context), ["b", "d", "a"]);
    let chain = supersession(&world.context, &world.page("a.md")).unwrap();
    assert_eq!(chain, [vec![("b".into(), "b".into())], vec![("c".into(), "c".into())]]);
    let found = conflicts(&world.context).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].one.slug.as_str(), found[0].description.as_str()), ("e", "another number"));
    assert_eq!(shown(&world.context), shown(&world.fresh()), "a fresh index gives the same states");
}

#[test]
fn supersession_cycles_are_reported_and_terminate() {
    let world = World::synced(
        "-- a.md --\n- supersedes [[b]]\n-- b.md --\n- supersedes [[a]]\n-- c.md --\n- supersedes [[c]]\n",
    );
    let reasons: Vec<String> = shown(&world.context)
        .iter()
        .map(|line| line.split(": ").skip(1).collect::<Vec<_>>().join(": "))
        .collect();
    assert_eq!(
        reasons,
        [
            "superseded by b, supersession cycle: a, b",
            "superseded by a, supersession cycle: b, a",
            "supersession cycle: c",
        ]
    );
    assert_eq!(supersession(&world.context, &world.page("a.md")).unwrap().len(), 1);
}

#[test]
fn age_counts_only_if_the_policy_sets_it() {
    let files = format!(
        "-- old.md --\n{}-- orphan.md --\n{}-- new.md --\n{}-- clients/acme.md --\n{}-- people/ada.md --\n{}\
         -- decided.md --\n{}-- reviewed.md --\n{}",
        page("2024-03-31", ""),
        page("2024-05-01", ""),
        page("2024-06-01", "[[old]] [[acme]] [[reviewed]]"),
        page("2024-05-01", ""),
        page("2020-01-01", ""),
        "---\nupdated: 2020-01-01\nstatus: active\n---\n",
        "---\nupdated: 2020-01-01\nreviewed: 2024-05-20\n---\n",
    );
    let world = World::synced(&format!("{AGEING}{files}"));
    assert_eq!(
        shown(&world.context),
        [
            "clients/acme stale 2024-05-21: age (31 days)",
            "decided active -: status: active",
            "new active -: ",
            "old stale 2024-05-30: age (62 days)",
            "orphan stale 2024-05-31: no inbound links (31 days)",
            "people/ada active -: ",
            "reviewed active -: ",
        ]
    );
    assert_eq!(stale(&world.context), ["orphan", "old", "clients/acme"], "most recently stale first");
    assert_eq!(stale(&world.fresh()), stale(&world.context));
    let some = |path: Option<&str>, limit: Option<usize>| {
        let query = Stale { path: path.map(str::to_owned), limit, ..Stale::default() };
        find_stale(&world.context, &query).unwrap().into_iter().map(|(page, _)| page.slug).collect::<Vec<_>>()
    };
    assert_eq!(some(Some("clients/"), None), ["clients/acme"]);
    assert_eq!(some(None, Some(2)), ["orphan", "old"]);
    assert_eq!(some(Some("people/"), None), [""; 0]);
    let without = World::synced(&files);
    assert_eq!(stale(&without.context), [""; 0], "without a policy no page is stale by age");
}

#[test]
fn pages_without_a_date_use_the_mtime() {
    // The fixture's files are from 2024-04-30: 32 days ago.
    let world = World::synced(&format!("{AGEING}-- a.md --\nx\n-- b.md --\n[[a]] [[b]]\n"));
    assert_eq!(shown(&world.context), ["a active -: ", "b stale 2024-05-30: no inbound links (32 days)"]);
}

#[test]
fn all_stale_pages_are_found() {
    let mut files = AGEING.to_owned();
    for number in 0..450 {
        let day = if number % 3 == 0 { "2024-05-25" } else { "2024-01-01" };
        files.push_str(&format!("-- {number:03}.md --\n{}", page(day, "")));
    }
    let world = World::synced(&files);
    let all = pages(&world.context);
    let by_state = states(&world.context, &all).unwrap().iter().filter(|state| state.is_stale()).count();
    assert_eq!((by_state, stale(&world.context).len()), (300, 300));
}

#[test]
fn statuses_are_set_with_the_smallest_change() {
    let world = World::synced(&format!(
        "{AGEING}-- old.md --\n{}-- older.md --\n{}-- said.md --\n{}-- gone.md --\n{}-- plain.md --\n{}",
        page("2024-01-01", "- supersedes [[older]]"),
        page("2024-06-01", ""),
        "---\nupdated: 2024-06-01\nstatus: stale\n---\n",
        "---\nupdated: 2024-06-01\ncompacted_into: plain\n---\n",
        page("2024-06-01", ""),
    ));
    let plan = |path: &str, status: &str| plan_status(&world.context, &world.page(path), status);
    let planned_change = |path: &str| plan(path, "active").map(|plan| (plan.status, plan.reviewed)).unwrap();
    let today = Some("2024-06-01".to_owned());
    assert_eq!(
        planned_change("old.md"),
        (Stated::Kept, today.clone()),
        "a review date is enough against age"
    );
    assert_eq!(
        planned_change("older.md"),
        (Stated::Set("active".into()), today.clone()),
        "a review date is not enough against a link"
    );
    assert_eq!(planned_change("said.md"), (Stated::Removed, today.clone()));
    for (path, status, expected) in [
        ("plain.md", "stale", None),
        ("plain.md", "Contested", None),
        ("plain.md", "superseded", None),
        ("plain.md", "compacted", Some("only a stale page can")),
        ("old.md", "compacted", None),
        ("older.md", "compacted", None),
        ("gone.md", "active", Some("is compacted into plain")),
        ("gone.md", "stale", Some("cannot become stale")),
        ("plain.md", "splendid", Some("\"splendid\" is not a status")),
    ] {
        match (plan(path, status), expected) {
            (Ok(plan), None) => {
                assert_eq!(plan.status, Stated::Set(status.to_lowercase()), "{path} {status}")
            }
            (Err(error), Some(message)) => {
                assert!(error.to_string().contains(message), "{path} {status}: {error}")
            }
            (plan, _) => panic!("{path} {status}: {plan:?}"),
        }
    }
}

#[test]
fn schemas_restrict_statuses() {
    let world = World::synced(
        "-- lore.toml --\n[[rule]]\npaths = [\"**\"]\nschema = \"node\"\n[schema.node]\nrequired = [\"status\"]\n\
         values = { status = [\"current\", \"contested\", \"superseded\"] }\ndefaults = { status = \"current\" }\n\
         -- a.md --\n---\nstatus: contested\n---\n",
    );
    let plan = |status: &str| plan_status(&world.context, &world.page("a.md"), status);
    let refused = plan("stale").expect_err("not allowed");
    assert_eq!(refused.code().name(), "denied");
    assert!(refused.to_string().contains("current, contested, superseded"), "{refused}");
    let allowed = plan("current").unwrap();
    assert_eq!(
        (allowed.status, allowed.reviewed),
        (Stated::Set("current".into()), Some("2024-06-01".into()))
    );
    assert_eq!(plan("superseded").unwrap().reviewed, None);
}

fn nodes(context: &VaultContext, request: &BriefRequest) -> Vec<String> {
    brief(context, request).unwrap().nodes.into_iter().map(|node| node.page.slug).collect()
}

#[test]
fn briefs_match_the_directory() {
    let world = World::synced(&format!(
        "-- acme/a.md --\n{}-- acme/b.md --\n{}-- acme/old.md --\n{}-- x/tagged.md --\n{}-- x/project.md --\n{}\
         -- x/recent.md --\n{}-- x/y.md --\n{}-- companies/acme.md --\n{}",
        page("2024-05-01", ""),
        page("2024-05-30", "- supersedes [[acme/old]]"),
        page("2024-05-31", ""),
        "---\nupdated: 2024-04-01\ntags: [Acme]\n---\n",
        "---\nupdated: 2024-03-01\nprojects: [acme]\n---\n",
        page("2024-06-01", ""),
        page("2024-05-29", ""),
        page("2024-02-01", ""),
    ));
    let at = |directories: &[&str]| BriefRequest {
        directories: directories.iter().map(|name| (*name).to_owned()).collect(),
        ..BriefRequest::default()
    };
    let matching = ["acme/b", "acme/a", "x/tagged", "x/project", "companies/acme"];
    let found = nodes(&world.context, &at(&["src", "Acme", "code"]));
    assert_eq!(found[..5], matching, "the nearest matching directory wins");
    assert_eq!(found[5..], ["x/recent", "x/y"]);
    assert_eq!(brief(&world.context, &at(&["src", "Acme"])).unwrap().namespace.as_deref(), Some("acme"));
    assert_eq!(nodes(&world.context, &at(&["elsewhere"])), ["x/recent", "acme/b", "x/y"]);
    let recent = BriefRequest { recent: true, ..at(&["acme"]) };
    assert_eq!(nodes(&world.context, &recent), ["x/recent", "acme/b", "x/y"]);
    let two = BriefRequest { limit: Some(2), ..at(&["acme"]) };
    assert_eq!(nodes(&world.context, &two), ["acme/b", "acme/a"]);
    let named = |name: &str| BriefRequest { namespace: Some(name.into()), ..at(&["acme"]) };
    assert_eq!(nodes(&world.context, &named("acme")), matching);
    assert_eq!(nodes(&world.context, &named("x/")), ["x/recent", "x/y", "x/tagged", "x/project"]);
    assert_eq!(nodes(&world.context, &named("x/re")), ["x/recent"]);
    assert_eq!(nodes(&world.context, &named("nothing")), [""; 0]);
    let alerts = |request: &BriefRequest| brief(&world.context, request).unwrap().stale.len();
    assert_eq!((alerts(&named("acme")), alerts(&named("x")), alerts(&at(&["x"]))), (1, 0, 1));
}

#[test]
fn inbound_links_lift_pages_in_briefs() {
    let world = World::synced(&format!(
        "-- n/a.md --\n{}-- n/b.md --\n{}-- x.md --\n[[n/b]]\n-- y.md --\n[[n/b]]\n",
        page("2024-05-31", "One sentence. And another.\n"),
        page("2024-05-30", "> Quoted\n\n[[n/a]] [[n/b]] [[nowhere]]\n"),
    ));
    let found =
        brief(&world.context, &BriefRequest { namespace: Some("n".into()), ..Default::default() }).unwrap();
    let shown: Vec<String> = found
        .nodes
        .iter()
        .map(|node| format!("{} {} {}", node.page.slug, node.links_out, node.summary))
        .collect();
    assert_eq!(shown, ["n/b 1 Quoted", "n/a 0 One sentence."]);
}

#[test]
fn short_ids_resolve_to_their_page() {
    let with_id = |id: &str| format!("---\nid: {id}\n---\n");
    let world = World::synced(&format!(
        "-- a.md --\n{}-- b.md --\n{}-- c.md --\n{}-- d.md --\nx\n",
        with_id("0192f3a1-7c4e-7b21-9d55-0a1b2c3d4e5f"),
        with_id("0192f3a1-7c4e-7b21-9d56-0a1b2c3d4e5f"),
        with_id("kt-named-by-hand"),
    ));
    refresh(&world.context, Scope::Vault(ScanMode::Stat), &no_progress).unwrap();
    for (path, length) in [("a.md", 23), ("b.md", 23), ("c.md", 16), ("d.md", 8)] {
        let page = world.page(path);
        let short = short_id(&world.context, &page).unwrap();
        assert_eq!(short.len(), length, "{path}: {short}");
        assert_eq!(world.context.page(&short).unwrap().path, path);
    }
}
