//! How a client learns that its request had been done before.

use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The answer, with the mark when it is an earlier one.
pub(crate) fn marked(answer: impl IntoResponse, replayed: bool) -> Response {
    let mut response = answer.into_response();
    if replayed {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}
