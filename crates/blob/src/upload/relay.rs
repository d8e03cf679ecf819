//! Work on blocking threads, one piece after the other.

use tokio::task::JoinHandle;

use crate::error::{BlobError, Result};

/// A value that is either here at rest or with a blocking thread that works on it.
///
/// May be dropped at any time: the thread then finishes its piece and drops the value.
pub(crate) struct Relay<T> {
    state: State<T>,
}

enum State<T> {
    Resting(T),
    Working(JoinHandle<T>),
    Lost,
}

impl<T: Send + 'static> Relay<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { state: State::Resting(value) }
    }

    /// Waits for the work under way.
    pub(crate) async fn rest(&mut self) -> Result<&mut T> {
        if let State::Working(working) = &mut self.state {
            self.state = match working.await {
                Ok(value) => State::Resting(value),
                Err(_) => State::Lost,
            };
        }
        match &mut self.state {
            State::Resting(value) => Ok(value),
            State::Working(_) | State::Lost => Err(lost()),
        }
    }

    /// Waits for the work under way, then begins this and returns.
    pub(crate) async fn hand_over(
        &mut self,
        work: impl FnOnce(&mut T) + Send + 'static,
    ) -> Result<()> {
        self.rest().await?;
        let State::Resting(mut value) = std::mem::replace(&mut self.state, State::Lost) else {
            return Err(lost());
        };
        self.state = State::Working(tokio::task::spawn_blocking(move || {
            work(&mut value);
            value
        }));
        Ok(())
    }

    /// Waits for the work under way, and takes the value.
    pub(crate) async fn take(&mut self) -> Result<T> {
        self.rest().await?;
        match std::mem::replace(&mut self.state, State::Lost) {
            State::Resting(value) => Ok(value),
            State::Working(_) | State::Lost => Err(lost()),
        }
    }
}

/// Runs it there, and waits for it.
pub(crate) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| lost())
}

/// The thread panicked, or the runtime is being shut down.
fn lost() -> BlobError {
    let source = "the thread that worked on it is gone".into();
    BlobError::Failed { attempt: "finish the work on", at: "an object".into(), source }
}
