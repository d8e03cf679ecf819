//! Tables without ruled lines, found by the alignment of their text.
//!
//! Rows with a wide gap in them, one below the other, are a table when they leave the same gutters free
//! and are no prose. Lines of one cell that were wrapped are put together again.

use pages::Word;

use super::Placed;
use super::gutters::{self, Gutter, SEGMENT_GAP};
use super::rows::{self, Row};
use super::rules::Rules;
use super::table::{self, Found, FoundCell};

/// The gap that may separate columns, in letter sizes.
const COLUMN_GAP: f32 = 1.0;
/// Rows without such a gap that may stand between others: labels, wrapped lines.
const MAX_BETWEEN: usize = 3;
const MAX_ATTEMPTS: usize = 300;
const MAX_LEADERS: usize = 2_000;

pub(crate) fn find(words: &[Placed], rules: &Rules, text: &[Word]) -> Vec<Found> {
    let (leaders, words): (Vec<Placed>, Vec<Placed>) =
        words.iter().partition(|placed| text.get(placed.word).is_some_and(is_leader));
    let rows = rows::of(&words);
    let gapped: Vec<bool> = rows.iter().map(|row| row.has_gap(COLUMN_GAP)).collect();
    let mut found = Vec::new();
    let (mut at, mut attempts) = (0, 0);
    while at < rows.len() {
        if !gapped[at] || attempts >= MAX_ATTEMPTS {
            at += 1;
            continue;
        }
        let end = run_end(&rows, &gapped, at);
        if gapped[at..end].iter().filter(|gapped| **gapped).count() < 2 {
            at += 1;
            continue;
        }
        attempts += 1;
        let (begin, end) = with_ruled_neighbours(&rows, at, end, found_end(&found), rules);
        match table_of(&rows[begin..end], begin, rules, text) {
            Some((table, used)) => {
                found.push((used, table));
                at = used;
            }
            // In a long run the next rows would fail like the first.
            None => at += ((end - begin) / 8).max(1),
        }
    }
    let mut tables: Vec<Found> = found.into_iter().map(|(_, table)| table).collect();
    for leader in leaders.iter().take(MAX_LEADERS) {
        give_to_cell_before(leader, &mut tables, &words);
    }
    tables
}

/// Dots that lead the eye to the next column, or a line made of characters: they fill gutters and say
/// nothing.
fn is_leader(word: &Word) -> bool {
    let mut chars = word.text.chars();
    let first = chars.next();
    first.is_some_and(|first| ".…_-=—–".contains(first))
        && word.text.len() >= 3
        && chars.all(|char| Some(char) == first)
}

fn give_to_cell_before(leader: &Placed, tables: &mut [Found], words: &[Placed]) {
    let y = f32::midpoint(leader.area.top, leader.area.bottom);
    let table = tables.iter_mut().find(|table| {
        table.area.top <= y && y <= table.area.bottom && leader.area.left >= table.area.left - 1.0
    });
    let before = words
        .iter()
        .filter(|placed| placed.area.top < y && y < placed.area.bottom)
        .filter(|placed| placed.area.right <= leader.area.left + 1.0)
        .max_by(|a, b| a.area.right.total_cmp(&b.area.right));
    if let (Some(table), Some(before)) = (table, before)
        && let Some(cell) = table.cells.iter_mut().find(|cell| cell.words.contains(&before.word))
    {
        cell.words.push(leader.word);
    }
}

fn found_end(found: &[(usize, Found)]) -> usize {
    found.last().map_or(0, |(end, _)| *end)
}

/// One past the last gapped row that belongs to the one at `from`.
fn run_end(rows: &[Row], gapped: &[bool], from: usize) -> usize {
    let (mut end, mut between) = (from + 1, 0);
    for at in from + 1..rows.len() {
        let size = rows[at].size().max(rows[at - 1].size());
        if rows[at].area.top - rows[at - 1].area.bottom > 2.5 * size {
            break;
        }
        if gapped[at] {
            end = at + 1;
            between = 0;
        } else {
            between += 1;
            if between > MAX_BETWEEN {
                break;
            }
        }
    }
    end
}

