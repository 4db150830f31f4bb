//! The path of every request: find the operation, check the grant, check the parameters, select the project, run.
//!
//! A face translates its wire format into [`resolve`] and renders the outcome; it decides nothing else.

use std::sync::Arc;

use lore_engine::Code;
use serde_json::Value;
use tokio::sync::watch;

use super::wording::{Face, RequestWording};
use super::workers::{Caller, ProgressStep, Workers};
use crate::app::access::Grant;
use crate::app::error::{AppError, Result};
use crate::app::session::Session;
use crate::ops::{self, Call, DynOutput, OperationInfo};

/// Who sends a request, with which rights and for which project.
#[derive(Clone)]
pub struct RequestTarget {
    /// The face, which words hints.
    pub face: Arc<dyn Face>,
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
    operation: &'static OperationInfo,
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
    let operation = ops::find(operation)
        .map_err(|failure| AppError { code: Code::NotFound, ..failure }.worded(&target.wording(None)))?;
    let call = async {
        if let Some(grant) = &target.grant {
            grant.check(&operation.demand())?;
        }
        Call::new(operation, parameters.await?)
    };
    match call.await {
        Ok(call) => Ok(Request { target, operation, call }),
        Err(failure) => Err(failure.worded(&target.wording(Some(operation)))),
    }
}

impl Request {
    /// Runs the operation on a worker and renders its output there.
    pub async fn run<T: Send + 'static>(
        self,
        workers: &Workers,
        progress: Option<ProgressSender>,
        render: impl FnOnce(&Session, &dyn DynOutput) -> T + Send + 'static,
    ) -> Result<T> {
        let Request { target, operation, call } = self;
        let work = move |session: &Session| Ok(render(session, call.run(session)?.as_ref()));
        target.run_as(Some(operation), workers, progress, work).await
    }

    /// Runs the operation on a worker and returns its output as JSON.
    pub async fn json(self, workers: &Workers) -> Result<Value> {
        self.run(workers, None, |_, output| output.json()).await
    }
}

impl RequestTarget {
    /// Runs `work`, which is no operation, on a worker.
    pub async fn run<T: Send + 'static>(
        self,
        workers: &Workers,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_as(None, workers, None, work).await
    }

    /// Runs `work` on a worker, in a session for the requested project, if the grant covers it.
    async fn run_as<T: Send + 'static>(
        self,
        operation: Option<&'static OperationInfo>,
        workers: &Workers,
        progress: Option<ProgressSender>,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let wording = Arc::new(self.wording(operation));
        let RequestTarget { face, grant, client, project } = self;
        let actor = grant.as_ref().map(|grant| grant.actor.clone()).or(client);
        let read_only = grant.as_ref().is_some_and(|grant| !grant.writes);
        let limited = grant.filter(|grant| grant.projects.is_some());
        let words = wording.clone();
        let checked = move |session: &Session| {
            if let Some(grant) = limited {
                grant.check_project(&session.choose()?.0)?;
            }
            session.with_wording(words, || work(session))
        };
        let caller = Caller { actor, project, face: face.name(), read_only };
        workers.run(caller, progress, checked).await.map_err(|failure| failure.worded(&*wording))
    }

    fn wording(&self, operation: Option<&'static OperationInfo>) -> RequestWording {
        RequestWording { face: self.face.clone(), grant: self.grant.clone(), operation }
    }
}
