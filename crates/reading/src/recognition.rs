//! OCR of one document, in groups of pages. A failure affects only its page.
//!
//! ```text
//! pages that need OCR ── a reader draws each once ─▶ pictures ── tesseract ─▶ words ─┐
//!                                                        └──── a recogniser ◀────────┘ joins both
//! ```
//!
//! Pages are read in *groups*, because reading several pages in one child is cheaper. When a child crashes, hangs or
//! exceeds a limit, the page that caused it is unknown, so the pages of the group are read again one by one, each in
//! its own job. A page that fails alone is *lost*: it keeps the words of its text layer, if any, and records the failure.
//!
//! Lost pages take time, so after several in a row, or several minutes in total, the rest of the document is skipped. An
//! engine that keeps failing on pages that the other engine reads is not used any more.

mod losses;

use std::fmt;
use std::io::Read;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{FailureClass, TenantId};
use futures_util::future::join_all;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use pages::artifact::{self, write_frame};
use pages::{Confidence, Page, Part, TextSource};
use tokio::time::Instant;

use crate::ReadError;
use crate::pool::{
    Answer, ChildFailure, Document, Drawn, Job, OcrPage, Picture, Pool, ReadFailure, Ready, Role,
    Subject, Tesseract, Work,
};
use crate::reader::{PAGES_AT_ONCE, Reader, garbled, job};
use losses::{EnginesLost, Remarks};

pub(crate) use losses::Losses;

/// The limit of parts in one group.
const PARTS: usize = 16;

/// The parts of a document, with words on the pages that needed OCR. Dropping it before the end stops OCR.
pub struct Recognised {
    parts: Pin<Box<dyn Stream<Item = Result<Part, ReadFailure>> + Send>>,
    of: Arc<Recognition>,
}

impl Recognised {
    pub async fn next(&mut self) -> Result<Option<Part>, ReadFailure> {
        self.parts.try_next().await
    }

    /// The error of the file, when it is the only reason why pages failed: a retry would fail on the same pages.
    pub fn fault_of_the_file(&self) -> Option<ReadError> {
        self.of.losses().fault_of_the_file().cloned()
    }
}

impl fmt::Debug for Recognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recognised")
    }
}

/// OCR of one document.
pub(crate) struct Recognition {
    pub(crate) reader: Reader,
    pub(crate) tenant: TenantId,
    pub(crate) subject: Subject,
    pub(crate) document: Document,
    pub(crate) losses: Mutex<Losses>,
}

/// A page with its picture, and the words of the first engine.
struct DrawnPage {
    ready: Ready,
    picture: Document,
    /// None when the engine is not installed or failed.
    text: Option<String>,
    /// The error of the engine.
    trouble: Option<String>,
}

/// The result of drawing a page.
enum DrawResult {
    Drawn(DrawnPage),
    /// The page is finished: it is blank or cannot be drawn.
    Finished(Drawn),
}

impl Recognition {
    /// Processes as many groups at a time as there are children, so the memory does not grow with the document.
    pub(crate) fn of(self, mut pages: artifact::Reader<impl Read + Send + 'static>) -> Recognised {
        let (children, this) = (self.reader.children, Arc::new(self));
        let of = Arc::clone(&this);
        let groups = std::iter::from_fn(move || next_group(&mut pages));
        let recognised = stream::iter(groups).map(move |group| {
            let this = Arc::clone(&this);
            async move { this.recognise_parts(group?).await }
        });
        let mut remarks = Remarks::default();
        let parts = recognised
            .buffered(children)
            .map_ok(|parts| stream::iter(parts.into_iter().map(Ok)))
            .try_flatten()
            .map_ok(move |part| remarks.add_to(part));
        Recognised { parts: Box::pin(parts), of }
    }

    async fn recognise_parts(&self, mut parts: Vec<Part>) -> Result<Vec<Part>, ReadFailure> {
        let mut pages: Vec<&mut Page> = parts.iter_mut().filter_map(wanting).collect();
        if !pages.is_empty() {
            self.recognise(&mut pages).await?;
        }
        Ok(parts)
    }

    /// Adds words to pages that need OCR. Without an engine, the pages say so.
    async fn recognise(&self, pages: &mut [&mut Page]) -> Result<(), ReadFailure> {
        if !self.reader.has_ocr() {
            for page in pages {
                page.text = TextSource::Unavailable;
                page.quality = Confidence::NONE;
            }
            return Ok(());
        }
        if self.losses().abandoned().is_none() {
            match self.read_group(pages).await {
                Err(failure) if is_about_a_page(&failure) => {}
                done => return done,
            }
        }
        for page in pages {
            self.read_alone(page).await?;
        }
        Ok(())
    }

