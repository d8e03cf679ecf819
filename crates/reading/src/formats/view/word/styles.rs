//! The properties of paragraphs in Word files, and styles.

use std::collections::HashMap;

use super::table::{CellLook, TableLook};
use crate::formats::docx::styles::numbering_of;
use crate::formats::view::colour::{Colour, Theme};
use crate::formats::view::drawing::Line;
use crate::formats::view::look::RunLook;
use crate::formats::view::style::Style;
use crate::formats::xml::Element;

/// The longest chain of parent styles. In a broken file, a style may be its own parent.
const MAX_CHAIN: usize = 16;
/// How high a single line is, in heights of its letters.
const SINGLE_LINE: f32 = 1.17;

/// The properties of a paragraph, a style or a list level. `None` means that they are not set here; lengths are in points.
#[derive(Clone, Debug, Default)]
pub(super) struct ParagraphLook {
    pub(super) align: Option<&'static str>,
    pub(super) left: Option<f32>,
    pub(super) right: Option<f32>,
    /// Of the first line; negative when it hangs.
    pub(super) first: Option<f32>,
    pub(super) before: Option<f32>,
    pub(super) after: Option<f32>,
    line: Option<LineHeight>,
    background: Option<Colour>,
    /// Top, right, bottom, left.
    edges: [Option<Edge>; 4],
    pub(super) breaks_before: Option<bool>,
    pub(super) ignores_space_between: Option<bool>,
    /// Whether a tab leads to the right edge, and whether dots lead there.
    pub(super) right_tab: Option<RightTab>,
    is_right_to_left: Option<bool>,
}

#[derive(Clone, Copy, Debug)]
enum LineHeight {
    Times(f32),
    Points(f32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RightTab {
    pub(super) has_dots: bool,
}

/// A border, or the explicit absence of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Edge {
    Absent,
    Drawn(Line),
}

impl Edge {
    pub(super) fn of(element: &Element) -> Option<Self> {
        let kind = match element.attribute("val")? {
            "nil" | "none" => return Some(Self::Absent),
            "double" | "triple" => "double",
            "dotted" => "dotted",
            "dashed" | "dashSmallGap" | "dotDash" | "dotDotDash" => "dashed",
            _ => "solid",
        };
        let eighths: f32 =
            element.attribute("sz").and_then(|size| size.parse().ok()).unwrap_or(4.0);
        let colour = element.attribute("color").and_then(Colour::of_hex).unwrap_or(Colour::BLACK);
        let least = if kind == "double" { 2.25 } else { 0.5 };
        Some(Self::Drawn(Line { width: (eighths / 8.0).clamp(least, 12.0), kind, colour }))
    }

    pub(super) fn write(self, property: &'static str, style: &mut Style) {
        match self {
            Self::Absent => style.keyword(property, "none"),
            Self::Drawn(Line { width, kind, colour }) => {
                style.border(property, width, kind, colour)
            }
        };
    }
}

/// Lengths are in twentieths of a point.
pub(super) fn twentieths(written: &str) -> Option<f32> {
    let number: f32 = written.parse().ok()?;
    number.is_finite().then_some(number / 20.0)
}

pub(super) fn fill_of(properties: &Element) -> Option<Colour> {
    Colour::of_hex(properties.child("shd")?.attribute("fill")?)
}

impl ParagraphLook {
    pub(super) fn of(properties: Option<&Element>) -> Self {
        let Some(properties) = properties else { return Self::default() };
        let indent = properties.child("ind");
        let indent = |names: [&str; 2]| {
            let indent = indent?;
            names.iter().find_map(|name| twentieths(indent.attribute(name)?))
        };
        let spacing = properties.child("spacing");
        let space = |name: &str| twentieths(spacing?.attribute(name)?);
        let hanging = indent(["hanging", "hanging"]).map(|hanging| -hanging);
        let borders = properties.child("pBdr");
        let edge = |name: &str| Edge::of(borders?.child(name)?);
        Self {
            align: properties.value("jc").and_then(|side| match side {
                "left" | "start" => Some("left"),
                "center" => Some("center"),
                "right" | "end" => Some("right"),
                "both" | "distribute" => Some("justify"),
                _ => None,
            }),
            left: indent(["left", "start"]),
            right: indent(["right", "end"]),
            first: hanging.or_else(|| indent(["firstLine", "firstLine"])),
            before: space("before"),
            after: space("after"),
            line: spacing.and_then(line_height),
            background: fill_of(properties),
            edges: ["top", "right", "bottom", "left"].map(edge),
            breaks_before: properties.switch("pageBreakBefore"),
            ignores_space_between: properties.switch("contextualSpacing"),
            right_tab: properties.child("tabs").and_then(right_tab),
            is_right_to_left: properties.switch("bidi"),
        }
    }

