//! A static model: one vector per piece of the vocabulary, averaged over a text. Only sums are computed, so a query
//! takes microseconds; nothing is parsed at startup, so the first query is as fast as the next.

mod layout;
mod merge;
mod pack;
mod source;
mod tokenizer;

use std::fmt;
use std::path::Path;

use lore_ports::{EmbedError, EmbedResult, Embedder, ModelIdentity};
use lore_text::ContentHash;

use self::layout::{ModelCounts, Tables};

pub use self::pack::pack;
use self::tokenizer::Scratch;
use crate::files::{self, Mapped};
use crate::script::is_mostly_latin;

/// A static model in its packed form, used in place: embedded in the binary or memory-mapped.
pub struct StaticModel {
    bytes: Bytes,
    counts: ModelCounts,
    identity: ModelIdentity,
}

enum Bytes {
    #[cfg_attr(
        not(feature = "embedded-model"),
        expect(dead_code, reason = "only the embedded model is static")
    )]
    Embedded(&'static [u8]),
    Mapped(Mapped),
    #[cfg(test)]
    Owned(Vec<u8>),
}

impl StaticModel {
    /// Returns the model embedded in the binary, if there is one.
    pub fn embedded() -> Option<&'static StaticModel> {
        #[cfg(feature = "embedded-model")]
        {
            use std::sync::LazyLock;
            static BYTES: &[u8] = include_bytes!(env!("LORE_STATIC_MODEL"));
            const _: () = assert!(
                layout::is_current(BYTES),
                "the packed model has a different format: run `make models`"
            );
            static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
                StaticModel::new(Bytes::Embedded(BYTES), "the embedded model")
                    .expect("`make models` verifies the packed model")
            });
            Some(&MODEL)
        }
        #[cfg(not(feature = "embedded-model"))]
        None
    }

    /// Opens a packed model by mapping its file. Reads only the header; see [`StaticModel::verify`].
    pub fn open(path: &Path) -> EmbedResult<StaticModel> {
        StaticModel::new(Bytes::Mapped(files::map(path)?), &path.display().to_string())
    }

    fn new(bytes: Bytes, place: &str) -> EmbedResult<StaticModel> {
        let (counts, checksum) = layout::read_header(bytes.as_slice())
            .map_err(|reason| EmbedError::Model { place: place.to_owned(), reason })?;
        let dimensions = counts.dimensions;
        let revision = ContentHash(checksum).to_string();
        let identity = ModelIdentity { name: format!("wordllama-{dimensions}"), dimensions, revision };
        Ok(StaticModel { bytes, counts, identity })
    }

    /// Verifies every byte against the hash in the header, which reads the whole file.
    pub fn verify(&self) -> EmbedResult<()> {
        let found = ContentHash::of(layout::body(self.bytes.as_slice())).to_string();
        if found == self.identity.revision {
            return Ok(());
        }
        let reason = format!("its SHA-256 is {found}, expected {}", self.identity.revision);
        Err(EmbedError::Model { place: self.identity.name.clone(), reason })
    }

    /// Returns the number of tokens in the text.
    pub fn tokens(&self, text: &str) -> usize {
        let mut count = 0;
        self.tables().encode(text, &mut Scratch::default(), &mut |_| count += 1);
        count
    }

    /// Returns the token ids of the text.
    pub fn token_ids(&self, text: &str) -> Vec<u16> {
        let mut ids = Vec::new();
        self.tables().encode(text, &mut Scratch::default(), &mut |id| ids.push(id));
        ids
    }

    /// Returns the sum of the token vectors of each word, not scaled.
    pub fn embed_words(&self, words: &[&str]) -> Vec<Vec<f32>> {
        let (tables, mut scratch) = (self.tables(), Scratch::default());
        let sum_of = |word: &&str| {
            let mut sum = vec![0.0; self.counts.dimensions];
            tables.encode(word, &mut scratch, &mut |id| add(&mut sum, tables.vectors, id));
            sum
        };
        words.iter().map(sum_of).collect()
    }

    fn tables(&self) -> Tables<'_> {
        layout::tables(self.bytes.as_slice(), &self.counts)
    }

    /// Returns the normalized mean of the token vectors. A text without tokens gives the zero vector.
    fn embed(&self, text: &str, scratch: &mut Scratch) -> Vec<f32> {
        let tables = self.tables();
        let mut sum = vec![0.0; self.counts.dimensions];
        tables.encode(text, scratch, &mut |id| add(&mut sum, tables.vectors, id));
        // The sum and the mean have the same direction.
        crate::vector::normalise(&mut sum);
        sum
    }
}

impl Embedder for StaticModel {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn embed_query(&self, text: &str) -> EmbedResult<Vec<f32>> {
        Ok(self.embed(text, &mut Scratch::default()))
    }

    fn embed_passages(&self, texts: &[&str]) -> EmbedResult<Vec<Vec<f32>>> {
        let mut scratch = Scratch::default();
        Ok(texts.iter().map(|text| self.embed(text, &mut scratch)).collect())
    }

    fn reads(&self, text: &str) -> bool {
        is_mostly_latin(text)
    }
}

impl fmt::Debug for StaticModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticModel").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Bytes {
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Embedded(bytes) => bytes,
            Bytes::Mapped(mapped) => mapped,
            #[cfg(test)]
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Adds the vector of a piece to the sum. A damaged file can name a missing piece, which adds nothing.
fn add(sum: &mut [f32], vectors: &[[u8; 2]], id: u16) {
    let start = usize::from(id) * sum.len();
    let row = vectors.get(start..start + sum.len()).unwrap_or_default();
    for (sum, half) in sum.iter_mut().zip(row) {
        *sum += widen(u16::from_le_bytes(*half));
    }
}

/// Converts f16 to f32. Shifted into place, the exponent is too small by 2^112; multiplying by that is right for
/// subnormal numbers too. A packed file contains no infinities. Branch-free, so that the compiler can vectorize it.
fn widen(half: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(half & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
    f32::from_bits(magnitude.to_bits() | (u32::from(half & 0x8000) << 16))
}

#[cfg(test)]
mod tests;
