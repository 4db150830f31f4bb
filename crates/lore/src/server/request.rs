//! The path of every request: find the operation, check the grant, check the parameters, select the project, run.
//!
//! A face translates its wire format into [`resolve`] and renders the outcome; it decides nothing else.

use std::sync::Arc;

use lore_engine::Code;
use serde_json::Value;
use tokio::sync::watch;

use super::wording::{Face, RequestWording};
use super::workers::{Caller, ClientDirectory, ProgressStep, Workers};
use crate::app::access::{Grant, Limits};
use crate::app::config::Config;
use crate::app::error::{AppError, Result};
use crate::app::session::{Session, path_names};
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
    /// The requested namespace; default: that of the directory.
    pub namespace: Option<String>,
    /// The directory that the client works in.
    pub directory: ClientDirectory,
    /// Whether the server allows operations that change the machine.
    pub machine: bool,
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
        target.limits().check(&operation.demand())?;
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
        self.run(workers, None, |session, output| with_project(session, output.json())).await
    }
}

/// Names the project in an answer if several are registered and none was selected.
pub fn with_project(session: &Session, mut answer: Value) -> Value {
    if let (Some(name), Some(fields)) = (session.assumed_project(), answer.as_object_mut()) {
        fields.entry("project").or_insert(name.into());
    }
    answer
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
        let limits = self.limits();
        let RequestTarget { face, grant, client, project, namespace, directory, .. } = self;
        let read_only = grant.as_ref().is_some_and(|grant| !grant.writes);
        let actor = grant.map(|grant| grant.actor).or(client);
        let words = wording.clone();
        let limited = limits.projects.is_some();
        let worded = move |session: &Session| {
            if limited {
                // Even an operation that uses no vault is refused for a project that is not covered.
                session.choose()?;
            }
            session.with_wording(words, || work(session))
        };
        let (face, limited) = (face.name(), limits.clone());
        let caller = Caller { actor, project, namespace, directory, face, read_only, limits: limited };
        let done = workers.run(caller, progress, worded).await;
        done.map_err(|failure| without_paths(workers, &limits, failure).worded(&*wording))
    }

    /// Returns what the request may reach.
    fn limits(&self) -> Limits {
        let projects = self.grant.as_ref().and_then(|grant| grant.projects.clone());
        Limits { projects, machine: self.machine }
    }

    fn wording(&self, operation: Option<&'static OperationInfo>) -> RequestWording {
        let (face, grant) = (self.face.clone(), self.grant.clone());
        RequestWording { face, grant, machine: self.machine, operation }
    }
}

/// Removes absolute paths from an error for a caller that is limited to projects.
fn without_paths(workers: &Workers, limits: &Limits, failure: AppError) -> AppError {
    if limits.projects.is_none() {
        return failure;
    }
    let environment = &workers.host().environment;
    // The configuration may be what is broken; its directory is known all the same.
    let projects = Config::load(&environment.config_file).map(|config| config.projects()).unwrap_or_default();
    path_names(environment, &projects, limits).redact(failure)
}
