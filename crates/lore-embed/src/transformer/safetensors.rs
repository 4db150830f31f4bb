//! The safetensors container: a length, a JSON header with the position of each tensor, and the data.
//!
//! Tensors are read in place: a model of 90 MB costs only the memory pages that are touched. The safetensors crate does
//! that too, but rejects a file as a whole, without the name of the tensor, and also for tensors that are never used:
//! the errors here name the tensor and what to do. The crate would also add a second version of hashbrown.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use lore_ports::{EmbedError, EmbedResult};
use serde::Deserialize;

use super::files::{Mapped, as_floats, refuse};

/// No model has a header near this size, so a larger length means a damaged file.
const MAX_HEADER_BYTES: u64 = 16 << 20;

/// A memory-mapped safetensors file.
#[derive(Debug)]
pub(super) struct Safetensors {
    path: PathBuf,
    map: Mapped,
    header: Header,
}

/// The parsed header. Every range in it is within the file.
#[derive(Debug)]
pub(super) struct Header {
    /// Range of the header itself, including its length.
    pub(super) range: Range<usize>,
    tensors: HashMap<String, TensorPlace>,
}

/// Type, shape and range of one tensor.
#[derive(Debug, Clone)]
struct TensorPlace {
    kind: String,
    shape: Vec<usize>,
    range: Range<usize>,
}

/// A tensor of a supported type; `range` contains exactly its numbers.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    kind: DataType,
    columns: usize,
    range: Range<usize>,
}

/// A tensor that is ready for computation.
#[derive(Debug)]
pub(super) enum TensorData {
    /// Stored in the file as f32.
    InFile(Tensor),
    /// Converted to f32.
    Converted(Vec<f32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataType {
    F32,
    F16,
    Bf16,
}

#[derive(Deserialize)]
struct TensorHeader {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl Safetensors {
    /// Maps the file and parses its header.
    pub(super) fn open(path: &Path) -> EmbedResult<Safetensors> {
        let map = Mapped::open(path)?;
        let header = Header::parse(&map).map_err(|reason| {
            refuse(path, format!("{reason}; the file is damaged: download the model again"))
        })?;
        Ok(Safetensors { path: path.to_owned(), map, header })
    }

    /// Returns the whole file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Returns the bytes of the header.
    pub(super) fn header(&self) -> &[u8] {
        &self.map[self.header.range.clone()]
    }

    /// Returns whether a tensor with this name exists.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.tensors.contains_key(name)
    }

    /// Returns the tensor with this name, which must have this shape and a supported type.
    pub(super) fn tensor(&self, name: &str, shape: &[usize]) -> EmbedResult<Tensor> {
        let wrong = |reason: String| -> EmbedError { refuse(&self.path, reason) };
        let place = self.header.tensors.get(name).ok_or_else(|| {
            wrong(format!(
                "missing tensor `{name}`; use a sentence model of the BERT family, or download it again"
            ))
        })?;
        if place.shape != shape {
            return Err(wrong(format!(
                "tensor `{name}` has shape {:?}, but config.json specifies {shape:?}; download the model again",
                place.shape
            )));
        }
        let kind = match place.kind.as_str() {
            "F32" => DataType::F32,
            "F16" => DataType::F16,
            "BF16" => DataType::Bf16,
            other => {
                return Err(wrong(format!(
                    "tensor `{name}` has the unsupported type {other}; use a copy of the model in F32, F16 or BF16"
                )));
            }
        };
        Ok(Tensor { kind, columns: shape.last().copied().unwrap_or(1), range: place.range.clone() })
    }

    /// Returns all numbers of a tensor, borrowed if the file stores them as aligned f32.
    pub(super) fn numbers(&self, tensor: &Tensor) -> Cow<'_, [f32]> {
        decode(tensor.kind, &self.map[tensor.range.clone()])
    }

    /// Returns one row of a tensor without touching any other row.
    pub(super) fn row(&self, tensor: &Tensor, row: usize) -> Cow<'_, [f32]> {
        let bytes = tensor.columns * tensor.kind.size();
        let start = tensor.range.start + row * bytes;
        decode(tensor.kind, &self.map[start..start + bytes])
    }

