//! Executes jobs in a reading child.
//!
//! There are two kinds of children: *readers* read, lay out and draw; *recognisers* also hold the models of the second
//! OCR engine, which take memory that readers do not need.

use std::path::{Path, PathBuf};

use domain::FileKind;
use image::{DynamicImage, GrayImage, ImageFormat};
use pages::artifact::{self, Reader};
use pages::{Page, Part, Preparation, Rotation, Size, TextSource, Word};
use sandbox::worker::Handlers;

use crate::formats::picture::Picture as Pictures;
use crate::formats::{pdf, picture, read_flow, view};
use crate::layout::Layout;
use crate::ocr::pp::{ModelFiles, PpOcr};
use crate::ocr::{Effort, Sheet, find_upright, is_suspicious, tesseract};
use crate::pool::{Drawn, OcrPage, Picture, PictureFormat, Ready, Request, Role, Subject, Work};
use crate::prepare::{self, Mask, masks_on, remove_masked_words};
use crate::render::{Colours, Renderer, Scale};
use crate::worker::{
    Handler, JobFiles, Opened, Replies, WorkerError, all_bytes, serve_requests_and,
};
use crate::{Limits, ReadError, Sink, Source, language, pdfium};

/// The resolution of pages that are drawn for OCR.
const DOTS_PER_INCH: f32 = 300.0;
/// The longest side of a page that is drawn for OCR, in pixels. More pixels do not improve OCR.
const LONGEST_SIDE: f32 = 5_000.0;
/// Where pdfium finds fonts that are not embedded in a file.
const FONTS: [&str; 3] = ["/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/X11/fonts"];

/// Runs a reading child until its end; with `models` it is a recogniser. `add_handlers` adds the handlers of other crates.
pub fn serve(
    models: Option<&Path>,
    add_handlers: impl FnOnce(Handlers) -> Handlers,
) -> Result<(), WorkerError> {
    let open = || {
        // A missing library is reported when a document needs it.
        pdfium::open().ok();
        let second = models.and_then(|folder| ModelFiles::read(folder).ok());
        let fonts = FONTS.iter().map(PathBuf::from).filter(|folder| folder.is_dir());
        let second = second.map_or(SecondEngine::Missing, SecondEngine::Unloaded);
        Ok(Opened { handler: Box::new(Child { second }), readable: fonts.collect() })
    };
    serve_requests_and(open, add_handlers)
}

#[derive(Debug)]
struct Child {
    second: SecondEngine,
}

/// The second engine, loaded when it is first needed.
#[derive(Debug)]
enum SecondEngine {
    Missing,
    Unloaded(ModelFiles),
    Ready(Box<PpOcr>),
}

impl SecondEngine {
    fn get(&mut self) -> Result<Option<&PpOcr>, ReadError> {
        if let Self::Unloaded(files) = self {
            *self = Self::Ready(Box::new(files.clone().load(1)?));
        }
        Ok(match self {
            Self::Ready(engine) => Some(&**engine),
            Self::Missing | Self::Unloaded(_) => None,
        })
    }
}

impl Handler for Child {
    fn handle(
        &mut self,
        request: Request,
        files: JobFiles,
        answers: &mut Replies<'_>,
    ) -> Result<(), ReadError> {
        let Request { work, subject } = request;
        let document = || files.bytes(Role::Document);
        match work {
            Work::Layout => lay_out(&files, answers),
            Work::Read { masks } => read(source_of(&subject, &document()?), &masks, answers),
            Work::Show { pages } => show(source_of(&subject, &document()?), &pages, answers),
            Work::Recognise { pages } => {
                recognise(self.second.get()?, &files, pages, subject.limits, answers)
            }
            Work::Render { page, width, masks } => {
                let bytes = document()?;
                answers.picture(draw_for_people(source_of(&subject, &bytes), page, width, &masks)?)
            }
            Work::View => answers.view(view::render(&source_of(&subject, &document()?))?),
        }
    }
}

fn source_of<'a>(subject: &'a Subject, bytes: &'a [u8]) -> Source<'a> {
    let Subject { kind, file_name, password, limits } = subject;
    Source { bytes, kind: *kind, file_name, password: password.as_deref(), limits: *limits }
}

