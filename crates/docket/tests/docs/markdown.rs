//! What a Markdown file contains, as far as the tests look at it.

use comrak::nodes::NodeValue;
use comrak::{Anchorizer, Arena, Options, parse_document};

#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The addresses of links and pictures.
    pub(crate) links: Vec<String>,
    /// The ids of the headings, as GitHub and the guide make them.
    pub(crate) anchors: Vec<String>,
    /// The headings with their level.
    pub(crate) headings: Vec<(u8, String)>,
    pub(crate) blocks: Vec<Block>,
    /// What stands in the text as code.
    pub(crate) code: Vec<String>,
}

/// A fenced block, in the order of the page.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
}

pub(crate) fn parse(text: &str) -> Page {
    let arena = Arena::new();
    let mut options = Options::default();
    options.extension.table = true;
    let root = parse_document(&arena, text, &options);
    let mut page = Page::default();
    let mut ids = Anchorizer::new();
    for node in root.descendants() {
        match &node.data().value {
            NodeValue::Link(link) | NodeValue::Image(link) => page.links.push(link.url.clone()),
            NodeValue::Code(code) => page.code.push(code.literal.clone()),
            NodeValue::CodeBlock(block) => page.blocks.push(Block {
                language: block.info.trim().to_owned(),
                text: block.literal.clone(),
            }),
            NodeValue::Heading(heading) => {
                let title = node.collect_text();
                page.anchors.push(ids.anchorize(&title));
                page.headings.push((heading.level, title));
            }
            _ => {}
        }
    }
    page
}
