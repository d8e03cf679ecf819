//! The labels and indents of list items.

use std::collections::HashMap;

use super::styles::{ParagraphLook, Styles};
use crate::formats::docx::numbering::{Label, Numbering};
use crate::formats::docx::styles::numbering_of;
use crate::formats::view::colour::Theme;
use crate::formats::view::look::RunLook;
use crate::formats::xml::Element;

#[derive(Debug)]
pub(super) struct Lists {
    numbering: Numbering,
    levels: HashMap<(u32, u32), Level>,
}

#[derive(Clone, Debug, Default)]
struct Level {
    pattern: String,
    paragraph: ParagraphLook,
    run: RunLook,
}

/// A number or a bullet.
#[derive(Debug)]
pub(super) struct ListLabel {
    pub(super) text: String,
    pub(super) paragraph: ParagraphLook,
    pub(super) run: RunLook,
}

impl Lists {
    pub(super) fn new(tree: &Element, theme: &Theme) -> Self {
        let mut outlines: HashMap<&str, Vec<(u32, Level)>> = HashMap::new();
        let levels_of = |parent: &Element| -> Vec<(u32, Level)> {
            let number = |level: &Element| level.number("ilvl").unwrap_or(0);
            parent.children("lvl").map(|level| (number(level), level_of(level, theme))).collect()
        };
        for outline in tree.children("abstractNum") {
            if let Some(id) = outline.attribute("abstractNumId") {
                outlines.insert(id, levels_of(outline));
            }
        }
        let mut levels = HashMap::new();
        for list in tree.children("num") {
            let Some(id) = list.number("numId") else { continue };
            let outline = list.value("abstractNumId").and_then(|outline| outlines.get(outline));
            for (depth, level) in outline.into_iter().flatten() {
                levels.insert((id, *depth), level.clone());
            }
            for changed in list.children("lvlOverride") {
                for (depth, level) in levels_of(changed) {
                    levels.insert((id, depth), level);
                }
            }
        }
        Self { numbering: Numbering::new(tree), levels }
    }

    /// Counts the paragraph if it is in a list.
    pub(super) fn label(
        &mut self,
        properties: Option<&Element>,
        style: Option<&str>,
        styles: &Styles,
    ) -> Option<ListLabel> {
        let own = properties.and_then(|properties| properties.child("numPr")).map(numbering_of);
        let by_style = styles.numbering(style);
        let list = own.and_then(|(list, _)| list).or(by_style.and_then(|(list, _)| list));
        // List 0 removes the numbering of the style.
        let list = list.filter(|list| *list != 0)?;
        let depth = own
            .and_then(|(_, depth)| depth)
            .or_else(|| self.numbering.level_of_style(list, style))
            .or(by_style.and_then(|(_, depth)| depth))
            .unwrap_or(0);
        let level = self.levels.get(&(list, depth)).cloned().unwrap_or_default();
        let text = match self.numbering.next(list, depth) {
            Label::Bullet => bullet(&level.pattern).to_owned(),
            Label::Number(number) => {
                let own = format!("%{}", depth + 1);
                level.pattern.replacen(&own, &number.to_string(), 1)
            }
            Label::Written(text) => text,
            Label::Nothing => String::new(),
        };
        // The bullet is mapped to a character that every font has.
        let run = RunLook { font: None, ..level.run };
        Some(ListLabel { text, paragraph: level.paragraph, run })
    }
}

fn level_of(level: &Element, theme: &Theme) -> Level {
    Level {
        pattern: level.value("lvlText").unwrap_or_default().to_owned(),
        paragraph: ParagraphLook::of(level.child("pPr")),
        run: RunLook::of_word(level.child("rPr"), theme),
    }
}

/// A bullet of a symbol font, or a plain one.
fn bullet(pattern: &str) -> &str {
    match pattern.chars().next() {
        Some('o' | '\u{F06F}') => "◦",
        Some('\u{F0A7}' | '§') => "▪",
        Some('\u{F0D8}') => "➢",
        Some('\u{F0FC}') => "✓",
        Some('\u{F02D}') => "–",
        Some('\u{F000}'..='\u{F0FF}') | None => "•",
        Some(_) => pattern,
    }
}
