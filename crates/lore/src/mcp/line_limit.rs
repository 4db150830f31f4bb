//! Ends the connection of a client whose message never ends, before it fills the memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Maximum length of a message, in bytes: as over HTTP.
const LINE: usize = 16 * 1024 * 1024;

/// A stream of lines of limited length.
pub struct LineLimit<R> {
    stream: R,
    /// Bytes since the last line ending.
    length: usize,
}

impl<R> LineLimit<R> {
    /// Limits the lines of a stream.
    pub fn new(stream: R) -> LineLimit<R> {
        LineLimit { stream, length: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineLimit<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let read = &buffer.filled()[before..];
        self.length = match read.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => read.len() - end - 1,
            None => self.length + read.len(),
        };
        if self.length > LINE {
            let message = format!("a message is longer than {LINE} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, message)));
        }
        Poll::Ready(Ok(()))
    }
}
