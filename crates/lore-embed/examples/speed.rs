//! Benchmarks a transformer: `speed MODEL_FOLDER DATA_FOLDER`, where the data folder contains `corpus.jsonl` and
//! `queries.jsonl` with a `text` in each line. Reports CPU time, which is independent of other load.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a development tool")]

use std::path::Path;

use lore_embed::{Instructions, Precision, Transformer, TransformerOptions};
use lore_ports::Embedder as _;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// Tokens per measurement: enough that a run takes some seconds.
const TOKENS: usize = 12_000;

/// Tokens per measurement of slow configurations.
const FEW_TOKENS: usize = 3_000;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, data] = arguments.as_slice() else {
        return Err("usage: speed MODEL_FOLDER DATA_FOLDER".into());
    };
    let folder = Path::new(folder);
    let model = cold(folder)?;
    let passages = texts(&Path::new(data).join("corpus.jsonl"))?;
    warm(&model, &passages, &texts(&Path::new(data).join("queries.jsonl"))?)?;
    for precision in [Precision::Int8, Precision::F32] {
        for instructions in [Instructions::Vnni, Instructions::Avx2, Instructions::Portable] {
            let options = TransformerOptions { precision, threads: 1 };
            let model = Transformer::open(folder, &options)?.with_instructions(instructions);
            let nothing_new = precision == Precision::F32 && instructions == Instructions::Vnni;
            if model.instructions() == instructions && !nothing_new {
                let name = format!("{precision:?} {instructions:?}");
                let enough = if instructions == Instructions::Portable { FEW_TOKENS } else { TOKENS };
                let (rate, query) = (passages_at(&model, &passages, enough)?, short_query(&model)?);
                println!("{name:18} {rate:.0} tokens per second, short query {query:.2} ms");
            }
        }
    }
    println!("memory at the end  {}", memory());
    Ok(())
}

/// Measures the startup cost of a command. Must run first, while the process is cold.
fn cold(folder: &Path) -> Outcome<Transformer> {
    let before = processor_seconds();
    let model = Transformer::open(folder, &TransformerOptions { precision: Precision::Int8, threads: 1 })?;
    let opened = processor_seconds();
    model.embed_query("how do I reset my password")?;
    let answered = processor_seconds();
    println!("instructions       {:?}", model.instructions());
    println!("open               {:.1} ms", (opened - before) * 1e3);
    println!("first query        {:.1} ms", (answered - opened) * 1e3);
    println!("memory after it    {}", memory());
    Ok(model)
}

/// Measures the tokenizer, and the queries of the data.
fn warm(model: &Transformer, passages: &[String], queries: &[String]) -> Outcome<()> {
    let started = processor_seconds();
    let (bytes, tokens) = (passages.iter().map(String::len).sum::<usize>(), count(model, passages));
    let seconds = processor_seconds() - started;
    println!("tokenizer          {:.1} MB/s ({tokens} tokens)", bytes as f64 / seconds / 1e6);
    let query_tokens = count(model, queries) as f64 / queries.len() as f64;
    let started = processor_seconds();
    for query in queries {
        model.embed_query(query)?;
    }
    let each = (processor_seconds() - started) / queries.len() as f64;
    println!("warm query         {:.2} ms ({query_tokens:.1} tokens on average)", each * 1e3);
    Ok(())
}

/// Returns the milliseconds for a query of ten tokens.
fn short_query(model: &Transformer) -> Outcome<f64> {
    let started = processor_seconds();
    for _ in 0..50 {
        model.embed_query("how do I reset my old password again")?;
    }
    Ok((processor_seconds() - started) / 50.0 * 1e3)
}

/// Returns the tokens per second for passages with about `enough` tokens in total.
fn passages_at(model: &Transformer, passages: &[String], enough: usize) -> Outcome<f64> {
    let mut tokens = 0;
    let mut some = Vec::new();
    for passage in passages {
        if tokens > enough {
            break;
        }
        tokens += model.tokens(passage).min(model.max_tokens());
        some.push(passage.as_str());
    }
    model.embed_query("so that the layers are ready")?;
    // The best of three, because other load only ever makes it slower.
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let started = processor_seconds();
        model.embed_passages(&some)?;
        best = best.min(processor_seconds() - started);
    }
    Ok(tokens as f64 / best)
}

fn count(model: &Transformer, texts: &[String]) -> usize {
    texts.iter().map(|text| model.tokens(text)).sum()
}

fn texts(path: &Path) -> Outcome<Vec<String>> {
    let lines = std::fs::read_to_string(path)?;
    let text = |line: &str| -> Result<String, serde_json::Error> {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        Ok(format!("{} {}", field("title"), field("text")).trim().to_owned())
    };
    Ok(lines.lines().map(text).collect::<Result<_, _>>()?)
}

fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("getrusage of the own process cannot fail");
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let lines = status.lines().filter(|line| line.starts_with("VmRSS") || line.starts_with("Rss"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(", ")
}
