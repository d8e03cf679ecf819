//! Word documents: the body's paragraphs and tables in order, then notes, comments and footers.
//!
//! The text is the one with all tracked changes accepted: without deleted and hidden text, with inserted text.

mod inline;
pub(super) mod numbering;
pub(super) mod styles;
pub(super) mod table;

use std::collections::HashMap;

use pages::{BlockKind, Style};

use self::inline::{Anchored, Inline, Note};
use self::numbering::{Label, Numbering};
use self::styles::{Characters, Styles, numbering_of};
use super::chart;
use super::package::{Package, Relations};
use super::xml::{Children, Element};
use crate::flow::{Flow, Text};
use crate::{ReadError, Sink, Source};

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let package = Package::open(source)?;
    let main = package.main_member("word/document.xml")?;
    let relations = package.relations(&main)?;
    let mut properties = package.properties();
    let title = properties.remove("title");
    let flow = Flow::begin(source, sink, title, properties)?;
    let part = |kind: &str| match relations.values().find(|relation| relation.kind == kind) {
        Some(relation) if !relation.external => package.tree(&relation.target),
        _ => Ok(Element::default()),
    };
    let styles = Styles::new(&part("styles")?);
    let numbering = Numbering::new(&part("numbering")?);
    let (footnotes, endnotes, comments) =
        (part("footnotes")?, part("endnotes")?, part("comments")?);
    let bytes = package.member(&main)?.unwrap_or_default();
    let mut document = Document {
        package: &package,
        relations: &relations,
        flow,
        styles,
        numbering,
        notes: HashMap::new(),
        pending_notes: Vec::new(),
        code: Text::default(),
    };
    document.keep_notes(&footnotes, false);
    document.keep_notes(&endnotes, true);
    document.margins("header", BlockKind::Header)?;
    let mut children = Children::new(&bytes, source.limits.nesting);
    while let Some(element) = children.next(is_around_blocks)? {
        if document.flow.is_full() {
            break;
        }
        document.block(&element)?;
    }
    document.finish_page()?;
    document.comments(&comments)?;
    document.margins("footer", BlockKind::Footer)?;
    document.flow.finish()
}

/// Elements whose children are blocks of the document.
pub(super) fn is_around_blocks(name: &str) -> bool {
    matches!(
        name,
        "document" | "body" | "sdt" | "sdtContent" | "customXml" | "smartTag" | "ins" | "moveTo"
    )
}

struct Document<'p, 's> {
    package: &'p Package<'p>,
    relations: &'p Relations,
    flow: Flow<'s>,
    styles: Styles,
    numbering: Numbering,
    notes: HashMap<Note, Text>,
    /// Notes that the current page refers to.
    pending_notes: Vec<Note>,
    /// Lines of code; the next paragraph may continue them.
    code: Text,
}

impl Document<'_, '_> {
    fn block(&mut self, element: &Element) -> Result<(), ReadError> {
        match &*element.name {
            "p" => self.paragraph(element),
            "tbl" => {
                self.finish_code()?;
                self.table(element)
            }
            name if is_around_blocks(name) => {
                element.elements().try_for_each(|child| self.block(child))
            }
            "AlternateContent" => {
                match element.child("Choice").or_else(|| element.child("Fallback")) {
                    Some(chosen) => chosen.elements().try_for_each(|child| self.block(child)),
                    None => Ok(()),
                }
            }
            "oMathPara" | "oMath" => {
                self.flow.paragraph(&format!("$${}$$", super::math::latex(element)))
            }
            _ => Ok(()),
        }
    }

    fn paragraph(&mut self, element: &Element) -> Result<(), ReadError> {
        let properties = element.child("pPr");
        let style = properties.and_then(|properties| properties.value("pStyle"));
        let inline = Inline::of(element, &self.styles, self.styles.characters(style));
        let asked = properties.and_then(|properties| properties.switch("pageBreakBefore"));
        if inline.breaks_before || asked == Some(true) {
            self.finish_page()?;
        }
        if self.is_code(style, &inline) {
            self.code.append_line(&inline.text);
        } else {
            self.finish_code()?;
            let (kind, text) = self.kind(properties, style, &inline);
            self.flow.block(kind, &text)?;
        }
        self.pending_notes.extend(inline.notes);
        self.anchored(inline.anchored)?;
        if inline.breaks_after || properties.is_some_and(ends_a_page) {
            self.finish_page()?;
        }
        Ok(())
    }

    fn is_code(&self, style: Option<&str>, inline: &Inline) -> bool {
        let all_typed = inline.letters > 0 && inline.monospaced == inline.letters;
        let looks =
            || inline.text.as_str().contains(['{', '}', ';', '=', '<', '>', '(', '#', '$', '\\']);
        !inline.text.is_blank() && (self.styles.is_code(style) || (all_typed && looks()))
    }

