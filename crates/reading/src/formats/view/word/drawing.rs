//! Pictures, text boxes and shapes of Word files.

use super::inline::Inline;
use super::{BlockContext, Spacing, Word};
use crate::ReadError;
use crate::formats::description;
use crate::formats::view::chart;
use crate::formats::view::drawing::{Fill, Paint, open_shape, write_missing, write_picture};
use crate::formats::view::geometry::{Frame, Mapping, length, points};
use crate::formats::view::markup::Markup;
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

/// Objects that are larger are drawn at this size.
const MAX_SIDE: f32 = 2_000.0;

/// The position of an object relative to the text.
enum Placing {
    /// As a letter, or to a side with text around it.
    InText(Style),
    /// Over or under the text, from the paragraph or from the edge of the paper.
    Floating { style: Style, from_paragraph: bool },
}

impl Word<'_> {
    pub(super) fn drawing(
        &mut self,
        element: &Element,
        inline: &mut Inline,
    ) -> Result<(), ReadError> {
        for child in element.elements() {
            match &*child.name {
                "inline" | "anchor" => self.object(child, inline)?,
                // VML, the older format.
                "shape" | "rect" | "group" | "roundrect" | "oval" => {
                    self.old_shape(child, inline)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn object(&mut self, object: &Element, inline: &mut Inline) -> Result<(), ReadError> {
        let extent = object.child("extent");
        let side = |name: &str| extent.and_then(|extent| length(extent, name)).unwrap_or(0.0);
        let (width, height) = (side("cx").clamp(0.0, MAX_SIDE), side("cy").clamp(0.0, MAX_SIDE));
        let described = object.child("docPr").and_then(|properties| properties.attribute("descr"));
        let described = description(described).unwrap_or_default();
        let frame = Frame { width, height, ..Frame::default() };
        let mut content = Markup::default();
        let data = object.path(&["graphic", "graphicData"]);
        for graphic in data.into_iter().flat_map(Element::elements) {
            self.graphic(graphic, Some(frame), Mapping::NONE, &described, &mut content)?;
        }
        if content.is_empty() {
            return Ok(());
        }
        let placing = self.placing(object, width);
        let (mut style, is_floating, from_paragraph) = match placing {
            Placing::InText(style) => (style, false, false),
            Placing::Floating { style, from_paragraph } => (style, true, from_paragraph),
        };
        style.length("width", width).length("height", height);
        let mut markup = Markup::default();
        if from_paragraph {
            markup.raw("<span class=\"dk-from\">");
        }
        markup.open("span", if is_floating { "dk-object dk-float" } else { "dk-object" }, &style);
        markup.append(content);
        markup.close("span");
        if from_paragraph {
            markup.close("span");
        }
        inline.insert(markup);
        Ok(())
    }

    fn placing(&self, object: &Element, width: f32) -> Placing {
        let mut style = Style::default();
        if &*object.name == "inline" {
            return Placing::InText(style);
        }
        let (text_left, text_top) = self.section.text_origin();
        let across = object.child("positionH");
        let offset = |position: Option<&Element>| points(&position?.child("posOffset")?.all_text());
        let aligned = across.and_then(|across| across.child("align")).map(Element::all_text);
        let from_page = |position: Option<&Element>| {
            position.and_then(|position| position.attribute("relativeFrom")) == Some("page")
        };
        // From the left edge of the text.
        let room = self.section.text_width() - width;
        let left = match aligned.as_deref() {
            Some("right" | "outside") => room,
            Some("center") => room / 2.0,
            Some(_) => 0.0,
            None if from_page(across) => offset(across).unwrap_or(0.0) - text_left,
            None => offset(across).unwrap_or(0.0),
        };
        let wraps = object.elements().find(|child| child.name.starts_with("wrap"));
        match wraps.map(|wrap| &*wrap.name) {
            Some("wrapSquare" | "wrapTight" | "wrapThrough") => {
                let side = if left > room / 2.0 { "right" } else { "left" };
                style.keyword("float", side).keyword("margin", "0 6pt 4pt 6pt");
                Placing::InText(style)
            }
            Some("wrapTopAndBottom") => {
                style.keyword("display", "block").length("margin-left", left.max(0.0));
                Placing::InText(style)
            }
            _ => {
                let down = object.child("positionV");
                let top = offset(down).unwrap_or(0.0);
                let from = down.and_then(|down| down.attribute("relativeFrom"));
                let is_in_margin = matches!(from, Some("margin" | "topMargin"));
                style.length("top", if is_in_margin { top + text_top } else { top });
                let from_paragraph = !matches!(from, Some("page" | "margin" | "topMargin"));
                let left = if from_paragraph { left } else { left + text_left };
                style.length("left", left);
                if object.attribute("behindDoc") == Some("1") {
                    style.keyword("z-index", "0");
                }
                Placing::Floating { style, from_paragraph }
            }
        }
    }

    /// A picture, a shape or a group of them. Its frame is its own, unless `frame` gives it one.
    fn graphic(
        &mut self,
        graphic: &Element,
        frame: Option<Frame>,
        mapping: Mapping,
        described: &str,
        markup: &mut Markup,
    ) -> Result<(), ReadError> {
        let own = |properties: Option<&Element>| {
            let own = properties.and_then(|properties| properties.child("xfrm"));
            let own = own.and_then(Frame::of);
            match frame {
                // Turned as it says, at the place that it has in the text.
                Some(frame) => {
                    let (rotation, flip) =
                        own.map_or((0.0, (false, false)), |own| (own.rotation, own.flip));
                    Some(Frame { rotation, flip, ..frame })
                }
                None => own.map(|own| mapping.apply(own)),
            }
        };
        match &*graphic.name {
            "pic" => {
                let properties = graphic.child("spPr");
                if let Some(frame) = own(properties) {
                    self.picture(graphic, &frame, described, markup);
                }
            }
            "wsp" => {
                let properties = graphic.child("spPr");
                if let (Some(frame), Some(properties)) = (own(properties), properties) {
                    self.shape(graphic, properties, &frame, markup)?;
                }
            }
            "wgp" | "grpSp" | "wpc" => {
                let transform = graphic.child("grpSpPr").and_then(|group| group.child("xfrm"));
                let inner = match frame {
                    Some(frame) => fitted(transform, frame),
                    None => mapping.within(transform),
                };
                for child in graphic.elements() {
                    self.graphic(child, None, inner, described, markup)?;
                }
            }
            "chart" => {
                let relation = graphic.attribute("id").and_then(|id| self.relations.get(id));
                if let Some(target) = relation.map(|relation| relation.target.clone()) {
                    chart::write(&self.package.tree(&target)?, markup);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn picture(&mut self, picture: &Element, frame: &Frame, described: &str, markup: &mut Markup) {
        let fill = picture.child("blipFill");
        let blip = fill.and_then(|fill| fill.child("blip"));
        let id = blip.and_then(|blip| blip.attribute("embed").or_else(|| blip.attribute("link")));
        let mut style = Style::default();
        frame.place(&mut style);
        style.rotation(frame.rotation, frame.flip);
        match id.and_then(|id| self.images.class(self.package, &self.relations, id)) {
            Some(class) => {
                let crop = fill.and_then(|fill| fill.child("srcRect"));
                write_picture(markup, &class, described, crop, &mut style);
            }
            None => write_missing(markup, described, &style),
        }
    }

    fn shape(
        &mut self,
        shape: &Element,
        properties: &Element,
        frame: &Frame,
        markup: &mut Markup,
    ) -> Result<(), ReadError> {
        let paint = Paint::of(properties, shape.child("style"), &self.palette);
        open_shape(markup, Unit::Points, frame, properties, &paint);
        if let Fill::Picture(id) = &paint.fill
            && let Some(class) = self.images.class(self.package, &self.relations, id)
        {
            write_picture(markup, &class, "", None, &mut Style::default());
        }
        if let Some(content) = shape.path(&["txbx", "txbxContent"]) {
            self.box_text(content, shape.child("bodyPr"), markup)?;
        }
        markup.close("div");
        Ok(())
    }

    fn box_text(
        &mut self,
        content: &Element,
        body: Option<&Element>,
        markup: &mut Markup,
    ) -> Result<(), ReadError> {
        let inset = |name, usual| {
            body.and_then(|body| length(body, name)).unwrap_or(usual).clamp(0.0, 100.0)
        };
        let mut style = Style::default();
        style
            .length("padding-left", inset("lIns", 7.2))
            .length("padding-right", inset("rIns", 7.2));
        style
            .length("padding-top", inset("tIns", 3.6))
            .length("padding-bottom", inset("bIns", 3.6));
        match body.and_then(|body| body.attribute("anchor")) {
            Some("ctr") => {
                style.keyword("justify-content", "center");
            }
            Some("b") => {
                style.keyword("justify-content", "flex-end");
            }
            _ => {}
        }
        markup.open("div", "dk-boxtext", &style);
        let around = BlockContext { is_cell: true, ..BlockContext::default() };
        let mut spacing = Spacing::default();
        for child in content.elements() {
            self.block(child, &around, &mut spacing, markup)?;
        }
        markup.close("div");
        Ok(())
    }

    fn old_shape(&mut self, shape: &Element, inline: &mut Inline) -> Result<(), ReadError> {
        let side = |name: &str| {
            let style = shape.attribute("style")?;
            let (_, length) = style
                .split(';')
                .filter_map(|declaration| declaration.split_once(':'))
                .find(|(property, _)| property.trim() == name)?;
            css_points(length.trim())
        };
        let (width, height) = (side("width"), side("height"));
        let mut style = Style::default();
        if let (Some(width), Some(height)) = (width, height) {
            style.length("width", width.min(MAX_SIDE)).length("height", height.min(MAX_SIDE));
        }
        let mut markup = Markup::default();
        let image = shape.find("imagedata").and_then(|image| image.attribute("id"));
        if let Some(id) = image {
            let described = description(shape.attribute("alt")).unwrap_or_default();
            markup.open("span", "dk-object", &style);
            match self.images.class(self.package, &self.relations, id) {
                Some(class) => {
                    let mut fit = Style::default();
                    fit.percent("width", 100.0).percent("height", 100.0);
                    write_picture(&mut markup, &class, &described, None, &mut fit);
                }
                None => write_missing(&mut markup, &described, &Style::default()),
            }
            markup.close("span");
        } else if let Some(content) = shape.find("txbxContent") {
            let mut box_style = Style::default();
            if let Some(width) = width {
                box_style.length("width", width.min(MAX_SIDE));
            }
            markup.open("span", "dk-oldbox", &box_style);
            self.box_text(content, None, &mut markup)?;
            markup.close("span");
        }
        inline.insert(markup);
        Ok(())
    }
}

/// The mapping of a group whose place is the frame's, whatever it says itself.
fn fitted(transform: Option<&Element>, frame: Frame) -> Mapping {
    let Some(transform) = transform else { return Mapping::NONE };
    let own = Mapping::NONE.within(Some(transform));
    let Some(outer) = Frame::of(transform) else { return own };
    own.then_moved(frame.left - outer.left, frame.top - outer.top)
}

fn css_points(length: &str) -> Option<f32> {
    let end = length.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(length.len());
    let (number, unit) = length.split_at_checked(end)?;
    let number: f32 = number.parse().ok()?;
    let points = match unit {
        "pt" | "" => number,
        "in" => number * 72.0,
        "px" => number * 0.75,
        "cm" => number * 28.35,
        "mm" => number * 2.835,
        _ => return None,
    };
    points.is_finite().then_some(points)
}
