//! Layout analysis: groups words into lines, blocks, tables and key-values, in reading order.
//!
//! ```text
//! words + rules ─ frame: rotates the page so that its text is horizontal
//!   ├ ruled     tables whose lines are drawn
//!   ├ columns   what is left is cut into columns of prose
//!   ├ aligned   tables in a column that only their gaps show
//!   ├ columns   blocks that stand side by side
//!   └ blocks    lines, paragraphs, headings, lists, headers and footers
//! ```
//!
//! The analysis uses only areas, so pages read by OCR are treated like pages with a text layer. All distances are
//! relative to the size of the surrounding letters.

mod aligned;
mod blocks;
mod columns;
mod frame;
mod grid;
mod gutters;
mod key_values;
mod repeated;
mod rows;
mod ruled;
mod rules;
mod table;

use pages::{Area, Page, Word};

use frame::Frame;
use repeated::Repeated;
use table::Found;

/// A word with its position in the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// Its index in the page's list.
    pub(crate) word: usize,
    pub(crate) area: Area,
    /// The height of its letters: of the font where that is known, else of the area.
    pub(crate) size: f32,
    /// Its letters run from right to left.
    pub(crate) rtl: bool,
}

/// Analyses the pages of one document, in order.
#[derive(Debug, Default)]
pub struct Layout {
    repeated: Repeated,
}

impl Layout {
    /// Fills in lines, blocks, tables and key-values, and sorts the words into reading order, so that the words of a line
    /// or cell are adjacent.
    pub fn arrange(&mut self, page: &mut Page) {
        let rules = std::mem::take(&mut page.rules);
        let frame = Frame::of(page);
        let (asides, placed): (Vec<Placed>, Vec<Placed>) =
            frame.place(&page.words).into_iter().partition(|placed| {
                let word = page.words.get(placed.word);
                word.is_some_and(|word| frame::is_sideways(word, &placed.area))
            });
        if placed.is_empty() && asides.is_empty() {
            blocks::without_areas(page);
            return;
        }
        let rules: Vec<Area> = rules.iter().map(|rule| frame.seen(rule)).collect();
        let rules = rules::Rules::of(&rules);
        let mut tables = ruled::find(&rules, &placed, &page.words);
        let taken = taken_by(&tables, page.words.len());
        let free: Vec<Placed> =
            placed.iter().copied().filter(|placed| !taken[placed.word]).collect();
        let mut regions = Vec::new();
        for region in columns::of_prose(&free, &tables, &page.words) {
            regions.push(region_with_aligned_tables(region, &mut tables, &rules, &page.words));
        }
        let arranged = blocks::Arranged { placed, tables, regions, asides };
        blocks::write(page, arranged);
        self.repeated.mark(page);
        key_values::find(page);
    }
}

/// Analyses a single page.
pub fn arrange(page: &mut Page) {
    Layout::default().arrange(page);
}

/// A part of the page that is read from top to bottom.
#[derive(Debug, Default)]
pub(crate) struct Region {
    pub(crate) words: Vec<Placed>,
    /// The indexes of the tables in it.
    pub(crate) tables: Vec<usize>,
}

fn region_with_aligned_tables(
    mut region: Region,
    tables: &mut Vec<Found>,
    rules: &rules::Rules,
    words: &[Word],
) -> Region {
    let found = aligned::find(&region.words, rules, words);
    if found.is_empty() {
        return region;
    }
    let taken = taken_by(&found, words.len());
    region.words.retain(|placed| !taken[placed.word]);
    for table in found {
        region.tables.push(tables.len());
        tables.push(table);
    }
    region
}

fn taken_by(tables: &[Found], words: usize) -> Vec<bool> {
    let mut taken = vec![false; words];
    for word in tables.iter().flat_map(|table| &table.cells).flat_map(|cell| &cell.words) {
        if let Some(taken) = taken.get_mut(*word) {
            *taken = true;
        }
    }
    taken
}
