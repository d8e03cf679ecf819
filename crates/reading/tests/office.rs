//! Word, PowerPoint and Excel files, written by the tests themselves.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod office_files;
mod page_view;

use domain::FileKind;
use office_files::{docx, markdown, markdown_of, pptx, read, xlsx, zip_of};
use reading::{Limits, Part, ReadError};

#[test]
fn headings_lists_and_tables_of_a_word_document_become_markdown() {
    let document = docx(
        r#"<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>Terms</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">Payment is </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>due</w:t></w:r><w:r><w:t xml:space="preserve"> &amp; final.</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>second</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc></w:tr>
        <w:tr><w:tc><w:p><w:r><w:t>a|b</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#,
    );
    assert_eq!(
        markdown(&document, FileKind::Docx),
        "# Terms\n\nPayment is **due** & final.\n\n1. first\n2. second\n\n\
         | wide | wide |\n| --- | --- |\n| a\\|b | c |\n"
    );
}

#[test]
fn deleted_and_hidden_text_is_gone_and_inserted_text_is_there() {
    let document = docx(
        r"<w:p><w:r><w:t>keep </w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>
        <w:ins><w:r><w:t>inserted</w:t></w:r></w:ins>
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
        <w:r><w:fldChar/></w:r><w:r><w:instrText>PAGEREF x</w:instrText></w:r></w:p>",
    );
    assert_eq!(markdown(&document, FileKind::Docx), "keep inserted\n");
}

#[test]
fn a_text_box_is_read_once_though_it_is_written_twice() {
    let document = docx(
        r"<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>
        <w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice>
        <mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p>
        </w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>",
    );
    assert_eq!(markdown(&document, FileKind::Docx), "in the box\n");
}

#[test]
fn a_page_break_makes_a_page() {
    let document = docx(
        r#"<w:p><w:r><w:t>one</w:t></w:r><w:r><w:br w:type="page"/></w:r></w:p>
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>"#,
    );
    let pages = read(&document, FileKind::Docx, Limits::default()).unwrap();
    assert_eq!(pages.iter().map(markdown_of).collect::<Vec<_>>(), ["one\n", "two\n"]);
}

#[test]
fn a_sheet_is_shown_as_a_person_sees_it() {
    let sheet = r#"<worksheet><sheetData>
        <row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>Due</t></is></c></row>
        <row r="3"><c r="B3" s="1"><v>1234.5</v></c><c r="C3" s="2"><v>45292</v></c></row>
        <row r="9"><c r="D9" t="b"><v>1</v></c></row>
        </sheetData></worksheet>"#;
    let pages = read(&xlsx(sheet, "Amount"), FileKind::Xlsx, Limits::default()).unwrap();
    assert_eq!(pages[0].label.as_deref(), Some("Sums"));
    assert_eq!(
        markdown_of(&pages[0]),
        "## Sums\n\n| Amount | Due |\n| --- | --- |\n| 1,234.50 | 2024-01-01 |\n\nTRUE\n"
    );
}

#[test]
fn merged_cells_span() {
    let sheet = r#"<worksheet><sheetData>
        <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"/></row>
        <row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>
        </sheetData><mergeCells count="1"><mergeCell ref="A1:B1"/></mergeCells></worksheet>"#;
    let pages = read(&xlsx(sheet, "Both"), FileKind::Xlsx, Limits::default()).unwrap();
    let text = pages.iter().map(markdown_of).collect::<String>();
    assert_eq!(text, "## Sums\n\nBoth\n\n| 1 | 2 |\n| --- | --- |\n");
}

#[test]
fn two_cells_far_apart_cost_no_memory() {
    let sheet = r#"<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row>
        <row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>"#;
    let pages = read(&xlsx(sheet, ""), FileKind::Xlsx, Limits::default()).unwrap();
    assert_eq!(markdown_of(&pages[0]), "## Sums\n\n1\n\n2\n");
}

