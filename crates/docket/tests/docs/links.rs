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

/// Where the files of the repository are that ARCHITECTURE.md names by their path in a crate, such as
/// `engine/src/worker.rs`.
fn find_source(path: &str) -> bool {
    let root = sources::repository();
    ["crates", ""].iter().any(|folder| root.join(folder).join(path).exists())
}

#[test]
fn every_source_file_that_the_map_names_exists() {
    let map = markdown::parse(&sources::read("ARCHITECTURE.md"));
    let path =
        Regex::new(r"^(crates/)?[a-z-]+/(src|sql|tests|migrations)/[A-Za-z0-9_/.-]+$").unwrap();
    let named: Vec<&String> = map.code.iter().filter(|code| path.is_match(code)).collect();
    assert!(named.len() > 80, "only {} paths were found", named.len());
    let missing: Vec<_> = named.into_iter().filter(|path| !find_source(path)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names files that do not exist: {missing:#?}");
}

#[test]
fn each_question_of_the_map_can_be_answered_with_its_grep() {
    let map = sources::read("ARCHITECTURE.md");
    let section = map.split("\n## Where to look\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let code = Regex::new("`([^`]+)`").unwrap();
    let in_code = |cell: &str| -> Vec<String> {
        code.captures_iter(cell).map(|found| found[1].to_owned()).collect()
    };
    let mut count = 0;
    for row in section.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [question, places, terms] = cells[..] else { panic!("three columns: {row}") };
        let files: Vec<String> =
            in_code(places).into_iter().filter(|file| file.contains('/')).collect();
        let text: String = files
            .iter()
            .map(|file| {
                let root = sources::repository();
                let found = ["crates", ""].iter().map(|folder| root.join(folder).join(file));
                let found = found.into_iter().find(|path| path.is_file());
                let found = found.unwrap_or_else(|| panic!("{question}: there is no {file}"));
                std::fs::read_to_string(found).unwrap().to_lowercase()
            })
            .collect();
        for term in in_code(terms) {
            assert!(text.contains(&term.to_lowercase()), "{question}: {files:?} lack {term}");
        }
        count += 1;
    }
    assert!(count > 10, "only {count} questions were found");
}
