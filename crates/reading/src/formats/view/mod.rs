//! The *page view* of a document: one self-contained HTML document that looks like the original.
//!
//! The renderers of this module read the original themselves and write HTML through [`markup::Markup`], which escapes
//! all text of the document. Attributes are names of ours with escaped values; styles are properties of ours with numbers,
//! colours and keywords ([`style::Style`]), or declarations that [`web::css`] has checked. The output has no scripts, no
//! forms, no links that lead anywhere, and loads nothing: pictures are `data:` addresses of bytes that [`images`] has
//! recognised. A browser shows it in a sandboxed frame.
//!
//! This module does not lay text out: where a line or a page ends is what the browser decides, or what the file says.

mod chart;
mod colour;
mod drawing;
mod geometry;
mod images;
mod look;
mod mail;
mod markup;
mod sheets;
mod slides;
mod style;
mod web;
mod word;

use domain::FileKind;

use self::images::Images;
use self::markup::Markup;
use crate::{ReadError, Source};

/// Changes with the renderers, so that no browser keeps showing an older view of the same file.
pub const VERSION: u32 = 1;

/// Whether files of this kind have a page view. PDFs and pictures have pictures of their pages instead.
pub fn has_page_view(kind: FileKind) -> bool {
    matches!(
        kind,
        FileKind::Docx | FileKind::Xlsx | FileKind::Pptx | FileKind::Html | FileKind::Eml
    )
}

/// Renders the whole document. What goes beyond the limits is left out, and a note in the view says so.
pub fn render(source: &Source<'_>) -> Result<String, ReadError> {
    let mut markup = Markup::default();
    let mut images = Images::new(source.limits.pixels);
    match source.kind {
        FileKind::Docx => word::render(source, &mut images, &mut markup)?,
        FileKind::Xlsx => sheets::render(source, &mut images, &mut markup)?,
        FileKind::Pptx => slides::render(source, &mut images, &mut markup)?,
        FileKind::Html => web::render(source, &mut images, &mut markup)?,
        FileKind::Eml => mail::render(source, &mut images, &mut markup)?,
        other => return Err(ReadError::unsupported(format!("a page view of {other} files"))),
    }
    Ok(page(source.kind, markup, &images))
}

/// The document around what was rendered.
fn page(kind: FileKind, content: Markup, images: &Images) -> String {
    let mut page = Markup::unlimited();
    page.raw("<!DOCTYPE html><html><head><meta charset=\"utf-8\">");
    page.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    page.raw("img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.raw("<title>Page view</title><style>");
    page.raw(include_str!("view.css"));
    page.raw("</style>");
    page.sheet(images.rules());
    page.raw("</head><body class=\"dk-");
    page.raw(kind.as_str());
    page.raw("\">");
    if images.left_out() {
        page.raw("<p class=\"dk-note\">Some pictures are too large to be shown here.</p>");
    }
    let is_cut = content.is_full();
    page.append(content);
    if is_cut {
        page.raw("<p class=\"dk-note\">The rest of this document is too long to be shown here. ");
        page.raw("Download the original to see all of it.</p>");
    }
    page.raw("</body></html>");
    page.into_html()
}
