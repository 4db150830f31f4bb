//! The MCP server: operations as tools, pages as resources, and prompts.
//!
//! One handler serves both the session protocol and the stateless one, over stdio and HTTP. It has no logic of its own:
//! a call becomes an operation on a worker, and its output becomes the result.

#![expect(
    deprecated,
    reason = "clients of current protocol versions subscribe and set the log level this way"
)]

mod basic_memory;
mod complete;
mod instructions;
mod invalid_request;
mod line_limit;
mod progress;
mod prompts;
mod resources;
mod roots;
mod stdio;
mod subscriptions;
mod tool;
mod tools;
mod toolset;
mod wording;

use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};

use crate::app::access::Grant;
use crate::app::error::{AppError, Result, status};
use crate::app::session::Session;
use crate::ops::{self, DynOutput};
use crate::server::{
    ClientDirectory, ProgressSender, RequestTarget, VaultWorkers, Workers, resolve, with_project,
};

use basic_memory::{Bridge, BridgeCall, route};
use instructions::instructions;
use progress::ProgressStream;
use roots::Roots;
use subscriptions::{Next, Subscription, Subscriptions};
use tool::{Effect, Tool};
use toolset::listed;
use wording::McpFace;

pub use stdio::Stdio;
pub use tools::{all_tools, operation_named, operation_of};
pub use toolset::{Toolset, toolset};

/// The MCP request handler.
#[derive(Clone)]
pub struct Handler {
    workers: Workers,
    vault_workers: VaultWorkers,
    tools: Arc<[&'static Tool]>,
    /// The tool list, built on first use.
    listed: Arc<OnceLock<Vec<rmcp::model::Tool>>>,
    /// The notifications that the client of this session subscribed to.
    subscriptions: Subscriptions,
    /// The directories that the client of this session works in.
    roots: Roots,
}

impl Handler {
    /// Returns a handler.
    pub fn new(workers: Workers, vault_workers: VaultWorkers, set: Toolset) -> Handler {
        let tools = toolset(set).into_iter().filter(|tool| tool.is_offered(workers.host().allow_machine));
        Handler {
            tools: tools.collect(),
            workers,
            vault_workers,
            listed: Arc::default(),
            subscriptions: Subscriptions::default(),
            roots: Roots::default(),
        }
    }

    /// Returns a handler for another session.
    pub fn for_session(&self) -> Handler {
        Handler { subscriptions: Subscriptions::default(), roots: Roots::default(), ..self.clone() }
    }

    fn listed(&self) -> &[rmcp::model::Tool] {
        self.listed.get_or_init(|| self.tools.iter().map(|tool| listed(tool)).collect())
    }

    /// Runs `work` on a worker, in a session for the server's project.
    async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Session) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, ErrorData> {
        self.target(context, None, Scope::default()).await.run(&self.workers, work).await.map_err(refused)
    }

    async fn call(
        &self,
        tool: &'static Tool,
        mut arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        progress: Option<ProgressSender>,
    ) -> Result<CallToolResult> {
        let project = name_of(&mut arguments, "project")?;
        let is_own = tool.parameter("namespace").is_some();
        let namespace = if is_own { None } else { name_of(&mut arguments, "namespace")? };
        let scope = Scope { project, namespace };
        let (operation, parameters) = tool.call(arguments)?;
        let parameters = std::future::ready(Ok(parameters));
        let request = resolve(self.target(context, Some(tool), scope).await, operation, parameters).await?;
        let vault_workers = self.vault_workers.clone();
        let render = move |session: &Session, output: &dyn DynOutput| {
            let mut text = ops::data_block(&output.human());
            if let Some(progress) = vault_workers.progress(session) {
                text.push_str(&format!(
                    "\n(building the index: {} of {} pages so far)\n",
                    progress.done, progress.total
                ));
            }
            if let Some(name) = session.assumed_project() {
                let name = ops::line_for_agents(&name);
                text.push_str(&format!(
                    "\n(project: {name}, the first of several; pass project to use another)\n"
                ));
            }
            (text, with_project(session, output.references().unwrap_or_else(|| output.json())))
        };
        let (text, structured) = request.run(&self.workers, progress, render).await?;
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        Ok(result)
    }

