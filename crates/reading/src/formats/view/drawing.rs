//! Shapes and pictures of Office files: what they are filled with, their line, their outline.

use super::colour::{Colour, Palette};
use super::geometry::{Frame, Outline, length, outline};
use super::markup::Markup;
use super::style::{Style, Unit};
use crate::formats::xml::Element;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Fill {
    #[default]
    Nothing,
    Colour(Colour),
    /// An angle in degrees as CSS counts it, and colours by percent.
    Gradient(f32, Vec<(f32, Colour)>),
    /// A picture, by the id of its relation.
    Picture(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) width: f32,
    pub(super) kind: &'static str,
    pub(super) colour: Colour,
}

/// What a shape is painted with.
#[derive(Clone, Debug, Default)]
pub(super) struct Paint {
    pub(super) fill: Fill,
    pub(super) line: Option<Line>,
}

impl Paint {
    /// What the shape says itself, else what its style refers to.
    pub(super) fn of(properties: &Element, style: Option<&Element>, palette: &Palette) -> Self {
        let referred = |name: &str| {
            let reference = style?.child(name)?;
            let is_used = reference.attribute("idx").is_some_and(|index| index != "0");
            is_used.then(|| palette.colour(reference, None)).flatten()
        };
        let by_style = referred("fillRef");
        let fill = fill_of(properties, palette, by_style);
        let fill = fill.or_else(|| by_style.map(Fill::Colour)).unwrap_or_default();
        let by_style = referred("lnRef");
        let line = match properties.child("ln") {
            Some(line) => line_of(line, palette, by_style),
            None => by_style.map(|colour| Line { width: 1.0, kind: "solid", colour }),
        };
        Self { fill, line }
    }
}

/// The first fill among the children.
pub(super) fn fill_of(
    parent: &Element,
    palette: &Palette,
    placeholder: Option<Colour>,
) -> Option<Fill> {
    parent.elements().find_map(|fill| match &*fill.name {
        "noFill" => Some(Fill::Nothing),
        "solidFill" => palette.colour(fill, placeholder).map(Fill::Colour),
        "pattFill" => palette.colour(fill.child("fgClr")?, placeholder).map(Fill::Colour),
        "gradFill" => gradient(fill, palette, placeholder),
        "blipFill" => {
            let picture = fill.child("blip")?.attribute("embed")?;
            Some(Fill::Picture(picture.to_owned()))
        }
        _ => None,
    })
}

fn gradient(fill: &Element, palette: &Palette, placeholder: Option<Colour>) -> Option<Fill> {
    let mut stops: Vec<(f32, Colour)> = fill
        .child("gsLst")?
        .children("gs")
        .filter_map(|stop| {
            let at: f32 = stop.attribute("pos")?.parse().ok()?;
            Some((at / 1_000.0, palette.colour(stop, placeholder)?))
        })
        .take(20)
        .collect();
    stops.sort_by(|one, other| one.0.total_cmp(&other.0));
    let angle = fill.child("lin").and_then(|line| line.attribute("ang")?.parse::<f32>().ok());
    match stops.as_slice() {
        [] => None,
        [(_, only)] => Some(Fill::Colour(*only)),
        // Files count from the right, CSS from the top.
        _ => Some(Fill::Gradient(angle.unwrap_or(0.0) / 60_000.0 + 90.0, stops)),
    }
}

/// Of `ln`; none when it says that there is none.
pub(super) fn line_of(line: &Element, palette: &Palette, by_style: Option<Colour>) -> Option<Line> {
    let colour = match fill_of(line, palette, by_style) {
        Some(Fill::Colour(colour)) => colour,
        Some(Fill::Gradient(_, stops)) => stops.first()?.1,
        Some(Fill::Nothing | Fill::Picture(_)) => return None,
        None => by_style?,
    };
    let kind = match line.child("prstDash").and_then(|dash| dash.attribute("val")) {
        None | Some("solid") => "solid",
        Some("dot" | "sysDot") => "dotted",
        Some(_) => "dashed",
    };
    Some(Line { width: length(line, "w").unwrap_or(0.75).clamp(0.5, 50.0), kind, colour })
}

