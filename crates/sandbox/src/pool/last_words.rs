//! The end of what a child writes to its error output, kept for the log.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

/// A backtrace fits; a flood does not.
const KEPT: usize = 8 << 10;
/// Once the child is dead, all it wrote is in the pipe already.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads on as long as the child writes, so that it never waits for its log.
#[derive(Debug)]
pub(crate) struct LastWords {
    kept: Arc<Mutex<Vec<u8>>>,
    listening: JoinHandle<()>,
}

impl LastWords {
    pub(crate) fn listen(mut to: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keeping = Arc::clone(&kept);
        let listening = tokio::spawn(async move {
            let mut heard = [0; 4096];
            while let Ok(count @ 1..) = to.read(&mut heard).await {
                keep(&mut keeping.lock().unwrap_or_else(PoisonError::into_inner), &heard[..count]);
            }
        });
        Self { kept, listening }
    }

    /// What was said about an earlier job explains nothing about the next.
    pub(crate) fn forget(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What a dead child said last.
    pub(crate) async fn hear(&mut self) -> String {
        // A descendant could hold the pipe open; then what is there already has to do.
        let _late = tokio::time::timeout(PATIENCE, &mut self.listening).await;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn keep(kept: &mut Vec<u8>, heard: &[u8]) {
    kept.extend_from_slice(heard);
    let excess = kept.len().saturating_sub(KEPT);
    kept.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_of_a_flood_is_kept() {
        let mut flood = vec![b'a'; 10 * KEPT];
        flood.extend_from_slice(b"the end");
        let heard = LastWords::listen(std::io::Cursor::new(flood)).hear().await;
        assert_eq!(heard.len(), KEPT);
        assert!(heard.ends_with("the end"));
    }
}
