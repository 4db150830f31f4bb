//! The MCP server: operations as tools, pages as resources, and prompts.
//!
//! One handler serves both the session protocol and the stateless one, over stdio and HTTP. It has no logic of its own:
//! a call becomes an operation on a worker, and its output becomes the result.

mod complete;
mod line_limit;
mod progress;
mod prompts;
mod resources;
mod tool;
mod tools;
mod toolset;
mod wording;

use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, ErrorCode, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value};

use crate::app::access::Grant;
use crate::app::error::{AppError, Result, status};
use crate::app::session::Session;
use crate::ops::{self, DynOutput};
use crate::server::{ProgressSender, RequestTarget, VaultWorkers, Workers, resolve};

use progress::ProgressStream;
use tool::Tool;
use toolset::listed;
use wording::McpFace;

pub use line_limit::LineLimit;
pub use toolset::{Toolset, toolset};

/// Server instructions: when to search and when to write.
const INSTRUCTIONS: &str = include_str!("mcp/instructions.md");

/// The MCP request handler.
#[derive(Clone)]
pub struct Handler {
    workers: Workers,
    keepers: VaultWorkers,
    tools: Arc<[&'static Tool]>,
    /// The tool list, built on first use.
    listed: Arc<OnceLock<Vec<rmcp::model::Tool>>>,
}

impl Handler {
    /// Returns a handler.
    pub fn new(workers: Workers, keepers: VaultWorkers, set: Toolset) -> Handler {
        let tools = toolset(set).into_iter().filter(|tool| tool.is_offered(workers.host().allow_machine));
        Handler { tools: tools.collect(), workers, keepers, listed: Arc::default() }
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
        self.target(context, None, None).run(&self.workers, work).await.map_err(refused)
    }

    async fn call(
        &self,
        tool: &'static Tool,
        mut arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
        progress: Option<ProgressSender>,
    ) -> Result<CallToolResult> {
        let project = match arguments.remove("project") {
            Some(Value::String(name)) if !name.is_empty() => Some(name),
            Some(Value::Null | Value::String(_)) | None => None,
            Some(_) => return Err(AppError::usage("project is not a string", "pass the name of a project")),
        };
        let (operation, parameters) = tool.call(arguments)?;
        let parameters = std::future::ready(Ok(parameters));
        let request = resolve(self.target(context, Some(tool), project), operation, parameters).await?;
        let keepers = self.keepers.clone();
        let render = move |session: &Session, output: &dyn DynOutput| {
            let mut text = ops::data_block(&output.human());
            if let Some(progress) = keepers.progress(session) {
                text.push_str(&format!(
                    "\n(building the index: {} of {} pages so far)\n",
                    progress.done, progress.total
                ));
            }
            (text, output.json())
        };
        let (text, structured) = request.run(&self.workers, progress, render).await?;
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        Ok(result)
    }

    /// Returns the target of a request. Over stdio a client has the rights of the user; over HTTP, those of its token.
    fn target(
        &self,
        context: &RequestContext<RoleServer>,
        tool: Option<&'static Tool>,
        project: Option<String>,
    ) -> RequestTarget {
        let face = Arc::new(McpFace { tools: self.tools.clone(), tool });
        let client = context.client_info().map(|client| client.name).filter(|name| !name.trim().is_empty());
        let machine = self.workers.host().allow_machine;
        RequestTarget { face, grant: granted(context), client, project, machine }
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
            .enable_prompts()
            .enable_completions()
            .build();
        let about = Implementation::new("lore", env!("CARGO_PKG_VERSION")).with_title("Lore");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
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
        let (telling, steps) = ProgressStream::begin(&context);
        let called = self.call(tool, request.arguments.unwrap_or_default(), &context, steps);
        let result = tokio::select! {
            // The client cancelled the call; dropping it cancels the work.
            () = context.ct.cancelled() => Err(lore_ports::Error::Cancelled.into()),
            result = called => {
                telling.finish().await;
                result
            }
        };
        Ok(CallToolResponse::Complete(result.unwrap_or_else(|failure| error_result(&failure))))
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
        let made = self.run(&context, move |session| prompts::get(session, &request.name, &arguments));
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
        let (mut changes, peer) = (self.keepers.page_changes(), context.peer);
        tokio::spawn(async move {
            while changes.recv().await.is_ok() {
                if peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> std::result::Result<(), ErrorData> {
        let mut changes = self.keepers.page_changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => {
                    let report = context.sink().notify_resource_list_changed();
                    if change.is_err() || report.await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
