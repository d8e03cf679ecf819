//! A file's bytes on their way out: read as they are sent, counted and hashed as they pass.

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

/// One passage through a file.
pub(crate) struct Reading {
    sent: AtomicU64,
    state: Mutex<State>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct State {
    hash: Sha256,
    broken: Option<String>,
}

impl Reading {
    /// The part of a form that sends the file from its beginning, as long as it is now.
    pub(crate) fn part(
        file: Arc<File>,
        name: String,
        progress: Arc<Progress>,
    ) -> io::Result<(Part, Arc<Self>)> {
        let size = file.metadata()?.len();
        let reading = Arc::new(Self { sent: AtomicU64::new(0), state: Mutex::default(), progress });
        let body = Body::wrap_stream(chunks(Arc::clone(&reading), file, size));
        Ok((Part::stream_with_length(body, size).file_name(name), reading))
    }

    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Why the file could not be read to its end.
    pub(super) fn broken(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).broken.clone()
    }

    /// Of what was sent, in hexadecimal.
    pub(super) fn sha256(&self) -> String {
        let hash = self.state.lock().unwrap_or_else(PoisonError::into_inner).hash.clone();
        hash.finalize().iter().fold(String::new(), |mut text, byte| {
            // A string takes everything.
            write!(text, "{byte:02x}").ok();
            text
        })
    }

    /// It will be sent once more, or not at all.
    pub(super) fn take_back(&self) {
        self.progress.unsent(self.sent());
    }

    fn passes(&self, chunk: &[u8]) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).hash.update(chunk);
        let length = chunk.len() as u64;
        self.sent.fetch_add(length, Ordering::Relaxed);
        self.progress.sent(length);
    }

    fn breaks(&self, why: String) -> io::Error {
        let error = io::Error::other(why.clone());
        self.state.lock().unwrap_or_else(PoisonError::into_inner).broken = Some(why);
        error
    }
}

/// Read at their place: a try that was given up may still be reading.
fn chunks(
    reading: Arc<Reading>,
    file: Arc<File>,
    size: u64,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    stream::try_unfold((reading, file, 0), move |(reading, file, place)| async move {
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
        let chunk =
            match read.await.map_err(|_| io::Error::other("reading it ended in a panic")).flatten()
            {
                Ok(chunk) if chunk.is_empty() => {
                    return Err(reading.breaks("it became shorter while it was read".to_owned()));
                }
                Ok(chunk) => chunk,
                Err(error) => return Err(reading.breaks(super::paths::reason(&error))),
            };
        reading.passes(&chunk);
        let place = place + chunk.len() as u64;
        Ok(Some((chunk, (reading, file, place))))
    })
}
