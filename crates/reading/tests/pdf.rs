//! Reading PDFs made here, byte by byte.
//!
//! Needs the PDF library: run `scripts/pdfium` first.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod pdf_file;

use domain::FileKind;
use pages::{Attachment, Head, Origin, Page, Rotation, Tail, TextSource, Word};
use pdf_file::{PdfFile, catalog_with};
use reading::render::{Colours, Scale};
use reading::{Limits, Part, ReadError, Source, formats, render};

#[derive(Debug, Default)]
struct Document {
    head: Option<Head>,
    pages: Vec<Page>,
    attachments: Vec<Attachment>,
    tail: Option<Tail>,
}

fn source(bytes: &[u8]) -> Source<'_> {
    Source {
        bytes,
        kind: FileKind::Pdf,
        file_name: "made.pdf",
        password: None,
        limits: Limits::default(),
    }
}

fn read_source(source: Source<'_>) -> Result<Document, ReadError> {
    let mut document = Document::default();
    formats::pdf::read(source, &mut |part| {
        match part {
            Part::Head(head) => document.head = Some(head),
            Part::Page(page) => document.pages.push(page),
            Part::Attachment(attachment) => document.attachments.push(attachment),
            Part::Tail(tail) => document.tail = Some(tail),
        }
        Ok(())
    })?;
    Ok(document)
}

fn read(bytes: &[u8]) -> Document {
    read_source(source(bytes)).unwrap()
}

fn text(page: &Page) -> String {
    page.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn word<'a>(page: &'a Page, text: &str) -> &'a Word {
    page.words.iter().find(|word| word.text == text).unwrap()
}

const HELLO: &str = "BT /F1 12 Tf 50 150 Td (Hello wide) Tj /F2 20 Tf 0 -40 Td (World) Tj ET";

#[test]
fn words_have_their_text_place_and_style() {
    let document = read(&PdfFile::page("/MediaBox [0 0 300 200]", HELLO));
    let page = &document.pages[0];
    assert_eq!(text(page), "Hello wide World");
    assert_eq!(page.text, TextSource::Layer);
    let hello = word(page, "Hello");
    let area = hello.area.unwrap();
    assert!((area.left - 50.0).abs() < 1.0 && area.right < 90.0, "{area:?}");
    assert!(area.top > 35.0 && area.bottom < 55.0, "{area:?}");
    assert_eq!((hello.style.size, hello.style.bold), (120, false));
    let world = word(page, "World");
    assert_eq!((world.style.size, world.style.bold), (200, true));
}

#[test]
fn areas_are_those_of_the_page_as_it_is_seen() {
    let turned = read(&PdfFile::page("/MediaBox [0 0 300 200] /Rotate 90", HELLO));
    let page = &turned.pages[0];
    assert_eq!(page.rotation, Rotation::Quarter);
    let size = page.size.unwrap();
    assert!((size.width - 200.0).abs() < 0.1 && (size.height - 300.0).abs() < 0.1);
    // The line at x 50, y 150 of the file runs downwards near the right edge, from 50 below the top.
    let area = word(page, "Hello").area.unwrap();
    assert!(area.left > 140.0 && area.right < 170.0, "{area:?}");
    assert!((area.top - 50.0).abs() < 1.0 && area.height() > 20.0, "{area:?}");

    let cut = read(&PdfFile::page("/MediaBox [0 0 300 200] /CropBox [40 100 200 180]", HELLO));
    let page = &cut.pages[0];
    let area = word(page, "Hello").area.unwrap();
    assert!((area.left - 10.0).abs() < 1.0 && area.top > 15.0 && area.bottom < 35.0, "{area:?}");
}

#[test]
fn what_lies_outside_the_page_is_not_read() {
    let content = "BT /F1 12 Tf 50 150 Td (seen) Tj 2000 0 Td (unseen) Tj ET";
    let document = read(&PdfFile::page("/MediaBox [0 0 300 200]", content));
    assert_eq!(text(&document.pages[0]), "seen");
}

