//! The handler of this crate in sandboxed children: it translates jobs and answers into this crate's types.

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

/// Executes the jobs of a child.
pub trait Handler {
    /// Sends its answers to `answers`. An error ends the job.
    fn handle(
        &mut self,
        request: Request,
        files: JobFiles,
        answers: &mut Replies<'_>,
    ) -> Result<(), ReadError>;
}

/// What a child opens before it restricts itself.
pub struct Opened {
    pub handler: Box<dyn Handler>,
    /// Folders that the child may read afterwards, such as fonts.
    pub readable: Vec<PathBuf>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("readable", &self.readable).finish_non_exhaustive()
    }
}

/// Runs a reading child until its end: see [`worker::serve`].
pub fn serve_requests(open: impl FnOnce() -> Result<Opened, ReadError>) -> Result<(), WorkerError> {
    serve_requests_and(open, std::convert::identity)
}

/// Runs a reading child that also has the handlers of other crates, which `add_handlers` adds.
pub fn serve_requests_and(
    open: impl FnOnce() -> Result<Opened, ReadError>,
    add_handlers: impl FnOnce(Handlers) -> Handlers,
) -> Result<(), WorkerError> {
    worker::serve(|| {
        let Opened { handler, readable } = open()?;
        let handlers = add_handlers(Handlers::default().with(READING, Registered(handler)));
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
        let files = JobFiles(roles.into_iter().zip(files).collect());
        let mut send = |tag: Tag, frame: &[u8]| match replies.send(tag, frame) {
            Ok(()) => Ok(()),
            Err(NotSent::TooLarge) => Err(too_large()),
            Err(NotSent::Stopped) => Err(ReadError::Stopped),
        };
        self.0.handle(request, files, &mut Replies(&mut send))
    }
}

/// Sends the answers to one job.
pub struct Replies<'a>(&'a mut Send<'a>);

impl Replies<'_> {
    pub fn picture(&mut self, picture: Picture) -> Result<(), ReadError> {
        self.answer(Answer::Picture(picture))
    }

    pub fn view(&mut self, html: String) -> Result<(), ReadError> {
        self.answer(Answer::View(html.into_bytes()))
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

/// The files of a job.
#[derive(Debug, Default)]
pub struct JobFiles(Vec<(Role, File)>);

impl JobFiles {
    pub fn file(&self, role: Role) -> Option<&File> {
        self.0.iter().find(|(of, _)| *of == role).map(|(_, file)| file)
    }

    /// All files with this role, in order.
    pub fn files(&self, role: Role) -> impl Iterator<Item = &File> {
        self.0.iter().filter(move |(of, _)| *of == role).map(|(_, file)| file)
    }

    /// The bytes of the first file with this role.
    pub fn bytes(&self, role: Role) -> Result<Vec<u8>, ReadError> {
        all_bytes(self.file(role).ok_or(ReadError::Stopped)?)
    }
}

/// Returns an error when the file does not fit into memory.
pub(crate) fn all_bytes(mut file: &File) -> Result<Vec<u8>, ReadError> {
    let unreadable = |error: io::Error| ReadError::damaged(format!("it cannot be read: {error}"));
    // The sandbox forbids `stat`, so the length comes from seeking.
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    let too_large = || ReadError::too_large(format!("{} MiB", length >> 20));
    let length = usize::try_from(length).map_err(|_| too_large())?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| too_large())?;
    file.rewind().map_err(unreadable)?;
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}
