//! Gaps and imports.

use lore_text::ContentHash;

use super::Open;
use super::sample::{Project, open_project};
use crate::{
    Forget, GapCounts, GapFilter, GapRow, ImportFilter, ImportRow, NewBatch, NewImport, Sensitivity, Store,
};

fn gap(id: u64, detected: i64) -> GapRow {
    GapRow {
        id,
        query_hash: ContentHash::of(&id.to_le_bytes()),
        query_text: None,
        context: String::new(),
        confidence: None,
        sensitivity: Sensitivity::Internal,
        times: 1,
        approved: None,
        redacted_query: None,
        resolved: None,
        namespaces: Vec::new(),
        detected,
    }
}

fn approved(id: u64, sensitivity: Sensitivity) -> GapRow {
    GapRow { sensitivity, approved: Some(("ada".into(), 7)), ..gap(id, 1) }
}

fn ids(store: &dyn Store, project: Project, which: GapFilter<'_>, limit: usize) -> Vec<u64> {
    store.gaps(project.number, &which, limit).unwrap().into_iter().map(|gap| gap.id).collect()
}

pub fn gaps_round_trip(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let plain = gap((1 << 52) - 1, i64::MIN);
    let full = GapRow {
        query_text: Some("who?\n".into()),
        context: "for \"it\"".into(),
        confidence: Some(0.25),
        times: 3,
        redacted_query: Some(String::new()),
        resolved: Some(("a/b.md".into(), 9)),
        namespaces: vec!["a \"b\"".into(), "clients".into()],
        ..approved(2, Sensitivity::External)
    };
    for row in [&plain, &full] {
        store.put_gap(project.number, row).unwrap();
        assert_eq!(store.gap(project.number, row.id).unwrap().as_ref(), Some(row));
        assert_eq!(store.gap(other.number, row.id).unwrap(), None, "projects are isolated");
        assert_eq!(
            open().gap(project.number, row.id).unwrap().as_ref(),
            Some(row),
            "visible to other connections"
        );
    }
    store.put_gap(project.number, &GapRow { times: 4, ..full.clone() }).unwrap();
    assert_eq!(store.gap(project.number, 2).unwrap().unwrap().times, 4, "a second put replaces it");
    assert_eq!(ids(&*store, project, GapFilter::ALL, 10).len(), 2);
}

pub fn open_gaps_are_listed_first_oldest_first(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    assert_eq!(store.count_gaps(project.number, None).unwrap(), GapCounts::default());
    for row in [gap(5, 30), gap(3, 10), gap(4, 10), gap(9, 20)] {
        store.put_gap(project.number, &row).unwrap();
    }
    store.put_gap(project.number, &GapRow { resolved: Some(("a.md".into(), 99)), ..gap(1, 5) }).unwrap();
    assert_eq!(ids(&*store, project, GapFilter::OPEN, 10), [3, 4, 9, 5]);
    assert_eq!(ids(&*store, project, GapFilter::OPEN, 2), [3, 4]);
    assert_eq!(ids(&*store, project, GapFilter::ALL, usize::MAX), [3, 4, 9, 5, 1]);
    assert_eq!(store.count_gaps(project.number, None).unwrap(), GapCounts { open: 4, resolved: 1 });
}

pub fn gaps_are_listed_by_namespace(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let asked = |id, namespaces: &[&str]| GapRow {
        namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
        ..gap(id, 1)
    };
    for row in [asked(1, &[]), asked(2, &["clients"]), asked(3, &["clients", "home"]), asked(4, &["client"])]
    {
        store.put_gap(project.number, &row).unwrap();
    }
    let done = GapRow { resolved: Some(("a.md".into(), 9)), ..asked(5, &["home"]) };
    store.put_gap(project.number, &done).unwrap();
    let in_namespace = |namespace, resolved| GapFilter { namespace: Some(namespace), resolved };
    assert_eq!(ids(&*store, project, in_namespace("clients", false), 10), [2, 3]);
    assert_eq!(ids(&*store, project, in_namespace("clients", false), 1), [2]);
    assert_eq!(ids(&*store, project, in_namespace("home", true), 10), [3, 5]);
    assert_eq!(ids(&*store, project, in_namespace("nobody", true), 10), [0; 0]);
    let counts = |namespace| store.count_gaps(project.number, Some(namespace)).unwrap();
    assert_eq!(counts("home"), GapCounts { open: 1, resolved: 1 });
    assert_eq!(counts("nobody"), GapCounts::default());
}

