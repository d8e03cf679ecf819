//! One module for each format, all with the same interface:
//! `read(&Source, &mut dyn Sink) -> Result<(), ReadError>`.

mod chart;
pub mod docx;
pub mod eml;
pub mod html;
pub mod markdown;
mod math;
mod package;
pub mod pptx;
pub mod text;
pub mod xlsx;
mod xml;

use domain::FileKind;

use crate::{ReadError, Sink, Source};

/// Reads a document that is made of text: everything but PDF and pictures.
pub fn read_flow(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    match source.kind {
        FileKind::Docx => docx::read(source, sink),
        FileKind::Xlsx => xlsx::read(source, sink),
        FileKind::Pptx => pptx::read(source, sink),
        FileKind::Html => html::read(source, sink),
        FileKind::Txt => text::read(source, sink),
        FileKind::Md => markdown::read(source, sink),
        FileKind::Eml => eml::read(source, sink),
        FileKind::Pdf | FileKind::Png | FileKind::Jpg | FileKind::Tiff => {
            Err(ReadError::unsupported(format!("{} is not made of text", source.kind)))
        }
    }
}

/// What somebody remarked on the document, as one paragraph.
fn remark_of(author: &str, time: &str, text: &str) -> String {
    let time = if time.is_empty() { String::new() } else { format!(", time: {time}") };
    format!("[author: {author}{time}]: {text}")
}
