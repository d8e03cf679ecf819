//! The header `If-None-Match`: tags of what the client has already.

use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;

/// The tags without quotes, weak and strong ones alike; `*` stands for any.
pub(crate) fn known_tags(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lists
        .flat_map(|list| list.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/").trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn tags_are_known_in_every_notation() {
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_static("W/\"a\", \"b\""));
        headers.append(IF_NONE_MATCH, HeaderValue::from_static("*"));
        assert_eq!(known_tags(&headers).collect::<Vec<_>>(), ["a", "b", "*"]);
    }
}