/// A line drawn above or below, as broad as the run, takes in the few rows up to it: a heading over
/// several columns, a last row with one cell. So does a row that stands only over the later columns.
fn with_ruled_neighbours(
    rows: &[Row],
    begin: usize,
    end: usize,
    lowest: usize,
    rules: &Rules,
) -> (usize, usize) {
    let area = rows[begin..end].iter().fold(rows[begin].area, |all, row| all.around(&row.area));
    let mut top = begin;
    for at in (lowest..begin).rev().take(3) {
        let (row, below) = (&rows[at], &rows[at + 1]);
        let close = below.area.top - row.area.bottom < 1.2 * row.size();
        let within = row.area.left >= area.left - 2.0 && row.area.right <= area.right + 2.0;
        let above = if at == 0 { row.area.top - 20.0 } else { rows[at - 1].area.bottom - 2.0 };
        let under_a_line = rules.between(above, row.area.top + 3.0, area.left, area.right);
        let over_later_columns = row.area.left > area.left + 0.2 * area.width()
            && row.words.len() <= 8
            && row.size() <= below.size() * 1.15;
        if !close || !within {
            break;
        }
        if under_a_line {
            top = at;
            break;
        }
        if over_later_columns {
            top = at;
        }
    }
    (top, end)
}

fn table_of(rows: &[Row], offset: usize, rules: &Rules, text: &[Word]) -> Option<(Found, usize)> {
    let all: Vec<&Row> = rows.iter().collect();
    let gutters = gutters::find(&all);
    if gutters.is_empty() {
        return None;
    }
    // Prose within ends the table; prose at its top is not part of it.
    let is_text = |row: &Row| is_running_text(row, &gutters, text);
    let begin = rows.iter().position(|row| !is_text(row))?;
    let length = rows[begin..].iter().position(is_text).unwrap_or(rows.len() - begin);
    if begin > 0 || begin + length < rows.len() {
        // The gutters may have been narrowed or hidden by what does not belong.
        return if length >= 2 {
            table_of(&rows[begin..begin + length], offset + begin, rules, text)
        } else {
            None
        };
    }
    let first: Vec<Vec<RowCell>> =
        rows.iter().map(|row| row_cells(row, &gutters, None, text)).collect();
    let edges = column_edges(&first, gutters.len() + 1);
    if let Some(upper) = before_another_table(rows, &gutters) {
        return table_of(&rows[..upper], offset, rules, text);
    }
    let cells: Vec<Vec<RowCell>> =
        rows.iter().map(|row| row_cells(row, &gutters, Some(&edges), text)).collect();
    let begin = first_row_of_table(&cells, gutters.len() + 1)?;
    let (rows, cells, offset) = (&rows[begin..], &cells[begin..], offset + begin);
    if !is_table(cells, gutters.len() + 1, text, rules, rows) {
        return None;
    }
    let edges = column_edges(cells, gutters.len() + 1);
    let mut numbers = Vec::new();
    let mut number = 0;
    for at in 0..rows.len() {
        if at > 0
            && !continues(&rows[at - 1], &cells[at - 1], &rows[at], &cells[at], &edges, rules, text)
        {
            number += 1;
        }
        numbers.push(number);
    }
    let area = rows.iter().skip(1).fold(rows.first()?.area, |all, row| all.around(&row.area));
    let found = table::tidy(joined(cells, &numbers), area, text)?;
    Some((found, offset + rows.len()))
}

/// Titles above a table are not part of it: it begins with a row that fills a third of its columns, or
/// right above with headings that stand over later columns only.
fn first_row_of_table(cells: &[Vec<RowCell>], columns: usize) -> Option<usize> {
    let enough = columns.div_ceil(3).max(2);
    let mut begin = cells.iter().position(|row| row.len() >= enough)?;
    while begin > 0 && cells[begin - 1].iter().all(|cell| cell.column > 0) {
        begin -= 1;
    }
    Some(begin)
}

