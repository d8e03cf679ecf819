//! A static file, which changes only with the version of the server.

use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use crate::entity_tags::known_tags;

const CACHE_POLICY: HeaderValue = HeaderValue::from_static("public, max-age=300");

pub(crate) struct ServedFile {
    bytes: Bytes,
    media_type: HeaderValue,
    /// The `ETag`: a hash of the bytes, in quotes.
    tag: String,
}

impl ServedFile {
    pub(crate) fn new(bytes: impl Into<Bytes>, media_type: &'static str) -> Self {
        let bytes = bytes.into();
        let hash = Bytes::copy_from_slice(&Sha256::digest(&bytes));
        let tag = format!("\"{hash:x}\"");
        Self { bytes, media_type: HeaderValue::from_static(media_type), tag }
    }

    /// The file, or 304 if the client already has it.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> Response {
        let mut response = if self.is_known_to(headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            ([(CONTENT_TYPE, self.media_type.clone())], self.bytes.clone()).into_response()
        };
        response.headers_mut().insert(CACHE_CONTROL, CACHE_POLICY);
        if let Ok(tag) = HeaderValue::try_from(&self.tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }

    fn is_known_to(&self, headers: &HeaderMap) -> bool {
        known_tags(headers).any(|tag| tag == "*" || tag == self.tag.trim_matches('"'))
    }
}
