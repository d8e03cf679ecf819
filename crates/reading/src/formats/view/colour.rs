//! Colours of Office files: plain colours, and colours of the *theme*.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares of a colour are clamped before they become bytes"
)]

use std::collections::HashMap;

use crate::ReadError;
use crate::formats::package::{Package, Relations};
use crate::formats::xml::Element;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour {
    rgb: [u8; 3],
    /// From 0 (nothing is seen) to 1.
    alpha: f32,
}

impl Colour {
    pub(super) const BLACK: Self = Self::new(0, 0, 0);
    pub(super) const WHITE: Self = Self::new(255, 255, 255);

    pub(super) const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue], alpha: 1.0 }
    }

    /// `RRGGBB`, or `AARRGGBB` as spreadsheets write it (where the first two say nothing).
    pub(super) fn of_hex(hex: &str) -> Option<Self> {
        let hex = hex.trim().trim_start_matches('#');
        let hex = if hex.len() == 8 { hex.get(2..)? } else { hex };
        if hex.len() != 6 || !hex.is_ascii() {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
        Some(Self::new(red, green, blue))
    }

    pub(super) fn css(self) -> String {
        let [red, green, blue] = self.rgb;
        if self.alpha >= 0.995 {
            return format!("#{red:02x}{green:02x}{blue:02x}");
        }
        format!("rgba({red},{green},{blue},{})", super::style::decimal(self.alpha))
    }

    /// Towards white (`share` above 0) or black (below), as spreadsheets tint.
    pub(super) fn tinted(self, share: f32) -> Self {
        let share = share.clamp(-1.0, 1.0);
        self.with_lightness(|light| {
            if share < 0.0 { light * (1.0 + share) } else { light + (1.0 - light) * share }
        })
    }

    /// Mixed with `other`: `share` 1 is all of it.
    fn mixed(self, other: Self, share: f32) -> Self {
        let mut rgb = self.rgb;
        for (own, other) in rgb.iter_mut().zip(other.rgb) {
            *own = byte((f32::from(*own) * (1.0 - share) + f32::from(other) * share) / 255.0);
        }
        Self { rgb, alpha: self.alpha }
    }

    fn with_lightness(self, change: impl Fn(f32) -> f32) -> Self {
        let (hue, saturation, light) = self.hsl();
        let rgb = rgb_of(hue, saturation, change(light).clamp(0.0, 1.0));
        Self { rgb, alpha: self.alpha }
    }

    fn hsl(self) -> (f32, f32, f32) {
        let [red, green, blue] = self.rgb.map(|share| f32::from(share) / 255.0);
        let (high, low) = (red.max(green).max(blue), red.min(green).min(blue));
        let (light, range) = (f32::midpoint(high, low), high - low);
        if range <= f32::EPSILON {
            return (0.0, 0.0, light);
        }
        let saturation = range / (1.0 - (2.0 * light - 1.0).abs()).max(f32::EPSILON);
        let hue = if high <= red {
            ((green - blue) / range).rem_euclid(6.0)
        } else if high <= green {
            (blue - red) / range + 2.0
        } else {
            (red - green) / range + 4.0
        };
        (hue, saturation.min(1.0), light)
    }
}

/// From a hue of 0 to 6, a saturation and a lightness of 0 to 1.
fn rgb_of(hue: f32, saturation: f32, light: f32) -> [u8; 3] {
    let range = (1.0 - (2.0 * light - 1.0).abs()) * saturation;
    let middle = range * (1.0 - (hue.rem_euclid(2.0) - 1.0).abs());
    let low = light - range / 2.0;
    let (red, green, blue) = match hue as u8 {
        0 => (range, middle, 0.0),
        1 => (middle, range, 0.0),
        2 => (0.0, range, middle),
        3 => (0.0, middle, range),
        4 => (middle, 0.0, range),
        _ => (range, 0.0, middle),
    };
    [byte(red + low), byte(green + low), byte(blue + low)]
}

