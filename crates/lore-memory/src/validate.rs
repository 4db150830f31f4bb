//! Checks an index against its files, including what the features store in it.

use lore_engine::{Check, Result, VaultContext};

use crate::facts;

/// Returns the problems found, one sentence each.
pub fn validate(context: &VaultContext, check: Check) -> Result<Vec<String>> {
    let mut problems = lore_engine::validate(context, check)?;
    if check == Check::Facts {
        problems.extend(facts::problems(context)?);
    }
    Ok(problems)
}
