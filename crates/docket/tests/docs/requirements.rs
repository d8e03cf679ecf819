//! `docs/requirements.md` defines every requirement id that is used anywhere.

use std::collections::BTreeSet;

use regex::Regex;

use crate::sources;

fn defined() -> BTreeSet<String> {
    let page = sources::read("docs/requirements.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let id = Regex::new("^[ABGKP][0-9]{1,2}$").unwrap();
    let mut ids = BTreeSet::new();
    for row in rows.filter(|row| id.is_match(row)) {
        assert!(ids.insert(row.to_owned()), "{row} is defined twice");
    }
    ids
}

#[test]
fn every_requirement_has_one_row_with_a_state() {
    let defined = defined();
    for (letter, last) in [("A", 10), ("B", 21), ("G", 16), ("K", 9), ("P", 8)] {
        for number in 1..=last {
            let id = format!("{letter}{number}");
            assert!(defined.contains(&id), "{id} has no row");
        }
    }
    let page = sources::read("docs/requirements.md");
    for row in
        page.lines().filter(|line| line.starts_with("| ") && line.matches(" | ").count() == 2)
    {
        let state = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let is_state =
            ["done", "partly", "planned", "state"].iter().any(|word| state.starts_with(word));
        assert!(is_state, "the state must be done, partly or planned: {row}");
    }
}

#[test]
fn every_requirement_id_in_code_and_text_is_defined() {
    let defined = defined();
    let id = Regex::new(r"\b[ABGKP][0-9]{1,2}\b").unwrap();
    let mut unknown = Vec::new();
    let pages = sources::files(&["md"]).into_iter().map(|page| (page, true));
    let code = sources::files(&["rs", "sql"]).into_iter().map(|file| (file, false));
    for ((name, text), is_text) in pages.chain(code) {
        let comments = text.lines().filter(|line| {
            let line = line.trim_start();
            is_text || line.starts_with("//") || line.starts_with("--")
        });
        for line in comments {
            for found in id.find_iter(line).filter(|found| !defined.contains(found.as_str())) {
                unknown.push(format!("{name}: {} in: {}", found.as_str(), line.trim()));
            }
        }
    }
    assert!(unknown.is_empty(), "not in docs/requirements.md:\n{}", unknown.join("\n"));
}
