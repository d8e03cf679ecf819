//! Where shapes are and what outline they have. Lengths of files come in EMU, 12,700 to a point.

use super::style::{Style, decimal};
use crate::formats::xml::Element;

const EMU_PER_POINT: f32 = 12_700.0;
/// Points of an outline that a file draws itself.
const MAX_STEPS: usize = 5_000;

pub(super) fn points(emu: &str) -> Option<f32> {
    let emu: f32 = emu.trim().parse().ok()?;
    emu.is_finite().then_some(emu / EMU_PER_POINT)
}

/// An attribute that is a length.
pub(super) fn length(element: &Element, name: &str) -> Option<f32> {
    points(element.attribute(name)?)
}

/// Where a shape is, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Frame {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
    /// In degrees, clockwise.
    pub(super) rotation: f32,
    pub(super) flip: (bool, bool),
}

impl Frame {
    /// Of `xfrm`.
    pub(super) fn of(transform: &Element) -> Option<Self> {
        let (at, size) = (transform.child("off")?, transform.child("ext")?);
        let turned = |name: &str| matches!(transform.attribute(name), Some("1" | "true"));
        let rotation = transform.attribute("rot").and_then(|turn| turn.parse::<f32>().ok());
        Some(Self {
            left: length(at, "x")?,
            top: length(at, "y")?,
            width: length(size, "cx")?,
            height: length(size, "cy")?,
            rotation: rotation.unwrap_or(0.0) / 60_000.0,
            flip: (turned("flipH"), turned("flipV")),
        })
    }

    /// Adds where it is, and its size.
    pub(super) fn place(&self, style: &mut Style) {
        style.length("left", self.left).length("top", self.top);
        style.length("width", self.width.max(0.0)).length("height", self.height.max(0.0));
    }
}

/// How the coordinates within a group become those around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    scale: (f32, f32),
    offset: (f32, f32),
}

impl Mapping {
    pub(super) const NONE: Self = Self { scale: (1.0, 1.0), offset: (0.0, 0.0) };

    pub(super) fn moved(left: f32, top: f32) -> Self {
        Self { scale: (1.0, 1.0), offset: (left, top) }
    }

    /// Of the `xfrm` of a group within this mapping.
    #[must_use]
    pub(super) fn within(self, transform: Option<&Element>) -> Self {
        let Some(transform) = transform else { return self };
        let Some(frame) = Frame::of(transform).map(|frame| self.apply(frame)) else { return self };
        let inner = |name: &str, (x, y): (&str, &str)| {
            let element = transform.child(name)?;
            Some((length(element, x)?, length(element, y)?))
        };
        let (Some(from), Some(size)) = (inner("chOff", ("x", "y")), inner("chExt", ("cx", "cy")))
        else {
            return self;
        };
        let share = |outer: f32, inner: f32| if inner.abs() > 0.01 { outer / inner } else { 1.0 };
        let scale = (share(frame.width, size.0), share(frame.height, size.1));
        let offset = (frame.left - from.0 * scale.0, frame.top - from.1 * scale.1);
        Self { scale, offset }
    }

    #[must_use]
    pub(super) fn then_moved(self, left: f32, top: f32) -> Self {
        Self { offset: (self.offset.0 + left, self.offset.1 + top), ..self }
    }

    pub(super) fn apply(self, frame: Frame) -> Frame {
        Frame {
            left: frame.left * self.scale.0 + self.offset.0,
            top: frame.top * self.scale.1 + self.offset.1,
            width: frame.width * self.scale.0,
            height: frame.height * self.scale.1,
            ..frame
        }
    }
}

/// What a shape is drawn as.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outline {
    Rectangle,
    /// With a radius, as a share of the shorter side.
    Rounded(f32),
    Ellipse,
    /// An SVG path in a box of 100 by 100.
    Path {
        data: String,
        is_open: bool,
    },
}

