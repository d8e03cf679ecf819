//! Text of shapes: paragraphs with their bullets, in the styles of their levels.

use std::collections::HashMap;

use super::Slide;
use super::placeholders::Inherited;
use crate::formats::docx::numbering::counted;
use crate::formats::math;
use crate::formats::view::geometry::points;
use crate::formats::view::look::{Ink, RunLook};
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

/// Paragraphs of one shape.
const MAX_PARAGRAPHS: usize = 2_000;

impl Slide<'_> {
    pub(super) fn text_box(&mut self, inherited: Inherited<'_>, body: &Element) {
        let inset = |name: &str, usual: f32| {
            inherited.body(name).and_then(points).unwrap_or(usual).clamp(0.0, 400.0)
        };
        let mut style = Style::new(Unit::Slide);
        style
            .length("padding-left", inset("lIns", 7.2))
            .length("padding-right", inset("rIns", 7.2));
        style
            .length("padding-top", inset("tIns", 3.6))
            .length("padding-bottom", inset("bIns", 3.6));
        match inherited.body("anchor") {
            Some("ctr") => {
                style.keyword("justify-content", "center");
            }
            Some("b") => {
                style.keyword("justify-content", "flex-end");
            }
            _ => {}
        }
        match inherited.body("vert") {
            Some("vert" | "eaVert") => {
                style.keyword("writing-mode", "vertical-rl");
            }
            Some("vert270") => {
                style.keyword("writing-mode", "vertical-rl").rotation(180.0, (false, false));
            }
            _ => {}
        }
        if inherited.body("wrap") == Some("none") {
            style.keyword("white-space", "pre");
        }
        self.markup.open("div", "dk-boxtext", &style);
        let scale = body
            .path(&["bodyPr", "normAutofit"])
            .and_then(|fit| fit.attribute("fontScale")?.parse::<f32>().ok())
            .map_or(1.0, |scale| (scale / 100_000.0).clamp(0.1, 1.0));
        let mut counters = HashMap::new();
        for paragraph in body.children("p").take(MAX_PARAGRAPHS) {
            self.paragraph(inherited, paragraph, scale, &mut counters);
        }
        self.markup.close("div");
    }

    fn paragraph(
        &mut self,
        inherited: Inherited<'_>,
        paragraph: &Element,
        scale: f32,
        counters: &mut HashMap<u32, u32>,
    ) {
        let own = paragraph.child("pPr");
        let depth = own.and_then(|own| own.number("lvl")).unwrap_or(0).min(8);
        let layers = self.layers;
        let (of_shapes, below) = inherited.levels(&layers, depth);
        let levels: Vec<&Element> =
            own.into_iter().chain(of_shapes.iter().copied()).chain(below.iter().copied()).collect();
        let mut look = RunLook::default();
        for level in of_shapes {
            look = look.over(&RunLook::of_drawing(level.child("defRPr"), &self.palette));
        }
        let reference = inherited.shape.path(&["style", "fontRef"]);
        let ink = reference.and_then(|reference| self.palette.colour(reference, None));
        look = look.over(&RunLook { ink: ink.map(Ink::Colour), ..RunLook::default() });
        for level in below {
            look = look.over(&RunLook::of_drawing(level.child("defRPr"), &self.palette));
        }
        let usual = RunLook {
            size: Some(18.0),
            ink: self.palette.scheme("tx1").map(Ink::Colour),
            font: self.palette.theme.minor_font.clone(),
            ..RunLook::default()
        };
        let mut look = look.over(&usual);
        look.size = look.size.map(|size| size * scale);
        let bullet = bullet(&levels, depth, counters, paragraph);
        let style = paragraph_style(&levels, &look, bullet.is_some(), scale);
        self.markup.open("div", "dk-p", &style);
        if let Some(bullet) = bullet {
            let mut style = Style::new(Unit::Slide);
            let colour =
                levels.iter().find_map(|level| self.palette.colour(level.child("buClr")?, None));
            if let Some(colour) = colour {
                style.colour("color", colour);
            }
            let indent = number(&levels, "indent").unwrap_or(0.0);
            style.length("min-width", if indent < 0.0 { -indent } else { 14.0 });
            self.markup.open("span", "dk-label", &style);
            self.markup.text(&bullet);
            self.markup.close("span");
        }
        if !self.runs(paragraph, scale) {
            self.markup.raw("<br>");
        }
        self.markup.close("div");
    }

    /// Whether there was any text.
    pub(super) fn runs(&mut self, paragraph: &Element, scale: f32) -> bool {
        let mut has_text = false;
        for element in paragraph.elements() {
            match &*element.name {
                "r" | "fld" => {
                    let mut look = RunLook::of_drawing(element.child("rPr"), &self.palette);
                    look.size = look.size.map(|size| size * scale);
                    let style = look.style(Unit::Slide);
                    let text = element.child("t").map(Element::all_text).unwrap_or_default();
                    has_text |= !text.is_empty();
                    if style.is_empty() {
                        self.markup.text(&text);
                    } else {
                        self.markup.open("span", "", &style);
                        self.markup.text(&text);
                        self.markup.close("span");
                    }
                }
                "br" => self.markup.raw("<br>"),
                "m" => {
                    for formula in element.find_all("oMath") {
                        self.markup.text(&math::latex(formula));
                        has_text = true;
                    }
                }
                "AlternateContent" => {
                    let chosen = element.child("Choice").or_else(|| element.child("Fallback"));
                    if let Some(chosen) = chosen {
                        has_text |= self.runs(chosen, scale);
                    }
                }
                _ => {}
            }
        }
        has_text
    }
}

