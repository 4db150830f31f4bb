//! Models, chunks and vectors.

use lore_ports::{Filter, Forget, ModelIdentity, ModelNo, NameQuery, PageNo, ProjectNo, Store, VectorQuery};
use lore_text::ContentHash;

use super::Open;
use crate::sample::{page, put, with_chunks};

const DIMENSIONS: usize = 8;

fn identity(name: &str) -> ModelIdentity {
    ModelIdentity { name: name.into(), dimensions: DIMENSIONS, revision: "1".into() }
}

/// Adds and activates a model.
fn model(store: &dyn Store, name: &str) -> ModelNo {
    let model = store.add_model(&identity(name)).unwrap();
    store.activate_model(model).unwrap();
    model
}

/// A vector that points mostly in one dimension, and a little in the next.
fn towards(side: usize, bend: f32) -> Vec<f32> {
    let mut vector = vec![0.02; DIMENSIONS];
    vector[side % DIMENSIONS] = 1.0;
    vector[(side + 1) % DIMENSIONS] = bend;
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}

fn embed(store: &dyn Store, model: ModelNo, vectors: &[(&str, Vec<f32>)]) {
    let vectors: Vec<_> =
        vectors.iter().map(|(text, vector)| (ContentHash::of(text.as_bytes()), vector.clone())).collect();
    store.put_vectors(model, &vectors).unwrap();
}

/// Returns path and line of the nearest chunks.
fn near(store: &dyn Store, project: ProjectNo, query: &VectorQuery<'_>) -> Vec<String> {
    let rows = store.lookup(project, &NameQuery::AllSlugs).unwrap();
    let path = |page: PageNo| rows.iter().find(|row| row.page == page).expect("its page").path.clone();
    let hits = store.nearest(project, query).unwrap();
    hits.iter().map(|hit| format!("{}:{}", path(hit.chunk.page), hit.chunk.lines.first)).collect()
}

fn query<'a>(model: ModelNo, vector: &'a [f32], filter: &'a Filter) -> VectorQuery<'a> {
    VectorQuery { model, vector, filter, limit: 10, also: &[] }
}

fn waiting(store: &dyn Store, project: ProjectNo, model: ModelNo) -> u64 {
    let count = store.count_pending(project, model).unwrap();
    assert_eq!(store.pending(project, model, 1000).unwrap().len() as u64, count);
    count
}

pub fn new_chunks_are_pending_until_embedded(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    let model = model(&*store, "m");
    assert_eq!(waiting(&*store, project, model), 2, "chunks added before the model");
    put(&*store, project, with_chunks("b.md", &["three"]));
    assert_eq!(waiting(&*store, project, model), 3, "chunks added after the model");
    embed(&*store, model, &[("one", towards(0, 0.0)), ("three", towards(2, 0.0))]);
    assert_eq!(waiting(&*store, project, model), 1);
    let found = near(&*store, project, &query(model, &towards(0, 0.0), &Filter::default()));
    assert_eq!(found, ["a.md:1", "b.md:1"], "pending chunks are not found");
    assert_eq!(store.vector_problems(project, model).unwrap(), [""; 0]);
}

pub fn pages_are_represented_by_their_nearest_chunk(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["a1", "a2", "a3"]));
    put(&*store, project, with_chunks("b.md", &["b1"]));
    embed(&*store, model, &[("a1", towards(5, 0.0)), ("a2", towards(0, 0.1)), ("a3", towards(0, 0.6))]);
    embed(&*store, model, &[("b1", towards(0, 0.3))]);
    let vector = towards(0, 0.0);
    let found = near(&*store, project, &query(model, &vector, &Filter::default()));
    assert_eq!(found, ["a.md:2", "b.md:1"]);
    let hits = store.nearest(project, &query(model, &vector, &Filter::default())).unwrap();
    assert!(hits[0].similarity > 0.99 && hits[0].similarity <= 1.01, "{}", hits[0].similarity);
    let filter = Filter::default();
    let one = VectorQuery { limit: 1, ..query(model, &vector, &filter) };
    assert_eq!(near(&*store, project, &one), ["a.md:2"]);
}

