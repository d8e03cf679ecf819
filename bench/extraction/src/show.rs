//! Prints the pages of documents with the place of every line, to see what extraction works on.

use std::io::{Write, stdout};
use std::path::Path;

use pages::{Area, Page};

use crate::corpus;

/// Prints the documents of `folder` whose names contain `name`.
pub(crate) fn show(root: &Path, cache: &Path, folder: &str, name: &str) -> anyhow::Result<()> {
    let extension = corpus::FOLDERS
        .iter()
        .find_map(|(found, extension)| (*found == folder).then_some(*extension))
        .unwrap_or("pdf");
    for file in corpus::files(root, folder, extension)? {
        let shown = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !shown.contains(name) {
            continue;
        }
        writeln!(stdout(), "=== {shown}")?;
        let parts = corpus::load(cache, folder, &file)?;
        for page in corpus::pages(&parts) {
            print_page(&extraction::letter_spacing::join(page))?;
        }
    }
    Ok(())
}

fn print_page(page: &Page) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    let size = page.size.map(|size| (size.width, size.height));
    writeln!(out, "--- page {} {size:?} {:?} {:?}", page.number, page.language, page.text)?;
    for block in &page.blocks {
        writeln!(out, "{:?}", block.kind)?;
        for line in block.lines.of(&page.lines) {
            let words: Vec<String> = line
                .words
                .of(&page.words)
                .iter()
                .map(|word| match &word.other {
                    Some(other) => format!("{}<{}>", word.text, other.text),
                    None => word.text.clone(),
                })
                .collect();
            writeln!(out, "  {} {}", place(line.area), words.join(" "))?;
        }
    }
    for table in &page.tables {
        writeln!(
            out,
            "table {}x{} header {} {}",
            table.rows,
            table.columns,
            table.header_rows,
            place(table.area)
        )?;
        for cell in &table.cells {
            let text = page.text_of(cell.words);
            writeln!(
                out,
                "  [{},{} +{}+{}] {text}",
                cell.row, cell.column, cell.row_span, cell.column_span
            )?;
        }
    }
    for pair in &page.key_values {
        writeln!(out, "  {} = {}", page.text_of(pair.key), page.text_of(pair.value))?;
    }
    Ok(())
}

fn place(area: Option<Area>) -> String {
    area.map_or_else(String::new, |area| {
        format!("({:.0},{:.0} {:.0},{:.0})", area.left, area.top, area.right, area.bottom)
    })
}
