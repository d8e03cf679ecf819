//! A queue of output lines that a separate thread writes, so that code that logs never waits for the reader.
//!
//! The reader may close the pipe or stop reading, and the disk may be full. Lines that cannot be written are dropped and
//! counted; the code that pushed them never blocks, fails or panics. `tracing-appender` has such a writer too, but reports its own
//! failures by `println!`, which panics or blocks on the very pipe that is broken.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most bytes that are queued.
const MAX_BYTES: usize = 4 << 20;

/// Called by the writing thread with how many lines were dropped, once it can write again.
pub(crate) type OnRecovery = fn(dropped: u64);

/// Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct LineQueue {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// There is a line to write.
    filled: Condvar,
    /// The queue is empty, and no line is being written.
    emptied: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    is_writing: bool,
    dropped: u64,
    /// How many of the dropped lines have been reported.
    reported: u64,
}

impl LineQueue {
    /// The thread ends with the process.
    pub(crate) fn start(
        name: &str,
        target: impl Write + Send + 'static,
        on_recovery: OnRecovery,
    ) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let writing = Arc::clone(&shared);
        let name = name.to_owned();
        thread::Builder::new().name(name).spawn(move || writing.write_to(target, on_recovery))?;
        Ok(Self { shared })
    }

    /// Never waits. A line that does not fit is dropped.
    pub(crate) fn push(&self, line: Vec<u8>) {
        let mut state = self.shared.lock();
        if state.bytes + line.len() > MAX_BYTES {
            state.drop_line();
            return;
        }
        state.bytes += line.len();
        state.lines.push_back(line);
        drop(state);
        self.shared.filled.notify_one();
    }

    /// Waits until everything was written, at most for `limit`.
    pub(crate) fn flush(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut state = self.shared.lock();
        while state.is_writing || !state.lines.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.emptied.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.shared.lock().dropped
    }
}

/// Each call is one line: that is how `tracing_subscriber` writes.
impl Write for LineQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    /// Nothing that can panic happens under the lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_to(&self, mut target: impl Write, on_recovery: OnRecovery) {
        let mut is_mid_line = false;
        loop {
            let line = self.next();
            let written = end_line(&mut target, &mut is_mid_line)
                .and_then(|()| write_line(&mut target, &line, &mut is_mid_line));
            let mut state = self.lock();
            state.is_writing = false;
            state.bytes -= line.len();
            let mut unreported = None;
            match written {
                Err(_) => state.drop_line(),
                // With room for the report itself.
                Ok(()) if state.bytes < MAX_BYTES / 2 && state.dropped > state.reported => {
                    unreported = Some(state.dropped - state.reported);
                    state.reported = state.dropped;
                }
                Ok(()) => {}
            }
            drop(state);
            if let Some(dropped) = unreported {
                on_recovery(dropped);
            }
            self.emptied.notify_all();
        }
    }

    fn next(&self) -> Vec<u8> {
        let mut state = self.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.is_writing = true;
                return line;
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl State {
    fn drop_line(&mut self) {
        self.dropped += 1;
        metrics::counter!("docket_log_lines_dropped_total").increment(1);
    }
}

/// An incomplete line must not be continued by the next one.
fn end_line(target: &mut impl Write, is_mid_line: &mut bool) -> io::Result<()> {
    if *is_mid_line {
        target.write_all(b"\n")?;
        *is_mid_line = false;
    }
    Ok(())
}

fn write_line(target: &mut impl Write, line: &[u8], is_mid_line: &mut bool) -> io::Result<()> {
    let mut rest = line;
    while !rest.is_empty() {
        match target.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        *is_mid_line = !rest.is_empty();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    /// Answers each write as the test says, and records what was written.
    struct Reader {
        answers: mpsc::Receiver<io::Result<usize>>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = self.answers.recv().unwrap_or(Ok(usize::MAX))?.min(bytes.len());
            self.written.lock().unwrap().extend(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    type Answers = mpsc::Sender<io::Result<usize>>;

    fn queue(on_recovery: OnRecovery) -> (LineQueue, Answers, Arc<Mutex<Vec<u8>>>) {
        let (answer, answers) = mpsc::channel();
        let written = Arc::<Mutex<Vec<u8>>>::default();
        let reader = Reader { answers, written: Arc::clone(&written) };
        (LineQueue::start("test", reader, on_recovery).unwrap(), answer, written)
    }

    fn text(written: &Mutex<Vec<u8>>) -> String {
        String::from_utf8(written.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn lines_are_written_in_their_order_before_a_flush_returns() {
        let (queue, answer, written) = queue(|_| {});
        drop(answer);
        for line in ["one\n", "two\n", "three\n"] {
            queue.push(line.into());
        }
        queue.flush(LONG);
        assert_eq!(text(&written), "one\ntwo\nthree\n");
        assert_eq!(queue.dropped(), 0);
    }

    #[test]
    fn a_blocked_reader_blocks_nobody_and_memory_is_bounded() {
        static RECOVERED: AtomicU64 = AtomicU64::new(0);
        let (queue, answer, written) = queue(|dropped| {
            RECOVERED.fetch_add(dropped, Ordering::Relaxed);
        });
        let line = vec![b'x'; 1 << 20];
        for _ in 0..10 {
            queue.push(line.clone());
        }
        assert!(queue.dropped() >= 5, "{} dropped", queue.dropped());
        queue.flush(Duration::ZERO);
        // It reads again.
        drop(answer);
        queue.flush(LONG);
        let kept = written.lock().unwrap().len() / line.len();
        assert_eq!(kept as u64 + queue.dropped(), 10);
        queue.push(b"after\n".to_vec());
        queue.flush(LONG);
        assert!(text(&written).ends_with("after\n"));
        assert_eq!(RECOVERED.load(Ordering::Relaxed), queue.dropped());
    }

    #[test]
    fn an_incomplete_line_is_ended_before_the_next() {
        let (queue, answer, written) = queue(|_| {});
        answer.send(Ok(2)).unwrap();
        answer.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        drop(answer);
        queue.push(b"broken\n".to_vec());
        queue.push(b"whole\n".to_vec());
        queue.flush(LONG);
        assert_eq!(text(&written), "br\nwhole\n");
        assert_eq!(queue.dropped(), 1);
    }
}