pub fn explicitly_requested_pages_are_compared(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("near.md", &["near"]));
    let far = put(&*store, project, with_chunks("far.md", &["far", "farther"]));
    embed(
        &*store,
        model,
        &[("near", towards(0, 0.0)), ("far", towards(7, 0.5)), ("farther", towards(4, 0.0))],
    );
    let filter = Filter::default();
    let vector = towards(0, 0.0);
    let asked = VectorQuery { limit: 1, also: &[far], ..query(model, &vector, &filter) };
    assert_eq!(near(&*store, project, &asked), ["near.md:1", "far.md:1"]);
}

pub fn filters_apply_before_the_nearest_search(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    // More of the others than are ever compared, all of them nearer.
    let texts: Vec<String> = (0..700).map(|number| format!("other {number}")).collect();
    for text in &texts {
        put(&*store, project, with_chunks(&format!("{text}.md"), &[text]));
        embed(&*store, model, &[(text, towards(0, 0.0))]);
    }
    let mut wanted = with_chunks("wanted.md", &["wanted"]);
    wanted.row.kind = "person".into();
    put(&*store, project, wanted);
    embed(&*store, model, &[("wanted", towards(4, 0.0))]);
    let person = Filter { kinds: vec!["person".into()], ..Default::default() };
    assert_eq!(near(&*store, project, &query(model, &towards(0, 0.0), &person)), ["wanted.md:1"]);
    let note = Filter { kinds: vec!["note".into()], ..Default::default() };
    let found = near(&*store, project, &query(model, &towards(4, 0.0), &note));
    assert_eq!(found.len(), 10);
    assert!(found.iter().all(|path| path.starts_with("other")), "{found:?}");
}

pub fn unchanged_chunks_are_not_reembedded(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    put(&*store, project, with_chunks("a.md", &["zero", "one", "two"]));
    assert_eq!(waiting(&*store, project, model), 1);
    let found = near(&*store, project, &query(model, &towards(0, 0.0), &Filter::default()));
    assert_eq!(found, ["a.md:2"], "with its current line");
    assert_eq!(store.vector_problems(project, model).unwrap(), [""; 0]);
}

pub fn slots_of_removed_chunks_are_reused(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one"]));
    let gone = put(&*store, project, with_chunks("b.md", &["two", "three"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0)), ("three", towards(1, 0.2))]);
    store.remove_page(project, gone).unwrap();
    let ask = towards(1, 0.0);
    assert_eq!(near(&*store, project, &query(model, &ask, &Filter::default())), ["a.md:1"]);
    put(&*store, project, with_chunks("c.md", &["four"]));
    let found = near(&*store, project, &query(model, &ask, &Filter::default()));
    assert_eq!(found, ["a.md:1"], "a stale sign code does not match the new chunk");
    embed(&*store, model, &[("four", towards(1, 0.5))]);
    let found = near(&*store, project, &query(model, &ask, &Filter::default()));
    assert_eq!(found, ["c.md:1", "a.md:1"]);
    assert_eq!(store.count_chunks(project).unwrap(), 2);
    assert_eq!(store.vector_problems(project, model).unwrap(), [""; 0]);
}

pub fn identical_text_reuses_its_vector(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let other = store.project("q", "/q").unwrap();
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
    let project = store.project("p", "/p").unwrap();
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
    let project = store.project("p", "/p").unwrap();
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
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    store.forget(project, Forget::IndexOnly).unwrap();
    assert_eq!(store.count_chunks(project).unwrap(), 0);
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
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    let good = (hash("one"), towards(0, 0.0));
    for bad in [vec![1.0], vec![f32::NAN; DIMENSIONS]] {
        assert!(store.put_vectors(model, &[good.clone(), (hash("two"), bad)]).is_err());
    }
    assert_eq!(waiting(&*store, project, model), 2, "all or nothing");
    assert!(store.nearest(project, &query(model, &[1.0], &Filter::default())).is_err());
}

