//! Embeds many texts: packed into batches without padding, longest first, spread over threads.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::model::{Buffers, Model};

/// Tokens in a batch: enough to reuse the loaded weights of a layer for many rows, few enough that the rows stay in the
/// cache.
const TOKENS: usize = 256;

/// Returns the vectors of tokenized texts, in order.
pub(super) fn vectors(model: &Model, texts: &[Vec<u32>], threads: usize) -> Vec<Vec<f32>> {
    let batches = batches(texts);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![Vec::new(); texts.len()]);
    let work = || {
        let mut buffers = Buffers::default();
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tokens: Vec<&[u32]> = batch.iter().map(|&text| texts[text].as_slice()).collect();
            let vectors = model.vectors(&tokens, &mut buffers);
            let mut done = done.lock().expect("no thread panics while holding the lock");
            batch.iter().zip(vectors).for_each(|(&text, vector)| done[text] = vector);
        }
    };
    let threads =
        if threads == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { threads };
    thread::scope(|scope| {
        for _ in 1..threads.min(batches.len()) {
            scope.spawn(work);
        }
        work();
    });
    done.into_inner().expect("no thread panics while holding the lock")
}

/// Groups texts by index into batches of about equal work. The longest come first, so that no thread is left with a
/// long one at the end; texts of one length share a batch, so that buffers sized for one text fit the next.
fn batches(texts: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&text| std::cmp::Reverse(texts[text].len()));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut tokens = 0;
    for text in order {
        tokens += texts[text].len();
        match batches.last_mut().filter(|_| tokens <= TOKENS) {
            Some(batch) => batch.push(text),
            None => {
                batches.push(vec![text]);
                tokens = texts[text].len();
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_contain_every_text_once_within_the_token_limit() {
        let lengths = [3, 256, 2, 200, 100, 56, 300, 2, 900, 40];
        let texts: Vec<Vec<u32>> = lengths.iter().map(|&length| vec![0; length]).collect();
        let batches = batches(&texts);
        let sums: Vec<usize> =
            batches.iter().map(|batch| batch.iter().map(|&text| texts[text].len()).sum()).collect();
        assert_eq!(sums, [900, 300, 256, 200, 203], "{batches:?}");
        let mut all: Vec<usize> = batches.concat();
        all.sort_unstable();
        assert_eq!(all, (0..lengths.len()).collect::<Vec<_>>());
    }
}
