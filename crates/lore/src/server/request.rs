//! The path of every request: find the operation, check the grant, check the parameters, select the project, run.
//!
//! A face translates its wire format into [`resolve`] and renders the outcome; it decides nothing else.

use lore_engine::Code;
use serde_json::Value;
use tokio::sync::watch;

use super::workers::{Caller, ProgressStep, Workers};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::{self, Call, DynOutput};

/// Who sends a request, with which rights and for which project.
#[derive(Debug, Clone, Default)]
pub struct RequestTarget {
    /// The face: `mcp` or `http`.
    pub face: &'static str,
    /// The rights of the token; none: all rights of the user who runs the server.
    pub grant: Option<Grant>,
    /// The name of the client, recorded as the actor of a request without a token.
    pub client: Option<String>,
    /// The requested project; default: the server's.
    pub project: Option<String>,
}

/// A request that may run.
pub struct Request {
    target: RequestTarget,
    call: Call,
}

/// Receives the progress of a request.
pub type ProgressSender = watch::Sender<Option<ProgressStep>>;

/// Finds the operation, checks that the grant allows it, then reads and checks the parameters.
pub async fn resolve(
    target: RequestTarget,
    operation: &str,
    parameters: impl Future<Output = Result<Value>>,
) -> Result<Request> {
    let operation = ops::find(operation).map_err(|failure| AppError { code: Code::NotFound, ..failure })?;
    if let Some(grant) = &target.grant {
        grant.check(&operation.demand())?;
    }
    let call = Call::new(operation, parameters.await?)?;
    Ok(Request { target, call })
}

impl Request {
    /// Runs the operation on a worker and renders its output there.
    pub async fn run<T: Send + 'static>(
        self,
        workers: &Workers,
        progress: Option<ProgressSender>,
        render: impl FnOnce(&Session, &dyn DynOutput) -> T + Send + 'static,
    ) -> Result<T> {
        let Request { target, call } = self;
        let work = move |session: &Session| Ok(render(session, call.run(session)?.as_ref()));
        target.run(workers, progress, work).await
    }

    /// Runs the operation on a worker and returns its output as JSON.
    pub async fn json(self, workers: &Workers) -> Result<Value> {
        self.run(workers, None, |_, output| output.json()).await
    }
}

impl RequestTarget {
    /// Runs `work` on a worker, in a session for the requested project, if the grant covers it.
    pub async fn run<T: Send + 'static>(
        self,
        workers: &Workers,
        progress: Option<ProgressSender>,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let RequestTarget { face, grant, client, project } = self;
        let actor = grant.as_ref().map(|grant| grant.actor.clone()).or(client);
        let limited = grant.filter(|grant| grant.projects.is_some());
        let checked = move |session: &Session| {
            if let Some(grant) = limited {
                grant.check_project(&session.choose()?.0)?;
            }
            work(session)
        };
        workers.run(Caller { actor, project, face }, progress, checked).await
    }
}
