//! What a page was: kept versions, who wrote each line, the way back; data beside pages; what lint mends; secrets.

mod history;
mod mending;
mod restoring;
mod secrets;
mod sidecars;
