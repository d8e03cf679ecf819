//! Keeps the end of a child's error output for the log.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

/// Enough for a backtrace.
const MAX_BYTES: usize = 8 << 10;
/// After the child has exited, all its output is in the pipe already.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads as long as the child writes, so that the child never blocks on a full pipe.
#[derive(Debug)]
pub(crate) struct StderrTail {
    tail: Arc<Mutex<Vec<u8>>>,
    reading: JoinHandle<()>,
}

impl StderrTail {
    pub(crate) fn collect(mut from: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let tail = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&tail);
        let reading = tokio::spawn(async move {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes).await {
                append(
                    &mut written.lock().unwrap_or_else(PoisonError::into_inner),
                    &bytes[..count],
                );
            }
        });
        Self { tail, reading }
    }

    /// Drops the output of an earlier job, which does not concern the next one.
    pub(crate) fn clear(&self) {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The last output of a child that has exited.
    pub(crate) async fn finish(&mut self) -> String {
        // A descendant could keep the pipe open; then the output so far must do.
        let _timed_out = tokio::time::timeout(READ_TIMEOUT, &mut self.reading).await;
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&tail).into_owned()
    }
}

impl Drop for StderrTail {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

fn append(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(bytes);
    let excess = tail.len().saturating_sub(MAX_BYTES);
    tail.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_of_a_long_output_is_kept() {
        let mut output = vec![b'a'; 10 * MAX_BYTES];
        output.extend_from_slice(b"the end");
        let tail = StderrTail::collect(std::io::Cursor::new(output)).finish().await;
        assert_eq!(tail.len(), MAX_BYTES);
        assert!(tail.ends_with("the end"));
    }
}
