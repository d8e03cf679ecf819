//! Work on blocking threads, one task after the other.

use tokio::task::JoinHandle;

use crate::error::{BlobError, Result};

/// A value that a blocking thread may be working on.
///
/// It may be dropped at any time: the thread then finishes its task and drops the value.
pub(crate) struct BlockingValue<T> {
    state: State<T>,
}

enum State<T> {
    Idle(T),
    Working(JoinHandle<T>),
    Lost,
}

impl<T: Send + 'static> BlockingValue<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { state: State::Idle(value) }
    }

    /// Waits for the running task.
    pub(crate) async fn wait(&mut self) -> Result<&mut T> {
        if let State::Working(working) = &mut self.state {
            self.state = match working.await {
                Ok(value) => State::Idle(value),
                Err(_) => State::Lost,
            };
        }
        match &mut self.state {
            State::Idle(value) => Ok(value),
            State::Working(_) | State::Lost => Err(lost()),
        }
    }

    /// Waits for the running task, then starts this one and returns.
    pub(crate) async fn start(&mut self, work: impl FnOnce(&mut T) + Send + 'static) -> Result<()> {
        self.wait().await?;
        let State::Idle(mut value) = std::mem::replace(&mut self.state, State::Lost) else {
            return Err(lost());
        };
        self.state = State::Working(tokio::task::spawn_blocking(move || {
            work(&mut value);
            value
        }));
        Ok(())
    }

    /// Waits for the running task, and takes the value.
    pub(crate) async fn take(&mut self) -> Result<T> {
        self.wait().await?;
        match std::mem::replace(&mut self.state, State::Lost) {
            State::Idle(value) => Ok(value),
            State::Working(_) | State::Lost => Err(lost()),
        }
    }
}

/// Runs `work` on a blocking thread, and waits for it.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| lost())
}

/// The thread panicked, or the runtime is being shut down.
fn lost() -> BlobError {
    let source = "the thread that worked on it ended".into();
    BlobError::Failed { attempt: "finish the work on", at: "an object".into(), source }
}
