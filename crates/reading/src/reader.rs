//! The interface of this crate: it sends documents to reading children and returns their pages.
//!
//! ```text
//! read ──▶ pages, some of which need OCR
//! recognise ──▶ the same pages, with words on those that needed OCR: see [`crate::recognition`]
//! lay_out ──▶ the same pages with blocks, tables, key-values
//! picture ──▶ one page as a picture
//! view ──▶ the whole document as HTML: see [`crate::formats::view`]
//! ```

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use domain::TenantId;
use pages::Part;
use pages::artifact;
use sandbox::worker::Handlers;
use sandbox::{SandboxPolicy, SandboxReport};

use crate::pool::{
    Answer, Answers, ChildFailure, Document, Job, PackedAnswer, Picture, Pool, PoolSettings,
    ReadFailure, Request, Role, Subject, Tesseract, Work, tesseract_settings,
};
use crate::prepare::Mask;
use crate::recognition::Recognition;
use crate::tools::Tools;

pub use crate::recognition::Recognised;

/// Pages of one OCR job. Each is a picture in memory, and few are enough to keep a child busy.
pub const PAGES_AT_ONCE: usize = 4;

#[derive(Clone, Debug)]
pub struct ReaderSettings {
    /// The binary that children run, as an absolute path.
    pub program: PathBuf,
    /// How many children run at the same time.
    pub children: usize,
    pub tools: Tools,
    /// Whether documents are read when a part of the sandbox is missing.
    pub sandbox: SandboxPolicy,
    /// The languages for tesseract, by its own names.
    pub languages: Vec<String>,
    /// The timeout of one job.
    pub longest_job: Duration,
}

impl ReaderSettings {
    pub const LONGEST_JOB: Duration = Duration::from_mins(2);
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Reader {
    pub(crate) readers: Pool,
    /// None when the models of the second engine are not installed.
    recognisers: Option<Pool>,
    pub(crate) tesseract: Option<Tesseract>,
    pub(crate) languages: Vec<String>,
    pub(crate) children: usize,
    sandbox: SandboxPolicy,
}

/// Which page to draw, and how.
#[derive(Clone, Debug)]
pub struct PictureOf {
    pub page: u32,
    /// In pixels.
    pub width: u32,
    pub masks: Vec<Mask>,
}

/// The arguments that start a child: see the hidden commands of `docket`.
pub const READ: &[&str] = &["read-worker"];
pub const RECOGNISE: &[&str] = &["read-worker", "--ocr"];
pub const RUN: &[&str] = &["read-worker", "--run"];

impl Reader {
    /// Starts no process yet.
    pub fn new(settings: ReaderSettings) -> Self {
        let ReaderSettings { program, children, tools, sandbox, languages, longest_job } = settings;
        let pool = |arguments: &[&str], memory: u64| {
            let mut settings = PoolSettings::new(&program, arguments);
            settings.children = children;
            settings.memory = memory;
            settings.sandbox = sandbox;
            (settings.cpu, settings.wall) = (longest_job, longest_job);
            settings.environment = tools.environment();
            Pool::new(settings)
        };
        let tesseract = tools.tesseract.clone().map(|found| {
            let mut settings = tesseract_settings(&program, RUN);
            settings.at_once = children;
            settings.sandbox = sandbox;
            settings.program = found.program;
            settings.readable.extend(found.readable);
            let libraries = found.libraries.map(|folders| ("LD_LIBRARY_PATH".into(), folders));
            settings.environment.extend(libraries);
            Tesseract::new(settings, found.data)
        });
        Self {
            readers: pool(READ, 1 << 30),
            recognisers: tools.models.is_some().then(|| pool(RECOGNISE, 2 << 30)),
            tesseract,
            languages,
            children: children.max(1),
            sandbox,
        }
    }

    /// Starts a child and returns its sandbox status. The child is kept for the first document.
    pub async fn check_sandbox(&self) -> SandboxReport {
        let status = match self.readers.check_sandbox().await {
            Ok(status) | Err(ReadFailure::Child(ChildFailure::Unprotected { sandbox: status })) => {
                Ok(status)
            }
            Err(failure) => Err(failure.to_string()),
        };
        SandboxReport { policy: self.sandbox, status }
    }

    /// The children that read documents, for jobs of other crates. All jobs share the slots and limits.
    pub fn children(&self) -> sandbox::pool::Pool {
        self.readers.shared()
    }

