//! Sections: the paper, its margins and what is printed in them.

use super::styles::twentieths;
use crate::ReadError;
use crate::formats::docx::is_around_blocks;
use crate::formats::view::style::Style;
use crate::formats::xml::{Children, Element};

/// The properties of all sections, in order. They come at the end of each, and are needed at its beginning.
pub(super) fn find(bytes: &[u8], nesting: u32) -> Result<Vec<Element>, ReadError> {
    let mut sections = Vec::new();
    let mut children = Children::new(bytes, nesting);
    while let Some(element) = children.next(is_around_blocks)? {
        if &*element.name == "sectPr" {
            sections.push(element);
        } else if let Some(section) = element.path(&["pPr", "sectPr"]) {
            sections.push(section.clone());
        }
    }
    Ok(sections)
}

/// Lengths are in points.
#[derive(Clone, Debug)]
pub(super) struct Section {
    width: f32,
    height: f32,
    /// Top, right, bottom, left.
    margins: [f32; 4],
    /// From the edge of the paper to the header and to the footer.
    distances: [f32; 2],
    columns: f32,
    column_gap: f32,
    pub(super) is_continuous: bool,
    has_first: bool,
    pub(super) is_first_sheet: bool,
    /// Relations, by the kind and the sheets that they are for: `header default`.
    members: Vec<(String, String)>,
}

impl Section {
    pub(super) fn new(properties: Option<&Element>) -> Self {
        let size = properties.and_then(|section| section.child("pgSz"));
        let margin = properties.and_then(|section| section.child("pgMar"));
        let columns = properties.and_then(|section| section.child("cols"));
        let length = |element: Option<&Element>, name: &str, usual: f32, most: f32| {
            let length = element.and_then(|element| twentieths(element.attribute(name)?));
            length.unwrap_or(usual).abs().min(most)
        };
        let references = properties.into_iter().flat_map(Element::elements).filter_map(|child| {
            let kind = match &*child.name {
                "headerReference" => "header",
                "footerReference" => "footer",
                _ => return None,
            };
            let sheets = child.attribute("type").unwrap_or("default");
            Some((format!("{kind} {sheets}"), child.attribute("id")?.to_owned()))
        });
        let kind = properties.and_then(|section| section.value("type"));
        let margin_of = |name| length(margin, name, 72.0, 600.0);
        Self {
            width: length(size, "w", 595.3, 3_000.0).max(100.0),
            height: length(size, "h", 841.9, 3_000.0).max(100.0),
            margins: [margin_of("top"), margin_of("right"), margin_of("bottom"), margin_of("left")],
            distances: [
                length(margin, "header", 36.0, 300.0),
                length(margin, "footer", 36.0, 300.0),
            ],
            columns: columns
                .and_then(|columns| columns.attribute("num")?.parse::<f32>().ok())
                .unwrap_or(1.0)
                .clamp(1.0, 6.0),
            column_gap: length(columns, "space", 36.0, 200.0),
            is_continuous: matches!(kind, Some("continuous" | "nextColumn")),
            has_first: properties.is_some_and(|section| section.switch("titlePg") == Some(true)),
            is_first_sheet: true,
            members: references.collect(),
        }
    }

    /// Itself, with the headers and footers of the section before where it has none.
    #[must_use]
    pub(super) fn after(mut self, before: &Self) -> Self {
        for (name, id) in &before.members {
            if !self.members.iter().any(|(own, _)| own == name) {
                self.members.push((name.clone(), id.clone()));
            }
        }
        self
    }

    pub(super) fn margin_member(&self, kind: &str) -> Option<&str> {
        let find = |sheets: &str| {
            let name = format!("{kind} {sheets}");
            self.members.iter().find(|(own, _)| *own == name).map(|(_, id)| id.as_str())
        };
        if self.has_first && self.is_first_sheet { find("first") } else { find("default") }
    }

    /// From the edge of the paper to the text: left and top.
    pub(super) fn text_origin(&self) -> (f32, f32) {
        let [top, _, _, left] = self.margins;
        (left, top)
    }

    pub(super) fn text_width(&self) -> f32 {
        let [_, right, _, left] = self.margins;
        (self.width - left - right).max(50.0)
    }

    pub(super) fn paper_style(&self) -> Style {
        let [_, right, _, left] = self.margins;
        let mut style = Style::default();
        style.length("width", self.width).length("min-height", self.height);
        style.length("padding-left", left).length("padding-right", right);
        style
    }

    pub(super) fn margin_style(&self, kind: &str) -> Style {
        let [top, _, bottom, _] = self.margins;
        let [header, footer] = self.distances;
        let mut style = Style::default();
        if kind == "header" {
            style.length("min-height", top).length("padding-top", header);
        } else {
            style.length("min-height", bottom).length("padding-bottom", footer);
        }
        style
    }

    pub(super) fn column_style(&self) -> Style {
        let mut style = Style::default();
        if self.columns > 1.0 {
            style.number("column-count", self.columns.trunc());
            style.length("column-gap", self.column_gap);
        }
        style
    }
}
