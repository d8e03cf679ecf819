//! Web pages: their readable text.
//!
//! Scripts, styles, hidden elements, navigation and buttons are skipped. Everything else is read in document order, inside
//! and outside of `main`.

mod table;
pub(super) mod tree;

use std::collections::BTreeMap;

use pages::{BlockKind, Style};

use self::tree::{Content, Node, Tree};
use super::text;
use crate::flow::{Flow, Text};
use crate::{ReadError, Sink, Source};

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let characters = text::decode(source.bytes, charset(source.bytes).as_deref());
    let tree = Tree::parse(&characters, source.limits.nesting)?;
    let title = tree.elements("title").next().map(|title| one_line(&title.all_text()));
    let title = title.filter(|title| !title.is_empty());
    let mut flow = Flow::begin(source, sink, title, properties(&tree))?;
    Walk::new(&mut flow).page(&tree)?;
    flow.finish()
}

/// Adds HTML that is part of another document, such as the body of an email.
pub(super) fn add(characters: &str, flow: &mut Flow) -> Result<(), ReadError> {
    let tree = Tree::parse(characters, flow.limits().nesting)?;
    Walk::new(flow).page(&tree)
}

/// The encoding that the first bytes name.
pub(super) fn charset(bytes: &[u8]) -> Option<String> {
    let beginning =
        String::from_utf8_lossy(bytes.get(..bytes.len().min(2048))?).to_ascii_lowercase();
    let (_, after) =
        beginning.split_once("charset=").or_else(|| beginning.split_once("encoding="))?;
    let name = after.trim_start_matches(['"', '\'', ' ']);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))?;
    name.get(..end).map(str::to_owned)
}

