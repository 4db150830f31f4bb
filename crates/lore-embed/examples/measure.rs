//! Benchmarks a packed static model on the texts of files: `measure MODEL FILE...`. Reports the best of many runs,
//! because a machine is seldom idle.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a development tool")]

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use lore_embed::StaticModel;
use lore_ports::Embedder;

const QUERY: &str = "Which supplier rebuilt the kiln lining after the cracks were found?";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let path = arguments.next().ok_or("usage: measure MODEL FILE...")?;
    let begin = Instant::now();
    let model = StaticModel::open(Path::new(&path))?;
    let opened = begin.elapsed();
    let first = model.embed_query(QUERY)?;
    println!("open {opened:?}, open and first query {:?}", begin.elapsed());

    let query = best(2000, || model.embed_query(QUERY).map(|vector| vector.len()))?;
    println!("query of {} tokens {query:?} ({} dimensions)", model.tokens(QUERY), first.len());

    let files = arguments.map(fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let texts: Vec<&str> = files.iter().flat_map(|file| file.split("\n\n")).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let tokens: usize = texts.iter().map(|text| model.tokens(text)).sum();
    let passages = best(20, || model.embed_passages(&texts).map(|vectors| vectors.len()))?;
    println!("{} passages, {bytes} bytes, {tokens} tokens: {passages:?}", texts.len());
    println!("embed {}", rate(bytes, tokens, passages));
    let counted = best(20, || Ok::<_, Box<dyn Error>>(texts.iter().map(|text| model.tokens(text)).sum()))?;
    println!("count {}", rate(bytes, tokens, counted));
    Ok(())
}

fn rate(bytes: usize, tokens: usize, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    format!("{:.1} MB/s, {:.2} million tokens/s", bytes as f64 / seconds / 1e6, tokens as f64 / seconds / 1e6)
}

/// Returns the shortest of many runs.
fn best<E>(runs: usize, mut run: impl FnMut() -> Result<usize, E>) -> Result<Duration, E> {
    let mut shortest = Duration::MAX;
    for _ in 0..runs {
        let begin = Instant::now();
        std::hint::black_box(run()?);
        shortest = shortest.min(begin.elapsed());
    }
    Ok(shortest)
}
