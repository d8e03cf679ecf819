//! The API's documentation, for people and for programs.
//!
//! Anybody may read the OpenAPI document without signing in. A process serialises it once, so that a request for it costs
//! no more than one for a file.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::get;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::problem::ApiProblem;
use crate::served_file::ServedFile;
use crate::{Api, openapi_document};

const DOCUMENT: &str = "/openapi.json";

static SERVED: LazyLock<Result<ServedFile, serde_json::Error>> = LazyLock::new(|| {
    let bytes = serde_json::to_vec(&openapi_document())?;
    Ok(ServedFile::new(bytes, "application/json"))
});

pub(crate) fn pages() -> Router<Arc<Api>> {
    let respond = async |headers: HeaderMap| match &*SERVED {
        Ok(served) => served.respond(&headers),
        Err(error) => ApiProblem::internal(error.to_string()).into_response(),
    };
    Router::new()
        .route(DOCUMENT, get(respond))
        .merge(SwaggerUi::new("/docs").config(Config::from(DOCUMENT)))
}