    /// Merges two looks; `self` has priority.
    #[must_use]
    pub(super) fn over(self, under: &Self) -> Self {
        let mut edges = self.edges;
        for (edge, under) in edges.iter_mut().zip(under.edges) {
            *edge = edge.or(under);
        }
        Self {
            align: self.align.or(under.align),
            left: self.left.or(under.left),
            right: self.right.or(under.right),
            first: self.first.or(under.first),
            before: self.before.or(under.before),
            after: self.after.or(under.after),
            line: self.line.or(under.line),
            background: self.background.or(under.background),
            edges,
            breaks_before: self.breaks_before.or(under.breaks_before),
            ignores_space_between: self.ignores_space_between.or(under.ignores_space_between),
            right_tab: self.right_tab.or(under.right_tab),
            is_right_to_left: self.is_right_to_left.or(under.is_right_to_left),
        }
    }

    /// Everything but the space above and below.
    pub(super) fn style(&self) -> Style {
        let mut style = Style::default();
        if let Some(align) = self.align {
            style.keyword("text-align", align);
        }
        if self.is_right_to_left == Some(true) {
            style.keyword("direction", "rtl");
        }
        let lengths = [
            ("padding-left", self.left),
            ("padding-right", self.right),
            ("text-indent", self.first),
        ];
        for (property, length) in lengths {
            if let Some(length) = length.filter(|length| *length != 0.0) {
                style.length(property, length.clamp(-600.0, 600.0));
            }
        }
        match self.line {
            Some(LineHeight::Times(times)) => {
                style.number("line-height", (times * SINGLE_LINE).clamp(0.5, 10.0));
            }
            Some(LineHeight::Points(points)) => {
                style.length("line-height", points.clamp(4.0, 200.0));
            }
            None => {}
        }
        if let Some(colour) = self.background {
            style.colour("background-color", colour);
        }
        let properties = ["border-top", "border-right", "border-bottom", "border-left"];
        for (property, edge) in properties.into_iter().zip(self.edges) {
            if let Some(edge @ Edge::Drawn(_)) = edge {
                edge.write(property, &mut style);
            }
        }
        style
    }
}

fn line_height(spacing: &Element) -> Option<LineHeight> {
    let line: f32 = spacing.attribute("line")?.parse().ok()?;
    match spacing.attribute("lineRule") {
        Some("exact") => Some(LineHeight::Points(line / 20.0)),
        // It grows with its letters, which only a multiple does.
        Some("atLeast") => None,
        _ => Some(LineHeight::Times(line / 240.0)),
    }
}

fn right_tab(tabs: &Element) -> Option<RightTab> {
    let tab = tabs.children("tab").find(|tab| tab.attribute("val") == Some("right"))?;
    Some(RightTab { has_dots: matches!(tab.attribute("leader"), Some("dot" | "middleDot")) })
}

#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Definition>,
    default_paragraph: Option<String>,
    default_table: Option<String>,
    pub(super) run: RunLook,
    pub(super) paragraph: ParagraphLook,
}

#[derive(Debug, Default)]
struct Definition {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    numbering: Option<(Option<u32>, Option<u32>)>,
    paragraph: ParagraphLook,
    run: RunLook,
    table: TableLook,
    /// Conditional formats of tables, such as `firstRow`.
    conditions: HashMap<String, Condition>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Condition {
    pub(super) cell: CellLook,
    pub(super) run: RunLook,
    pub(super) paragraph: ParagraphLook,
}

impl Styles {
    pub(super) fn new(tree: &Element, theme: &Theme) -> Self {
        let defaults = tree.child("docDefaults");
        let default_of = |outer, inner| defaults.and_then(|all| all.path(&[outer, inner]));
        let usual = RunLook {
            size: Some(10.0),
            font: Some("Times New Roman".to_owned()),
            ..RunLook::default()
        };
        let mut styles = Self {
            run: RunLook::of_word(default_of("rPrDefault", "rPr"), theme).over(&usual),
            paragraph: ParagraphLook::of(default_of("pPrDefault", "pPr")),
            ..Self::default()
        };
        for style in tree.children("style") {
            let Some(id) = style.attribute("styleId") else { continue };
            if matches!(style.attribute("default"), Some("1" | "true")) {
                match style.attribute("type") {
                    Some("paragraph") => styles.default_paragraph = Some(id.to_owned()),
                    Some("table") => styles.default_table = Some(id.to_owned()),
                    _ => {}
                }
            }
            styles.by_id.insert(id.to_owned(), definition(style, theme));
        }
        styles
    }

    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = &'a Definition> {
        let mut next = id;
        std::iter::from_fn(move || {
            let definition = self.by_id.get(next?)?;
            next = definition.based_on.as_deref();
            Some(definition)
        })
        .take(MAX_CHAIN)
    }

