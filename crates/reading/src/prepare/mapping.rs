//! Rotates pictures, and maps areas back to the page.

use image::{GrayImage, Luma};

use pages::{Area, Preparation, Rotation, Size};

/// Maps pixels of the prepared picture to points of the page as displayed.
#[derive(Clone, Copy, Debug)]
pub struct Mapping {
    upright: Rotation,
    degrees: f32,
    /// Of the picture after it was turned upright.
    width: f32,
    height: f32,
    page: Size,
}

impl Mapping {
    /// `picture` is the size of the picture before it was prepared, in pixels.
    pub fn new(preparation: &Preparation, picture: (u32, u32), page: Size) -> Self {
        let (width, height) = (picture.0.max(1) as f32, picture.1.max(1) as f32);
        let (width, height) = match preparation.upright {
            Rotation::None | Rotation::Half => (width, height),
            Rotation::Quarter | Rotation::ThreeQuarters => (height, width),
        };
        Self { upright: preparation.upright, degrees: preparation.deskew, width, height, page }
    }

    /// The mapping after a rotation by quarter turns, which the picture did not have before.
    #[must_use]
    pub fn turned(&self, upright: Rotation) -> Self {
        let (width, height) = match upright {
            Rotation::None | Rotation::Half => (self.width, self.height),
            Rotation::Quarter | Rotation::ThreeQuarters => (self.height, self.width),
        };
        Self { upright, width, height, ..*self }
    }

    /// The area on the page that stands for an area of the prepared picture. A slanted word's level area is
    /// as wide as the word and no higher than it must be: only its middle line is turned.
    pub fn on_page(&self, area: &Area) -> Area {
        let centre = (f32::midpoint(area.left, area.right), f32::midpoint(area.top, area.bottom));
        let (x, y) = self.unturned(centre);
        let (half_width, half_height) = (area.width() / 2.0, area.height() / 2.0);
        self.in_points(&Area {
            left: x - half_width,
            top: y - half_height,
            right: x + half_width,
            bottom: y + half_height,
        })
    }

    fn unturned(&self, (x, y): (f32, f32)) -> (f32, f32) {
        let (width, height) = turned_size(self.width, self.height, self.degrees);
        let (sine, cosine) = self.degrees.to_radians().sin_cos();
        let (x, y) = (x - width / 2.0, y - height / 2.0);
        (x * cosine + y * sine + self.width / 2.0, y * cosine - x * sine + self.height / 2.0)
    }

    fn in_points(&self, area: &Area) -> Area {
        let (width, height) = (self.width, self.height);
        let (seen, width, height) = match self.upright {
            Rotation::None => (*area, width, height),
            Rotation::Quarter => (
                Area {
                    left: area.top,
                    top: width - area.right,
                    right: area.bottom,
                    bottom: width - area.left,
                },
                height,
                width,
            ),
            Rotation::Half => (
                Area {
                    left: width - area.right,
                    top: height - area.bottom,
                    right: width - area.left,
                    bottom: height - area.top,
                },
                width,
                height,
            ),
            Rotation::ThreeQuarters => (
                Area {
                    left: height - area.bottom,
                    top: area.left,
                    right: height - area.top,
                    bottom: area.right,
                },
                height,
                width,
            ),
        };
        let (horizontally, vertically) = (self.page.width / width, self.page.height / height);
        Area {
            left: seen.left * horizontally,
            top: seen.top * vertically,
            right: seen.right * horizontally,
            bottom: seen.bottom * vertically,
        }
    }
}

/// The size of a rotated picture.
fn turned_size(width: f32, height: f32, degrees: f32) -> (f32, f32) {
    if degrees == 0.0 {
        return (width, height);
    }
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let (sine, cosine) = (sine.abs(), cosine.abs());
    ((width * cosine + height * sine).ceil(), (width * sine + height * cosine).ceil())
}

/// Rotates a picture clockwise. New corners get the brightness of paper.
pub(super) fn turn(image: GrayImage, degrees: f32) -> GrayImage {
    if degrees == 0.0 || image.width() == 0 || image.height() == 0 {
        return image;
    }
    let (from_width, from_height) = (image.width() as f32, image.height() as f32);
    let (width, height) = turned_size(from_width, from_height, degrees);
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let paper = Luma([paper(&image)]);
    let (last_column, last_row) = (from_width - 1.0, from_height - 1.0);
    GrayImage::from_fn(width as u32, height as u32, |column, row| {
        let x = column as f32 + 0.5 - width / 2.0;
        let y = row as f32 + 0.5 - height / 2.0;
        let from_x = x * cosine + y * sine + from_width / 2.0 - 0.5;
        let from_y = y * cosine - x * sine + from_height / 2.0 - 0.5;
        if from_x < 0.0 || from_y < 0.0 || from_x > last_column || from_y > last_row {
            return paper;
        }
        Luma([between(&image, from_x, from_y)])
    })
}

fn between(image: &GrayImage, x: f32, y: f32) -> u8 {
    let (left, top) = (x as usize, y as usize);
    let width = image.width() as usize;
    let right = (left + 1).min(width - 1);
    let bottom = (top + 1).min(image.height() as usize - 1);
    let (x, y) = (x - left as f32, y - top as f32);
    let at = |column: usize, row: usize| f32::from(image.as_raw()[row * width + column]);
    let upper = at(left, top) * (1.0 - x) + at(right, top) * x;
    let lower = at(left, bottom) * (1.0 - x) + at(right, bottom) * x;
    (upper * (1.0 - y) + lower * y).round() as u8
}

/// The brightness of the paper: the 75th percentile.
fn paper(image: &GrayImage) -> u8 {
    let mut counts = [0_usize; 256];
    for &pixel in image.as_raw() {
        counts[usize::from(pixel)] += 1;
    }
    let mut seen = 0;
    let enough = image.as_raw().len() * 3 / 4;
    (0..=u8::MAX)
        .find(|level| {
            seen += counts[usize::from(*level)];
            seen >= enough
        })
        .unwrap_or(u8::MAX)
}