/// The first of the levels that says so, in points.
fn number(levels: &[&Element], name: &str) -> Option<f32> {
    levels.iter().find_map(|level| points(level.attribute(name)?))
}

fn paragraph_style(levels: &[&Element], look: &RunLook, has_bullet: bool, scale: f32) -> Style {
    let mut style = Style::new(Unit::Slide);
    let align = levels.iter().find_map(|level| level.attribute("algn"));
    match align {
        Some("ctr") => {
            style.keyword("text-align", "center");
        }
        Some("r") => {
            style.keyword("text-align", "right");
        }
        Some("just" | "dist") => {
            style.keyword("text-align", "justify");
        }
        _ => {}
    }
    let left = number(levels, "marL").unwrap_or(0.0);
    let indent = number(levels, "indent").unwrap_or(0.0);
    if left != 0.0 {
        style.length("padding-left", left);
    }
    if indent != 0.0 && (has_bullet || indent > 0.0) {
        style.length("text-indent", indent);
    } else if indent < 0.0 {
        style.length("text-indent", 0.0);
    }
    let size = look.size.unwrap_or(18.0);
    let space = |name: &str| {
        levels.iter().find_map(|level| {
            let space = level.child(name)?;
            let value = |kind: &str| space.child(kind)?.attribute("val")?.parse::<f32>().ok();
            match value("spcPts") {
                Some(hundredths) => Some(hundredths / 100.0 * scale),
                None => value("spcPct").map(|share| share / 100_000.0 * size),
            }
        })
    };
    if let Some(before) = space("spcBef").filter(|space| *space > 0.0) {
        style.length("margin-top", before);
    }
    if let Some(after) = space("spcAft").filter(|space| *space > 0.0) {
        style.length("margin-bottom", after);
    }
    let line = levels.iter().find_map(|level| {
        let share = level.path(&["lnSpc", "spcPct"])?.attribute("val")?;
        share.trim_end_matches('%').parse::<f32>().ok()
    });
    style.number("line-height", (line.unwrap_or(100_000.0) / 100_000.0 * 1.2).clamp(0.5, 4.0));
    style.extend(&look.style(Unit::Slide));
    style
}

fn bullet(
    levels: &[&Element],
    depth: u32,
    counters: &mut HashMap<u32, u32>,
    paragraph: &Element,
) -> Option<String> {
    if !paragraph.elements().any(|child| matches!(&*child.name, "r" | "fld" | "m")) {
        return None;
    }
    counters.retain(|counted, _| *counted <= depth);
    let found = levels.iter().find_map(|level| {
        level
            .elements()
            .find(|child| matches!(&*child.name, "buNone" | "buChar" | "buAutoNum" | "buBlip"))
    });
    let Some(found) = found.filter(|found| &*found.name != "buNone") else {
        counters.remove(&depth);
        return None;
    };
    if &*found.name == "buAutoNum" {
        let from = found.number("startAt").unwrap_or(1);
        let count = counters.entry(depth).and_modify(|count| *count += 1).or_insert(from);
        let kind = found.attribute("type").unwrap_or("arabicPeriod");
        let format = match kind {
            kind if kind.starts_with("alphaLc") => "lowerLetter",
            kind if kind.starts_with("alphaUc") => "upperLetter",
            kind if kind.starts_with("romanLc") => "lowerRoman",
            kind if kind.starts_with("romanUc") => "upperRoman",
            _ => "decimal",
        };
        let count = counted(*count, format);
        return Some(match kind {
            kind if kind.ends_with("ParenBoth") => format!("({count})"),
            kind if kind.ends_with("ParenR") => format!("{count})"),
            kind if kind.ends_with("Plain") => count,
            _ => format!("{count}."),
        });
    }
    let sign = found.attribute("char").unwrap_or("•");
    Some(match sign.chars().next() {
        Some('§' | '\u{F0A7}') => "▪".to_owned(),
        Some('Ø' | '\u{F0D8}') => "➢".to_owned(),
        Some('ü' | '\u{F0FC}') => "✓".to_owned(),
        Some('\u{F000}'..='\u{F0FF}') | None => "•".to_owned(),
        Some(_) => sign.to_owned(),
    })
}
