//! The drawn content of a page besides text: lines, which show tables, and pictures.

use pages::Area;
use pdfium_render::prelude::{
    PdfColor, PdfMatrix, PdfPage, PdfPageImageObject, PdfPageObject, PdfPageObjectCommon,
    PdfPageObjectsCommon, PdfPagePathObject, PdfPathFillMode, PdfPathSegmentType, PdfPathSegments,
};

use super::Place;

/// Objects that are looked at; a map may be made of millions.
const MAX_OBJECTS: usize = 30_000;
const MAX_RULES: usize = 8_000;
const MAX_SEGMENTS: u32 = 2_000;
const MAX_NESTING: u32 = 6;
/// Filled areas that are remembered.
const MAX_FILLS: usize = 3_000;
/// A line is at most this thick, in points. Broader strips are filled areas, whose edges count instead.
const THICKEST: f32 = 3.0;
const SHORTEST: f32 = 4.0;

#[derive(Clone, Debug, Default)]
pub(crate) struct Drawings {
    /// Horizontal and vertical lines, each an area without much of a width or height.
    pub(crate) rules: Vec<Area>,
    /// How much of the page pictures cover, 0 to 1.
    pub(crate) pictures: f32,
    pub(crate) curves: usize,
    /// Text that is there and not drawn, as over a scan.
    pub(crate) hidden_texts: usize,
    pub(crate) texts: usize,
}

pub(crate) fn read(page: &PdfPage<'_>, place: &Place) -> Drawings {
    let mut reader =
        Reader { place, drawn: Drawings::default(), left: MAX_OBJECTS, fills: Vec::new() };
    for object in page.objects().iter() {
        if !reader.object(&object, None, 0) {
            break;
        }
    }
    reader.drawn.pictures = reader.drawn.pictures.min(1.0);
    reader.drawn
}

struct Reader<'a> {
    place: &'a Place,
    drawn: Drawings,
    left: usize,
    /// What was filled so far, with its colour.
    fills: Vec<(Area, PdfColor)>,
}

impl Reader<'_> {
    /// False when it is enough.
    fn object(&mut self, object: &PdfPageObject<'_>, outer: Option<PdfMatrix>, depth: u32) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        match object {
            PdfPageObject::Path(path) => self.path(path, outer),
            PdfPageObject::Image(image) => self.image(image, outer),
            PdfPageObject::Text(text) => {
                self.drawn.texts += 1;
                // A page is hidden text or it is not: the first few objects tell.
                if self.drawn.texts <= 50 && !text.is_visible() {
                    self.drawn.hidden_texts += 1;
                }
            }
            PdfPageObject::XObjectForm(form) if depth < MAX_NESTING => {
                let inner = form.matrix().ok();
                let matrix = match (inner, outer) {
                    (Some(inner), Some(outer)) => Some(inner.multiply(outer)),
                    (inner, outer) => inner.or(outer),
                };
                for index in 0..form.len() {
                    let Ok(child) = form.get(index) else { break };
                    if !self.object(&child, matrix, depth + 1) {
                        return false;
                    }
                }
            }
            _ => {}
        }
        true
    }

    fn image(&mut self, image: &PdfPageImageObject<'_>, outer: Option<PdfMatrix>) {
        let Ok(matrix) = image.matrix() else { return };
        let matrix = outer.map_or(matrix, |outer| matrix.multiply(outer));
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|(x, y)| {
            let x_there = matrix.a() * x + matrix.c() * y + matrix.e();
            let y_there = matrix.b() * x + matrix.d() * y + matrix.f();
            self.place.point(x_there, y_there)
        });
        let area = around(corners);
        let size = self.place.size();
        let page = Area { left: 0.0, top: 0.0, right: size.width, bottom: size.height };
        let share = area.within(&page).extent() / page.extent().max(1.0);
        if share.is_finite() {
            self.drawn.pictures += share;
        }
    }

    fn path(&mut self, path: &PdfPagePathObject<'_>, outer: Option<PdfMatrix>) {
        let stroked = path.is_stroked().unwrap_or(false);
        let filled = path.fill_mode().is_ok_and(|mode| mode != PdfPathFillMode::None);
        if !stroked && !filled || self.drawn.rules.len() >= MAX_RULES {
            return;
        }
        let segments = path.segments();
        if segments.len() > MAX_SEGMENTS {
            self.drawn.curves += segments.len() as usize;
            return;
        }
        let own = path.matrix().ok();
        let matrix = match (own, outer) {
            (Some(own), Some(outer)) => Some(own.multiply(outer)),
            (own, outer) => own.or(outer),
        };
        let at = |x: f32, y: f32| match matrix {
            Some(m) => {
                self.place.point(m.a() * x + m.c() * y + m.e(), m.b() * x + m.d() * y + m.f())
            }
            None => self.place.point(x, y),
        };
        let mut outline = Outline::default();
        for segment in segments.iter() {
            let (x, y) = segment.point();
            let point = at(x.value, y.value);
            match segment.segment_type() {
                PdfPathSegmentType::MoveTo => outline.move_to(point),
                PdfPathSegmentType::LineTo => outline.line_to(point),
                _ => outline.curve_to(point),
            }
            if segment.is_close() {
                outline.close();
            }
        }
        outline.close_open_fill(filled && !stroked);
        self.drawn.curves += outline.curves;
        if !stroked && self.is_invisible(path, &outline) {
            return;
        }
        outline.rules_into(stroked, &mut self.drawn.rules);
    }
}

