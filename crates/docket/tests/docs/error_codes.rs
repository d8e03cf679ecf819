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
    codes.extend(in_enumeration("crates/domain/src/submission.rs", "fn code("));
    codes.extend(in_enumeration("crates/domain/src/work/failure.rs", "impl FailureCode"));
    codes
}

/// The strings of the `match` after `start`.
fn in_enumeration(file: &str, start: &str) -> Vec<String> {
    let text = sources::read(file);
    let body = text.split_once(start).unwrap_or_else(|| panic!("{file} has no {start}")).1;
    let body = body.split("\n    }\n").next().unwrap_or_default();
    let arm = Regex::new(r#"=> "([a-z_]+)""#).unwrap();
    let codes: Vec<String> = arm.captures_iter(body).map(|found| found[1].to_owned()).collect();
    assert!(!codes.is_empty(), "{file}: {start} has no codes");
    codes
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
