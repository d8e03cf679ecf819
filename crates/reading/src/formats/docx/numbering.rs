//! The numbers of list items and headings. Word computes them and does not store them.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::formats::xml::Element;

const LEVELS: usize = 9;

#[derive(Debug, Default)]
pub(in crate::formats) struct Numbering {
    lists: HashMap<u32, List>,
    outlines: HashMap<u32, Vec<Level>>,
    /// By outline: lists with the same outline share their counters.
    counters: HashMap<u32, [Option<u32>; LEVELS]>,
    begun: HashSet<u32>,
}

#[derive(Debug, Default)]
struct List {
    outline: u32,
    restarts: Vec<(usize, u32)>,
}

#[derive(Clone, Debug, Default)]
struct Level {
    format: String,
    /// `%1.%2` stands for the numbers of levels 1 and 2, separated by a full stop.
    pattern: String,
    start: u32,
    style: Option<String>,
}

/// The label of an item.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::formats) enum Label {
    Bullet,
    /// A decimal number.
    Number(u32),
    /// Anything else: `1.2`, `(a)`, `§ 4`.
    Written(String),
    Nothing,
}

impl Numbering {
    pub(in crate::formats) fn new(tree: &Element) -> Self {
        let mut numbering = Self::default();
        for outline in tree.children("abstractNum") {
            let Some(id) = outline.number("abstractNumId") else { continue };
            numbering.outlines.insert(id, outline.children("lvl").map(level).collect());
        }
        for list in tree.children("num") {
            let Some(id) = list.number("numId") else { continue };
            let outline = list.value("abstractNumId").and_then(|id| id.parse().ok()).unwrap_or(0);
            let restarts = list
                .children("lvlOverride")
                .filter_map(|level| {
                    let start = level.value("startOverride")?.parse().ok()?;
                    Some((level.number("ilvl")? as usize, start))
                })
                .collect();
            numbering.lists.insert(id, List { outline, restarts });
        }
        numbering
    }

    /// The level that is linked to a style.
    pub(in crate::formats) fn level_of_style(&self, list: u32, style: Option<&str>) -> Option<u32> {
        let levels = self.outlines.get(&self.lists.get(&list)?.outline)?;
        let level = levels
            .iter()
            .position(|level| level.style.is_some() && level.style.as_deref() == style)?;
        u32::try_from(level).ok()
    }

    /// Counts one item and returns its label.
    pub(in crate::formats) fn next(&mut self, list: u32, depth: u32) -> Label {
        let Some(definition) = self.lists.get(&list) else { return Label::Nothing };
        let Some(levels) = self.outlines.get(&definition.outline) else { return Label::Bullet };
        let depth = (depth as usize).min(LEVELS - 1);
        let Some(level) = levels.get(depth) else { return Label::Bullet };
        let counters = self.counters.entry(definition.outline).or_default();
        if self.begun.insert(list) {
            for (at, start) in &definition.restarts {
                if let Some(counter) = counters.get_mut(*at) {
                    *counter = start.checked_sub(1);
                }
            }
        }
        for (at, counter) in counters.iter_mut().enumerate() {
            let start = levels.get(at).map_or(1, |level| level.start);
            *counter = match at.cmp(&depth) {
                Ordering::Less => Some(counter.unwrap_or(start)),
                Ordering::Equal => Some(counter.map_or(start, |count| count.saturating_add(1))),
                Ordering::Greater => None,
            };
        }
        label(levels, level, depth, counters)
    }
}

fn level(element: &Element) -> Level {
    Level {
        format: element.value("numFmt").unwrap_or("decimal").to_owned(),
        pattern: element.value("lvlText").unwrap_or_default().to_owned(),
        start: element.value("start").and_then(|start| start.parse().ok()).unwrap_or(1),
        style: element.value("pStyle").map(str::to_owned),
    }
}

fn label(levels: &[Level], level: &Level, depth: usize, counters: &[Option<u32>]) -> Label {
    if level.format == "bullet" {
        return Label::Bullet;
    }
    if level.pattern.is_empty() || level.format == "none" {
        return Label::Nothing;
    }
    let count = counters.get(depth).copied().flatten().unwrap_or(1);
    let own = format!("%{}", depth + 1);
    let around = level.pattern.replacen(&own, "", 1);
    if level.format == "decimal" && matches!(around.as_str(), "" | "." | ")") {
        return Label::Number(count);
    }
    let mut written = level.pattern.clone();
    for at in 0..LEVELS {
        let place = format!("%{}", at + 1);
        if written.contains(&place) {
            let format = levels.get(at).map_or("decimal", |level| level.format.as_str());
            let count = counters.get(at).copied().flatten().unwrap_or(1);
            written = written.replace(&place, &counted(count, format));
        }
    }
    Label::Written(written.trim().to_owned())
}

/// Formats a number in the format of the list.
pub(in crate::formats) fn counted(count: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(count),
        "upperLetter" => letters(count).to_uppercase(),
        "lowerRoman" => roman(count),
        "upperRoman" => roman(count).to_uppercase(),
        "decimalZero" => format!("{count:02}"),
        _ => count.to_string(),
    }
}

/// a, b … z, aa, bb …
fn letters(count: u32) -> String {
    let Some(count) = count.checked_sub(1) else { return String::from("0") };
    let letter = char::from(b'a' + u8::try_from(count % 26).unwrap_or(0));
    letter.to_string().repeat(1 + (count as usize / 26).min(20))
}

fn roman(mut count: u32) -> String {
    if count == 0 || count > 4999 {
        return count.to_string();
    }
    let digits = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut written = String::new();
    for (value, digit) in digits {
        while count >= value {
            written.push_str(digit);
            count -= value;
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::read_tree;

    fn numbering() -> Numbering {
        let xml = br#"<numbering>
            <abstractNum abstractNumId="0">
                <lvl ilvl="0"><start val="1"/><numFmt val="decimal"/><lvlText val="%1."/></lvl>
                <lvl ilvl="1"><start val="1"/><numFmt val="lowerLetter"/><lvlText val="%1.%2"/></lvl>
            </abstractNum>
            <num numId="1"><abstractNumId val="0"/></num>
            <num numId="2"><abstractNumId val="0"/>
                <lvlOverride ilvl="0"><startOverride val="1"/></lvlOverride></num>
        </numbering>"#;
        Numbering::new(&read_tree(xml, 20).unwrap())
    }

    #[test]
    fn deeper_levels_begin_again_after_a_higher_one() {
        let mut numbering = numbering();
        let labels = [0, 1, 1, 0, 1].map(|depth| numbering.next(1, depth));
        let written = |text: &str| Label::Written(text.into());
        assert_eq!(
            labels,
            [Label::Number(1), written("1.a"), written("1.b"), Label::Number(2), written("2.a")]
        );
    }

    #[test]
    fn a_list_that_restarts_counts_from_its_own_start() {
        let mut numbering = numbering();
        let labels = [1, 1, 2, 2].map(|list| numbering.next(list, 0));
        assert_eq!(labels, [1, 2, 1, 2].map(Label::Number));
    }

    #[test]
    fn numbers_are_written_as_the_list_asks() {
        assert_eq!(counted(4, "lowerRoman"), "iv");
        assert_eq!(counted(28, "upperLetter"), "BB");
        assert_eq!(counted(7, "decimalZero"), "07");
    }
}
