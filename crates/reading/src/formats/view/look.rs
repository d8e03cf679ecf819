//! The properties of characters.

use super::colour::{Colour, Palette, Theme, named};
use super::style::{Style, Unit};
use crate::formats::xml::Element;

/// The properties of characters in a run, a style or a level. `None` means that they are not set here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RunLook {
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) underlined: Option<bool>,
    pub(super) struck: Option<bool>,
    pub(super) capitals: Option<Capitals>,
    pub(super) hidden: Option<bool>,
    /// In points.
    pub(super) size: Option<f32>,
    pub(super) ink: Option<Ink>,
    pub(super) marker: Option<Colour>,
    pub(super) font: Option<String>,
    pub(super) position: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ink {
    /// A colour that is readable on the background.
    Automatic,
    Colour(Colour),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capitals {
    None,
    All,
    Small,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Baseline,
    Raised,
    Lowered,
}

impl RunLook {
    /// Merges two looks; `self` has priority.
    #[must_use]
    pub(super) fn over(&self, under: &Self) -> Self {
        Self {
            bold: self.bold.or(under.bold),
            italic: self.italic.or(under.italic),
            underlined: self.underlined.or(under.underlined),
            struck: self.struck.or(under.struck),
            capitals: self.capitals.or(under.capitals),
            hidden: self.hidden.or(under.hidden),
            size: self.size.or(under.size),
            ink: self.ink.or(under.ink),
            marker: self.marker.or(under.marker),
            font: self.font.clone().or_else(|| under.font.clone()),
            position: self.position.or(under.position),
        }
    }

    /// Parses `w:rPr`.
    pub(super) fn of_word(properties: Option<&Element>, theme: &Theme) -> Self {
        let Some(properties) = properties else { return Self::default() };
        let size = properties.value("sz").and_then(|half_points| half_points.parse::<f32>().ok());
        let capitals = if properties.switch("caps") == Some(true) {
            Some(Capitals::All)
        } else {
            properties
                .switch("smallCaps")
                .map(|on| if on { Capitals::Small } else { Capitals::None })
        };
        let shade = properties.child("shd").and_then(|shade| shade.attribute("fill"));
        let highlight = properties.value("highlight").and_then(named);
        Self {
            bold: properties.switch("b"),
            italic: properties.switch("i"),
            underlined: properties.value("u").map(|line| line != "none"),
            struck: properties.switch("strike").or_else(|| properties.switch("dstrike")),
            capitals,
            hidden: properties.switch("vanish"),
            size: size.map(|half_points| half_points / 2.0),
            ink: properties.value("color").map(ink_of),
            marker: highlight.or_else(|| shade.and_then(Colour::of_hex)),
            font: properties.child("rFonts").and_then(|fonts| word_font(fonts, theme)),
            position: properties.value("vertAlign").map(|position| match position {
                "superscript" => Position::Raised,
                "subscript" => Position::Lowered,
                _ => Position::Baseline,
            }),
        }
    }

    /// Parses `a:rPr` and `a:defRPr`, which store most properties as attributes.
    pub(super) fn of_drawing(properties: Option<&Element>, palette: &Palette) -> Self {
        let Some(properties) = properties else { return Self::default() };
        let switch = |name: &str| {
            properties.attribute(name).map(|value| matches!(value, "1" | "true" | "on"))
        };
        let size = properties.attribute("sz").and_then(|size| size.parse::<f32>().ok());
        let ink = properties.child("solidFill").and_then(|fill| palette.colour(fill, None));
        let font = properties.child("latin").and_then(|font| font.attribute("typeface"));
        let raised = properties.attribute("baseline").and_then(|at| at.parse::<i32>().ok());
        Self {
            bold: switch("b"),
            italic: switch("i"),
            underlined: properties.attribute("u").map(|line| line != "none"),
            struck: properties.attribute("strike").map(|line| line != "noStrike"),
            capitals: properties.attribute("cap").map(|capitals| match capitals {
                "all" => Capitals::All,
                "small" => Capitals::Small,
                _ => Capitals::None,
            }),
            size: size.map(|hundredths| hundredths / 100.0),
            ink: ink.map(Ink::Colour),
            marker: properties.child("highlight").and_then(|fill| palette.colour(fill, None)),
            font: font.and_then(|font| palette.theme.font(font)).map(str::to_owned),
            position: raised.map(|raised| match raised {
                1.. => Position::Raised,
                0 => Position::Baseline,
                _ => Position::Lowered,
            }),
            hidden: None,
        }
    }

    pub(super) fn style(&self, unit: Unit) -> Style {
        let mut style = Style::new(unit);
        if let Some(font) = &self.font {
            style.font(font);
        }
        if let Some(size) = self.size {
            style.length("font-size", size.clamp(1.0, 400.0));
        }
        match self.bold {
            Some(true) => {
                style.keyword("font-weight", "bold");
            }
            Some(false) => {
                style.keyword("font-weight", "normal");
            }
            None => {}
        }
        match self.italic {
            Some(true) => {
                style.keyword("font-style", "italic");
            }
            Some(false) => {
                style.keyword("font-style", "normal");
            }
            None => {}
        }
        match (self.underlined == Some(true), self.struck == Some(true)) {
            (true, true) => {
                style.keyword("text-decoration", "underline line-through");
            }
            (true, false) => {
                style.keyword("text-decoration", "underline");
            }
            (false, true) => {
                style.keyword("text-decoration", "line-through");
            }
            (false, false) => {}
        }
        match self.capitals {
            Some(Capitals::All) => {
                style.keyword("text-transform", "uppercase");
            }
            Some(Capitals::Small) => {
                style.keyword("font-variant", "small-caps");
            }
            Some(Capitals::None) | None => {}
        }
        if let Some(Ink::Colour(colour)) = self.ink {
            style.colour("color", colour);
        }
        if let Some(colour) = self.marker {
            style.colour("background-color", colour);
        }
        match self.position {
            Some(Position::Raised) => {
                style.keyword("vertical-align", "super");
            }
            Some(Position::Lowered) => {
                style.keyword("vertical-align", "sub");
            }
            Some(Position::Baseline) | None => {}
        }
        style
    }

    /// Whether the text is superscript or subscript.
    pub(super) fn is_shifted(&self) -> bool {
        matches!(self.position, Some(Position::Raised | Position::Lowered))
    }
}

fn ink_of(value: &str) -> Ink {
    Colour::of_hex(value).map_or(Ink::Automatic, Ink::Colour)
}

fn word_font(fonts: &Element, theme: &Theme) -> Option<String> {
    let themed = fonts.attribute("asciiTheme").or_else(|| fonts.attribute("hAnsiTheme"));
    let themed = themed.and_then(|font| match font {
        font if font.starts_with("major") => theme.major_font.clone(),
        _ => theme.minor_font.clone(),
    });
    let named = fonts.attribute("ascii").or_else(|| fonts.attribute("hAnsi"));
    themed.or_else(|| named.map(str::to_owned))
}
