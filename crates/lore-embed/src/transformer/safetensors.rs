//! The container of the weights: a length, a JSON header that says where each tensor lies, and the bytes.
//!
//! Read by hand because the header is all there is to it, and because a tensor is looked at in place: a model of 90 MB
//! costs the pages that are touched.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use lore_engine::{EmbedError, EmbedResult};
use serde::Deserialize;

use super::files::{Mapped, as_floats, refuse};

/// No model has a header near this size, so a length beyond it is a broken file.
const LONGEST_HEADER: u64 = 16 << 20;

/// The file of weights, mapped.
#[derive(Debug)]
pub(super) struct Safetensors {
    path: PathBuf,
    map: Mapped,
    header: Header,
}

/// Where everything lies. Every range of it is within the file.
#[derive(Debug)]
pub(super) struct Header {
    /// The bytes of the header itself, with its length.
    pub(super) range: Range<usize>,
    tensors: HashMap<String, Place>,
}

/// One tensor's place in the file.
#[derive(Debug, Clone)]
struct Place {
    kind: String,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// A tensor of a kind that can be computed with; `range` holds exactly its numbers.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    kind: Kind,
    columns: usize,
    range: Range<usize>,
}

/// A tensor whose numbers can be had at once.
#[derive(Debug)]
pub(super) enum Kept {
    /// They lie in the file as they are computed with.
    InFile(Tensor),
    /// They were converted.
    Made(Vec<f32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F32,
    F16,
    Bf16,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl Safetensors {
    /// Maps the file and reads its header.
    pub(super) fn open(path: &Path) -> EmbedResult<Safetensors> {
        let map = Mapped::open(path)?;
        let header = Header::parse(&map).map_err(|reason| {
            refuse(path, format!("{reason}; the file is damaged: fetch the model again"))
        })?;
        Ok(Safetensors { path: path.to_owned(), map, header })
    }

    /// The whole file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// The bytes of the header.
    pub(super) fn header(&self) -> &[u8] {
        &self.map[self.header.range.clone()]
    }

    /// Whether there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.tensors.contains_key(name)
    }

    /// The tensor of this name, which must have this shape and a kind that can be read.
    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> EmbedResult<Tensor> {
        let wrong = |reason: String| -> EmbedError { refuse(&self.path, reason) };
        let place = self.header.tensors.get(name).ok_or_else(|| {
            wrong(format!(
                "it has no tensor `{name}`; choose a sentence model of the BERT family, or fetch it again"
            ))
        })?;
        if place.shape != shape {
            return Err(wrong(format!(
                "tensor `{name}` has the shape {:?}, and config.json asks for {shape:?}; fetch both files again",
                place.shape
            )));
        }
        let kind = match place.kind.as_str() {
            "F32" => Kind::F32,
            "F16" => Kind::F16,
            "BF16" => Kind::Bf16,
            other => {
                return Err(wrong(format!(
                    "tensor `{name}` is of kind {other}; choose a copy of the model in F32, F16 or BF16"
                )));
            }
        };
        Ok(Tensor { kind, columns: shape.last().copied().unwrap_or(1), range: place.range.clone() })
    }

    /// All numbers of a tensor, in place where the file has them as they are computed with.
    pub(super) fn numbers(&self, tensor: &Tensor) -> Cow<'_, [f32]> {
        decode(tensor.kind, &self.map[tensor.range.clone()])
    }

    /// One row of a tensor; no other row is touched.
    pub(super) fn row(&self, tensor: &Tensor, row: usize) -> Cow<'_, [f32]> {
        let bytes = tensor.columns * tensor.kind.size();
        let start = tensor.range.start + row * bytes;
        decode(tensor.kind, &self.map[start..start + bytes])
    }

    /// Keeps a tensor for computing: where it lies, or its numbers where they had to be made.
    pub(super) fn keep(&self, tensor: &Tensor) -> Kept {
        match self.numbers(tensor) {
            Cow::Borrowed(_) => Kept::InFile(tensor.clone()),
            Cow::Owned(numbers) => Kept::Made(numbers),
        }
    }

    /// The numbers of a tensor that was kept.
    pub(super) fn kept<'a>(&'a self, kept: &'a Kept) -> &'a [f32] {
        match kept {
            Kept::Made(numbers) => numbers,
            Kept::InFile(tensor) => {
                as_floats(&self.map[tensor.range.clone()]).expect("it was in place when it was kept")
            }
        }
    }

    /// Gives the memory of a tensor back that has been turned into something else.
    pub(super) fn release(&self, tensor: &Tensor) {
        self.map.release(&tensor.range);
    }
}

fn decode<'a>(kind: Kind, bytes: &'a [u8]) -> Cow<'a, [f32]> {
    let halves = || bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    match kind {
        Kind::F32 => match as_floats(bytes) {
            Some(floats) => Cow::Borrowed(floats),
            None => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        },
        Kind::F16 => halves().map(half_to_float).collect(),
        Kind::Bf16 => halves().map(|half| f32::from_bits(u32::from(half) << 16)).collect(),
    }
}

impl Header {
    /// Reads the header of a whole file; what it says is checked against the file's length.
    pub(super) fn parse(file: &[u8]) -> Result<Header, String> {
        let (length, rest) = file.split_first_chunk::<8>().ok_or("it is too short to have a header")?;
        let length = u64::from_le_bytes(*length);
        if length > LONGEST_HEADER {
            return Err(format!("its header claims to be {length} bytes long"));
        }
        let length = usize::try_from(length).map_err(|_| "its header is too long".to_owned())?;
        let json = rest.get(..length).ok_or("it ends within its header")?;
        let start = 8 + length;
        // In the order of the names, so that of two errors it is always the same that is reported.
        let entries: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(json).map_err(|error| format!("its header is not JSON ({error})"))?;
        let mut tensors = HashMap::with_capacity(entries.len());
        for (name, entry) in entries {
            if name == "__metadata__" {
                continue;
            }
            let entry: Entry = serde_json::from_value(entry)
                .map_err(|error| format!("its header says nothing sensible of tensor `{name}` ({error})"))?;
            let place =
                entry.place(start, file.len()).map_err(|reason| format!("tensor `{name}` {reason}"))?;
            tensors.insert(name, place);
        }
        Ok(Header { range: 0..start, tensors })
    }
}

impl Entry {
    fn place(self, start: usize, length: usize) -> Result<Place, String> {
        let (begin, end) = self.data_offsets;
        let range = begin.checked_add(start).zip(end.checked_add(start)).map(|(begin, end)| begin..end);
        let range = range
            .filter(|range| range.start <= range.end && range.end <= length)
            .ok_or_else(|| format!("lies at {begin}..{end}, which the file does not have"))?;
        let count = self.shape.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
        let size = match self.dtype.as_str() {
            "F32" => 4,
            "F16" | "BF16" => 2,
            // Kinds that are never computed with may lie in the file too.
            _ => return Ok(Place { kind: self.dtype, shape: self.shape, range }),
        };
        if count.and_then(|count| count.checked_mul(size)) != Some(range.len()) {
            return Err(format!("has {} bytes for the shape {:?}", range.len(), self.shape));
        }
        Ok(Place { kind: self.dtype, shape: self.shape, range })
    }
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::F32 => 4,
            Kind::F16 | Kind::Bf16 => 2,
        }
    }
}

/// A number of 16 bits with five bits of exponent.
fn half_to_float(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half) & 0x3ff;
    let magnitude = match exponent {
        // Below the least exponent the fraction counts in steps of 2^-24.
        0 => (fraction as f32 / (1 << 24) as f32).to_bits(),
        0x1f => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}
