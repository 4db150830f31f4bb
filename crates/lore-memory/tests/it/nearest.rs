//! The nearest chunk of each page, from the candidates of a real database.

use std::collections::HashMap;

use lore_engine::{VectorQuery, nearest, page_vectors};
use lore_ports::{ChunkRow, Filter, ModelIdentity, ModelNo, PageNo};
use lore_text::ContentHash;

use super::fixture::World;

/// Adds a model and embeds every chunk with the vector that `vector` returns for its path and line.
fn embed(world: &World, dimensions: usize, vector: impl Fn(&str, u32) -> Vec<f32>) -> ModelNo {
    let (store, project) = (world.context.store(), world.context.project());
    let identity = ModelIdentity { name: "test".into(), dimensions, revision: "1".into() };
    let model = store.add_model(&identity).unwrap();
    let chunks = store.pending(project, model, usize::MAX).unwrap();
    let paths = paths(world, &chunks);
    let made = |chunk: &ChunkRow| (chunk.hash, unit(vector(&paths[&chunk.page], chunk.lines.first)));
    let vectors: Vec<(ContentHash, Vec<f32>)> = chunks.iter().map(made).collect();
    store.put_vectors(model, &vectors).unwrap();
    model
}

fn paths(world: &World, chunks: &[ChunkRow]) -> HashMap<PageNo, String> {
    let numbers: Vec<PageNo> = chunks.iter().map(|chunk| chunk.page).collect();
    let rows = world.context.store().pages(world.context.project(), &numbers).unwrap();
    rows.into_iter().map(|row| (row.number, row.path)).collect()
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

/// Returns path and first line of the nearest chunks.
fn found(world: &World, query: &VectorQuery<'_>) -> Vec<String> {
    let hits = nearest(&world.context, query).unwrap();
    let chunks: Vec<ChunkRow> = hits.iter().map(|hit| hit.chunk.clone()).collect();
    let paths = paths(world, &chunks);
    chunks.iter().map(|chunk| format!("{}:{}", paths[&chunk.page], chunk.lines.first)).collect()
}

/// A vector at this angle to the first dimension, in degrees.
fn at(degrees: f32) -> Vec<f32> {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    vec![cosine, sine, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01]
}

const THREE: &str = "-- a.md --\n# A\n\nfirst\n\n## B\n\nsecond\n\n## C\n\nthird\n-- b.md --\n# D\n\nfourth\n\
    -- c.md --\n# E\n\nfifth\n\n## F\n\nsixth\n";

fn three_pages() -> (World, ModelNo) {
    let world = World::synced(THREE);
    let model = embed(&world, 8, |path, line| {
        at(match (path, line) {
            ("a.md", 1..=4) => 50.0,
            ("a.md", 5..=8) => 5.0,
            ("a.md", _) => 20.0,
            ("b.md", _) => 10.0,
            (_, 1..=4) => 160.0,
            _ => 120.0,
        })
    });
    (world, model)
}

#[test]
fn pages_are_represented_by_their_nearest_chunk() {
    let (world, model) = three_pages();
    let (vector, filter) = (unit(at(0.0)), Filter::default());
    let query = VectorQuery { model, vector: &vector, filter: &filter, limit: 10, also: &[] };
    assert_eq!(found(&world, &query), ["a.md:7", "b.md:3", "c.md:7"]);
    let similarity = nearest(&world.context, &query).unwrap()[0].similarity;
    assert!((similarity - 5f32.to_radians().cos()).abs() < 0.01, "{similarity}");
    assert_eq!(found(&world, &VectorQuery { limit: 1, ..query }), ["a.md:7"]);
}

#[test]
fn requested_pages_are_always_compared() {
    let (world, model) = three_pages();
    let far = world.context.page_at("c.md").unwrap().unwrap().number;
    let (vector, filter) = (unit(at(0.0)), Filter::default());
    let query = VectorQuery { model, vector: &vector, filter: &filter, limit: 1, also: &[far] };
    assert_eq!(found(&world, &query), ["a.md:7", "c.md:7"]);
    let none = Filter { path: Some("b.md".into()), ..Filter::default() };
    assert_eq!(
        found(&world, &VectorQuery { filter: &none, ..query }),
        ["b.md:3"],
        "the filter applies to them"
    );
}

#[test]
fn page_vectors_are_means_of_their_chunks() {
    let (world, model) = three_pages();
    let number = |path: &str| world.context.page_at(path).unwrap().unwrap().number;
    let (a, b, c) = (number("a.md"), number("b.md"), number("c.md"));
    let means = page_vectors(&world.context, model, &[a, b, c, 9999]).unwrap();
    assert_eq!(means.len(), 3);
    let cosine = |page: PageNo, degrees: f32| -> f32 {
        means[&page].iter().zip(unit(at(degrees))).map(|(a, b)| a * b).sum()
    };
    assert!(cosine(a, 25.0) > 0.99 && cosine(b, 10.0) > 0.99 && cosine(c, 140.0) > 0.99, "{means:?}");
}

/// With more chunks than are compared, the signs lead to the same pages as comparing all of them.
#[test]
fn the_nearest_of_many_are_found() {
    let world = World::new("");
    (0..700).for_each(|number| world.file(&format!("{number:03}.md"), format!("page {number}\n")));
    world.sync();
    let numbers = |seed: u64| -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..384).map(|_| next()).collect()
    };
    let of = |path: &str| numbers(path[..3].parse::<u64>().unwrap() + 1);
    let model = embed(&world, 384, |path, _| of(path));
    let (vector, filter) = (unit(numbers(77_777)), Filter::default());
    let mut exact: Vec<(f32, String)> = (0..700)
        .map(|number| {
            let path = format!("{number:03}.md");
            let cosine = unit(of(&path)).iter().zip(&vector).map(|(a, b)| a * b).sum();
            (cosine, format!("{path}:1"))
        })
        .collect();
    exact.sort_by(|a, b| b.0.total_cmp(&a.0));
    // The order of two nearly equidistant chunks depends on quantization.
    let sorted = |mut paths: Vec<String>| {
        paths.sort();
        paths
    };
    let query = VectorQuery { model, vector: &vector, filter: &filter, limit: 10, also: &[] };
    let expected = exact[..10].iter().map(|(_, path)| path.clone()).collect();
    assert_eq!(sorted(found(&world, &query)), sorted(expected));
}
