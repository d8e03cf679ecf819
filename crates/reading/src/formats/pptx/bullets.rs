//! Whether a paragraph of a slide has a bullet.
//!
//! The paragraph's own properties decide, then its shape, the *layout* of the slide and the *master* of the layout, in
//! this order.

use crate::ReadError;
use crate::formats::package::{Package, Relations};
use crate::formats::xml::Element;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bullet {
    Nothing,
    Sign,
    Number { from: u32 },
}

/// The layout of the current slide, and the master of the layout.
#[derive(Debug, Default)]
pub(super) struct Masters {
    layout_member: String,
    layout: Element,
    master_member: String,
    master: Element,
}

impl Masters {
    /// Loads the layout and master of a slide, unless they are loaded already.
    pub(super) fn load(&mut self, package: &Package, slide: &Relations) -> Result<(), ReadError> {
        let member = |relations: &Relations, kind: &str| {
            let found = relations.values().find(|relation| relation.kind == kind);
            found.map(|relation| relation.target.clone()).unwrap_or_default()
        };
        let layout = member(slide, "slideLayout");
        if layout == self.layout_member {
            return Ok(());
        }
        self.layout = package.tree(&layout)?;
        let master = member(&package.relations(&layout)?, "slideMaster");
        self.layout_member = layout;
        if master != self.master_member {
            self.master = package.tree(&master)?;
            self.master_member = master;
        }
        Ok(())
    }

    pub(super) fn bullet(
        &self,
        body: &Element,
        place: Option<&Element>,
        depth: u8,
    ) -> Option<Bullet> {
        let own = body.child("lstStyle").and_then(|style| of_level(style, depth));
        let Some(place) = place else {
            return own.or_else(|| self.style("otherStyle", depth));
        };
        own.or_else(|| of_place(&self.layout, place, depth))
            .or_else(|| of_place(&self.master, place, depth))
            .or_else(|| match place.attribute("type") {
                Some("subTitle" | "body" | "obj") | None => self.style("bodyStyle", depth),
                _ => self.style("otherStyle", depth),
            })
    }

    fn style(&self, name: &str, depth: u8) -> Option<Bullet> {
        of_level(self.master.path(&["txStyles", name])?, depth)
    }
}

/// The bullet of the same placeholder on a layout or master.
fn of_place(tree: &Element, wanted: &Element, depth: u8) -> Option<Bullet> {
    let index = wanted.attribute("idx");
    let kind = wanted.attribute("type").unwrap_or("body");
    let kind_of =
        |place: &Element| place.attribute("type").unwrap_or("body").replace("obj", "body");
    let places = tree.find_all("sp");
    let same = |shape: &&&Element| {
        super::placeholder(shape)
            .is_some_and(|place| index.is_some() && place.attribute("idx") == index)
    };
    let alike = |shape: &&&Element| {
        super::placeholder(shape).is_some_and(|place| kind_of(place) == kind.replace("obj", "body"))
    };
    let shape = places.iter().find(same).or_else(|| places.iter().find(alike))?;
    of_level(shape.path(&["txBody", "lstStyle"])?, depth)
}

fn of_level(style: &Element, depth: u8) -> Option<Bullet> {
    of_properties(style.child(&format!("lvl{}pPr", depth + 1))?)
}

/// The bullet that the paragraph sets itself.
pub(super) fn of_paragraph(paragraph: &Element) -> Option<Bullet> {
    of_properties(paragraph.child("pPr")?)
}

fn of_properties(properties: &Element) -> Option<Bullet> {
    properties.elements().find_map(|element| match &*element.name {
        "buNone" => Some(Bullet::Nothing),
        "buChar" | "buBlip" => Some(Bullet::Sign),
        "buAutoNum" => Some(Bullet::Number { from: element.number("startAt").unwrap_or(1) }),
        _ => None,
    })
}
