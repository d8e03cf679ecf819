//! The shapes of a slide.

use super::Slide;
use crate::ReadError;
use crate::formats::description;
use crate::formats::package::Relations;
use crate::formats::pptx::placeholder;
use crate::formats::view::chart;
use crate::formats::view::drawing::{Fill, Paint, open_shape, write_missing, write_picture};
use crate::formats::view::geometry::{Frame, Mapping};
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

impl Slide<'_> {
    /// All shapes in their order, those of groups included. A layout's own shapes are those that are no placeholders.
    pub(super) fn shapes(
        &mut self,
        parent: &Element,
        mapping: Mapping,
        relations: &Relations,
        fills_in: bool,
    ) -> Result<(), ReadError> {
        for shape in parent.elements() {
            if self.markup.is_full() {
                return Ok(());
            }
            if !fills_in && placeholder(shape).is_some() {
                continue;
            }
            let is_hidden = shape.elements().find(|child| child.name.starts_with("nv"));
            let is_hidden = is_hidden.and_then(|properties| properties.child("cNvPr"));
            if is_hidden.is_some_and(|properties| properties.attribute("hidden") == Some("1")) {
                continue;
            }
            match &*shape.name {
                "sp" | "cxnSp" => self.shape(shape, mapping, relations),
                "pic" => self.picture(shape, mapping, relations),
                "graphicFrame" => self.frame(shape, mapping, relations)?,
                "grpSp" => {
                    let transform = shape.path(&["grpSpPr", "xfrm"]);
                    self.shapes(shape, mapping.within(transform), relations, fills_in)?;
                }
                "AlternateContent" => {
                    let chosen = shape.child("Choice").or_else(|| shape.child("Fallback"));
                    if let Some(chosen) = chosen {
                        self.shapes(chosen, mapping, relations, fills_in)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn shape(&mut self, shape: &Element, mapping: Mapping, relations: &Relations) {
        let layers = self.layers;
        let inherited = layers.inherited(shape);
        let Some(frame) = inherited.frame().map(|frame| mapping.apply(frame)) else { return };
        let none = Element::default();
        let properties = shape.child("spPr").unwrap_or(&none);
        let paint = Paint::of(properties, shape.child("style"), &self.palette);
        open_shape(self.markup, Unit::Slide, &frame, properties, &paint);
        if let Fill::Picture(id) = &paint.fill
            && let Some(class) = self.images.class(self.package, relations, id)
        {
            write_picture(self.markup, &class, "", None, &mut Style::default());
        }
        if let Some(body) = shape.child("txBody") {
            self.text_box(inherited, body);
        }
        self.markup.close("div");
    }

    fn picture(&mut self, picture: &Element, mapping: Mapping, relations: &Relations) {
        let layers = self.layers;
        let Some(frame) = layers.inherited(picture).frame() else { return };
        let frame = mapping.apply(frame);
        let properties = picture.path(&["nvPicPr", "cNvPr"]);
        let described = properties.and_then(|properties| properties.attribute("descr"));
        let described = description(described).unwrap_or_default();
        let fill = picture.child("blipFill");
        let id = fill.and_then(|fill| fill.child("blip")).and_then(|blip| blip.attribute("embed"));
        let mut style = Style::new(Unit::Slide);
        frame.place(&mut style);
        style.rotation(frame.rotation, frame.flip);
        match id.and_then(|id| self.images.class(self.package, relations, id)) {
            Some(class) => {
                let crop = fill.and_then(|fill| fill.child("srcRect"));
                write_picture(self.markup, &class, &described, crop, &mut style);
            }
            None => write_missing(self.markup, &described, &style),
        }
    }

    /// A table, a chart or a diagram.
    fn frame(
        &mut self,
        frame: &Element,
        mapping: Mapping,
        relations: &Relations,
    ) -> Result<(), ReadError> {
        let Some(place) = frame.child("xfrm").and_then(Frame::of) else { return Ok(()) };
        let place = mapping.apply(place);
        let mut style = Style::new(Unit::Slide);
        place.place(&mut style);
        if let Some(table) = frame.find("tbl") {
            self.markup.open("div", "dk-shape", &style);
            self.table(table, &place);
            self.markup.close("div");
            return Ok(());
        }
        let chart = frame.find("chart").and_then(|chart| relations.get(chart.attribute("id")?));
        if let Some(relation) = chart {
            let tree = self.package.tree(&relation.target)?;
            self.markup.open("div", "dk-shape dk-scroll", &style);
            chart::write(&tree, self.markup);
            self.markup.close("div");
            return Ok(());
        }
        // A diagram comes with a drawing of itself.
        if frame.find("relIds").is_some() {
            let drawing = relations.values().find(|relation| relation.kind == "diagramDrawing");
            if let Some(relation) = drawing {
                let tree = self.package.tree(&relation.target)?;
                let inner = self.package.relations(&relation.target)?;
                if let Some(shapes) = tree.child("spTree") {
                    let mapping = Mapping::moved(place.left, place.top);
                    self.shapes(shapes, mapping, &inner, true)?;
                }
            }
        }
        Ok(())
    }
}
