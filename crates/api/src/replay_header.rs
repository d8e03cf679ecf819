//! The response header that marks a replayed request.

use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The response, with `Idempotent-Replayed: true` if it is that of an earlier request.
pub(crate) fn with_replay_header(response: impl IntoResponse, replayed: bool) -> Response {
    let mut response = response.into_response();
    if replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}
