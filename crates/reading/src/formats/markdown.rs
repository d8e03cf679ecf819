//! Markdown, as GitHub understands it.

use std::collections::BTreeMap;

use comrak::nodes::{AstNode, ListType, NodeValue};
use comrak::{Arena, Options, parse_document};
use pages::{BlockKind, Style};

use super::{html, text};
use crate::flow::{Flow, Grid, GridCell, Text};
use crate::{ReadError, Sink, Source};

/// The size of a piece that is parsed at once, in bytes.
const PIECE: usize = 512 << 10;

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let characters = text::decode(source.bytes, None);
    check_nesting(&characters, source.limits.nesting)?;
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.front_matter_delimiter = Some("---".to_owned());
    let (first, mut rest) = split_piece(&characters);
    let arena = Arena::new();
    let root = parse_document(&arena, first, &options);
    let (title, properties) = about(root);
    let mut flow = Flow::begin(source, sink, title, properties)?;
    Walk { flow: &mut flow, lists: Vec::new(), quotes: 0 }.blocks(root)?;
    options.extension.front_matter_delimiter = None;
    while !rest.is_empty() && !flow.is_full() {
        let (piece, after) = split_piece(rest);
        let arena = Arena::new();
        let root = parse_document(&arena, piece, &options);
        Walk { flow: &mut flow, lists: Vec::new(), quotes: 0 }.blocks(root)?;
        rest = after;
    }
    flow.finish()
}

/// The tree takes two hundred times the memory of its text, so a long text is parsed in pieces. A piece ends at an empty
/// line outside of code if there is one, else at the end of a line or word.
fn split_piece(text: &str) -> (&str, &str) {
    if text.len() <= PIECE {
        return (text, "");
    }
    let (mut in_code, mut at, mut gap, mut line_end) = (false, 0, None, None);
    for line in text.split_inclusive('\n') {
        if at + line.len() > PIECE {
            break;
        }
        at += line.len();
        line_end = Some(at);
        let shown = line.trim();
        in_code ^= shown.starts_with("```") || shown.starts_with("~~~");
        if shown.is_empty() && !in_code {
            gap = Some(at);
        }
    }
    let word_end = || text.as_bytes().get(..PIECE)?.iter().rposition(|byte| *byte == b' ');
    let end = gap.or(line_end).or_else(word_end).filter(|end| *end > 0);
    let end = end.unwrap_or_else(|| text.ceil_char_boundary(PIECE));
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Limits nested quotes, because the parser is recursive.
fn check_nesting(characters: &str, nesting: u32) -> Result<(), ReadError> {
    for line in characters.lines() {
        let before = line.split(|c: char| !matches!(c, '>' | ' ' | '\t' | '-' | '*' | '+')).next();
        let quotes = before.unwrap_or_default().matches('>').count();
        if quotes > nesting as usize {
            return Err(ReadError::too_large(format!(
                "more than {nesting} quotes within each other"
            )));
        }
    }
    Ok(())
}

/// The title is the first heading of the first level, unless the front matter says otherwise.
fn about<'a>(root: &'a AstNode<'a>) -> (Option<String>, BTreeMap<String, String>) {
    let mut properties = BTreeMap::new();
    let mut heading = None;
    for node in root.children() {
        match &node.data.borrow().value {
            NodeValue::FrontMatter(lines) => {
                for (key, value) in lines.lines().filter_map(|line| line.split_once(':')) {
                    let value = value.trim().trim_matches(['"', '\'']);
                    if !value.is_empty() && !key.starts_with([' ', '\t', '-', '#']) {
                        properties.insert(key.trim().to_lowercase(), value.to_owned());
                    }
                }
            }
            NodeValue::Heading(found) if found.level == 1 && heading.is_none() => {
                heading = Some(inline(node).as_str().trim().to_owned());
            }
            _ => {}
        }
    }
    (properties.remove("title").or(heading), properties)
}

struct Walk<'w, 's> {
    flow: &'w mut Flow<'s>,
    /// The number of the next item of an ordered list.
    lists: Vec<Option<u32>>,
    quotes: u32,
}

