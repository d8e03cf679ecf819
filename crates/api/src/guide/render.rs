//! From Markdown to a web page.
//!
//! The index of the folder (`README.md`) is also the navigation of all pages: each of its headings is a group, and the
//! links under it are the entries.

use std::fmt::{self, Write as _};
use std::path::Path;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Anchorizer, Arena, Options, format_html, html, parse_document};

use super::GuideFile;

const INDEX: &str = "README.md";

/// A Markdown file.
pub(super) struct Guide {
    path: &'static str,
    markdown: &'static str,
}

impl Guide {
    pub(super) fn of(file: &GuideFile) -> Option<Self> {
        if Path::new(file.path).extension()? != "md" {
            return None;
        }
        let markdown = str::from_utf8(file.bytes).ok()?;
        Some(Self { path: file.path, markdown })
    }

    /// What its address has after `/docs/guide/`.
    pub(super) fn name(&self) -> String {
        name_of(self.path)
    }
}

/// `decisions/README.md` is the index of its folder: `decisions`.
fn name_of(path: &str) -> String {
    let name = path.strip_suffix(INDEX).or_else(|| path.strip_suffix(".md")).unwrap_or(path);
    name.trim_end_matches('/').to_owned()
}

fn address_of(name: &str) -> String {
    if name.is_empty() { "/docs/guide".to_owned() } else { format!("/docs/guide/{name}") }
}

/// What all pages share.
pub(super) struct Site {
    files: &'static [GuideFile],
    navigation: Vec<Group>,
    /// The web UI is embedded, and with it the script that applies the theme chosen there.
    has_theme: bool,
}

struct Group {
    title: String,
    entries: Vec<Entry>,
}

struct Entry {
    address: String,
    title: String,
}

/// A heading of the second level.
struct Section {
    id: String,
    title: String,
}

impl Site {
    pub(super) fn new(files: &'static [GuideFile], has_theme: bool) -> Self {
        let mut site = Self { files, navigation: Vec::new(), has_theme };
        let index = files.iter().find(|file| file.path == INDEX).and_then(Guide::of);
        site.navigation = index.map(|index| site.navigation_of(&index)).unwrap_or_default();
        site
    }

    fn navigation_of(&self, index: &Guide) -> Vec<Group> {
        let arena = Arena::new();
        let root = parse_document(&arena, index.markdown, &options());
        let mut groups: Vec<Group> = Vec::new();
        for node in root.descendants() {
            match &node.data().value {
                NodeValue::Heading(heading) if heading.level == 2 => {
                    groups.push(Group { title: node.collect_text(), entries: Vec::new() });
                }
                NodeValue::Link(link) => {
                    if let (Some(group), Target::Page(address)) =
                        (groups.last_mut(), self.target(index.path, &link.url))
                    {
                        group.entries.push(Entry { address, title: node.collect_text() });
                    }
                }
                _ => {}
            }
        }
        groups
    }

    /// The whole page.
    pub(super) fn page(&self, guide: &Guide) -> Result<String, fmt::Error> {
        let arena = Arena::new();
        let options = options();
        let root = parse_document(&arena, guide.markdown, &options);
        self.rewrite_links(guide, root);
        let title = headings(root, 1).next().map_or_else(|| guide.name(), |section| section.title);
        let sections: Vec<Section> = headings(root, 2).collect();
        let mut body = String::new();
        format_html(root, &options, &mut body)?;

        let mut page = String::with_capacity(body.len() + 6_000);
        page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        writeln!(page, "<title>{} · Docket guide</title>", Escaped(&title))?;
        page.push_str("<link rel=\"stylesheet\" href=\"/docs/guide/guide.css\">\n");
        if self.has_theme {
            page.push_str("<link rel=\"icon\" href=\"/icon.svg\">\n");
            page.push_str("<script src=\"/theme.js\"></script>\n");
        }
        page.push_str("</head>\n<body>\n");
        page.push_str("<a class=\"skip\" href=\"#content\">Skip to the text</a>\n");
        page.push_str("<header><a class=\"brand\" href=\"/\">Docket</a>\n");
        page.push_str("<a href=\"/docs/guide\">Guide</a> <a href=\"/docs/\">API reference</a>\n");
        page.push_str("<a class=\"to-guides\" href=\"#guides\">All guides</a></header>\n");
        writeln!(page, "<main id=\"content\" tabindex=\"-1\">\n{body}</main>")?;
        self.write_navigation(&mut page, &address_of(&guide.name()), &sections)?;
        page.push_str("</body>\n</html>\n");
        Ok(page)
    }

    fn write_navigation(
        &self,
        page: &mut String,
        current: &str,
        sections: &[Section],
    ) -> fmt::Result {
        page.push_str("<nav id=\"guides\" aria-label=\"Guides\">\n");
        for group in &self.navigation {
            writeln!(page, "<h2>{}</h2>\n<ul>", Escaped(&group.title))?;
            for Entry { address, title } in &group.entries {
                let is_current = address == current;
                let mark = if is_current { " aria-current=\"page\"" } else { "" };
                write!(page, "<li><a href=\"{address}\"{mark}>{}</a>", Escaped(title))?;
                if is_current && sections.len() > 1 {
                    page.push_str("\n<ul>\n");
                    for Section { id, title } in sections {
                        let title = Escaped(title);
                        writeln!(page, "<li><a href=\"#{id}\">{title}</a></li>")?;
                    }
                    page.push_str("</ul>\n");
                }
                page.push_str("</li>\n");
            }
            page.push_str("</ul>\n");
        }
        page.push_str("</nav>\n");
        Ok(())
    }

