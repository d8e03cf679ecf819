//! HTTP: routes, extractors, problem documents, and the server.
//!
//! A handler parses the request, calls one use case of `ops` and builds the response; it contains no domain logic. Every
//! request passes the [`request_middleware`].
//!
//! *Architecture invariant:* a route is registered together with its documentation, in one call, so that the OpenAPI
//! document always matches the router.

mod client_address;
mod content_disposition;
mod csv;
mod entity_tags;
mod extract;
pub mod form;
mod guide;
mod openapi;
mod problem;
mod replay_header;
mod request_middleware;
mod routes;
mod same_origin;
mod serve;
mod served_file;
mod state;
mod ui;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use utoipa::openapi::OpenApi;

pub use client_address::TrustedProxies;
pub use problem::ApiProblem;
pub use routes::worker_health::worker_router;
pub use serve::serve;
pub use state::{Api, ApiSettings, Metrics};

/// The router with all routes.
pub fn router(api: &Arc<Api>) -> Router {
    let (documented, _) = openapi::documented_routes().split_for_parts();
    let (alias, _) = openapi::versioned_routes().split_for_parts();
    documented
        .nest("/api", alias)
        .merge(routes::docs::pages())
        .merge(guide::pages())
        .merge(ui::front_page())
        .fallback(ui::file_or_screen)
        .method_not_allowed_fallback(problem::no_such_method)
        .layer(DefaultBodyLimit::max(api.settings.max_json_bytes))
        .layer(middleware::from_fn_with_state(Arc::clone(api), request_middleware::handle))
        .with_state(Arc::clone(api))
}

/// The OpenAPI document, as `/openapi.json` serves it.
pub fn openapi_document() -> OpenApi {
    openapi::documented_routes().split_for_parts().1
}
