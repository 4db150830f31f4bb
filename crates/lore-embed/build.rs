//! Locates the packed static model for the feature `embedded-model`. Downloads nothing.

#![expect(clippy::disallowed_methods, reason = "a build script resolves the path of the model")]

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LORE_STATIC_MODEL");
    if env::var_os("CARGO_FEATURE_EMBEDDED_MODEL").is_none() {
        return;
    }
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = env::var_os("LORE_STATIC_MODEL").map(PathBuf::from);
    let path = workspace.join(given.unwrap_or_else(|| "models/wordllama-256.lore".into()));
    println!("cargo::rerun-if-changed={}", path.display());
    match path.canonicalize() {
        Ok(path) => println!("cargo::rustc-env=LORE_STATIC_MODEL={}", path.display()),
        Err(error) => println!(
            "cargo::error=static model {} not found ({error}): run `make models`, or build without \
             the feature `embedded-model`",
            path.display()
        ),
    }
}
