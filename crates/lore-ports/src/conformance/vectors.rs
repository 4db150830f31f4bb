//! Models, chunks and vectors.

use lore_text::ContentHash;
use lore_text::sign_codes::{code, dot, to_bytes};

use super::Open;
use super::sample::{Project, apply, open_project, page, put, with_chunks};
use crate::{
    ChunkNo, ChunkVector, CodeQuery, Filter, Forget, ModelIdentity, ModelNo, PageNo, PageWrite, Store,
};

const DIMENSIONS: usize = 8;

fn identity(name: &str) -> ModelIdentity {
    ModelIdentity { name: name.into(), dimensions: DIMENSIONS, revision: "1".into() }
}

/// Adds and activates a model.
pub(super) fn model(store: &dyn Store, name: &str) -> ModelNo {
    let model = store.add_model(&identity(name)).unwrap();
    store.activate_model(model).unwrap();
    model
}

/// A vector that points mostly in one dimension, and a little in the next.
pub(super) fn towards(side: usize, bend: f32) -> Vec<f32> {
    let mut vector = vec![0.02; DIMENSIONS];
    vector[side % DIMENSIONS] = 1.0;
    vector[(side + 1) % DIMENSIONS] = bend;
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}

pub(super) fn embed(store: &dyn Store, model: ModelNo, vectors: &[(&str, Vec<f32>)]) {
    let vectors: Vec<_> =
        vectors.iter().map(|(text, vector)| (ContentHash::of(text.as_bytes()), vector.clone())).collect();
    store.put_vectors(model, &vectors).unwrap();
}

/// Returns path and line of all chunks with a vector that match a filter, nearest first by their vectors.
pub(super) fn near(
    store: &dyn Store,
    project: Project,
    model: ModelNo,
    vector: &[f32],
    filter: &Filter,
) -> Vec<String> {
    let query = CodeQuery { model, code: &code(vector), filter, limit: 1000, also: &[] };
    let near = store.near_codes(project.number, &query).unwrap();
    let chunks: Vec<ChunkNo> = near.nearest.iter().map(|code| code.chunk).collect();
    let mut found = store.chunk_vectors(project.number, model, &chunks).unwrap();
    assert_eq!(found.len(), chunks.len(), "every candidate has a vector");
    let similarity = |one: &ChunkVector| dot(vector, &one.vector).expect("equal dimensions");
    found.sort_by(|a, b| similarity(b).total_cmp(&similarity(a)).then(a.chunk.page.cmp(&b.chunk.page)));
    found.iter().map(|one| shown(store, project, one)).collect()
}

/// Returns path and line of a chunk.
pub(super) fn shown(store: &dyn Store, project: Project, one: &ChunkVector) -> String {
    let page = store.pages(project.number, &[one.chunk.page]).unwrap().pop().expect("its page");
    format!("{}:{}", page.path, one.chunk.lines.first)
}

fn waiting(store: &dyn Store, project: Project, model: ModelNo) -> u64 {
    let count = store.count_pending(project.number, model).unwrap();
    assert_eq!(store.pending(project.number, model, 1000).unwrap().len() as u64, count);
    count
}

pub fn new_chunks_are_pending_until_embedded(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    let model = model(&*store, "m");
    assert_eq!(waiting(&*store, project, model), 2, "chunks added before the model");
    put(&*store, project, with_chunks("b.md", &["three"]));
    assert_eq!(waiting(&*store, project, model), 3, "chunks added after the model");
    embed(&*store, model, &[("one", towards(0, 0.0)), ("three", towards(2, 0.0))]);
    assert_eq!(waiting(&*store, project, model), 1);
    let found = near(&*store, project, model, &towards(0, 0.0), &Filter::default());
    assert_eq!(found, ["a.md:1", "b.md:1"], "pending chunks are not found");
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}

pub fn unchanged_chunks_are_not_reembedded(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    put(&*store, project, with_chunks("a.md", &["zero", "one", "two"]));
    assert_eq!(waiting(&*store, project, model), 1);
    let found = near(&*store, project, model, &towards(0, 0.0), &Filter::default());
    assert_eq!(found, ["a.md:2", "a.md:3"], "with their current lines");
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}

pub fn slots_of_removed_chunks_are_reused(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one"]));
    let gone = put(&*store, project, with_chunks("b.md", &["two", "three"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0)), ("three", towards(1, 0.2))]);
    apply(&*store, project, PageWrite::Remove(gone));
    let ask = towards(1, 0.0);
    assert_eq!(near(&*store, project, model, &ask, &Filter::default()), ["a.md:1"]);
    put(&*store, project, with_chunks("c.md", &["four"]));
    let found = near(&*store, project, model, &ask, &Filter::default());
    assert_eq!(found, ["a.md:1"], "a stale sign code does not match the new chunk");
    embed(&*store, model, &[("four", towards(1, 0.5))]);
    let found = near(&*store, project, model, &ask, &Filter::default());
    assert_eq!(found, ["c.md:1", "a.md:1"]);
    assert_eq!(store.count_chunks(project.number).unwrap(), 2);
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}

pub fn identical_text_reuses_its_vector(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let other = open_project(&*store, "q");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "one"]));
    put(&*store, other, with_chunks("z.md", &["one"]));
    embed(&*store, model, &[("one", towards(0, 0.0))]);
    put(&*store, project, with_chunks("b.md", &["one"]));
    let ask = towards(0, 0.0);
    assert_eq!(near(&*store, project, model, &ask, &Filter::default()), ["a.md:1", "a.md:2", "b.md:1"]);
    assert_eq!(near(&*store, other, model, &ask, &Filter::default()), ["z.md:1"]);
    for project in [project, other] {
        assert_eq!(waiting(&*store, project, model), 0);
    }
}

