//! Work on blocking threads, one piece after the other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::error::{BlobError, Result};

/// A value that is either here at rest or with a blocking thread that works on it.
///
/// One more piece of work may wait for the thread, which goes on with it without being called again: it does not
/// stand idle while its caller gets the next piece ready. Without work there is no thread.
///
/// May be dropped at any time: the thread then finishes what it was given and drops the value.
pub(crate) struct Relay<T> {
    shared: Arc<Shared<T>>,
}

type Work<T> = Box<dyn FnOnce(&mut T) + Send>;

struct Shared<T> {
    state: Mutex<State<T>>,
    /// The thread has gone on to the next piece, or is done.
    changed: Notify,
}

enum State<T> {
    Resting(T),
    Working { next: Option<Work<T>> },
    Lost,
}

impl<T: Send + 'static> Relay<T> {
    pub(crate) fn new(value: T) -> Self {
        let state = Mutex::new(State::Resting(value));
        Self { shared: Arc::new(Shared { state, changed: Notify::new() }) }
    }

    /// Returns when it is under way, or next.
    pub(crate) async fn hand_over(
        &mut self,
        work: impl FnOnce(&mut T) + Send + 'static,
    ) -> Result<()> {
        let mut work: Work<T> = Box::new(work);
        loop {
            match self.shared.try_to_take_on(work)? {
                None => return Ok(()),
                Some(refused) => work = refused,
            }
            self.shared.changed.notified().await;
        }
    }

    /// Waits for all work. The value is here while `look` has it.
    pub(crate) async fn at_rest<R>(&mut self, look: impl FnOnce(&mut T) -> R) -> Result<R> {
        let mut value = self.take().await?;
        let seen = look(&mut value);
        *self.shared.lock() = State::Resting(value);
        Ok(seen)
    }

    /// Waits for all work, and takes the value.
    pub(crate) async fn take(&mut self) -> Result<T> {
        loop {
            if let Some(value) = self.shared.try_to_take()? {
                return Ok(value);
            }
            self.shared.changed.notified().await;
        }
    }
}

impl<T: Send + 'static> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` while a thread has it.
    fn try_to_take(&self) -> Result<Option<T>> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Lost) {
            State::Resting(value) => Ok(Some(value)),
            State::Lost => Err(lost()),
            working @ State::Working { .. } => {
                *state = working;
                Ok(None)
            }
        }
    }

    /// Gives the work back when another piece waits already.
    fn try_to_take_on(self: &Arc<Self>, work: Work<T>) -> Result<Option<Work<T>>> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Working { next: None }) {
            State::Resting(value) => {
                let thread = Thread { shared: Arc::clone(self), is_done: false };
                tokio::task::spawn_blocking(move || thread.work_off(value, work));
                Ok(None)
            }
            State::Working { next: None } => {
                *state = State::Working { next: Some(work) };
                Ok(None)
            }
            full @ State::Working { next: Some(_) } => {
                *state = full;
                Ok(Some(work))
            }
            State::Lost => {
                *state = State::Lost;
                Err(lost())
            }
        }
    }
}

/// The thread's end. When it goes before the value is back at rest, by a panic or because it was never begun,
/// the value is lost.
struct Thread<T: Send + 'static> {
    shared: Arc<Shared<T>>,
    is_done: bool,
}

impl<T: Send + 'static> Thread<T> {
    fn work_off(mut self, value: T, work: Work<T>) {
        let mut under_way = Some((value, work));
        while let Some((mut value, work)) = under_way {
            work(&mut value);
            under_way = self.go_on(value);
        }
    }

    /// What waits, or `None`: then the value is at rest.
    fn go_on(&mut self, value: T) -> Option<(T, Work<T>)> {
        let mut state = self.shared.lock();
        let next = match &mut *state {
            State::Working { next } => next.take(),
            State::Resting(_) | State::Lost => None,
        };
        self.shared.changed.notify_one();
        if let Some(work) = next {
            return Some((value, work));
        }
        *state = State::Resting(value);
        self.is_done = true;
        None
    }
}

impl<T: Send + 'static> Drop for Thread<T> {
    fn drop(&mut self) {
        if !self.is_done {
            *self.shared.lock() = State::Lost;
            self.shared.changed.notify_one();
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn pieces_are_worked_off_in_their_order() {
        let mut relay = Relay::new(Vec::new());
        for piece in 0..100 {
            relay.hand_over(move |done: &mut Vec<i32>| done.push(piece)).await.unwrap();
        }
        assert_eq!(relay.at_rest(|done| done.len()).await.unwrap(), 100);
        assert_eq!(relay.take().await.unwrap(), (0..100).collect::<Vec<_>>());
    }

    /// A thread that is just leaving does not disturb the next.
    #[tokio::test]
    async fn piece_by_piece() {
        let mut relay = Relay::new(0);
        for piece in 1..=2000 {
            relay.hand_over(|done| *done += 1).await.unwrap();
            assert_eq!(relay.at_rest(|done| *done).await.unwrap(), piece);
        }
    }

    #[tokio::test]
    async fn one_piece_waits_while_another_is_under_way_and_no_more() {
        let mut relay = Relay::new(());
        let (gate, closed) = channel::<()>();
        relay.hand_over(move |()| closed.recv().unwrap()).await.unwrap();
        relay.hand_over(|()| ()).await.unwrap();
        let third = tokio::time::timeout(std::time::Duration::ZERO, relay.hand_over(|()| ()));
        third.await.unwrap_err();
        gate.send(()).unwrap();
        relay.hand_over(|()| ()).await.unwrap();
        relay.take().await.unwrap();
    }

    #[tokio::test]
    async fn after_a_panic_the_value_is_gone() {
        let mut relay = Relay::new(());
        relay.hand_over(|()| panic!("on purpose")).await.unwrap();
        relay.take().await.unwrap_err();
        relay.hand_over(|()| ()).await.unwrap_err();
    }
}
