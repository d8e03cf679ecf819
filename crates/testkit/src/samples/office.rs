//! Office files: XML in a zip archive.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The archive of these members, in this order. A name that no archive can hold is left out.
pub(super) fn zip_of(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        if writer.start_file(name.as_str(), SimpleFileOptions::default()).is_ok() {
            writer.write_all(content).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

fn members(of: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    of.iter().map(|(name, content)| ((*name).to_owned(), content.as_bytes().to_vec())).collect()
}

fn relations(of: &[(&str, &str)]) -> String {
    let one = |(at, (kind, target)): (usize, &(&str, &str))| {
        format!(r#"<Relationship Id="r{at}" Type="http://x/{kind}" Target="{target}"/>"#)
    };
    format!("<Relationships>{}</Relationships>", of.iter().enumerate().map(one).collect::<String>())
}

pub(super) fn docx() -> Vec<(String, Vec<u8>)> {
    let body = r#"<w:document><w:body>
        <w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>A letter</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>
          <w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">first </w:t></w:r><w:r><w:t>point</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>Sum</w:t></w:r></w:p></w:tc></w:tr>
          <w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc>
          <w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        <m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath>
        </w:body></w:document>"#;
    let styles = r#"<w:styles><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/>
        <w:basedOn w:val="Base"/></w:style><w:style w:type="paragraph" w:styleId="Base"/></w:styles>"#;
    let numbering = r#"<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>
        <w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
        <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#;
    let related = relations(&[("styles", "styles.xml"), ("numbering", "numbering.xml")]);
    members(&[
        ("[Content_Types].xml", "<Types/>"),
        ("word/document.xml", body),
        ("word/styles.xml", styles),
        ("word/numbering.xml", numbering),
        ("word/_rels/document.xml.rels", &related),
    ])
}

pub(super) fn xlsx() -> Vec<(String, Vec<u8>)> {
    let workbook = r#"<workbook><workbookPr date1904="0"/><sheets><sheet name="Sums" sheetId="1" r:id="r0"/></sheets></workbook>"#;
    let sheet = r#"<worksheet><dimension ref="A1:C3"/><sheetData>
        <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Price</t></is></c></row>
        <row r="2"><c r="A2" s="2"><v>45000</v></c><c r="B2" s="1"><f>1+1</f><v>1234.5</v></c><c r="C2" t="b"><v>1</v></c></row>
        <row r="3"><c r="C3" s="3"><v>0.25</v></c></row>
        </sheetData><mergeCells count="1"><mergeCell ref="A3:B3"/></mergeCells></worksheet>"#;
    let styles = r##"<styleSheet><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00;[Red]-0.0%"/></numFmts>
        <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="12"/></cellXfs></styleSheet>"##;
    let related = relations(&[
        ("worksheet", "worksheets/sheet1.xml"),
        ("sharedStrings", "sharedStrings.xml"),
        ("styles", "styles.xml"),
    ]);
    members(&[
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.xml", workbook),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/sharedStrings.xml", r#"<sst count="1"><si><t>Item</t></si></sst>"#),
        ("xl/styles.xml", styles),
        ("xl/_rels/workbook.xml.rels", &related),
    ])
}

pub(super) fn pptx() -> Vec<(String, Vec<u8>)> {
    let presentation = r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>"#;
    let slide = r#"<p:sld><p:cSld><p:spTree>
        <p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Plans</a:t></a:r></a:p></p:txBody></p:sp>
        <p:sp><p:spPr><a:xfrm><a:off x="1" y="9"/></a:xfrm></p:spPr><p:txBody><a:p><a:pPr lvl="1"><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr><a:r><a:t>grow</a:t></a:r></a:p></p:txBody></p:sp>
        <p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>Year</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>
        </p:spTree></p:cSld></p:sld>"#;
    let notes = "<p:notes><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Smile</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>";
    members(&[
        ("[Content_Types].xml", "<Types/>"),
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
