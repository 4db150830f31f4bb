//! Multi-head self-attention. Texts are processed one by one, so that no text is padded to the length of another.

use std::ops::Range;

use super::kernel::{PANEL, Processor, Rows};

/// Number of tokens whose scores are held at a time.
const TOKENS_PER_BLOCK: usize = 16;

/// The queries, keys and values of one text, concatenated in one row per token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads<'a> {
    pub(super) rows: Rows<'a, f32>,
    pub(super) heads: usize,
}

impl<'a> Heads<'a> {
    fn width(self) -> usize {
        self.rows.width / 3
    }

    fn head_width(self) -> usize {
        self.width() / self.heads
    }

    /// Returns one head's slice of a token's queries (0), keys (1) or values (2).
    fn part(self, token: usize, which: usize, head: usize) -> &'a [f32] {
        let size = self.head_width();
        &self.rows.row(token)[which * self.width() + head * size..][..size]
    }
}

/// Buffers for one head of a text.
#[derive(Debug, Default)]
pub(super) struct AttentionBuffers {
    floats: [Vec<f32>; 4],
    /// The largest magnitude in each column of the text.
    most: Vec<f32>,
    queries: Vec<i16>,
    keys: Vec<i16>,
    values: Vec<i16>,
    scores: Vec<i32>,
    exponentials: Vec<f32>,
    weights: Vec<i16>,
    row: Vec<i16>,
}

/// Attention in f32.
pub(super) fn attend_floats(by: Processor, text: Heads, buffers: &mut AttentionBuffers, out: &mut [f32]) {
    let (tokens, size, width) = (text.rows.count(), text.head_width(), text.width());
    let scale = 1.0 / (size as f32).sqrt();
    let [queries, keys, values, scores] = &mut buffers.floats;
    values.resize(size * tokens, 0.0);
    scores.resize(tokens * tokens, 0.0);
    for head in 0..text.heads {
        queries.clear();
        keys.clear();
        for token in 0..tokens {
            queries.extend(text.part(token, 0, head).iter().map(|value| value * scale));
            keys.extend_from_slice(text.part(token, 1, head));
            for (at, value) in text.part(token, 2, head).iter().enumerate() {
                values[at * tokens + token] = *value;
            }
        }
        let (left, right) = (Rows { values: queries, width: size }, Rows { values: keys, width: size });
        by.floats(left, right, scores, tokens);
        scores.chunks_exact_mut(tokens).for_each(|row| by.softmax(row));
        let (left, right) = (Rows { values: scores, width: tokens }, Rows { values, width: tokens });
        by.floats(left, right, &mut out[head * size..], width);
    }
}

/// Attention in 16-bit integers with one scale each for a head's queries, keys and values: exact sums, twice as many
/// numbers per SIMD vector as f32, and far more precise than the int8 layers around it.
pub(super) fn attend_shorts(by: Processor, text: Heads, buffers: &mut AttentionBuffers, out: &mut [f32]) {
    let tokens = text.rows.count();
    buffers.most.clear();
    buffers.most.resize(text.rows.width, f32::MIN_POSITIVE);
    (0..tokens).for_each(|token| by.raise(&mut buffers.most, text.rows.row(token)));
    for number in 0..text.heads {
        let head = Head { text, number };
        let scales = buffers.fill(by, head);
        for start in (0..tokens).step_by(TOKENS_PER_BLOCK) {
            let some = start..tokens.min(start + TOKENS_PER_BLOCK);
            let totals = buffers.weigh(by, head, some.clone(), scales.score);
            buffers.gather(by, head, some, &totals.map(|total| scales.value / total as f32), out);
        }
    }
}

/// One head of a text.
#[derive(Debug, Clone, Copy)]
struct Head<'a> {
    text: Heads<'a>,
    number: usize,
}

/// Scales of a head's 16-bit integers.
struct Scales {
    /// Scale of a product of query and key.
    score: f32,
    value: f32,
}

impl Head<'_> {
    fn tokens(self) -> usize {
        self.text.rows.count()
    }

    /// Width of the head in a token, rounded up to an even number.
    fn pairs(self) -> usize {
        self.text.head_width().next_multiple_of(2)
    }

    /// Returns the factors that convert queries, keys and values to 16-bit integers, from the largest magnitude of each
    /// column.
    fn factors(self, by: Processor, most: &[f32]) -> [f32; 3] {
        let size = self.text.head_width();
        // A score is the sum of this many products; it stays below 2^30, so that the difference of two scores fits in
        // 32 bits.
        let limit = ((1 << 30) as f32 / self.pairs() as f32).sqrt().floor().min(f32::from(i16::MAX));
        let limits = [limit, limit, f32::from(i16::MAX)];
        std::array::from_fn(|which| {
            let start = which * self.text.width() + self.number * size;
            limits[which] / by.greatest(&most[start..start + size])
        })
    }
}

