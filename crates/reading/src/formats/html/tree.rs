//! A web page as a tree, stored in one list, so that deep trees use no stack.
//!
//! The time of the parser grows with the square of the depth, so the parser checks the depth limit after each chunk.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, QualName, parse_document};

use crate::ReadError;

/// The limit of elements and texts; each takes about 200 bytes.
const MAX_ENTRIES: usize = 3_000_000;
const CHUNK: usize = 4 << 10;

#[derive(Clone, Debug)]
pub(in crate::formats) struct Handle {
    at: usize,
    name: Option<Rc<QualName>>,
}

#[derive(Debug, Default)]
struct Entry {
    parent: Option<usize>,
    depth: u32,
    children: Vec<usize>,
    content: Content,
}

#[derive(Debug, Default)]
pub(in crate::formats) enum Content {
    /// The document itself or a comment.
    #[default]
    Nothing,
    Text(String),
    Element {
        name: Rc<QualName>,
        attributes: Vec<Attribute>,
    },
}

/// The finished tree.
#[derive(Debug)]
pub(in crate::formats) struct Tree {
    entries: Vec<Entry>,
}

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) struct Node<'t> {
    tree: &'t Tree,
    at: usize,
}

impl Tree {
    pub(in crate::formats) fn parse(text: &str, nesting: u32) -> Result<Self, ReadError> {
        let mut parser = parse_document(Growing::new(), html5ever::ParseOpts::default());
        let mut rest = text;
        while !rest.is_empty() {
            let mut end = CHUNK.min(rest.len());
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            let (chunk, after) = rest.split_at(end);
            parser.process(StrTendril::from_slice(chunk));
            if parser.tokenizer.sink.sink.deepest.get() > nesting {
                return Err(ReadError::too_large(format!(
                    "more than {nesting} elements within each other"
                )));
            }
            if parser.tokenizer.sink.sink.entries.borrow().len() > MAX_ENTRIES {
                return Err(ReadError::too_large("it has too many elements"));
            }
            rest = after;
        }
        Ok(parser.finish())
    }

    pub(in crate::formats) fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }

    /// All elements of this name, in order.
    pub(in crate::formats) fn elements<'t>(
        &'t self,
        name: &'t str,
    ) -> impl Iterator<Item = Node<'t>> {
        self.root().descendants().filter(move |node| node.name() == Some(name))
    }
}

impl<'t> Node<'t> {
    fn entry(&self) -> Option<&'t Entry> {
        self.tree.entries.get(self.at)
    }

    pub(in crate::formats) fn content(&self) -> &'t Content {
        self.entry().map_or(&Content::Nothing, |entry| &entry.content)
    }

    pub(in crate::formats) fn name(&self) -> Option<&'t str> {
        match self.content() {
            Content::Element { name, .. } => Some(&name.local),
            _ => None,
        }
    }

    /// Whether it is an element of HTML, and not of SVG or MathML.
    pub(in crate::formats) fn is_html(&self) -> bool {
        matches!(self.content(), Content::Element { name, .. } if name.ns == html5ever::ns!(html))
    }

    pub(in crate::formats) fn attribute(&self, wanted: &str) -> Option<&'t str> {
        let Content::Element { attributes, .. } = self.content() else { return None };
        attributes
            .iter()
            .find(|attribute| &*attribute.name.local == wanted)
            .map(|found| &*found.value)
    }

    pub(in crate::formats) fn children(&self) -> impl DoubleEndedIterator<Item = Self> + use<'t> {
        let tree = self.tree;
        let children = self.entry().map(|entry| entry.children.as_slice()).unwrap_or_default();
        children.iter().map(move |at| Self { tree, at: *at })
    }

    /// The node and its descendants, in document order.
    pub(in crate::formats) fn descendants(&self) -> impl Iterator<Item = Self> + use<'t> {
        let mut open = vec![*self];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(node.children().rev());
            Some(node)
        })
    }

    pub(in crate::formats) fn all_text(&self) -> String {
        let mut text = String::new();
        for node in self.descendants() {
            if let Content::Text(characters) = node.content() {
                text.push_str(characters);
            }
        }
        text
    }
}

/// The tree while it is being parsed.
struct Growing {
    entries: RefCell<Vec<Entry>>,
    deepest: Cell<u32>,
}

