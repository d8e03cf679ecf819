//! Rectangles that need not be level: where a line of text lies in a picture.

use image::GrayImage;
use serde::{Deserialize, Serialize};

use pages::Area;

/// A rectangle turned by any angle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quad {
    pub centre: (f32, f32),
    /// The reading direction, of length 1.
    pub along: (f32, f32),
    /// Along the reading direction.
    pub width: f32,
    /// Across it.
    pub height: f32,
}

impl Quad {
    /// A level one.
    pub fn level(area: &Area) -> Self {
        Self {
            centre: (f32::midpoint(area.left, area.right), f32::midpoint(area.top, area.bottom)),
            along: (1.0, 0.0),
            width: area.width(),
            height: area.height(),
        }
    }

    fn down(&self) -> (f32, f32) {
        (-self.along.1, self.along.0)
    }

    /// The place that lies `x` from the left end and `y` from the upper edge.
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let (x, y) = (x - self.width / 2.0, y - self.height / 2.0);
        let down = self.down();
        (
            self.centre.0 + x * self.along.0 + y * down.0,
            self.centre.1 + x * self.along.1 + y * down.1,
        )
    }

    /// The smallest level area around what lies from `from` to `to` along the line.
    pub fn area_between(&self, from: f32, to: f32) -> Area {
        let corners = [(from, 0.0), (to, 0.0), (to, self.height), (from, self.height)]
            .map(|(x, y)| self.place(x, y));
        let start = Area {
            left: f32::INFINITY,
            top: f32::INFINITY,
            right: f32::NEG_INFINITY,
            bottom: f32::NEG_INFINITY,
        };
        corners.iter().fold(start, |area, &(x, y)| {
            area.around(&Area { left: x, top: y, right: x, bottom: y })
        })
    }

    /// How far along the line the middle of an area is.
    pub fn along_to(&self, area: &Area) -> f32 {
        let x = f32::midpoint(area.left, area.right) - self.centre.0;
        let y = f32::midpoint(area.top, area.bottom) - self.centre.1;
        x * self.along.0 + y * self.along.1 + self.width / 2.0
    }

    /// What lies from `from` to `to` along the line.
    #[must_use]
    pub fn part(&self, from: f32, to: f32) -> Self {
        let centre = self.place(f32::midpoint(from, to), self.height / 2.0);
        Self { centre, width: to - from, ..*self }
    }

    pub fn area(&self) -> Area {
        self.area_between(0.0, self.width)
    }

    pub(super) fn holds(&self, (x, y): (f32, f32)) -> bool {
        let (x, y) = (x - self.centre.0, y - self.centre.1);
        let down = self.down();
        (x * self.along.0 + y * self.along.1).abs() <= self.width / 2.0
            && (x * down.0 + y * down.1).abs() <= self.height / 2.0
    }

    /// As much wider on every side.
    #[must_use]
    pub fn grown(&self, by: f32) -> Self {
        Self { width: self.width + 2.0 * by, height: self.height + 2.0 * by, ..*self }
    }

    /// Measured in a picture that is so many times as large.
    #[must_use]
    pub fn scaled(&self, horizontally: f32, vertically: f32) -> Self {
        let stretch = |(x, y): (f32, f32)| (x * horizontally, y * vertically);
        let along = stretch(self.along);
        let down = stretch(self.down());
        let length = |(x, y): (f32, f32)| x.hypot(y);
        Self {
            centre: stretch(self.centre),
            along: (along.0 / length(along), along.1 / length(along)),
            width: self.width * length(along),
            height: self.height * length(down),
        }
    }

    /// Read from its upper edge to its lower one.
    #[must_use]
    pub fn turned(&self) -> Self {
        Self { along: self.down(), width: self.height, height: self.width, ..*self }
    }

    /// The same place, read upside down.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { along: (-self.along.0, -self.along.1), ..*self }
    }

    /// What is inside, level, in so many pixels. A pixel is the mean of what it covers.
    pub fn cut(&self, image: &GrayImage, width: u32, height: u32) -> Vec<u8> {
        let step = (self.width / width as f32, self.height / height as f32);
        let samples = (step.0.max(step.1) / 1.5).ceil().clamp(1.0, 8.0);
        let (many, share) = (samples as u32, 1.0 / samples);
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for row in 0..height {
            for column in 0..width {
                let mut sum = 0.0;
                for sub_row in 0..many {
                    for sub_column in 0..many {
                        let x = (column as f32 + (sub_column as f32 + 0.5) * share) * step.0;
                        let y = (row as f32 + (sub_row as f32 + 0.5) * share) * step.1;
                        sum += brightness(image, self.place(x, y));
                    }
                }
                pixels.push((sum * share * share).round() as u8);
            }
        }
        pixels
    }
}

