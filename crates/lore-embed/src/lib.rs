//! The providers of [`Embedder`](lore_engine::Embedder). The dependencies of the models end here.
