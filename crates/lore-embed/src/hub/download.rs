//! Downloads single files: into a part file, resumed after an interruption, and verified before the rename.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use lore_ports::{EmbedError, EmbedResult};
use ureq::http::Response;
use ureq::{Agent, Body};

use super::HubModel;
use crate::files::{self, Part};
use crate::http::{Address, may_pass};

/// Timeouts for the connection, and for the start of a response and its next bytes. The total time is not limited.
const CONNECT: Duration = Duration::from_secs(10);
const NEXT_BYTES: Duration = Duration::from_secs(60);

/// Maximum attempts to resume a file in one download.
const TRIES: usize = 20;

/// What a file must contain.
pub struct Expected {
    /// Maximum size in bytes.
    pub most: u64,
    /// Size and SHA-256, if known.
    pub exact: Option<(u64, String)>,
}

/// The download of a model's files.
pub struct Download<'a> {
    agent: Agent,
    /// URL prefix of the files, for requests and for display.
    url: String,
    place: String,
    progress: &'a mut dyn FnMut(u64, u64),
    /// Bytes of all complete files.
    done: u64,
    /// Bytes of all files whose size is known.
    total: u64,
}

/// Outcome of an attempt to download the rest of a file.
enum End {
    Complete,
    /// The connection broke, or the partial file could not be resumed.
    Broken(String),
}

impl<'a> Download<'a> {
    /// Prepares the download of a model.
    pub fn new(
        address: &Address,
        model: &HubModel,
        expected: &[Expected],
        progress: &'a mut dyn FnMut(u64, u64),
    ) -> Self {
        let agent = address
            .client()
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(NEXT_BYTES))
            .timeout_per_read(Some(NEXT_BYTES))
            // The hub redirects to the storage of its large files, but never to an insecure URL.
            .max_redirects(5)
            .https_only(address.url.starts_with("https:"))
            .build()
            .new_agent();
        let path = format!("{}/resolve/{}", model.repository, model.revision);
        let [url, place] = [&address.url, &address.place].map(|base| format!("{base}/{path}"));
        let sizes = expected.iter().filter_map(|file| file.exact.as_ref()).map(|(size, _)| size);
        Download { agent, url, place, progress, done: 0, total: sizes.sum() }
    }

    /// Downloads a file into a directory and returns its size and SHA-256.
    pub fn fetch(&mut self, path: &str, expected: &Expected, folder: &Path) -> EmbedResult<(u64, String)> {
        let target = folder.join(path);
        if let Some((size, sha256)) = &expected.exact
            && files::hash(&target).is_ok_and(|found| found == *sha256)
        {
            self.advance(*size);
            return Ok((*size, sha256.clone()));
        }
        let part_path = files::with_suffix(&target, ".part");
        let mut part = Part::open(&part_path)?;
        if expected.exact.is_none() {
            // Without a hash, nothing proves that an old beginning and a new end belong together.
            part.clear()?;
        }
        self.fetch_part(path, expected, &mut part)?;
        part.flush()?;
        let (size, sha256) = (part.length(), files::hash(&part_path)?);
        match &expected.exact {
            Some(exact) if *exact != (size, sha256.clone()) => {
                files::remove(&part_path)?;
                let (right_size, right) = exact;
                let reason =
                    format!("its SHA-256 is {sha256} ({size} bytes), expected {right} ({right_size} bytes)");
                return Err(self.wrong(path, reason));
            }
            Some(_) => {}
            None => self.total += size,
        }
        files::rename(&part_path, &target)?;
        self.advance(size);
        Ok((size, sha256))
    }

    /// Downloads what is missing, as long as each attempt makes progress.
    fn fetch_part(&mut self, path: &str, expected: &Expected, part: &mut Part) -> EmbedResult<()> {
        let mut reason = String::new();
        for _ in 0..TRIES {
            let before = part.length();
            if expected.exact.as_ref().is_some_and(|(size, _)| *size == before) {
                return Ok(());
            }
            match self.fetch_rest(path, expected, part)? {
                End::Complete => return Ok(()),
                End::Broken(why) => reason = why,
            }
            if part.length() == before {
                break;
            }
        }
        Err(self.unavailable(path, reason))
    }

    fn fetch_rest(&mut self, path: &str, expected: &Expected, part: &mut Part) -> EmbedResult<End> {
        let start = part.length();
        let mut request = self.agent.get(format!("{}/{path}", self.url));
        if start > 0 {
            request = request.header("range", format!("bytes={start}-"));
        }
        let mut response = match request.call() {
            Ok(response) => response,
            Err(error) => return self.broken(path, &error),
        };
        match response.status().as_u16() {
            206 if continues_at(&response) == Some(start) => {}
            // The whole file again, or an invalid range: the partial file is useless.
            200 => part.clear()?,
            206 | 416 if start > 0 => {
                part.clear()?;
                return Ok(End::Broken("the download cannot be resumed".to_owned()));
            }
            status @ (408 | 429 | 500..=599) => {
                return Err(self.unavailable(path, format!("status {status}")));
            }
            status => {
                let place = format!("{}/{path}", self.place);
                return Err(EmbedError::Model { place, reason: format!("the hub returned status {status}") });
            }
        }
        self.receive(path, expected, part, &mut response)
    }

    fn receive(
        &mut self,
        path: &str,
        expected: &Expected,
        part: &mut Part,
        response: &mut Response<Body>,
    ) -> EmbedResult<End> {
        let announced = response.body().content_length().map(|length| part.length() + length);
        if announced.is_some_and(|size| size > expected.most) {
            return Err(self.too_large(path, expected, part));
        }
        let mut body = response.body_mut().as_reader();
        let mut block = vec![0; 1 << 16];
        loop {
            let length = match body.read(&mut block) {
                // Without a content length, the end of the file and a closed connection look the same.
                Ok(0)
                    if announced.is_none()
                        && expected.exact.as_ref().is_some_and(|(size, _)| *size > part.length()) =>
                {
                    return Ok(End::Broken("the connection closed early".to_owned()));
                }
                Ok(0) => return Ok(End::Complete),
                Ok(length) => length,
                Err(error) => return self.broken(path, &ureq::Error::from(error)),
            };
            if part.length() + length as u64 > expected.most {
                return Err(self.too_large(path, expected, part));
            }
            part.append(&block[..length])?;
            let there = self.done + part.length();
            (self.progress)(there, self.total.max(there));
        }
    }

    /// Decides whether a failed request can be resumed.
    fn broken(&self, path: &str, error: &ureq::Error) -> EmbedResult<End> {
        let reason = error.to_string().replace(&self.url, &self.place);
        if may_pass(error) { Ok(End::Broken(reason)) } else { Err(self.unavailable(path, reason)) }
    }

    fn advance(&mut self, size: u64) {
        self.done += size;
        (self.progress)(self.done, self.total);
    }

    fn too_large(&self, path: &str, expected: &Expected, part: &mut Part) -> EmbedError {
        // The partial file cannot be the start of the right one.
        match part.clear() {
            Ok(()) => self.wrong(path, format!("the file is larger than {} bytes", expected.most)),
            Err(error) => error,
        }
    }

    fn wrong(&self, path: &str, reason: String) -> EmbedError {
        EmbedError::Wrong { place: format!("{}/{path}", self.place), reason }
    }

    fn unavailable(&self, path: &str, reason: String) -> EmbedError {
        EmbedError::Unavailable { place: format!("{}/{path}", self.place), reason }
    }
}

/// Returns the offset at which the bytes of a partial response begin.
fn continues_at(response: &Response<Body>) -> Option<u64> {
    let range = response.headers().get("content-range")?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.parse().ok()
}
