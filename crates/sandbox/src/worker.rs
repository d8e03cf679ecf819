//! The child's side: take a job, have its handler answer it, take the next.
//!
//! Requests come in on standard input, which is a socket, since files ride along with them. Answers go
//! out on what was standard output; a library that prints there writes to the error output instead and
//! cannot spoil an answer.
//!
//! A panic ends the child on purpose: the parent sees a crash, and nothing of a state that nobody
//! understands reaches the next document.

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
    DONE, Envelope, FAILED, GREETING, Greeting, HandlerName, MAX_HANDED, Tag, Terms, VERSION,
    framed, read_message, write_frame,
};
use crate::{SandboxError, close_inherited, end_with_parent, lock_down};

#[derive(Debug, Error)]
pub enum WorkerError {
    #[error("this command is started by Docket itself, never by hand")]
    NotAChild(#[source] io::Error),
    #[error("the sandbox cannot be set up")]
    Sandbox(#[from] SandboxError),
    #[error("the conversation with the parent broke off")]
    Io(#[from] io::Error),
    #[error("a request makes no sense to its handler")]
    Request(#[from] postcard::Error),
    #[error("there is no handler `{0}`")]
    NoHandler(String),
}

/// Does the jobs of one kind.
pub trait Handler {
    type Request: DeserializeOwned;
    /// Why a job cannot be done; the last answer.
    type Error: Serialize;

    /// `files` are those of the job, in their order. Answers go to `replies`.
    fn handle(
        &mut self,
        request: Self::Request,
        files: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<(), Self::Error>;
}

/// The handlers that a child has. Each crate whose work is done in children brings its own.
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

    fn get(&mut self, wanted: &str) -> Result<&mut dyn AnyHandler, WorkerError> {
        let found = self.0.iter_mut().find(|(name, _)| name.name == wanted);
        let (_, handler) = found.ok_or_else(|| WorkerError::NoHandler(wanted.to_owned()))?;
        Ok(handler.as_mut())
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// A handler whose types only it knows.
trait AnyHandler {
    /// `Ok(Some)` is the handler's error, as a frame.
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
            Err(error) => Ok(Some(framed(&error)?)),
        }
    }
}

/// What a child has opened before it locks itself down.
#[derive(Debug)]
pub struct Opened {
    pub handlers: Handlers,
    /// Folders that may be read from later on: fonts.
    pub readable: Vec<PathBuf>,
}

/// The whole life of a child. `open` loads libraries and models, before the lock-down and under the limits
/// already; it must leave no thread running. Its error is what the parent is told.
///
/// Returns when the parent has no more jobs.
pub fn serve<E: fmt::Display>(open: impl FnOnce() -> Result<Opened, E>) -> Result<(), WorkerError> {
    close_inherited().map_err(SandboxError::Descriptors)?;
    let mut inbox = Inbox::default();
    let mut outbox = BufWriter::with_capacity(64 << 10, File::from(taken_stdout()?));
    let terms: Terms = read_message(&mut inbox).map_err(WorkerError::NotAChild)?;
    end_with_parent(terms.parent)?;
    let cpu = Duration::from_secs(terms.cpu_seconds);
    ResourceLimits { memory: terms.memory, cpu }.set().map_err(SandboxError::Limit)?;

    let Opened { mut handlers, readable } = match open() {
        Ok(opened) => opened,
        Err(error) => {
            return greet(&mut outbox, &Greeting::NotReady { why: error.to_string() });
        }
    };
    let sandbox = lock_down(terms.parent, &readable)?;
    if !terms.sandbox.admits(sandbox) {
        return greet(&mut outbox, &Greeting::Unprotected { sandbox });
    }
    let handlers_known = handlers.names();
    greet(&mut outbox, &Greeting::Ready { version: VERSION, sandbox, handlers: handlers_known })?;

    while let Some((Envelope { handler, request }, files)) = inbox.next_job()? {
        let mut replies = Replies { to: &mut outbox, sent: None };
        match handlers.get(&handler)?.handle_any(&request, files, &mut replies)? {
            None => tell(&mut outbox, DONE, &framed(&())?)?,
            Some(error) => tell(&mut outbox, FAILED, &error)?,
        }
    }
    Ok(())
}

/// Takes the answers to one job.
pub struct Replies<'a> {
    to: &'a mut BufWriter<File>,
    /// When answers last went out.
    sent: Option<Instant>,
}

/// Why an answer did not go out.
#[derive(Debug, PartialEq, Eq)]
pub enum NotSent {
    /// It is larger than [`crate::pool::MAX_FRAME`].
    TooLarge,
    /// Nobody takes answers any more.
    Stopped,
}

impl Replies<'_> {
    /// `frame` begins with its length and its length when unpacked: see [`crate::pool::Tag`] for `tag`, and
    /// `pool::protocol` for the layout.
    pub fn send(&mut self, tag: Tag, frame: &[u8]) -> Result<(), NotSent> {
        match write_frame(self.to, tag, frame) {
            Ok(()) => self.send_now_and_then().map_err(|_| NotSent::Stopped),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(NotSent::TooLarge),
            Err(_) => Err(NotSent::Stopped),
        }
    }

    /// Waking the parent costs more than packing a page does, so quick answers go out together; whoever waits
    /// for slow ones gets each at once.
    fn send_now_and_then(&mut self) -> io::Result<()> {
        const TOGETHER: Duration = Duration::from_millis(10);
        if self.sent.is_some_and(|sent| sent.elapsed() < TOGETHER) {
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

/// Standard input, and the files that came along.
#[derive(Debug, Default)]
struct Inbox {
    files: Vec<OwnedFd>,
}

impl Inbox {
    /// None when the parent has hung up.
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
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_HANDED))];
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

/// The pipe to the parent, which from now on nobody reaches by printing.
fn taken_stdout() -> io::Result<OwnedFd> {
    let pipe = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(pipe)
}

fn greet(to: &mut BufWriter<File>, greeting: &Greeting) -> Result<(), WorkerError> {
    tell(to, GREETING, &framed(greeting)?)
}

fn tell(to: &mut BufWriter<File>, tag: Tag, frame: &[u8]) -> Result<(), WorkerError> {
    write_frame(to, tag, frame)?;
    Ok(to.flush()?)
}
