//! Where the tables of a sheet are: cells parted by empty rows, and by empty columns where what lies on
//! both sides looks like a table of its own.
//!
//! A label in one column and its value two columns on stay together: parting them would lose what
//! belongs to what.

use std::collections::BTreeSet;

/// A cell that shows something.
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
        if sides.len() > 1 && sides.iter().all(|side| looks_like_table(side)) {
            open.extend(sides.into_iter().rev());
        } else {
            done.push(group);
        }
    }
    done
}

/// Where runs of rows (or columns) that hold something begin.
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

fn looks_like_table(cells: &[SheetCell]) -> bool {
    let rows: BTreeSet<u32> = cells.iter().map(|cell| cell.row).collect();
    let columns: BTreeSet<u32> = cells.iter().map(|cell| cell.column).collect();
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
    fn two_cells_at_the_ends_of_the_largest_sheet_cost_nothing() {
        assert_eq!(regions(cells(&[(0, 0), (1_048_575, 16_383)])).len(), 2);
    }
}