    /// Whether an OCR engine is installed.
    pub fn has_ocr(&self) -> bool {
        self.tesseract.is_some() || self.recognisers.is_some()
    }

    /// Reads a document; returns its parts as a stream.
    pub async fn read(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
        masks: &[Mask],
    ) -> Result<Parts, ReadFailure> {
        let work = Work::Read { masks: masks.to_vec() };
        self.parts(tenant, job(work, subject).with(Role::Document, document.clone())).await
    }

    /// Returns the parts of an artifact (`pages`) with the layout of their pages.
    pub async fn lay_out(
        &self,
        tenant: TenantId,
        subject: &Subject,
        pages: &Document,
    ) -> Result<Parts, ReadFailure> {
        let job = job(Work::Layout, subject).with(Role::Pages, pages.clone());
        self.parts(tenant, job).await
    }

    async fn parts(&self, tenant: TenantId, job: Job) -> Result<Parts, ReadFailure> {
        Ok(Parts(self.readers.run(tenant, job).await?))
    }

    /// Returns the parts of an artifact (`pages`) with words on the pages that needed OCR. When OCR of a page fails, the
    /// page says so, and the call succeeds.
    pub fn recognise(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
        pages: artifact::Reader<impl Read + Send + 'static>,
    ) -> Recognised {
        let recognition = Recognition {
            reader: self.clone(),
            tenant,
            subject: subject.clone(),
            document: document.clone(),
            losses: Mutex::default(),
        };
        recognition.of(pages)
    }

    /// Whether the second OCR engine is installed.
    pub(crate) fn has_second(&self) -> bool {
        self.recognisers.is_some()
    }

    /// The pool that combines the words of the engines: with the second engine, if it is installed.
    pub(crate) fn recogniser(&self) -> &Pool {
        self.recognisers.as_ref().unwrap_or(&self.readers)
    }

    pub async fn picture(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
        PictureOf { page, width, masks }: PictureOf,
    ) -> Result<Picture, ReadFailure> {
        let job = job(Work::Render { page, width, masks }, subject);
        let job = job.with(Role::Document, document.clone());
        let mut answers = self.readers.run(tenant, job).await?;
        let mut drawn = None;
        while let Some(answer) = answers.next().await? {
            if let Answer::Picture(picture) = answer {
                drawn = Some(picture);
            }
        }
        drawn.ok_or_else(|| garbled("no picture arrived"))
    }

    /// The page view of a document, as HTML.
    pub async fn view(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
    ) -> Result<Vec<u8>, ReadFailure> {
        let job = job(Work::View, subject).with(Role::Document, document.clone());
        let mut answers = self.readers.run(tenant, job).await?;
        let mut rendered = None;
        while let Some(answer) = answers.next().await? {
            if let Answer::View(html) = answer {
                rendered = Some(html);
            }
        }
        rendered.ok_or_else(|| garbled("no page view arrived"))
    }
}

/// The parts of one document. Dropping it before the end stops the reader.
#[derive(Debug)]
pub struct Parts(Answers);

impl Parts {
    /// The next part, still packed, for callers that store parts.
    pub async fn next_packed(&mut self) -> Result<Option<PackedAnswer>, ReadFailure> {
        self.0.next_packed().await
    }

    pub async fn next(&mut self) -> Result<Option<Part>, ReadFailure> {
        match self.0.next().await? {
            None => Ok(None),
            Some(Answer::Part(part)) => Ok(Some(part)),
            Some(Answer::Drawn(_) | Answer::Picture(_) | Answer::View(_)) => {
                Err(garbled("an unexpected picture arrived"))
            }
        }
    }
}

pub(crate) fn job(work: Work, subject: &Subject) -> Job {
    Job::new(Request { work, subject: subject.clone() })
}

pub(crate) fn garbled(error: impl ToString) -> ReadFailure {
    ChildFailure::garbled(error).into()
}

/// Runs a child that was started with [`READ`] or [`RECOGNISE`]. `add_handlers` adds the handlers of other crates, whose
/// jobs [`Reader::children`] takes.
pub fn run_child(
    recogniser: bool,
    add_handlers: impl FnOnce(Handlers) -> Handlers,
) -> Result<(), crate::worker::WorkerError> {
    let models = Tools::find().models;
    crate::handler::serve(models.as_deref().filter(|_| recogniser).map(Path::new), add_handlers)
}
