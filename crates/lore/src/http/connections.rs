//! Accepts connections and limits them: their number, the time a request takes to arrive, and the time an answer takes to
//! be read.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Sleep, sleep, timeout};

/// Maximum number of open connections: half of the files that a process may usually open.
const CONNECTIONS: u32 = 512;

/// Maximum size of a request's head, in bytes; a longer one is answered with 431.
const HEAD: usize = 64 * 1024;

/// Maximum number of headers.
const HEADERS: usize = 64;

/// How long a client may leave an answer unread.
const UNREAD: Duration = Duration::from_secs(30);

/// How long and how much is read and discarded from a client that still sends after it was refused, so that it sees the
/// answer rather than a reset connection.
const LINGER: (Duration, u64) = (Duration::from_secs(1), 64 * 1024 * 1024);

/// Answer to a connection over the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Pause after an error of the listener, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves connections until `stop` is done, then waits up to `last_words` for open requests.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    read_timeout: Duration,
    stop: impl Future<Output = ()>,
    last_words: Duration,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let (stopping, stopped) = watch::channel(false);
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        match (accepted, places.clone().try_acquire_owned()) {
            (Ok((stream, _)), Ok(place)) => {
                let connection = Connection { stream, router: router.clone(), read_timeout };
                tokio::spawn(connection.serve(stopped.clone(), place));
            }
            (Ok((stream, _)), Err(_)) => {
                let _ = stream.try_write(FULL);
            }
            (Err(_), _) => sleep(PAUSE).await,
        }
    }
    let _ = stopping.send(true);
    // An open stream must not keep the server from shutting down.
    let _ = timeout(last_words, places.acquire_many(CONNECTIONS)).await;
}

struct Connection {
    stream: TcpStream,
    router: Router,
    read_timeout: Duration,
}

impl Connection {
    async fn serve(self, mut stopped: watch::Receiver<bool>, _place: OwnedSemaphorePermit) {
        let service = TowerToHyperService::new(self.router);
        let service = service_fn(move |request: Request<Incoming>| Box::pin(service.call(request)));
        let io = TokioIo::new(Unstalled { stream: self.stream, stalled: None });
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // It also covers the time between two requests.
            .header_read_timeout(self.read_timeout)
            .max_headers(HEADERS)
            .max_buf_size(HEAD)
            .serve_connection(io, service);
        let served = tokio::select! {
            served = poll_fn(|context| connection.poll_without_shutdown(context)) => Some(served),
            _ = stopped.wait_for(|stopped| *stopped) => None,
        };
        if served.is_none() {
            Pin::new(&mut connection).graceful_shutdown();
            let _ = poll_fn(|context| connection.poll_without_shutdown(context)).await;
        }
        linger(connection.into_parts().io.into_inner().stream).await;
    }
}

/// Closes a connection after discarding what the client still sends, within limits.
async fn linger(mut stream: TcpStream) {
    let (time, bytes) = LINGER;
    let discard = async {
        stream.shutdown().await?;
        tokio::io::copy(&mut (&mut stream).take(bytes), &mut tokio::io::sink()).await
    };
    let _ = timeout(time, discard).await;
}

/// A stream whose writes fail when the client does not read for too long.
struct Unstalled {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Unstalled {
    fn watch<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Unstalled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Unstalled {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
