//! The chunks nearest to a vector. A database scans sign codes and returns candidates; which of them are compared as int8
//! vectors, and which chunk represents a page, is decided here, the same for every database.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_ports::{
    ChunkNo, ChunkRow, ChunkVector, CodeQuery, Filter, ModelNo, NearCodes, PageNo, read_transaction,
};
use lore_text::sign_codes::{SignWeights, add_to, code, dot};

use crate::context::VaultContext;
use crate::error::Result;

/// Up to this many eligible chunks are all compared.
const EXACT: usize = 500;

/// Candidates for each chunk that is compared: weighting the signs can move up a chunk that the plain bit count ranked a
/// little too low.
const CANDIDATES: usize = 4;

/// Chunks compared for each requested page: several chunks of one page may be near.
const PER_PAGE: usize = 2;

/// Minimum number of chunks compared.
const COMPARED: usize = 200;

/// A nearest-neighbour query.
#[derive(Debug)]
pub struct VectorQuery<'a> {
    /// The model.
    pub model: ModelNo,
    /// The query's vector, of unit length.
    pub vector: &'a [f32],
    /// Which pages to search.
    pub filter: &'a Filter,
    /// Maximum number of pages.
    pub limit: usize,
    /// Pages whose nearest chunk is always returned.
    pub also: &'a [PageNo],
}

/// A page's nearest chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: ChunkRow,
    /// Cosine similarity to the query.
    pub similarity: f32,
}

/// Returns the nearest chunk of each page, nearest first, then those of the remaining pages in `also`.
pub fn nearest(context: &VaultContext, query: &VectorQuery<'_>) -> Result<Vec<ChunkHit>> {
    let (store, project) = (context.store(), context.project());
    let compared = COMPARED.max(query.limit.saturating_mul(PER_PAGE));
    let code = code(query.vector);
    let limit = compared.saturating_mul(CANDIDATES);
    let codes = CodeQuery { model: query.model, code: &code, filter: query.filter, limit, also: query.also };
    let vectors = read_transaction(store, || -> Result<Vec<ChunkVector>> {
        let near = store.near_codes(project, &codes)?;
        let chunks = worth_comparing(&near, query.vector, compared);
        Ok(store.chunk_vectors(project, query.model, &chunks)?)
    })?;
    Ok(best_of_pages(vectors, query))
}

/// Returns the chunks to compare: those that the weighted signs rank first, and for each other page in `also` the one
/// with the nearest code.
fn worth_comparing(near: &NearCodes, vector: &[f32], compared: usize) -> Vec<ChunkNo> {
    let mut chunks: Vec<ChunkNo> = if near.nearest.len() <= EXACT.max(compared) {
        near.nearest.iter().map(|code| code.chunk).collect()
    } else {
        let weights = SignWeights::of(vector);
        let weighted = near.nearest.iter().map(|code| (weights.of_code(&code.code), code.chunk));
        let mut nearest: Vec<(f32, ChunkNo)> = weighted.collect();
        nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nearest.truncate(compared);
        nearest.into_iter().map(|(_, chunk)| chunk).collect()
    };
    let chosen: HashSet<ChunkNo> = chunks.iter().copied().collect();
    let covered: HashSet<PageNo> =
        near.also.iter().filter(|code| chosen.contains(&code.chunk)).map(|code| code.page).collect();
    let mut others: BTreeMap<PageNo, (u16, ChunkNo)> = BTreeMap::new();
    for code in near.also.iter().filter(|code| !covered.contains(&code.page)) {
        let nearest = others.entry(code.page).or_insert((code.distance, code.chunk));
        *nearest = (*nearest).min((code.distance, code.chunk));
    }
    chunks.extend(others.into_values().map(|(_, chunk)| chunk));
    chunks
}

/// Compares the vectors and returns the nearest chunk of each page.
fn best_of_pages(vectors: Vec<ChunkVector>, query: &VectorQuery<'_>) -> Vec<ChunkHit> {
    let mut best: HashMap<PageNo, ChunkHit> = HashMap::new();
    for ChunkVector { chunk, vector } in vectors {
        let Some(similarity) = dot(query.vector, &vector) else { continue };
        // Of two equally near chunks, the first in the file represents the page.
        let is_nearer = best.get(&chunk.page).is_none_or(|known| {
            similarity > known.similarity
                || similarity == known.similarity && chunk.lines.first < known.chunk.lines.first
        });
        if is_nearer {
            best.insert(chunk.page, ChunkHit { chunk, similarity });
        }
    }
    let mut hits: Vec<ChunkHit> = best.into_values().collect();
    hits.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.chunk.page.cmp(&b.chunk.page)));
    let mut rest = hits.split_off(query.limit.min(hits.len()));
    rest.retain(|hit| query.also.contains(&hit.chunk.page));
    hits.append(&mut rest);
    hits
}

/// Returns the normalized mean of the chunk vectors of each of these pages. A page without any is left out.
pub fn page_vectors(
    context: &VaultContext,
    model: ModelNo,
    pages: &[PageNo],
) -> Result<HashMap<PageNo, Vec<f32>>> {
    let mut sums: HashMap<PageNo, Vec<f32>> = HashMap::new();
    for (page, vector) in context.store().page_vectors(context.project(), model, pages)? {
        // The scale comes first.
        let sum = sums.entry(page).or_insert_with(|| vec![0.0; vector.len().saturating_sub(4)]);
        add_to(sum, &vector);
    }
    // The sum and the mean have the same direction.
    sums.values_mut().for_each(|sum| normalize(sum));
    sums.retain(|_, vector| vector.iter().any(|number| *number != 0.0));
    Ok(sums)
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
}

#[cfg(test)]
mod tests {
    use lore_ports::{NearCode, PageCode};

    use super::*;

    fn near(chunks: impl Iterator<Item = i64>, also: &[(PageNo, ChunkNo, u16)]) -> NearCodes {
        let nearest = chunks.map(|chunk| NearCode { chunk, distance: 0, code: vec![0; 8] }).collect();
        let also = also.iter().map(|(page, chunk, distance)| PageCode {
            page: *page,
            chunk: *chunk,
            distance: *distance,
        });
        NearCodes { nearest, also: also.collect() }
    }

    #[test]
    fn few_candidates_are_all_compared() {
        let all: Vec<i64> = (0..500).collect();
        assert_eq!(worth_comparing(&near(0..500, &[]), &[1.0; 8], 200), all);
        assert_eq!(worth_comparing(&near(0..501, &[]), &[1.0; 8], 200), all[..200]);
    }

    #[test]
    fn weighted_signs_decide_which_of_many_are_compared() {
        let mut many = near(0..600, &[]);
        // The first sign carries most of the query; the others count for little.
        many.nearest.iter_mut().for_each(|code| code.code[0] = 0b0000_0001);
        many.nearest[599].code[0] = 0b1111_1110;
        let vector = [1.0, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01];
        assert_eq!(worth_comparing(&many, &vector, 2), [599, 0]);
    }

    #[test]
    fn requested_pages_are_compared_by_their_nearest_chunk() {
        let also = [(7, 3, 9), (7, 900, 1), (8, 901, 5), (8, 902, 4), (9, 903, 6)];
        assert_eq!(
            worth_comparing(&near(0..4, &also), &[1.0; 8], 2),
            [0, 1, 2, 3, 902, 903],
            "page 7 is covered"
        );
    }
}
