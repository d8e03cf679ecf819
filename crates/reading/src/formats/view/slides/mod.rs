//! Presentations: each slide at its size, with the shapes of its layout and its master under its own.
//!
//! Lengths are multiples of the custom property `--u`, so that a slide is as wide as the window.

mod placeholders;
mod shapes;
mod table;
mod text;

use std::collections::HashMap;
use std::rc::Rc;

use self::placeholders::Layers;
use super::colour::{Palette, Theme};
use super::drawing::{Fill, fill_of, fill_style, write_picture};
use super::geometry::{Mapping, length};
use super::images::Images;
use super::markup::Markup;
use super::style::{Style, Unit};
use crate::formats::package::{Package, Relations};
use crate::formats::xml::Element;
use crate::{ReadError, Source};

pub(super) fn render(
    source: &Source<'_>,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    let package = Package::open(source)?;
    let main = package.main_member("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let presentation = package.tree(&main)?;
    let stated = presentation.child("sldSz");
    let edge = |name: &str, usual: f32| {
        stated.and_then(|size| length(size, name)).unwrap_or(usual).clamp(72.0, 4_000.0)
    };
    let slide_size = (edge("cx", 720.0), edge("cy", 540.0));
    let mut parts = Parts { package: &package, known: HashMap::new() };
    let slides = presentation.child("sldIdLst").into_iter().flat_map(|list| list.children("sldId"));
    for (number, slide) in (1_u32..).zip(slides) {
        if markup.is_full() || number > source.limits.pages {
            break;
        }
        // Two attributes are called `id`; the one that refers begins with letters.
        let relation = slide.attributes_named("id").find_map(|id| relations.get(id));
        let Some(relation) = relation.filter(|relation| package.has(&relation.target)) else {
            continue;
        };
        let slide = parts.load(&relation.target)?;
        let layout = parts.related(&slide, "slideLayout")?;
        let master = parts.related(&layout, "slideMaster")?;
        let theme = Theme::load(&package, &master.relations)?;
        let palette = Palette::new(&theme, master.tree.child("clrMap"));
        let defaults = presentation.child("defaultTextStyle");
        let layers = Layers { slide: &slide, layout: &layout, master: &master, defaults };
        let mut renderer = Slide {
            package: &package,
            images: &mut *images,
            palette,
            layers,
            markup: &mut *markup,
        };
        renderer.render(number, slide_size)?;
    }
    Ok(())
}

/// A member with what it refers to.
#[derive(Debug, Default)]
struct Part {
    tree: Element,
    relations: Relations,
}

/// Layouts and masters are the same for many slides.
struct Parts<'p> {
    package: &'p Package<'p>,
    known: HashMap<String, Rc<Part>>,
}

impl Parts<'_> {
    fn load(&self, member: &str) -> Result<Rc<Part>, ReadError> {
        let tree = self.package.tree(member)?;
        Ok(Rc::new(Part { tree, relations: self.package.relations(member)? }))
    }

    fn related(&mut self, of: &Part, kind: &str) -> Result<Rc<Part>, ReadError> {
        let relation = of.relations.values().find(|relation| relation.kind == kind);
        let Some(member) = relation.map(|relation| relation.target.as_str()) else {
            return Ok(Rc::default());
        };
        if let Some(known) = self.known.get(member) {
            return Ok(known.clone());
        }
        let part = self.load(member)?;
        self.known.insert(member.to_owned(), part.clone());
        Ok(part)
    }
}

/// A slide while it is rendered.
struct Slide<'a> {
    package: &'a Package<'a>,
    images: &'a mut Images,
    palette: Palette<'a>,
    layers: Layers<'a>,
    markup: &'a mut Markup,
}

impl Slide<'_> {
    fn render(&mut self, number: u32, (width, height): (f32, f32)) -> Result<(), ReadError> {
        let Layers { slide, layout, master, .. } = self.layers;
        let mut style = Style::new(Unit::Slide);
        style.slide_unit(width).length("width", width).length("height", height);
        let background = [slide, layout, master].into_iter().find_map(|part| {
            let background = part.tree.path(&["cSld", "bg"])?;
            Some((self.background(background)?, part))
        });
        if let Some((fill, _)) = &background {
            fill_style(&mut style, fill);
        }
        self.markup.begin("section");
        self.markup.attribute("class", "dk-slide");
        self.markup.attribute("id", &format!("page-{number}"));
        self.markup.attribute("aria-label", &format!("Slide {number}"));
        self.markup.style(&style);
        self.markup.end();
        if let Some((Fill::Picture(id), part)) = &background
            && let Some(class) = self.images.class(self.package, &part.relations, id)
        {
            write_picture(self.markup, &class, "", None, &mut Style::default());
        }
        let shows = |part: &Part| part.tree.attribute("showMasterSp") != Some("0");
        if shows(slide) {
            if shows(layout) {
                self.decoration(master)?;
            }
            self.decoration(layout)?;
        }
        if let Some(shapes) = slide.tree.path(&["cSld", "spTree"]) {
            self.shapes(shapes, Mapping::NONE, &slide.relations, true)?;
        }
        self.markup.close("section");
        Ok(())
    }

    fn background(&self, background: &Element) -> Option<Fill> {
        if let Some(properties) = background.child("bgPr") {
            return fill_of(properties, &self.palette, None);
        }
        self.palette.colour(background.child("bgRef")?, None).map(Fill::Colour)
    }

    /// The shapes of a layout or a master that are not to be filled in.
    fn decoration(&mut self, part: &Part) -> Result<(), ReadError> {
        match part.tree.path(&["cSld", "spTree"]) {
            Some(shapes) => self.shapes(shapes, Mapping::NONE, &part.relations, false),
            None => Ok(()),
        }
    }
}
