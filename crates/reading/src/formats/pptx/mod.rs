//! Presentations: one page per slide, followed by speaker notes and comments.

mod bullets;

use std::collections::{HashMap, HashSet};

use pages::{BlockKind, Style};

use self::bullets::{Bullet, Masters};
use super::named_parts::NamedParts;
use super::package::{Package, Relations};
use super::xml::Element;
use super::{chart, description, math, remark_of};
use crate::flow::{Flow, Grid, GridCell, Text};
use crate::{ReadError, Sink, Source};

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let package = Package::open(source)?;
    let main = package.main_member("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let presentation = package.tree(&main)?;
    let mut properties = package.properties();
    let title = properties.remove("title");
    let mut flow = Flow::begin(source, sink, title, properties)?;
    let authors = authors(&package, &relations)?;
    let mut masters = Masters::default();
    let slides = presentation.child("sldIdLst").into_iter().flat_map(|list| list.children("sldId"));
    let mut named = NamedParts::new("slide");
    for (number, slide) in (1_u32..).zip(slides) {
        // Two attributes are called `id`; one of them is the id of a relation.
        let relation = slide.attributes_named("id").find_map(|id| relations.get(id));
        let Some(relation) = relation.filter(|relation| package.has(&relation.target)) else {
            named.absent(&number.to_string(), &mut flow);
            continue;
        };
        named.found();
        if flow.is_full() {
            break;
        }
        let tree = package.tree(&relation.target)?;
        let relations = package.relations(&relation.target)?;
        masters.load(&package, &relations)?;
        flow.begin_page(title_of(&tree))?;
        let mut slide =
            Slide { package: &package, relations: &relations, masters: &masters, flow: &mut flow };
        slide.read(&tree)?;
        slide.notes()?;
        slide.comments(&authors)?;
    }
    named.check(&mut flow)?;
    flow.finish()
}

/// The text of the slide's title, on one line.
fn title_of(slide: &Element) -> Option<String> {
    let shapes = slide.find_all("sp");
    let title = shapes.into_iter().find(|shape| is_title(shape))?;
    let text = title.child("txBody").map(plain_text)?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

pub(super) fn placeholder(shape: &Element) -> Option<&Element> {
    let properties = shape.elements().find(|child| child.name.starts_with("nv"))?;
    properties.path(&["nvPr", "ph"])
}

fn is_title(shape: &Element) -> bool {
    let kind = placeholder(shape).and_then(|place| place.attribute("type"));
    matches!(kind, Some("title" | "ctrTitle"))
}

fn plain_text(body: &Element) -> String {
    let lines: Vec<String> =
        body.children("p").map(|paragraph| text_of(paragraph).as_str().to_owned()).collect();
    lines.join("\n")
}

struct Slide<'a, 's> {
    package: &'a Package<'a>,
    relations: &'a Relations,
    masters: &'a Masters,
    flow: &'a mut Flow<'s>,
}

impl Slide<'_, '_> {
    fn read(&mut self, slide: &Element) -> Result<(), ReadError> {
        let Some(tree) = slide.path(&["cSld", "spTree"]) else { return Ok(()) };
        let mut shapes = Vec::new();
        gather(tree, &mut shapes);
        // The title comes first, whatever its position among the shapes.
        shapes.sort_by_key(|shape| !is_title(shape));
        shapes.into_iter().try_for_each(|shape| self.shape(shape))
    }

    fn shape(&mut self, shape: &Element) -> Result<(), ReadError> {
        match &*shape.name {
            "sp" | "cxnSp" => match shape.child("txBody") {
                Some(body) => self.body(shape, body),
                None => Ok(()),
            },
            "pic" => {
                let described = shape
                    .path(&["nvPicPr", "cNvPr"])
                    .and_then(|properties| properties.attribute("descr"));
                let described = description(described).unwrap_or_default();
                self.flow.block(BlockKind::Figure, &Text::plain(described))
            }
            "graphicFrame" => self.frame(shape),
            _ => Ok(()),
        }
    }

    fn body(&mut self, shape: &Element, body: &Element) -> Result<(), ReadError> {
        let place = placeholder(shape);
        let kind = place.and_then(|place| place.attribute("type"));
        if is_title(shape) {
            let text = plain_text(body);
            return self.flow.block(BlockKind::Heading { level: 1 }, &Text::plain(text));
        }
        if matches!(kind, Some("ftr" | "dt" | "sldNum" | "hdr")) {
            return self.flow.block(BlockKind::Footer, &Text::plain(plain_text(body)));
        }
        let mut counters: HashMap<u8, u32> = HashMap::new();
        for paragraph in body.children("p") {
            let text = text_of(paragraph);
            let depth =
                paragraph.child("pPr").and_then(|properties| properties.number("lvl")).unwrap_or(0);
            let depth = u8::try_from(depth.min(8)).unwrap_or(0);
            counters.retain(|counted, _| *counted <= depth);
            let bullet = bullets::of_paragraph(paragraph)
                .or_else(|| self.masters.bullet(body, place, depth));
            let kind = match bullet {
                _ if text.is_blank() => continue,
                Some(Bullet::Sign) => BlockKind::ListItem { depth, number: None },
                Some(Bullet::Number { from }) => {
                    let count =
                        counters.entry(depth).and_modify(|count| *count += 1).or_insert(from);
                    BlockKind::ListItem { depth, number: Some(*count) }
                }
                Some(Bullet::Nothing) | None => {
                    counters.clear();
                    BlockKind::Paragraph
                }
            };
            self.flow.block(kind, &text)?;
        }
        Ok(())
    }

    fn frame(&mut self, frame: &Element) -> Result<(), ReadError> {
        if let Some(table) = frame.find("tbl") {
            return self.flow.table(grid(table));
        }
        let chart = frame.find("chart").and_then(|chart| chart.attribute("id"));
        if let Some(relation) = chart.and_then(|id| self.relations.get(id)) {
            return chart::read(&self.package.tree(&relation.target)?, self.flow);
        }
        // The text of a diagram is in a separate member.
        let diagram = frame.find("relIds").and_then(|ids| ids.attribute("dm"));
        if let Some(relation) = diagram.and_then(|id| self.relations.get(id)) {
            for point in self.package.tree(&relation.target)?.find_all("pt") {
                for paragraph in point.child("t").into_iter().flat_map(|text| text.children("p")) {
                    self.flow.block(BlockKind::Paragraph, &text_of(paragraph))?;
                }
            }
        }
        Ok(())
    }

    fn related(&self, kind: &str) -> Option<&str> {
        let relation = self.relations.values().find(|relation| relation.kind == kind)?;
        Some(&relation.target)
    }

    /// The speaker notes, without the slide image and the page number.
    fn notes(&mut self) -> Result<(), ReadError> {
        let Some(member) = self.related("notesSlide") else { return Ok(()) };
        let tree = self.package.tree(member)?;
        for shape in tree.find_all("sp") {
            let kind = placeholder(shape).and_then(|place| place.attribute("type"));
            if kind == Some("body")
                && let Some(body) = shape.child("txBody")
            {
                for paragraph in body.children("p") {
                    self.flow.block(BlockKind::Quote, &text_of(paragraph))?;
                }
            }
        }
        Ok(())
    }

    fn comments(&mut self, authors: &HashMap<String, String>) -> Result<(), ReadError> {
        let Some(member) = self.related("comments") else { return Ok(()) };
        let tree = self.package.tree(member)?;
        let mut remarks = tree.find_all("cm");
        remarks.extend(tree.find_all("reply"));
        let mut seen = HashSet::new();
        for remark in remarks {
            let author = remark.attribute("authorId").and_then(|id| authors.get(id));
            let time =
                remark.attribute("dt").or_else(|| remark.attribute("created")).unwrap_or_default();
            let text = match (remark.child("text"), remark.child("txBody")) {
                (Some(text), _) => text.all_text(),
                (None, Some(body)) => plain_text(body),
                (None, None) => continue,
            };
            let written = remark_of(author.map_or("", String::as_str), time, &text);
            if seen.insert(written.clone()) {
                self.flow.block(BlockKind::Quote, &Text::plain(written))?;
            }
        }
        Ok(())
    }
}

/// The shapes in document order, including those in groups.
fn gather<'e>(parent: &'e Element, shapes: &mut Vec<&'e Element>) {
    for shape in parent.elements() {
        match &*shape.name {
            "grpSp" => gather(shape, shapes),
            "AlternateContent" => {
                if let Some(chosen) = shape.child("Choice").or_else(|| shape.child("Fallback")) {
                    gather(chosen, shapes);
                }
            }
            _ => shapes.push(shape),
        }
    }
}

