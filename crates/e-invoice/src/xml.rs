//! A small tree of the elements of known namespaces, within limits.
//!
//! Invoice lines do not become part of the tree: each is converted when it ends, so that an invoice with many lines needs
//! little memory. Elements of other namespaces are skipped with everything in them.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::NsReader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::ResolveResult;

use crate::{EInvoice, EInvoiceError};

const MAX_DEPTH: usize = 48;
const MAX_ATTRIBUTES: usize = 32;
/// Elements of the whole document.
const MAX_ELEMENTS: usize = 4_000_000;
/// Elements in memory at a time: the header and one line.
const MAX_KEPT: usize = 200_000;
/// The longest text of one element, in bytes.
const MAX_TEXT: usize = 16 << 10;
/// The content of embedded files, which nobody needs here.
const BINARY: [&str; 3] =
    ["EmbeddedDocumentBinaryObject", "AttachmentBinaryObject", "IncludedBinaryObject"];

/// An element with its text and children.
#[derive(Debug, Default)]
pub(crate) struct Node {
    name: Box<str>,
    attributes: Vec<(Box<str>, Box<str>)>,
    text: String,
    children: Vec<Self>,
}

impl Node {
    /// Its text without white space around it; `None` when it is empty.
    pub(crate) fn text(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty())
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| &**key == name).map(|(_, value)| value.trim())
    }

    pub(crate) fn children<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| &*child.name == name)
    }

    /// The first descendant at a path of names. Names between `|` are alternatives.
    pub(crate) fn path(&self, path: &str) -> Option<&Self> {
        path.split('/').try_fold(self, |node, step| {
            node.children.iter().find(|child| step.split('|').any(|name| name == &*child.name))
        })
    }

    pub(crate) fn text_at(&self, path: &str) -> Option<&str> {
        self.path(path)?.text()
    }
}

/// The root element of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// What is read of a document.
pub(crate) struct Contents {
    /// Elements belong to the document when their namespace begins with one of these. An empty entry stands for elements
    /// without a namespace.
    pub(crate) namespaces: &'static [&'static str],
    /// The names of line elements, with the number of elements around them.
    pub(crate) lines: &'static [(&'static str, usize)],
    pub(crate) convert_line: fn(&Node, &mut EInvoice),
}

/// The root element; `None` when the text ends before it.
pub(crate) fn root(text: &str) -> Result<Option<Root>, EInvoiceError> {
    let mut reader = reader_of(text);
    loop {
        let at = reader.buffer_position();
        match reader.read_resolved_event().map_err(|_| EInvoiceError::Malformed { at })? {
            (space, Event::Start(start) | Event::Empty(start)) => {
                let name = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
                let namespace = match space {
                    ResolveResult::Bound(space) => {
                        String::from_utf8_lossy(space.as_ref()).into_owned()
                    }
                    _ => String::new(),
                };
                return Ok(Some(Root { name, namespace }));
            }
            (_, Event::Eof) => return Ok(None),
            _ => {}
        }
    }
}

