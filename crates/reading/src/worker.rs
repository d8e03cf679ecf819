//! The child's side: take a job, answer it, take the next.
//!
//! Requests come in on standard input, which is a socket, since files ride along with them. Answers go
//! out on what was standard output; a library that prints there writes to the error output instead and
//! cannot spoil an answer.
//!
//! A panic ends the child on purpose: the parent sees a crash, and nothing of a state that nobody
//! understands reaches the next document.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use thiserror::Error;

use crate::artifact::{self, ArtifactError};
use crate::model::Part;
use crate::pool::protocol::{
    Answer, Drawn, Envelope, Frame, Greeting, MAX_HANDED, Picture, Request, Role, Terms, VERSION,
    write_answer, write_message,
};
use crate::sandbox::limits::ResourceLimits;
use crate::sandbox::{SandboxError, close_inherited, end_with_parent, lock_down};
use crate::{ReadError, Sink};

#[derive(Debug, Error)]
pub enum WorkerError {
    #[error("this command is started by Docket itself, never by hand")]
    NotAChild(#[source] ArtifactError),
    #[error("the reader's sandbox cannot be set up")]
    Sandbox(#[from] SandboxError),
    #[error("the parent cannot be reached")]
    Io(#[from] io::Error),
    #[error("the conversation with the parent broke off")]
    Conversation(#[from] ArtifactError),
}

/// Does the jobs.
pub trait Handler {
    /// Gives its answers to `answers`; an error is the last of them.
    fn handle(
        &mut self,
        request: Request,
        handed: Handed,
        answers: &mut Replies<'_>,
    ) -> Result<(), ReadError>;
}

/// What a child has opened before it locks itself down.
pub struct Opened {
    pub handler: Box<dyn Handler>,
    /// Folders that may be read from later on: fonts.
    pub readable: Vec<PathBuf>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("readable", &self.readable).finish_non_exhaustive()
    }
}

/// The whole life of a reading child. `open` loads libraries and models, before the lock-down and under
/// the limits already; it must leave no thread running.
///
/// Returns when the parent has no more jobs.
pub fn serve_requests(open: impl FnOnce() -> Result<Opened, ReadError>) -> Result<(), WorkerError> {
    close_inherited().map_err(SandboxError::Descriptors)?;
    let mut inbox = Inbox::default();
    let mut outbox = BufWriter::with_capacity(64 << 10, File::from(taken_stdout()?));
    let terms: Terms = artifact::read_frame(&mut inbox).map_err(WorkerError::NotAChild)?;
    end_with_parent(terms.parent)?;
    let cpu = Duration::from_secs(terms.cpu_seconds);
    ResourceLimits { memory: terms.memory, cpu }.set().map_err(SandboxError::Limit)?;

    let Opened { mut handler, readable } = match open() {
        Ok(opened) => opened,
        Err(error) => {
            tell(&mut outbox, &Greeting::NotReady { why: error.to_string() })?;
            return Ok(());
        }
    };
    let sandbox = lock_down(terms.parent, &readable)?;
    if !terms.sandbox.admits(sandbox) {
        return tell(&mut outbox, &Greeting::Unprotected { sandbox });
    }
    tell(&mut outbox, &Greeting::Ready { version: VERSION, sandbox })?;

    while let Some((request, handed)) = inbox.next_job()? {
        let mut replies = Replies { to: &mut outbox, sent: None };
        let last = match handler.handle(request, handed, &mut replies) {
            Ok(()) => Frame::Done,
            Err(error) => Frame::Failed(error),
        };
        tell(&mut outbox, &last)?;
    }
    Ok(())
}

/// Takes the answers to one job.
pub struct Replies<'a> {
    to: &'a mut BufWriter<File>,
    /// When answers last went out.
    sent: Option<Instant>,
}

impl Replies<'_> {
    pub fn picture(&mut self, picture: Picture) -> Result<(), ReadError> {
        self.answer(Answer::Picture(picture))
    }

    pub fn drawn(&mut self, drawn: Drawn) -> Result<(), ReadError> {
        self.answer(Answer::Drawn(drawn))
    }

    fn answer(&mut self, answer: Answer) -> Result<(), ReadError> {
        match write_answer(self.to, answer) {
            Ok(()) => self.send_now_and_then(),
            Err(ArtifactError::TooLarge) => Err(ReadError::too_large("one of its pages")),
            Err(_) => Err(ReadError::Stopped),
        }
    }

    /// Waking the parent costs more than packing a page does, so quick answers go out together; whoever waits
    /// for slow ones gets each at once.
    fn send_now_and_then(&mut self) -> Result<(), ReadError> {
        const TOGETHER: Duration = Duration::from_millis(10);
        if self.sent.is_some_and(|sent| sent.elapsed() < TOGETHER) {
            return Ok(());
        }
        self.sent = Some(Instant::now());
        self.to.flush().map_err(|_| ReadError::Stopped)
    }
}

impl Sink for Replies<'_> {
    fn take(&mut self, part: Part) -> Result<(), ReadError> {
        self.answer(Answer::Part(part))
    }
}

impl fmt::Debug for Replies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replies")
    }
}

/// The files that came with a job.
#[derive(Debug, Default)]
pub struct Handed(Vec<(Role, File)>);

impl Handed {
    pub fn file(&self, role: Role) -> Option<&File> {
        self.0.iter().find(|(of, _)| *of == role).map(|(_, file)| file)
    }

    /// All files of a role, in their order.
    pub fn files(&self, role: Role) -> impl Iterator<Item = &File> {
        self.0.iter().filter(move |(of, _)| *of == role).map(|(_, file)| file)
    }

    /// All bytes of the first file of a role.
    pub fn bytes(&self, role: Role) -> Result<Vec<u8>, ReadError> {
        all_bytes(self.file(role).ok_or(ReadError::Stopped)?)
    }
}

/// One that does not fit into memory is refused, not tried.
pub(crate) fn all_bytes(mut file: &File) -> Result<Vec<u8>, ReadError> {
    let unreadable = |error: io::Error| ReadError::damaged(format!("it cannot be read: {error}"));
    // Not from its metadata: where a child may use no path, it may not ask for those either.
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let too_large = || ReadError::too_large(format!("{} MiB", length >> 20));
    let length = usize::try_from(length).map_err(|_| too_large())?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| too_large())?;
    file.rewind().map_err(unreadable)?;
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Standard input, and the files that came along.
#[derive(Debug, Default)]
struct Inbox {
    files: Vec<OwnedFd>,
}

impl Inbox {
    /// None when the parent has hung up.
    fn next_job(&mut self) -> Result<Option<(Request, Handed)>, WorkerError> {
        let mut first = [0];
        if self.read(&mut first)? == 0 {
            return Ok(None);
        }
        let envelope: Envelope = artifact::read_frame(&mut first.chain(&mut *self))?;
        let files = self.files.drain(..).map(File::from);
        let handed = envelope.handed.into_iter().zip(files).collect();
        Ok(Some((envelope.request, Handed(handed))))
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

fn tell<T: serde::Serialize>(to: &mut BufWriter<File>, message: &T) -> Result<(), WorkerError> {
    write_message(to, message)?;
    Ok(to.flush()?)
}
