//! Converts coordinates of the file to coordinates of the displayed page.
//!
//! The y axis of a PDF points upwards; the visible part may be anywhere in its coordinate system, and the page may be
//! rotated by quarter turns.

use pdfium_render::prelude::{PdfPage, PdfPageRenderRotation, PdfRect};

use pages::{Area, Rotation, Size};

/// The visible part of a page and its rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    left: f32,
    bottom: f32,
    right: f32,
    top: f32,
    pub(crate) rotation: Rotation,
}

impl Place {
    pub(crate) fn of(page: &PdfPage<'_>) -> Self {
        let rotation = match page.rotation() {
            Ok(PdfPageRenderRotation::Degrees90) => Rotation::Quarter,
            Ok(PdfPageRenderRotation::Degrees180) => Rotation::Half,
            Ok(PdfPageRenderRotation::Degrees270) => Rotation::ThreeQuarters,
            _ => Rotation::None,
        };
        let seen = page.boundaries().bounding().map_or_else(|_| page.page_size(), |b| b.bounds);
        let [left, bottom, right, top] =
            [seen.left(), seen.bottom(), seen.right(), seen.top()].map(|points| points.value);
        Self { left, bottom, right, top, rotation }
    }

    pub(crate) fn size(&self) -> Size {
        let (width, height) = (self.right - self.left, self.top - self.bottom);
        match self.rotation {
            Rotation::None | Rotation::Half => Size { width, height },
            Rotation::Quarter | Rotation::ThreeQuarters => Size { width: height, height: width },
        }
    }

    /// Whether a good part of the area is within the page, and so visible.
    pub(crate) fn shows(&self, area: &Area) -> bool {
        let Size { width, height } = self.size();
        let seen = area.within(&Area { left: 0.0, top: 0.0, right: width, bottom: height });
        seen.width() >= 0.3 * area.width() && seen.height() >= 0.3 * area.height()
    }

    pub(crate) fn point(&self, x: f32, y: f32) -> (f32, f32) {
        match self.rotation {
            Rotation::None => (x - self.left, self.top - y),
            Rotation::Quarter => (y - self.bottom, x - self.left),
            Rotation::Half => (self.right - x, y - self.bottom),
            Rotation::ThreeQuarters => (self.top - y, self.right - x),
        }
    }

    pub(crate) fn area(&self, rect: &PdfRect) -> Area {
        let (x1, y1) = self.point(rect.left().value, rect.bottom().value);
        let (x2, y2) = self.point(rect.right().value, rect.top().value);
        Area { left: x1.min(x2), top: y1.min(y2), right: x1.max(x2), bottom: y1.max(y2) }
    }
}
