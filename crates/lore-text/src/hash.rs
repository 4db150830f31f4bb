//! Content hashes.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The SHA-256 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        ContentHash(Sha256::digest(bytes).into())
    }
}

/// Hashes bytes piece by piece.
#[derive(Default)]
pub struct ContentHasher(Sha256);

impl ContentHasher {
    /// Adds a piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash.
    pub fn finish(self) -> ContentHash {
        ContentHash(self.0.finalize().into())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let byte = |at: usize| text.get(at * 2..at * 2 + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
        let mut bytes = [0; 32];
        for (at, slot) in bytes.iter_mut().enumerate() {
            *slot = byte(at).ok_or_else(|| D::Error::custom("not a content hash"))?;
        }
        Ok(ContentHash(bytes))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the HMAC-SHA-256 of these parts, each with its length, so that no two lists of parts are confused.
pub fn keyed_hash(key: &[u8; 32], parts: &[&[u8]]) -> ContentHash {
    const BLOCK: usize = 64;
    let padded = |pad: u8| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let mut inner = Sha256::new_with_prefix(padded(0x36));
    for part in parts {
        inner.update((part.len() as u64).to_be_bytes());
        inner.update(part);
    }
    let mut outer = Sha256::new_with_prefix(padded(0x5c));
    outer.update(inner.finalize());
    ContentHash(outer.finalize().into())
}

/// Hashes words to a 52-bit number (exact in JSON), the same on every machine.
pub fn stable_number(parts: &[&str]) -> u64 {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    digest[..8].iter().fold(0u64, |number, byte| (number << 8) | u64::from(*byte)) >> 12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyed_hash_is_hmac_sha256() {
        // Computed with `openssl dgst -sha256 -mac HMAC` over the length of the part and the part.
        let key: [u8; 32] = std::array::from_fn(|at| at as u8);
        let text = "what do ya want for nothing?";
        assert_eq!(
            keyed_hash(&key, &[text.as_bytes()]).to_string(),
            "f476524ed678ed9b50ae78497b247d84f8680a9e249ba45c9fb17745b401c608"
        );
        assert_ne!(keyed_hash(&key, &[b"ab", b"c"]), keyed_hash(&key, &[b"a", b"bc"]));
    }
}
