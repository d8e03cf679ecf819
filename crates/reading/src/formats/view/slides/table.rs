//! Tables of slides.

use super::Slide;
use crate::formats::view::colour::{Colour, Palette};
use crate::formats::view::drawing::{Fill, fill_of, fill_style, line_of};
use crate::formats::view::geometry::{Frame, length};
use crate::formats::view::look::{Ink, RunLook};
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

const MAX_CELLS: usize = 5_000;

/// The default style of tables, which PowerPoint does not store in the file.
struct Usual {
    accent: Colour,
    has_header: bool,
    has_bands: bool,
    is_used: bool,
}

impl Usual {
    fn of(table: &Element, palette: &Palette) -> Self {
        let properties = table.child("tblPr");
        let is = |name: &str| {
            let value = properties.and_then(|properties| properties.attribute(name));
            matches!(value, Some("1" | "true"))
        };
        let id = properties.and_then(|properties| properties.child("tableStyleId"));
        // "No style": with a grid and without.
        let plain =
            ["{2D5ABB26-0587-4C30-8999-92F81FD0307C}", "{5940675A-B579-460E-94D1-54222C63F5DA}"];
        let is_used = id.is_some_and(|id| !plain.contains(&id.all_text().trim()));
        Self {
            accent: palette.scheme("accent1").unwrap_or(Colour::new(68, 114, 196)),
            has_header: is("firstRow"),
            has_bands: is("bandRow"),
            is_used,
        }
    }

    fn fill(&self, row: usize) -> Option<Colour> {
        if !self.is_used {
            return None;
        }
        if self.has_header && row == 0 {
            return Some(self.accent);
        }
        let is_band = self.has_bands && (row + usize::from(!self.has_header)) % 2 == 1;
        Some(self.accent.tinted(if is_band { 0.6 } else { 0.8 }))
    }
}

impl Slide<'_> {
    pub(super) fn table(&mut self, table: &Element, place: &Frame) {
        let usual = Usual::of(table, &self.palette);
        let mut style = Style::new(Unit::Slide);
        style.length("width", place.width);
        self.markup.open("table", "dk-slidetable", &style);
        self.markup.raw("<colgroup>");
        let columns = table.child("tblGrid").into_iter().flat_map(|grid| grid.children("gridCol"));
        for column in columns.take(200) {
            let mut style = Style::new(Unit::Slide);
            if let Some(width) = length(column, "w") {
                style.length("width", width);
            }
            self.markup.open("col", "", &style);
        }
        self.markup.raw("</colgroup>");
        let mut left = MAX_CELLS;
        for (number, row) in table.children("tr").enumerate() {
            let mut style = Style::new(Unit::Slide);
            if let Some(height) = length(row, "h") {
                style.length("height", height);
            }
            self.markup.open("tr", "", &style);
            for cell in row.children("tc").take(left.min(200)) {
                left -= 1;
                self.cell(cell, number, &usual);
            }
            self.markup.close("tr");
        }
        self.markup.close("table");
    }

    fn cell(&mut self, cell: &Element, row: usize, usual: &Usual) {
        let is = |name: &str| matches!(cell.attribute(name), Some("1" | "true"));
        if is("hMerge") || is("vMerge") {
            return;
        }
        let none = Element::default();
        let properties = cell.child("tcPr").unwrap_or(&none);
        let mut style = Style::new(Unit::Slide);
        let fill = fill_of(properties, &self.palette, None);
        let fill = fill.or_else(|| usual.fill(row).map(Fill::Colour)).unwrap_or_default();
        fill_style(&mut style, &fill);
        let is_header = usual.is_used && usual.has_header && row == 0;
        let look = RunLook {
            size: Some(18.0),
            bold: is_header.then_some(true),
            ink: if is_header {
                Some(Ink::Colour(Colour::WHITE))
            } else {
                self.palette.scheme("tx1").map(Ink::Colour)
            },
            font: self.palette.theme.minor_font.clone(),
            ..RunLook::default()
        };
        let sides = [
            ("lnT", "border-top"),
            ("lnR", "border-right"),
            ("lnB", "border-bottom"),
            ("lnL", "border-left"),
        ];
        for (name, property) in sides {
            match properties.child(name) {
                Some(line) => {
                    if let Some(line) = line_of(line, &self.palette, None) {
                        style.border(property, line.width, line.kind, line.colour);
                    }
                }
                None if usual.is_used => {
                    style.border(property, 1.0, "solid", Colour::WHITE);
                }
                None => {
                    style.border(property, 0.75, "solid", Colour::BLACK);
                }
            }
        }
        let inset = |name, usual: f32| length(properties, name).unwrap_or(usual).clamp(0.0, 200.0);
        style
            .length("padding-left", inset("marL", 7.2))
            .length("padding-right", inset("marR", 7.2));
        style
            .length("padding-top", inset("marT", 3.6))
            .length("padding-bottom", inset("marB", 3.6));
        match properties.attribute("anchor") {
            Some("ctr") => {
                style.keyword("vertical-align", "middle");
            }
            Some("b") => {
                style.keyword("vertical-align", "bottom");
            }
            _ => {}
        }
        style.extend(&look.style(Unit::Slide));
        self.markup.begin("td");
        for (name, attribute) in [("gridSpan", "colspan"), ("rowSpan", "rowspan")] {
            if let Some(span) = cell.number(name).filter(|span| *span > 1) {
                self.markup.attribute(attribute, &span.min(200).to_string());
            }
        }
        self.markup.style(&style);
        self.markup.end();
        for paragraph in cell.child("txBody").into_iter().flat_map(|body| body.children("p")) {
            let mut style = Style::new(Unit::Slide);
            match paragraph.child("pPr").and_then(|own| own.attribute("algn")) {
                Some("ctr") => {
                    style.keyword("text-align", "center");
                }
                Some("r") => {
                    style.keyword("text-align", "right");
                }
                _ => {}
            }
            self.markup.open("div", "dk-p", &style);
            if !self.runs(paragraph, 1.0) {
                self.markup.raw("<br>");
            }
            self.markup.close("div");
        }
        self.markup.close("td");
    }
}