/// Opens a box at the frame, painted as the shape is. Whoever calls it writes what is within and closes a `div`.
pub(super) fn open_shape(
    markup: &mut Markup,
    unit: Unit,
    frame: &Frame,
    properties: &Element,
    paint: &Paint,
) {
    let mut style = Style::new(unit);
    frame.place(&mut style);
    style.rotation(frame.rotation, (false, false));
    let drawn = outline(properties);
    if let Outline::Path { data, is_open } = &drawn {
        markup.open("div", "dk-shape", &style);
        draw_path(markup, unit, data, *is_open, frame.flip, paint);
        return;
    }
    fill_style(&mut style, &paint.fill);
    if let Some(Line { width, kind, colour }) = paint.line {
        style.border("border", width, kind, colour);
    }
    match drawn {
        Outline::Ellipse => {
            style.percent("border-radius", 50.0);
        }
        Outline::Rounded(share) => {
            style.length("border-radius", share * frame.width.min(frame.height));
        }
        Outline::Rectangle | Outline::Path { .. } => {}
    }
    markup.open("div", "dk-shape", &style);
}

pub(super) fn fill_style(style: &mut Style, fill: &Fill) {
    match fill {
        Fill::Colour(colour) => {
            style.colour("background-color", *colour);
        }
        Fill::Gradient(angle, stops) => {
            style.gradient(*angle, stops);
        }
        Fill::Nothing | Fill::Picture(_) => {}
    }
}

fn draw_path(
    markup: &mut Markup,
    unit: Unit,
    data: &str,
    is_open: bool,
    flip: (bool, bool),
    paint: &Paint,
) {
    let mut style = Style::new(unit);
    match &paint.fill {
        Fill::Colour(colour) if !is_open => {
            style.colour("fill", *colour);
        }
        Fill::Gradient(_, stops) if !is_open => {
            style.colour("fill", stops.first().map_or(Colour::WHITE, |stop| stop.1));
        }
        _ => {
            style.keyword("fill", "none");
        }
    }
    if let Some(line) = paint.line {
        style.colour("stroke", line.colour).length("stroke-width", line.width);
        if line.kind != "solid" {
            style.keyword("stroke-dasharray", "4 3");
        }
    }
    let mut turned = Style::new(unit);
    turned.rotation(0.0, flip);
    markup.begin("svg");
    markup.attribute("class", "dk-outline");
    markup.attribute("viewBox", "0 0 100 100");
    markup.attribute("preserveAspectRatio", "none");
    markup.style(&turned);
    markup.end();
    markup.begin("path");
    markup.attribute("d", data);
    markup.attribute("vector-effect", "non-scaling-stroke");
    markup.style(&style);
    markup.end();
    markup.raw("</path></svg>");
}

/// A picture that fills the box around it. `crop` is `srcRect`: shares that are cut off its sides.
pub(super) fn write_picture(
    markup: &mut Markup,
    class: &str,
    description: &str,
    crop: Option<&Element>,
    style: &mut Style,
) {
    let cut = |name: &str| {
        let share = crop.and_then(|crop| crop.attribute(name)?.parse::<f32>().ok());
        (share.unwrap_or(0.0) / 100_000.0).clamp(0.0, 0.95)
    };
    let (left, top) = (cut("l"), cut("t"));
    let (across, down) = ((1.0 - left - cut("r")).max(0.02), (1.0 - top - cut("b")).max(0.02));
    if across < 1.0 || down < 1.0 {
        // A position in percent is a share of what lies outside of the box.
        let place = |cut: f32, shown: f32| if shown < 0.999 { cut / (1.0 - shown) } else { 0.0 };
        style.percents("background-size", 100.0 / across, 100.0 / down);
        style.percents(
            "background-position",
            place(left, across) * 100.0,
            place(top, down) * 100.0,
        );
    }
    markup.begin("div");
    markup.attribute("class", &format!("dk-picture {class}"));
    markup.attribute("role", "img");
    markup.attribute("aria-label", description);
    markup.style(style);
    markup.end();
    markup.close("div");
}

/// A box in place of a picture that cannot be shown.
pub(super) fn write_missing(markup: &mut Markup, description: &str, style: &Style) {
    markup.open("div", "dk-missing", style);
    markup.text(if description.is_empty() { "Picture" } else { description });
    markup.close("div");
}
