//! Tables of PDFs whose cells are known, found and taken apart from the page alone.
//!
//! *Cell recall*: a cell of the truth counts when some cell of a table found on its page has the same
//! text. *Adjacency F1*: pairs of neighbouring cells (empty ones skipped) that truth and reading share.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use pages::{Page, Table};

use crate::pdf::{pages_of, pdfs_in};

pub(crate) fn measure(corpus: &Path, each: bool) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let folder = corpus.join("pdf_text/icdar2013_tables");
    let files = pdfs_in(&folder)?;
    if files.is_empty() {
        writeln!(out, "TABLES: LEFT OUT, {} IS NOT THERE", folder.display())?;
        return Ok(());
    }
    let mut all = Counts::default();
    let mut structure = Counts::default();
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let truth = std::fs::read_to_string(folder.join(format!("{name}-str.xml")))?;
        let pages = pages_of(&std::fs::read(file)?)?;
        for (number, tables) in truth_of(&truth) {
            let Some(page) = pages.iter().find(|page| page.number == number) else { continue };
            let found = grids_of(page);
            let cells = compare(&texts(&tables), &texts(&found));
            let pairs = compare(&neighbours(&tables), &neighbours(&found));
            if each {
                writeln!(
                    out,
                    "  {name} page {number}: cells {} of {}, adjacency F1 {:.3}, tables {} of {}",
                    cells.both,
                    cells.truth,
                    pairs.f1(),
                    found.len(),
                    tables.len()
                )?;
                missed(&mut out, &texts(&tables), &texts(&found))?;
            }
            all.add(cells);
            structure.add(pairs);
        }
    }
    writeln!(
        out,
        "tables, {} files: cell recall {:.4} ({} of {}), cell precision {:.3}, adjacency F1 {:.4}",
        files.len(),
        all.recall(),
        all.both,
        all.truth,
        all.precision(),
        structure.f1()
    )?;
    Ok(())
}

fn missed(
    out: &mut impl Write,
    truth: &HashMap<String, usize>,
    found: &HashMap<String, usize>,
) -> io::Result<()> {
    let mut missed: Vec<&String> = truth
        .iter()
        .filter(|(text, n)| found.get(*text).copied().unwrap_or(0) < **n)
        .map(|(text, _)| text)
        .collect();
    missed.sort();
    for text in missed.iter().take(12) {
        writeln!(out, "      not found: {text}")?;
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    truth: usize,
    found: usize,
    both: usize,
}

#[expect(clippy::cast_precision_loss, reason = "no corpus has that many cells")]
impl Counts {
    fn add(&mut self, other: Self) {
        self.truth += other.truth;
        self.found += other.found;
        self.both += other.both;
    }

    fn recall(self) -> f64 {
        self.both as f64 / self.truth.max(1) as f64
    }

    fn precision(self) -> f64 {
        self.both as f64 / self.found.max(1) as f64
    }

    fn f1(self) -> f64 {
        2.0 * self.both as f64 / (self.truth + self.found).max(1) as f64
    }
}

fn compare(truth: &HashMap<String, usize>, found: &HashMap<String, usize>) -> Counts {
    let both = truth.iter().map(|(text, n)| found.get(text).copied().unwrap_or(0).min(*n)).sum();
    Counts { truth: truth.values().sum(), found: found.values().sum(), both }
}

/// The text at each place of a table; a cell that spans several is at all of them.
#[derive(Debug, Default)]
struct Grid {
    cells: Vec<String>,
    places: HashMap<(usize, usize), usize>,
    rows: usize,
    columns: usize,
}

impl Grid {
    fn put(&mut self, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>, text: &str) {
        let text = normalised(text);
        if text.is_empty() {
            return;
        }
        self.rows = self.rows.max(rows.end);
        self.columns = self.columns.max(columns.end);
        let index = self.cells.len();
        self.cells.push(text);
        for row in rows {
            for column in columns.clone() {
                self.places.insert((row, column), index);
            }
        }
    }
}

/// Letters and digits in lower case; what has none stays as it is.
fn normalised(text: &str) -> String {
    let plain: String =
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if plain.is_empty() { text.split_whitespace().collect() } else { plain }
}

fn texts(grids: &[Grid]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for text in grids.iter().flat_map(|grid| &grid.cells) {
        *counts.entry(text.clone()).or_default() += 1;
    }
    counts
}

fn neighbours(grids: &[Grid]) -> HashMap<String, usize> {
    let mut pairs = HashMap::new();
    for grid in grids {
        let mut seen = std::collections::HashSet::new();
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let Some(&here) = grid.places.get(&(row, column)) else { continue };
                let right = (column + 1..grid.columns).find_map(|at| other(grid, (row, at), here));
                let below = (row + 1..grid.rows).find_map(|at| other(grid, (at, column), here));
                for (next, direction) in [(right, '→'), (below, '↓')] {
                    if let Some(next) = next
                        && seen.insert((here, next, direction))
                    {
                        let pair = format!("{} {direction} {}", grid.cells[here], grid.cells[next]);
                        *pairs.entry(pair).or_default() += 1;
                    }
                }
            }
        }
    }
    pairs
}

fn other(grid: &Grid, place: (usize, usize), here: usize) -> Option<usize> {
    grid.places.get(&place).copied().filter(|index| *index != here)
}

fn grids_of(page: &Page) -> Vec<Grid> {
    page.tables.iter().map(|table| grid_of(page, table)).collect()
}

fn grid_of(page: &Page, table: &Table) -> Grid {
    let mut grid = Grid::default();
    for cell in &table.cells {
        let (row, column) = (cell.row as usize, cell.column as usize);
        let rows = row..row + cell.row_span as usize;
        let columns = column..column + cell.column_span as usize;
        grid.put(rows, columns, &page.text_of(cell.words));
    }
    grid
}

/// The tables of the truth by page.
fn truth_of(xml: &str) -> Vec<(u32, Vec<Grid>)> {
    let mut pages: Vec<(u32, Vec<Grid>)> = Vec::new();
    for region in xml.split("<region").skip(1) {
        let number = attribute(region, "page").unwrap_or(0);
        let mut grid = Grid::default();
        for cell in region.split("<cell").skip(1) {
            let at = |name| attribute(cell, name).map(|at| at as usize);
            let (row, column) = (at("start-row").unwrap_or(0), at("start-col").unwrap_or(0));
            let rows = row..at("end-row").unwrap_or(row) + 1;
            let columns = column..at("end-col").unwrap_or(column) + 1;
            let content =
                cell.split_once("<content>").and_then(|(_, rest)| rest.split_once("</content>"));
            grid.put(rows, columns, &unescaped(content.map_or("", |(content, _)| content)));
        }
        match pages.iter_mut().find(|(page, _)| *page == number) {
            Some((_, grids)) => grids.push(grid),
            None => pages.push((number, vec![grid])),
        }
    }
    pages
}

fn attribute(element: &str, name: &str) -> Option<u32> {
    let tag = element.split_once('>')?.0;
    let value = tag.split_once(&format!("{name}="))?.1;
    value.get(1..)?.split_once(['"', '\''])?.0.parse().ok()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}