    /// Prepares a tensor for computation: by reference to the file, or converted.
    pub(super) fn prepare(&self, tensor: &Tensor) -> TensorData {
        match self.numbers(tensor) {
            Cow::Borrowed(_) => TensorData::InFile(tensor.clone()),
            Cow::Owned(numbers) => TensorData::Converted(numbers),
        }
    }

    /// Returns the numbers of a prepared tensor.
    pub(super) fn tensor_numbers<'a>(&'a self, kept: &'a TensorData) -> &'a [f32] {
        match kept {
            TensorData::Converted(numbers) => numbers,
            TensorData::InFile(tensor) => {
                as_floats(&self.map[tensor.range.clone()]).expect("the alignment was checked by `prepare`")
            }
        }
    }

    /// Releases the memory of a tensor that has been converted.
    pub(super) fn release(&self, tensor: &Tensor) {
        self.map.release(&tensor.range);
    }
}

fn decode<'a>(kind: DataType, bytes: &'a [u8]) -> Cow<'a, [f32]> {
    let halves = || bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    match kind {
        DataType::F32 => match as_floats(bytes) {
            Some(floats) => Cow::Borrowed(floats),
            None => bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        },
        DataType::F16 => halves().map(half_to_float).collect(),
        DataType::Bf16 => halves().map(|half| f32::from_bits(u32::from(half) << 16)).collect(),
    }
}

impl Header {
    /// Parses the header and checks it against the length of the file.
    pub(super) fn parse(file: &[u8]) -> Result<Header, String> {
        let (length, rest) = file.split_first_chunk::<8>().ok_or("too short for a header")?;
        let length = u64::from_le_bytes(*length);
        if length > MAX_HEADER_BYTES {
            return Err(format!("invalid header length {length}"));
        }
        let length = usize::try_from(length).map_err(|_| "the header is too long".to_owned())?;
        let json = rest.get(..length).ok_or("truncated header")?;
        let start = 8 + length;
        // Sorted by name, so that errors are deterministic.
        let entries: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(json).map_err(|error| format!("the header is not JSON ({error})"))?;
        let mut tensors = HashMap::with_capacity(entries.len());
        for (name, entry) in entries {
            if name == "__metadata__" {
                continue;
            }
            let entry: TensorHeader = serde_json::from_value(entry)
                .map_err(|error| format!("invalid header entry of tensor `{name}` ({error})"))?;
            let place =
                entry.place(start, file.len()).map_err(|reason| format!("tensor `{name}` {reason}"))?;
            tensors.insert(name, place);
        }
        Ok(Header { range: 0..start, tensors })
    }
}

impl TensorHeader {
    fn place(self, start: usize, length: usize) -> Result<TensorPlace, String> {
        let (begin, end) = self.data_offsets;
        let range = begin.checked_add(start).zip(end.checked_add(start)).map(|(begin, end)| begin..end);
        let range = range
            .filter(|range| range.start <= range.end && range.end <= length)
            .ok_or_else(|| format!("has the invalid range {begin}..{end}"))?;
        let count = self.shape.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
        let size = match self.dtype.as_str() {
            "F32" => 4,
            "F16" | "BF16" => 2,
            // Other types are allowed for tensors that are never used.
            _ => return Ok(TensorPlace { kind: self.dtype, shape: self.shape, range }),
        };
        if count.and_then(|count| count.checked_mul(size)) != Some(range.len()) {
            return Err(format!("has {} bytes for shape {:?}", range.len(), self.shape));
        }
        Ok(TensorPlace { kind: self.dtype, shape: self.shape, range })
    }
}

impl DataType {
    fn size(self) -> usize {
        match self {
            DataType::F32 => 4,
            DataType::F16 | DataType::Bf16 => 2,
        }
    }
}

/// Converts an IEEE half-precision float.
fn half_to_float(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half) & 0x3ff;
    let magnitude = match exponent {
        // Subnormal numbers are multiples of 2^-24.
        0 => (fraction as f32 / (1 << 24) as f32).to_bits(),
        0x1f => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}
