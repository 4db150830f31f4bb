//! Candidates by sign code, and the vectors of chunks.

use std::collections::BTreeSet;

use lore_text::ContentHash;
use lore_text::sign_codes::{code, code_of_bytes, to_bytes};

use super::Open;
use super::sample::{Project, open_project, put, with_chunks};
use super::vectors::{embed, model, near, shown, towards};
use crate::{ChunkNo, CodeQuery, Filter, ModelIdentity, ModelNo, NearCodes, PageNo, Store};

/// A vector whose sign code differs from that of all ones in this many signs.
fn with_negatives(count: usize) -> Vec<f32> {
    (0..8).map(|at| if at < count { -1.0 } else { 1.0 }).collect()
}

fn asked<'a>(model: ModelNo, code: &'a [u8], filter: &'a Filter) -> CodeQuery<'a> {
    CodeQuery { model, code, filter, limit: 10, also: &[] }
}

/// Returns path, line and distance of the candidates.
fn candidates(store: &dyn Store, project: Project, model: ModelNo, near: &NearCodes) -> Vec<String> {
    let shown = |chunk: ChunkNo, distance: u16| {
        let one = store.chunk_vectors(project.number, model, &[chunk]).unwrap().pop().expect("its vector");
        format!("{} {distance}", shown(store, project, &one))
    };
    near.nearest.iter().map(|code| shown(code.chunk, code.distance)).collect()
}

pub fn candidates_are_ordered_by_distance(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("a.md", &["a1", "a2", "a3"]));
    put(&*store, project, with_chunks("b.md", &["b1", "waits"]));
    embed(&*store, model, &[("a1", with_negatives(4)), ("a2", with_negatives(0)), ("a3", with_negatives(6))]);
    embed(&*store, model, &[("b1", with_negatives(3))]);
    let (ones, filter) = (code(&with_negatives(0)), Filter::default());
    let all = store.near_codes(project.number, &asked(model, &ones, &filter)).unwrap();
    assert_eq!(candidates(&*store, project, model, &all), ["a.md:2 0", "b.md:1 3", "a.md:1 4", "a.md:3 6"]);
    assert_eq!(all.nearest[1].code, code(&with_negatives(3)));
    assert_eq!(all.also, [], "no page was asked for");
    let two = CodeQuery { limit: 2, ..asked(model, &ones, &filter) };
    let two = store.near_codes(project.number, &two).unwrap();
    assert_eq!(candidates(&*store, project, model, &two), ["a.md:2 0", "b.md:1 3"]);
}

pub fn chunks_of_requested_pages_are_always_returned(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    put(&*store, project, with_chunks("near.md", &["near"]));
    let far = put(&*store, project, with_chunks("far.md", &["far", "farther", "waits"]));
    embed(
        &*store,
        model,
        &[("near", with_negatives(0)), ("far", with_negatives(5)), ("farther", with_negatives(8))],
    );
    let (ones, filter) = (code(&with_negatives(0)), Filter::default());
    let query = CodeQuery { limit: 1, also: &[far, far + 1000], ..asked(model, &ones, &filter) };
    let found = store.near_codes(project.number, &query).unwrap();
    assert_eq!(candidates(&*store, project, model, &found), ["near.md:1 0"]);
    let mut also: Vec<_> = found.also.iter().map(|code| (code.page, code.distance)).collect();
    also.sort_unstable();
    assert_eq!(also, [(far, 5), (far, 8)], "but not the pending chunk");
    let other = Filter { path: Some("near".into()), ..Filter::default() };
    let query = CodeQuery { also: &[far], ..asked(model, &ones, &other) };
    let found = store.near_codes(project.number, &query).unwrap();
    assert_eq!((found.nearest.len(), found.also.len()), (1, 0), "the filter applies to them too");
    put(&*store, project, with_chunks("near.md", &["near", "waits too"]));
    for path in ["few.md", "more.md", "many.md"] {
        put(&*store, project, with_chunks(path, &[path]));
        let found = store.near_codes(project.number, &query).unwrap();
        assert_eq!(found.nearest.len(), 1, "a pending chunk is left out, however many others are pending");
    }
}