    fn kind(
        &mut self,
        properties: Option<&Element>,
        style: Option<&str>,
        inline: &Inline,
    ) -> (BlockKind, Text) {
        let own_level = properties
            .and_then(|properties| properties.value("outlineLvl"))
            .and_then(|level| level.parse::<u8>().ok())
            .filter(|level| *level < 9);
        let heading = self.styles.heading_level(style).or(own_level.map(|level| level + 1));
        if inline.text.is_blank() {
            return (BlockKind::Paragraph, Text::default());
        }
        let (label, depth) = self.label(properties, style);
        let labelled = |label: &str| {
            let mut text = Text::default();
            text.push(label, Style::default());
            text.push(" ", Style::default());
            text.append(&inline.text);
            text
        };
        let item = |number| BlockKind::ListItem { depth, number };
        match (heading, label) {
            (Some(level), Some(Label::Number(number))) => {
                (BlockKind::Heading { level }, labelled(&number.to_string()))
            }
            (Some(level), Some(Label::Written(label))) => {
                (BlockKind::Heading { level }, labelled(&label))
            }
            (Some(level), _) => (BlockKind::Heading { level }, inline.text.clone()),
            (None, Some(Label::Bullet)) => (item(None), inline.text.clone()),
            (None, Some(Label::Number(number))) => (item(Some(number)), inline.text.clone()),
            (None, Some(Label::Written(label))) => (item(None), labelled(&label)),
            (None, _) if self.styles.is_quote(style) => (BlockKind::Quote, inline.text.clone()),
            (None, _) => (BlockKind::Paragraph, inline.text.clone()),
        }
    }

    /// The number or bullet of the paragraph, and its depth in the list.
    fn label(&mut self, properties: Option<&Element>, style: Option<&str>) -> (Option<Label>, u8) {
        let own = properties.and_then(|properties| properties.child("numPr")).map(numbering_of);
        let by_style = self.styles.numbering(style);
        let list = own.and_then(|(list, _)| list).or(by_style.and_then(|(list, _)| list));
        // List 0 removes the numbering of the style.
        let Some(list) = list.filter(|list| *list != 0) else { return (None, 0) };
        let depth = own
            .and_then(|(_, depth)| depth)
            .or_else(|| self.numbering.level_of_style(list, style))
            .or(by_style.and_then(|(_, depth)| depth))
            .unwrap_or(0);
        (Some(self.numbering.next(list, depth)), u8::try_from(depth).unwrap_or(8))
    }

    fn anchored(&mut self, anchored: Vec<Anchored>) -> Result<(), ReadError> {
        for one in anchored {
            match one {
                Anchored::Picture { description } => {
                    self.finish_code()?;
                    self.flow.block(BlockKind::Figure, &Text::plain(description))?;
                }
                Anchored::TextBox(content) => {
                    content.elements().try_for_each(|child| self.block(child))?;
                }
                Anchored::Chart { relation } => {
                    self.finish_code()?;
                    if let Some(relation) = self.relations.get(&relation) {
                        let tree = self.package.tree(&relation.target)?;
                        chart::read(&tree, &mut self.flow)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn finish_code(&mut self) -> Result<(), ReadError> {
        let code = std::mem::take(&mut self.code);
        self.flow.block(BlockKind::Code, &code)
    }

    /// Adds the notes that the page refers to, and ends the page.
    fn finish_page(&mut self) -> Result<(), ReadError> {
        self.finish_code()?;
        for note in std::mem::take(&mut self.pending_notes) {
            if let Some(text) = self.notes.remove(&note) {
                let mut numbered = Text::plain(format!("[{}] ", note.id));
                numbered.append(&text);
                self.flow.block(BlockKind::Paragraph, &numbered)?;
            }
        }
        self.flow.break_page()
    }

    fn keep_notes(&mut self, tree: &Element, at_end: bool) {
        for note in tree.elements() {
            // Separators are stored as notes with a type.
            let Some(id) = note.attribute("id").filter(|_| note.attribute("type").is_none()) else {
                continue;
            };
            let text = self.text_of(note);
            self.notes.insert(Note { at_end, id: id.to_owned() }, text);
        }
    }

    /// The text of all paragraphs in the element, one line each.
    fn text_of(&self, element: &Element) -> Text {
        let mut text = Text::default();
        for paragraph in element.find_all("p") {
            text.append_line(&Inline::of(paragraph, &self.styles, Characters::default()).text);
        }
        text
    }

    fn comments(&mut self, tree: &Element) -> Result<(), ReadError> {
        for comment in tree.children("comment") {
            let author = comment.attribute("author").unwrap_or_default();
            let date = comment.attribute("date").unwrap_or_default();
            let text = super::remark_of(author, date, self.text_of(comment).as_str());
            self.flow.block(BlockKind::Quote, &Text::plain(text))?;
        }
        Ok(())
    }

    /// Adds headers or footers; equal texts only once.
    fn margins(&mut self, kind: &str, block: BlockKind) -> Result<(), ReadError> {
        let mut members: Vec<_> = self
            .relations
            .values()
            .filter(|relation| relation.kind == kind && !relation.external)
            .map(|relation| relation.target.clone())
            .collect();
        members.sort();
        let mut seen = Vec::new();
        for member in members {
            let text = self.text_of(&self.package.tree(&member)?);
            if !text.is_blank() && !seen.contains(&text) {
                self.flow.block(block, &text)?;
                seen.push(text);
            }
        }
        Ok(())
    }
}

/// Whether the paragraph ends a section and the next section starts on a new page.
fn ends_a_page(properties: &Element) -> bool {
    properties
        .child("sectPr")
        .is_some_and(|section| !matches!(section.value("type"), Some("continuous" | "nextColumn")))
}