#[test]
fn drawn_lines_become_rules_and_fills_that_nobody_sees_do_not() {
    let content = "0 0 0 rg 50 100 200 0.5 re f  1 1 1 rg 50 20 200 30 re f  20 20 m 20 180 l S";
    let document = read(&PdfFile::page("/MediaBox [0 0 300 200]", content));
    let rules = &document.pages[0].rules;
    assert_eq!(rules.len(), 2, "{rules:?}");
    assert!(rules.iter().any(|rule| rule.width() > 199.0 && rule.height() < 0.1));
    assert!(rules.iter().any(|rule| rule.height() > 159.0 && rule.width() < 0.1));
}

#[test]
fn pages_say_whether_their_text_is_enough() {
    let blank = read(&PdfFile::page("/MediaBox [0 0 300 200]", ""));
    assert_eq!(blank.pages[0].text, TextSource::Blank);

    let image = "q 300 0 0 200 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \u{7f} EI Q";
    let scan = read(&PdfFile::page("/MediaBox [0 0 300 200]", image));
    assert_eq!(scan.pages[0].text, TextSource::Wanted);

    let stamped = format!("{image} BT /F1 8 Tf 10 10 Td (Received) Tj ET");
    let stamped = read(&PdfFile::page("/MediaBox [0 0 300 200]", &stamped));
    assert_eq!(stamped.pages[0].text, TextSource::Wanted);

    let lines = "(This scan was read before and keeps its words in a layer behind it) Tj 0 -14 Td ";
    let layered = format!("{image} BT 3 Tr /F1 8 Tf 10 180 Td {} ET", lines.repeat(8));
    let layered = read(&PdfFile::page("/MediaBox [0 0 300 200]", &layered));
    assert_eq!(layered.pages[0].text, TextSource::Layer);

    let noise = "(uijt jt opu b mbohvbhf cvu tpnf tijgufe mfuufst qqq xyz) Tj 0 -14 Td ";
    let noise = noise.replace(|c: char| "aeiouy".contains(c), "x");
    let noise = format!("BT /F1 8 Tf 10 180 Td {} ET", noise.repeat(8));
    let noise = read(&PdfFile::page("/MediaBox [0 0 300 200]", &noise));
    assert_eq!(noise.pages[0].text, TextSource::Wanted);
}

#[test]
fn values_of_a_form_are_words_where_the_fields_are() {
    let field = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada Lovelace) \
                 /Rect [100 90 220 110] /F 4 >>";
    let document = read(&PdfFile::with_form(field));
    let page = &document.pages[0];
    assert_eq!(text(page), "Name Ada Lovelace");
    let ada = word(page, "Ada");
    assert_eq!(ada.origin, Origin::Form);
    let area = ada.area.unwrap();
    assert!(area.left >= 99.0 && area.right <= 221.0 && (area.top - 90.0).abs() < 1.0, "{area:?}");
}

#[test]
fn an_attached_file_and_what_the_file_says_of_itself_are_handed_on() {
    let document = read(&PdfFile::with_attachment("factur-x.xml", "<Invoice/>"));
    let [attached] = document.attachments.as_slice() else { panic!("one attachment") };
    assert_eq!(attached.name, "factur-x.xml");
    assert_eq!(attached.bytes, b"<Invoice/>");
    assert_eq!(attached.media_type.as_deref(), Some("application/xml"));
    let head = document.head.unwrap();
    assert_eq!(head.title.as_deref(), Some("An invoice"));
    assert_eq!(head.properties["author"], "Somebody");
    assert_eq!((head.pages, document.tail.unwrap().pages), (Some(1), 1));
}

#[test]
fn damage_and_limits_are_told_before_anything_is_read() {
    let error = read_source(source(b"%PDF-1.4 and nothing else")).unwrap_err();
    assert!(matches!(error, ReadError::Damaged { .. }), "{error:?}");

    let bytes = PdfFile::page("/MediaBox [0 0 300 200]", HELLO);
    let limits = Limits { pages: 0, ..Limits::default() };
    let error = read_source(Source { limits, ..source(&bytes) }).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error:?}");

    let limits = Limits { words: 1, ..Limits::default() };
    let document = read_source(Source { limits, ..source(&bytes) }).unwrap();
    assert_eq!(text(&document.pages[0]), "Hello");
    assert_eq!(document.tail.unwrap().remarks.len(), 1);
}