fn byte(share: f32) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The colours and fonts that a document is made of.
#[derive(Debug, Default)]
pub(super) struct Theme {
    colours: HashMap<String, Colour>,
    /// Of headings and of text.
    pub(super) major_font: Option<String>,
    pub(super) minor_font: Option<String>,
}

impl Theme {
    /// The theme that a member refers to.
    pub(super) fn load(package: &Package, relations: &Relations) -> Result<Self, ReadError> {
        let theme = relations.values().find(|relation| relation.kind == "theme");
        match theme {
            Some(relation) => Ok(Self::of(&package.tree(&relation.target)?)),
            None => Ok(Self::default()),
        }
    }

    fn of(tree: &Element) -> Self {
        let mut theme = Self::default();
        for colour in tree.find("clrScheme").into_iter().flat_map(Element::elements) {
            if let Some(value) = plain(colour) {
                theme.colours.insert(colour.name.to_string(), value);
            }
        }
        let font = |name: &str| {
            let font = tree.find(name)?.child("latin")?.attribute("typeface")?;
            (!font.is_empty()).then(|| font.to_owned())
        };
        (theme.major_font, theme.minor_font) = (font("majorFont"), font("minorFont"));
        theme
    }

    /// A font by its name, or by its part in the theme: `+mn-lt` is the one of text.
    pub(super) fn font<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        match name {
            _ if name.starts_with("+mj") => self.major_font.as_deref(),
            _ if name.starts_with("+mn") => self.minor_font.as_deref(),
            name => Some(name),
        }
    }

    /// A colour by its name in the theme.
    pub(super) fn colour(&self, name: &str) -> Option<Colour> {
        let usual = |name: &str| match name {
            "dk1" => Some(Colour::BLACK),
            "lt1" => Some(Colour::WHITE),
            _ => None,
        };
        self.colours.get(name).copied().or_else(|| usual(name))
    }

    /// A colour as cells refer to it, by a number.
    pub(super) fn numbered(&self, number: u32) -> Option<Colour> {
        let names = [
            "lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5",
            "accent6", "hlink", "folHlink",
        ];
        self.colour(names.get(number as usize)?)
    }
}

/// A colour that is not of the theme.
fn plain(parent: &Element) -> Option<Colour> {
    parent.elements().find_map(|colour| {
        let value = colour.attribute("val").unwrap_or_default();
        match &*colour.name {
            "srgbClr" => Colour::of_hex(value),
            "sysClr" => {
                let last = colour.attribute("lastClr").and_then(Colour::of_hex);
                last.or(match value {
                    "window" => Some(Colour::WHITE),
                    _ => Some(Colour::BLACK),
                })
            }
            "prstClr" => named(value),
            "scrgbClr" => {
                let share = |name| Some(byte(thousandths(colour.attribute(name)?)?));
                Some(Colour::new(share("r")?, share("g")?, share("b")?))
            }
            _ => None,
        }
    })
}

/// The names that shapes and highlighted text use.
pub(super) fn named(name: &str) -> Option<Colour> {
    Some(match name {
        "black" => Colour::BLACK,
        "white" => Colour::WHITE,
        "red" => Colour::new(255, 0, 0),
        "green" => Colour::new(0, 255, 0),
        "blue" => Colour::new(0, 0, 255),
        "yellow" => Colour::new(255, 255, 0),
        "cyan" => Colour::new(0, 255, 255),
        "magenta" => Colour::new(255, 0, 255),
        "darkBlue" => Colour::new(0, 0, 139),
        "darkCyan" => Colour::new(0, 139, 139),
        "darkGreen" => Colour::new(0, 100, 0),
        "darkMagenta" => Colour::new(139, 0, 139),
        "darkRed" => Colour::new(139, 0, 0),
        "darkYellow" => Colour::new(128, 128, 0),
        "darkGray" => Colour::new(169, 169, 169),
        "gray" | "grey" => Colour::new(128, 128, 128),
        "lightGray" => Colour::new(211, 211, 211),
        "orange" => Colour::new(255, 165, 0),
        _ => return None,
    })
}

