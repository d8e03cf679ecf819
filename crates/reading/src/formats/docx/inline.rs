//! The content of a paragraph: text, and anchored pictures, charts, text boxes and notes.

use crate::flow::Text;
use crate::formats::xml::{Element, Node};
use crate::formats::{description, math};

use super::styles::{Characters, Styles};

/// The content of a paragraph.
#[derive(Debug, Default)]
pub(super) struct Inline<'e> {
    pub(super) text: Text,
    /// In document order.
    pub(super) anchored: Vec<Anchored<'e>>,
    /// A page break comes before the first word.
    pub(super) breaks_before: bool,
    /// A page break comes within or after the paragraph.
    pub(super) breaks_after: bool,
    /// References to footnotes and endnotes.
    pub(super) notes: Vec<Note>,
    /// The number of letters in a monospaced font, and of all letters.
    pub(super) monospaced: usize,
    pub(super) letters: usize,
}

#[derive(Debug)]
pub(super) enum Anchored<'e> {
    Picture { description: String },
    Chart { relation: String },
    TextBox(&'e Element),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Note {
    pub(super) at_end: bool,
    pub(super) id: String,
}

impl<'e> Inline<'e> {
    pub(super) fn of(paragraph: &'e Element, styles: &Styles, under: Characters) -> Self {
        let mut inline = Self::default();
        inline.walk(paragraph, styles, under);
        inline
    }

    fn walk(&mut self, parent: &'e Element, styles: &Styles, under: Characters) {
        for element in parent.elements() {
            match &*element.name {
                "r" => self.run(element, styles, under),
                // Deleted or moved text, and properties.
                "del" | "moveFrom" | "pPr" | "rPr" | "sdtPr" | "sdtEndPr" | "rt" => {}
                "oMath" => {
                    let formula = math::latex(element);
                    self.push(&format!(" ${formula}$ "), under);
                }
                "oMathPara" => {
                    let formulas: Vec<_> = element.children("oMath").map(math::latex).collect();
                    self.push(&format!(" $${}$$ ", formulas.join(" ")), under);
                }
                "sdt" => self.content_control(element, styles, under),
                "AlternateContent" => self.alternative(element, styles, under),
                _ => self.walk(element, styles, under),
            }
        }
    }

    fn content_control(&mut self, element: &'e Element, styles: &Styles, under: Characters) {
        let checkbox = element.path(&["sdtPr", "checkbox"]);
        if let Some(checkbox) = checkbox {
            let checked = matches!(checkbox.value("checked"), Some("1" | "true"));
            self.push(if checked { "[x]" } else { "[ ]" }, under);
        } else if let Some(content) = element.child("sdtContent") {
            self.walk(content, styles, under);
        }
    }

    /// Reads the newer of two alternatives.
    fn alternative(&mut self, element: &'e Element, styles: &Styles, under: Characters) {
        let chosen = element.child("Choice").filter(|choice| choice.nodes.iter().any(is_element));
        if let Some(chosen) = chosen.or_else(|| element.child("Fallback")) {
            self.content(chosen, styles, under);
        }
    }

    fn run(&mut self, run: &'e Element, styles: &Styles, under: Characters) {
        let properties = run.child("rPr");
        let style = properties.and_then(|properties| properties.value("rStyle"));
        let mut characters = Characters::of(properties);
        if style.is_some() {
            characters = characters.over(styles.characters(style));
        }
        let characters = characters.over(under);
        if characters.hidden == Some(true) {
            return;
        }
        self.content(run, styles, characters);
    }

    fn content(&mut self, run: &'e Element, styles: &Styles, characters: Characters) {
        for element in run.elements() {
            match &*element.name {
                "t" => self.push(&element.all_text(), characters),
                "tab" | "ptab" => self.push("\t", characters),
                "br" if element.attribute("type") == Some("page") => self.page_break(),
                "lastRenderedPageBreak" => self.page_break(),
                "br" | "cr" => self.push("\n", characters),
                "noBreakHyphen" => self.push("-", characters),
                "sym" => self.symbol(element, characters),
                "footnoteReference" | "endnoteReference" => self.note(element, characters),
                "drawing" | "pict" | "object" => self.drawing(element),
                "AlternateContent" => self.alternative(element, styles, characters),
                "ruby" => {
                    if let Some(base) = element.child("rubyBase") {
                        self.walk(base, styles, characters);
                    }
                }
                "r" => self.run(element, styles, characters),
                _ => {}
            }
        }
    }

    fn push(&mut self, text: &str, characters: Characters) {
        let letters = text.chars().filter(|letter| !letter.is_whitespace()).count();
        self.letters += letters;
        if characters.monospaced == Some(true) {
            self.monospaced += letters;
        }
        self.text.push(text, characters.style());
    }

    fn page_break(&mut self) {
        if self.text.is_blank() && self.anchored.is_empty() {
            self.breaks_before = true;
        } else {
            self.breaks_after = true;
        }
    }

    /// A character of a symbol font. Only common characters are mapped.
    fn symbol(&mut self, element: &Element, characters: Characters) {
        let code = element.attribute("char").and_then(|code| u32::from_str_radix(code, 16).ok());
        let shown = match code.unwrap_or(0) & 0xFF {
            0xFC | 0x50 | 0x52 => "✓",
            0xA8 | 0xA3 | 0x6F => "☐",
            0xFE | 0x78 | 0xFD => "☒",
            0xE0 => "→",
            0xB7 | 0xA7 | 0x6C => "•",
            _ => "",
        };
        self.push(shown, characters);
    }

    fn note(&mut self, element: &Element, characters: Characters) {
        let Some(id) = element.attribute("id") else { return };
        let at_end = &*element.name == "endnoteReference";
        self.notes.push(Note { at_end, id: id.to_owned() });
        self.push(&format!("[{id}]"), characters);
    }

    fn drawing(&mut self, drawing: &'e Element) {
        let described = drawing.find("docPr").or_else(|| drawing.find("cNvPr"));
        let described = described.and_then(|properties| properties.attribute("descr"));
        let description = description(described).unwrap_or_default();
        let mut open = vec![drawing];
        while let Some(element) = open.pop() {
            match &*element.name {
                "txbxContent" => self.anchored.push(Anchored::TextBox(element)),
                "pic" | "imagedata" => {
                    self.anchored.push(Anchored::Picture { description: description.clone() });
                }
                "chart" => {
                    if let Some(relation) = element.attribute("id") {
                        self.anchored.push(Anchored::Chart { relation: relation.to_owned() });
                    }
                }
                "AlternateContent" => {
                    open.extend(element.child("Choice").or_else(|| element.child("Fallback")));
                }
                _ => open.extend(element.elements().rev()),
            }
        }
    }
}

fn is_element(node: &Node) -> bool {
    matches!(node, Node::Element(_))
}
