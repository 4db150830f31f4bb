//! Tests of the whole model: the real one against the reference, a tiny one for everything that can be wrong with a
//! directory.
#![expect(clippy::disallowed_methods, reason = "the tests read models and write broken ones")]

mod broken;
mod reference;
mod tiny;
mod tokens;
mod variants;
