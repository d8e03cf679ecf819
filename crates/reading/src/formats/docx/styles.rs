//! The styles of paragraphs and runs, with inheritance.

use std::collections::HashMap;

use pages::Style;

use crate::formats::xml::Element;

/// The longest chain of parent styles. In a broken file, a style may be its own parent.
const MAX_CHAIN: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Definition>,
    default_paragraph: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Definition {
    name: String,
    based_on: Option<String>,
    outline: Option<u32>,
    numbering: Option<(Option<u32>, Option<u32>)>,
    characters: Characters,
}

/// The properties of characters; `None` where a style does not set them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Characters {
    pub(super) bold: Option<bool>,
    pub(super) italic: Option<bool>,
    pub(super) hidden: Option<bool>,
    pub(super) monospaced: Option<bool>,
    pub(super) size: Option<u16>,
}

impl Characters {
    pub(super) fn of(properties: Option<&Element>) -> Self {
        let Some(properties) = properties else { return Self::default() };
        let font = properties.child("rFonts").and_then(|fonts| {
            fonts.attribute("ascii").or_else(|| fonts.attribute("hAnsi")).map(is_monospaced)
        });
        Self {
            bold: properties.switch("b"),
            italic: properties.switch("i"),
            hidden: properties.switch("vanish"),
            monospaced: font,
            // Half points in the file, tenths of a point here.
            size: properties
                .value("sz")
                .and_then(|half_points| half_points.parse::<u16>().ok())
                .and_then(|half_points| half_points.checked_mul(5)),
        }
    }

    /// Merges two sets of properties; `self` has priority.
    #[must_use]
    pub(super) fn over(self, under: Self) -> Self {
        Self {
            bold: self.bold.or(under.bold),
            italic: self.italic.or(under.italic),
            hidden: self.hidden.or(under.hidden),
            monospaced: self.monospaced.or(under.monospaced),
            size: self.size.or(under.size),
        }
    }

    pub(super) fn style(self) -> Style {
        Style {
            bold: self.bold.unwrap_or(false),
            italic: self.italic.unwrap_or(false),
            size: self.size.unwrap_or(0),
        }
    }
}

fn is_monospaced(font: &str) -> bool {
    let font = font.to_lowercase();
    let known = ["courier", "consolas", "mono", "menlo", "lucida console", "fixedsys", "terminal"];
    known.iter().any(|name| font.contains(name))
}

impl Styles {
    pub(super) fn new(tree: &Element) -> Self {
        let mut styles = Self::default();
        for style in tree.children("style") {
            let Some(id) = style.attribute("styleId") else { continue };
            let paragraph = style.child("pPr");
            if style.attribute("type") == Some("paragraph")
                && matches!(style.attribute("default"), Some("1" | "true"))
            {
                styles.default_paragraph = Some(id.to_owned());
            }
            let numbering =
                paragraph.and_then(|properties| properties.child("numPr")).map(numbering_of);
            let definition = Definition {
                name: style.value("name").unwrap_or_default().to_lowercase(),
                based_on: style.value("basedOn").map(str::to_owned),
                outline: paragraph
                    .and_then(|properties| properties.value("outlineLvl"))
                    .and_then(|level| level.parse().ok()),
                numbering,
                characters: Characters::of(style.child("rPr")),
            };
            styles.by_id.insert(id.to_owned(), definition);
        }
        styles
    }

    /// The style and its parents, nearest first.
    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = &'a Definition> {
        let mut next = id.or(self.default_paragraph.as_deref());
        std::iter::from_fn(move || {
            let definition = self.by_id.get(next?)?;
            next = definition.based_on.as_deref();
            Some(definition)
        })
        .take(MAX_CHAIN)
    }

    pub(super) fn characters(&self, id: Option<&str>) -> Characters {
        self.chain(id).fold(Characters::default(), |over, style| over.over(style.characters))
    }

    /// Level 1 is the highest.
    pub(super) fn heading_level(&self, id: Option<&str>) -> Option<u8> {
        self.chain(id).find_map(|style| {
            if style.name == "title" {
                return Some(1);
            }
            let by_name =
                style.name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
            let by_outline = style
                .outline
                .filter(|level| *level < 9)
                .and_then(|level| u8::try_from(level + 1).ok());
            by_name.or(by_outline)
        })
    }

    pub(super) fn numbering(&self, id: Option<&str>) -> Option<(Option<u32>, Option<u32>)> {
        self.chain(id).find_map(|style| style.numbering)
    }

    pub(super) fn is_code(&self, id: Option<&str>) -> bool {
        self.chain(id).any(|style| {
            let name = style.name.as_str();
            matches!(
                name,
                "code" | "source code" | "html preformatted" | "code block" | "plain code"
            ) || name.ends_with(" code")
                || name.starts_with("code ")
        })
    }

    pub(super) fn is_quote(&self, id: Option<&str>) -> bool {
        self.chain(id)
            .any(|style| matches!(style.name.as_str(), "quote" | "intense quote" | "block text"))
    }
}

/// The list id and the depth within the list.
pub(in crate::formats) fn numbering_of(properties: &Element) -> (Option<u32>, Option<u32>) {
    let number = |name| properties.value(name).and_then(|value| value.parse().ok());
    (number("numId"), number("ilvl"))
}
