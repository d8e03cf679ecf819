//! `docs/errors.md` explains every code that the API answers with, and no other.

use std::collections::BTreeSet;

use regex::Regex;

use crate::{markdown, sources};

/// Where codes of problems and failures are declared.
const DECLARED_IN: [&str; 3] = ["crates/api/src/", "crates/ops/src/", "crates/domain/src/"];

/// Declared for the operator's commands, which print the message: no client gets it as a code.
const NOT_OF_THE_API: [&str; 3] =
    ["no_development_user", "other_object_store", "tenant_name_taken"];

/// The codes in the source: the second argument of a problem, the field `code`, and the arms of the enumerations that
/// have codes of their own.
fn declared() -> BTreeSet<String> {
    let patterns = [
        r#"(?:Self|ApiProblem)::new\(\s*[A-Za-z_:]+,\s*"([a-z_]+)""#,
        r#"\bcode: "([a-z_]+)""#,
        r#"\bcode: Some\("([a-z_]+)"\)"#,
    ];
    let patterns = patterns.map(|pattern| Regex::new(pattern).unwrap());
    let mut codes = BTreeSet::new();
    for (name, text) in sources::files(&["rs"]) {
        if !DECLARED_IN.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for pattern in &patterns {
            codes.extend(pattern.captures_iter(code).map(|found| found[1].to_owned()));
        }
    }
    codes.extend(of_enumeration("Refusal"));
    codes.extend(of_enumeration("FailureCode"));
    codes
}

/// The names that an enumeration of `domain` gives its variants.
fn of_enumeration(name: &str) -> Vec<String> {
    let start = format!("impl {name} {{");
    let arm = Regex::new(r#"=> "([a-z_]+)""#).unwrap();
    for (file, text) in sources::files(&["rs"]) {
        let Some((_, body)) = text.split_once(&start) else { continue };
        if file.starts_with("crates/domain/src/") {
            let body = body.split("\n}\n").next().unwrap_or_default();
            return arm.captures_iter(body).map(|found| found[1].to_owned()).collect();
        }
    }
    panic!("crates/domain/src has no {start}")
}

#[test]
fn the_catalogue_explains_every_error_code_and_no_other() {
    let page = markdown::parse(&sources::read("docs/errors.md"));
    let headings = page.headings.iter().filter(|(level, _)| *level == 3);
    let explained: BTreeSet<String> = headings.map(|(_, title)| title.clone()).collect();
    let declared = declared();
    assert!(declared.len() > 40, "{declared:?}");
    let missing: Vec<_> = declared
        .difference(&explained)
        .filter(|code| !NOT_OF_THE_API.contains(&code.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/errors.md lacks a section for each of {missing:?}");
    let unknown: Vec<_> = explained.difference(&declared).collect();
    assert!(unknown.is_empty(), "docs/errors.md explains codes that no source has: {unknown:?}");
}
