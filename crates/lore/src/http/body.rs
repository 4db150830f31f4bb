//! Bodies of requests and responses with an end: a request that arrives too slowly, a stream whose token was removed.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use hyper::body::Frame;
use tokio::time::{Instant, Sleep, sleep_until};

/// Limits the time in which a request's body arrives; the flag tells whether it did not.
pub fn timed(body: Body, gap: Duration, whole: Duration) -> (Body, Arc<AtomicBool>) {
    let late = Arc::new(AtomicBool::new(false));
    let end = Instant::now() + whole;
    let timer = Box::pin(sleep_until(end.min(Instant::now() + gap)));
    (Body::new(Timed { body, gap, end, timer, late: late.clone() }), late)
}

struct Timed {
    body: Body,
    /// Maximum time between two parts of the body.
    gap: Duration,
    /// When the body must be complete.
    end: Instant,
    timer: Pin<Box<Sleep>>,
    late: Arc<AtomicBool>,
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            let next = self.end.min(Instant::now() + self.gap);
            self.timer.as_mut().reset(next);
            return Poll::Ready(frame);
        }
        self.timer.as_mut().poll(context).map(|()| {
            self.late.store(true, Ordering::Relaxed);
            Some(Err(axum::Error::new(std::io::Error::from(ErrorKind::TimedOut))))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

/// Ends an event stream as soon as `revoked` is done; other responses are returned as they are.
pub fn until(response: Response, revoked: impl Future<Output = ()> + Send + 'static) -> Response {
    let is_stream = |kind: &HeaderValue| kind.as_bytes().starts_with(b"text/event-stream");
    if !response.headers().get(CONTENT_TYPE).is_some_and(is_stream) {
        return response;
    }
    response.map(|body| Body::new(Revocable { body, revoked: Box::pin(revoked) }))
}

struct Revocable {
    body: Body,
    revoked: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl HttpBody for Revocable {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.revoked.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => Pin::new(&mut self.body).poll_frame(context),
        }
    }
}
