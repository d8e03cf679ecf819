//! Web pages and the HTML of mails: an allow list of elements, attributes and CSS.
//!
//! The page is parsed as a browser parses it, and written again from the tree: elements of the list, with attributes of
//! the list, and text that is escaped. Nothing of the source reaches the view as it was written. What could change its
//! meaning when the view is parsed again (`svg`, `math`, `noscript`, `template`, raw text) is not in the list.

pub(super) mod css;

use std::collections::HashMap;

use super::images::Images;
use super::markup::Markup;
use super::style::Style;
use crate::formats::html::charset;
use crate::formats::html::tree::{Content, Node, Tree};
use crate::formats::text;
use crate::{ReadError, Source};

/// Style sheets of one page, in bytes.
const MAX_SHEETS: usize = 1 << 20;

pub(super) fn render(
    source: &Source<'_>,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    let characters = text::decode(source.bytes, charset(source.bytes).as_deref());
    let mut page = Markup::default();
    let blocked = write(&characters, source.limits.nesting, &HashMap::new(), images, &mut page)?;
    if blocked {
        markup.raw("<p class=\"dk-note\">Pictures from other servers are not loaded.</p>");
    }
    markup.append(page);
    Ok(())
}

/// Writes a page. `parts` are the pictures that came with it, by the id that `cid:` addresses use. Says whether
/// pictures of other servers were left out.
pub(super) fn write(
    characters: &str,
    nesting: u32,
    parts: &HashMap<String, &[u8]>,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<bool, ReadError> {
    let tree = Tree::parse(characters, nesting)?;
    let mut rules = String::new();
    for sheet in tree.elements("style") {
        let room = MAX_SHEETS.saturating_sub(rules.len());
        css::rules(&sheet.all_text(), ".dk-doc", room, &mut rules);
    }
    markup.sheet(&rules);
    let mut writer = Writer { parts, images, markup, is_blocked: false };
    let body = tree.elements("body").next();
    let mut style = body.map(|body| Writer::style(body)).unwrap_or_default();
    style.keyword("contain", "paint");
    let classes = body.map(|body| classes(body, "dk-doc")).unwrap_or_default();
    writer.markup.begin("div");
    writer.markup.attribute("class", if classes.is_empty() { "dk-doc" } else { &classes });
    writer.markup.style(&style);
    writer.markup.end();
    writer.children(body.unwrap_or_else(|| tree.root()));
    writer.markup.close("div");
    Ok(writer.is_blocked)
}

struct Writer<'w> {
    parts: &'w HashMap<String, &'w [u8]>,
    images: &'w mut Images,
    markup: &'w mut Markup,
    is_blocked: bool,
}

/// How to treat an element.
enum Treatment {
    /// Write the element under this name.
    Write(&'static str),
    /// Write only its content.
    Unwrap,
    /// Write nothing.
    Drop,
}

impl Writer<'_> {
    fn children(&mut self, node: Node) {
        for child in node.children() {
            if self.markup.is_full() {
                return;
            }
            match child.content() {
                Content::Text(characters) => self.markup.text(characters),
                Content::Nothing => self.children(child),
                Content::Element { .. } => self.element(child),
            }
        }
    }

    fn element(&mut self, node: Node) {
        let name = node.name().unwrap_or_default();
        if node.attribute("hidden").is_some() {
            return;
        }
        match name {
            "img" => return self.picture(node),
            "input" => return self.input(node),
            "math" => return self.formula(node),
            _ => {}
        }
        // Elements of SVG may have the names of HTML's.
        let treatment = if node.is_html() { treatment(name) } else { Treatment::Drop };
        match treatment {
            Treatment::Drop => {}
            Treatment::Unwrap => self.children(node),
            Treatment::Write(name) => {
                self.open(name, node);
                if !matches!(name, "br" | "hr" | "wbr" | "col") {
                    self.children(node);
                    self.markup.close(name);
                }
            }
        }
    }

    fn open(&mut self, name: &'static str, node: Node) {
        self.markup.begin(name);
        let classes = classes(node, "");
        if !classes.is_empty() {
            self.markup.attribute("class", &classes);
        }
        if let Some(id) = node.attribute("id").filter(|id| is_word(id)) {
            self.markup.attribute("id", &format!("doc-{id}"));
        }
        let numbers: &[&'static str] = match name {
            "td" | "th" => &["colspan", "rowspan"],
            "col" | "colgroup" => &["span"],
            "ol" => &["start"],
            "li" => &["value"],
            _ => &[],
        };
        for attribute in numbers {
            let value =
                node.attribute(attribute).and_then(|value| value.trim().parse::<i32>().ok());
            if let Some(value) = value.filter(|value| value.abs() <= 10_000) {
                self.markup.attribute(attribute, &value.to_string());
            }
        }
        match node.attribute("dir") {
            Some("rtl") => self.markup.attribute("dir", "rtl"),
            Some("ltr") => self.markup.attribute("dir", "ltr"),
            _ => {}
        }
        // A link shows its target as a title, but cannot be followed.
        let title = match name {
            "a" => node.attribute("href").filter(|address| leads_elsewhere(address)),
            "abbr" => node.attribute("title"),
            _ => None,
        };
        if let Some(title) = title {
            self.markup.attribute("title", title);
        }
        let style = Self::style(node);
        self.markup.style(&style);
        self.markup.end();
    }