pub fn new_models_are_inactive_until_activated(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let old = model(&*store, "old");
    put(&*store, project, with_chunks("a.md", &["one"]));
    put(&*store, project, with_chunks("b.md", &["two"]));
    embed(&*store, old, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    let new = store.add_model(&identity("new")).unwrap();
    assert_eq!(store.add_model(&identity("new")).unwrap(), new, "adding a model twice is idempotent");
    let active = |store: &dyn Store| -> Vec<String> {
        let rows = store.models().unwrap().into_iter().filter(|row| row.active);
        rows.map(|row| row.identity.name).collect()
    };
    assert_eq!(active(&*store), ["old"]);
    assert_eq!(waiting(&*store, project, new), 2);
    // In the new model the vectors are reversed.
    embed(&*store, new, &[("one", towards(1, 0.0)), ("two", towards(0, 0.0))]);
    let ask = towards(0, 0.0);
    let before = near(&*store, project, old, &ask, &Filter::default());
    assert_eq!(before, ["a.md:1", "b.md:1"]);
    store.activate_model(new).unwrap();
    assert_eq!(active(&*store), ["new"]);
    assert_eq!(near(&*store, project, new, &ask, &Filter::default()), ["b.md:1", "a.md:1"]);
    store.activate_model(old).unwrap();
    assert_eq!(near(&*store, project, old, &ask, &Filter::default()), before);
    assert!(store.activate_model(99).is_err(), "no such model");
    assert_eq!(active(&*store), ["old"]);
}

pub fn removing_a_model_leaves_nothing(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let old = model(&*store, "old");
    put(&*store, project, with_chunks("a.md", &["one"]));
    embed(&*store, old, &[("one", towards(0, 0.0))]);
    let new = store.add_model(&identity("new")).unwrap();
    store.remove_model(new).unwrap();
    assert_eq!(store.models().unwrap().len(), 1);
    assert_eq!(waiting(&*store, project, new), 0);
    put(&*store, project, with_chunks("b.md", &["two"]));
    assert_eq!(waiting(&*store, project, new), 0, "no chunk is pending for it");
}

pub fn vectors_outlive_the_index(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    store.forget(project.number, Forget::IndexOnly).unwrap();
    assert_eq!(store.count_chunks(project.number).unwrap(), 0);
    put(&*store, project, page("0.md"));
    put(&*store, project, with_chunks("a.md", &["two", "one"]));
    assert_eq!(waiting(&*store, project, model), 0);
    let ask = towards(0, 0.0);
    assert_eq!(near(&*store, project, model, &ask, &Filter::default()), ["a.md:2", "a.md:1"]);
    let again = open();
    assert_eq!(near(&*again, project, model, &ask, &Filter::default()), ["a.md:2", "a.md:1"]);
}

pub fn vectors_of_the_wrong_length_are_rejected(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    let good = (hash("one"), towards(0, 0.0));
    for bad in [vec![1.0], vec![f32::NAN; DIMENSIONS]] {
        assert!(store.put_vectors(model, &[good.clone(), (hash("two"), bad)]).is_err());
    }
    assert_eq!(waiting(&*store, project, model), 2, "all or nothing");
    let filter = Filter::default();
    let query = CodeQuery { model, code: &[], filter: &filter, limit: 1, also: &[] };
    assert!(store.near_codes(project.number, &query).is_err(), "so are codes");
}

pub fn vectors_can_be_recomputed(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    let one = put(&*store, project, with_chunks("a.md", &["one"]));
    put(&*store, project, with_chunks("b.md", &["two", "one"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    store.forget_vectors(project.number, model, Some(&[one])).unwrap();
    assert_eq!(waiting(&*store, project, model), 2, "every occurrence of the text");
    store.forget_vectors(project.number, model, None).unwrap();
    assert_eq!(waiting(&*store, project, model), 3);
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}

pub fn vectors_are_read_by_page(open: Open<'_>) {
    let store = open();
    let (project, elsewhere) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let (first, second) = (model(&*store, "m"), store.add_model(&identity("other")).unwrap());
    let both = put(&*store, project, with_chunks("both.md", &["one", "two"]));
    let one = put(&*store, project, with_chunks("one.md", &["one", "waits"]));
    let none = put(&*store, project, with_chunks("none.md", &["waits too"]));
    let foreign = put(&*store, elsewhere, with_chunks("foreign.md", &["one"]));
    let (east, north) = (towards(0, 0.0), towards(1, 0.0));
    embed(&*store, first, &[("one", east.clone()), ("two", north.clone())]);
    embed(&*store, second, &[("one", north.clone())]);
    let asked = [none, one, foreign, both, one];
    let read = |model: ModelNo, pages: &[PageNo]| {
        let mut found = store.page_vectors(project.number, model, pages).unwrap();
        found.sort();
        found
    };
    let expected = |vectors: &[(PageNo, &Vec<f32>)]| {
        let mut expected: Vec<_> = vectors.iter().map(|(page, vector)| (*page, to_bytes(vector))).collect();
        expected.sort();
        expected
    };
    let found = read(first, &asked);
    let each = expected(&[(both, &east), (both, &north), (one, &east)]);
    assert_eq!(found, each, "each once, none of another project, none without a vector");
    let other = expected(&[(both, &north), (one, &north)]);
    assert_eq!(read(second, &asked), other, "the requested model is used");
    assert_eq!(read(first, &[]), []);
}

pub fn vectors_of_removed_text_can_be_pruned(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    assert_eq!(store.prune_vectors().unwrap(), 0);
    put(&*store, project, with_chunks("a.md", &["one"]));
    assert_eq!(store.prune_vectors().unwrap(), 1);
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    assert_eq!(waiting(&*store, project, model), 1, "its vector is gone");
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}
