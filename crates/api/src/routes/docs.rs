//! Pages for people: the front page and the API's documentation.

use std::sync::Arc;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::SwaggerUi;

use crate::Api;

pub(crate) fn pages(document: OpenApi) -> Router<Arc<Api>> {
    Router::new()
        .route("/", get(async || Html(include_str!("front_page.html"))))
        .merge(SwaggerUi::new("/docs").url("/openapi.json", document))
}