/// Constraints that the table itself enforces for every caller.
pub fn gap_text_and_sensitivity_require_approval(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let refused = [
        GapRow { query_text: Some("words".into()), ..gap(1, 1) },
        GapRow { redacted_query: Some("words".into()), ..gap(1, 1) },
        GapRow { sensitivity: Sensitivity::External, ..gap(1, 1) },
        GapRow { sensitivity: Sensitivity::Redacted, ..gap(1, 1) },
        GapRow { approved: Some((String::new(), 1)), ..gap(1, 1) },
        GapRow { times: 0, ..gap(1, 1) },
    ];
    for row in refused {
        assert!(store.put_gap(project.number, &row).is_err(), "{row:?}");
        assert_eq!(store.gap(project.number, 1).unwrap(), None);
    }
    store.put_gap(project.number, &approved(1, Sensitivity::Redacted)).unwrap();
    let worse =
        GapRow { query_text: Some("words".into()), approved: None, ..approved(1, Sensitivity::Redacted) };
    assert!(store.put_gap(project.number, &worse).is_err());
    assert_eq!(
        store.gap(project.number, 1).unwrap(),
        Some(approved(1, Sensitivity::Redacted)),
        "the gap is unchanged"
    );
}

fn part<'a>(batch: &'a str, part: u32, at: i64) -> NewBatch<'a> {
    NewBatch {
        batch,
        part,
        kind: "obsidian",
        source: "/home/ada/notes",
        is_last: part == 1,
        manifest: b"{}",
        at,
    }
}

pub fn batches_are_kept_in_parts(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    store.add_batch(project.number, &part("later", 0, 30)).unwrap();
    store.add_batch(project.number, &part("b", 1, 20)).unwrap();
    store.add_batch(project.number, &part("b", 0, 10)).unwrap();
    store.add_batch(project.number, &NewBatch { manifest: b"second", ..part("b", 0, 10) }).unwrap();
    let rows = store.batches(project.number).unwrap();
    let parts: Vec<(&str, u32, bool, i64)> =
        rows.iter().map(|row| (row.batch.as_str(), row.part, row.is_last, row.at)).collect();
    assert_eq!(parts, [("b", 0, false, 10), ("b", 1, true, 20), ("later", 0, false, 30)]);
    assert_eq!((rows[0].kind.as_str(), rows[0].source.as_str()), ("obsidian", "/home/ada/notes"));
    assert_eq!(store.manifests(project.number, "b").unwrap(), [b"second".to_vec(), b"{}".to_vec()]);
    assert_eq!(store.batches(other.number).unwrap(), [], "projects are isolated");
    let (one, two) = (ContentHash::of(b"one"), ContentHash::of(b"two"));
    store.put_blobs(project.number, &[(one, b"one"), (two, b"\0\xff")]).unwrap();
    store.put_blobs(project.number, &[(one, b"other")]).unwrap();
    assert_eq!(store.blob(project.number, one).unwrap().as_deref(), Some(&b"one"[..]), "known bytes stay");
    assert_eq!(store.blob(other.number, one).unwrap(), None);
    store.rewrite_blob(project.number, one, b"clean").unwrap();
    assert_eq!(store.blob(project.number, one).unwrap().as_deref(), Some(&b"clean"[..]));
    store.remove_blobs(project.number, &[one]).unwrap();
    assert_eq!(store.blobs(project.number).unwrap(), [two]);
    store.remove_batch(project.number, "b").unwrap();
    assert_eq!(store.batches(project.number).unwrap().len(), 1);
}

fn import<'a>(page: &'a str, bytes: &'a [u8], at: i64) -> NewImport<'a> {
    let (batch, source, source_type) = ("run-1", "meeting/1", "meeting");
    NewImport { batch, source, source_type, page, hash: ContentHash::of(bytes), bytes, at }
}

fn pages(rows: &[ImportRow]) -> Vec<(&str, bool)> {
    rows.iter().map(|row| (row.page.as_str(), row.active)).collect()
}

