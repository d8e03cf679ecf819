//! A net of drawn lines as boxes, and the cells that they make up.

use super::rules::{Rule, Rules, SLACK};

const MAX_BOXES: usize = 40_000;

/// A net as boxes.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) xs: Vec<f32>,
    pub(crate) ys: Vec<f32>,
    /// The cell that each box belongs to, row by row.
    pub(crate) owner: Vec<usize>,
    pub(crate) cells: Vec<Extent>,
}

/// The rows and columns that a cell covers, ends not included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) top: usize,
    pub(crate) left: usize,
    pub(crate) bottom: usize,
    pub(crate) right: usize,
}

impl Grid {
    pub(crate) fn of(net: &Rules) -> Option<Self> {
        let xs = borders(&net.vertical, &net.horizontal);
        let ys = borders(&net.horizontal, &net.vertical);
        if xs.len() < 2 || ys.len() < 2 || (xs.len() - 1) * (ys.len() - 1) > MAX_BOXES {
            return None;
        }
        let (columns, rows) = (xs.len() - 1, ys.len() - 1);
        let walls_right = walls(&net.vertical, &xs, &ys);
        let walls_below = walls(&net.horizontal, &ys, &xs);
        let mut grid = Self { xs, ys, owner: vec![usize::MAX; rows * columns], cells: Vec::new() };
        for row in 0..rows {
            for column in 0..columns {
                if grid.owner[row * columns + column] != usize::MAX {
                    continue;
                }
                let free =
                    |grid: &Self, r: usize, c: usize| grid.owner[r * columns + c] == usize::MAX;
                let mut right = column + 1;
                while right < columns && !walls_right[right * rows + row] && free(&grid, row, right)
                {
                    right += 1;
                }
                let mut bottom = row + 1;
                while bottom < rows
                    && (column..right)
                        .all(|c| !walls_below[bottom * columns + c] && free(&grid, bottom, c))
                    && (column + 1..right).all(|c| !walls_right[c * rows + bottom])
                {
                    bottom += 1;
                }
                for r in row..bottom {
                    for c in column..right {
                        grid.owner[r * columns + c] = grid.cells.len();
                    }
                }
                grid.cells.push(Extent { top: row, left: column, bottom, right });
            }
        }
        Some(grid)
    }
}

/// The number of the box that a place lies in.
pub(crate) fn slot(borders: &[f32], at: f32) -> Option<usize> {
    let after = borders.partition_point(|border| *border <= at);
    (after > 0 && after < borders.len()).then(|| after - 1)
}

/// The places of the lines, and where the lines across them end.
fn borders(lines: &[Rule], across: &[Rule]) -> Vec<f32> {
    let mut places: Vec<f32> = lines.iter().map(|rule| rule.at).collect();
    let first = across.iter().map(|rule| rule.from).fold(f32::INFINITY, f32::min);
    let last = across.iter().map(|rule| rule.to).fold(f32::NEG_INFINITY, f32::max);
    places.sort_by(f32::total_cmp);
    if let (Some(low), Some(high)) = (places.first().copied(), places.last().copied()) {
        if first.is_finite() && first < low - 5.0 {
            places.insert(0, first);
        }
        if last.is_finite() && last > high + 5.0 {
            places.push(last);
        }
    }
    let mut kept: Vec<f32> = Vec::new();
    for place in places {
        if kept.last().is_none_or(|last| place - last > SLACK) {
            kept.push(place);
        }
    }
    kept
}

/// For each border and each box along it: is there a line on it?
fn walls(lines: &[Rule], borders: &[f32], along: &[f32]) -> Vec<bool> {
    let boxes = along.len() - 1;
    let mut walls = vec![false; borders.len() * boxes];
    for line in lines {
        let Some(border) = borders.iter().position(|at| (at - line.at).abs() <= SLACK) else {
            continue;
        };
        for (index, ends) in along.windows(2).enumerate() {
            let [from, to] = ends else { continue };
            let middle = f32::midpoint(*from, *to);
            if line.from - SLACK <= middle && middle <= line.to + SLACK {
                walls[border * boxes + index] = true;
            }
        }
    }
    walls
}
