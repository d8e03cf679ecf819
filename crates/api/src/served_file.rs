//! A file that is the same for everybody and changes with the version of the server alone.

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=300");

pub(crate) struct ServedFile {
    bytes: Bytes,
    media_type: HeaderValue,
    /// A hash of the bytes, in quotes.
    tag: String,
}

impl ServedFile {
    pub(crate) fn new(bytes: impl Into<Bytes>, media_type: &'static str) -> Self {
        let bytes = bytes.into();
        let hash = Bytes::copy_from_slice(&Sha256::digest(&bytes));
        let tag = format!("\"{hash:x}\"");
        Self { bytes, media_type: HeaderValue::from_static(media_type), tag }
    }

    /// The file, or 304 for a client that has it already.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> Response {
        let mut response = if self.is_known_to(headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            ([(CONTENT_TYPE, self.media_type.clone())], self.bytes.clone()).into_response()
        };
        response.headers_mut().insert(CACHE_CONTROL, KEEP);
        if let Ok(tag) = HeaderValue::try_from(&self.tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }

    fn is_known_to(&self, headers: &HeaderMap) -> bool {
        let named = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        named
            .flat_map(|tags| tags.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
    }
}
