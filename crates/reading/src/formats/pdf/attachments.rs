//! Embedded files, such as the XML of an electronic invoice.

use pages::{Attachment, Part};
use pdfium_render::prelude::PdfDocument;

use crate::{Limits, ReadError, Sink};

/// The limit of attachments.
const MAX_COUNT: usize = 1000;

pub(crate) fn read(
    document: &PdfDocument<'_>,
    limits: Limits,
    sink: &mut dyn Sink,
    remarks: &mut Vec<String>,
) -> Result<(), ReadError> {
    let mut left = limits.unpacked;
    for attached in document.attachments().iter().take(MAX_COUNT) {
        let name = attached.name();
        let name = name.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned();
        let length = attached.len() as u64;
        if length > left {
            remarks.push(format!("The attached file {name} is too large to be unpacked."));
            continue;
        }
        let Ok(bytes) = attached.save_to_bytes() else { continue };
        left -= length;
        let media_type = media_type(&name).map(str::to_owned);
        sink.take(Part::Attachment(Attachment { name, media_type, bytes }))?;
    }
    Ok(())
}

fn media_type(name: &str) -> Option<&'static str> {
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    domain::FileKind::ALL.iter().find(|kind| kind.as_str() == ending).map(|kind| kind.media_type())
}