#[test]
fn an_encrypted_file_asks_for_its_password() {
    // The key check of revision 2 fails for every password: there is none that opens it.
    let bytes = catalog_with(
        "",
        &[],
        "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 \
         /O <0000000000000000000000000000000000000000000000000000000000000000> \
         /U <0000000000000000000000000000000000000000000000000000000000000000> >> \
         /ID [<00> <00>]",
    );
    assert_eq!(read_source(source(&bytes)).unwrap_err(), ReadError::NeedsPassword);
    let wrong = Source { password: Some("guess"), ..source(&bytes) };
    assert_eq!(read_source(wrong).unwrap_err(), ReadError::WrongPassword);
}

#[test]
fn a_file_says_whether_its_password_was_needed() {
    // Revision 2, with the key check of the password "sesame".
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 7 0 R >>";
    let locked = catalog_with(
        "",
        &[page, "<< /Length 0 >> stream\n\nendstream"],
        "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 \
         /O <0000000000000000000000000000000000000000000000000000000000000000> \
         /U <f08ad567c0c88beb552721537d66f6870c55766b401ec074261f3edd2167bd9c> >> \
         /ID [<00> <00>]",
    );
    let open = PdfFile::page("/MediaBox [0 0 300 200]", "");
    for (bytes, needed) in [(&locked, true), (&open, false)] {
        let source = Source { password: Some("sesame"), ..source(bytes) };
        let head = read_source(source).unwrap().head.unwrap();
        assert_eq!(head.was_opened_with_password(), needed);
    }
}

#[test]
fn a_page_is_drawn_as_it_is_seen_and_never_larger_than_allowed() {
    let content = "0 0 0 rg 0 0 150 200 re f";
    let bytes = PdfFile::page("/MediaBox [0 0 300 200] /Rotate 90", content);
    let drawn = render::page(source(&bytes), 1, Scale::Width(100), Colours::Gray).unwrap();
    let drawn = drawn.as_luma8().unwrap();
    assert_eq!(drawn.dimensions(), (100, 150));
    assert!(drawn.get_pixel(50, 20).0[0] < 50, "the left half of the file is the upper one now");
    assert!(drawn.get_pixel(50, 130).0[0] > 200);

    let red = PdfFile::page("/MediaBox [0 0 301 200]", "1 0 0 rg 0 0 301 100 re f");
    let drawn = render::page(source(&red), 1, Scale::DotsPerInch(72.0), Colours::Rgb).unwrap();
    let drawn = drawn.as_rgb8().unwrap();
    assert_eq!(drawn.dimensions(), (301, 200));
    assert_eq!(drawn.get_pixel(300, 199).0, [255, 0, 0]);
    assert_eq!(drawn.get_pixel(0, 0).0, [255, 255, 255]);

    let limits = Limits { pixels: 1000, ..Limits::default() };
    let small = Source { limits, ..source(&bytes) };
    let error = render::page(small, 1, Scale::DotsPerInch(300.0), Colours::Rgb).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { .. }), "{error:?}");
}

/// The file with one part of it exchanged for another of the same length: all places stay right.
fn with_exchanged(file: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    String::from_utf8(file.to_vec()).unwrap().replacen(old, new, 1).into_bytes()
}

#[test]
fn pages_that_are_not_there_are_named_and_a_file_of_nothing_else_is_no_success() {
    let good = PdfFile::page("/MediaBox [0 0 300 200]", HELLO);
    let boastful = read(&with_exchanged(&good, "/Count 1", "/Count 9"));
    assert_eq!(text(&boastful.pages[0]), "Hello wide World");
    let remarks = boastful.tail.unwrap().remarks;
    assert_eq!(remarks.len(), boastful.pages.len() - 1, "{remarks:?}");

    let hollow = with_exchanged(&good, "/Kids [6 0 R]", "/Kids [3 0 R]");
    let refused = read_source(source(&hollow)).unwrap_err();
    assert!(matches!(refused, ReadError::Damaged { .. }), "{refused:?}");
}
