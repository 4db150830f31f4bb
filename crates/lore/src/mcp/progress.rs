//! Progress of a call, for clients that asked to be told.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServiceError};
use tokio::sync::watch::{self, Receiver, Sender};
use tokio::task::JoinHandle;

use crate::server::Step;

/// A client is told no more often than this.
const EVERY: Duration = Duration::from_millis(100);

/// Tells a client how far its call is.
pub(super) struct Telling {
    task: Option<JoinHandle<()>>,
}

impl Telling {
    /// Begins to tell what is sent here, where the client asked for it.
    pub(super) fn begin(context: &RequestContext<RoleServer>) -> (Telling, Option<Sender<Option<Step>>>) {
        let Some(token) = context.meta.get_progress_token() else { return (Telling { task: None }, None) };
        let (sender, steps) = watch::channel(None);
        let task = tokio::spawn(tell(context.peer.clone(), token, steps));
        (Telling { task: Some(task) }, Some(sender))
    }

    /// Waits until all is told: an answer is the last that a client hears of a call.
    pub(super) async fn finish(mut self) {
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Ends when the work does. Of steps that follow each other closely the last is told.
async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut steps: Receiver<Option<Step>>) {
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
    step: Step,
    progress: usize,
    total: usize,
) -> Result<(), ServiceError> {
    let told = ProgressNotificationParam::new(token.clone(), progress as f64)
        .with_total(total as f64)
        .with_message(format!("{}: {} of {}", step.doing, step.done, step.total));
    peer.notify_progress(told).await
}

/// One count over all parts of a call: a client must see it grow, and never begin anew.
#[derive(Default)]
struct Count {
    part: Option<(&'static str, usize)>,
    before: usize,
    last: Option<usize>,
}

impl Count {
    /// What to tell: the step, what is done in all and how much is known to be there. None where nothing is new.
    fn of(&mut self, step: Step) -> Option<(Step, usize, usize)> {
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
    fn a_count_only_grows_from_part_to_part() {
        let mut count = Count::default();
        let step = |doing, done, total| Step { doing, done, total };
        let told: Vec<Option<(usize, usize)>> = [
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
        assert_eq!(told, expected);
    }
}
