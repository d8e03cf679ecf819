//! The content of paragraphs: runs of text, fields, notes, drawings.

use super::Word;
use super::styles::RightTab;
use crate::ReadError;
use crate::formats::math;
use crate::formats::view::look::RunLook;
use crate::formats::view::markup::Markup;
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

/// A field under way, such as the number of the page.
#[derive(Debug, Default)]
pub(super) struct Field {
    instruction: String,
    shows_result: bool,
    is_replaced: bool,
}

impl Field {
    fn is_page_number(instruction: &str) -> bool {
        instruction.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("PAGE"))
    }
}

/// The content of a paragraph, split at page breaks.
#[derive(Debug)]
pub(super) struct Inline {
    finished: Vec<Markup>,
    current: Markup,
    /// The style of the span that is open.
    open: Option<String>,
    /// The look that all runs inherit.
    under: RunLook,
    right_tab: Option<RightTab>,
    pub(super) has_tabs: bool,
    /// The number of open elements around the run. Page breaks within them are ignored.
    depth: u32,
    is_cell: bool,
    /// Written before the first visible content.
    label: Option<Markup>,
}

impl Inline {
    pub(super) fn new(under: RunLook, right_tab: Option<RightTab>, is_cell: bool) -> Self {
        Self {
            finished: Vec::new(),
            current: Markup::default(),
            open: None,
            under,
            right_tab,
            has_tabs: false,
            depth: 0,
            is_cell,
            label: None,
        }
    }

    pub(super) fn label(&mut self, text: &str, style: &Style) {
        let mut label = Markup::default();
        label.open("span", "dk-label", style);
        label.text(text);
        label.close("span");
        self.label = Some(label);
    }

    fn write_label(&mut self) {
        if let Some(label) = self.label.take() {
            self.current.append(label);
        }
    }

    fn text(&mut self, text: &str, look: &RunLook) {
        if text.is_empty() {
            return;
        }
        self.write_label();
        let look = look.over(&self.under);
        let mut style = look.style(Unit::Points);
        if look.is_shifted() && look.size.is_none() {
            style.keyword("font-size", "smaller");
        }
        if self.open.as_deref() != Some(style.as_str()) {
            self.close_span();
            if !style.is_empty() {
                self.current.open("span", "", &style);
                self.open = Some(style.as_str().to_owned());
            }
        }
        self.current.text(text);
    }

    fn close_span(&mut self) {
        if self.open.take().is_some() {
            self.current.close("span");
        }
    }

    fn tab(&mut self, look: &RunLook) {
        match self.right_tab {
            Some(tab) if self.depth == 0 => {
                self.write_label();
                self.close_span();
                let class = if tab.has_dots { "dk-fill dk-dots" } else { "dk-fill" };
                self.current.open("span", class, &Style::default());
                self.current.close("span");
                self.has_tabs = true;
            }
            _ => self.text("\t", look),
        }
    }

    fn line_break(&mut self) {
        self.current.raw("<br>");
    }

    fn page_break(&mut self) {
        if self.depth == 0 && !self.is_cell {
            self.close_span();
            self.finished.push(std::mem::take(&mut self.current));
        }
    }

    fn open_element(&mut self, title: &str) {
        self.write_label();
        self.close_span();
        self.current.begin("span");
        self.current.attribute("class", "dk-link");
        self.current.attribute("title", title);
        self.current.end();
        self.depth += 1;
    }

    fn close_element(&mut self) {
        self.close_span();
        self.current.close("span");
        self.depth -= 1;
    }

    pub(super) fn insert(&mut self, markup: Markup) {
        self.write_label();
        self.close_span();
        self.current.append(markup);
    }

    pub(super) fn finish(&mut self) -> Vec<Markup> {
        self.write_label();
        self.close_span();
        let mut pieces = std::mem::take(&mut self.finished);
        pieces.push(std::mem::take(&mut self.current));
        pieces
    }
}

