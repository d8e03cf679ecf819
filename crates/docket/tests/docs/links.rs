//! Links between the Markdown files of the repository, and mentions of them in the source code.

use std::collections::BTreeMap;

use regex::Regex;

use crate::markdown::{self, Page};
use crate::sources;

fn pages() -> BTreeMap<String, Page> {
    let files = sources::files(&["md"]).into_iter();
    files.map(|(name, text)| (name, markdown::parse(&text))).collect()
}

/// A path of the repository, from a link in one of its files.
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

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading_of_it() {
    let root = sources::repository();
    let pages = pages();
    assert!(pages.len() > 20, "{:?}", pages.keys());
    let mut broken = Vec::new();
    for (name, page) in &pages {
        for link in &page.links {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { Some(name.clone()) } else { join(name, path) };
            let exists = target.as_ref().is_some_and(|target| root.join(target).exists());
            let has_anchor = anchor.is_empty()
                || target
                    .and_then(|target| pages.get(&target))
                    .is_some_and(|page| page.anchors.iter().any(|known| known == anchor));
            if !exists || !has_anchor {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn every_page_of_docs_that_code_and_text_mention_exists() {
    let root = sources::repository();
    let mention = Regex::new(r"\bdocs/[a-z0-9/-]+\.md\b").unwrap();
    let extensions = ["rs", "sql", "md", "toml", "ts", "tsx", "txt", "html", "yml", "sh"];
    let mut missing = Vec::new();
    for (name, text) in sources::files(&extensions) {
        for found in mention.find_iter(&text) {
            if !root.join(found.as_str()).is_file() {
                missing.push(format!("{name}: {}", found.as_str()));
            }
        }
    }
    assert!(missing.is_empty(), "no such page:\n{}", missing.join("\n"));
}

#[test]
fn the_index_lists_every_guide_and_every_decision() {
    let pages = pages();
    for (folder, index) in
        [("docs/", "docs/README.md"), ("docs/decisions/", "docs/decisions/README.md")]
    {
        for name in pages.keys() {
            let Some(file) = name.strip_prefix(folder) else { continue };
            let is_listed = pages[index].links.iter().any(|link| link == file);
            assert!(
                file.contains('/') || name == index || is_listed,
                "{index} does not list {file}"
            );
        }
    }
}
