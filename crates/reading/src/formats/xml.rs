//! XML as small trees.
//!
//! A large member is read one child at a time ([`Children`]), so that only one paragraph or table is in memory.
//! Namespaces are ignored: the two variants of Office XML differ in nothing else. Entities that a document defines are
//! never expanded.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::ReadError;

/// The limit of elements in one tree.
const MAX_ELEMENTS: usize = 2_500_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub(super) name: Rc<str>,
    attributes: Vec<(Rc<str>, Box<str>)>,
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| &**key == name).map(|(_, value)| &**value)
    }

    /// All attributes with this name, whatever their prefixes.
    pub(super) fn attributes_named(&self, name: &str) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(move |(key, _)| &**key == name).map(|(_, value)| &**value)
    }

    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.attribute(name)?.trim().parse().ok()
    }

    pub(super) fn elements(&self) -> impl DoubleEndedIterator<Item = &Self> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub(super) fn children(&self, name: &str) -> impl Iterator<Item = &Self> {
        self.elements().filter(move |element| &*element.name == name)
    }

    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| &*element.name == name)
    }

    /// The descendant at this path of names.
    pub(super) fn path(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The attribute `val` of a child.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.child(name)?.attribute("val")
    }

    /// A boolean element is true when it is present and its `val` is not false.
    pub(super) fn switch(&self, name: &str) -> Option<bool> {
        let element = self.child(name)?;
        Some(!matches!(element.attribute("val"), Some("0" | "false" | "off" | "none")))
    }

    /// The first descendant with this name, or the element itself.
    pub(super) fn find(&self, name: &str) -> Option<&Self> {
        let mut open: Vec<&Self> = vec![self];
        while let Some(element) = open.pop() {
            if &*element.name == name {
                return Some(element);
            }
            open.extend(element.elements().rev());
        }
        None
    }

    /// All descendants with this name, in document order.
    pub(super) fn find_all(&self, name: &str) -> Vec<&Self> {
        let mut found = Vec::new();
        let mut open: Vec<&Self> = vec![self];
        while let Some(element) = open.pop() {
            if &*element.name == name {
                found.push(element);
            }
            open.extend(element.elements().rev());
        }
        found
    }

    /// All text in the element.
    pub(super) fn all_text(&self) -> String {
        let mut text = String::new();
        let mut open: Vec<&Node> = self.nodes.iter().rev().collect();
        while let Some(node) = open.pop() {
            match node {
                Node::Text(characters) => text.push_str(characters),
                Node::Element(element) => open.extend(element.nodes.iter().rev()),
            }
        }
        text
    }
}

/// Reads a member one child at a time.
pub(super) struct Children<'a> {
    reader: Reader<&'a [u8]>,
    names: HashMap<Vec<u8>, Rc<str>>,
    nesting: usize,
    /// The open elements around the next child.
    around: Vec<Rc<str>>,
}

impl<'a> Children<'a> {
    pub(super) fn new(bytes: &'a [u8], nesting: u32) -> Self {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut reader = Reader::from_reader(bytes);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Self { reader, names: HashMap::new(), nesting: nesting as usize, around: Vec::new() }
    }