impl Word<'_> {
    pub(super) fn inline(
        &mut self,
        parent: &Element,
        under: &RunLook,
        inline: &mut Inline,
    ) -> Result<(), ReadError> {
        for element in parent.elements() {
            match &*element.name {
                "r" => self.run(element, under, inline)?,
                // Deleted or moved text, and properties.
                "del" | "moveFrom" | "pPr" | "rPr" | "sdtPr" | "sdtEndPr" | "rt" => {}
                "hyperlink" => self.link(element, under, inline)?,
                "fldSimple" => self.simple_field(element, under, inline)?,
                "oMath" => inline.text(&math::latex(element), under),
                "AlternateContent" => {
                    let chosen = element.child("Choice").or_else(|| element.child("Fallback"));
                    if let Some(chosen) = chosen {
                        self.content(chosen, under, inline)?;
                    }
                }
                _ => self.inline(element, under, inline)?,
            }
        }
        Ok(())
    }

    /// A link shows its target as a title, but cannot be followed.
    fn link(
        &mut self,
        element: &Element,
        under: &RunLook,
        inline: &mut Inline,
    ) -> Result<(), ReadError> {
        let relation = element.attribute("id").and_then(|id| self.relations.get(id));
        let target = relation.filter(|relation| relation.external);
        let target = target.map(|relation| relation.target.clone());
        match target {
            Some(target) => {
                inline.open_element(&target);
                self.inline(element, under, inline)?;
                inline.close_element();
                Ok(())
            }
            None => self.inline(element, under, inline),
        }
    }

    fn simple_field(
        &mut self,
        element: &Element,
        under: &RunLook,
        inline: &mut Inline,
    ) -> Result<(), ReadError> {
        if element.attribute("instr").is_some_and(Field::is_page_number) {
            inline.text(&(self.sheets + 1).to_string(), under);
            return Ok(());
        }
        self.inline(element, under, inline)
    }

    fn run(
        &mut self,
        run: &Element,
        under: &RunLook,
        inline: &mut Inline,
    ) -> Result<(), ReadError> {
        let properties = run.child("rPr");
        let mut look = RunLook::of_word(properties, self.theme);
        if let Some(style) = properties.and_then(|properties| properties.value("rStyle")) {
            look = look.over(&self.styles.characters(style));
        }
        let look = look.over(under);
        if look.hidden == Some(true) {
            return Ok(());
        }
        self.content(run, &look, inline)
    }

    fn content(
        &mut self,
        run: &Element,
        look: &RunLook,
        inline: &mut Inline,
    ) -> Result<(), ReadError> {
        for element in run.elements() {
            match &*element.name {
                "fldChar" => self.field_character(element, look, inline),
                "instrText" => {
                    if let Some(field) = self.fields.last_mut().filter(|field| !field.shows_result)
                    {
                        field.instruction.push_str(&element.all_text());
                    }
                }
                "lastRenderedPageBreak" => inline.page_break(),
                "br" if element.attribute("type") == Some("page") => inline.page_break(),
                _ if self.hides_text() => {}
                "t" => inline.text(&with_symbols(&element.all_text()), look),
                "tab" | "ptab" => inline.tab(look),
                "br" | "cr" => inline.line_break(),
                "noBreakHyphen" => inline.text("\u{2011}", look),
                "softHyphen" => inline.text("\u{AD}", look),
                "sym" => inline.text(symbol(element), look),
                "footnoteReference" | "endnoteReference" => self.note_mark(element, look, inline),
                "drawing" | "pict" | "object" => self.drawing(element, inline)?,
                "AlternateContent" => {
                    let chosen = element.child("Choice").or_else(|| element.child("Fallback"));
                    if let Some(chosen) = chosen {
                        self.content(chosen, look, inline)?;
                    }
                }
                "ruby" => {
                    if let Some(base) = element.child("rubyBase") {
                        self.inline(base, look, inline)?;
                    }
                }
                "r" => self.run(element, look, inline)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the text belongs to the instruction of a field, or is replaced.
    fn hides_text(&self) -> bool {
        self.fields.iter().any(|field| !field.shows_result || field.is_replaced)
    }

    fn field_character(&mut self, element: &Element, look: &RunLook, inline: &mut Inline) {
        match element.attribute("fldCharType") {
            Some("begin") => self.fields.push(Field::default()),
            Some("separate") => {
                let number = self.sheets + 1;
                let Some(field) = self.fields.last_mut() else { return };
                field.shows_result = true;
                if Field::is_page_number(&field.instruction) {
                    field.is_replaced = true;
                    inline.text(&number.to_string(), look);
                }
            }
            Some("end") => drop(self.fields.pop()),
            _ => {}
        }
    }

    fn note_mark(&mut self, element: &Element, look: &RunLook, inline: &mut Inline) {
        let Some(id) = element.attribute("id") else { return };
        let at_end = &*element.name == "endnoteReference";
        let Some(note) = self.notes.remove(&(at_end, id.to_owned())) else { return };
        self.note_count += 1;
        let raised = RunLook {
            position: Some(crate::formats::view::look::Position::Raised),
            ..look.clone()
        };
        inline.text(&self.note_count.to_string(), &raised);
        self.awaited.push((self.note_count, note));
    }
}

/// Maps characters of symbol fonts to common characters.
fn with_symbols(text: &str) -> String {
    let shown = |character: char| match character {
        '\u{F0A7}' => '▪',
        '\u{F0FC}' => '✓',
        '\u{F0FE}' => '☒',
        '\u{F0A8}' => '☐',
        '\u{F0E0}' => '→',
        '\u{F0D8}' => '➢',
        '\u{F000}'..='\u{F0FF}' => '•',
        other => other,
    };
    text.chars().map(shown).collect()
}

fn symbol(element: &Element) -> &'static str {
    let code = element.attribute("char").and_then(|code| u32::from_str_radix(code, 16).ok());
    match code.unwrap_or(0) & 0xFF {
        0xFC | 0x50 | 0x52 => "✓",
        0xA8 | 0xA3 | 0x6F => "☐",
        0xFE | 0x78 | 0xFD => "☒",
        0xE0 => "→",
        0xB7 | 0xA7 | 0x6C => "•",
        _ => "",
    }
}
