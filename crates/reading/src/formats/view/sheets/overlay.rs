//! The drawing layer of a sheet: pictures, charts, text boxes, and comments.

use std::collections::HashMap;

use super::Grid;
use crate::ReadError;
use crate::formats::description;
use crate::formats::package::{Package, Relations};
use crate::formats::view::chart;
use crate::formats::view::colour::{Palette, Theme};
use crate::formats::view::drawing::{Paint, open_shape, write_missing, write_picture};
use crate::formats::view::geometry::{Frame, length, points};
use crate::formats::view::images::Images;
use crate::formats::view::markup::Markup;
use crate::formats::view::style::{Style, Unit};
use crate::formats::xlsx;
use crate::formats::xml::Element;

const MAX_OBJECTS: usize = 500;

/// Comments, by row and column.
pub(super) fn comments(
    package: &Package,
    relations: &Relations,
) -> Result<HashMap<(u32, u32), String>, ReadError> {
    let mut comments = HashMap::new();
    let members = relations.values().filter(|relation| relation.kind == "comments");
    for relation in members.filter(|relation| !relation.external) {
        let tree = package.tree(&relation.target)?;
        let list = tree.child("commentList").into_iter().flat_map(|list| list.children("comment"));
        for comment in list {
            let place = comment.attribute("ref").and_then(xlsx::place);
            if let (Some(place), Some(text)) = (place, comment.child("text")) {
                comments.insert(place, xlsx::rich_text(text));
            }
        }
    }
    Ok(comments)
}

pub(super) fn write(
    package: &Package,
    relations: &Relations,
    grid: &Grid,
    theme: &Theme,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    let palette = Palette::new(theme, None);
    let drawings = relations.values().filter(|relation| relation.kind == "drawing");
    for relation in drawings.filter(|relation| !relation.external) {
        let inner = package.relations(&relation.target)?;
        for anchor in package.tree(&relation.target)?.elements().take(MAX_OBJECTS) {
            let Some(frame) = frame_of(anchor, grid) else { continue };
            for object in anchor.elements() {
                write_object(package, &inner, object, &frame, &palette, images, markup)?;
            }
        }
    }
    Ok(())
}

fn write_object(
    package: &Package,
    relations: &Relations,
    object: &Element,
    frame: &Frame,
    palette: &Palette,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    let mut style = Style::default();
    frame.place(&mut style);
    match &*object.name {
        "pic" => {
            let properties = object.path(&["nvPicPr", "cNvPr"]);
            let described = properties.and_then(|properties| properties.attribute("descr"));
            let described = description(described).unwrap_or_default();
            let id = object.path(&["blipFill", "blip"]).and_then(|blip| blip.attribute("embed"));
            match id.and_then(|id| images.class(package, relations, id)) {
                Some(class) => {
                    let crop = object.path(&["blipFill", "srcRect"]);
                    write_picture(markup, &class, &described, crop, &mut style);
                }
                None => write_missing(markup, &described, &style),
            }
        }
        "graphicFrame" => {
            let chart =
                object.find("chart").and_then(|chart| relations.get(chart.attribute("id")?));
            if let Some(relation) = chart {
                markup.open("div", "dk-shape dk-scroll dk-paper", &style);
                chart::write(&package.tree(&relation.target)?, markup);
                markup.close("div");
            }
        }
        "sp" => {
            let Some(properties) = object.child("spPr") else { return Ok(()) };
            let paint = Paint::of(properties, object.child("style"), palette);
            open_shape(markup, Unit::Points, frame, properties, &paint);
            for paragraph in object.child("txBody").into_iter().flat_map(|body| body.children("p"))
            {
                markup.raw("<div class=\"dk-p\">");
                for text in paragraph.find_all("t") {
                    markup.text(&text.all_text());
                }
                markup.raw("</div>");
            }
            markup.close("div");
        }
        "AlternateContent" => {
            let chosen = object.child("Choice").or_else(|| object.child("Fallback"));
            for inner in chosen.into_iter().flat_map(Element::elements) {
                write_object(package, relations, inner, frame, palette, images, markup)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Where an object is over the grid.
fn frame_of(anchor: &Element, grid: &Grid) -> Option<Frame> {
    let corner = |name: &str| {
        let at = anchor.child(name)?;
        let number = |name: &str| at.child(name)?.all_text().trim().parse::<u32>().ok();
        let offset = |name: &str| points(&at.child(name)?.all_text());
        let (left, top) = grid.corner(number("row")?, number("col")?);
        Some((left + offset("colOff").unwrap_or(0.0), top + offset("rowOff").unwrap_or(0.0)))
    };
    let sized = |left: f32, top: f32| {
        let size = anchor.child("ext")?;
        let (width, height) = (length(size, "cx")?, length(size, "cy")?);
        Some(Frame { left, top, width, height, ..Frame::default() })
    };
    match (corner("from"), corner("to")) {
        (Some((left, top)), Some((right, bottom))) => {
            let (width, height) = ((right - left).max(1.0), (bottom - top).max(1.0));
            Some(Frame { left, top, width, height, ..Frame::default() })
        }
        (Some((left, top)), None) => sized(left, top),
        _ => {
            let at = anchor.child("pos")?;
            sized(length(at, "x")?, length(at, "y")?)
        }
    }
}
