//! One module per format, all with the same interface:
//! `read(&Source, &mut dyn Sink) -> Result<(), ReadError>`.

mod chart;
pub mod docx;
pub mod e_invoice;
pub mod eml;
pub mod html;
pub mod markdown;
mod math;
mod named_parts;
mod package;
pub mod pdf;
pub mod picture;
pub mod pptx;
pub mod text;
pub mod view;
pub mod xlsx;
mod xml;

use domain::FileKind;

use crate::{ReadError, Sink, Source};

/// Reads a document made of text: every format except PDF and pictures.
pub fn read_flow(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    match source.kind {
        FileKind::Docx => docx::read(source, sink),
        FileKind::Xlsx => xlsx::read(source, sink),
        FileKind::Pptx => pptx::read(source, sink),
        FileKind::Html => html::read(source, sink),
        FileKind::Txt => text::read(source, sink),
        FileKind::Md => markdown::read(source, sink),
        FileKind::Eml => eml::read(source, sink),
        FileKind::Xml => e_invoice::read(source, sink),
        FileKind::Pdf | FileKind::Png | FileKind::Jpg | FileKind::Tiff => {
            Err(ReadError::unsupported(format!("{} is not made of text", source.kind)))
        }
    }
}

/// A comment on the document, as one paragraph.
fn remark_of(author: &str, time: &str, text: &str) -> String {
    let time = if time.is_empty() { String::new() } else { format!(", time: {time}") };
    format!("[author: {author}{time}]: {text}")
}

/// The description of a picture. Ignores file names and numbers that programs fill in.
fn description(stated: Option<&str>) -> Option<String> {
    let words: Vec<&str> = stated?.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_end_matches("Description automatically generated").trim();
    let is_file = |name: &str| {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        ending.is_some_and(|ending| {
            matches!(
                ending.as_str(),
                "png"
                    | "jpg"
                    | "jpeg"
                    | "gif"
                    | "bmp"
                    | "tif"
                    | "tiff"
                    | "svg"
                    | "emf"
                    | "wmf"
                    | "webp"
            )
        })
    };
    let is_number = |word: &&str| word.chars().all(|digit| digit.is_ascii_digit());
    let is_label =
        matches!(words.first(), Some(&("Picture" | "Image" | "Graphic" | "Grafik" | "Bild")))
            && words.get(1..).unwrap_or_default().iter().all(is_number);
    (!text.is_empty() && !is_label && !is_file(text)).then(|| text.to_owned())
}
