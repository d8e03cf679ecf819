//! Placeholders: shapes inherit position and text styles from the layout and the master.

use super::Part;
use crate::formats::pptx::placeholder;
use crate::formats::view::geometry::Frame;
use crate::formats::xml::Element;

/// A slide and what is under it.
#[derive(Clone, Copy)]
pub(super) struct Layers<'a> {
    pub(super) slide: &'a Part,
    pub(super) layout: &'a Part,
    pub(super) master: &'a Part,
    /// The text styles of the presentation.
    pub(super) defaults: Option<&'a Element>,
}

/// A shape, and the shapes of the layout and the master that it fills in.
#[derive(Clone, Copy)]
pub(super) struct Inherited<'e> {
    pub(super) shape: &'e Element,
    layout: Option<&'e Element>,
    master: Option<&'e Element>,
    kind: Option<&'e str>,
    is_placeholder: bool,
}

impl<'a> Layers<'a> {
    pub(super) fn inherited<'e>(&self, shape: &'e Element) -> Inherited<'e>
    where
        'a: 'e,
    {
        let place = placeholder(shape);
        let layout = place.and_then(|place| same_place(&self.layout.tree, place));
        // The layout knows the type when the slide does not state it.
        let kind = place
            .and_then(|place| place.attribute("type"))
            .or_else(|| layout.and_then(placeholder).and_then(|place| place.attribute("type")));
        let master = place.and_then(|_| same_kind(&self.master.tree, kind));
        Inherited { shape, layout, master, kind, is_placeholder: place.is_some() }
    }
}

impl<'e> Inherited<'e> {
    /// The shape itself first.
    fn all(self) -> impl Iterator<Item = &'e Element> {
        [Some(self.shape), self.layout, self.master].into_iter().flatten()
    }

    pub(super) fn frame(self) -> Option<Frame> {
        self.all().find_map(|shape| Frame::of(shape.path(&["spPr", "xfrm"])?))
    }

    /// An attribute of `bodyPr`.
    pub(super) fn body(self, name: &str) -> Option<&'e str> {
        self.all().find_map(|shape| shape.path(&["txBody", "bodyPr"])?.attribute(name))
    }

    /// The styles of a level of the text, the strongest first: of shapes, and of the master and the presentation.
    pub(super) fn levels(
        self,
        layers: &Layers<'e>,
        depth: u32,
    ) -> (Vec<&'e Element>, Vec<&'e Element>) {
        let name = format!("lvl{}pPr", depth.min(8) + 1);
        let of_shapes = self
            .all()
            .filter_map(|shape| shape.path(&["txBody", "lstStyle"])?.child(&name))
            .collect();
        let style = match self.kind {
            _ if !self.is_placeholder => "otherStyle",
            Some("title" | "ctrTitle") => "titleStyle",
            Some("subTitle" | "body" | "obj") | None => "bodyStyle",
            Some(_) => "otherStyle",
        };
        let of_master = layers.master.tree.path(&["txStyles", style]);
        let below = [of_master, layers.defaults];
        let below = below.into_iter().filter_map(|style| style?.child(&name)).collect();
        (of_shapes, below)
    }
}

/// The shape with the same number, else of the same kind.
fn same_place<'t>(tree: &'t Element, wanted: &Element) -> Option<&'t Element> {
    let shapes = tree.find_all("sp");
    let index = wanted.attribute("idx");
    let by_index = shapes.iter().find(|shape| {
        let place = placeholder(shape);
        index.is_some() && place.is_some_and(|place| place.attribute("idx") == index)
    });
    by_index.copied().or_else(|| {
        let kind = plain_kind(wanted.attribute("type"));
        shapes.into_iter().find(|shape| {
            placeholder(shape).is_some_and(|place| plain_kind(place.attribute("type")) == kind)
        })
    })
}

fn same_kind<'t>(tree: &'t Element, kind: Option<&str>) -> Option<&'t Element> {
    let kind = plain_kind(kind);
    tree.find_all("sp").into_iter().find(|shape| {
        placeholder(shape).is_some_and(|place| plain_kind(place.attribute("type")) == kind)
    })
}

/// A master has one title and one body.
fn plain_kind(kind: Option<&str>) -> &str {
    match kind {
        Some("ctrTitle" | "title") => "title",
        Some("dt") => "dt",
        Some("ftr") => "ftr",
        Some("sldNum") => "sldNum",
        _ => "body",
    }
}
