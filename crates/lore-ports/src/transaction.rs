//! Transactions whose work fails with the caller's own error type.

use crate::error::{Error, Result};
use crate::index::Index;

/// Runs `work` in a transaction of the index; a nested call joins the outer one. What `work` returns is returned, and an
/// error rolls everything back.
pub fn transaction<T, E: From<Error>>(
    index: &(impl Index + ?Sized),
    work: impl FnMut() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    run(|work| index.transaction(work), work)
}

/// Runs `work`, which only reads, on one snapshot of the index.
pub fn read_transaction<T, E: From<Error>>(
    index: &(impl Index + ?Sized),
    work: impl FnMut() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    run(|work| index.read_transaction(work), work)
}

fn run<T, E: From<Error>>(
    begin: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<()>,
    mut work: impl FnMut() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let mut outcome = None;
    let done = begin(&mut || match work() {
        Ok(value) => {
            outcome = Some(Ok(value));
            Ok(())
        }
        Err(error) => {
            outcome = Some(Err(error));
            Err(Error::RolledBack)
        }
    });
    match (done, outcome) {
        (Ok(()), Some(outcome)) => outcome,
        (Err(Error::RolledBack), Some(Err(error))) => Err(error),
        (Err(error), _) => Err(error.into()),
        (Ok(()), None) => unreachable!("a transaction runs its work"),
    }
}