pub fn vectors_are_read_by_chunk(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let (first, second) = (model(&*store, "m"), model(&*store, "n"));
    put(&*store, project, with_chunks("a.md", &["one", "two"]));
    put(&*store, other, with_chunks("z.md", &["zzz"]));
    embed(&*store, first, &[("one", towards(0, 0.0)), ("two", towards(1, 0.0)), ("zzz", towards(2, 0.0))]);
    embed(&*store, second, &[("one", towards(3, 0.0))]);
    let (ones, filter) = (code(&towards(0, 0.0)), Filter::default());
    let near = store.near_codes(project.number, &asked(first, &ones, &filter)).unwrap();
    let chunks: Vec<ChunkNo> = near.nearest.iter().map(|code| code.chunk).chain([9999]).collect();
    let read = |model: ModelNo, chunks: &[ChunkNo]| -> BTreeSet<(u32, Vec<u8>)> {
        let found = store.chunk_vectors(project.number, model, chunks).unwrap();
        found.into_iter().map(|one| (one.chunk.lines.first, one.vector)).collect()
    };
    let expected = |vectors: &[(u32, Vec<f32>)]| -> BTreeSet<(u32, Vec<u8>)> {
        vectors.iter().map(|(line, vector)| (*line, to_bytes(vector))).collect()
    };
    assert_eq!(read(first, &chunks), expected(&[(1, towards(0, 0.0)), (2, towards(1, 0.0))]));
    assert_eq!(read(second, &chunks), expected(&[(1, towards(3, 0.0))]), "of the requested model");
    assert_eq!(read(first, &[]), BTreeSet::new());
}

pub fn chunks_are_read_by_page(open: Open<'_>) {
    let store = open();
    let (project, other) = (open_project(&*store, "p"), open_project(&*store, "q"));
    let a = put(&*store, project, with_chunks("a.md", &["one", "two"]));
    let b = put(&*store, project, with_chunks("b.md", &["three"]));
    let foreign = put(&*store, other, with_chunks("z.md", &["one"]));
    // The slots of the first two are reused out of order.
    put(&*store, project, with_chunks("a.md", &["zero", "two", "one", "four"]));
    let read = |pages: &[PageNo]| -> Vec<(PageNo, u32)> {
        let found = store.chunks_of(project.number, pages).unwrap();
        found.into_iter().map(|chunk| (chunk.page, chunk.lines.first)).collect()
    };
    assert_eq!(read(&[b, a, foreign, 9999]), [(b, 1), (a, 1), (a, 2), (a, 3), (a, 4)]);
    assert_eq!(read(&[]), []);
}

pub fn filters_apply_before_the_nearest_search(open: Open<'_>) {
    let store = open();
    let project = open_project(&*store, "p");
    let model = model(&*store, "m");
    // More of the others than are asked for, all of them nearer.
    let texts: Vec<String> = (0..700).map(|number| format!("other {number}")).collect();
    let vectors: Vec<(&str, Vec<f32>)> =
        texts.iter().map(|text| (text.as_str(), with_negatives(0))).collect();
    let mut fill = || {
        for text in &texts {
            put(&*store, project, with_chunks(&format!("{text}.md"), &[text]));
        }
        embed(&*store, model, &vectors);
        Ok(())
    };
    store.transaction(&mut fill).unwrap();
    let mut wanted = with_chunks("wanted.md", &["wanted"]);
    wanted.row.kind = "person".into();
    put(&*store, project, wanted);
    embed(&*store, model, &[("wanted", with_negatives(4))]);
    let person = Filter { kinds: vec!["person".into()], ..Default::default() };
    assert_eq!(near(&*store, project, model, &with_negatives(0), &person), ["wanted.md:1"]);
    let (four, note) =
        (code(&with_negatives(4)), Filter { kinds: vec!["note".into()], ..Default::default() });
    let found = store.near_codes(project.number, &asked(model, &four, &note)).unwrap();
    assert_eq!(found.nearest.len(), 10);
    assert!(found.nearest.iter().all(|code| code.distance == 4), "{found:?}");
}

/// The candidates are the nearest of all chunks, however many there are.
pub fn candidates_are_the_nearest_of_many(open: Open<'_>) {
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
        (0..384).map(|_| next()).collect()
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
    let ask = code(&vector(77_777));
    let distance = |code: &[u8]| code.iter().zip(&ask).map(|(a, b)| (a ^ b).count_ones() as u16).sum::<u16>();
    let mut exact: Vec<u16> =
        vectors.iter().map(|(_, vector)| distance(&code_of_bytes(&to_bytes(vector)))).collect();
    exact.sort_unstable();
    let filter = Filter::default();
    let query = CodeQuery { limit: 800, ..asked(model, &ask, &filter) };
    let found = store.near_codes(project.number, &query).unwrap().nearest;
    let distances: Vec<u16> = found.iter().map(|code| code.distance).collect();
    assert!(distances == exact[..800], "the nearest {:?}, expected {:?}", &distances[..9], &exact[..9]);
    assert!(found.iter().all(|code| distance(&code.code) == code.distance));
    assert_eq!(store.vector_problems(project.number, model).unwrap(), [""; 0]);
}