/// Two tables may follow each other closely. They are two if the parts above and below the widest gap
/// have each as many gutters as both together, and one has more: then they do not share them.
fn before_another_table(rows: &[Row], gutters: &[Gutter]) -> Option<usize> {
    let gap = |at: &usize| rows[*at].area.top - rows[*at - 1].area.bottom;
    let widest = (3..rows.len().saturating_sub(2)).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    if gap(&widest) < 0.8 * rows[widest].size() {
        return None;
    }
    let count = |rows: &[Row]| gutters::find(&rows.iter().collect::<Vec<_>>()).len();
    let (upper, lower) = (count(&rows[..widest]), count(&rows[widest..]));
    (upper.min(lower) >= gutters.len() && upper.max(lower) > gutters.len()).then_some(widest)
}

/// A piece of a row within one or more columns.
#[derive(Clone, Debug)]
struct RowCell {
    column: usize,
    span: usize,
    words: Vec<Placed>,
}

/// Many words over at least half of the gutters, many of them in small letters.
fn is_running_text(row: &Row, gutters: &[Gutter], text: &[Word]) -> bool {
    let small = |placed: &&Placed| {
        text.get(placed.word).is_some_and(|word| word.text.starts_with(char::is_lowercase))
    };
    row.segments(COLUMN_GAP).iter().any(|segment| {
        segment.len() >= 8
            && gutters::crossed(segment, gutters) * 2 >= gutters.len()
            && segment.iter().filter(small).count() * 10 >= segment.len() * 4
    })
}

fn row_cells(
    row: &Row,
    gutters: &[Gutter],
    edges: Option<&[(f32, f32)]>,
    text: &[Word],
) -> Vec<RowCell> {
    let mut cells: Vec<RowCell> = Vec::new();
    let segments = row.segments(SEGMENT_GAP);
    let parts = segments
        .into_iter()
        .flat_map(|segment| at_free_gutters(segment, gutters))
        .flat_map(|part| gutters::parted(part, gutters, edges, text));
    for part in parts {
        let Some(first) = part.first() else { continue };
        let span = gutters::crossed(part, gutters);
        let begin = if span == 0 {
            f32::midpoint(first.area.left, part.last().map_or(first.area.right, |l| l.area.right))
        } else {
            first.area.left
        };
        let column =
            gutters.iter().filter(|(from, to)| f32::midpoint(*from, *to) <= begin + 0.1).count();
        match cells.last_mut() {
            // Two segments in one column, such as a name and a note, are one cell.
            Some(last) if last.column + last.span > column => last.words.extend_from_slice(part),
            _ => cells.push(RowCell { column, span: span + 1, words: part.to_vec() }),
        }
    }
    cells
}

/// Neighbouring columns may stand close: a segment falls apart where it leaves a gutter free and a good
/// part of a letter lies between.
fn at_free_gutters<'a>(segment: &'a [Placed], gutters: &[Gutter]) -> Vec<&'a [Placed]> {
    segment
        .chunk_by(|a, b| {
            let gap = b.area.left - a.area.right;
            let in_gutter = gutters
                .iter()
                .any(|(from, to)| a.area.right <= from + 0.5 && b.area.left >= to - 0.5);
            !(in_gutter && gap >= 0.45 * a.size)
        })
        .collect()
}

fn is_table(
    cells: &[Vec<RowCell>],
    columns: usize,
    text: &[Word],
    rules: &Rules,
    rows: &[Row],
) -> bool {
    let several = cells.iter().filter(|row| row.len() > 1).count();
    let needed = if columns > 2 || has_rules(rules, rows) { 2 } else { 3 };
    if several < needed || several * 3 < cells.len() {
        return false;
    }
    let mut prose = 0;
    for column in 0..columns {
        let own: Vec<&RowCell> =
            cells.iter().flatten().filter(|cell| cell.column == column && cell.span == 1).collect();
        let words: usize = own.iter().map(|cell| cell.words.len()).sum();
        prose += usize::from(words >= own.len().max(1) * 5);
        if column == 0 && own.iter().all(|cell| is_marker(cell, text)) && columns == 2 {
            return false;
        }
    }
    prose * 2 < columns || has_rules(rules, rows) && prose < columns
}

