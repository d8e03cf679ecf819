//! Builds small Office files, and reads any file as Markdown.

use std::io::{Cursor, Write};

use domain::FileKind;
use pages::Page;
use reading::{Limits, Part, ReadError, Sink, Source};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub(crate) fn zip_of(members: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn relations(of: &[(&str, &str)]) -> String {
    let one = |(at, (kind, target)): (usize, &(&str, &str))| {
        format!(r#"<Relationship Id="r{at}" Type="http://x/{kind}" Target="{target}"/>"#)
    };
    format!("<Relationships>{}</Relationships>", of.iter().enumerate().map(one).collect::<String>())
}

pub(crate) fn docx(body: &str) -> Vec<u8> {
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let styles = r#"<w:styles><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>"#;
    let numbering = r#"<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">
        <w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#;
    zip_of(&[
        ("word/document.xml", &document),
        ("word/styles.xml", styles),
        ("word/numbering.xml", numbering),
        (
            "word/_rels/document.xml.rels",
            &relations(&[("styles", "styles.xml"), ("numbering", "numbering.xml")]),
        ),
    ])
}

/// One sheet, one shared string, and styles 1 (an amount) and 2 (a date).
pub(crate) fn xlsx(sheet: &str, string: &str) -> Vec<u8> {
    let workbook =
        r#"<workbook><sheets><sheet name="Sums" sheetId="1" r:id="r0"/></sheets></workbook>"#;
    let styles = r#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="4"/><xf numFmtId="14"/></cellXfs></styleSheet>"#;
    zip_of(&[
        ("xl/workbook.xml", workbook),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/sharedStrings.xml", &format!("<sst><si><t>{string}</t></si></sst>")),
        ("xl/styles.xml", styles),
        (
            "xl/_rels/workbook.xml.rels",
            &relations(&[
                ("worksheet", "worksheets/sheet1.xml"),
                ("sharedStrings", "sharedStrings.xml"),
                ("styles", "styles.xml"),
            ]),
        ),
    ])
}

pub(crate) fn pptx(slide: &str, notes: &str) -> Vec<u8> {
    let presentation = r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>"#;
    zip_of(&[
        ("ppt/presentation.xml", presentation),
        ("ppt/_rels/presentation.xml.rels", &relations(&[("slide", "slides/slide1.xml")])),
        ("ppt/slides/slide1.xml", slide),
        (
            "ppt/slides/_rels/slide1.xml.rels",
            &relations(&[("notesSlide", "../notesSlides/notesSlide1.xml")]),
        ),
        ("ppt/notesSlides/notesSlide1.xml", notes),
    ])
}

pub(crate) fn parts(
    bytes: &[u8],
    kind: FileKind,
    limits: Limits,
    sink: &mut dyn Sink,
) -> Result<(), ReadError> {
    let source = Source { bytes, kind, file_name: "file", password: None, limits };
    reading::formats::read_flow(&source, sink)
}

pub(crate) fn read(bytes: &[u8], kind: FileKind, limits: Limits) -> Result<Vec<Page>, ReadError> {
    let mut pages = Vec::new();
    parts(bytes, kind, limits, &mut |part: Part| {
        if let Part::Page(page) = part {
            pages.push(page);
        }
        Ok(())
    })?;
    Ok(pages)
}

pub(crate) fn markdown_of(page: &Page) -> String {
    let mut text = String::new();
    pages::export::markdown(page, &mut text);
    text
}

pub(crate) fn markdown(bytes: &[u8], kind: FileKind) -> String {
    let mut text = String::new();
    for page in read(bytes, kind, Limits::default()).unwrap() {
        pages::export::markdown(&page, &mut text);
    }
    text
}