pub(super) fn outline(properties: &Element) -> Outline {
    if let Some(path) = properties.child("custGeom").and_then(|shape| shape.find("path")) {
        return custom(path);
    }
    let preset = properties.child("prstGeom");
    let name = preset.and_then(|shape| shape.attribute("prst")).unwrap_or("rect");
    match name {
        "ellipse" | "flowChartConnector" | "donut" => Outline::Ellipse,
        "flowChartTerminator" => Outline::Rounded(0.5),
        "roundRect" | "flowChartAlternateProcess" | "round2SameRect" | "wedgeRoundRectCallout" => {
            let adjusted = preset.and_then(|shape| shape.find("gd")).and_then(|guide| {
                guide.attribute("fmla")?.strip_prefix("val ")?.parse::<f32>().ok()
            });
            Outline::Rounded((adjusted.unwrap_or(16_667.0) / 100_000.0).clamp(0.0, 0.5))
        }
        "line" | "straightConnector1" => line("M0 0L100 100"),
        "bentConnector2" => line("M0 0L100 0L100 100"),
        "bentConnector3" | "bentConnector4" | "bentConnector5" => line("M0 0L50 0L50 100L100 100"),
        "curvedConnector3" => line("M0 0C50 0 50 100 100 100"),
        "triangle" | "flowChartExtract" => polygon(&[(50.0, 0.0), (100.0, 100.0), (0.0, 100.0)]),
        "rtTriangle" => polygon(&[(0.0, 0.0), (100.0, 100.0), (0.0, 100.0)]),
        "diamond" | "flowChartDecision" => {
            polygon(&[(50.0, 0.0), (100.0, 50.0), (50.0, 100.0), (0.0, 50.0)])
        }
        "parallelogram" | "flowChartInputOutput" => {
            polygon(&[(25.0, 0.0), (100.0, 0.0), (75.0, 100.0), (0.0, 100.0)])
        }
        "trapezoid" => polygon(&[(25.0, 0.0), (75.0, 0.0), (100.0, 100.0), (0.0, 100.0)]),
        "pentagon" => {
            polygon(&[(50.0, 0.0), (100.0, 38.0), (81.0, 100.0), (19.0, 100.0), (0.0, 38.0)])
        }
        "hexagon" => polygon(&[
            (25.0, 0.0),
            (75.0, 0.0),
            (100.0, 50.0),
            (75.0, 100.0),
            (25.0, 100.0),
            (0.0, 50.0),
        ]),
        "homePlate" => {
            polygon(&[(0.0, 0.0), (80.0, 0.0), (100.0, 50.0), (80.0, 100.0), (0.0, 100.0)])
        }
        "chevron" => polygon(&[
            (0.0, 0.0),
            (75.0, 0.0),
            (100.0, 50.0),
            (75.0, 100.0),
            (0.0, 100.0),
            (25.0, 50.0),
        ]),
        "rightArrow" => arrow(|x, y| (x, y)),
        "leftArrow" => arrow(|x, y| (100.0 - x, y)),
        "downArrow" => arrow(|x, y| (y, x)),
        "upArrow" => arrow(|x, y| (y, 100.0 - x)),
        _ => Outline::Rectangle,
    }
}

fn line(data: &str) -> Outline {
    Outline::Path { data: data.to_owned(), is_open: true }
}

/// One that points to the right, turned by `turn`.
fn arrow(turn: impl Fn(f32, f32) -> (f32, f32)) -> Outline {
    let right = [
        (0.0, 25.0),
        (60.0, 25.0),
        (60.0, 0.0),
        (100.0, 50.0),
        (60.0, 100.0),
        (60.0, 75.0),
        (0.0, 75.0),
    ];
    polygon(&right.map(|(x, y)| turn(x, y)))
}

fn polygon(points: &[(f32, f32)]) -> Outline {
    let steps: Vec<String> =
        points.iter().map(|(x, y)| format!("{} {}", decimal(*x), decimal(*y))).collect();
    Outline::Path { data: format!("M{}Z", steps.join("L")), is_open: false }
}

/// An outline that the file draws itself. Of what its points are computed from, only numbers are understood.
fn custom(path: &Element) -> Outline {
    let side = |name: &str| path.attribute(name).and_then(|side| side.parse::<f32>().ok());
    let (width, height) = (side("w").unwrap_or(0.0), side("h").unwrap_or(0.0));
    if width <= 0.0 || height <= 0.0 {
        return Outline::Rectangle;
    }
    let mut data = String::new();
    let mut is_open = true;
    for step in path.elements().take(MAX_STEPS) {
        let mut written: Vec<String> = Vec::new();
        for point in step.children("pt") {
            let place = |name: &str| point.attribute(name)?.parse::<f32>().ok();
            let (Some(x), Some(y)) = (place("x"), place("y")) else { return Outline::Rectangle };
            let (x, y) = (decimal(x * 100.0 / width), decimal(y * 100.0 / height));
            written.push(format!("{x} {y} "));
        }
        match &*step.name {
            "moveTo" => data.push('M'),
            "lnTo" => data.push('L'),
            "cubicBezTo" => data.push('C'),
            "quadBezTo" => data.push('Q'),
            "close" => {
                is_open = false;
                data.push('Z');
            }
            _ => return Outline::Rectangle,
        }
        data.push_str(&written.concat());
    }
    if data.starts_with('M') { Outline::Path { data, is_open } } else { Outline::Rectangle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::read_tree;

    #[test]
    fn shapes_of_a_group_are_scaled_into_it() {
        let group = br#"<xfrm><off x="127000" y="0"/><ext cx="254000" cy="127000"/>
            <chOff x="0" y="0"/><chExt cx="127000" cy="127000"/></xfrm>"#;
        let mapping = Mapping::NONE.within(Some(&read_tree(group, 20).unwrap()));
        let frame = Frame { left: 5.0, top: 5.0, width: 1.0, height: 1.0, ..Frame::default() };
        let mapped = mapping.apply(frame);
        assert_eq!((mapped.left, mapped.top, mapped.width), (20.0, 5.0, 2.0));
    }

    #[test]
    fn an_outline_consists_of_numbers_or_is_a_rectangle() {
        let shape = |xml: &str| outline(&read_tree(xml.as_bytes(), 20).unwrap());
        let drawn = r#"<p><custGeom><path w="10" h="10"><moveTo><pt x="0" y="0"/></moveTo>
            <lnTo><pt x="10" y="5"/></lnTo><close/></path></custGeom></p>"#;
        let data = "M0 0 L100 50 Z".to_owned();
        assert_eq!(shape(drawn), Outline::Path { data, is_open: false });
        let hostile = r#"<p><custGeom><path w="10" h="10"><moveTo><pt x='0"onload="x' y="0"/>
            </moveTo></path></custGeom></p>"#;
        assert_eq!(shape(hostile), Outline::Rectangle);
        assert_eq!(shape("<p><prstGeom prst='ellipse'/></p>"), Outline::Ellipse);
    }
}