/// `50000` is a half.
fn thousandths(written: &str) -> Option<f32> {
    let number: f32 = written.trim_end_matches('%').parse().ok()?;
    let number = if written.ends_with('%') { number / 100.0 } else { number / 100_000.0 };
    number.is_finite().then_some(number)
}

/// Resolves colours: the theme, and the names that the slide uses for its colours.
#[derive(Clone, Debug)]
pub(super) struct Palette<'t> {
    pub(super) theme: &'t Theme,
    /// `bg1` is the theme's `lt1`, unless the master says otherwise.
    pub(super) names: HashMap<String, String>,
}

impl<'t> Palette<'t> {
    pub(super) fn new(theme: &'t Theme, map: Option<&Element>) -> Self {
        let usual = [("bg1", "lt1"), ("tx1", "dk1"), ("bg2", "lt2"), ("tx2", "dk2")];
        let mut names: HashMap<String, String> =
            usual.map(|(name, colour)| (name.to_owned(), colour.to_owned())).into();
        for (name, _) in usual {
            if let Some(colour) = map.and_then(|map| map.attribute(name)) {
                names.insert(name.to_owned(), colour.to_owned());
            }
        }
        Self { theme, names }
    }

    pub(super) fn scheme(&self, name: &str) -> Option<Colour> {
        self.theme.colour(self.names.get(name).map_or(name, String::as_str))
    }

    /// The colour that an element such as `solidFill` holds. `placeholder` is what `phClr` stands for.
    pub(super) fn colour(&self, parent: &Element, placeholder: Option<Colour>) -> Option<Colour> {
        let scheme = parent.child("schemeClr");
        let (element, base) = match scheme {
            Some(element) => {
                let name = element.attribute("val").unwrap_or_default();
                let base = if name == "phClr" { placeholder } else { self.scheme(name) };
                (element, base?)
            }
            None => (parent.elements().next()?, plain(parent)?),
        };
        Some(modified(base, element))
    }
}

fn modified(base: Colour, element: &Element) -> Colour {
    element.elements().fold(base, |colour, change| {
        let Some(share) = change.attribute("val").and_then(thousandths) else { return colour };
        match &*change.name {
            "lumMod" => colour.with_lightness(|light| light * share),
            "lumOff" => colour.with_lightness(|light| light + share),
            "tint" => colour.mixed(Colour::WHITE, (1.0 - share).clamp(0.0, 1.0)),
            "shade" => colour.mixed(Colour::BLACK, (1.0 - share).clamp(0.0, 1.0)),
            "alpha" => Colour { alpha: share.clamp(0.0, 1.0), ..colour },
            _ => colour,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::read_tree;

    #[test]
    fn colours_of_the_theme_are_modified() {
        let xml = br#"<theme><clrScheme><dk1><sysClr val="windowText" lastClr="000000"/></dk1>
            <accent1><srgbClr val="4472C4"/></accent1></clrScheme></theme>"#;
        let theme = Theme::of(&read_tree(xml, 20).unwrap());
        let palette = Palette::new(&theme, None);
        let colour = |xml: &[u8]| palette.colour(&read_tree(xml, 20).unwrap(), None).unwrap().css();
        assert_eq!(colour(b"<f><schemeClr val=\"tx1\"/></f>"), "#000000");
        assert_eq!(
            colour(b"<f><schemeClr val=\"accent1\"><lumMod val=\"75000\"/></schemeClr></f>"),
            "#2f5597"
        );
        assert_eq!(
            colour(b"<f><srgbClr val=\"FF0000\"><alpha val=\"50000\"/></srgbClr></f>"),
            "rgba(255,0,0,0.5)"
        );
    }

    #[test]
    fn cells_tint_towards_white_and_black() {
        assert_eq!(Colour::new(0, 0, 0).tinted(0.5).css(), "#808080");
        assert_eq!(Colour::new(255, 255, 255).tinted(-0.25).css(), "#bfbfbf");
        assert_eq!(Colour::of_hex("FF12ab34").unwrap().css(), "#12ab34");
        assert_eq!(Colour::of_hex("url(x)"), None);
    }
}