fn read(source: Source<'_>, masks: &[Mask], answers: &mut Replies<'_>) -> Result<(), ReadError> {
    let mut masked = |part: Part| match part {
        Part::Page(page) => answers.take(Part::Page(mask(page, masks))),
        other => answers.take(other),
    };
    match source.kind {
        FileKind::Pdf => pdf::read(source, &mut masked),
        FileKind::Png | FileKind::Jpg | FileKind::Tiff => picture::read(&source, &mut masked),
        _ => read_flow(&source, &mut masked),
    }
}

/// Removes masked words, and records the masked areas for OCR.
fn mask(mut page: Page, masks: &[Mask]) -> Page {
    let masked = page.size.map_or_else(Vec::new, |size| masks_on(masks, page.number, size));
    if !masked.is_empty() {
        remove_masked_words(&mut page.words, &masked);
    }
    if page.text == TextSource::Wanted {
        page.preparation = Some(Preparation { masked, ..Preparation::default() });
    }
    page
}

/// A document whose pages can be drawn.
enum Drawing<'a> {
    Pdf(Renderer<'a>),
    Pictures(Pictures<'a>),
}

impl<'a> Drawing<'a> {
    fn open(source: Source<'a>) -> Result<Self, ReadError> {
        match source.kind {
            FileKind::Pdf => Renderer::open(source).map(Self::Pdf),
            FileKind::Png | FileKind::Jpg | FileKind::Tiff => {
                Pictures::open(source).map(Self::Pictures)
            }
            other => {
                Err(ReadError::unsupported(format!("page pictures of {} files", other.as_str())))
            }
        }
    }

    /// The page for OCR, and its size in points.
    fn gray(&self, number: u32) -> Result<(GrayImage, Size), ReadError> {
        match self {
            Self::Pdf(renderer) => {
                let size = renderer.size(number)?;
                let inches = size.width.max(size.height) / 72.0;
                let dots = DOTS_PER_INCH.min(LONGEST_SIDE / inches.max(0.01));
                let picture = renderer.page(number, Scale::DotsPerInch(dots), Colours::Gray)?;
                Ok((picture.into_luma8(), size))
            }
            Self::Pictures(pictures) => {
                let size = pictures.size(number).ok_or_else(|| no_page(number))?;
                Ok((pictures.page(number)?, size))
            }
        }
    }

    fn colours(&self, number: u32, width: u32) -> Result<DynamicImage, ReadError> {
        match self {
            Self::Pdf(renderer) => renderer.page(number, Scale::Width(width), Colours::Rgb),
            Self::Pictures(pictures) => {
                let picture = pictures.in_colours(number)?;
                let height = u64::from(picture.height()) * u64::from(width)
                    / u64::from(picture.width()).max(1);
                let height = u32::try_from(height).unwrap_or(u32::MAX).clamp(1, 60_000);
                Ok(picture.thumbnail_exact(width, height))
            }
        }
    }
}

fn no_page(number: u32) -> ReadError {
    ReadError::damaged(format!("it has no page {number}"))
}

/// Draws pages for OCR. Both engines get the same picture.
fn show(source: Source<'_>, pages: &[OcrPage], answers: &mut Replies<'_>) -> Result<(), ReadError> {
    let drawing = Drawing::open(source)?;
    for OcrPage { number, masked } in pages {
        let (picture, size) = match drawing.gray(*number) {
            Ok(drawn) => drawn,
            Err(error) => {
                answers.drawn(Drawn::Failed(error))?;
                continue;
            }
        };
        let pixels = picture.dimensions();
        let sheet = Sheet::new(picture, size, masked.clone());
        let preparation = sheet.preparation().clone();
        if sheet.is_blank() {
            answers.drawn(Drawn::Blank(preparation))?;
            continue;
        }
        let is_cleaned = preparation.denoise;
        answers.drawn(Drawn::Ready(Ready { number: *number, preparation, pixels, size }))?;
        answers.picture(in_grey(sheet.plain()))?;
        if is_cleaned {
            answers.picture(in_grey(sheet.for_tesseract()))?;
        }
    }
    Ok(())
}

fn in_grey(picture: &GrayImage) -> Picture {
    let (width, height) = picture.dimensions();
    let bytes = tesseract::encode(picture);
    Picture { width, height, format: PictureFormat::Grey, bytes }
}

/// The words of the first engine for each page, in order; `None` where it is not installed.
fn first_readings(files: &JobFiles) -> Result<Vec<Option<String>>, ReadError> {
    let bytes = files.bytes(Role::Words)?;
    artifact::read_frame(&mut bytes.as_slice()).map_err(ReadError::damaged)
}

fn recognise(
    second: Option<&PpOcr>,
    files: &JobFiles,
    pages: Vec<Ready>,
    limits: Limits,
    answers: &mut Replies<'_>,
) -> Result<(), ReadError> {
    let texts = first_readings(files)?;
    for ((ready, text), picture) in pages.into_iter().zip(texts).zip(files.files(Role::Picture)) {
        let plain = tesseract::decode(&all_bytes(picture)?);
        let plain = plain.ok_or_else(|| ReadError::damaged("a picture is damaged"))?;
        let Ready { number, preparation, pixels, size } = ready;
        let sheet = Sheet::from_plain(preparation, pixels, size, plain);
        let first = text.as_deref().map(|text| words_of(text, limits));
        let mut page = Page { number, ..Page::default() };
        recognise_page(second, &sheet, first.as_deref(), &mut page)?;
        answers.take(Part::Page(page))?;
    }
    Ok(())
}

fn recognise_page(
    second: Option<&PpOcr>,
    sheet: &Sheet,
    first: Option<&[Word]>,
    page: &mut Page,
) -> Result<(), ReadError> {
    if first.is_none() && second.is_none() {
        sheet.fill(page, None);
        return Ok(());
    }
    if let (Some(words), Some(second)) = (first, second)
        && is_suspicious(words)
    {
        let upright = find_upright(second, sheet.plain())?;
        if upright != Rotation::None {
            // The first engine read the page in the wrong orientation, so its words are useless.
            let sheet = sheet.turned(upright);
            let words = sheet.read(None, Some(second), Effort::WhereNeeded)?;
            sheet.fill(page, Some(words));
            return Ok(());
        }
    }
    let words = sheet.read(first, second, Effort::WhereNeeded)?;
    sheet.fill(page, Some(words));
    Ok(())
}

fn words_of(table: &str, limits: Limits) -> Vec<Word> {
    tesseract::parse_tsv(table, limits.words as usize)
}

/// Reads the pages of an earlier stage and answers them with their layout.
fn lay_out(files: &JobFiles, answers: &mut Replies<'_>) -> Result<(), ReadError> {
    let file = files.file(Role::Pages).ok_or(ReadError::Stopped)?;
    let broken = |error: artifact::ArtifactError| ReadError::damaged(error);
    let mut reader = Reader::new(std::io::BufReader::new(file)).map_err(broken)?;
    let mut layout = Layout::default();
    while let Some(part) = reader.next_part().map_err(broken)? {
        answers.take(match part {
            // Formats made of text have blocks already, which are more reliable.
            Part::Page(mut page) => {
                if page.blocks.is_empty() {
                    layout.arrange(&mut page);
                }
                page.language = page.language.or_else(|| language::of(&page.words));
                Part::Page(page)
            }
            other => other,
        })?;
    }
    Ok(())
}

fn draw_for_people(
    source: Source<'_>,
    page: u32,
    width: u32,
    masks: &[Mask],
) -> Result<Picture, ReadError> {
    let drawing = Drawing::open(source)?;
    let mut picture = drawing.colours(page, width)?.into_rgb8();
    let (width, height) = picture.dimensions();
    prepare::black_out(&mut picture, masks, page);
    let mut bytes = Vec::new();
    picture
        .write_to(&mut std::io::Cursor::new(&mut bytes), ImageFormat::Png)
        .map_err(ReadError::unsupported)?;
    Ok(Picture { width, height, format: PictureFormat::Png, bytes })
}