/// Reads a document: returns its header, and passes each line on.
pub(crate) fn read(
    text: &str,
    contents: &Contents,
    invoice: &mut EInvoice,
) -> Result<Node, EInvoiceError> {
    let mut reader = reader_of(text);
    let mut tree = Tree { open: Vec::new(), kept: 0, skipped: 0, is_truncated: false };
    let mut elements = 0;
    loop {
        let at = reader.buffer_position();
        let malformed = || EInvoiceError::Malformed { at };
        let (space, event) = reader.read_resolved_event().map_err(|_| malformed())?;
        match event {
            Event::Start(start) => {
                elements += 1;
                if elements > MAX_ELEMENTS {
                    return Err(EInvoiceError::TooLarge { what: "it has too many elements" });
                }
                tree.begin(&start, is_known(&space, contents.namespaces))?;
            }
            Event::End(_) => match tree.end(contents, invoice) {
                Ended::Document(root) => {
                    if tree.is_truncated {
                        invoice.warn("A long text of the electronic invoice was cut off.");
                    }
                    return Ok(root);
                }
                Ended::Element => {}
            },
            Event::Text(text) => tree.push(&text.decode().map_err(|_| malformed())?),
            Event::CData(text) => tree.push(&text.decode().map_err(|_| malformed())?),
            Event::GeneralRef(name) => tree.push(&referred(&name)?),
            Event::DocType(_) => return Err(EInvoiceError::DocumentType),
            Event::Eof => return Err(malformed()),
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}

fn reader_of(text: &str) -> NsReader<&[u8]> {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    reader.resolver_mut().set_max_declarations_per_element(MAX_ATTRIBUTES);
    reader
}

fn is_known(space: &ResolveResult<'_>, known: &[&str]) -> bool {
    match space {
        ResolveResult::Bound(space) => {
            let is_of =
                |known: &&str| !known.is_empty() && space.as_ref().starts_with(known.as_bytes());
            known.iter().any(is_of)
        }
        ResolveResult::Unbound => known.contains(&""),
        ResolveResult::Unknown(_) => false,
    }
}

struct Tree {
    open: Vec<Node>,
    /// The number of elements in memory.
    kept: usize,
    /// How many elements are open that are skipped.
    skipped: usize,
    is_truncated: bool,
}

enum Ended {
    Element,
    Document(Node),
}

impl Tree {
    fn begin(&mut self, start: &BytesStart<'_>, is_known: bool) -> Result<(), EInvoiceError> {
        if self.open.len() + self.skipped >= MAX_DEPTH {
            return Err(EInvoiceError::TooDeep { most: MAX_DEPTH });
        }
        if self.skipped > 0 || !is_known {
            self.skipped += 1;
            return Ok(());
        }
        self.kept += 1;
        if self.kept > MAX_KEPT {
            return Err(EInvoiceError::TooLarge {
                what: "its header or one of its lines has too many elements",
            });
        }
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten() {
            let key = attribute.key.local_name();
            // Only these say something about the value.
            if !matches!(key.as_ref(), b"schemeID" | b"currencyID" | b"unitCode" | b"format") {
                continue;
            }
            if attributes.len() >= MAX_ATTRIBUTES {
                return Err(EInvoiceError::TooLarge { what: "an element has too many attributes" });
            }
            let value = String::from_utf8_lossy(&attribute.value);
            let value = quick_xml::escape::unescape(&value).map_err(|_| EInvoiceError::Entity)?;
            attributes.push((boxed(key.as_ref()), value.into()));
        }
        let name = boxed(start.local_name().as_ref());
        self.open.push(Node { name, attributes, ..Node::default() });
        Ok(())
    }

    fn push(&mut self, text: &str) {
        let Some(node) = self.open.last_mut() else { return };
        if self.skipped > 0 || BINARY.contains(&&*node.name) {
            return;
        }
        let left = MAX_TEXT.saturating_sub(node.text.len());
        if text.len() <= left {
            node.text.push_str(text);
            return;
        }
        // White space around elements is no loss.
        self.is_truncated |= !text.trim().is_empty();
        let end = (0..=left).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        node.text.push_str(text.get(..end).unwrap_or_default());
    }

    fn end(&mut self, contents: &Contents, invoice: &mut EInvoice) -> Ended {
        if self.skipped > 0 {
            self.skipped -= 1;
            return Ended::Element;
        }
        let Some(node) = self.open.pop() else { return Ended::Element };
        let around = self.open.len();
        let is_line =
            contents.lines.iter().any(|(name, depth)| *name == &*node.name && *depth == around);
        match self.open.last_mut() {
            None => return Ended::Document(node),
            Some(_) if is_line => {
                self.kept -= node.count().min(self.kept);
                (contents.convert_line)(&node, invoice);
            }
            Some(parent) => {
                if !node.children.is_empty() || node.text().is_some() {
                    parent.children.push(node);
                } else {
                    self.kept = self.kept.saturating_sub(1);
                }
            }
        }
        Ended::Element
    }
}

impl Node {
    fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}

fn boxed(name: &[u8]) -> Box<str> {
    String::from_utf8_lossy(name).into()
}

fn referred(name: &BytesRef<'_>) -> Result<Cow<'static, str>, EInvoiceError> {
    match name.resolve_char_ref() {
        // XML has no character 0, and the database cannot store it.
        Ok(Some('\0')) | Err(_) => return Err(EInvoiceError::Entity),
        Ok(Some(character)) => return Ok(character.to_string().into()),
        Ok(None) => {}
    }
    let text = match &**name {
        b"amp" => "&",
        b"lt" => "<",
        b"gt" => ">",
        b"quot" => "\"",
        b"apos" => "'",
        _ => return Err(EInvoiceError::Entity),
    };
    Ok(text.into())
}

/// Decodes the characters by the byte order mark, else by the declaration, else as UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, EInvoiceError> {
    let (encoding, bytes) = encoding_of(bytes)?;
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
    let text = text.ok_or(EInvoiceError::Encoding)?;
    if text.contains('\0') {
        return Err(EInvoiceError::Encoding);
    }
    Ok(text)
}

/// The beginning of a file, whose last character may be cut off; `None` when it cannot be XML.
pub(crate) fn decode_head(head: &[u8]) -> Option<Cow<'_, str>> {
    let (encoding, bytes) = encoding_of(head).ok()?;
    let text = encoding.decode_without_bom_handling(bytes).0;
    (!text.contains('\0')).then_some(text)
}

fn encoding_of(bytes: &[u8]) -> Result<(&'static Encoding, &[u8]), EInvoiceError> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok((encoding, bytes.get(mark..).unwrap_or_default()));
    }
    // UTF-16 without a mark.
    if bytes.starts_with(b"<\0") {
        return Ok((UTF_16LE, bytes));
    }
    if bytes.starts_with(b"\0<") {
        return Ok((UTF_16BE, bytes));
    }
    let declared = declared_encoding(bytes);
    let encoding = declared.map_or(Some(UTF_8), Encoding::for_label);
    Ok((encoding.ok_or(EInvoiceError::UnknownEncoding)?, bytes))
}

/// The value of `encoding` in the XML declaration.
fn declared_encoding(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes.trim_ascii_start();
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let end = declaration.iter().take(200).position(|byte| *byte == b'>')?;
    let declaration = declaration.get(..end)?;
    let at = declaration.windows(8).position(|window| window == b"encoding")?;
    let value = declaration.get(at + 8..)?.trim_ascii_start().strip_prefix(b"=")?;
    let value = value.trim_ascii_start();
    let quote = value.first()?;
    let value = value.get(1..)?;
    value.get(..value.iter().position(|byte| byte == quote)?)
}
