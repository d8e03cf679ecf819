//! The API documentation: the OpenAPI document and Swagger UI.
//!
//! No credential is needed. A process serialises the document once, so that a request for it costs no more than one for a
//! file.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::problem::ApiProblem;
use crate::{Api, openapi_document};

const DOCUMENT: &str = "/openapi.json";

/// The document changes only with the version of the server.
const CACHE_POLICY: HeaderValue = HeaderValue::from_static("public, max-age=300");

static SERVED: LazyLock<Result<ServedDocument, serde_json::Error>> =
    LazyLock::new(|| ServedDocument::of(&openapi_document()));

pub(crate) fn pages() -> Router<Arc<Api>> {
    let respond = async |headers: HeaderMap| match &*SERVED {
        Ok(served) => served.respond(&headers),
        Err(error) => ApiProblem::internal(error.to_string()).into_response(),
    };
    Router::new()
        .route(DOCUMENT, get(respond))
        .merge(SwaggerUi::new("/docs").config(Config::from(DOCUMENT)))
}

struct ServedDocument {
    bytes: Bytes,
    /// The `ETag`: a hash of the bytes, in quotes.
    tag: String,
}

impl ServedDocument {
    fn of(document: &OpenApi) -> Result<Self, serde_json::Error> {
        let bytes = Bytes::from(serde_json::to_vec(document)?);
        let hash = Bytes::copy_from_slice(&Sha256::digest(&bytes));
        let tag = format!("\"{hash:x}\"");
        Ok(Self { bytes, tag })
    }

    fn respond(&self, headers: &HeaderMap) -> Response {
        let mut response = if self.is_known_to(headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
            (kind, self.bytes.clone()).into_response()
        };
        response.headers_mut().insert(CACHE_CONTROL, CACHE_POLICY);
        if let Ok(tag) = HeaderValue::try_from(&self.tag) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }

    /// Whether the client already has these bytes.
    fn is_known_to(&self, headers: &HeaderMap) -> bool {
        let named = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        named
            .flat_map(|tags| tags.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
    }
}