impl Reader<'_> {
    /// A fill in the colour of what is below it cannot be seen: word processors put one behind each line
    /// of text.
    fn is_invisible(&mut self, path: &PdfPagePathObject<'_>, outline: &Outline) -> bool {
        let Some(area) = outline.pieces.iter().map(|(area, _)| *area).reduce(|a, b| a.around(&b))
        else {
            return true;
        };
        let Ok(colour) = path.fill_color() else { return false };
        let holds = |outer: &Area| {
            outer.left <= area.left + 1.0
                && outer.top <= area.top + 1.0
                && outer.right >= area.right - 1.0
                && outer.bottom >= area.bottom - 1.0
        };
        let below = self.fills.iter().rev().find(|(outer, _)| holds(outer));
        let below = below.map_or(PdfColor::WHITE, |(_, colour)| *colour);
        if self.fills.len() < MAX_FILLS && area.width() > THICKEST && area.height() > THICKEST {
            self.fills.push((area, colour));
        }
        let close = |a: u8, b: u8| a.abs_diff(b) <= 4;
        close(colour.red(), below.red())
            && close(colour.green(), below.green())
            && close(colour.blue(), below.blue())
    }
}

/// The straight edges of a path, each piece of it by itself.
#[derive(Debug, Default)]
struct Outline {
    start: (f32, f32),
    at: (f32, f32),
    edges: Vec<Area>,
    /// The pieces as the areas around them, with how many edges they have.
    pieces: Vec<(Area, usize)>,
    curves: usize,
}

impl Outline {
    fn move_to(&mut self, point: (f32, f32)) {
        self.start = point;
        self.at = point;
        self.pieces.push((around([point, point]), 0));
    }

    fn line_to(&mut self, point: (f32, f32)) {
        let edge = around([self.at, point]);
        self.edges.push(edge);
        if let Some((area, edges)) = self.pieces.last_mut() {
            *area = area.around(&edge);
            *edges += 1;
        }
        self.at = point;
    }

    fn curve_to(&mut self, point: (f32, f32)) {
        self.curves += 1;
        self.at = point;
    }

    fn close(&mut self) {
        if self.at != self.start {
            self.line_to(self.start);
        }
    }

    /// A filled piece is closed whether the file says so or not.
    fn close_open_fill(&mut self, filled: bool) {
        if filled {
            self.close();
        }
    }

    /// A thin filled strip is one line along its middle, anything else counts by its edges.
    fn rules_into(self, stroked: bool, rules: &mut Vec<Area>) {
        let mut edges = self.edges.as_slice();
        for (piece, count) in self.pieces {
            let (own, rest) = edges.split_at(count.min(edges.len()));
            edges = rest;
            let thin = piece.width() <= THICKEST || piece.height() <= THICKEST;
            if thin && count > 1 && !stroked {
                rules.extend(line(&piece));
            } else {
                rules.extend(own.iter().filter_map(line));
            }
        }
    }
}

/// The area as a horizontal or vertical line, if it is one.
fn line(area: &Area) -> Option<Area> {
    let (width, height) = (area.width(), area.height());
    if !width.is_finite() || !height.is_finite() {
        return None;
    }
    if height <= THICKEST && width >= SHORTEST && width > height * 2.0 {
        let middle = f32::midpoint(area.top, area.bottom);
        return Some(Area { top: middle, bottom: middle, ..*area });
    }
    if width <= THICKEST && height >= SHORTEST && height > width * 2.0 {
        let middle = f32::midpoint(area.left, area.right);
        return Some(Area { left: middle, right: middle, ..*area });
    }
    None
}

fn around<const N: usize>(points: [(f32, f32); N]) -> Area {
    let mut area = Area { left: f32::MAX, top: f32::MAX, right: f32::MIN, bottom: f32::MIN };
    for (x, y) in points {
        area.left = area.left.min(x);
        area.right = area.right.max(x);
        area.top = area.top.min(y);
        area.bottom = area.bottom.max(y);
    }
    area
}
