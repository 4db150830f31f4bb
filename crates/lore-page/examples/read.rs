//! Measures the reader: `cargo run --release --example read -- FILE…` parses each file and prints megabytes per second
//! of CPU time.

#![allow(clippy::disallowed_methods, clippy::print_stdout)]

use std::time::Instant;

fn main() {
    let files: Vec<(String, String)> = std::env::args()
        .skip(1)
        .filter_map(|path| Some((path.clone(), String::from_utf8(std::fs::read(path).ok()?).ok()?)))
        .collect();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let rounds = (200_000_000 / bytes.max(1)).clamp(1, 2000);
    let mut links = 0;
    let started = Instant::now();
    for _ in 0..rounds {
        for (path, text) in &files {
            links += lore_page::parse(path, text).page.links.len();
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{} files, {bytes} bytes, {} links: {:.0} MB/s",
        files.len(),
        links / rounds,
        (bytes * rounds) as f64 / 1e6 / seconds
    );
}
