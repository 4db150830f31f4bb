//! The chunks nearest to a vector.

use lore_text::ContentHash;

use super::Open;
use super::sample::{open_project, put, with_chunks};
use super::vectors::{embed, model, near, query, towards};
use crate::{Filter, ModelIdentity, VectorQuery};

pub fn pages_are_represented_by_their_nearest_chunk(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["a1", "a2", "a3"]));
    put(&*store, project, with_chunks("b.md", &["b1"]));
    embed(&*store, model, &[("a1", towards(5, 0.0)), ("a2", towards(0, 0.1)), ("a3", towards(0, 0.6))]);
    embed(&*store, model, &[("b1", towards(0, 0.3))]);
    let vector = towards(0, 0.0);
    let found = near(&*store, project, &query(model, &vector, &Filter::default()));
    assert_eq!(found, ["a.md:2", "b.md:1"]);
    let hits = store.nearest(project.number, &query(model, &vector, &Filter::default())).unwrap();
    assert!(hits[0].similarity > 0.99 && hits[0].similarity <= 1.01, "{}", hits[0].similarity);
    let filter = Filter::default();
    let one = VectorQuery { limit: 1, ..query(model, &vector, &filter) };
    assert_eq!(near(&*store, project, &one), ["a.md:2"]);
}

pub fn explicitly_requested_pages_are_compared(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
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
    let project = open_project(&*store, "p");
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

pub fn approximate_search_finds_the_exact_nearest(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
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
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}
