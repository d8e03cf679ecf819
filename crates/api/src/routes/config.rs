//! The server's configuration.

use std::sync::Arc;

use api_types::ConfigView;
use axum::Json;
use axum::extract::State;

use crate::Api;
use crate::extract::SignedInCaller;
use crate::openapi::Guarded;
use crate::problem::ApiProblem;

/// Get the server's configuration
///
/// Every setting of the server that responds, with its source and its purpose. For a secret, only whether it is set. Paths,
/// hosts and limits concern the operator, so only administrators of the operator's tenant, the first one, can view it.
/// Administrators of other tenants get 403.
#[utoipa::path(
    get, path = "/config", tag = "config", operation_id = "see_configuration",
    responses((status = 200, body = ConfigView, description = "Every setting"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn see(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<ConfigView>, ApiProblem> {
    api.ops.tenants.permit_configuration(&caller).await?;
    Ok(Json(api.settings.configuration.clone()))
}