    fn of_paragraph<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = &'a Definition> {
        let known = id.filter(|id| self.by_id.contains_key(*id));
        self.chain(known.or(self.default_paragraph.as_deref()))
    }

    /// The looks of a paragraph style with its parents, without defaults.
    pub(super) fn paragraph(&self, id: Option<&str>) -> (ParagraphLook, RunLook) {
        let mut looks = (ParagraphLook::default(), RunLook::default());
        for style in self.of_paragraph(id) {
            looks = (looks.0.over(&style.paragraph), looks.1.over(&style.run));
        }
        looks
    }

    /// The look of a character style.
    pub(super) fn characters(&self, id: &str) -> RunLook {
        self.chain(Some(id)).fold(RunLook::default(), |over, style| over.over(&style.run))
    }

    /// 1 is the highest.
    pub(super) fn heading_level(&self, id: Option<&str>) -> Option<u8> {
        self.of_paragraph(id).find_map(|style| {
            let by_name = style.name.strip_prefix("heading ").and_then(|level| level.parse().ok());
            by_name.or(style.outline.map(|level| level + 1)).filter(|level| *level <= 6)
        })
    }

    pub(super) fn numbering(&self, id: Option<&str>) -> Option<(Option<u32>, Option<u32>)> {
        self.of_paragraph(id).find_map(|style| style.numbering)
    }

    /// A table's style: its own look, and those of some cells.
    pub(super) fn table(&self, id: Option<&str>) -> TableStyle {
        let mut table = TableStyle::default();
        for style in self.chain(id.or(self.default_table.as_deref())) {
            table.look = table.look.over(&style.table);
            table.run = table.run.over(&style.run);
            table.paragraph = table.paragraph.over(&style.paragraph);
            for (name, condition) in &style.conditions {
                let over = table.conditions.remove(name).unwrap_or_default();
                let merged = Condition {
                    cell: over.cell.over(&condition.cell),
                    run: over.run.over(&condition.run),
                    paragraph: over.paragraph.over(&condition.paragraph),
                };
                table.conditions.insert(name.clone(), merged);
            }
        }
        table
    }
}

#[derive(Debug, Default)]
pub(super) struct TableStyle {
    pub(super) look: TableLook,
    pub(super) run: RunLook,
    pub(super) paragraph: ParagraphLook,
    pub(super) conditions: HashMap<String, Condition>,
}

fn definition(style: &Element, theme: &Theme) -> Definition {
    let paragraph = style.child("pPr");
    let outline = paragraph.and_then(|properties| properties.value("outlineLvl"));
    let conditions = style.children("tblStylePr").filter_map(|condition| {
        let look = Condition {
            cell: CellLook::of(condition.child("tcPr")),
            run: RunLook::of_word(condition.child("rPr"), theme),
            paragraph: ParagraphLook::of(condition.child("pPr")),
        };
        Some((condition.attribute("type")?.to_owned(), look))
    });
    Definition {
        name: style.value("name").unwrap_or_default().to_lowercase(),
        based_on: style.value("basedOn").map(str::to_owned),
        outline: outline.and_then(|level| level.parse().ok()).filter(|level| *level < 9),
        numbering: paragraph.and_then(|properties| properties.child("numPr")).map(numbering_of),
        paragraph: ParagraphLook::of(paragraph),
        run: RunLook::of_word(style.child("rPr"), theme),
        table: TableLook::of(style.child("tblPr"), style.child("tcPr")),
        conditions: conditions.collect(),
    }
}