    /// The next element. Elements for which `opens` is true are entered instead of returned.
    pub(super) fn next(
        &mut self,
        opens: impl Fn(&str) -> bool,
    ) -> Result<Option<Element>, ReadError> {
        loop {
            match self.reader.read_event().map_err(not_xml)? {
                Event::Start(start) => {
                    let element = self.element(&start);
                    if !opens(&element.name) {
                        return self.rest_of(element).map(Some);
                    }
                    if self.around.len() >= self.nesting {
                        return Err(too_deep(self.nesting));
                    }
                    self.around.push(element.name);
                }
                Event::Empty(start) => {
                    let element = self.element(&start);
                    if !opens(&element.name) {
                        return Ok(Some(element));
                    }
                }
                Event::End(_) => drop(self.around.pop()),
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// Reads the rest of an element after its start tag.
    fn rest_of(&mut self, element: Element) -> Result<Element, ReadError> {
        let mut open = vec![element];
        let mut count = 0;
        loop {
            let event = self.reader.read_event().map_err(not_xml)?;
            let Some(innermost) = open.last_mut() else { return Ok(Element::default()) };
            match event {
                Event::Start(start) => {
                    count += 1;
                    if open.len() + self.around.len() >= self.nesting {
                        return Err(too_deep(self.nesting));
                    }
                    open.push(self.element(&start));
                }
                Event::Empty(start) => {
                    count += 1;
                    let element = self.element(&start);
                    innermost.nodes.push(Node::Element(element));
                }
                Event::Text(text) => push_text(innermost, &String::from_utf8_lossy(&text)),
                Event::CData(text) => push_text(innermost, &String::from_utf8_lossy(&text)),
                Event::GeneralRef(name) => push_text(innermost, &referred(&name)),
                Event::End(_) | Event::Eof => {
                    let ended = matches!(event, Event::Eof);
                    let mut done = open.pop().unwrap_or_default();
                    // Most elements have one child, and a vector reserves space for four.
                    done.nodes.shrink_to_fit();
                    match open.last_mut() {
                        Some(parent) => parent.nodes.push(Node::Element(done)),
                        None => return Ok(done),
                    }
                    if ended {
                        return Err(ReadError::damaged("its XML is cut off"));
                    }
                }
                _ => {}
            }
            if count > MAX_ELEMENTS {
                return Err(ReadError::too_large("one of its parts has too many elements"));
            }
        }
    }

    fn element(&mut self, start: &BytesStart) -> Element {
        let name = self.name(start.local_name().as_ref());
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten() {
            let key = self.name(attribute.key.local_name().as_ref());
            let value = String::from_utf8_lossy(&attribute.value);
            let value =
                quick_xml::escape::unescape(&value).map_or_else(|_| value.clone(), Into::into);
            attributes.push((key, without_nul(value)));
        }
        Element { name, attributes, nodes: Vec::new() }
    }

    fn name(&mut self, bytes: &[u8]) -> Rc<str> {
        if let Some(name) = self.names.get(bytes) {
            return name.clone();
        }
        let name: Rc<str> = String::from_utf8_lossy(bytes).into();
        self.names.insert(bytes.to_vec(), name.clone());
        name
    }
}

/// Reads a whole member as one tree.
pub(super) fn read_tree(bytes: &[u8], nesting: u32) -> Result<Element, ReadError> {
    Ok(Children::new(bytes, nesting).next(|_| false)?.unwrap_or_default())
}

/// Removes NUL characters: XML does not allow them, and PostgreSQL cannot store them.
fn without_nul(text: Cow<'_, str>) -> Box<str> {
    if text.contains('\0') { text.replace('\0', "").into() } else { text.into() }
}

fn push_text(element: &mut Element, text: &str) {
    let text = &*without_nul(text.into());
    if let Some(Node::Text(last)) = element.nodes.last_mut() {
        last.push_str(text);
    } else {
        element.nodes.push(Node::Text(text.to_owned()));
    }
}

/// The text of a reference `&…;`. Entities that the document defines are dropped.
fn referred(name: &BytesRef) -> String {
    if let Ok(Some(character)) = name.resolve_char_ref() {
        return character.to_string();
    }
    match &**name {
        b"amp" => "&",
        b"lt" => "<",
        b"gt" => ">",
        b"quot" => "\"",
        b"apos" => "'",
        _ => "",
    }
    .to_owned()
}

fn not_xml(error: quick_xml::Error) -> ReadError {
    ReadError::damaged(format!("its XML cannot be read ({error})"))
}

fn too_deep(nesting: usize) -> ReadError {
    ReadError::too_large(format!("more than {nesting} elements within each other"))
}
