//! Writes small PDFs.

use std::fmt::Write;

pub(crate) struct PdfFile;

impl PdfFile {
    /// One page with this dictionary and content; `/F1` is Helvetica, `/F2` bold.
    pub(crate) fn page(dictionary: &str, content: &str) -> Vec<u8> {
        let content = format!("<< /Length {} >> stream\n{content}\nendstream", content.len());
        catalog_with("", &[&page(dictionary, ""), &content], "")
    }

    /// A page that says "Name", with one field.
    pub(crate) fn with_form(field: &str) -> Vec<u8> {
        let content = "BT /F1 12 Tf 50 100 Td (Name) Tj ET";
        let content = format!("<< /Length {} >> stream\n{content}\nendstream", content.len());
        let page = page("/MediaBox [0 0 300 200]", "/Annots [8 0 R]");
        catalog_with("/AcroForm << /Fields [8 0 R] >>", &[&page, &content, field], "")
    }

    /// An empty page, a title and an author, and one file attached.
    pub(crate) fn with_attachment(name: &str, content: &str) -> Vec<u8> {
        let names = format!("/Names << /EmbeddedFiles << /Names [({name}) 8 0 R] >> >>");
        let spec = format!("<< /Type /Filespec /F ({name}) /UF ({name}) /EF << /F 9 0 R >> >>");
        let file = format!(
            "<< /Type /EmbeddedFile /Length {} >> stream\n{content}\nendstream",
            content.len()
        );
        let info = "<< /Title (An invoice) /Author (Somebody) >>";
        let page = page("/MediaBox [0 0 300 200]", "");
        catalog_with(
            &names,
            &[&page, "<< /Length 0 >> stream\n\nendstream", &spec, &file, info],
            "/Info 10 0 R",
        )
    }
}

fn page(dictionary: &str, more: &str) -> String {
    format!(
        "<< /Type /Page /Parent 2 0 R {dictionary} /Contents 7 0 R {more} \
         /Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>"
    )
}

/// A file with this in its catalog and trailer. Objects 1 to 5 are the catalog, the pages and the fonts;
/// 6 is the page, 7 its content, the rest follows.
pub(crate) fn catalog_with(catalog: &str, objects: &[&str], trailer: &str) -> Vec<u8> {
    let catalog = format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>");
    let first = [
        catalog.as_str(),
        "<< /Type /Pages /Kids [6 0 R] /Count 1 >>",
        "null",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ];
    let mut file = String::from("%PDF-1.7\n");
    let mut places = Vec::new();
    for (index, object) in first.iter().chain(objects).enumerate() {
        places.push(file.len());
        writeln!(file, "{} 0 obj\n{object}\nendobj", index + 1).unwrap();
    }
    let table = file.len();
    writeln!(file, "xref\n0 {}\n0000000000 65535 f ", places.len() + 1).unwrap();
    for place in &places {
        writeln!(file, "{place:010} 00000 n ").unwrap();
    }
    let size = places.len() + 1;
    write!(file, "trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n")
        .unwrap();
    file.into_bytes()
}
