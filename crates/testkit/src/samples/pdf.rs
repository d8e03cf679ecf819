//! PDFs.

use std::io::Write;

/// Puts numbered objects together with a cross-reference table that fits.
pub fn pdf_of_objects(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        writeln!(file, "{} 0 obj", index + 1).unwrap();
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let (table, size) = (file.len(), places.len() + 1);
    write!(file, "xref\n0 {size}\n0000000000 65535 f \n").unwrap();
    for place in places {
        writeln!(file, "{place:010} 00000 n ").unwrap();
    }
    write!(file, "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").unwrap();
    file
}

fn stream(dictionary: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< {dictionary} /Length {} >> stream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// Two pages: words, a table with ruled lines, a form field and a link.
pub(super) fn text_table_and_form() -> Vec<Vec<u8>> {
    let mut lines = vec!["0.5 w".to_owned()];
    for line in 0..4 {
        let (along, up) = (50 + line * 60, 60 + line * 20);
        lines.push(format!("50 {up} m 230 {up} l S {along} 60 m {along} 120 l S"));
    }
    for (cell, text) in ["Item", "Count", "Price", "Pen", "3", "4.50"].iter().enumerate() {
        let (left, up) = (54 + cell % 3 * 60, 106 - cell / 3 * 20);
        lines.push(format!("BT /F1 9 Tf {left} {up} Td ({text}) Tj ET"));
    }
    let table = lines.join("\n");
    let first = format!("BT /F1 12 Tf 50 170 Td (An invoice of three pens) Tj ET\n{table}\n");
    let second =
        "BT /F1 10 Tf 1 0 0.2 1 40 150 Tm [(Sp) -300 (aced) 20 ( words)] TJ T* <48656c6c6f> Tj ET";
    let page = |content: u32| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents {content} 0 R /Rotate 0 \
             /Annots [8 0 R 9 0 R] /Resources << /Font << /F1 3 0 R >> >> >>"
        )
    };
    vec![
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [8 0 R] /DA (/F1 9 Tf) >> >>".to_vec(),
        b"<< /Type /Pages /Kids [4 0 R 5 0 R] /Count 2 >>".to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 32 /Widths [278 278 355] >>"
            .to_vec(),
        page(6).into_bytes(),
        page(7).into_bytes(),
        stream("", first.as_bytes()),
        stream("/Filter /ASCIIHexDecode", hex(second.as_bytes()).as_bytes()),
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /Rect [60 140 160 155] >>"
            .to_vec(),
        b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://127.0.0.1:9/) >> >>"
            .to_vec(),
    ]
}

/// A page that is a picture twice: once as JPEG, once as plain samples.
pub(super) fn with_picture(jpg: &[u8]) -> Vec<Vec<u8>> {
    let samples: Vec<u8> = (0..=u8::MAX).map(|at| if at % 17 < 9 { 0 } else { 255 }).collect();
    let plain = hex(&samples);
    vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 96 96] /Contents 4 0 R \
          /Resources << /XObject << /A 5 0 R /B 6 0 R >> >> >>"
            .to_vec(),
        stream("", b"q 90 0 0 40 3 50 cm /A Do Q q 40 0 0 40 3 3 cm /B Do Q"),
        stream(
            "/Type /XObject /Subtype /Image /Width 48 /Height 32 /ColorSpace /DeviceGray \
             /BitsPerComponent 8 /Filter /DCTDecode",
            jpg,
        ),
        stream(
            "/Type /XObject /Subtype /Image /Width 16 /Height 16 /ColorSpace /DeviceGray \
             /BitsPerComponent 8 /Filter [/ASCIIHexDecode]",
            plain.as_bytes(),
        ),
    ]
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat() + ">"
}
