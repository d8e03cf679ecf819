//! The API's documentation, for people and for programs.

use std::sync::Arc;

use axum::Router;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::SwaggerUi;

use crate::Api;

pub(crate) fn pages(document: OpenApi) -> Router<Arc<Api>> {
    Router::new().merge(SwaggerUi::new("/docs").url("/openapi.json", document))
}