    /// Calls a tool of another product: its arguments become those of an operation, and the output its answer.
    async fn call_bridge(
        &self,
        tool: &'static Tool,
        bridge: &'static Bridge,
        mut arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        progress: Option<ProgressSender>,
    ) -> Result<CallToolResult> {
        let namespace = name_of(&mut arguments, "namespace")?;
        let mut arguments = bridge.read(tool.name, arguments)?;
        let mut project = arguments.project();
        let is_default = project.is_none();
        if let Some(reference) = arguments.reference() {
            let scope = Scope { project: project.clone(), namespace: None };
            let target = self.target(context, Some(tool), scope).await;
            let writes = tool.acts != Effect::Reads;
            let routed = target.run(&self.workers, move |session| route(session, &reference, writes)).await;
            // An unknown project is refused below, in the words of the tool.
            if let Some((name, rest)) = routed.unwrap_or_default() {
                arguments.set_reference(&rest);
                if is_default {
                    arguments.set_project(&name);
                    project = Some(name);
                }
            }
        }
        let scope = Scope { project: project.clone(), namespace };
        let target = self.target(context, Some(tool), scope).await;
        let called = async {
            let (operation, parameters) = (bridge.call)(&arguments)?;
            let request = resolve(target.clone(), operation, std::future::ready(Ok(parameters))).await?;
            let render = move |session: &Session, output: &dyn DynOutput| {
                (place_and_time(session), output.json(), output.human())
            };
            request.run(&self.workers, progress, render).await
        };
        let ((name, now), outcome) = match called.await {
            Ok((place, output, text)) => (place, Ok((output, text))),
            Err(failure) => {
                let known = target.run(&self.workers, move |session| Ok(place_and_time(session))).await;
                (known.unwrap_or_default(), Err(failure))
            }
        };
        let call = BridgeCall { arguments: &arguments, project: &name, is_default, now: &now, outcome };
        Ok((bridge.reply)(call)?.result(bridge))
    }

    /// Returns the target of a request. Over stdio a client has the rights of the user; over HTTP, those of its token.
    async fn target(
        &self,
        context: &RequestContext<RoleServer>,
        tool: Option<&'static Tool>,
        Scope { project, namespace }: Scope,
    ) -> RequestTarget {
        let face = Arc::new(McpFace { tools: self.tools.clone(), tool });
        let client = context.client_info().map(|client| client.name).filter(|name| !name.trim().is_empty());
        let machine = self.workers.host().allow_machine;
        let grant = granted(context);
        let directory = match (self.roots.directory(context).await, &grant) {
            (Some(folder), _) => ClientDirectory::Named(folder),
            (None, Some(_)) => ClientDirectory::Unknown,
            (None, None) => ClientDirectory::Server,
        };
        RequestTarget { face, grant, client, project, namespace, directory, machine }
    }
}

/// Returns the project of a session and the time.
fn place_and_time(session: &Session) -> (String, String) {
    let name = session.choose().map(|(name, _)| name).unwrap_or_default();
    (name, (session.environment.clock)().timestamp().to_string())
}

/// The project and the namespace that a call names.
#[derive(Default)]
struct Scope {
    project: Option<String>,
    namespace: Option<String>,
}

/// Removes a name from the arguments of a call.
fn name_of(arguments: &mut Map<String, Value>, key: &str) -> Result<Option<String>> {
    match arguments.remove(key) {
        Some(Value::String(name)) if !name.is_empty() => Ok(Some(name)),
        Some(Value::Null | Value::String(_)) | None => Ok(None),
        Some(_) => {
            Err(AppError::usage(format!("{key} is not a string"), format!("pass the name of a {key}")))
        }
    }
}

/// Returns the grant of an HTTP request's token; none over stdio.
fn granted(context: &RequestContext<RoleServer>) -> Option<Grant> {
    let request = context.extensions.get::<axum::http::request::Parts>()?;
    // A request that did not pass the guard has no rights.
    let nothing = Grant { actor: "nobody".into(), projects: Some(Vec::new()), writes: false };
    Some(request.extensions.get::<Grant>().cloned().unwrap_or(nothing))
}

