//! Waits for a stop signal.

/// Waits for SIGINT or SIGTERM, even if the parent process had set them to be ignored.
#[cfg(unix)]
pub async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the signals end the process.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub async fn stopped() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
