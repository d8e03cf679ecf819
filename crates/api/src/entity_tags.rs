//! Entity tags: what the client has already (`If-None-Match`), and what it changes (`If-Match`).

use axum::http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue};

use crate::problem::ApiProblem;

/// The tags in `If-None-Match` without quotes, weak and strong ones alike; `*` stands for any.
pub(crate) fn known_tags(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    tags_in(headers, IF_NONE_MATCH)
}

/// The tags in `If-Match`, without quotes; `*` stands for any. `None` without the header.
pub(crate) fn expected_tags(headers: &HeaderMap) -> Result<Option<Vec<String>>, ApiProblem> {
    let is_tag = |tag: &str| {
        let quoted = tag.trim().trim_start_matches("W/");
        quoted == "*" || quoted.len() > 1 && quoted.starts_with('"') && quoted.ends_with('"')
    };
    let is_list =
        |value: &HeaderValue| value.to_str().is_ok_and(|list| list.split(',').all(is_tag));
    if !headers.get_all(IF_MATCH).iter().all(is_list) {
        let problem = "If-Match must be the ETag that Docket sent, in its quotes, or *.";
        return Err(ApiProblem::invalid(problem).for_field("If-Match"));
    }
    let tags = || tags_in(headers, IF_MATCH).map(str::to_owned).collect();
    Ok(headers.contains_key(IF_MATCH).then(tags))
}

/// Whether `If-None-Match` is `*`: the request must not change what exists. Requests that change something have no other use
/// for the header.
pub(crate) fn only_creates(headers: &HeaderMap) -> Result<bool, ApiProblem> {
    if known_tags(headers).any(|tag| tag != "*") {
        let problem = "If-None-Match must be * in a request that changes something.";
        return Err(ApiProblem::invalid(problem).for_field("If-None-Match"));
    }
    Ok(headers.contains_key(IF_NONE_MATCH))
}

fn tags_in(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    lists
        .flat_map(|list| list.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_known_in_every_notation() {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static("W/\"a\", \"b\""));
        headers.append(IF_NONE_MATCH, HeaderValue::from_static("*"));
        assert_eq!(known_tags(&headers).collect::<Vec<_>>(), ["a", "b", "*"]);
    }

    #[test]
    fn a_change_expects_tags_in_quotes_or_nothing() {
        let of = |name: HeaderName, value: &'static str| {
            HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
        };
        let expected = |value| expected_tags(&of(IF_MATCH, value)).map_err(|problem| problem.field);
        assert_eq!(expected_tags(&HeaderMap::new()).unwrap(), None);
        assert_eq!(expected("\"3\", W/\"4\"").unwrap().unwrap(), ["3", "4"]);
        assert_eq!(expected("*").unwrap().unwrap(), ["*"]);
        for wrong in ["3", "\"", "\"3\",", ""] {
            assert_eq!(expected(wrong).unwrap_err().as_deref(), Some("If-Match"), "{wrong}");
        }
        assert!(only_creates(&of(IF_NONE_MATCH, "*")).unwrap());
        assert!(!only_creates(&HeaderMap::new()).unwrap());
        assert!(only_creates(&of(IF_NONE_MATCH, "\"3\"")).is_err());
    }
}
