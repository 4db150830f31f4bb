//! Vaults and their checkouts.

use super::Open;
use super::projects::fill;
use super::sample::{
    Project, apply, checkout_key, open_checkout, open_key, open_project, page, put, with_text, with_word,
};
use crate::{Forget, PageWrite, ProjectKey, StateChange, Store, local_id};

fn mtimes(store: &dyn Store, project: Project) -> Vec<(String, i64)> {
    let files = store.fingerprints(project.number, project.replica, None).unwrap();
    files.into_iter().map(|file| (file.path, file.mtime)).collect()
}

/// Checks the rows that [`fill`] wrote.
#[track_caller]
fn check_filled(store: &dyn Store, project: Project) {
    assert_eq!(with_word(store, project, "heron"), ["a.md"]);
    assert_eq!(store.version(project.number, "a.md").unwrap().unwrap().0, 7);
    assert_eq!(store.snapshots(project.number, "a.md").unwrap().len(), 1);
    assert_eq!(store.failures(project.number).unwrap().len(), 1);
    assert_eq!(store.problems().unwrap(), [""; 0]);
}

pub fn projects_are_found_by_their_vault_id(open: Open<'_>) {
    let store = open();
    let project = open_checkout(&*store, "p", "/one");
    fill(&*store, project, "heron");
    assert_eq!(open_checkout(&*store, "p", "/one"), project);

    let second = open_checkout(&*open(), "p", "/two");
    assert_eq!(second.number, project.number);
    assert_ne!(second.replica, project.replica);
    check_filled(&*store, second);
    assert_eq!(store.checkouts("p").unwrap(), ["/one", "/two"]);
    assert_eq!(open_checkout(&*store, "p", "/one"), project, "the first checkout is kept");

    let renamed = ProjectKey { name: "renamed", ..checkout_key("p", "/one") };
    assert_eq!(open_key(&*store, &renamed), project, "the name is only recorded");
    assert_eq!(store.checkouts_named("renamed").unwrap(), ["/one", "/two"]);
    assert_eq!(store.checkouts_named("p").unwrap(), [""; 0]);
    let twin = open_key(&*store, &ProjectKey { vault_id: Some("q"), ..renamed });
    assert_ne!(twin.number, project.number, "another vault in the same directory, under the same name");
    assert_eq!(store.checkouts_named("renamed").unwrap(), ["/one", "/two", "/one"]);
    assert_eq!(store.projects_at("/one").unwrap(), [project.number, twin.number]);
    assert_eq!(store.projects_at("/two").unwrap(), [project.number]);
    assert_eq!(store.projects_at("/").unwrap(), [0; 0]);
    assert_eq!(open_key(&*store, &renamed), project);
    check_filled(&*store, project);
}

pub fn vaults_that_get_an_id_keep_their_rows(open: Open<'_>) {
    let store = open();
    let with_id = checkout_key("id", "/p");
    let without_id = ProjectKey { vault_id: None, ..with_id };
    let project = open_key(&*store, &without_id);
    fill(&*store, project, "heron");
    store.set_state(project.number, &StateChange::LastWrite("write-1")).unwrap();
    assert_eq!(store.checkouts(&local_id("/p")).unwrap(), ["/p"]);
    assert_eq!(open_key(&*store, &with_id), project);
    check_filled(&*store, project);
    assert_eq!(store.state(project.number).unwrap().last_write.as_deref(), Some("write-1"));
    assert_eq!(store.checkouts("id").unwrap(), ["/p"]);
    assert_eq!(store.checkouts(&local_id("/p")).unwrap(), [""; 0], "the former id is gone");
    assert_eq!(open_key(&*open(), &without_id), project, "the directory is enough when the id disappears");
    assert_eq!(open_key(&*open(), &with_id), project);
}

/// Two directories never become one project by getting the same id later.
pub fn known_ids_are_not_taken_over(open: Open<'_>) {
    let store = open();
    let project = open_checkout(&*store, "id", "/p");
    fill(&*store, project, "heron");
    let other = open_key(&*store, &ProjectKey { vault_id: None, ..checkout_key("other", "/q") });
    assert_eq!(open_checkout(&*store, "id", "/q"), other, "it keeps its own rows");
    assert_eq!(store.checkouts("id").unwrap(), ["/p"]);
    let replaced = open_checkout(&*store, "another", "/p");
    assert_ne!(replaced.number, project.number, "another vault in its place");
    assert_eq!(open_checkout(&*store, "id", "/p"), project);
    let copy = ProjectKey { vault_id: Some(&local_id("/p")), ..checkout_key("copy", "/p") };
    let copy = open_key(&*store, &copy);
    assert!(
        ![project.number, replaced.number].contains(&copy.number),
        "a directory as an id is one like any other"
    );
    check_filled(&*store, project);
}

