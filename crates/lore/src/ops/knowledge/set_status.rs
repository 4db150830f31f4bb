//! `set-status`: sets the status of a page.

use clap::Args;
use lore_engine::plan_status;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::error::Result;
use crate::app::session::Session;
use crate::ops::Operation;
use crate::ops::change::change;
use crate::ops::views::WriteResult;

/// Set the status of a page
///
/// The status is active, stale, contested, superseded or compacted. It is written into the file and overrides the
/// status derived from links and dates. `active` records that the page was reviewed today and is still valid: a
/// conflicting status is removed, and `status: active` is written only if a link would derive another status. Only a
/// stale page can be compacted, and a compacted page stays compacted. If the page's schema lists values for `status`,
/// those apply.
#[derive(Debug, Args, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  lore set-status \"Client pipeline Q1\" active\n  lore set-status decisions/pricing superseded"
)]
pub struct SetStatus {
    /// Page to change
    #[arg(value_name = "REF")]
    reference: String,
    /// New status
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
        let context = session.fresh()?;
        let page = context.page_to_write(&self.reference)?;
        context.refuse_node(&page, &self.reference)?;
        let plan = plan_status(context, &page, &self.status)?;
        change(session, &self.reference, self.expected_version, |format, text| plan.apply(format, text))
    }
}
