//! Packs a static model from its published files: `pack WEIGHTS TOKENIZER OUT`.
#![expect(clippy::disallowed_methods, reason = "a build tool that reads and writes the given files")]

use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [weights, tokenizer, out] = arguments.as_slice() else {
        return Err("usage: pack WEIGHTS TOKENIZER OUT".into());
    };
    let packed = lore_embed::pack(&fs::read(weights)?, &fs::read(tokenizer)?)?;
    Ok(fs::write(out, packed)?)
}