#[test]
fn slides_have_titles_bullets_and_notes() {
    let slide = r#"<p:sld><p:cSld><p:spTree>
        <p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody>
        <a:p><a:pPr><a:buChar char="-"/></a:pPr><a:r><a:t>bullet</a:t></a:r></a:p>
        <a:p><a:r><a:t>plain</a:t></a:r></a:p></p:txBody></p:sp>
        <p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody>
        <a:p><a:r><a:t>Title</a:t></a:r></a:p></p:txBody></p:sp>
        </p:spTree></p:cSld></p:sld>"#;
    let notes = r#"<p:notes><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody>
        <a:p><a:r><a:t>Say hello</a:t></a:r></a:p></p:txBody></p:sp></p:notes>"#;
    let file = pptx(slide, notes);
    assert_eq!(markdown(&file, FileKind::Pptx), "# Title\n\n- bullet\n\nplain\n\n> Say hello\n");
}

fn remarks(bytes: &[u8], kind: FileKind) -> Result<Vec<String>, ReadError> {
    let mut remarks = Vec::new();
    office_files::parts(bytes, kind, Limits::default(), &mut |part: Part| {
        if let Part::Tail(tail) = part {
            remarks = tail.remarks;
        }
        Ok(())
    })?;
    Ok(remarks)
}

#[test]
fn a_slide_that_is_not_there_is_told_of_and_without_any_the_file_is_damaged() {
    let named = r#"<p:presentation><p:sldIdLst><p:sldId id="256" r:id="r0"/><p:sldId id="257" r:id="r1"/></p:sldIdLst></p:presentation>"#;
    let relations = r#"<Relationships><Relationship Id="r0" Type="http://x/slide" Target="slides/slide1.xml"/><Relationship Id="r1" Type="http://x/slide" Target="slides/slide2.xml"/></Relationships>"#;
    let mut members =
        vec![("ppt/presentation.xml", named), ("ppt/_rels/presentation.xml.rels", relations)];
    let damaged = remarks(&zip_of(&members), FileKind::Pptx).unwrap_err();
    assert_eq!(damaged.to_string(), "the file is damaged: none of its slides is in the file");
    members.push(("ppt/slides/slide1.xml", "<p:sld/>"));
    let told = remarks(&zip_of(&members), FileKind::Pptx).unwrap();
    assert_eq!(told, ["The slide 2 is not in the file."]);
    let empty = zip_of(&[("ppt/presentation.xml", "<p:presentation/>")]);
    assert!(remarks(&empty, FileKind::Pptx).unwrap().is_empty(), "it names none");
}

#[test]
fn a_sheet_that_is_not_there_is_told_of_and_without_any_the_file_is_damaged() {
    let sheet = |number| format!(r#"<sheet name="Sheet {number}" r:id="r{number}"/>"#);
    let sheets: Vec<String> = (0..30).map(sheet).collect();
    let named = format!("<workbook><sheets>{}</sheets></workbook>", sheets.concat());
    let relations = r#"<Relationships><Relationship Id="r0" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
    let mut members =
        vec![("xl/workbook.xml", named.as_str()), ("xl/_rels/workbook.xml.rels", relations)];
    let damaged = remarks(&zip_of(&members), FileKind::Xlsx).unwrap_err();
    assert_eq!(damaged.to_string(), "the file is damaged: none of its sheets is in the file");
    members.push(("xl/worksheets/sheet1.xml", "<worksheet/>"));
    let told = remarks(&zip_of(&members), FileKind::Xlsx).unwrap();
    assert_eq!(told[0], "The sheet «Sheet 1» is not in the file.");
    assert_eq!((told.len(), told[20].as_str()), (21, "29 sheets are not in the file in all."));
}

#[test]
fn no_nul_comes_out_of_an_office_file() {
    let sheet = "<worksheet><sheetData><row r=\"1\"><c r=\"A1\"><v>45\0 00</v></c>\
        <c r=\"B1\" t=\"inlineStr\"><is><t>Due&#0;</t></is></c></row></sheetData></worksheet>";
    let named = "<workbook><sheets><sheet name=\"Su\0ms\" r:id=\"r0\"/></sheets></workbook>";
    let relations = r#"<Relationships><Relationship Id="r0" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#;
    let file = zip_of(&[
        ("xl/workbook.xml", named),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/worksheets/sheet1.xml", sheet),
    ]);
    let text = markdown(&file, FileKind::Xlsx);
    assert!(text.contains("Sums") && text.contains("45 00") && text.contains("Due"), "{text:?}");
    assert!(!text.contains('\0'), "{text:?}");
}

#[test]
fn what_unpacks_to_too_much_is_refused_before_and_while_it_is_unpacked() {
    let body = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "a".repeat(2 << 20));
    let bomb = docx(&body);
    assert!(bomb.len() < 100_000);
    let limits = Limits { unpacked: 1 << 20, ..Limits::default() };
    assert!(matches!(read(&bomb, FileKind::Docx, limits), Err(ReadError::TooLarge { .. })));

    // The same with a directory that says the member is small.
    let mut lying = bomb;
    let size = u32::try_from(body.len()).unwrap() + 40;
    for at in 0..lying.len() - 4 {
        let stated = u32::from_le_bytes(lying[at..at + 4].try_into().unwrap());
        if stated.abs_diff(size) < 200 {
            lying[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
        }
    }
    assert!(read(&lying, FileKind::Docx, limits).is_err());
}

#[test]
fn a_member_that_unpacks_to_many_times_its_size_is_refused_unless_it_is_small() {
    let text =
        |length: usize| docx(&format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "a".repeat(length)));
    let bomb = read(&text(48 << 20), FileKind::Docx, Limits::default()).unwrap_err();
    assert!(matches!(bomb, ReadError::TooLarge { .. }), "{bomb}");
    assert_eq!(read(&text(4 << 20), FileKind::Docx, Limits::default()).unwrap().len(), 1);
}

