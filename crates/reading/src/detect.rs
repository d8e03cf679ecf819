//! Detects the kind of a file by its content.
//!
//! File names may be wrong, so the content decides, and a name that contradicts it is an error. The name decides only
//! among text formats, which cannot be told apart by content.

use domain::FileKind;

/// The kind that the beginning of a file shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    Kind(FileKind),
    /// A format that Docket does not accept, by its usual name.
    Foreign(&'static str),
}

/// XML that is refused.
pub(crate) const OTHER_XML: &str = "XML, but not an electronic invoice (Factur-X, ZUGFeRD or XRechnung, \
     in CII or UBL syntax), which is the only XML that Docket reads";

/// Detects the kind by the first kilobytes of a file and its file name extension.
pub fn detect(head: &[u8], file_name: &str) -> Detected {
    let named: Option<FileKind> = ending(file_name).and_then(|ending| ending.parse().ok());
    // A PDF header may come after other bytes; an email may contain a PDF.
    if named == Some(FileKind::Eml) && is_text(head) && looks_like_mail(head) {
        return Detected::Kind(FileKind::Eml);
    }
    if find(&head[..head.len().min(1024)], b"%PDF-").is_some() {
        return Detected::Kind(FileKind::Pdf);
    }
    if head.starts_with(b"PK\x03\x04") {
        return inside_zip(head, named);
    }
    match infer::get(head).map(|kind| (kind.extension(), kind.mime_type())) {
        Some(("png", _)) => Detected::Kind(FileKind::Png),
        Some(("jpg", _)) => Detected::Kind(FileKind::Jpg),
        Some(("tif", _)) => Detected::Kind(FileKind::Tiff),
        Some((_, "text/html" | "text/xml" | "text/x-shellscript")) => text_kind(head, named),
        Some((_, mime)) => Detected::Foreign(mime),
        None if is_text(head) => text_kind(head, named),
        None => Detected::Foreign("unknown binary data"),
    }
}

/// Whether an attached file is an electronic invoice that can be read.
pub fn is_e_invoice(bytes: &[u8]) -> bool {
    const HEAD: usize = 64 << 10;
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    bytes.len() <= e_invoice::MAX_BYTES && e_invoice::detect(head) == e_invoice::Detected::EInvoice
}

/// Among text formats the extension decides, if it is one of a text format. Of XML, only electronic invoices are accepted.
fn text_kind(head: &[u8], named: Option<FileKind>) -> Detected {
    let kind = match named {
        Some(FileKind::Eml) if !looks_like_mail(head) => FileKind::Txt,
        Some(named @ (FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml)) => named,
        _ if looks_like_html(head) => FileKind::Html,
        _ if looks_like_mail(head) => FileKind::Eml,
        _ => return xml_or_text(head, named),
    };
    Detected::Kind(kind)
}

fn xml_or_text(head: &[u8], named: Option<FileKind>) -> Detected {
    let is_meant_as_xml =
        named == Some(FileKind::Xml) || head.trim_ascii_start().starts_with(b"<?xml");
    match e_invoice::detect(head) {
        e_invoice::Detected::EInvoice => Detected::Kind(FileKind::Xml),
        // A long comment may come before the root element; the reader decides.
        e_invoice::Detected::Undecided if is_meant_as_xml => Detected::Kind(FileKind::Xml),
        _ if is_meant_as_xml => Detected::Foreign(OTHER_XML),
        _ => Detected::Kind(FileKind::Txt),
    }
}

/// Office files are zip archives with a known folder. When the folder is not among the first entries, the extension
/// decides, and a wrong one is found when the file is read.
fn inside_zip(head: &[u8], named: Option<FileKind>) -> Detected {
    let has = |folder: &[u8]| find(head, folder).is_some();
    if has(b"word/") {
        Detected::Kind(FileKind::Docx)
    } else if has(b"xl/") {
        Detected::Kind(FileKind::Xlsx)
    } else if has(b"ppt/") {
        Detected::Kind(FileKind::Pptx)
    } else {
        match named {
            Some(office @ (FileKind::Docx | FileKind::Xlsx | FileKind::Pptx))
                if has(b"[Content_Types].xml") || has(b"_rels/") =>
            {
                Detected::Kind(office)
            }
            _ => Detected::Foreign("application/zip"),
        }
    }
}

/// Valid UTF-8 (its last character may be cut), UTF-16 with a byte order mark, or 8-bit text without control characters.
fn is_text(head: &[u8]) -> bool {
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return true;
    }
    let control = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127);
    !head.iter().any(control)
}

fn looks_like_html(head: &[u8]) -> bool {
    let start: Vec<u8> =
        head.iter().skip_while(|byte| byte.is_ascii_whitespace()).take(512).copied().collect();
    let lower = start.to_ascii_lowercase();
    let is_markup = lower.starts_with(b"<");
    lower.starts_with(b"<!doctype html") || is_markup && find(&lower, b"<html").is_some()
}