fn properties(tree: &Tree) -> BTreeMap<String, String> {
    let mut properties = BTreeMap::new();
    for meta in tree.elements("meta") {
        let name = meta.attribute("name").unwrap_or_default().to_ascii_lowercase();
        if let ("author" | "description" | "keywords" | "date", Some(content)) =
            (name.as_str(), meta.attribute("content"))
        {
            properties.insert(name, one_line(content));
        }
    }
    properties
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Walk<'w, 's> {
    flow: &'w mut Flow<'s>,
    /// Text that is not in a block yet.
    text: Text,
    style: Style,
    /// The kind of the next block, and of the blocks after it.
    next: BlockKind,
    usual: BlockKind,
    lists: Vec<List>,
    /// Descriptions of pictures within the text.
    figures: Vec<String>,
}

struct List {
    number: Option<u32>,
}

impl<'w, 's> Walk<'w, 's> {
    fn new(flow: &'w mut Flow<'s>) -> Self {
        Self {
            flow,
            text: Text::default(),
            style: Style::default(),
            next: BlockKind::Paragraph,
            usual: BlockKind::Paragraph,
            lists: Vec::new(),
            figures: Vec::new(),
        }
    }

    fn page(&mut self, tree: &Tree) -> Result<(), ReadError> {
        self.children(tree.root())?;
        self.finish_block()
    }

    fn children(&mut self, node: Node) -> Result<(), ReadError> {
        node.children().try_for_each(|child| self.node(child))
    }

    fn node(&mut self, node: Node) -> Result<(), ReadError> {
        match node.content() {
            Content::Text(characters) => {
                let characters = text::visible(&characters.replace(['\n', '\r'], " ")).into_owned();
                self.text.push(&characters, self.style);
                Ok(())
            }
            Content::Nothing => self.children(node),
            Content::Element { .. } if is_left_out(node) || self.flow.is_full() => Ok(()),
            Content::Element { .. } => self.element(node, node.name().unwrap_or_default()),
        }
    }

    fn element(&mut self, node: Node, name: &str) -> Result<(), ReadError> {
        match name {
            "b" | "strong" => self.styled(node, Style { bold: true, ..self.style }),
            "i" | "em" | "cite" | "var" => self.styled(node, Style { italic: true, ..self.style }),
            "br" => {
                self.text.push("\n", self.style);
                Ok(())
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = name.as_bytes().get(1).map_or(1, |digit| digit - b'0');
                self.block(node, BlockKind::Heading { level })
            }
            "ul" | "menu" | "dir" | "dl" => self.list(node, None),
            "ol" => {
                let start = node.attribute("start").and_then(|start| start.trim().parse().ok());
                self.list(node, Some(start.unwrap_or(1)))
            }
            "li" => self.item(node),
            "dt" | "dd" => self.described(node, name == "dt"),
            "pre" | "listing" | "xmp" => self.code(node),
            "blockquote" => self.within(node, BlockKind::Quote),
            "footer" => self.within(node, BlockKind::Footer),
            "table" => self.table(node),
            "img" => {
                self.figures.extend(super::description(node.attribute("alt")));
                Ok(())
            }
            "figure" => self.figure(node),
            "input" => {
                self.text.push(&input(node), self.style);
                Ok(())
            }
            "math" => {
                self.text.push(&formula(node), self.style);
                Ok(())
            }
            name if is_inline(name) => self.children(node),
            _ => {
                self.finish_block()?;
                self.children(node)?;
                self.finish_block()
            }
        }
    }

    fn styled(&mut self, node: Node, style: Style) -> Result<(), ReadError> {
        let before = std::mem::replace(&mut self.style, style);
        self.children(node)?;
        self.style = before;
        Ok(())
    }

    /// Reads the node as one block of this kind.
    fn block(&mut self, node: Node, kind: BlockKind) -> Result<(), ReadError> {
        self.finish_block()?;
        let before = std::mem::replace(&mut self.next, kind);
        self.children(node)?;
        self.finish_block()?;
        self.next = before;
        Ok(())
    }

    /// Reads all paragraphs in the node as blocks of this kind.
    fn within(&mut self, node: Node, kind: BlockKind) -> Result<(), ReadError> {
        self.finish_block()?;
        let before = (self.next, self.usual);
        (self.next, self.usual) = (kind, kind);
        self.children(node)?;
        self.finish_block()?;
        (self.next, self.usual) = before;
        Ok(())
    }

    fn list(&mut self, node: Node, number: Option<u32>) -> Result<(), ReadError> {
        self.finish_block()?;
        self.lists.push(List { number });
        self.children(node)?;
        self.finish_block()?;
        self.lists.pop();
        Ok(())
    }

    fn item(&mut self, node: Node) -> Result<(), ReadError> {
        self.finish_block()?;
        let depth = u8::try_from(self.lists.len().saturating_sub(1)).unwrap_or(u8::MAX);
        let number = self.lists.last_mut().and_then(|list| {
            let number = node
                .attribute("value")
                .and_then(|value| value.trim().parse().ok())
                .or(list.number)?;
            list.number = Some(number.saturating_add(1));
            Some(number)
        });
        self.block(node, BlockKind::ListItem { depth, number })
    }

    /// A term or its definition, which is one level deeper.
    fn described(&mut self, node: Node, is_term: bool) -> Result<(), ReadError> {
        self.finish_block()?;
        let above = self.lists.len().saturating_sub(usize::from(is_term));
        let depth = u8::try_from(above).unwrap_or(u8::MAX);
        let before = self.style;
        self.style.bold = is_term;
        if !is_term {
            self.lists.push(List { number: None });
        }
        self.block(node, BlockKind::ListItem { depth, number: None })?;
        if !is_term {
            self.lists.pop();
        }
        self.style = before;
        Ok(())
    }

    fn code(&mut self, node: Node) -> Result<(), ReadError> {
        self.finish_block()?;
        let mut code = String::new();
        for inner in node.descendants() {
            match inner.content() {
                Content::Text(characters) => code.push_str(characters),
                Content::Element { .. } if inner.name() == Some("br") => code.push('\n'),
                _ => {}
            }
        }
        self.flow.block(BlockKind::Code, &Text::plain(code.trim_matches('\n')))
    }

    /// A picture with its caption; tables and code inside are read as such.
    fn figure(&mut self, node: Node) -> Result<(), ReadError> {
        self.finish_block()?;
        for child in node.children() {
            if child.name() != Some("figcaption") {
                self.node(child)?;
            }
        }
        let mut shown = std::mem::take(&mut self.figures);
        self.finish_block()?;
        let captions = node.children().filter(|child| child.name() == Some("figcaption"));
        let captions: Vec<String> = captions.map(|caption| one_line(&caption.all_text())).collect();
        let has_picture =
            node.descendants().any(|inner| matches!(inner.name(), Some("img" | "svg" | "picture")));
        if !captions.is_empty() {
            shown = captions;
        }
        if has_picture {
            return self.flow.block(BlockKind::Figure, &Text::plain(shown.join("\n")));
        }
        shown.into_iter().try_for_each(|caption| self.flow.paragraph(&caption))
    }

    fn finish_block(&mut self) -> Result<(), ReadError> {
        let text = std::mem::take(&mut self.text);
        if !text.is_blank() {
            let kind = std::mem::replace(&mut self.next, self.usual);
            self.flow.block(kind, &text)?;
        }
        for description in std::mem::take(&mut self.figures) {
            self.flow.block(BlockKind::Figure, &Text::plain(description))?;
        }
        Ok(())
    }
}

/// Elements that are hidden or have no readable text.
fn is_left_out(node: Node) -> bool {
    let name = node.name().unwrap_or_default();
    let hides = |style: &str| {
        let style: String = style.to_ascii_lowercase().split_whitespace().collect();
        style.contains("display:none")
            || style.contains("visibility:hidden")
            || style.contains("mso-hide:all")
    };
    matches!(
        name,
        "script"
            | "style"
            | "noscript"
            | "template"
            | "head"
            | "nav"
            | "iframe"
            | "object"
            | "embed"
            | "applet"
            | "svg"
            | "canvas"
            | "audio"
            | "video"
            | "button"
            | "select"
            | "datalist"
            | "dialog"
            | "map"
            | "rt"
            | "rp"
            | "colgroup"
    ) || node.attribute("hidden").is_some()
        || node.attribute("style").is_some_and(hides)
        || matches!(node.attribute("role"), Some("navigation" | "search"))
        || (node.attribute("aria-hidden") == Some("true") && name != "math")
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "bdi"
            | "bdo"
            | "big"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "font"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "nobr"
            | "output"
            | "q"
            | "ruby"
            | "rb"
            | "s"
            | "samp"
            | "slot"
            | "small"
            | "span"
            | "strike"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "wbr"
            | "picture"
            | "textarea"
            | "meter"
            | "progress"
    )
}

/// The value that a form field shows.
fn input(node: Node) -> String {
    match node.attribute("type").unwrap_or("text").to_ascii_lowercase().as_str() {
        "checkbox" | "radio" if node.attribute("checked").is_some() => "[x] ".to_owned(),
        "checkbox" | "radio" => "[ ] ".to_owned(),
        "hidden" | "submit" | "button" | "image" | "reset" | "password" | "file" => String::new(),
        _ => format!(" {} ", node.attribute("value").unwrap_or_default()),
    }
}

/// The LaTeX of a formula if the page contains it, else its text.
fn formula(node: Node) -> String {
    let tex = node.descendants().find(|inner| {
        inner.name() == Some("annotation")
            && inner.attribute("encoding").is_some_and(|encoding| encoding.contains("tex"))
    });
    match tex {
        Some(tex) => format!(" ${}$ ", one_line(&tex.all_text())),
        None => format!(" {} ", one_line(&node.all_text())),
    }
}
