//! Models, chunks and vectors.

use lore_text::ContentHash;

use super::Open;
use super::sample::{Project, apply, open_project, page, put, with_chunks};
use crate::{Filter, Forget, ModelIdentity, ModelNo, NameQuery, PageNo, PageWrite, Store, VectorQuery};

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

/// Returns path and line of the nearest chunks.
pub(super) fn near(store: &dyn Store, project: Project, query: &VectorQuery<'_>) -> Vec<String> {
    let rows = store.lookup(project.number, &NameQuery::AllSlugs).unwrap();
    let path = |page: PageNo| rows.iter().find(|row| row.page == page).expect("its page").path.clone();
    let hits = store.nearest(project.number, query).unwrap();
    hits.iter().map(|hit| format!("{}:{}", path(hit.chunk.page), hit.chunk.lines.first)).collect()
}

pub(super) fn query<'a>(model: ModelNo, vector: &'a [f32], filter: &'a Filter) -> VectorQuery<'a> {
    VectorQuery { model, vector, filter, limit: 10, also: &[] }
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
    let found = near(&*store, project, &query(model, &towards(0, 0.0), &Filter::default()));
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
    let found = near(&*store, project, &query(model, &towards(0, 0.0), &Filter::default()));
    assert_eq!(found, ["a.md:2"], "with its current line");
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
    assert_eq!(near(&*store, project, &query(model, &ask, &Filter::default())), ["a.md:1"]);
    put(&*store, project, with_chunks("c.md", &["four"]));
    let found = near(&*store, project, &query(model, &ask, &Filter::default()));
    assert_eq!(found, ["a.md:1"], "a stale sign code does not match the new chunk");
    embed(&*store, model, &[("four", towards(1, 0.5))]);
    let found = near(&*store, project, &query(model, &ask, &Filter::default()));
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
    assert_eq!(near(&*store, project, &query(model, &ask, &Filter::default())), ["a.md:1", "b.md:1"]);
    assert_eq!(near(&*store, other, &query(model, &ask, &Filter::default())), ["z.md:1"]);
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
    let before = near(&*store, project, &query(old, &ask, &Filter::default()));
    assert_eq!(before, ["a.md:1", "b.md:1"]);
    store.activate_model(new).unwrap();
    assert_eq!(active(&*store), ["new"]);
    assert_eq!(near(&*store, project, &query(new, &ask, &Filter::default())), ["b.md:1", "a.md:1"]);
    store.activate_model(old).unwrap();
    assert_eq!(near(&*store, project, &query(old, &ask, &Filter::default())), before);
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
    assert_eq!(near(&*store, project, &query(model, &ask, &Filter::default())), ["a.md:2"]);
    let again = open();
    assert_eq!(near(&*again, project, &query(model, &ask, &Filter::default())), ["a.md:2"]);
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
    assert!(store.nearest(project.number, &query(model, &[1.0], &Filter::default())).is_err());
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

pub fn page_vectors_are_means_of_their_chunks(open: Open<'_>) {
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
    let found = store.page_vectors(project.number, first, &asked).unwrap();
    let pages: Vec<PageNo> = found.iter().map(|(page, _)| *page).collect();
    let mut expected = vec![one, both];
    expected.sort_unstable();
    assert_eq!(pages, expected, "each once, none of another project, none without a vector");
    let cosine = |page: PageNo, to: &[f32]| -> f32 {
        let vector = &found.iter().find(|(known, _)| *known == page).expect("the page has a vector").1;
        let length = vector.iter().map(|number| number * number).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-3, "of unit length: {length}");
        vector.iter().zip(to).map(|(a, b)| a * b).sum()
    };
    assert!(cosine(one, &east) > 0.99, "pending chunks do not count");
    let (a, b) = (cosine(both, &east), cosine(both, &north));
    assert!((a - b).abs() < 0.01 && a > 0.69 && a < 0.8, "between its chunks: {a} {b}");
    let other = store.page_vectors(project.number, second, &asked).unwrap();
    assert!(
        other[0].1.iter().zip(&north).map(|(a, b)| a * b).sum::<f32>() > 0.99,
        "the requested model is used"
    );
    assert_eq!(store.page_vectors(project.number, first, &[]).unwrap(), []);
}
