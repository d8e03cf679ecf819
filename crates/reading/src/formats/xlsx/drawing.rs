//! The drawing layer of a sheet: pictures, charts, text boxes, and comments.

use std::collections::{HashMap, HashSet};

use pages::BlockKind;

use crate::ReadError;
use crate::flow::{Flow, Text};
use crate::formats::package::{Package, Relations};
use crate::formats::xml::Element;
use crate::formats::{chart, description, remark_of};

pub(super) fn read(
    package: &Package,
    relations: &Relations,
    authors: &HashMap<String, String>,
    flow: &mut Flow,
) -> Result<(), ReadError> {
    let mut members: Vec<_> = relations.values().filter(|relation| !relation.external).collect();
    members.sort_by(|a, b| a.target.cmp(&b.target));
    for relation in members.iter().filter(|relation| relation.kind == "drawing") {
        let inner = package.relations(&relation.target)?;
        for anchor in package.tree(&relation.target)?.elements() {
            anchored(package, &inner, anchor, flow)?;
        }
    }
    let mut answered = HashSet::new();
    for relation in members.iter().filter(|relation| relation.kind == "threadedComment") {
        for comment in package.tree(&relation.target)?.children("threadedComment") {
            let name = comment.attribute("personId").and_then(|id| authors.get(id));
            let time = comment.attribute("dT").unwrap_or_default();
            let text = comment.child("text").map(Element::all_text).unwrap_or_default();
            super::quote(flow, &remark_of(name.map_or("", String::as_str), time, &text))?;
            answered.extend(comment.attribute("ref").map(str::to_owned));
        }
    }
    for relation in members.iter().filter(|relation| relation.kind == "comments") {
        notes(&package.tree(&relation.target)?, &answered, flow)?;
    }
    Ok(())
}

/// Notes (the older comments). Threaded comments leave a copy there, which is skipped.
fn notes(tree: &Element, answered: &HashSet<String>, flow: &mut Flow) -> Result<(), ReadError> {
    let authors: Vec<String> = tree
        .child("authors")
        .into_iter()
        .flat_map(|authors| authors.children("author"))
        .map(Element::all_text)
        .collect();
    for comment in tree.child("commentList").into_iter().flat_map(|list| list.children("comment")) {
        if comment.attribute("ref").is_some_and(|place| answered.contains(place)) {
            continue;
        }
        let author = comment.number("authorId").and_then(|id| authors.get(id as usize));
        let author = author.map_or("", String::as_str);
        let text = comment.child("text").map(super::rich_text).unwrap_or_default();
        // Excel repeats the author's name in the text.
        let text =
            text.strip_prefix(author).and_then(|rest| rest.strip_prefix(':')).unwrap_or(&text);
        super::quote(flow, &remark_of(author, "", text.trim()))?;
    }
    Ok(())
}

fn anchored(
    package: &Package,
    relations: &Relations,
    anchor: &Element,
    flow: &mut Flow,
) -> Result<(), ReadError> {
    if anchor.find("pic").is_some() {
        let described = anchor.find("cNvPr").and_then(|properties| properties.attribute("descr"));
        let described = description(described).unwrap_or_default();
        return flow.block(BlockKind::Figure, &Text::plain(described));
    }
    for found in anchor.find_all("chart") {
        let relation = found.attribute("id").and_then(|id| relations.get(id));
        if let Some(relation) = relation {
            chart::read(&package.tree(&relation.target)?, flow)?;
        }
    }
    for body in anchor.find_all("txBody") {
        for paragraph in body.children("p") {
            let text: String = paragraph.find_all("t").into_iter().map(Element::all_text).collect();
            flow.paragraph(&text)?;
        }
    }
    Ok(())
}

/// The authors of comments, by id.
pub(super) fn authors(
    package: &Package,
    relations: &Relations,
) -> Result<HashMap<String, String>, ReadError> {
    let mut authors = HashMap::new();
    for relation in relations.values().filter(|relation| relation.kind == "person") {
        for person in package.tree(&relation.target)?.children("person") {
            if let (Some(id), Some(name)) =
                (person.attribute("id"), person.attribute("displayName"))
            {
                authors.insert(id.to_owned(), name.to_owned());
            }
        }
    }
    Ok(authors)
}
