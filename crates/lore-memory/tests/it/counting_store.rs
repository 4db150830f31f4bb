//! A store that counts the calls of its port: what a database on another machine would be asked.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lore_ports::*;
use lore_text::ContentHash;

/// Number of calls by method.
pub type Calls = Rc<RefCell<BTreeMap<&'static str, usize>>>;

/// A store and the calls it got.
pub struct CountingStore {
    pub store: Box<dyn Store>,
    pub calls: Calls,
}

/// Implements a trait by counting each call and passing it on.
macro_rules! counted {
    ($port:ident: $($method:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl $port for CountingStore {
            $(fn $method(&self, $($argument: $type),*) -> $result {
                *self.calls.borrow_mut().entry(stringify!($method)).or_default() += 1;
                self.store.$method($($argument),*)
            })*
        }
    };
}

counted! { Projects:
    project(key: &ProjectKey<'_>) -> Result<(ProjectNo, ReplicaNo)>;
    checkouts(vault_id: &str) -> Result<Vec<String>>;
    checkouts_named(name: &str) -> Result<Vec<String>>;
    projects_at(checkout: &str) -> Result<Vec<ProjectNo>>;
    forget(project: ProjectNo, what: Forget) -> Result<()>;
    state(project: ProjectNo) -> Result<ProjectState>;
    set_state(project: ProjectNo, change: &StateChange<'_>) -> Result<()>;
    failures(project: ProjectNo) -> Result<Vec<FileFailure>>;
    set_failures(project: ProjectNo, failures: &[(&str, Option<&FileFailure>)]) -> Result<()>;
    resolved_findings(project: ProjectNo) -> Result<Vec<ResolvedFinding>>;
    resolve_finding(project: ProjectNo, finding: &ResolvedFinding) -> Result<()>;
}

counted! { Index:
    transaction(work: &mut dyn FnMut() -> Result<()>) -> Result<()>;
    read_transaction(work: &mut dyn FnMut() -> Result<()>) -> Result<()>;
    fingerprints(project: ProjectNo, replica: ReplicaNo, paths: Option<&BTreeSet<String>>) -> Result<Vec<Fingerprint>>;
    apply(project: ProjectNo, replica: ReplicaNo, writes: &[PageWrite<'_>]) -> Result<Vec<PageWritten>>;
    pages(project: ProjectNo, numbers: &[PageNo]) -> Result<Vec<PageRow>>;
    list(project: ProjectNo, filter: &Filter, order: Order, window: Window) -> Result<Vec<PageRow>>;
    count(project: ProjectNo, filter: &Filter) -> Result<u64>;
    lookup(project: ProjectNo, names: &NameQuery<'_>) -> Result<Vec<KeyRow>>;
    links(project: ProjectNo, ends: &LinkFilter<'_>) -> Result<Vec<LinkRow>>;
    inbound(project: ProjectNo, pages: &[PageNo]) -> Result<Vec<u64>>;
    resolve_links(targets: &[(i64, Option<PageNo>)]) -> Result<()>;
    statements(project: ProjectNo, wanted: &StatementFilter<'_>) -> Result<Vec<StatementRow>>;
    search(project: ProjectNo, query: &TextQuery<'_>) -> Result<Vec<TextHit>>;
    document_frequencies(project: ProjectNo, terms: &[&Expression], enough: f64) -> Result<DocumentFrequencies>;
    labels(project: ProjectNo, kind: LabelKind) -> Result<Vec<(String, u64)>>;
    counts(project: ProjectNo) -> Result<Counts>;
}

counted! { Ledger:
    versions(project: ProjectNo, paths: &[&str]) -> Result<Vec<Option<(u64, ContentHash)>>>;
    set_versions(project: ProjectNo, versions: &[(&str, u64, ContentHash)]) -> Result<()>;
    identities(project: ProjectNo, paths: &[&str]) -> Result<Vec<Option<String>>>;
    set_identities(project: ProjectNo, ids: &[(&str, &str)]) -> Result<()>;
    former_paths(project: ProjectNo) -> Result<Vec<(String, String)>>;
    set_former_paths(project: ProjectNo, paths: &[(&str, Option<&str>)]) -> Result<()>;
    rename(project: ProjectNo, moves: &[(&str, &str)]) -> Result<()>;
    add_snapshot(project: ProjectNo, snapshot: &NewSnapshot<'_>) -> Result<()>;
    snapshots(project: ProjectNo, path: &str) -> Result<Vec<SnapshotRow>>;
    snapshot_bytes(project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;
    prune_snapshots(project: ProjectNo, before: i64) -> Result<usize>;
    author(project: ProjectNo, path: &str) -> Result<Option<Authorship>>;
    set_author(project: ProjectNo, path: &str, author: &Authorship, bytes: Option<&[u8]>, at: i64) -> Result<()>;
    released_versions(project: ProjectNo, slugs: &[&str]) -> Result<Vec<Option<u64>>>;
    release_slugs(project: ProjectNo, slugs: &[(&str, u64)]) -> Result<()>;
    drop_written(project: ProjectNo) -> Result<()>;
    all_snapshots(project: ProjectNo) -> Result<Vec<(String, SnapshotRow)>>;
    rewrite_snapshot(project: ProjectNo, number: i64, bytes: &[u8]) -> Result<()>;
    keep_written(project: ProjectNo, files: &[WrittenFile<'_>], at: i64) -> Result<Vec<bool>>;
}

counted! { GapsAndImports:
    rewrite_import(project: ProjectNo, number: i64, source: &str, bytes: &[u8]) -> Result<()>;
    gap(project: ProjectNo, id: u64) -> Result<Option<GapRow>>;
    put_gap(project: ProjectNo, gap: &GapRow) -> Result<()>;
    gaps(project: ProjectNo, which: &GapFilter<'_>, limit: usize) -> Result<Vec<GapRow>>;
    count_gaps(project: ProjectNo, namespace: Option<&str>) -> Result<GapCounts>;
    add_import(project: ProjectNo, import: &NewImport<'_>) -> Result<()>;
    imports(project: ProjectNo, which: &ImportFilter<'_>) -> Result<Vec<ImportRow>>;
    import_bytes(project: ProjectNo, number: i64) -> Result<Option<Vec<u8>>>;
    prune_imports(project: ProjectNo, before: i64) -> Result<usize>;
}

counted! { Batches:
    put_blobs(project: ProjectNo, blobs: &[(ContentHash, &[u8])]) -> Result<()>;
    blob(project: ProjectNo, hash: ContentHash) -> Result<Option<Vec<u8>>>;
    blobs(project: ProjectNo) -> Result<Vec<ContentHash>>;
    rewrite_blob(project: ProjectNo, hash: ContentHash, bytes: &[u8]) -> Result<()>;
    remove_blobs(project: ProjectNo, hashes: &[ContentHash]) -> Result<()>;
    add_batch(project: ProjectNo, part: &NewBatch<'_>) -> Result<()>;
    batches(project: ProjectNo) -> Result<Vec<BatchRow>>;
    manifests(project: ProjectNo, batch: &str) -> Result<Vec<Vec<u8>>>;
    remove_batch(project: ProjectNo, batch: &str) -> Result<()>;
}

counted! { Vectors:
    prune_vectors() -> Result<usize>;
    models() -> Result<Vec<ModelRow>>;
    add_model(identity: &ModelIdentity) -> Result<ModelNo>;
    activate_model(model: ModelNo) -> Result<()>;
    remove_model(model: ModelNo) -> Result<()>;
    pending(project: ProjectNo, model: ModelNo, limit: usize) -> Result<Vec<ChunkRow>>;
    count_pending(project: ProjectNo, model: ModelNo) -> Result<u64>;
    count_chunks(project: ProjectNo) -> Result<u64>;
    put_vectors(model: ModelNo, vectors: &[(ContentHash, Vec<f32>)]) -> Result<()>;
    forget_vectors(project: ProjectNo, model: ModelNo, pages: Option<&[PageNo]>) -> Result<()>;
    near_codes(project: ProjectNo, query: &CodeQuery<'_>) -> Result<NearCodes>;
    chunk_vectors(project: ProjectNo, model: ModelNo, chunks: &[ChunkNo]) -> Result<Vec<ChunkVector>>;
    page_vectors(project: ProjectNo, model: ModelNo, pages: &[PageNo]) -> Result<Vec<(PageNo, Vec<u8>)>>;
    chunks_of(project: ProjectNo, pages: &[PageNo]) -> Result<Vec<ChunkRow>>;
    vector_problems(project: ProjectNo, model: ModelNo) -> Result<Vec<String>>;
}

counted! { Maintenance:
    erase_deleted() -> Result<bool>;
    check_in_place() -> Result<()>;
    optimize() -> Result<()>;
    shrink_memory() -> Result<()>;
    problems() -> Result<Vec<String>>;
}
