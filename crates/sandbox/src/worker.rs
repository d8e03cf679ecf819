//! The child's side: a loop that takes a job, has its handler answer it, and takes the next.
//!
//! Requests arrive on standard input, which is a socket, because files are passed with them. Answers are
//! written to the original standard output; a library that prints writes to standard error instead and cannot
//! corrupt an answer.
//!
//! A panic ends the child on purpose: the parent sees a crash, and no inconsistent state reaches the next
//! document.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::limits::ResourceLimits;
use crate::pool::protocol::{
    ChildConfig, DONE, Envelope, FAILED, GREETING, Greeting, HandlerName, MAX_FILES, Tag, VERSION,
    read_message, to_frame, write_frame,
};
use crate::{SandboxError, close_inherited, end_with_parent, lock_down};

#[derive(Debug, Error)]
pub enum WorkerError {
    #[error("this command is started by Docket itself, never by hand")]
    NotAChild(#[source] io::Error),
    #[error("setting up the sandbox failed")]
    Sandbox(#[from] SandboxError),
    #[error("the connection to the parent broke off")]
    Io(#[from] io::Error),
    #[error("a request cannot be decoded by its handler")]
    Request(#[from] postcard::Error),
    #[error("there is no handler `{0}`")]
    NoHandler(String),
}

/// Runs the jobs of one kind.
pub trait Handler {
    type Request: DeserializeOwned;
    /// Why a job failed; sent as the last answer.
    type Error: Serialize;

    /// `files` are the job's files, in order. Answers go to `replies`.
    fn handle(
        &mut self,
        request: Self::Request,
        files: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<(), Self::Error>;
}

/// The handlers of a child. Each crate that has jobs for children adds its own.
#[derive(Default)]
pub struct Handlers(Vec<(HandlerName, Box<dyn AnyHandler>)>);

impl Handlers {
    #[must_use]
    pub fn with(mut self, name: HandlerName, handler: impl Handler + 'static) -> Self {
        self.0.push((name, Box::new(handler)));
        self
    }

    fn names(&self) -> Vec<(String, u16)> {
        self.0.iter().map(|(name, _)| (name.name.to_owned(), name.version)).collect()
    }

    fn get(&mut self, name: &str) -> Result<&mut dyn AnyHandler, WorkerError> {
        let entry = self.0.iter_mut().find(|(handler, _)| handler.name == name);
        let (_, handler) = entry.ok_or_else(|| WorkerError::NoHandler(name.to_owned()))?;
        Ok(handler.as_mut())
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// A handler with its types erased.
trait AnyHandler {
    /// `Ok(Some)` is the handler's error, encoded as a frame.
    fn handle_any(
        &mut self,
        request: &[u8],
        files: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<Option<Vec<u8>>, WorkerError>;
}

impl<H: Handler> AnyHandler for H {
    fn handle_any(
        &mut self,
        request: &[u8],
        files: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<Option<Vec<u8>>, WorkerError> {
        match self.handle(postcard::from_bytes(request)?, files, replies) {
            Ok(()) => Ok(None),
            Err(error) => Ok(Some(to_frame(&error)?)),
        }
    }
}

/// What a child opens before it locks itself down.
#[derive(Debug)]
pub struct Opened {
    pub handlers: Handlers,
    /// Folders that it may read later: fonts.
    pub readable: Vec<PathBuf>,
}

/// The main function of a child. `open` loads libraries and models, before the lock-down and under the resource
/// limits; it must leave no thread running. Its error is reported to the parent.
///
/// Returns when the parent has no more jobs.
pub fn serve<E: fmt::Display>(open: impl FnOnce() -> Result<Opened, E>) -> Result<(), WorkerError> {
    close_inherited().map_err(SandboxError::Descriptors)?;
    let mut inbox = Inbox::default();
    let mut outbox = BufWriter::with_capacity(64 << 10, File::from(take_stdout()?));
    let config: ChildConfig = read_message(&mut inbox).map_err(WorkerError::NotAChild)?;
    end_with_parent(config.parent)?;
    let cpu = Duration::from_secs(config.cpu_seconds);
    ResourceLimits { memory: config.memory, cpu }.set().map_err(SandboxError::Limit)?;

    let Opened { mut handlers, readable } = match open() {
        Ok(opened) => opened,
        Err(error) => {
            return greet(&mut outbox, &Greeting::NotReady { why: error.to_string() });
        }
    };
    let sandbox = lock_down(config.parent, &readable)?;
    if !config.sandbox.admits(sandbox) {
        return greet(&mut outbox, &Greeting::Unprotected { sandbox });
    }
    let names = handlers.names();
    greet(&mut outbox, &Greeting::Ready { version: VERSION, sandbox, handlers: names })?;

    while let Some((Envelope { handler, request }, files)) = inbox.next_job()? {
        let mut replies = Replies { to: &mut outbox, sent: None };
        match handlers.get(&handler)?.handle_any(&request, files, &mut replies)? {
            None => send_frame(&mut outbox, DONE, &to_frame(&())?)?,
            Some(error) => send_frame(&mut outbox, FAILED, &error)?,
        }
    }
    Ok(())
}

/// Sends the answers to one job.
pub struct Replies<'a> {
    to: &'a mut BufWriter<File>,
    /// When answers were last flushed.
    sent: Option<Instant>,
}

/// Why an answer was not sent.
#[derive(Debug, PartialEq, Eq)]
pub enum NotSent {
    /// It is larger than [`crate::pool::MAX_FRAME`].
    TooLarge,
    /// The parent reads no more answers.
    Stopped,
}

impl Replies<'_> {
    /// `frame` begins with its length and its length when unpacked: see [`crate::pool::Tag`] for `tag`, and
    /// `pool::protocol` for the layout.
    pub fn send(&mut self, tag: Tag, frame: &[u8]) -> Result<(), NotSent> {
        match write_frame(self.to, tag, frame) {
            Ok(()) => self.flush_at_intervals().map_err(|_| NotSent::Stopped),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(NotSent::TooLarge),
            Err(_) => Err(NotSent::Stopped),
        }
    }

    /// For [`crate::pool::open_frame`].
    pub fn send_value<T: Serialize>(&mut self, tag: Tag, value: &T) -> Result<(), NotSent> {
        self.send(tag, &to_frame(value).map_err(|_| NotSent::TooLarge)?)
    }

    /// Waking the parent costs more than packing a page, so quick answers are flushed together and slow ones
    /// at once.
    fn flush_at_intervals(&mut self) -> io::Result<()> {
        const INTERVAL: Duration = Duration::from_millis(10);
        if self.sent.is_some_and(|sent| sent.elapsed() < INTERVAL) {
            return Ok(());
        }
        self.sent = Some(Instant::now());
        self.to.flush()
    }
}

impl fmt::Debug for Replies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replies")
    }
}

/// Standard input, and the files received with it.
#[derive(Debug, Default)]
struct Inbox {
    files: Vec<OwnedFd>,
}

impl Inbox {
    /// `None` when the parent has closed the connection.
    fn next_job(&mut self) -> io::Result<Option<(Envelope, Vec<File>)>> {
        let mut first = [0];
        if self.read(&mut first)? == 0 {
            return Ok(None);
        }
        let envelope = read_message(&mut first.chain(&mut *self))?;
        Ok(Some((envelope, self.files.drain(..).map(File::from).collect())))
    }
}

impl Read for Inbox {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let stdin = rustix::stdio::stdin();
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = recvmsg(stdin, &mut [IoSliceMut::new(bytes)], &mut control, flags)?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                self.files.extend(files);
            }
        }
        Ok(received.bytes)
    }
}

/// Moves standard output to a descriptor that printing does not reach.
fn take_stdout() -> io::Result<OwnedFd> {
    let pipe = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(pipe)
}

fn greet(to: &mut BufWriter<File>, greeting: &Greeting) -> Result<(), WorkerError> {
    send_frame(to, GREETING, &to_frame(greeting)?)
}

fn send_frame(to: &mut BufWriter<File>, tag: Tag, frame: &[u8]) -> Result<(), WorkerError> {
    write_frame(to, tag, frame)?;
    Ok(to.flush()?)
}
