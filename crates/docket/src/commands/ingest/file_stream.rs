//! Streams a file into an upload: reads it as it is sent, and counts and hashes what was sent.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream};
use reqwest::Body;
use reqwest::multipart::Part;
use sha2::{Digest, Sha256};

use super::progress::Progress;

const CHUNK: usize = 128 * 1024;

/// One upload of a file.
pub(crate) struct FileStream {
    sent: AtomicU64,
    state: Mutex<State>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct State {
    hash: Sha256,
    read_error: Option<String>,
}

impl FileStream {
    /// The part of a form that sends the file from its beginning, as long as it is now.
    pub(crate) fn part(
        file: Arc<File>,
        name: String,
        progress: Arc<Progress>,
    ) -> io::Result<(Part, Arc<Self>)> {
        let size = file.metadata()?.len();
        let stream = Arc::new(Self { sent: AtomicU64::new(0), state: Mutex::default(), progress });
        let body = Body::wrap_stream(chunks(Arc::clone(&stream), file, size));
        Ok((Part::stream_with_length(body, size).file_name(name), stream))
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Why the file could not be read to its end.
    pub(super) fn read_error(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).read_error.clone()
    }

    /// The hash of what was sent, in hexadecimal.
    pub(super) fn sha256(&self) -> String {
        let hash = self.state.lock().unwrap_or_else(PoisonError::into_inner).hash.clone();
        hash.finalize().iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            write!(text, "{byte:02x}").ok();
            text
        })
    }

    /// Takes the sent bytes back from the progress bar: the upload failed.
    pub(super) fn undo_progress(&self) {
        self.progress.unsent(self.sent());
    }

    fn record(&self, chunk: &[u8]) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).hash.update(chunk);
        let length = chunk.len() as u64;
        self.sent.fetch_add(length, Ordering::Relaxed);
        self.progress.sent(length);
    }

    fn fail(&self, why: String) -> io::Error {
        let error = io::Error::other(why.clone());
        self.state.lock().unwrap_or_else(PoisonError::into_inner).read_error = Some(why);
        error
    }
}

/// Reads at an offset, because an abandoned try may still be reading the same file.
fn chunks(
    stream: Arc<FileStream>,
    file: Arc<File>,
    size: u64,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::try_unfold((stream, file, 0), move |(stream, file, place)| async move {
        if place == size {
            return Ok(None);
        }
        let most = usize::try_from(size - place).unwrap_or(CHUNK).min(CHUNK);
        let source = Arc::clone(&file);
        let read = tokio::task::spawn_blocking(move || {
            let mut buffer = BytesMut::zeroed(most);
            let read = source.read_at(&mut buffer, place)?;
            buffer.truncate(read);
            Ok::<_, io::Error>(buffer.freeze())
        });
        let chunk = match read
            .await
            .map_err(|_| io::Error::other("reading the file ended in a panic"))
            .flatten()
        {
            Ok(chunk) if chunk.is_empty() => {
                return Err(stream.fail("the file became shorter while it was read".to_owned()));
            }
            Ok(chunk) => chunk,
            Err(error) => return Err(stream.fail(super::paths::reason(&error))),
        };
        stream.record(&chunk);
        let place = place + chunk.len() as u64;
        Ok(Some((chunk, (stream, file, place))))
    })
}
