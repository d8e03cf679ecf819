//! Word documents: sheets of paper with what is on them.
//!
//! A sheet ends where the file has a page break, where Word began a new page when it last saved the file, and where
//! a section ends. A sheet with more on it than fits is longer than the others.

mod drawing;
mod inline;
mod lists;
mod sections;
mod styles;
mod table;

use std::collections::HashMap;
use std::rc::Rc;

use self::inline::{Field, Inline};
use self::lists::Lists;
use self::sections::Section;
use self::styles::{ParagraphLook, Styles};
use super::colour::{Palette, Theme};
use super::images::Images;
use super::look::RunLook;
use super::markup::Markup;
use super::style::{Style, Unit};
use crate::formats::docx::is_around_blocks;
use crate::formats::math;
use crate::formats::package::{Package, Relations};
use crate::formats::xml::{Children, Element};
use crate::{ReadError, Source};

pub(super) fn render(
    source: &Source<'_>,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    let package = Package::open(source)?;
    let main = package.main_member("word/document.xml")?;
    let relations = package.relations(&main)?;
    let part = |kind: &str| match relations.values().find(|relation| relation.kind == kind) {
        Some(relation) if !relation.external => package.tree(&relation.target),
        _ => Ok(Element::default()),
    };
    let theme = Theme::load(&package, &relations)?;
    let styles = Styles::new(&part("styles")?, &theme);
    let lists = Lists::new(&part("numbering")?, &theme);
    let mut notes = HashMap::new();
    for (kind, at_end) in [("footnotes", false), ("endnotes", true)] {
        for note in part(kind)?.elements() {
            if let (Some(id), None) = (note.attribute("id"), note.attribute("type")) {
                notes.insert((at_end, id.to_owned()), note.clone());
            }
        }
    }
    let bytes = package.member(&main)?.unwrap_or_default();
    let sections = sections::find(&bytes, source.limits.nesting)?;
    let palette = Palette::new(&theme, None);
    let mut word = Word {
        package: &package,
        relations: Rc::new(relations),
        theme: &theme,
        palette,
        styles,
        lists,
        images,
        notes,
        awaited: Vec::new(),
        note_count: 0,
        fields: Vec::new(),
        section: Section::new(sections.first()),
        sheets: 0,
        margins: HashMap::new(),
        limit: markup.room(),
    };
    let mut at = 0;
    let mut sheet = Markup::default();
    let mut spacing = Spacing::default();
    let context = BlockContext::default();
    let mut children = Children::new(&bytes, source.limits.nesting);
    while let Some(element) = children.next(is_around_blocks)? {
        if markup.is_full() || sheet.is_full() {
            break;
        }
        let pieces = word.top_block(&element, &context, &mut spacing)?;
        let last = pieces.len().saturating_sub(1);
        for (number, piece) in pieces.into_iter().enumerate() {
            sheet.append(piece);
            // A page break is often stored twice: as a break, and where Word began the next page.
            if number < last && !sheet.is_empty() {
                word.finish_sheet(std::mem::take(&mut sheet), markup)?;
                spacing = Spacing::default();
            }
        }
        if element.path(&["pPr", "sectPr"]).is_some() {
            at += 1;
            let next = Section::new(sections.get(at)).after(&word.section);
            if !next.is_continuous && !sheet.is_empty() {
                word.finish_sheet(std::mem::take(&mut sheet), markup)?;
                spacing = Spacing::default();
            }
            word.section = next;
        }
    }
    word.add_endnotes(&mut sheet)?;
    if sheet.is_empty() && word.sheets > 0 {
        return Ok(());
    }
    word.finish_sheet(sheet, markup)
}

/// The document while it is rendered.
struct Word<'p> {
    package: &'p Package<'p>,
    /// Of the member that is being rendered: the document, a header or a footer.
    relations: Rc<Relations>,
    theme: &'p Theme,
    palette: Palette<'p>,
    styles: Styles,
    lists: Lists,
    images: &'p mut Images,
    /// Footnotes and endnotes (`true`), by id.
    notes: HashMap<(bool, String), Element>,
    /// Footnotes that the sheet refers to, with their numbers.
    awaited: Vec<(u32, Element)>,
    note_count: u32,
    fields: Vec<Field>,
    section: Section,
    /// Those that are finished.
    sheets: u32,
    /// Headers and footers that were read before, by member.
    margins: HashMap<String, (Rc<Element>, Rc<Relations>)>,
    /// Bytes that the view may have.
    limit: usize,
}