impl AttentionBuffers {
    /// Converts one head to 16-bit integers: queries in rows, keys and values in panels.
    fn fill(&mut self, by: Processor, head: Head) -> Scales {
        let (tokens, size, pairs) = (head.tokens(), head.text.head_width(), head.pairs());
        let factors = head.factors(by, &self.most);
        let height = tokens.next_multiple_of(2) * PANEL;
        refill(&mut self.queries, tokens * pairs);
        refill(&mut self.keys, tokens.next_multiple_of(PANEL) * pairs);
        refill(&mut self.values, size.div_ceil(PANEL) * height);
        refill(&mut self.row, pairs);
        for token in 0..tokens {
            let part = |which| head.text.part(token, which, head.number);
            by.shorten(part(0), factors[0], &mut self.queries[token * pairs..][..size]);
            by.shorten(part(1), factors[1], &mut self.row);
            let panel = &mut self.keys[token / PANEL * PANEL * pairs..][..PANEL * pairs];
            for (pair, lanes) in
                self.row.as_chunks::<2>().0.iter().zip(panel.as_chunks_mut::<{ 2 * PANEL }>().0)
            {
                lanes[token % PANEL * 2..][..2].copy_from_slice(pair);
            }
            by.shorten(part(2), factors[2], &mut self.row);
            for (values, panel) in self.row[..size].chunks(PANEL).zip(self.values.chunks_exact_mut(height)) {
                let lanes = &mut panel[token / 2 * 2 * PANEL..][..2 * PANEL];
                for (value, lane) in values.iter().zip(lanes.chunks_exact_mut(2)) {
                    lane[token % 2] = *value;
                }
            }
        }
        let score = 1.0 / (factors[0] * factors[1] * (size as f32).sqrt());
        Scales { score, value: 1.0 / factors[2] }
    }

    /// Computes the scores of some tokens against all, converts them to weights and returns the sums of the weights.
    fn weigh(
        &mut self,
        by: Processor,
        head: Head,
        some: Range<usize>,
        scale: f32,
    ) -> [i32; TOKENS_PER_BLOCK] {
        let (tokens, pairs) = (head.tokens(), head.pairs());
        let (stride, even) = (tokens.next_multiple_of(PANEL), tokens.next_multiple_of(2));
        self.scores.resize(TOKENS_PER_BLOCK * stride, 0);
        self.weights.resize(TOKENS_PER_BLOCK * even, 0);
        self.exponentials.resize(tokens, 0.0);
        let mut sums = [[0; PANEL]; TOKENS_PER_BLOCK];
        let sums = &mut sums[..some.len()];
        let queries = Rows { values: &self.queries, width: pairs }.some(some);
        for (panel, keys) in self.keys.chunks_exact(PANEL * pairs).enumerate() {
            by.shorts(queries, keys, sums);
            for (scores, sums) in self.scores.chunks_exact_mut(stride).zip(sums.iter()) {
                scores[panel * PANEL..][..PANEL].copy_from_slice(sums);
            }
        }
        let mut totals = [1; TOKENS_PER_BLOCK];
        for (row, total) in totals[..queries.count()].iter_mut().enumerate() {
            let scores = &self.scores[row * stride..][..tokens];
            let weights = &mut self.weights[row * even..][..even];
            *total = by.softmax_shorts(scores, scale, &mut self.exponentials, weights);
        }
        totals
    }

    /// Computes the weighted values of some tokens, each with its own scale.
    fn gather(
        &self,
        by: Processor,
        head: Head,
        some: Range<usize>,
        scales: &[f32; TOKENS_PER_BLOCK],
        out: &mut [f32],
    ) {
        let (size, even) = (head.text.head_width(), head.tokens().next_multiple_of(2));
        let mut sums = [[0; PANEL]; TOKENS_PER_BLOCK];
        let sums = &mut sums[..some.len()];
        let weights = Rows { values: &self.weights, width: even }.some(0..some.len());
        for (panel, values) in self.values.chunks_exact(PANEL * even).enumerate() {
            by.shorts(weights, values, sums);
            let lanes = PANEL.min(size - panel * PANEL);
            let first = head.number * size + panel * PANEL;
            let rows = out.chunks_exact_mut(head.text.width()).skip(some.start);
            for ((row, sums), scale) in rows.zip(sums.iter()).zip(scales) {
                for (value, sum) in row[first..first + lanes].iter_mut().zip(sums) {
                    *value = *sum as f32 * scale;
                }
            }
        }
    }
}

/// Resizes the buffer to `count` zeros.
fn refill(numbers: &mut Vec<i16>, count: usize) {
    numbers.clear();
    numbers.resize(count, 0);
}
