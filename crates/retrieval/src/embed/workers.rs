//! A bounded number of threads that compute, shared by all who ask.
//!
//! Each thread is a pool of its own: a matrix product that finds one thread around it does not
//! divide itself, and dividing the texts among threads costs less waiting than dividing each product.
//! A caller has at most one piece of work with each thread, so that a search is not held up by more
//! than one piece of every large call before it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use domain::panic_message;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::ModelError;

pub(super) struct Workers {
    threads: Vec<ThreadPool>,
    /// Where the next call begins, so that small calls do not all meet at the first thread.
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

    /// The results of all pieces, in their order. Blocks until they are there.
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
                // Nobody listens when an earlier piece has failed.
                report.send((thread, place, result)).ok();
            });
        };
        let mut results: Vec<Option<R>> = pieces.iter().map(|_| None).collect();
        let mut waiting = pieces.into_iter().enumerate();
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.threads.len();
        let mut under_way = 0;
        for ((place, piece), thread) in waiting.by_ref().take(self.threads.len()).zip(first..) {
            submit(thread, place, piece);
            under_way += 1;
        }
        while under_way > 0 {
            let Ok((thread, place, result)) = reports.recv() else { break };
            let result = result.map_err(|panic| ModelError::Computing {
                reason: format!("it panicked: {}", panic_message(&*panic)),
            })?;
            results[place] = Some(result?);
            match waiting.next() {
                Some((place, piece)) => submit(thread, place, piece),
                None => under_way -= 1,
            }
        }
        let complete: Option<Vec<R>> = results.into_iter().collect();
        complete.ok_or_else(|| ModelError::Computing { reason: "a thread went away".to_owned() })
    }
}