    fn rewrite_links<'a>(&self, guide: &Guide, root: &'a AstNode<'a>) {
        let nodes: Vec<_> = root.descendants().collect();
        for node in nodes {
            let target = match &node.data().value {
                NodeValue::Link(link) | NodeValue::Image(link) => {
                    self.target(guide.path, &link.url)
                }
                _ => continue,
            };
            match target {
                Target::Unchanged => {}
                Target::Page(address) => {
                    if let NodeValue::Link(link) | NodeValue::Image(link) =
                        &mut node.data_mut().value
                    {
                        link.url = address;
                    }
                }
                Target::NotServed => {
                    let words: Vec<_> = node.children().collect();
                    for word in words {
                        node.insert_before(word);
                    }
                    node.detach();
                }
            }
        }
    }

    /// Where a link of the file `from` leads on the web.
    fn target(&self, from: &str, url: &str) -> Target {
        if url.starts_with('#') || url.contains("://") || url.starts_with("mailto:") {
            return Target::Unchanged;
        }
        let (path, anchor) = match url.split_once('#') {
            Some((path, anchor)) => (path, format!("#{anchor}")),
            None => (url, String::new()),
        };
        let Some(path) = join(from, path) else { return Target::NotServed };
        let index = if path.is_empty() { INDEX.to_owned() } else { format!("{path}/{INDEX}") };
        let file = self.files.iter().find(|file| file.path == path || file.path == index);
        match file {
            Some(file) => Target::Page(format!("{}{anchor}", address_of(&name_of(file.path)))),
            None => Target::NotServed,
        }
    }
}

#[derive(Debug, PartialEq)]
enum Target {
    /// A place in the same page, or on another server.
    Unchanged,
    Page(String),
    NotServed,
}

/// A path in the folder, written in one of its files relative to that file. None when it leads out of the folder.
fn join(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The headings of a level, with the ids that the renderer gives them.
fn headings<'a>(root: &'a AstNode<'a>, level: u8) -> impl Iterator<Item = Section> {
    let mut ids = Anchorizer::new();
    root.descendants().filter_map(move |node| {
        let found = match &node.data().value {
            NodeValue::Heading(heading) => heading.level,
            _ => return None,
        };
        let title = node.collect_text();
        let id = ids.anchorize(&title);
        (found == level).then_some(Section { id, title })
    })
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.header_id_prefix = Some(String::new());
    options
}

struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        html::escape(f, self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FILES: &[GuideFile] = &[
        GuideFile {
            path: "README.md",
            bytes: b"# Guides\n\n## Use\n\n- [Ask & find](ask.md)\n- [Source](../src/ask.rs)\n",
        },
        GuideFile {
            path: "ask.md",
            bytes: b"# Ask\n\n## First\n\nSee [why](decisions/one.md#why), [code](../src/ask.rs).\n\n## Second\n",
        },
        GuideFile { path: "decisions/README.md", bytes: b"# Decisions\n" },
        GuideFile { path: "decisions/one.md", bytes: b"# One\n\n[Back](../ask.md) [all](README.md) [home](..)\n" },
    ];

    fn page(path: &str) -> String {
        let file = FILES.iter().find(|file| file.path == path).unwrap();
        Site::new(FILES, false).page(&Guide::of(file).unwrap()).unwrap()
    }

    #[test]
    fn a_page_has_an_address_without_its_extension() {
        for (path, name) in [
            ("README.md", ""),
            ("ask.md", "ask"),
            ("decisions/README.md", "decisions"),
            ("decisions/one.md", "decisions/one"),
        ] {
            assert_eq!(name_of(path), name);
        }
    }

    #[test]
    fn links_between_guides_become_addresses_and_others_plain_text() {
        let ask = page("ask.md");
        assert!(ask.contains(r#"<a href="/docs/guide/decisions/one#why">why</a>, code."#), "{ask}");
        let one = page("decisions/one.md");
        for address in ["/docs/guide/ask", "/docs/guide/decisions", "/docs/guide"] {
            assert!(one.contains(&format!("<a href=\"{address}\">")), "{address}: {one}");
        }
        assert_eq!(Site::new(FILES, false).target("ask.md", "../../etc"), Target::NotServed);
    }

    #[test]
    fn the_index_is_the_navigation_and_the_current_page_shows_its_sections() {
        let ask = page("ask.md");
        assert!(
            ask.contains(r#"<a href="/docs/guide/ask" aria-current="page">Ask &amp; find</a>"#)
        );
        assert!(ask.contains(r##"<li><a href="#second">Second</a></li>"##), "{ask}");
        assert!(!ask.contains("Source"), "{ask}");
        assert!(!page("README.md").contains("aria-current"));
    }
}