impl Walk<'_, '_> {
    /// The depth is limited: by the parser for lists, and before parsing for quotes.
    fn blocks<'a>(&mut self, parent: &'a AstNode<'a>) -> Result<(), ReadError> {
        parent.children().try_for_each(|node| self.block(node))
    }

    fn block<'a>(&mut self, node: &'a AstNode<'a>) -> Result<(), ReadError> {
        let value = node.data.borrow().value.clone();
        match value {
            NodeValue::Heading(heading) => {
                self.flow.block(BlockKind::Heading { level: heading.level }, &inline(node))
            }
            NodeValue::Paragraph => self.paragraph(node),
            NodeValue::CodeBlock(code) => {
                self.flow.block(BlockKind::Code, &Text::plain(code.literal.trim_end_matches('\n')))
            }
            NodeValue::HtmlBlock(block) => html::add(&block.literal, self.flow),
            NodeValue::List(list) => {
                let first = (list.list_type == ListType::Ordered)
                    .then(|| u32::try_from(list.start).unwrap_or(1));
                self.lists.push(first);
                self.blocks(node)?;
                self.lists.pop();
                Ok(())
            }
            NodeValue::Item(_) => self.item(node, ""),
            NodeValue::TaskItem(task) => {
                self.item(node, if task.symbol.is_some() { "[x] " } else { "[ ] " })
            }
            NodeValue::BlockQuote => {
                self.quotes += 1;
                self.blocks(node)?;
                self.quotes -= 1;
                Ok(())
            }
            NodeValue::FootnoteDefinition(footnote) => self.note(node, &footnote.name),
            NodeValue::Table(_) => self.flow.table(grid(node)),
            NodeValue::FrontMatter(_) | NodeValue::ThematicBreak => Ok(()),
            _ => self.blocks(node),
        }
    }

    fn paragraph<'a>(&mut self, node: &'a AstNode<'a>) -> Result<(), ReadError> {
        let mut children = node.children();
        if let (Some(only), None) = (children.next(), children.next())
            && matches!(only.data.borrow().value, NodeValue::Image(_))
        {
            return self.flow.block(BlockKind::Figure, &inline(only));
        }
        let kind = if self.quotes > 0 { BlockKind::Quote } else { BlockKind::Paragraph };
        self.flow.block(kind, &inline(node))
    }

    fn item<'a>(&mut self, node: &'a AstNode<'a>, mark: &str) -> Result<(), ReadError> {
        let depth = u8::try_from(self.lists.len().saturating_sub(1)).unwrap_or(u8::MAX);
        let number = self.lists.last_mut().and_then(|next| {
            let number = (*next)?;
            *next = Some(number.saturating_add(1));
            Some(number)
        });
        let mut children = node.children().peekable();
        if let Some(first) =
            children.next_if(|first| matches!(first.data.borrow().value, NodeValue::Paragraph))
        {
            let mut text = Text::plain(mark);
            text.append(&inline(first));
            self.flow.block(BlockKind::ListItem { depth, number }, &text)?;
        }
        children.try_for_each(|child| self.block(child))
    }

    fn note<'a>(&mut self, node: &'a AstNode<'a>, name: &str) -> Result<(), ReadError> {
        let mut text = Text::plain(format!("[{name}] "));
        node.children().for_each(|child| text.append(&inline(child)));
        self.flow.block(BlockKind::Paragraph, &text)
    }
}

/// The text within a block.
fn inline<'a>(block: &'a AstNode<'a>) -> Text {
    use comrak::arena_tree::NodeEdge;
    let mut text = Text::default();
    let (mut bold, mut italic) = (0, 0);
    for edge in block.traverse() {
        let (node, opens) = match edge {
            NodeEdge::Start(node) => (node, 1),
            NodeEdge::End(node) => (node, -1),
        };
        let style = Style { bold: bold > 0, italic: italic > 0, size: 0 };
        match &node.data.borrow().value {
            NodeValue::Strong => bold += opens,
            NodeValue::Emph => italic += opens,
            _ if opens < 0 => {}
            NodeValue::Text(characters) => text.push(&text::visible(characters), style),
            NodeValue::Code(code) => text.push(&code.literal, style),
            NodeValue::Math(math) => text.push(&math.literal, style),
            NodeValue::SoftBreak => text.push(" ", style),
            NodeValue::LineBreak => text.push("\n", style),
            NodeValue::FootnoteReference(footnote) => {
                text.push(&format!("[{}]", footnote.name), style);
            }
            NodeValue::HtmlInline(tag) if tag.starts_with("<br") => text.push("\n", style),
            _ => {}
        }
    }
    text
}

fn grid<'a>(table: &'a AstNode<'a>) -> Grid {
    let mut grid = Grid { header_rows: 1, cells: Vec::new() };
    for (row, node) in (0..).zip(table.children()) {
        for (column, cell) in (0..).zip(node.children()) {
            grid.cells.push(GridCell { row, column, text: inline(cell), ..GridCell::default() });
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_parted_at_empty_lines_and_nothing_is_lost() {
        let paragraphs = "word ".repeat(100) + "\n\n";
        for text in [paragraphs.repeat(3_000), "x".repeat(3 * PIECE), "ä ".repeat(PIECE)] {
            let (mut whole, mut rest) = (String::new(), text.as_str());
            while !rest.is_empty() {
                let (piece, after) = split_piece(rest);
                assert!(!piece.is_empty() && piece.len() <= PIECE + 4);
                whole.push_str(piece);
                rest = after;
            }
            assert_eq!(whole, text);
        }
        assert!(split_piece(&paragraphs.repeat(3_000)).0.ends_with("\n\n"));
    }
}
