//! Progress notifications, for clients that request them.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServiceError};
use tokio::sync::watch::{self, Receiver, Sender};
use tokio::task::JoinHandle;

use crate::server::ProgressStep;

/// Minimum interval between notifications.
const EVERY: Duration = Duration::from_millis(100);

/// Sends progress notifications for one call.
pub(super) struct ProgressStream {
    task: Option<JoinHandle<()>>,
}

impl ProgressStream {
    /// Starts forwarding the steps sent to the returned sender; none if the client did not request progress.
    pub(super) fn begin(
        context: &RequestContext<RoleServer>,
    ) -> (ProgressStream, Option<Sender<Option<ProgressStep>>>) {
        let Some(token) = context.meta.get_progress_token() else {
            return (ProgressStream { task: None }, None);
        };
        let (sender, steps) = watch::channel(None);
        let task = tokio::spawn(tell(context.peer.clone(), token, steps));
        (ProgressStream { task: Some(task) }, Some(sender))
    }

    /// Waits until every notification is sent: none may follow the answer to a call.
    pub(super) async fn finish(mut self) {
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
    }
}

impl Drop for ProgressStream {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Sends notifications until the work ends. Of steps within one interval only the last is sent.
async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut steps: Receiver<Option<ProgressStep>>) {
    let mut count = Count::default();
    let mut last: Option<Instant> = None;
    loop {
        let ended = steps.changed().await.is_err();
        let soon = last.is_some_and(|last| last.elapsed() < EVERY);
        let step = *steps.borrow_and_update();
        if (ended || !soon)
            && let Some((step, progress, total)) = step.and_then(|step| count.of(step))
        {
            last = Some(Instant::now());
            if send(&peer, &token, step, progress, total).await.is_err() {
                return;
            }
        }
        if ended {
            return;
        }
    }
}

async fn send(
    peer: &Peer<RoleServer>,
    token: &ProgressToken,
    step: ProgressStep,
    progress: usize,
    total: usize,
) -> Result<(), ServiceError> {
    let report = ProgressNotificationParam::new(token.clone(), progress as f64)
        .with_total(total as f64)
        .with_message(format!("{}: {} of {}", step.doing, step.done, step.total));
    peer.notify_progress(report).await
}

/// Counts progress over all parts of a call: MCP requires it to increase and never restart.
#[derive(Default)]
struct Count {
    part: Option<(&'static str, usize)>,
    before: usize,
    last: Option<usize>,
}

impl Count {
    /// Returns the step with the overall count and total; none if the count did not grow.
    fn of(&mut self, step: ProgressStep) -> Option<(ProgressStep, usize, usize)> {
        if let Some((doing, total)) = self.part
            && (doing, total) != (step.doing, step.total)
        {
            self.before += total;
        }
        self.part = Some((step.doing, step.total));
        let done = self.before + step.done;
        if self.last.is_some_and(|last| done <= last) {
            return None;
        }
        self.last = Some(done);
        Some((step, done, self.before + step.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_grows_across_parts() {
        let mut count = Count::default();
        let step = |doing, done, total| ProgressStep { doing, done, total };
        let report: Vec<Option<(usize, usize)>> = [
            step("Indexing", 0, 4),
            step("Indexing", 4, 4),
            step("Checking", 0, 10),
            step("Checking", 1, 10),
            step("Checking", 1, 10),
            step("Checking", 2, 7),
        ]
        .map(|step| count.of(step).map(|(_, done, total)| (done, total)))
        .to_vec();
        let expected = [Some((0, 4)), Some((4, 4)), None, Some((5, 14)), None, Some((16, 21))];
        assert_eq!(report, expected);
    }
}
