//! Where a chunk is: few rectangles, and as tight as few can be.

use super::Area;

const MOST_AREAS: usize = 16;

/// Rectangles that continue each other become one; when that leaves too many, each page gets one.
pub(super) fn merged(areas: impl IntoIterator<Item = Area>) -> Vec<Area> {
    let mut merged: Vec<Area> = Vec::new();
    for area in areas {
        match merged.last_mut() {
            Some(last) if last.page == area.page && continues(last, &area) => {
                *last = last.around(&area);
            }
            _ => merged.push(area),
        }
    }
    if merged.len() > MOST_AREAS {
        merged = one_for_each_page(&merged);
    }
    // A chunk that is spread over more pages than this is pointed at where it begins.
    merged.truncate(MOST_AREAS);
    merged
}

fn one_for_each_page(areas: &[Area]) -> Vec<Area> {
    let mut pages: Vec<Area> = Vec::new();
    for area in areas {
        match pages.iter_mut().find(|known| known.page == area.page) {
            Some(known) => *known = known.around(area),
            None => pages.push(*area),
        }
    }
    pages
}

/// The same column, and no further below than a line is high, or the same place again.
fn continues(above: &Area, below: &Area) -> bool {
    let common = above.right.min(below.right) - above.left.max(below.left);
    let narrower = above.width().min(below.width());
    let line = above.height().min(below.height());
    let gap = below.top - above.bottom;
    common >= 0.8 * narrower && below.top >= above.top && gap <= line
}

impl Area {
    fn width(&self) -> f32 {
        self.right - self.left
    }

    fn height(&self) -> f32 {
        self.bottom - self.top
    }

    fn around(&self, other: &Self) -> Self {
        Self {
            page: self.page,
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(page: u32, left: f32, top: f32) -> Area {
        Area { page, left, top, right: left + 100.0, bottom: top + 10.0 }
    }

    #[test]
    fn lines_of_a_column_become_one_area_and_columns_stay_two() {
        let lines =
            [area(1, 0.0, 0.0), area(1, 0.0, 12.0), area(1, 120.0, 0.0), area(2, 120.0, 12.0)];
        let merged = merged(lines);
        assert_eq!(merged.len(), 3);
        assert_eq!(merged[0], Area { bottom: 22.0, ..area(1, 0.0, 0.0) });
    }

    #[test]
    fn many_scattered_areas_become_one_for_each_page() {
        let scattered =
            (0..100_u8).map(|place| area(u32::from(place) / 50, f32::from(place) * 200.0, 0.0));
        let merged = merged(scattered);
        assert_eq!(merged.iter().map(|area| area.page).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(super::merged((0..100).map(|page| area(page, 0.0, 0.0))).len(), MOST_AREAS);
    }
}