fn has_rules(rules: &Rules, rows: &[Row]) -> bool {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return false };
    let area = rows.iter().fold(first.area, |all, row| all.around(&row.area));
    rules.between(area.top - 6.0, last.area.top, area.left, area.right)
}

fn is_marker(cell: &RowCell, text: &[Word]) -> bool {
    let [only] = cell.words.as_slice() else { return false };
    text.get(only.word).is_some_and(|word| super::blocks::list_marker(&word.text).is_some())
}

/// Where the text of each column begins and ends.
fn column_edges(cells: &[Vec<RowCell>], columns: usize) -> Vec<(f32, f32)> {
    let mut edges = vec![(f32::INFINITY, f32::NEG_INFINITY); columns];
    for cell in cells.iter().flatten().filter(|cell| cell.span == 1) {
        let area = rows::around(&cell.words);
        if let Some((left, right)) = edges.get_mut(cell.column) {
            *left = left.min(area.left);
            *right = right.max(area.right);
        }
    }
    edges
}

/// Is the lower row a wrapped line of the upper one's cells?
fn continues(
    upper: &Row,
    above: &[RowCell],
    lower: &Row,
    below: &[RowCell],
    edges: &[(f32, f32)],
    rules: &Rules,
    text: &[Word],
) -> bool {
    let gap = lower.area.top - upper.area.bottom;
    let size = upper.size().max(lower.size());
    let area = upper.area.around(&lower.area);
    let middle = |row: &Row| f32::midpoint(row.area.top, row.area.bottom);
    if gap > 0.5 * size || rules.between(middle(upper), middle(lower), area.left, area.right) {
        return false;
    }
    // A label alone, and below it a row that begins like a sentence: a heading of the rows that follow.
    if let ([label], [first, _, ..]) = (above, below)
        && label.column == 0
        && first.column == 0
        && starts_large(first, text)
    {
        return false;
    }
    let mut shared = 0;
    for cell in below {
        let Some(over) = above.iter().find(|over| over.column == cell.column) else { continue };
        if over.span != cell.span
            || table::is_value(&cell.words, text)
            || table::is_value(&over.words, text)
        {
            return false;
        }
        let (left, _) = edges[cell.column];
        let (_, right) = edges[(cell.column + cell.span - 1).min(edges.len() - 1)];
        if table::ends_in_colon(&over.words, text)
            || !table::was_wrapped(&over.words, &cell.words, left, right)
        {
            return false;
        }
        shared += 1;
    }
    // Lines that overlap belong together even if they share no column.
    shared > 0 || gap < -0.4 * size
}

fn starts_large(cell: &RowCell, text: &[Word]) -> bool {
    let first = cell.words.first().and_then(|placed| text.get(placed.word));
    first.is_some_and(|word| word.text.starts_with(char::is_uppercase))
}

/// Cells of the rows that belong together, as cells of the table.
fn joined(cells: &[Vec<RowCell>], numbers: &[usize]) -> Vec<(FoundCell, Vec<Placed>)> {
    let mut joined: Vec<(FoundCell, Vec<Placed>)> = Vec::new();
    for (row, number) in cells.iter().zip(numbers) {
        for cell in row {
            let same =
                joined.iter_mut().rev().take_while(|(found, _)| found.row == *number).find(
                    |(found, _)| found.column == cell.column && found.column_span == cell.span,
                );
            match same {
                Some((_, words)) => words.extend_from_slice(&cell.words),
                None => joined.push((
                    FoundCell {
                        row: *number,
                        column: cell.column,
                        row_span: 1,
                        column_span: cell.span,
                        words: Vec::new(),
                    },
                    cell.words.clone(),
                )),
            }
        }
    }
    joined
}
