//! `set-status`: what somebody decided about a page.

use clap::Args;
use lore_engine::plan_status;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Operation;
use super::change::change;
use super::views::WriteResult;
use crate::failure::Result;
use crate::session::Session;

/// Set the status of a page: active, stale, contested, superseded or compacted
///
/// It is written into the file and goes before what follows from links and dates. `active` says that the page was
/// reviewed today and still holds: a status that says otherwise is taken out, and `status: active` is written only where
/// a link would make the page something else. Only a stale page can be compacted; a compacted one stays so. Where the
/// page's schema lists values for `status`, those are the words that count.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore set-status \"Client pipeline Q1\" active\n  lore set-status decisions/pricing superseded"
)]
pub struct SetStatus {
    /// The page
    #[arg(value_name = "REF")]
    reference: String,
    /// The status
    status: String,
    /// Fail unless the page is at this version
    #[arg(long, value_name = "N")]
    #[serde(default)]
    expected_version: Option<u64>,
}

impl Operation for SetStatus {
    const NAME: &'static str = "set-status";
    const WRITES: bool = true;
    type Output = WriteResult;

    fn run(self, session: &Session) -> Result<WriteResult> {
        let memory = session.fresh()?;
        let page = memory.page(&self.reference)?;
        let plan = plan_status(memory, &page, &self.status)?;
        change(session, &self.reference, self.expected_version, |text| plan.apply(text))
    }
}