    async fn read_group(&self, pages: &mut [&mut Page]) -> Result<(), ReadFailure> {
        let looks = self.draw_pages(pages).await?;
        let (mut shown, mut open) = (Vec::new(), Vec::new());
        for (page, look) in pages.iter_mut().zip(looks) {
            match look {
                DrawResult::Finished(drawn) => self.settle(page, drawn),
                DrawResult::Drawn(one) => {
                    shown.push(one);
                    open.push(&mut **page);
                }
            }
        }
        self.join(&mut open, &shown, self.joiner()).await?;
        for one in &shown {
            self.losses().page_read(EnginesLost { first: one.trouble.is_some(), second: false });
        }
        Ok(())
    }

    /// Reads one page, or records the failure on it.
    async fn read_alone(&self, page: &mut Page) -> Result<(), ReadFailure> {
        if page.text != TextSource::Wanted {
            return Ok(());
        }
        let abandoned = self.losses().abandoned().map(str::to_owned);
        if let Some(why) = abandoned {
            page.mark_ocr_failed(why);
            return Ok(());
        }
        let begun = Instant::now();
        match self.read_with_what_works(page).await {
            Ok(lost) => self.losses().page_read(lost),
            Err(failure) if is_about_a_page(&failure) => {
                self.losses().page_lost(&failure, begun.elapsed());
                page.mark_ocr_failed(failure);
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    /// When the second engine fails, the words of the first engine are kept.
    async fn read_with_what_works(&self, page: &mut Page) -> Result<EnginesLost, ReadFailure> {
        let shown = match self.draw_pages(&[&mut *page]).await?.pop() {
            Some(DrawResult::Drawn(shown)) => shown,
            Some(DrawResult::Finished(drawn)) => {
                self.settle(page, drawn);
                return Ok(EnginesLost::default());
            }
            None => return Err(garbled("a page is missing")),
        };
        let lost = EnginesLost { first: shown.trouble.is_some(), second: false };
        let has_words = shown.text.is_some();
        let shown = [shown];
        match self.join(&mut [&mut *page], &shown, self.joiner()).await {
            Err(failure) if is_about_a_page(&failure) && has_words => {
                self.join(&mut [&mut *page], &shown, &self.reader.readers).await?;
                page.trouble = Some(format!("the second OCR engine failed here: {failure}"));
                Ok(EnginesLost { second: true, ..lost })
            }
            done => done.map(|()| lost),
        }
    }

    /// Draws pages and reads them with the first engine, if it is installed.
    async fn draw_pages(&self, pages: &[&mut Page]) -> Result<Vec<DrawResult>, ReadFailure> {
        let wanted = pages.iter().map(|page| OcrPage {
            number: page.number,
            masked: page.preparation.as_ref().map_or_else(Vec::new, |made| made.masked.clone()),
        });
        let job = job(Work::Show { pages: wanted.collect() }, &self.subject)
            .with(Role::Document, self.document.clone());
        let mut answers = self.reader.readers.run(self.tenant, job).await?;
        let mut looks = Vec::new();
        while let Some(answer) = answers.next().await? {
            let Answer::Drawn(drawn) = answer else {
                return Err(garbled("a page is out of place"));
            };
            looks.push(match drawn {
                Drawn::Ready(ready) => {
                    let plain = picture(answers.next().await?)?;
                    let cleaned = if ready.preparation.denoise {
                        Some(picture(answers.next().await?)?)
                    } else {
                        None
                    };
                    self.first_reading(ready, plain, cleaned)
                }
                settled => Box::pin(async { Ok(DrawResult::Finished(settled)) }) as DrawFuture<'_>,
            });
        }
        if looks.len() != pages.len() {
            return Err(garbled("not as many pages as were asked for"));
        }
        join_all(looks).await.into_iter().collect()
    }

    fn first_reading(
        &self,
        ready: Ready,
        picture: Document,
        cleaned: Option<Document>,
    ) -> DrawFuture<'_> {
        Box::pin(async move {
            let seen = cleaned.as_ref().unwrap_or(&picture);
            let (text, trouble) = match self.first_engine() {
                None => (None, None),
                Some(tesseract) => match self.read_by(tesseract, seen).await {
                    Ok(text) => (Some(text), None),
                    // The second engine then reads the whole page.
                    Err(failure) if is_about_a_page(&failure) && self.has_second() => {
                        (None, Some(format!("the first OCR engine failed here: {failure}")))
                    }
                    Err(failure) => return Err(failure),
                },
            };
            Ok(DrawResult::Drawn(DrawnPage { ready, picture, text, trouble }))
        })
    }

    /// None when it failed too often and the other engine is available.
    fn first_engine(&self) -> Option<&Tesseract> {
        let is_wanted = self.losses().trusts_first_engine() || !self.has_second();
        self.reader.tesseract.as_ref().filter(|_| is_wanted)
    }

    /// The pool that combines the words of the engines.
    fn joiner(&self) -> &Pool {
        if self.has_second() { self.reader.recogniser() } else { &self.reader.readers }
    }

    /// Whether the second engine is installed and has not failed too often.
    fn has_second(&self) -> bool {
        self.reader.has_second() && self.losses().trusts_second_engine()
    }

    async fn read_by(
        &self,
        tesseract: &Tesseract,
        picture: &Document,
    ) -> Result<String, ReadFailure> {
        let languages: Vec<&str> = self.reader.languages.iter().map(String::as_str).collect();
        tesseract.recognise(picture, &languages, crate::ocr::tesseract::OPTIONS).await
    }

    /// Reads uncertain words with the second engine in a child of this pool, and adds the words to the pages.
    async fn join(
        &self,
        pages: &mut [&mut Page],
        shown: &[DrawnPage],
        by: &Pool,
    ) -> Result<(), ReadFailure> {
        if shown.is_empty() {
            return Ok(());
        }
        let texts: Vec<Option<&str>> = shown.iter().map(|one| one.text.as_deref()).collect();
        let mut words = Vec::new();
        write_frame(&mut words, &texts).map_err(garbled)?;
        let words = Document::from_bytes(&words).map_err(not_handed)?;
        let ready = shown.iter().map(|one| one.ready.clone()).collect();
        let job = job(Work::Recognise { pages: ready }, &self.subject).with(Role::Words, words);
        let with_picture = |job: Job, one: &DrawnPage| job.with(Role::Picture, one.picture.clone());
        let mut answers = by.run(self.tenant, shown.iter().fold(job, with_picture)).await?;
        let mut read = Vec::new();
        while let Some(answer) = answers.next().await? {
            let Answer::Part(Part::Page(page)) = answer else {
                return Err(garbled("a page is out of place"));
            };
            read.push(page);
        }
        if read.len() != pages.len() {
            return Err(garbled("not as many pages as were asked for"));
        }
        for ((page, read), shown) in pages.iter_mut().zip(read).zip(shown) {
            (page.text, page.quality, page.words) = (read.text, read.quality, read.words);
            page.preparation = read.preparation;
            page.trouble.clone_from(&shown.trouble);
        }
        Ok(())
    }

    /// Fills in the results that need no OCR.
    fn settle(&self, page: &mut Page, drawn: Drawn) {
        match drawn {
            Drawn::Blank(preparation) => {
                (page.text, page.quality) = (TextSource::Blank, Confidence::CERTAIN);
                page.words.clear();
                page.preparation = Some(preparation);
            }
            Drawn::Failed(error) => {
                page.mark_ocr_failed(format!("it cannot be drawn: {error}"));
                self.losses().page_refused(error);
            }
            Drawn::Ready(_) => {}
        }
    }

    /// No code under the lock can panic.
    fn losses(&self) -> MutexGuard<'_, Losses> {
        self.losses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

type DrawFuture<'a> = Pin<Box<dyn Future<Output = Result<DrawResult, ReadFailure>> + Send + 'a>>;

/// Whether the failure belongs to the page. Missing programs and children that do not start affect every page.
fn is_about_a_page(failure: &ReadFailure) -> bool {
    !matches!(failure.class(), FailureClass::Retry | FailureClass::Unavailable(_))
}

fn wanting(part: &mut Part) -> Option<&mut Page> {
    match part {
        Part::Page(page) if page.text == TextSource::Wanted => Some(page),
        _ => None,
    }
}

/// The next parts, with up to one group of pages that need OCR; none after the last part.
fn next_group(from: &mut artifact::Reader<impl Read>) -> Option<Result<Vec<Part>, ReadFailure>> {
    let (mut parts, mut wanted) = (Vec::new(), 0);
    while parts.len() < PARTS && wanted < PAGES_AT_ONCE {
        match from.next_part() {
            Ok(Some(mut part)) => {
                wanted += usize::from(wanting(&mut part).is_some());
                parts.push(part);
            }
            Ok(None) => break,
            Err(error) => return Some(Err(garbled(error))),
        }
    }
    (!parts.is_empty()).then_some(Ok(parts))
}

fn picture(answer: Option<Answer>) -> Result<Document, ReadFailure> {
    match answer {
        Some(Answer::Picture(Picture { bytes, .. })) => {
            Document::from_bytes(&bytes).map_err(not_handed)
        }
        _ => Err(garbled("a picture is missing")),
    }
}

fn not_handed(error: std::io::Error) -> ReadFailure {
    ChildFailure::NotStarted { why: error.to_string() }.into()
}