pub fn imports_preserve_the_bytes(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let bytes = b"\xef\xbb\xbfone\r\ntwo\0\xff no end";
    store.add_import(project.number, &import("a.md", bytes, 42)).unwrap();
    let rows = store.imports(project.number, &ImportFilter::Hash(ContentHash::of(bytes))).unwrap();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(store.import_bytes(project.number, row.number).unwrap().as_deref(), Some(&bytes[..]));
    assert_eq!((row.size, row.at, row.active), (bytes.len() as u64, 42, true));
    assert_eq!(
        (row.batch.as_str(), row.source.as_str(), row.source_type.as_str()),
        ("run-1", "meeting/1", "meeting")
    );
    assert_eq!(store.import_bytes(other.number, row.number).unwrap(), None, "projects are isolated");
    assert_eq!(store.imports(other.number, &ImportFilter::All).unwrap(), []);
    assert_eq!(store.imports(project.number, &ImportFilter::Hash(ContentHash::of(b"else"))).unwrap(), []);
    assert_eq!(store.imports(project.number, &ImportFilter::Batch("run-1")).unwrap(), rows);
    assert_eq!(store.imports(project.number, &ImportFilter::Batch("run")).unwrap(), []);
}

pub fn imports_can_be_rewritten(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    store.add_import(project.number, &import("a.md", b"one", 10)).unwrap();
    let row = store.imports(project.number, &ImportFilter::All).unwrap().remove(0);
    store.rewrite_import(project.number, row.number, "meeting/2", b"clean").unwrap();
    let bytes = store.import_bytes(project.number, row.number).unwrap();
    assert_eq!(bytes.as_deref(), Some(&b"clean"[..]));
    let rows = store.imports(project.number, &ImportFilter::Hash(ContentHash::of(b"one"))).unwrap();
    assert_eq!((rows[0].source.as_str(), rows[0].active), ("meeting/2", true), "known by its original bytes");
}

pub fn the_last_import_of_a_page_is_active(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    store.add_import(project.number, &import("a.md", b"one", 10)).unwrap();
    store.add_import(project.number, &import("b.md", b"two", 20)).unwrap();
    store.add_import(project.number, &import("a.md", b"one", 30)).unwrap();
    let rows = store.imports(project.number, &ImportFilter::All).unwrap();
    assert_eq!(pages(&rows), [("a.md", true), ("b.md", true), ("a.md", false)]);
    assert_eq!(store.prune_imports(project.number, 10).unwrap(), 0);
    assert_eq!(store.prune_imports(project.number, i64::MAX).unwrap(), 1, "active imports are never pruned");
    assert_eq!(
        pages(&store.imports(project.number, &ImportFilter::All).unwrap()),
        [("a.md", true), ("b.md", true)]
    );
}

pub fn imports_and_gaps_follow_renames(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    store.add_import(project.number, &import("a.md", b"one", 10)).unwrap();
    store.add_import(project.number, &import("b.md", b"gone", 20)).unwrap();
    store.put_gap(project.number, &GapRow { resolved: Some(("a.md".into(), 1)), ..gap(1, 1) }).unwrap();
    store.rename(project.number, &[("a.md", "b.md")]).unwrap();
    assert_eq!(
        pages(&store.imports(project.number, &ImportFilter::All).unwrap()),
        [("b.md", false), ("b.md", true)]
    );
    assert_eq!(store.gap(project.number, 1).unwrap().unwrap().resolved, Some(("b.md".into(), 1)));
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(
        store.imports(project.number, &ImportFilter::All).unwrap().len(),
        2,
        "imports survive forgetting the index"
    );
    store.forget(project.number, Forget::LedgerToo).unwrap();
    assert_eq!(store.imports(project.number, &ImportFilter::All).unwrap(), []);
    assert_eq!(store.count_gaps(project.number, None).unwrap(), GapCounts::default());
}

pub fn failed_transactions_leave_no_import(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let failed = store.transaction(&mut || {
        store.add_import(project.number, &import("a.md", b"one", 10))?;
        store.put_gap(project.number, &gap(1, 1))?;
        store.put_gap(project.number, &GapRow { times: 0, ..gap(2, 1) })
    });
    assert!(failed.is_err());
    assert_eq!(store.imports(project.number, &ImportFilter::All).unwrap(), []);
    assert_eq!(ids(&*store, project, GapFilter::ALL, 10), [0; 0]);
}