pub fn approximate_search_finds_the_exact_nearest(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = store
        .add_model(&ModelIdentity { name: "wide".into(), dimensions: 384, revision: "1".into() })
        .unwrap();
    let vector = |seed: u64| -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        let vector: Vec<f32> = (0..384).map(|_| next()).collect();
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.into_iter().map(|number| number / length).collect()
    };
    let vectors: Vec<(ContentHash, Vec<f32>)> =
        (0..3000u64).map(|seed| (ContentHash::of(seed.to_string().as_bytes()), vector(seed + 1))).collect();
    store
        .transaction(&mut || {
            for seed in 0..3000 {
                put(&*store, project, with_chunks(&format!("{seed:04}.md"), &[&seed.to_string()]));
            }
            store.put_vectors(model, &vectors)
        })
        .unwrap();
    let ask = vector(77_777);
    let mut exact: Vec<(f32, usize)> = vectors
        .iter()
        .enumerate()
        .map(|(at, (_, vector))| (vector.iter().zip(&ask).map(|(a, b)| a * b).sum(), at))
        .collect();
    exact.sort_by(|a, b| b.0.total_cmp(&a.0));
    // The order of two nearly equidistant chunks depends on quantization.
    let sorted = |mut paths: Vec<String>| {
        paths.sort();
        paths
    };
    let expected = exact[..10].iter().map(|(_, at)| format!("{at:04}.md:1")).collect();
    let found = near(&*store, project, &query(model, &ask, &Filter::default()));
    assert_eq!(sorted(found), sorted(expected));
    assert_eq!(store.vector_problems(project, model).unwrap(), [""; 0]);
}

pub fn vectors_can_be_recomputed(open: Open<'_>) {
    let store = open();
    let project = store.project("p", "/p").unwrap();
    let model = model(&*store, "m");
    let one = put(&*store, project, with_chunks("a.md", &["one"]));
    put(&*store, project, with_chunks("b.md", &["two", "one"]));
    embed(&*store, model, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0))]);
    store.forget_vectors(project, model, Some(&[one])).unwrap();
    assert_eq!(waiting(&*store, project, model), 2, "every occurrence of the text");
    store.forget_vectors(project, model, None).unwrap();
    assert_eq!(waiting(&*store, project, model), 3);
    assert_eq!(store.vector_problems(project, model).unwrap(), [""; 0]);
}

pub fn page_vectors_are_means_of_their_chunks(open: Open<'_>) {
    let store = open();
    let (project, elsewhere) = (store.project("p", "/p").unwrap(), store.project("q", "/q").unwrap());
    let (first, second) = (model(&*store, "m"), store.add_model(&identity("other")).unwrap());
    let both = put(&*store, project, with_chunks("both.md", &["one", "two"]));
    let one = put(&*store, project, with_chunks("one.md", &["one", "waits"]));
    let none = put(&*store, project, with_chunks("none.md", &["waits too"]));
    let foreign = put(&*store, elsewhere, with_chunks("foreign.md", &["one"]));
    let (east, north) = (towards(0, 0.0), towards(1, 0.0));
    embed(&*store, first, &[("one", east.clone()), ("two", north.clone())]);
    embed(&*store, second, &[("one", north.clone())]);
    let asked = [none, one, foreign, both, one];
    let found = store.page_vectors(project, first, &asked).unwrap();
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
    let other = store.page_vectors(project, second, &asked).unwrap();
    assert!(
        other[0].1.iter().zip(&north).map(|(a, b)| a * b).sum::<f32>() > 0.99,
        "the requested model is used"
    );
    assert_eq!(store.page_vectors(project, first, &[]).unwrap(), []);
}