    /// What the older attributes say, then the `style`.
    fn style(node: Node) -> Style {
        let mut declared = String::new();
        let mut add = |property: &'static str, attribute: &str, is_length: bool| {
            let Some(value) = node.attribute(attribute) else { return };
            let value = value.trim();
            let is_number = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.is_empty();
            let value =
                if is_length && is_number { format!("{value}px") } else { value.to_owned() };
            css::declaration(property, &value, &mut declared);
        };
        let name = node.name().unwrap_or_default();
        add("background-color", "bgcolor", false);
        add("vertical-align", "valign", false);
        if matches!(name, "table" | "td" | "th" | "tr" | "col" | "img" | "hr" | "colgroup") {
            add("width", "width", true);
            add("height", "height", true);
        }
        match name {
            "font" => {
                add("color", "color", false);
                add("font-family", "face", false);
                let size = node.attribute("size").and_then(|size| match size.trim() {
                    "1" => Some("x-small"),
                    "2" => Some("small"),
                    "4" => Some("large"),
                    "5" => Some("x-large"),
                    "6" | "7" => Some("xx-large"),
                    _ => None,
                });
                if let Some(size) = size {
                    css::declaration("font-size", size, &mut declared);
                }
            }
            "table" => {
                if node.attribute("align") == Some("center") {
                    css::declaration("margin", "0 auto", &mut declared);
                }
                if node.attribute("cellspacing").is_some_and(|gap| gap.trim() == "0") {
                    css::declaration("border-spacing", "0", &mut declared);
                }
            }
            "img" | "hr" => {}
            _ => add("text-align", "align", false),
        }
        css::declarations(node.attribute("style").unwrap_or_default(), &mut declared);
        Style::of_checked(declared)
    }

    /// Only pictures that came along are shown.
    fn picture(&mut self, node: Node) {
        let source = node.attribute("src").unwrap_or_default().trim();
        let scheme = source.get(..5).unwrap_or_default().to_ascii_lowercase();
        let address = if scheme == "data:" {
            self.images.readdress(source)
        } else if let Some(id) = source.get(4..).filter(|_| scheme.starts_with("cid:")) {
            self.parts.get(id).and_then(|bytes| self.images.address(bytes))
        } else {
            None
        };
        let described = node.attribute("alt").unwrap_or_default();
        let style = Self::style(node);
        if let Some(address) = address {
            self.markup.begin("img");
            self.markup.attribute("src", &address);
            self.markup.attribute("alt", described);
            self.markup.style(&style);
            self.markup.end();
            return;
        }
        let is_tiny = |name: &str| {
            let side = node.attribute(name).and_then(|side| side.trim().parse::<f32>().ok());
            side.is_some_and(|side| side <= 3.0)
        };
        // A picture of one pixel is a tracking pixel.
        if is_tiny("width") || is_tiny("height") {
            return;
        }
        let is_elsewhere = !source.is_empty() && !scheme.starts_with("cid:") && scheme != "data:";
        self.is_blocked |= is_elsewhere;
        if !described.trim().is_empty() {
            self.markup.raw("<span class=\"dk-missing\">");
            self.markup.text(described);
            self.markup.close("span");
        }
    }

    /// The value that a form field shows.
    fn input(&mut self, node: Node) {
        let kind = node.attribute("type").unwrap_or("text").to_ascii_lowercase();
        let is_checked = node.attribute("checked").is_some();
        match kind.as_str() {
            "checkbox" => self.markup.text(if is_checked { "☑" } else { "☐" }),
            "radio" => self.markup.text(if is_checked { "◉" } else { "○" }),
            "hidden" | "image" | "password" | "file" => {}
            _ => {
                self.markup.raw("<span class=\"dk-field\">");
                self.markup.text(node.attribute("value").unwrap_or_default());
                self.markup.close("span");
            }
        }
    }

    fn formula(&mut self, node: Node) {
        let source = node.descendants().find(|inner| inner.name() == Some("annotation"));
        self.markup.raw("<code>");
        self.markup.text(source.unwrap_or(node).all_text().trim());
        self.markup.close("code");
    }
}

/// The classes of an element that are not ours, after those of `ours`.
fn classes(node: Node, ours: &str) -> String {
    let names = node.attribute("class").unwrap_or_default().split_ascii_whitespace();
    let names = names.filter(|name| is_word(name) && !name.starts_with("dk-"));
    let mut classes = ours.to_owned();
    for name in names.take(50) {
        if !classes.is_empty() {
            classes.push(' ');
        }
        classes.push_str(name);
    }
    classes
}

fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn leads_elsewhere(address: &str) -> bool {
    let address = address.trim().to_ascii_lowercase();
    ["http://", "https://", "mailto:", "tel:"].iter().any(|scheme| address.starts_with(scheme))
}

/// The elements that are written.
const WRITTEN: &str = "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup \
     data dd del dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup \
     hr i ins kbd li main mark menu nav nobr ol p pre q rp rt ruby s samp section small span strike \
     strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr details summary label \
     output acronym";

/// The elements that are dropped with their content.
const DROPPED: &str = "script style noscript template head title meta link base iframe frame frameset noframes noembed \
     object embed applet param svg canvas audio video source track select option optgroup datalist \
     map area xmp plaintext listing marquee portal fencedframe";

fn treatment(name: &str) -> Treatment {
    if let Some(written) = WRITTEN.split_ascii_whitespace().find(|written| *written == name) {
        return match written {
            // A closed element would hide its content.
            "details" | "summary" => Treatment::Write("div"),
            "label" | "output" => Treatment::Write("span"),
            "dir" | "menu" => Treatment::Write("ul"),
            other => Treatment::Write(other),
        };
    }
    match name {
        "button" | "textarea" => Treatment::Write("span"),
        name if DROPPED.split_ascii_whitespace().any(|dropped| dropped == name) => Treatment::Drop,
        // Forms and custom elements are containers of text.
        _ => Treatment::Unwrap,
    }
}
