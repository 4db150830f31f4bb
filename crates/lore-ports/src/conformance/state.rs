//! The durable state of a project.

use super::Open;
use super::sample::{Project, open_project};
use crate::{Error, FileFailure, Forget, ProjectState, ResolvedFinding, StateChange, Store};

pub fn each_field_of_the_state_round_trips(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let mut expected = ProjectState::default();
    assert_eq!(store.state(project.number).unwrap(), expected);
    for (change, field) in [
        (StateChange::Git("{\"behind\": 1}"), "git"),
        (StateChange::LastWrite("write-1"), "last_write"),
        (StateChange::IndexMark("mark"), "index_mark"),
        (StateChange::CuratedPages(0), "curated_pages"),
        (StateChange::Clock("{}"), "clock"),
        (StateChange::LastGenerated("write-2"), "last_generated"),
        (StateChange::LastWrite("write-3\n\"世\""), "last_write"),
        (StateChange::Git(""), "git"),
        (StateChange::IndexMark("other"), "index_mark"),
        (StateChange::CuratedPages(1 << 40), "curated_pages"),
        (StateChange::LastGenerated("write-4"), "last_generated"),
        (StateChange::LintErrors("before", 1), "nothing: the index never"),
        (StateChange::Indexed(1_700_000_000_000), "indexed"),
        (StateChange::LintErrors("mark", 7), "lint_errors"),
        (StateChange::Indexed(1_700_000_000_001), "indexed"),
    ] {
        let text = |text: &str| Some(text.to_owned());
        match change {
            StateChange::IndexMark(mark) => expected.index_mark = text(mark),
            StateChange::LastWrite(id) => expected.last_write = text(id),
            StateChange::LastGenerated(id) => expected.last_generated = text(id),
            StateChange::Git(json) => expected.git = text(json),
            StateChange::CuratedPages(pages) => expected.curated_pages = Some(pages),
            StateChange::Clock(json) => expected.clock = Some(json.to_owned()),
            StateChange::Indexed(at) => (expected.indexed, expected.lint_errors) = (Some(at), None),
            StateChange::LintErrors(mark, errors) => {
                expected.lint_errors = expected.indexed.map(|_| (mark.to_owned(), errors));
            }
        }
        store.set_state(project.number, &change).unwrap();
        assert_eq!(store.state(project.number).unwrap(), expected, "only {field} changes");
    }
}

pub fn state_is_per_project_and_survives_maintenance(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let mark = |store: &dyn Store, project: Project| store.state(project.number).unwrap().index_mark;
    store.set_state(project.number, &StateChange::IndexMark("mine")).unwrap();
    assert_eq!(store.state(other.number).unwrap(), ProjectState::default());
    assert_eq!(mark(&*open(), project).as_deref(), Some("mine"), "visible to other connections");
    store.optimize().unwrap();
    store.shrink_memory().unwrap();
    assert_eq!(mark(&*store, project).as_deref(), Some("mine"));
    let failed = store.transaction(&mut || {
        store.set_state(project.number, &StateChange::IndexMark("lost"))?;
        Err(Error::Cancelled)
    });
    failed.unwrap_err();
    assert_eq!(mark(&*store, project).as_deref(), Some("mine"), "part of the transaction");
}

pub fn forget_removes_the_state_with_the_ledger(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    for project in [project, other] {
        store.set_state(project.number, &StateChange::LastWrite("write-1")).unwrap();
    }
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(store.state(project.number).unwrap().last_write.as_deref(), Some("write-1"));
    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(store.state(project.number).unwrap(), ProjectState::default());
    assert_eq!(store.state(other.number).unwrap().last_write.as_deref(), Some("write-1"));
}

pub fn failures_are_recorded_and_cleared(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let failure = |path: &str, count: u32| FileFailure {
        path: path.into(),
        size: 1 << 40,
        mtime: i64::MAX,
        count,
        reason: "too \"large\"".into(),
    };
    store.set_failures(project.number, &[("b.md", Some(&failure("b.md", 1)))]).unwrap();
    store.set_failures(project.number, &[("a.md", Some(&failure("a.md", 1)))]).unwrap();
    store.set_failures(project.number, &[("b.md", Some(&failure("b.md", 2)))]).unwrap();
    assert_eq!(store.failures(project.number).unwrap(), [failure("a.md", 1), failure("b.md", 2)]);
    store.set_failures(project.number, &[("a.md", None)]).unwrap();
    store.set_failures(project.number, &[("never.md", None)]).unwrap();
    assert_eq!(store.failures(project.number).unwrap(), [failure("b.md", 2)]);
}

pub fn resolved_findings_are_stored_by_project(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let resolved = |id: &str, at: i64| ResolvedFinding { id: id.into(), at, actor: "ada".into() };
    assert_eq!(store.resolved_findings(project.number).unwrap(), []);
    for one in [resolved("b", 1), resolved("a", 2), resolved("b", 3)] {
        store.resolve_finding(project.number, &one).unwrap();
    }
    store.resolve_finding(other.number, &resolved("c", 4)).unwrap();
    assert_eq!(
        store.resolved_findings(project.number).unwrap(),
        [resolved("a", 2), resolved("b", 1)],
        "sorted by id; the first resolution wins"
    );
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(open().resolved_findings(project.number).unwrap().len(), 2, "resolutions survive a rebuild");
    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(store.resolved_findings(project.number).unwrap(), []);
    assert_eq!(store.resolved_findings(other.number).unwrap(), [resolved("c", 4)]);
}
