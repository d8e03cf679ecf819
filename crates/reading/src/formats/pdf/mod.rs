//! PDF: words with their places, form values, drawn lines, attachments.
//!
//! Reads page by page, and keeps no page in memory. Text is read character by character, because pdfium's text of a whole
//! page lacks parts of rotated or shifted pages. Words are in the order of the file: [`crate::layout`] sorts them into
//! reading order, after OCR on pages with [`TextSource::Wanted`].

mod attachments;
mod drawings;
mod fields;
mod place;
mod trust;
mod words;

use std::collections::BTreeMap;

use pages::{Head, Page, Part, Tail, TextSource};
use pdfium_render::prelude::{
    PdfDocument, PdfDocumentMetadataTagType as Tag, PdfPage, PdfiumError, PdfiumInternalError,
};

use crate::{Limits, ReadError, Sink, Source, pdfium};

pub(crate) use place::Place;

/// A damaged file may state thousands of pages that do not exist, so only the first ones are tried.
const NAMED_BROKEN_PAGES: u32 = 20;

/// Reads a document into the sink. Needs [`crate::pdfium`].
pub fn read(source: Source<'_>, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let (document, password_used) = open_and_tell(source)?;
    let count = u32::try_from(document.pages().len()).unwrap_or(0);
    if count == 0 {
        return Err(ReadError::damaged("it has no pages"));
    }
    if count > source.limits.pages {
        let allowed = source.limits.pages;
        return Err(ReadError::too_large(format!(
            "it has {count} pages, and {allowed} may be read"
        )));
    }
    let mut head = head(&document, source, count);
    if password_used {
        head.note_password();
    }
    sink.take(Part::Head(head))?;
    let mut remarks = Vec::new();
    attachments::read(&document, source.limits, sink, &mut remarks)?;
    let mut broken = 0;
    for number in 1..=count {
        let page = match page_of(&document, number) {
            Ok(page) => read_page(&document, &page, number, source.limits, &mut remarks),
            Err(error) => {
                broken += 1;
                if broken <= NAMED_BROKEN_PAGES {
                    remarks.push(format!("Page {number} cannot be read: {error}."));
                }
                Page { number, text: TextSource::Blank, ..Page::default() }
            }
        };
        sink.take(Part::Page(page))?;
    }
    if broken == count {
        return Err(ReadError::damaged("none of its pages can be read"));
    }
    if broken > NAMED_BROKEN_PAGES {
        remarks.push(format!("{broken} pages cannot be read in all."));
    }
    sink.take(Part::Tail(Tail { pages: count, remarks }))
}

/// Opens a document, first without a password, then with the given one.
pub(crate) fn open(source: Source<'_>) -> Result<PdfDocument<'_>, ReadError> {
    open_and_tell(source).map(|(document, _)| document)
}

/// Like `open`, and returns whether the password was needed.
fn open_and_tell(source: Source<'_>) -> Result<(PdfDocument<'_>, bool), ReadError> {
    let library = pdfium::open()?;
    let wrong = |error: &PdfiumError| {
        matches!(error, PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError))
    };
    match (library.load_pdf_from_byte_slice(source.bytes, None), source.password) {
        (Ok(document), _) => Ok((document, false)),
        (Err(error), None) if wrong(&error) => Err(ReadError::NeedsPassword),
        (Err(error), Some(password)) if wrong(&error) => {
            let opened = library.load_pdf_from_byte_slice(source.bytes, Some(password));
            opened.map(|document| (document, true)).map_err(|error| {
                if wrong(&error) { ReadError::WrongPassword } else { damaged(&error) }
            })
        }
        (Err(error), _) => Err(damaged(&error)),
    }
}

/// The page with this number, counted from 1.
pub(crate) fn page_of<'a>(
    document: &PdfDocument<'a>,
    number: u32,
) -> Result<PdfPage<'a>, ReadError> {
    let index = number.checked_sub(1).and_then(|index| i32::try_from(index).ok());
    let index = index.ok_or_else(|| ReadError::damaged("there is no such page"))?;
    document.pages().get(index).map_err(|error| damaged(&error))
}

fn damaged(error: &PdfiumError) -> ReadError {
    use PdfiumInternalError as Inner;
    match error {
        PdfiumError::PdfiumLibraryInternalError(Inner::SecurityError) => {
            ReadError::unsupported("its kind of encryption")
        }
        PdfiumError::PdfiumLibraryInternalError(Inner::FormatError | Inner::FileError) => {
            ReadError::damaged("it is not a PDF that can be repaired")
        }
        PdfiumError::PdfiumLibraryInternalError(Inner::PageError) => {
            ReadError::damaged("a page is missing or broken")
        }
        _ => ReadError::damaged("the PDF library refuses it"),
    }
}

fn head(document: &PdfDocument<'_>, source: Source<'_>, pages: u32) -> Head {
    let mut properties = BTreeMap::new();
    let mut title = None;
    for tag in document.metadata().iter() {
        let value = tag.value().trim_matches(|c: char| c.is_whitespace() || c == '\0');
        if value.is_empty() {
            continue;
        }
        let name = match tag.tag_type() {
            Tag::Title => {
                title = Some(value.to_owned());
                continue;
            }
            Tag::Author => "author",
            Tag::Subject => "subject",
            Tag::Keywords => "keywords",
            Tag::Creator => "creator",
            Tag::Producer => "producer",
            Tag::CreationDate => "created",
            Tag::ModificationDate => "modified",
        };
        properties.insert(name.to_owned(), value.to_owned());
    }
    Head { kind: source.kind, title, properties, pages: Some(pages) }
}

fn read_page(
    document: &PdfDocument<'_>,
    from: &PdfPage<'_>,
    number: u32,
    limits: Limits,
    remarks: &mut Vec<String>,
) -> Page {
    let place = Place::of(from);
    let mut page =
        Page { number, size: Some(place.size()), rotation: place.rotation, ..Page::default() };
    let glyphs = words::read(from, &place, limits, &mut page.words);
    if glyphs.cut_off {
        remarks.push(format!("Page {number} has more words than are kept; the rest is left out."));
    }
    page.words.retain(|word| word.area.is_none_or(|area| place.shows(&area)));
    let drawn = drawings::read(from, &place);
    if document.form().is_some() {
        fields::read(from, &place, limits, &mut page.words);
    }
    (page.text, page.quality) = trust::judge(&page, &glyphs, &drawn);
    page.rules = drawn.rules;
    page
}