/// Returns an error as a tool result, so that the agent can act on it.
fn error_result(failure: &AppError) -> CallToolResult {
    let version = failure.current_version.map(|version| format!("\ncurrent version: {version}"));
    let text = format!(
        "error ({}): {}\nhint: {}{}",
        failure.code.name(),
        ops::for_agents(&failure.message),
        ops::for_agents(&failure.hint),
        version.unwrap_or_default()
    );
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(failure.json());
    result
}

/// Returns an error as a JSON-RPC error, for requests without a tool result.
fn refused(failure: AppError) -> ErrorData {
    let (code, data) = (ErrorCode(status(failure.code).mcp), failure.json());
    ErrorData::new(code, ops::for_agents(&format!("{}; {}", failure.message, failure.hint)), Some(data))
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_logging()
            .enable_prompts()
            .enable_completions()
            .build();
        let about = Implementation::new("lore", env!("CARGO_PKG_VERSION")).with_title("Lore");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(instructions(&self.tools))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listed().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.listed().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().copied().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
            let message = format!("unknown tool {:?}; known tools: {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(ops::for_agents(&message), None));
        };
        let (progress, steps) = ProgressStream::begin(&context);
        let arguments = request.arguments.unwrap_or_default();
        let called = async {
            match tool.bridge {
                Some(bridge) => self.call_bridge(tool, bridge, arguments, &context, steps).await,
                None => self.call(tool, arguments, &context, steps).await,
            }
        };
        let result = tokio::select! {
            // The client cancelled the call; dropping it cancels the work.
            () = context.ct.cancelled() => Err(lore_ports::Error::Cancelled.into()),
            result = called => {
                progress.finish().await;
                result
            }
        };
        Ok(CallToolResponse::Complete(result.unwrap_or_else(|failure| error_result(&failure))))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<CustomResult, ErrorData> {
        Err(invalid_request::refusal(&request))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.run(&context, |session| resources::list(session, cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<ReadResourceResponse, ErrorData> {
        let read = self.run(&context, move |session| resources::read(session, &request.uri));
        Ok(ReadResourceResponse::Complete(read.await?))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let guide = instructions(&self.tools);
        let made =
            self.run(&context, move |session| prompts::get(session, &request.name, &arguments, &guide));
        Ok(GetPromptResponse::Complete(made.await?))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<CompleteResult, ErrorData> {
        let argument = request.argument;
        let found = self.run(&context, move |session| complete::complete(session, &argument));
        Ok(CompleteResult::new(found.await?))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(self.subscriptions.clone().tell(context.peer, self.vault_workers.page_changes()));
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget().await;
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<(), ErrorData> {
        self.subscriptions.set_level(request.level);
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> std::result::Result<(), ErrorData> {
        let subscription =
            self.run(&context, move |session| Subscription::new(session, &request.uri)).await?;
        self.subscriptions.add(subscription);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> std::result::Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> std::result::Result<(), ErrorData> {
        let mut changes = self.vault_workers.page_changes();
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let subscribe = move |session: &Session| {
            // A resource that does not exist must not end the other subscriptions.
            Ok(uris.iter().filter_map(|uri| Subscription::new(session, uri).ok()).collect::<Vec<_>>())
        };
        let wanted = self.run(context.request_context(), subscribe).await?;
        let lists = context.accepted().resources_list_changed == Some(true);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                next = subscriptions::next(&mut changes) => {
                    let (list, affected) = match next {
                        Next::Ended => return Ok(()),
                        Next::Lost => (true, Vec::new()),
                        Next::Changes(changes) => {
                            (changes.list, wanted.iter().filter(|one| one.is_affected(&changes)).collect())
                        }
                    };
                    if list && lists && context.sink().notify_resource_list_changed().await.is_err() {
                        return Ok(());
                    }
                    for one in affected {
                        if context.sink().notify_resource_updated(one.uri.clone()).await.is_err() {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }
}
