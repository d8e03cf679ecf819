//! Finds the tables of a sheet: cells separated by empty rows, and by empty columns where both sides look like a table.
//!
//! A label and its value two columns to the right stay together, because separating them would lose their relation.

use std::collections::BTreeSet;

/// A cell with text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SheetCell {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) row_span: u32,
    pub(super) column_span: u32,
    pub(super) text: String,
}

/// Groups of cells, from top to bottom and from left to right.
pub(super) fn regions(cells: Vec<SheetCell>) -> Vec<Vec<SheetCell>> {
    let mut done = Vec::new();
    let mut open = vec![cells];
    while let Some(group) = open.pop() {
        if group.is_empty() {
            continue;
        }
        let rows = |cell: &SheetCell| (cell.row, cell.row_span);
        let columns = |cell: &SheetCell| (cell.column, cell.column_span);
        let by_rows = bands(&group, rows);
        if by_rows.len() > 1 {
            open.extend(parted(group, &by_rows, rows).into_iter().rev());
            continue;
        }
        let by_columns = bands(&group, columns);
        let sides = if by_columns.len() > 1 {
            parted(group.clone(), &by_columns, columns)
        } else {
            Vec::new()
        };
        if sides.len() > 1 && sides.iter().all(looks_like_table) {
            open.extend(sides.into_iter().rev());
            continue;
        }
        match corner(&group) {
            Some(row) => open.extend(parted(group, &[0, row], rows).into_iter().rev()),
            None => done.push(group),
        }
    }
    done
}

/// The beginnings of runs of rows (or columns) with text.
fn bands(cells: &[SheetCell], extent: impl Fn(&SheetCell) -> (u32, u32)) -> Vec<u32> {
    let mut extents: Vec<(u32, u32)> = cells.iter().map(extent).collect();
    extents.sort_unstable();
    let mut begins = Vec::new();
    let mut end = None;
    for (from, length) in extents {
        if end.is_none_or(|end| from > end) {
            begins.push(from);
        }
        end = end.max(Some(from.saturating_add(length)));
    }
    begins
}

fn parted(
    cells: Vec<SheetCell>,
    begins: &[u32],
    extent: impl Fn(&SheetCell) -> (u32, u32),
) -> Vec<Vec<SheetCell>> {
    let mut groups = vec![Vec::new(); begins.len()];
    for cell in cells {
        let at = begins.partition_point(|begin| *begin <= extent(&cell).0);
        if let Some(group) = at.checked_sub(1).and_then(|at| groups.get_mut(at)) {
            group.push(cell);
        }
    }
    groups
}

/// The first row of a table that touches the table above only at a corner.
fn corner(cells: &[SheetCell]) -> Option<u32> {
    let mut sorted: Vec<&SheetCell> = cells.iter().collect();
    sorted.sort_by_key(|cell| cell.row);
    // The first and last column of all cells from this one on.
    let mut below = vec![(u32::MAX, 0); sorted.len() + 1];
    for (at, cell) in sorted.iter().enumerate().rev() {
        let (first, last) = below[at + 1];
        below[at] =
            (first.min(cell.column), last.max(cell.column.saturating_add(cell.column_span)));
    }
    let (mut first, mut last, mut end) = (u32::MAX, 0, 0);
    for (at, cell) in sorted.iter().enumerate() {
        let (first_below, last_below) = below[at];
        let beside = last <= first_below || last_below <= first;
        if at > 0 && cell.row >= end && cell.row > sorted[at - 1].row && beside {
            let (above, under) = sorted.split_at(at);
            let is_table = |side: &[&SheetCell]| looks_like_table(side.iter().copied());
            return (is_table(above) && is_table(under)).then_some(cell.row);
        }
        first = first.min(cell.column);
        last = last.max(cell.column.saturating_add(cell.column_span));
        end = end.max(cell.row.saturating_add(cell.row_span));
    }
    None
}

fn looks_like_table<'c>(cells: impl IntoIterator<Item = &'c SheetCell>) -> bool {
    let places = cells.into_iter().map(|cell| (cell.row, cell.column));
    let (rows, columns): (BTreeSet<u32>, BTreeSet<u32>) = places.unzip();
    rows.len() >= 2 && columns.len() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(places: &[(u32, u32)]) -> Vec<SheetCell> {
        let cell = |(row, column): &(u32, u32)| SheetCell {
            row: *row,
            column: *column,
            row_span: 1,
            column_span: 1,
            text: "x".into(),
        };
        places.iter().map(cell).collect()
    }

    #[test]
    fn empty_rows_part_tables() {
        let found = regions(cells(&[(0, 0), (0, 1), (1, 0), (3, 0), (4, 1)]));
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
    }

    #[test]
    fn tables_side_by_side_are_parted_but_labels_stay_with_their_values() {
        let side_by_side: Vec<_> =
            (0..3).flat_map(|row| [0, 1, 3, 4].map(|column| (row, column))).collect();
        assert_eq!(regions(cells(&side_by_side)).len(), 2);
        let labelled: Vec<_> = (0..3).flat_map(|row| [(row, 0), (row, 2)]).collect();
        assert_eq!(regions(cells(&labelled)).len(), 1);
    }

    #[test]
    fn tables_that_touch_at_a_corner_are_parted() {
        let square = |row: u32, column: u32| {
            [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)]
        };
        assert_eq!(regions(cells(&[square(0, 0), square(2, 2)].concat())).len(), 2);
        assert_eq!(regions(cells(&[square(0, 2), square(2, 0)].concat())).len(), 2);
        assert_eq!(regions(cells(&[square(0, 0), square(2, 1)].concat())).len(), 1);
    }

    #[test]
    fn two_cells_at_the_ends_of_the_largest_sheet_cost_nothing() {
        assert_eq!(regions(cells(&[(0, 0), (1_048_575, 16_383)])).len(), 2);
    }
}
