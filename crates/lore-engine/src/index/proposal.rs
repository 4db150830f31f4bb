//! The bytes of a change that are not on the disk yet.

use std::collections::BTreeMap;

/// New bytes by path; `None` deletes the file.
pub type Proposal = BTreeMap<String, Option<Vec<u8>>>;
