//! Small good documents of every kind that Docket takes, written byte by byte by this project.
//!
//! A sample keeps its *form*: what a container is put together from, so that whoever damages a part can
//! still close the container around it and reach the code after the checks of its checksums.

mod office;
mod pdf;
mod pictures;
mod scan;
mod texts;

pub use pdf::pdf_of_objects;
pub use pictures::with_right_checksums;
pub use scan::{Paper, ScanWriter, scan_of};

/// A good document.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The ending that its file name has.
    pub ending: &'static str,
    pub form: Form,
}

/// What a document is put together from.
#[derive(Clone, Debug)]
pub enum Form {
    Plain(Vec<u8>),
    /// The objects of a PDF, the first of which is its catalog.
    Objects(Vec<Vec<u8>>),
    /// The members of a zip archive.
    Members(Vec<(String, Vec<u8>)>),
    /// A picture whose chunks have checksums.
    Png(Vec<u8>),
}

impl Form {
    /// The file. The container is whole, whatever is in it.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Plain(bytes) => bytes.clone(),
            Self::Objects(objects) => pdf_of_objects(objects),
            Self::Members(members) => office::zip_of(members),
            Self::Png(bytes) => with_right_checksums(bytes),
        }
    }
}

/// One or two of every kind.
pub fn samples() -> Vec<Sample> {
    let picture = pictures::jpg();
    let of = |ending, form| Sample { ending, form };
    vec![
        of("pdf", Form::Objects(pdf::text_table_and_form())),
        of("pdf", Form::Objects(pdf::with_picture(&picture))),
        of("docx", Form::Members(office::docx())),
        of("xlsx", Form::Members(office::xlsx())),
        of("pptx", Form::Members(office::pptx())),
        of("html", Form::Plain(texts::HTML.into())),
        of("eml", Form::Plain(texts::EML.into())),
        of("md", Form::Plain(texts::MARKDOWN.into())),
        of("txt", Form::Plain(texts::TEXT.into())),
        of("png", Form::Png(pictures::png())),
        of("jpg", Form::Plain(picture)),
        of("tiff", Form::Plain(pictures::tiff())),
        of("xml", Form::Plain(texts::E_INVOICE.into())),
    ]
}

/// A picture of one grey pixel.
pub const TINY_PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', // The signature, and two chunks:
    0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b,
    0x55, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];
