//! Reading, as everybody but the children sees it: hand a document over, get its pages back.
//!
//! ```text
//! read ──▶ pages, some of which want OCR
//! recognise ──▶ for a few pages at a time: a child draws them, tesseract reads them, a child reads
//!               what tesseract is not sure of, and joins both
//! lay_out ──▶ the same pages with blocks, tables, key-values
//! picture ──▶ a page for people to look at
//! ```

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use domain::TenantId;
use futures_util::future::join_all;

use crate::artifact::{self, write_frame};
use crate::model::{Page, Part, TextSource};
use crate::ocr::tesseract;
use crate::pool::{
    Answer, Answers, Document, Job, Picture, Pool, PoolSettings, ReadFailure, Request, Role,
    Subject, Tesseract, TesseractSettings, Wanted, Work,
};
use crate::prepare::Mask;
use crate::tools::Tools;

/// Pages that are recognised in one go. Each is a picture in memory: few are enough to keep a child busy.
pub const PAGES_AT_ONCE: usize = 4;

#[derive(Clone, Debug)]
pub struct ReaderSettings {
    /// This binary, which children are made of; an absolute path.
    pub program: PathBuf,
    /// How many children work at once.
    pub children: usize,
    pub tools: Tools,
    /// The languages that tesseract is to expect, by its own names.
    pub languages: Vec<String>,
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Reader {
    readers: Pool,
    /// None without the second engine's models.
    recognisers: Option<Pool>,
    tesseract: Option<Tesseract>,
    languages: Vec<String>,
    children: usize,
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
        let ReaderSettings { program, children, tools, languages } = settings;
        let pool = |arguments: &[&str], memory: u64| {
            let mut settings = PoolSettings::new(&program, arguments);
            settings.children = children;
            settings.memory = memory;
            settings.environment = tools.environment();
            Pool::new(settings)
        };
        let tesseract = tools.tesseract.clone().map(|found| {
            let mut settings = TesseractSettings::new(&program, RUN);
            settings.at_once = children;
            settings.readable.extend(found.readable);
            settings.data = found.data;
            settings.libraries = found.libraries;
            settings.program = found.program;
            Tesseract::new(settings)
        });
        Self {
            readers: pool(READ, 1 << 30),
            recognisers: tools.models.is_some().then(|| pool(RECOGNISE, 2 << 30)),
            tesseract,
            languages,
            children: children.max(1),
        }
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

    /// Reads the pictures of pages that want it, and puts the words into them. At most
    /// [`PAGES_AT_ONCE`]. With no engine the pages say so.
    async fn recognise(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
        pages: &mut [&mut Page],
    ) -> Result<(), ReadFailure> {
        if !self.has_ocr() {
            for page in pages {
                page.text = TextSource::Unavailable;
                page.quality = crate::model::Confidence::NONE;
            }
            return Ok(());
        }
        let wanted: Vec<Wanted> = pages
            .iter()
            .map(|page| Wanted {
                number: page.number,
                preparation: page.preparation.clone().unwrap_or_default(),
            })
            .collect();
        let texts = self.first_readings(tenant, subject, document, &wanted).await?;
        let mut handed = Vec::new();
        write_frame(&mut handed, &texts).map_err(garbled)?;
        let words = Document::from_bytes(&handed).map_err(not_handed)?;
        let job = job(Work::Recognise { pages: wanted }, subject)
            .with(Role::Document, document.clone())
            .with(Role::Words, words);
        let pool = self.recognisers.as_ref().unwrap_or(&self.readers);
        let mut answers = pool.run(tenant, job).await?;
        let mut pages = pages.iter_mut();
        while let Some(answer) = answers.next().await? {
            let (Answer::Part(Part::Page(read)), Some(page)) = (answer, pages.next()) else {
                return Err(ReadFailure::Garbled { what: "more pages than were asked for".into() });
            };
            page.text = read.text;
            page.quality = read.quality;
            page.preparation = read.preparation;
            page.words = read.words;
        }
        Ok(())
    }

    /// Copies an artifact, with the pages that want OCR recognised; `seen` is called for every page.
    ///
    /// A few pages at a time: the memory it takes does not grow with the document.
    pub async fn recognise_all(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
        (from, to): (&mut artifact::Reader<impl Read>, &mut artifact::Writer<impl Write>),
        mut seen: impl FnMut(&Page),
    ) -> Result<(), ReadFailure> {
        loop {
            let (mut parts, is_last) = self.next_few(from)?;
            let mut pages: Vec<&mut Page> = parts
                .iter_mut()
                .filter_map(|part| match part {
                    Part::Page(page) if page.text == TextSource::Wanted => Some(page),
                    _ => None,
                })
                .collect();
            let groups = pages.chunks_mut(PAGES_AT_ONCE);
            let work = groups.map(|pages| self.recognise(tenant, subject, document, pages));
            join_all(work).await.into_iter().collect::<Result<Vec<()>, _>>()?;
            for part in parts {
                to.write(&part).map_err(garbled)?;
                if let Part::Page(page) = &part {
                    seen(page);
                }
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// As many parts as all children together can be busy with, and whether they are the last.
    fn next_few(
        &self,
        from: &mut artifact::Reader<impl Read>,
    ) -> Result<(Vec<Part>, bool), ReadFailure> {
        const PARTS: usize = 64;
        let (mut parts, mut wanting) = (Vec::new(), 0);
        while parts.len() < PARTS && wanting < PAGES_AT_ONCE * self.children {
            let Some(part) = from.next_part().map_err(garbled)? else { return Ok((parts, true)) };
            if let Part::Page(page) = &part {
                wanting += usize::from(page.text == TextSource::Wanted);
            }
            parts.push(part);
        }
        Ok((parts, false))
    }

    /// What tesseract makes of each page; nothing where it is not installed.
    async fn first_readings(
        &self,
        tenant: TenantId,
        subject: &Subject,
        document: &Document,
        wanted: &[Wanted],
    ) -> Result<Vec<Option<String>>, ReadFailure> {
        let Some(tesseract) = &self.tesseract else { return Ok(vec![None; wanted.len()]) };
        let work = Work::Show { pages: wanted.to_vec() };
        let job = job(work, subject).with(Role::Document, document.clone());
        let mut answers = self.readers.run(tenant, job).await?;
        let mut readings = Vec::new();
        while let Some(answer) = answers.next().await? {
            let Answer::Picture(picture) = answer else {
                return Err(ReadFailure::Garbled { what: "a picture was asked for".into() });
            };
            readings.push(self.read_picture(tesseract, picture));
        }
        let texts = join_all(readings).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(texts.into_iter().map(Some).collect())
    }

    async fn read_picture(
        &self,
        tesseract: &Tesseract,
        picture: Picture,
    ) -> Result<String, ReadFailure> {
        if picture.bytes.is_empty() {
            return Ok(String::new());
        }
        let picture = Document::from_bytes(&picture.bytes).map_err(not_handed)?;
        let languages: Vec<&str> = self.languages.iter().map(String::as_str).collect();
        tesseract.recognise(&picture, &languages, tesseract::OPTIONS).await
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
        drawn.ok_or_else(|| ReadFailure::Garbled { what: "no picture came".into() })
    }
}

/// The parts of one document. Dropped before its end, it ends the reading.
#[derive(Debug)]
pub struct Parts(Answers);

impl Parts {
    pub async fn next(&mut self) -> Result<Option<Part>, ReadFailure> {
        match self.0.next().await? {
            None => Ok(None),
            Some(Answer::Part(part)) => Ok(Some(part)),
            Some(Answer::Picture(_)) => {
                Err(ReadFailure::Garbled { what: "nobody asked for a picture".into() })
            }
        }
    }
}

fn job(work: Work, subject: &Subject) -> Job {
    Job::new(Request { work, subject: subject.clone() })
}

fn garbled(error: impl ToString) -> ReadFailure {
    ReadFailure::Garbled { what: error.to_string() }
}

fn not_handed(error: std::io::Error) -> ReadFailure {
    ReadFailure::NotStarted { why: error.to_string() }
}

/// The life of a child that was started with [`READ`], [`RECOGNISE`] or [`RUN`].
pub fn be_a_child(recogniser: bool) -> Result<(), crate::worker::WorkerError> {
    let models = Tools::find().models;
    crate::handler::serve(models.as_deref().filter(|_| recogniser).map(Path::new))
}
