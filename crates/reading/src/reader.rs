//! Reading, as everybody but the children sees it: hand a document over, get its pages back.
//!
//! ```text
//! read ──▶ pages, some of which want OCR
//! recognise ──▶ the same pages, those that want OCR with words: see [`crate::recognition`]
//! lay_out ──▶ the same pages with blocks, tables, key-values
//! picture ──▶ a page for people to look at
//! ```

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use domain::TenantId;
use pages::Part;
use pages::artifact;
use sandbox::{SandboxPolicy, SandboxReport};

use crate::pool::{
    Answer, Answers, ChildFailure, Document, Job, PackedAnswer, Picture, Pool, PoolSettings,
    ReadFailure, Request, Role, Subject, Tesseract, Work, tesseract_settings,
};
use crate::prepare::Mask;
use crate::recognition::Recognition;
use crate::tools::Tools;

pub use crate::recognition::Recognised;

/// Pages that are recognised in one go. Each is a picture in memory: few are enough to keep a child busy.
pub const PAGES_AT_ONCE: usize = 4;

#[derive(Clone, Debug)]
pub struct ReaderSettings {
    /// This binary, which children are made of; an absolute path.
    pub program: PathBuf,
    /// How many children work at once.
    pub children: usize,
    pub tools: Tools,
    /// Whether documents are read where a lock of the sandbox is missing.
    pub sandbox: SandboxPolicy,
    /// The languages that tesseract is to expect, by its own names.
    pub languages: Vec<String>,
    /// How long one job may keep a child busy.
    pub longest_job: Duration,
}

impl ReaderSettings {
    pub const LONGEST_JOB: Duration = Duration::from_mins(2);
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Reader {
    pub(crate) readers: Pool,
    /// None without the second engine's models.
    recognisers: Option<Pool>,
    pub(crate) tesseract: Option<Tesseract>,
    pub(crate) languages: Vec<String>,
    pub(crate) children: usize,
    sandbox: SandboxPolicy,
}

/// A picture that people want to look at.
#[derive(Clone, Debug)]
pub struct PictureOf {
    pub page: u32,
    /// In pixels.
    pub width: u32,
    pub masks: Vec<Mask>,
}

/// The arguments that make the binary a child: see `docket`'s hidden commands.
pub const READ: &[&str] = &["read-worker"];
pub const RECOGNISE: &[&str] = &["read-worker", "--ocr"];
pub const RUN: &[&str] = &["read-worker", "--run"];

impl Reader {
    /// Starts nothing yet.
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

    /// Has a child say what it enforces on itself. It is kept for the first document.
    pub async fn check_sandbox(&self) -> SandboxReport {
        let status = match self.readers.check_sandbox().await {
            Ok(status) | Err(ReadFailure::Child(ChildFailure::Unprotected { sandbox: status })) => {
                Ok(status)
            }
            Err(failure) => Err(failure.to_string()),
        };
        SandboxReport { policy: self.sandbox, status }
    }

    /// Whether there is any engine for pictures of text.
    pub fn has_ocr(&self) -> bool {
        self.tesseract.is_some() || self.recognisers.is_some()
    }

    /// The document's parts, as they come.
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

    /// The parts of an artifact (`pages`) with their pages laid out.
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

    /// The parts of an artifact (`pages`), those pages that want OCR with words. A page that OCR fails on
    /// says so, and is no failure here.
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

    /// Whether there is the engine that reads what tesseract is not sure of.
    pub(crate) fn has_second(&self) -> bool {
        self.recognisers.is_some()
    }

    /// Who joins what engines read: a child with the second engine, if there is one.
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
        drawn.ok_or_else(|| garbled("no picture came"))
    }
}

/// The parts of one document. Dropped before its end, it ends the reading.
#[derive(Debug)]
pub struct Parts(Answers);

impl Parts {
    /// The next part as the child packed it, for whoever stores parts and opens few.
    pub async fn next_packed(&mut self) -> Result<Option<PackedAnswer>, ReadFailure> {
        self.0.next_packed().await
    }

    pub async fn next(&mut self) -> Result<Option<Part>, ReadFailure> {
        match self.0.next().await? {
            None => Ok(None),
            Some(Answer::Part(part)) => Ok(Some(part)),
            Some(Answer::Drawn(_) | Answer::Picture(_)) => {
                Err(garbled("nobody asked for a picture"))
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

/// The life of a child that was started with [`READ`], [`RECOGNISE`] or [`RUN`].
pub fn be_a_child(recogniser: bool) -> Result<(), crate::worker::WorkerError> {
    let models = Tools::find().models;
    crate::handler::serve(models.as_deref().filter(|_| recogniser).map(Path::new))
}
