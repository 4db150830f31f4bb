//! The `serve` command: MCP over stdio, or the whole API over HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use rmcp::ServiceExt as _;

use super::Globals;
use crate::app::environment::Environment;
use crate::app::error::{AppError, Result};
use crate::app::stderr::Stderr;
use crate::http::{self, Listen};
use crate::mcp::{Handler, Stdio, Toolset};
use crate::server::{Caller, ServerConfig, VaultWorkers, Workers, stopped};

/// Default HTTP address.
const ADDRESS: &str = "127.0.0.1:8321";

/// Delay before the first sync when no request arrives.
const QUIET_START: Duration = Duration::from_millis(200);

/// Returns the clap command.
pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serve the vault to agents over MCP (stdio) or HTTP")
        .long_about(
            "Serve the vault to agents over MCP (stdio) or HTTP\n\nThe server answers at once. In the background it \
             syncs the vault, watches it for changes and embeds pending chunks. Several servers can run on one vault.",
        )
        .arg(
            Arg::new("tools")
                .long("tools")
                .value_name("SET")
                .value_parser(value_parser!(Toolset))
                .default_value("core")
                .help("Set of MCP tools to offer"),
        )
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDR")
                .num_args(0..=1)
                .default_missing_value(ADDRESS)
                .help("Serve HTTP: /api, /api/context and /mcp [default: 127.0.0.1:8321]"),
        )
        .arg(
            Arg::new("allow_machine")
                .long("allow-machine")
                .action(ArgAction::SetTrue)
                .help("Let clients change this machine: settings, vaults, models, services")
                .long_help(
                    "Let clients change this machine: settings, vaults, models, services\n\nWithout it, clients reach \
                     only registered vaults. With it, a client with all rights can run any command as you, for \
                     example through the setting compact.command.",
                ),
        )
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .requires("http")
                .help("Accept this host name too (repeatable)"),
        )
        .arg(
            Arg::new("read_timeout")
                .long("read-timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=3600))
                .default_value("15")
                .requires("http")
                .help("Close connections whose requests arrive slower than this"),
        )
        .after_help(
            "Examples:\n  lore serve\n  lore serve --tools core --project brain\n  lore serve --http\n  lore serve --http 127.0.0.1:9000",
        )
}

/// Serves until the client disconnects or the process receives a stop signal.
pub(super) fn serve(matches: &ArgMatches, globals: &Globals) -> Result<u8> {
    let host = ServerConfig {
        environment: Environment::read()?,
        db: globals.db.clone(),
        project: globals.project.clone(),
        namespace: globals.namespace.clone(),
        sync: !globals.no_sync,
        level: globals.level(),
        allow_machine: matches.get_flag("allow_machine"),
    };
    let set = matches.get_one::<Toolset>("tools").copied().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| AppError::usage(format!("cannot start: {error}"), "try again"))?;
    let vault_workers = VaultWorkers::new(host.clone());
    let workers = Workers::new(host, vault_workers.clone());
    let served = match matches.get_one::<String>("http") {
        None => runtime.block_on(over_stdio(workers, vault_workers, set)),
        Some(address) => {
            let hosts = matches.get_many::<String>("host").unwrap_or_default().cloned().collect();
            let seconds = matches.get_one::<u64>("read_timeout").copied().unwrap_or(15);
            let read_timeout = Duration::from_secs(seconds);
            let listen = Listen { address: parse_address(address)?, hosts, tools: set, read_timeout };
            runtime.block_on(over_http(workers, vault_workers, listen))
        }
    };
    // Threads that wait for a lock or a file must not keep the process alive; their work is atomic.
    runtime.shutdown_background();
    served.map(|()| 0)
}

fn parse_address(text: &str) -> Result<SocketAddr> {
    let port_only = text.parse::<u16>().ok().map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text).parse().ok();
    port_only.or(address).ok_or_else(|| {
        AppError::usage(
            format!("invalid address {text:?}"),
            "use HOST:PORT such as 127.0.0.1:8321, or a port",
        )
    })
}

async fn over_http(workers: Workers, vault_workers: VaultWorkers, listen: Listen) -> Result<()> {
    let host = workers.host().clone();
    let talk = Stderr::new(host.level);
    start_soon(workers.clone(), "http");
    http::serve(&host.environment, workers, vault_workers, listen, |address, tokens| {
        talk.note(&format!("listening on http://{address}; the token is in {}", tokens.file.display()));
        if !address.ip().is_loopback() {
            talk.warn("other machines can reach this address, and traffic is not encrypted");
        }
    })
    .await
}

/// Starts the vault's background thread soon, even without a request. Requests report a vault that cannot be opened.
fn start_soon(workers: Workers, face: &'static str) {
    tokio::spawn(async move {
        tokio::time::sleep(QUIET_START).await;
        let _ = workers.run(Caller { face, ..Caller::default() }, None, |_| Ok(())).await;
    });
}

async fn over_stdio(workers: Workers, vault_workers: VaultWorkers, set: Toolset) -> Result<()> {
    let handler = Handler::new(workers.clone(), vault_workers, set);
    start_soon(workers, "mcp");
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let served = tokio::select! {
        served = handler.serve(Stdio::new(input, output)) => served,
        () = stopped() => return Ok(()),
    };
    let running = match served {
        Ok(running) => running,
        // The client disconnected before it sent anything.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(AppError::usage(
                format!("the client does not speak MCP: {error}"),
                "start `lore serve` from an MCP client",
            ));
        }
    };
    tokio::select! {
        _ = running.waiting() => {}
        () = stopped() => {}
    }
    Ok(())
}
