//! A call of an operation with parameters in JSON, as every face but the command line makes it.

use serde_json::Value;

use super::info::Prepared;
use super::{DynOutput, OperationInfo, find};
use crate::app::error::Result;
use crate::app::session::Session;

/// An operation with checked parameters.
pub struct Call {
    prepared: Prepared,
}

impl Call {
    /// Checks and parses the parameters of an operation.
    pub fn new(operation: &'static OperationInfo, parameters: Value) -> Result<Call> {
        operation.check(&parameters)?;
        Ok(Call { prepared: (operation.from_json)(parameters)? })
    }

    /// Runs the operation.
    pub fn run(self, session: &Session) -> Result<Box<dyn DynOutput>> {
        (self.prepared)(session)
    }
}

/// Runs the operation with this name.
pub fn run(name: &str, parameters: Value, session: &Session) -> Result<Box<dyn DynOutput>> {
    Call::new(find(name)?, parameters)?.run(session)
}