pub fn moved_vaults_replace_their_checkout(open: Open<'_>) {
    let store = open();
    let old = open_checkout(&*store, "p", "/old");
    let elsewhere = open_checkout(&*store, "q", "/old");
    fill(&*store, old, "heron");
    let key = ProjectKey { moved_from: Some("/old"), ..checkout_key("p", "/new") };
    let new = open_key(&*store, &key);
    assert_eq!(new.number, old.number);
    check_filled(&*store, new);
    assert_eq!(store.checkouts("p").unwrap(), ["/new"]);
    assert_eq!(store.projects_at("/old").unwrap(), [elsewhere.number], "other projects stay there");
    assert_eq!(mtimes(&*store, new), [("a.md".to_owned(), 0)], "times are checked again");
    assert_eq!(open_key(&*open(), &key), new);
    let key = ProjectKey { moved_from: Some("/nowhere"), ..checkout_key("r", "/r") };
    assert_eq!(store.checkouts("r").unwrap(), [""; 0]);
    assert_ne!(open_key(&*store, &key).number, new.number, "nothing is known of the old checkout");
}

/// A vault without an id is found by the checkout it was moved from, and leaves nothing there.
pub fn moved_vaults_without_an_id_keep_their_rows(open: Open<'_>) {
    let store = open();
    let at = |checkout| ProjectKey { vault_id: None, ..checkout_key("p", checkout) };
    let old = open_key(&*store, &at("/old"));
    fill(&*store, old, "heron");
    let new = open_key(&*store, &ProjectKey { moved_from: Some("/old"), ..at("/new") });
    assert_eq!(new.number, old.number);
    check_filled(&*store, new);
    assert_eq!(store.checkouts(&local_id("/new")).unwrap(), ["/new"]);
    let newcomer = open_key(&*store, &at("/old"));
    assert_ne!(newcomer.number, old.number);
    assert_eq!(mtimes(&*store, newcomer), []);
    let key = ProjectKey { moved_from: Some("/new"), ..checkout_key("id", "/newer") };
    assert_eq!(open_key(&*store, &key).number, old.number, "moved and given an id at once");
    assert_eq!(store.checkouts("id").unwrap(), ["/newer"]);
}

pub fn checkouts_have_their_own_fingerprints(open: Open<'_>) {
    let store = open();
    let one = open_checkout(&*store, "p", "/one");
    let page_a = put(&*store, one, page("a.md"));
    put(&*store, one, page("b.md"));
    let two = open_checkout(&*store, "p", "/two");
    let times = |a: i64, b: i64| [("a.md".to_owned(), a), ("b.md".to_owned(), b)];
    assert_eq!(mtimes(&*store, one), times(1, 1));
    assert_eq!(mtimes(&*store, two), times(0, 0), "no time until this checkout has one");
    let of = |project: Project| store.fingerprints(project.number, project.replica, None).unwrap();
    assert_eq!((of(two)[0].size, of(two)[0].hash), (of(one)[0].size, of(one)[0].hash));

    apply(&*store, two, PageWrite::Touch { page: page_a, mtime: 5, updated: 5 });
    assert_eq!(mtimes(&*store, two), times(5, 0));
    let first = mtimes(&*store, one);
    assert!([0, 1].contains(&first[0].1), "never the time of another checkout: {first:?}");
    assert_eq!(first[1].1, 1);
    apply(&*store, one, PageWrite::Touch { page: page_a, mtime: 9, updated: 9 });
    assert_eq!(mtimes(&*store, one), times(9, 1));
    assert!([0, 5].contains(&mtimes(&*store, two)[0].1));
    put(&*store, two, with_text("b.md", "heron"));
    assert_eq!(mtimes(&*store, two)[1].1, 1);
    assert_eq!(mtimes(&*store, one)[1].1, 0, "the page changed in another checkout");
}

pub fn forget_removes_replicas(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_checkout(&*store, "p", "/p"), open_checkout(&*store, "q", "/p"));
    open_checkout(&*store, "p", "/copy");
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(store.checkouts("p").unwrap(), ["/p", "/copy"]);
    assert_eq!(open_checkout(&*store, "p", "/p"), project);
    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(store.checkouts("p").unwrap(), [""; 0]);
    assert_eq!(store.checkouts_named("p").unwrap(), [""; 0]);
    assert_eq!(store.projects_at("/p").unwrap(), [other.number]);
    assert_eq!(store.projects_at("/copy").unwrap(), [0; 0]);
    let again = open_project(&*store, "p");
    assert_eq!(store.checkouts("p").unwrap(), ["/p"]);
    assert_eq!(mtimes(&*store, again), []);
}