/// Between the pixels; beyond the edge it goes on as at the edge.
fn brightness(image: &GrayImage, (x, y): (f32, f32)) -> f32 {
    let (right_most, lowest) = (image.width() as usize - 1, image.height() as usize - 1);
    let x = (x - 0.5).clamp(0.0, right_most as f32);
    let y = (y - 0.5).clamp(0.0, lowest as f32);
    let (left, top) = (x as usize, y as usize);
    let (right, bottom) = ((left + 1).min(right_most), (top + 1).min(lowest));
    let (fraction_x, fraction_y) = (x - left as f32, y - top as f32);
    let pixels = image.as_raw();
    let at = |column: usize, row: usize| f32::from(pixels[row * (right_most + 1) + column]);
    let upper = at(left, top) + (at(right, top) - at(left, top)) * fraction_x;
    let lower = at(left, bottom) + (at(right, bottom) - at(left, bottom)) * fraction_x;
    upper + (lower - upper) * fraction_y
}

/// The smallest rectangle around some points, lying as text does: its reading direction points to the right.
pub(super) fn smallest_around(points: &mut Vec<(f32, f32)>) -> Option<Quad> {
    let hull = hull(points);
    let mut best: Option<Quad> = None;
    for (index, from) in hull.iter().enumerate() {
        let to = hull[(index + 1) % hull.len()];
        let edge = (to.0 - from.0, to.1 - from.1);
        let length = edge.0.hypot(edge.1);
        if length > f32::EPSILON {
            let candidate = around(&hull, (edge.0 / length, edge.1 / length));
            if best.is_none_or(|best| candidate.width * candidate.height < best.width * best.height)
            {
                best = Some(candidate);
            }
        }
    }
    best.or_else(|| hull.first().map(|_| around(&hull, (1.0, 0.0))))
}

/// The smallest rectangle in one direction, which is first brought to within 45° of the level.
fn around(points: &[(f32, f32)], direction: (f32, f32)) -> Quad {
    let (x, y) = direction;
    let along = match (x.abs() >= y.abs(), x >= 0.0, y >= 0.0) {
        (true, true, _) => (x, y),
        (true, false, _) => (-x, -y),
        (false, _, true) => (y, -x),
        (false, _, false) => (-y, x),
    };
    let down = (-along.1, along.0);
    let range = |axis: (f32, f32)| {
        points
            .iter()
            .map(|p| p.0 * axis.0 + p.1 * axis.1)
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
    };
    let ((left, right), (top, bottom)) = (range(along), range(down));
    let (middle, centre) = (f32::midpoint(left, right), f32::midpoint(top, bottom));
    Quad {
        centre: (middle * along.0 + centre * down.0, middle * along.1 + centre * down.1),
        along,
        width: right - left,
        height: bottom - top,
    }
}

/// The corners of the convex hull, in order.
fn hull(points: &mut Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.len() < 3 {
        return points.clone();
    }
    let turns_left = |a: (f32, f32), b: (f32, f32), c: (f32, f32)| {
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) > 0.0
    };
    let chain = |points: &mut dyn Iterator<Item = (f32, f32)>| {
        let mut chain: Vec<(f32, f32)> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if turns_left(a, b, point) {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut points.iter().copied());
    corners.extend(chain(&mut points.iter().rev().copied()));
    corners
}