/// An email begins with lines of `Name: value`, among them a header that every email has.
fn looks_like_mail(head: &[u8]) -> bool {
    let Some(first) = head.split(|byte| *byte == b'\n').next() else { return false };
    let named = first.iter().position(|byte| *byte == b':').is_some_and(|at| {
        at > 0 && first[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    });
    let lower = head.to_ascii_lowercase();
    let has =
        |name: &[u8]| lower.starts_with(name) || find(&lower, &[b"\n", name].concat()).is_some();
    named
        && (has(b"from:") || has(b"received:"))
        && (has(b"date:") || has(b"message-id:") || has(b"subject:"))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

pub fn ending(file_name: &str) -> Option<&str> {
    file_name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| !ending.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(head: &[u8], name: &str) -> Detected {
        detect(head, name)
    }

    #[test]
    fn the_content_decides_and_not_the_name() {
        assert_eq!(kind(b"%PDF-1.7\n", "a.txt"), Detected::Kind(FileKind::Pdf));
        assert_eq!(kind(b"plain words", "a.pdf"), Detected::Kind(FileKind::Txt));
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a.pdf"), Detected::Kind(FileKind::Png));
        assert_eq!(kind(b"\xff\xd8\xff\xe0\0\x10JFIF", "x"), Detected::Kind(FileKind::Jpg));
        assert_eq!(kind(b"II*\0\x08\0\0\0\0\0\0\0\0\0\0\0", "x"), Detected::Kind(FileKind::Tiff));
        assert!(matches!(
            kind(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", "a.pdf"),
            Detected::Foreign(_)
        ));
    }

    #[test]
    fn a_mail_with_a_pdf_in_it_is_a_mail() {
        let mail = b"From: a@b.c\r\nTo: d@e.f\r\nSubject: it\r\n\r\n%PDF-1.4\n";
        assert_eq!(kind(mail, "a.eml"), Detected::Kind(FileKind::Eml));
        assert_eq!(kind(b"junk before\n%PDF-1.4\n", "a.pdf"), Detected::Kind(FileKind::Pdf));
    }

    #[test]
    fn office_files_are_told_from_other_archives() {
        let zip = |name: &str| [b"PK\x03\x04".as_slice(), &[0; 26], name.as_bytes()].concat();
        assert_eq!(kind(&zip("word/document.xml"), "a.docx"), Detected::Kind(FileKind::Docx));
        assert_eq!(kind(&zip("xl/workbook.xml"), "a"), Detected::Kind(FileKind::Xlsx));
        assert_eq!(kind(&zip("[Content_Types].xml"), "a.pptx"), Detected::Kind(FileKind::Pptx));
        assert_eq!(kind(&zip("virus.exe"), "a.docx"), Detected::Foreign("application/zip"));
    }

    #[test]
    fn among_texts_the_name_has_a_say() {
        assert_eq!(kind(b"# Heading", "a.md"), Detected::Kind(FileKind::Md));
        assert_eq!(kind(b"# Heading", "a.txt"), Detected::Kind(FileKind::Txt));
        assert_eq!(kind(b"<!DOCTYPE html><p>x", "page"), Detected::Kind(FileKind::Html));
        assert_eq!(kind(b"<?xml?><html>", "page"), Detected::Kind(FileKind::Html));
        assert_eq!(kind(b"{\"page\": \"<html>\"}", "a.json"), Detected::Kind(FileKind::Txt));
        let mail = b"From: a@b.test\r\nSubject: hi\r\n\r\nbody";
        assert_eq!(kind(mail, "x.eml"), Detected::Kind(FileKind::Eml));
        assert_eq!(kind(b"no mail", "x.eml"), Detected::Kind(FileKind::Txt));
        assert_eq!(kind("Grüße".as_bytes(), ""), Detected::Kind(FileKind::Txt));
        assert_eq!(kind(b"\0\x01\x02\x03", "a.txt"), Detected::Foreign("unknown binary data"));
    }

    #[test]
    fn of_xml_only_electronic_invoices_are_accepted() {
        let invoice = include_bytes!("../../e-invoice/tests/invoices/ubl.xml");
        for name in ["a.xml", "a", "a.pdf", "a.dat"] {
            assert_eq!(kind(invoice, name), Detected::Kind(FileKind::Xml), "{name}");
        }
        assert_eq!(kind(invoice, "a.txt"), Detected::Kind(FileKind::Txt), "a text by its name");
        for (other, name) in [
            (b"<?xml version='1.0'?><note/>".as_slice(), "a"),
            (b"<note/>", "a.xml"),
            (b"words", "a.xml"),
            (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg"),
        ] {
            assert_eq!(kind(other, name), Detected::Foreign(OTHER_XML), "{name}");
        }
        assert_eq!(kind(b"<note/>", "a"), Detected::Kind(FileKind::Txt));
        assert_eq!(kind(b"<?xml?><html>", "a.xml"), Detected::Kind(FileKind::Html));
        let late = [b"<?xml version='1.0'?><!--".as_slice(), &[b'x'; 9000]].concat();
        assert_eq!(kind(&late, "a.xml"), Detected::Kind(FileKind::Xml), "the reader decides");
    }
}
