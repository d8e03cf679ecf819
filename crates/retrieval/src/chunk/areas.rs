//! The location of a chunk on its pages: a few tight rectangles.

use super::{Area, Place};

const MAX_AREAS: usize = 16;

/// Merges adjacent rectangles; when too many remain, each page gets one.
pub(super) fn merged(places: impl IntoIterator<Item = Place>) -> Vec<Place> {
    let mut merged: Vec<Place> = Vec::new();
    for place in places {
        match merged.last_mut() {
            Some(last) if last.is_on_same_page(&place) && continues(&last.area, &place.area) => {
                last.extend(&place);
            }
            _ => merged.push(place),
        }
    }
    if merged.len() > MAX_AREAS {
        merged = one_for_each_page(&merged);
    }
    // For a chunk on more pages than this, only the first pages are kept.
    merged.truncate(MAX_AREAS);
    merged
}

fn one_for_each_page(places: &[Place]) -> Vec<Place> {
    let mut pages: Vec<Place> = Vec::new();
    for place in places {
        match pages.iter_mut().find(|page| page.is_on_same_page(place)) {
            Some(page) => page.extend(place),
            None => pages.push(place.clone()),
        }
    }
    pages
}

/// Whether they are in the same column, at most one line height apart.
fn continues(above: &Area, below: &Area) -> bool {
    let common = above.right.min(below.right) - above.left.max(below.left);
    let narrower = above.width().min(below.width());
    let line = above.height().min(below.height());
    let gap = below.top - above.bottom;
    common >= 0.8 * narrower && below.top >= above.top && gap <= line
}

impl Place {
    fn is_on_same_page(&self, other: &Self) -> bool {
        self.area.page == other.area.page
    }

    fn extend(&mut self, other: &Self) {
        self.area = self.area.around(&other.area);
        self.text = self.text.start.min(other.text.start)..self.text.end.max(other.text.end);
    }
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

    /// Places with ten bytes each.
    fn placed(areas: impl IntoIterator<Item = Area>) -> impl Iterator<Item = Place> {
        areas.into_iter().zip((0..).step_by(10)).map(|(area, at)| Place { area, text: at..at + 10 })
    }

    #[test]
    fn lines_of_a_column_are_merged_and_columns_stay_separate() {
        let lines =
            [area(1, 0.0, 0.0), area(1, 0.0, 12.0), area(1, 120.0, 0.0), area(2, 120.0, 12.0)];
        let merged = merged(placed(lines));
        assert_eq!(merged.len(), 3);
        assert_eq!(merged[0].area, Area { bottom: 22.0, ..area(1, 0.0, 0.0) });
        let texts: Vec<_> = merged.iter().map(|place| place.text.clone()).collect();
        assert_eq!(texts, [0..20, 20..30, 30..40]);
    }

    #[test]
    fn many_scattered_areas_become_one_for_each_page() {
        let scattered =
            (0..100_u8).map(|place| area(u32::from(place) / 50, f32::from(place) * 200.0, 0.0));
        let merged = merged(placed(scattered));
        assert_eq!(merged.iter().map(|place| place.area.page).collect::<Vec<_>>(), [0, 1]);
        assert_eq!((merged[0].text.clone(), merged[1].text.clone()), (0..500, 500..1000));
        let on_many_pages = (0..100).map(|page| area(page, 0.0, 0.0));
        assert_eq!(super::merged(placed(on_many_pages)).len(), MAX_AREAS);
    }
}
