//! The handler that this crate has in sandboxed children: jobs of reading, in its own types.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use pages::Part;
use sandbox::pool::Tag;
use sandbox::worker::{self, Handlers, NotSent};

pub use sandbox::worker::WorkerError;

use crate::pool::protocol::{
    Answer, Drawn, Envelope, Picture, READING, Request, Role, Send, send_answer, too_large,
};
use crate::{ReadError, Sink};

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

/// The whole life of a child that reads: see [`worker::serve`].
pub fn serve_requests(open: impl FnOnce() -> Result<Opened, ReadError>) -> Result<(), WorkerError> {
    worker::serve(|| {
        let Opened { handler, readable } = open()?;
        let handlers = Handlers::default().with(READING, Registered(handler));
        Ok::<_, ReadError>(worker::Opened { handlers, readable })
    })
}

struct Registered(Box<dyn Handler>);

impl worker::Handler for Registered {
    type Request = Envelope;
    type Error = ReadError;

    fn handle(
        &mut self,
        Envelope { request, roles }: Envelope,
        files: Vec<File>,
        replies: &mut worker::Replies<'_>,
    ) -> Result<(), ReadError> {
        let handed = Handed(roles.into_iter().zip(files).collect());
        let mut send = |tag: Tag, frame: &[u8]| match replies.send(tag, frame) {
            Ok(()) => Ok(()),
            Err(NotSent::TooLarge) => Err(too_large()),
            Err(NotSent::Stopped) => Err(ReadError::Stopped),
        };
        self.0.handle(request, handed, &mut Replies(&mut send))
    }
}

/// Takes the answers to one job.
pub struct Replies<'a>(&'a mut Send<'a>);

impl Replies<'_> {
    pub fn picture(&mut self, picture: Picture) -> Result<(), ReadError> {
        self.answer(Answer::Picture(picture))
    }

    pub fn drawn(&mut self, drawn: Drawn) -> Result<(), ReadError> {
        self.answer(Answer::Drawn(drawn))
    }

    fn answer(&mut self, answer: Answer) -> Result<(), ReadError> {
        send_answer(answer, self.0)
    }
}

impl fmt::Debug for Replies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replies")
    }
}

impl Sink for Replies<'_> {
    fn take(&mut self, part: Part) -> Result<(), ReadError> {
        self.answer(Answer::Part(part))
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
