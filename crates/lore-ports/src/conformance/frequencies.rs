//! How many pages contain a term.

use super::Open;
use super::sample::{Project, apply, open_project, prefix, put, with_text, word, words};
use crate::{DocumentFrequencies, Error, Expression, Forget, PageWrite, Store};

/// Writes a page with this text for each of these numbers.
fn fill(store: &dyn Store, project: Project, numbers: std::ops::Range<u32>, text: &'static str) {
    let mut work = || {
        for number in numbers.clone() {
            put(store, project, with_text(&format!("{number}.md"), text));
        }
        Ok(())
    };
    store.transaction(&mut work).unwrap();
}

fn counted<const N: usize>(
    store: &dyn Store,
    project: Project,
    terms: [Expression; N],
    enough: f64,
) -> DocumentFrequencies {
    let terms: Vec<&Expression> = terms.iter().collect();
    store.document_frequencies(project.number, &terms, enough).unwrap()
}

/// Returns the number of pages and of those with a heron.
fn herons(store: &dyn Store, project: Project) -> (u64, u64) {
    let found = counted(store, project, [word("heron")], 1.0);
    (found.pages, found.counts[0])
}

pub fn pages_are_counted_per_term(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let none = counted(&*store, project, [word("heron")], 1.0);
    assert_eq!(none, DocumentFrequencies { pages: 0, counts: vec![0] });
    fill(&*store, project, 0..3, "a grey heron");
    fill(&*store, project, 3..5, "heron heron badger");
    fill(&*store, project, 5..10, "nothing else 91");
    fill(&*store, other, 0..7, "heron");
    let terms = [
        word("badger"),
        word("heron"),
        word("otter"),
        word("heron"),
        word("grey heron"),
        word("heron grey"),
        prefix("bad"),
        words(["heron", "badger"]),
        word("91"),
        word("\""),
        word(""),
    ];
    let found = counted(&*store, project, terms, 1.0);
    assert_eq!(found, DocumentFrequencies { pages: 10, counts: vec![2, 5, 0, 5, 3, 0, 2, 2, 5, 0, 0] });
    assert_eq!(counted(&*store, project, [], 0.5), DocumentFrequencies { pages: 10, counts: Vec::new() });
}

pub fn counts_may_stop_above_the_share(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    fill(&*store, project, 0..40, "heron badger otter");
    fill(&*store, project, 40..60, "heron badger");
    fill(&*store, project, 60..100, "heron");
    for enough in [0.0, 0.1, 0.4, 0.5, 0.6, 0.99, 1.0] {
        let found = counted(&*store, project, ["heron", "badger", "otter", "none"].map(word), enough);
        assert_eq!(found.pages, 100);
        for (count, exact) in found.counts.iter().zip([100_u32, 60, 40, 0]) {
            let share = 100.0 * enough;
            match f64::from(exact) > share {
                true => assert!(*count as f64 > share && *count <= u64::from(exact), "{enough}: {found:?}"),
                false => assert_eq!(*count, u64::from(exact), "{enough}: counts up to the share are exact"),
            }
        }
    }
}

pub fn counts_follow_every_write(open: Open<'_>) {
    let (store, other) = (open(), open());
    let project = open_project(&*store, "p");
    fill(&*store, project, 0..2, "heron");
    assert_eq!(herons(&*store, project), (2, 2));
    fill(&*store, project, 2..5, "badger");
    assert_eq!(herons(&*store, project), (5, 2));
    fill(&*other, project, 5..9, "heron");
    assert_eq!(herons(&*store, project), (9, 6), "another connection wrote more pages");
    let page = put(&*other, project, with_text("0.md", "badger"));
    assert_eq!(herons(&*store, project), (9, 5));
    apply(&*store, project, PageWrite::Remove(page));
    assert_eq!(herons(&*store, project), (8, 5));
    store
        .transaction(&mut || {
            put(&*store, project, with_text("0.md", "heron"));
            assert_eq!(herons(&*store, project), (9, 6), "a transaction reads its own writes");
            assert_eq!(herons(&*other, project), (8, 5));
            Ok(())
        })
        .unwrap();
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(herons(&*store, project), (0, 0));
    assert_eq!(herons(&*other, project), (0, 0));
}

pub fn rolled_back_pages_are_not_counted(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    fill(&*store, project, 0..2, "heron");
    let failed = store.transaction(&mut || {
        put(&*store, project, with_text("new.md", "heron"));
        assert_eq!(herons(&*store, project), (3, 3));
        Err(Error::Cancelled)
    });
    failed.unwrap_err();
    assert_eq!(herons(&*store, project), (2, 2));
}
