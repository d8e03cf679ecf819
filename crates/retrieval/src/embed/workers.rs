//! A fixed number of compute threads, shared by all callers.
//!
//! Each thread is a rayon pool of its own, because a matrix product in a pool of one thread is not parallelised: spreading
//! texts over the threads needs less synchronisation than spreading each product. A caller has at most one work item on
//! each thread, so that a search waits for at most one item of every large call before it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use domain::panic_message;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::ModelError;

pub(super) struct Workers {
    threads: Vec<ThreadPool>,
    /// The first thread of the next call, so that small calls do not all use the same thread.
    next: AtomicUsize,
}

impl Workers {
    pub(super) fn start(threads: usize) -> Result<Self, ModelError> {
        let start = |number: usize| {
            ThreadPoolBuilder::new()
                .num_threads(1)
                .thread_name(move |_| format!("model-{number}"))
                .build()
        };
        let threads = (0..threads.max(1)).map(start).collect::<Result<_, _>>();
        let threads = threads.map_err(ModelError::Threads)?;
        Ok(Self { threads, next: AtomicUsize::new(0) })
    }

    pub(super) fn count(&self) -> usize {
        self.threads.len()
    }

    /// The results of all pieces, in order. Blocks until all are complete.
    pub(super) fn run<P, R>(
        &self,
        pieces: Vec<P>,
        work: impl Fn(P) -> Result<R, ModelError> + Send + Sync + 'static,
    ) -> Result<Vec<R>, ModelError>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        let work = Arc::new(work);
        let (report, reports) = mpsc::channel();
        let submit = |thread: usize, place: usize, piece: P| {
            let (work, report) = (Arc::clone(&work), report.clone());
            self.threads[thread % self.threads.len()].spawn(move || {
                let result = catch_unwind(AssertUnwindSafe(|| work(piece)));
                // The receiver is gone when an earlier piece has failed.
                report.send((thread, place, result)).ok();
            });
        };
        let mut results: Vec<Option<R>> = pieces.iter().map(|_| None).collect();
        let mut waiting = pieces.into_iter().enumerate();
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.threads.len();
        let mut running = 0;
        for ((place, piece), thread) in waiting.by_ref().take(self.threads.len()).zip(first..) {
            submit(thread, place, piece);
            running += 1;
        }
        while running > 0 {
            let Ok((thread, place, result)) = reports.recv() else { break };
            let result = result.map_err(|panic| ModelError::Computing {
                reason: format!("it panicked: {}", panic_message(&*panic)),
            })?;
            results[place] = Some(result?);
            match waiting.next() {
                Some((place, piece)) => submit(thread, place, piece),
                None => running -= 1,
            }
        }
        let complete: Option<Vec<R>> = results.into_iter().collect();
        complete.ok_or_else(|| ModelError::Computing { reason: "a thread has ended".to_owned() })
    }
}