/// The text of one paragraph.
fn text_of(paragraph: &Element) -> Text {
    let mut text = Text::default();
    for element in paragraph.elements() {
        match &*element.name {
            "r" | "fld" => {
                let look = element.child("rPr");
                let is = |name: &str| {
                    look.and_then(|look| look.attribute(name))
                        .is_some_and(|on| matches!(on, "1" | "true"))
                };
                let size = look.and_then(|look| look.number("sz")).unwrap_or(0) / 10;
                let size = u16::try_from(size).unwrap_or(0);
                let style = Style { bold: is("b"), italic: is("i"), size };
                if let Some(characters) = element.child("t") {
                    text.push(&characters.all_text(), style);
                }
            }
            "br" => text.push("\n", Style::default()),
            "m" => element.find_all("oMath").into_iter().for_each(|formula| {
                text.push(&format!(" ${}$ ", math::latex(formula)), Style::default());
            }),
            "AlternateContent" => {
                if let Some(chosen) = element.child("Choice").or_else(|| element.child("Fallback"))
                {
                    text.append(&text_of(chosen));
                }
            }
            _ => {}
        }
    }
    text
}

fn grid(table: &Element) -> Grid {
    let first = table.child("tblPr").and_then(|properties| properties.attribute("firstRow"));
    let mut grid = Grid { header_rows: u32::from(first == Some("1")), cells: Vec::new() };
    for (row, element) in (0..).zip(table.children("tr")) {
        for (column, cell) in (0..).zip(element.children("tc")) {
            if cell.attribute("hMerge").is_some() || cell.attribute("vMerge").is_some() {
                continue;
            }
            let mut text = Text::default();
            for paragraph in cell.child("txBody").into_iter().flat_map(|body| body.children("p")) {
                text.append_line(&text_of(paragraph));
            }
            let span = |name: &str| cell.number(name).unwrap_or(1).clamp(1, 1_000);
            let (row_span, column_span) = (span("rowSpan"), span("gridSpan"));
            grid.cells.push(GridCell { row, column, row_span, column_span, text });
        }
    }
    grid
}

/// The names and initials of comment authors, by id.
fn authors(package: &Package, relations: &Relations) -> Result<HashMap<String, String>, ReadError> {
    let mut authors = HashMap::new();
    for relation in
        relations.values().filter(|one| matches!(one.kind.as_str(), "commentAuthors" | "authors"))
    {
        let tree = package.tree(&relation.target)?;
        for author in tree.elements() {
            let (Some(id), Some(name)) = (author.attribute("id"), author.attribute("name")) else {
                continue;
            };
            let initials = author.attribute("initials").map(|initials| format!(" ({initials})"));
            authors.insert(id.to_owned(), format!("{name}{}", initials.unwrap_or_default()));
        }
    }
    Ok(authors)
}