/// The context of a block.
#[derive(Clone, Debug, Default)]
struct BlockContext {
    /// What the table around says about paragraphs.
    table_paragraph: ParagraphLook,
    is_cell: bool,
}

/// The state for the space above the next paragraph.
#[derive(Debug, Default)]
struct Spacing {
    /// Below the last one; none at the top.
    after: Option<f32>,
    style: Option<String>,
}

impl Word<'_> {
    /// A block of the body. More than one piece when a page ends within it.
    fn top_block(
        &mut self,
        element: &Element,
        context: &BlockContext,
        spacing: &mut Spacing,
    ) -> Result<Vec<Markup>, ReadError> {
        if &*element.name == "p" {
            return self.paragraph(element, context, spacing);
        }
        let mut markup = Markup::default();
        self.block(element, context, spacing, &mut markup)?;
        Ok(vec![markup])
    }

    /// A block within something that no page ends in.
    fn block(
        &mut self,
        element: &Element,
        context: &BlockContext,
        spacing: &mut Spacing,
        markup: &mut Markup,
    ) -> Result<(), ReadError> {
        if markup.len() >= self.limit {
            return Ok(());
        }
        match &*element.name {
            "p" => {
                for piece in self.paragraph(element, context, spacing)? {
                    markup.append(piece);
                }
            }
            "tbl" => {
                *spacing = Spacing { after: Some(0.0), style: None };
                self.table(element, context, markup)?;
            }
            "AlternateContent" => {
                let chosen = element.child("Choice").or_else(|| element.child("Fallback"));
                for child in chosen.into_iter().flat_map(Element::elements) {
                    self.block(child, context, spacing, markup)?;
                }
            }
            "oMathPara" | "oMath" => {
                markup.open("div", "dk-math", &Style::default());
                markup.text(&math::latex(element));
                markup.close("div");
            }
            name if is_around_blocks(name) => {
                for child in element.elements() {
                    self.block(child, context, spacing, markup)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn paragraph(
        &mut self,
        element: &Element,
        context: &BlockContext,
        spacing: &mut Spacing,
    ) -> Result<Vec<Markup>, ReadError> {
        let properties = element.child("pPr");
        let style = properties.and_then(|properties| properties.value("pStyle"));
        let (by_style, run) = self.styles.paragraph(style);
        let label = self.lists.label(properties, style, &self.styles);
        let mut look = ParagraphLook::of(properties);
        if let Some(label) = &label {
            look = look.over(&label.paragraph);
        }
        let look = look
            .over(&by_style)
            .over(&context.table_paragraph)
            .over(&self.styles.paragraph.clone());
        let mut css = look.style();
        Self::space_above(&look, style, spacing, &mut css);
        let (outer, inner) = split_lines(run);
        css.extend(&outer.style(Unit::Points));
        let mut inline = Inline::new(inner, look.right_tab, context.is_cell);
        if let Some(label) = label {
            let mut width = Style::default();
            let hanging = look.first.filter(|first| *first < 0.0).map_or(18.0, |first| -first);
            width.length("min-width", hanging.min(200.0)).extend(&label.run.style(Unit::Points));
            inline.label(&label.text, &width);
        }
        self.inline(element, &RunLook::default(), &mut inline)?;
        let heading = self.styles.heading_level(style);
        let mut pieces = Vec::new();
        let is_broken = !context.is_cell && look.breaks_before == Some(true);
        if is_broken && spacing.after.is_some() {
            pieces.push(Markup::default());
        }
        let contents = inline.finish();
        let is_only = contents.len() == 1;
        let mut is_begun = false;
        for content in contents {
            let mut piece = Markup::default();
            let is_empty = content.is_empty();
            if is_empty && !is_only {
                pieces.push(piece);
                continue;
            }
            if is_begun {
                css = look.style();
                css.keyword("text-indent", "0").extend(&outer.style(Unit::Points));
            }
            is_begun = true;
            let name = heading_name(heading);
            let class =
                if look.right_tab.is_some() && inline.has_tabs { "dk-p dk-tabs" } else { "dk-p" };
            piece.open(name, class, &css);
            piece.append(content);
            if is_empty {
                piece.raw("<br>");
            }
            piece.close(name);
            pieces.push(piece);
        }
        spacing.after = Some(look.after.unwrap_or(0.0));
        spacing.style = style.map(str::to_owned);
        Ok(pieces)
    }

    /// Word takes the larger of what two paragraphs ask for between them.
    fn space_above(look: &ParagraphLook, style: Option<&str>, spacing: &Spacing, css: &mut Style) {
        let Some(after) = spacing.after else { return };
        let is_same = spacing.style.as_deref() == style;
        if look.ignores_space_between == Some(true) && is_same {
            return;
        }
        let space = after.max(look.before.unwrap_or(0.0));
        if space > 0.0 {
            css.length("margin-top", space.min(400.0));
        }
    }

    fn finish_sheet(&mut self, body: Markup, markup: &mut Markup) -> Result<(), ReadError> {
        let footnotes = self.footnotes()?;
        let section = self.section.clone();
        let number = self.sheets + 1;
        let (header, footer) = (self.margin(&section, "header")?, self.margin(&section, "footer")?);
        let mut paper = section.paper_style();
        paper.extend(&self.styles.run.style(Unit::Points));
        markup.begin("section");
        markup.attribute("class", "dk-sheet");
        markup.attribute("id", &format!("page-{number}"));
        markup.style(&paper);
        markup.end();
        markup.open("div", "dk-margin", &section.margin_style("header"));
        markup.append(header);
        markup.close("div");
        markup.open("div", "dk-body", &section.column_style());
        markup.append(body);
        markup.close("div");
        markup.append(footnotes);
        markup.open("div", "dk-margin dk-foot", &section.margin_style("footer"));
        markup.append(footer);
        markup.raw("</div></section>");
        self.sheets = number;
        self.section.is_first_sheet = false;
        Ok(())
    }

    /// The header or the footer of the sheet.
    fn margin(&mut self, section: &Section, kind: &'static str) -> Result<Markup, ReadError> {
        let mut markup = Markup::default();
        let Some(id) = section.margin_member(kind) else { return Ok(markup) };
        let Some(member) = self.relations.get(id).map(|relation| relation.target.clone()) else {
            return Ok(markup);
        };
        let (tree, relations) = if let Some(known) = self.margins.get(&member) {
            known.clone()
        } else {
            let tree = Rc::new(self.package.tree(&member)?);
            let relations = Rc::new(self.package.relations(&member)?);
            self.margins.insert(member, (tree.clone(), relations.clone()));
            (tree, relations)
        };
        let outer = std::mem::replace(&mut self.relations, relations);
        let mut spacing = Spacing::default();
        for element in tree.elements() {
            self.block(element, &BlockContext::default(), &mut spacing, &mut markup)?;
        }
        self.relations = outer;
        Ok(markup)
    }

    fn footnotes(&mut self) -> Result<Markup, ReadError> {
        let mut markup = Markup::default();
        let awaited = std::mem::take(&mut self.awaited);
        if awaited.is_empty() {
            return Ok(markup);
        }
        markup.raw("<div class=\"dk-notes\">");
        for (number, note) in awaited {
            self.note(number, &note, &mut markup)?;
        }
        markup.raw("</div>");
        Ok(markup)
    }

    fn note(&mut self, number: u32, note: &Element, markup: &mut Markup) -> Result<(), ReadError> {
        markup.raw("<div class=\"dk-notemark\"><sup>");
        markup.number(number);
        markup.raw("</sup></div><div>");
        let mut spacing = Spacing::default();
        for element in note.elements() {
            self.block(element, &BlockContext::default(), &mut spacing, markup)?;
        }
        markup.raw("</div>");
        Ok(())
    }

    fn add_endnotes(&mut self, sheet: &mut Markup) -> Result<(), ReadError> {
        let (endnotes, footnotes): (Vec<_>, Vec<_>) = std::mem::take(&mut self.awaited)
            .into_iter()
            .partition(|(_, note)| &*note.name == "endnote");
        self.awaited = footnotes;
        if !endnotes.is_empty() {
            sheet.raw("<div class=\"dk-notes\">");
            for (number, note) in endnotes {
                self.note(number, &note, sheet)?;
            }
            sheet.raw("</div>");
        }
        Ok(())
    }
}

fn heading_name(level: Option<u8>) -> &'static str {
    match level {
        Some(1) => "h1",
        Some(2) => "h2",
        Some(3) => "h3",
        Some(4) => "h4",
        Some(5) => "h5",
        Some(6) => "h6",
        _ => "div",
    }
}

/// What a paragraph can have for all its runs, and what each run must have itself: a run cannot take back a line under
/// the text around it.
fn split_lines(look: RunLook) -> (RunLook, RunLook) {
    let inner = RunLook {
        underlined: look.underlined,
        struck: look.struck,
        position: look.position,
        marker: look.marker,
        hidden: look.hidden,
        ..RunLook::default()
    };
    let outer = RunLook { underlined: None, struck: None, position: None, marker: None, ..look };
    (outer, inner)
}
