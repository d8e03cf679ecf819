//! Cell styles: a CSS class for each style that is used.

use std::collections::BTreeSet;

use crate::formats::view::colour::{Colour, Theme};
use crate::formats::view::drawing::Line;
use crate::formats::view::look::{Ink, RunLook};
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

#[derive(Debug)]
pub(super) struct CellStyles {
    styles: Vec<Style>,
    usual: Style,
    /// Those that cells have.
    used: BTreeSet<u32>,
}

impl CellStyles {
    pub(super) fn new(tree: &Element, theme: &Theme) -> Self {
        let children = |list: &str, name: &'static str| -> Vec<&Element> {
            tree.child(list).into_iter().flat_map(|list| list.children(name)).collect()
        };
        let fonts: Vec<RunLook> =
            children("fonts", "font").into_iter().map(|font| font_of(font, theme)).collect();
        let fills: Vec<Option<Colour>> =
            children("fills", "fill").into_iter().map(|fill| fill_of(fill, theme)).collect();
        let borders = children("borders", "border");
        let styles = children("cellXfs", "xf").into_iter().map(|format| {
            let at = |name: &str| format.number(name).unwrap_or(0) as usize;
            let mut style = Style::default();
            if let Some(font) = fonts.get(at("fontId")).filter(|_| at("fontId") > 0) {
                style.extend(&font.style(Unit::Points));
            }
            if let Some(colour) = fills.get(at("fillId")).copied().flatten() {
                style.colour("background-color", colour);
            }
            if let Some(border) = borders.get(at("borderId")) {
                border_style(border, theme, &mut style);
            }
            if let Some(alignment) = format.child("alignment") {
                alignment_style(alignment, &mut style);
            }
            style
        });
        let styles = styles.collect();
        let usual = fonts.first().cloned().unwrap_or_default();
        let fallback =
            RunLook { font: Some("Calibri".to_owned()), size: Some(11.0), ..RunLook::default() };
        Self { styles, usual: usual.over(&fallback).style(Unit::Points), used: BTreeSet::new() }
    }

    /// Of all cells that say nothing else.
    pub(super) fn usual(&self) -> Style {
        self.usual.clone()
    }

    pub(super) fn class(&mut self, style: u32) -> String {
        match self.styles.get(style as usize) {
            Some(known) if !known.is_empty() => {
                self.used.insert(style);
                format!("dk-x{style}")
            }
            _ => String::new(),
        }
    }

    pub(super) fn rules(&self) -> String {
        let rules = self.used.iter().filter_map(|number| {
            let style = self.styles.get(*number as usize)?;
            Some(format!("td.dk-x{number}{{{}}}", style.as_str()))
        });
        rules.collect()
    }
}

fn font_of(font: &Element, theme: &Theme) -> RunLook {
    let switch = |name: &str| font.switch(name).filter(|on| *on);
    RunLook {
        bold: switch("b"),
        italic: switch("i"),
        underlined: switch("u"),
        struck: switch("strike"),
        size: font.value("sz").and_then(|size| size.parse().ok()),
        ink: font.child("color").and_then(|colour| colour_of(colour, theme)).map(Ink::Colour),
        font: font.value("name").map(str::to_owned),
        ..RunLook::default()
    }
}

fn fill_of(fill: &Element, theme: &Theme) -> Option<Colour> {
    if let Some(gradient) = fill.child("gradientFill") {
        return colour_of(gradient.child("stop")?.child("color")?, theme);
    }
    let pattern = fill.child("patternFill")?;
    match pattern.attribute("patternType") {
        None | Some("none" | "gray125" | "gray0625") => None,
        Some(_) => colour_of(pattern.child("fgColor")?, theme),
    }
}

fn colour_of(colour: &Element, theme: &Theme) -> Option<Colour> {
    let plain = colour.attribute("rgb").and_then(Colour::of_hex);
    let themed = || theme.numbered(colour.number("theme")?);
    let indexed = || indexed(colour.number("indexed")?);
    let found = plain.or_else(themed).or_else(indexed)?;
    let tint = colour.attribute("tint").and_then(|tint| tint.parse::<f32>().ok());
    Some(tint.filter(|tint| tint.is_finite()).map_or(found, |tint| found.tinted(tint)))
}

