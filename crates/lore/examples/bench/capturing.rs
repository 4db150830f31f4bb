//! Measures duplicate detection of `lore capture` on its labelled pairs, with each installed model.

use std::path::Path;

use super::Bench;
use crate::capture_set::shown;

/// Prints precision and recall of the labelled pairs.
pub(super) fn capture(bench: &Bench, folder: &Path) {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let below = folder.join("capture");
    for model in ["none", "wordllama-256", "all-MiniLM-L6-v2"] {
        println!("{}", shown(&bench.lore, &below, &models, model).line());
    }
}
