//! A table as it is found, before its words have their final order.

use pages::{Area, Word};

use super::Placed;
use super::rows;

#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) area: Area,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) header_rows: usize,
    pub(crate) cells: Vec<FoundCell>,
}

#[derive(Clone, Debug)]
pub(crate) struct FoundCell {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) row_span: usize,
    pub(crate) column_span: usize,
    /// Indexes into the page's words.
    pub(crate) words: Vec<usize>,
}

/// Would the first word of the lower line have fitted behind the upper one? Then the writer broke the
/// line on purpose, and the two are not one text that was wrapped.
pub(crate) fn was_wrapped(upper: &[Placed], lower: &[Placed], left: f32, right: f32) -> bool {
    let (Some(first), false) = (lower.first(), upper.is_empty()) else { return false };
    let upper = rows::around(upper);
    let space = first.size * 0.3;
    let room = (right - left) - upper.width();
    first.area.width() + space > room
}

/// What ends so introduces what follows.
pub(crate) fn ends_in_colon(line: &[Placed], text: &[Word]) -> bool {
    let last = line.last().and_then(|placed| text.get(placed.word));
    last.is_some_and(|word| word.text.ends_with(':'))
}

/// Something that stands for itself: a number, an amount, a date, a dash.
pub(crate) fn is_value(cell: &[Placed], text: &[Word]) -> bool {
    let texts = || cell.iter().filter_map(|placed| text.get(placed.word));
    let chars = || texts().flat_map(|word| word.text.chars());
    let dash = || chars().all(|char| "-–—.*†‡".contains(char));
    !chars().any(char::is_alphabetic) && (chars().any(char::is_numeric) || dash())
}

/// Leaves out rows and columns that nothing begins in, and says no to what is not a table after all.
pub(crate) fn tidy(
    cells: Vec<(FoundCell, Vec<Placed>)>,
    area: Area,
    words: &[Word],
) -> Option<Found> {
    let cells: Vec<_> = cells.into_iter().filter(|(_, words)| !words.is_empty()).collect();
    let row_at = kept(cells.iter().map(|(cell, _)| (cell.row, cell.row_span)));
    let column_at = kept(cells.iter().map(|(cell, _)| (cell.column, cell.column_span)));
    let (rows, columns) = (*row_at.last()?, *column_at.last()?);
    if rows < 2 || columns < 2 || cells.len() < 3 {
        return None;
    }
    let mut cells: Vec<FoundCell> = cells
        .into_iter()
        .map(|(cell, words)| FoundCell {
            row: row_at[cell.row],
            column: column_at[cell.column],
            row_span: (row_at[cell.row + cell.row_span] - row_at[cell.row]).max(1),
            column_span: (column_at[cell.column + cell.column_span] - column_at[cell.column])
                .max(1),
            words: in_lines(&words),
        })
        .collect();
    cells.sort_by_key(|cell| (cell.row, cell.column));
    let header_rows = header_rows(&cells, rows, words);
    Some(Found { area, rows, columns, header_rows, cells })
}

/// New numbers for the rows (or columns) that some cell begins in; the count comes last.
fn kept(begins: impl Iterator<Item = (usize, usize)> + Clone) -> Vec<usize> {
    let end = begins.clone().map(|(at, span)| at + span).max().unwrap_or(0);
    let mut used = vec![false; end];
    for (at, _) in begins {
        used[at] = true;
    }
    let mut number = 0;
    let mut numbers = Vec::with_capacity(end + 1);
    for used in used {
        numbers.push(number);
        number += usize::from(used);
    }
    numbers.push(number);
    numbers
}

/// Words line by line.
fn in_lines(words: &[Placed]) -> Vec<usize> {
    rows::of(words).iter().flat_map(|row| rows::in_reading_order(&row.words)).collect()
}

/// Rows at the top without a number in a table that has numbers below; or one row in bold.
fn header_rows(cells: &[FoundCell], rows: usize, words: &[Word]) -> usize {
    let row = |row: usize| cells.iter().filter(move |cell| cell.row == row);
    let numeric =
        |at: usize| row(at).filter(|cell| cell.column > 0).any(|cell| is_numeric(cell, words));
    let bold = |at: usize| {
        row(at)
            .flat_map(|cell| &cell.words)
            .all(|word| words.get(*word).is_some_and(|word| word.style.bold))
    };
    let first_numeric = (0..rows).find(|at| numeric(*at));
    match first_numeric {
        Some(at) if at > 0 => at.min(4),
        Some(_) => usize::from(bold(0) && !bold(1)),
        None => usize::from(bold(0) && !bold(1) || row(0).count() > 1),
    }
}

/// More digits than letters; a year is a name as often as a value, and does not count.
fn is_numeric(cell: &FoundCell, words: &[Word]) -> bool {
    let texts =
        || cell.words.iter().filter_map(|word| words.get(*word)).map(|word| word.text.as_str());
    let digits = texts().flat_map(str::chars).filter(char::is_ascii_digit).count();
    let letters = texts().flat_map(str::chars).filter(|c| c.is_alphabetic()).count();
    let year = matches!(texts().collect::<Vec<_>>().as_slice(), [one] if is_year(one));
    digits > letters && !year
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year))
}