fn border_style(border: &Element, theme: &Theme, style: &mut Style) {
    let sides = [
        ("top", "border-top"),
        ("right", "border-right"),
        ("bottom", "border-bottom"),
        ("left", "border-left"),
    ];
    for (name, property) in sides {
        let side = border.child(name).or_else(|| match name {
            "left" => border.child("start"),
            "right" => border.child("end"),
            _ => None,
        });
        if let Some(Line { width, kind, colour }) = side.and_then(|side| line_of(side, theme)) {
            style.border(property, width, kind, colour);
        }
    }
}

fn line_of(side: &Element, theme: &Theme) -> Option<Line> {
    let (width, kind) = match side.attribute("style")? {
        "none" => return None,
        "medium" => (1.5, "solid"),
        "thick" => (2.25, "solid"),
        "double" => (2.25, "double"),
        "dotted" | "hair" => (0.75, "dotted"),
        "dashed" | "dashDot" | "dashDotDot" => (0.75, "dashed"),
        "mediumDashed" | "mediumDashDot" | "mediumDashDotDot" | "slantDashDot" => (1.5, "dashed"),
        _ => (0.75, "solid"),
    };
    let colour = side.child("color").and_then(|colour| colour_of(colour, theme));
    Some(Line { width, kind, colour: colour.unwrap_or(Colour::BLACK) })
}

fn alignment_style(alignment: &Element, style: &mut Style) {
    match alignment.attribute("horizontal") {
        Some("left" | "fill") => {
            style.keyword("text-align", "left");
        }
        Some("center" | "centerContinuous") => {
            style.keyword("text-align", "center");
        }
        Some("right") => {
            style.keyword("text-align", "right");
        }
        Some("justify" | "distributed") => {
            style.keyword("text-align", "justify");
        }
        _ => {}
    }
    match alignment.attribute("vertical") {
        Some("top") => {
            style.keyword("vertical-align", "top");
        }
        Some("center" | "justify" | "distributed") => {
            style.keyword("vertical-align", "middle");
        }
        _ => {}
    }
    if matches!(alignment.attribute("wrapText"), Some("1" | "true")) {
        style.keyword("white-space", "pre-wrap").keyword("overflow-wrap", "anywhere");
    }
    if let Some(indent) =
        alignment.attribute("indent").and_then(|indent| indent.parse::<f32>().ok())
    {
        let side = match alignment.attribute("horizontal") {
            Some("right") => "padding-right",
            _ => "padding-left",
        };
        style.length(side, (indent * 7.0).clamp(0.0, 200.0));
    }
}

/// The indexed colours of older files.
fn indexed(number: u32) -> Option<Colour> {
    const COLOURS: [u32; 56] = [
        0x00_0000, 0xFF_FFFF, 0xFF_0000, 0x00_FF00, 0x00_00FF, 0xFF_FF00, 0xFF_00FF, 0x00_FFFF,
        0x80_0000, 0x00_8000, 0x00_0080, 0x80_8000, 0x80_0080, 0x00_8080, 0xC0_C0C0, 0x80_8080,
        0x99_99FF, 0x99_3366, 0xFF_FFCC, 0xCC_FFFF, 0x66_0066, 0xFF_8080, 0x00_66CC, 0xCC_CCFF,
        0x00_0080, 0xFF_00FF, 0xFF_FF00, 0x00_FFFF, 0x80_0080, 0x80_0000, 0x00_8080, 0x00_00FF,
        0x00_CCFF, 0xCC_FFFF, 0xCC_FFCC, 0xFF_FF99, 0x99_CCFF, 0xFF_99CC, 0xCC_99FF, 0xFF_CC99,
        0x33_66FF, 0x33_CCCC, 0x99_CC00, 0xFF_CC00, 0xFF_9900, 0xFF_6600, 0x66_6699, 0x96_9696,
        0x00_3366, 0x33_9966, 0x00_3300, 0x33_3300, 0x99_3300, 0x99_3366, 0x33_3399, 0x33_3333,
    ];
    // The first eight are there twice.
    let at = if number >= 8 { number - 8 } else { number };
    let [_, red, green, blue] = COLOURS.get(at as usize)?.to_be_bytes();
    Some(Colour::new(red, green, blue))
}