impl Growing {
    fn new() -> Self {
        Self { entries: RefCell::new(vec![Entry::default()]), deepest: Cell::new(0) }
    }

    fn add(&self, content: Content) -> usize {
        let mut entries = self.entries.borrow_mut();
        entries.push(Entry { content, ..Entry::default() });
        entries.len() - 1
    }

    /// Inserts a node among the children, before a sibling or at the end.
    fn insert(&self, parent: usize, before: Option<usize>, child: NodeOrText<Handle>) {
        let child = match child {
            NodeOrText::AppendNode(node) => {
                self.detach(node.at);
                node.at
            }
            NodeOrText::AppendText(text) => {
                if self.continue_text(parent, before, &text) {
                    return;
                }
                self.add(Content::Text(text.to_string()))
            }
        };
        let mut entries = self.entries.borrow_mut();
        let depth = entries.get(parent).map_or(0, |entry| entry.depth) + 1;
        self.deepest.set(self.deepest.get().max(depth));
        if let Some(entry) = entries.get_mut(child) {
            entry.parent = Some(parent);
            entry.depth = depth;
        }
        if let Some(entry) = entries.get_mut(parent) {
            let at =
                before.and_then(|sibling| entry.children.iter().rposition(|at| *at == sibling));
            entry.children.insert(at.unwrap_or(entry.children.len()), child);
        }
    }

    /// Appends to the text directly before the position, if there is one.
    fn continue_text(&self, parent: usize, before: Option<usize>, text: &str) -> bool {
        let mut entries = self.entries.borrow_mut();
        let Some(siblings) = entries.get(parent).map(|entry| &entry.children) else { return true };
        let last = match before {
            Some(sibling) => {
                let at = siblings.iter().rposition(|at| *at == sibling);
                at.and_then(|at| at.checked_sub(1)).and_then(|at| siblings.get(at))
            }
            None => siblings.last(),
        };
        let last = last.copied();
        match last.and_then(|last| entries.get_mut(last)) {
            Some(Entry { content: Content::Text(characters), .. }) => {
                characters.push_str(text);
                true
            }
            _ => false,
        }
    }

    fn detach(&self, at: usize) {
        let mut entries = self.entries.borrow_mut();
        let parent = entries.get_mut(at).and_then(|entry| entry.parent.take());
        if let Some(parent) = parent.and_then(|parent| entries.get_mut(parent))
            && let Some(place) = parent.children.iter().rposition(|child| *child == at)
        {
            parent.children.remove(place);
        }
    }

    fn parent_of(&self, at: usize) -> Option<usize> {
        self.entries.borrow().get(at).and_then(|entry| entry.parent)
    }
}

impl TreeSink for Growing {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        Tree { entries: self.entries.into_inner() }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { at: 0, name: None }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        const NOTHING: ExpandedName<'static> =
            ExpandedName { ns: &html5ever::ns!(), local: &html5ever::local_name!("") };
        target.name.as_ref().map_or(NOTHING, |name| name.expanded())
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> Handle {
        let name = Rc::new(name);
        let at = self.add(Content::Element { name: name.clone(), attributes });
        Handle { at, name: Some(name) }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle { at: self.add(Content::Nothing), name: None }
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle { at: self.add(Content::Nothing), name: None }
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.at, None, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        match self.parent_of(element.at) {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        one.at == other.at
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let Some(parent) = self.parent_of(sibling.at) {
            self.insert(parent, Some(sibling.at), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        let mut entries = self.entries.borrow_mut();
        if let Some(Entry { content: Content::Element { attributes, .. }, .. }) =
            entries.get_mut(target.at)
        {
            for attribute in more {
                if !attributes.iter().any(|known| known.name == attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.at);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let children = {
            let mut entries = self.entries.borrow_mut();
            entries
                .get_mut(node.at)
                .map(|entry| std::mem::take(&mut entry.children))
                .unwrap_or_default()
        };
        let mut entries = self.entries.borrow_mut();
        for child in &children {
            if let Some(entry) = entries.get_mut(*child) {
                entry.parent = Some(new_parent.at);
            }
        }
        if let Some(entry) = entries.get_mut(new_parent.at) {
            entry.children.extend(children);
        }
    }
}
