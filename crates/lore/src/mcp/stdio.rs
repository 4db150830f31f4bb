//! MCP over standard input and output. The protocol library ignores a line that is not JSON; here it is answered, so that no
//! client waits for a reply that never comes.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::line_limit::LineLimit;

/// Bytes that are read at once.
const CHUNK: usize = 8 * 1024;

/// A transport that answers lines that are not JSON with a parse error.
pub struct Stdio<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> {
    inner: AsyncRwTransport<RoleServer, JsonLines<LineLimit<R>>, NullIds<W>>,
    /// Errors of lines that the reader has left out.
    errors: UnboundedReceiver<ErrorData>,
    /// The answer that is being written. It is kept here because `receive` may be dropped before it is done.
    answer: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
}

impl<R, W> Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Returns a transport for two streams.
    pub fn new(input: R, output: W) -> Stdio<R, W> {
        let (sender, errors) = unbounded_channel();
        let lines = JsonLines::new(LineLimit::new(input), sender);
        Stdio { inner: AsyncRwTransport::new_server(lines, NullIds::new(output)), errors, answer: None }
    }

    /// Starts the answer to a line that is not JSON, which has no id.
    fn start_answer(&mut self, error: ErrorData) {
        self.answer = Some(Box::pin(self.inner.send(TxJsonRpcMessage::<RoleServer>::error(error, None))));
    }

    async fn finish_answer(&mut self) {
        if let Some(answer) = &mut self.answer {
            // A client that does not read is noticed with the next message.
            let _ = answer.as_mut().await;
            self.answer = None;
        }
    }
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.finish_answer().await;
            tokio::select! {
                biased;
                Some(error) = self.errors.recv() => self.start_answer(error),
                message = self.inner.receive() => match (message, self.errors.try_recv()) {
                    (None, Ok(error)) => self.start_answer(error),
                    (message, error) => {
                        error.into_iter().for_each(|error| self.start_answer(error));
                        return message;
                    }
                },
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.finish_answer().await;
        self.inner.close().await
    }
}

/// A stream without its lines that are not JSON and those that are blank.
struct JsonLines<R> {
    stream: R,
    /// The line that is being read.
    line: Vec<u8>,
    /// Whole lines that are not handed on yet.
    whole: VecDeque<u8>,
    errors: UnboundedSender<ErrorData>,
}

impl<R> JsonLines<R> {
    fn new(stream: R, errors: UnboundedSender<ErrorData>) -> JsonLines<R> {
        JsonLines { stream, line: Vec::new(), whole: VecDeque::new(), errors }
    }

    fn take(&mut self, read: &[u8]) {
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.end_line(&line);
            }
        }
    }

    fn end_line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        // Only as a value, half of a surrogate pair is an error.
        match serde_json::from_slice::<serde_json::Value>(line) {
            Ok(_) => self.whole.extend(line),
            Err(error) => {
                let message = format!("the line is not valid JSON at column {}", error.column());
                // Without a receiver there is nobody to answer.
                let _ = self.errors.send(ErrorData::parse_error(message, None));
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for JsonLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.whole.is_empty() {
            let mut chunk = [0; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.take(read.filled());
        }
        let (first, _) = self.whole.as_slices();
        let length = first.len().min(buffer.remaining());
        buffer.put_slice(&first[..length]);
        self.whole.drain(..length);
        Poll::Ready(Ok(()))
    }
}

/// How the protocol library writes an error without an id, and how the protocol wants it.
const NO_ID: &[u8] = br#"{"jsonrpc":"2.0","error":"#;
const NULL_ID: &[u8] = br#"{"jsonrpc":"2.0","id":null,"error":"#;

/// A stream of messages that gives errors without an id the id `null`.
struct NullIds<W> {
    stream: W,
    /// The line that is being written.
    line: Vec<u8>,
    /// Whole lines that are not written yet.
    whole: VecDeque<u8>,
}

impl<W> NullIds<W> {
    fn new(stream: W) -> NullIds<W> {
        NullIds { stream, line: Vec::new(), whole: VecDeque::new() }
    }

    fn take(&mut self, written: &[u8]) {
        for part in written.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                match line.strip_prefix(NO_ID) {
                    Some(rest) => self.whole.extend(NULL_ID.iter().chain(rest)),
                    None => self.whole.extend(&line),
                }
            }
        }
    }
}

impl<W: AsyncWrite + Unpin> NullIds<W> {
    fn poll_whole(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.whole.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, self.whole.as_slices().0))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.whole.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for NullIds<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        written: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_whole(context))?;
        self.take(written);
        Poll::Ready(Ok(written.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_whole(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_whole(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