#[test]
fn elements_within_elements_without_end_are_refused() {
    let deep = format!("{}{}", "<w:ins>".repeat(100_000), "</w:ins>".repeat(100_000));
    for body in [deep.clone(), format!("<w:p>{deep}</w:p>")] {
        let error = read(&docx(&body), FileKind::Docx, Limits::default()).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn what_is_nested_as_deep_as_allowed_takes_little_stack() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}<w:r><w:t>deep</w:t></w:r>{}", open.repeat(depth), close.repeat(depth))
    };
    let row = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc>";
    let bodies = [
        format!("<w:p>{}</w:p>", nested("<w:ins>", "</w:ins>", 500)),
        nested(row, "</w:tc></w:tr></w:tbl>", 160),
        nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", 160),
        format!(
            "<w:p><m:oMath>{}</m:oMath></w:p>",
            nested("<m:sSup><m:e>", "</m:e></m:sSup>", 240)
        ),
    ];
    for body in bodies {
        assert!(read(&docx(&body), FileKind::Docx, Limits::default()).is_ok());
    }
}

#[test]
fn entities_that_a_document_defines_stand_for_nothing() {
    let document = r#"<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">
        <!ENTITY file SYSTEM "file:///etc/passwd">]>
        <w:document><w:body><w:p><w:r><w:t>x&b;&file;y</w:t></w:r></w:p></w:body></w:document>"#;
    let file = zip_of(&[("word/document.xml", document)]);
    assert_eq!(markdown(&file, FileKind::Docx), "xy\n");
}

#[test]
fn an_encrypted_file_asks_for_no_password_that_would_not_help_and_a_truncated_one_is_damaged() {
    let mut encrypted = vec![0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
    encrypted.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    for kind in [FileKind::Docx, FileKind::Xlsx, FileKind::Pptx] {
        let refused = read(&encrypted, kind, Limits::default()).unwrap_err();
        assert_eq!(refused, ReadError::unsupported("the encryption of Office files"));
        assert_eq!(refused.code(), None);
    }
    let whole = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    for length in 0..whole.len() {
        let error = read(&whole[..length], FileKind::Docx, Limits::default()).unwrap_err();
        assert!(matches!(error, ReadError::Damaged { .. }), "cut at {length}: {error}");
    }
}

#[test]
fn a_flipped_byte_is_an_error_or_another_document_and_never_a_panic() {
    let whole = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p><w:tbl><w:tr><w:tc/></w:tr></w:tbl>");
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x55;
        let _ = read(&changed, FileKind::Docx, Limits::default());
    }
}

#[test]
fn the_head_comes_first_and_the_tail_last() {
    let file = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    let mut parts = Vec::new();
    office_files::parts(&file, FileKind::Docx, Limits::default(), &mut |part: Part| {
        parts.push(part);
        Ok(())
    })
    .unwrap();
    assert!(matches!(parts.as_slice(), [Part::Head(_), Part::Page(_), Part::Tail(_)]));
}
