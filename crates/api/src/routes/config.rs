//! How the server is set up.

use std::sync::Arc;

use api_types::ConfigView;
use axum::Json;
use axum::extract::State;

use crate::Api;
use crate::extract::SignedInCaller;
use crate::openapi::Guarded;
use crate::problem::ApiProblem;

/// See how the server is set up
///
/// Every setting of the process that answers, where it came from and what it is for. Of a secret it says only
/// whether it is set. Paths, hosts and limits are the business of whoever runs the server, so this is for
/// administrators of the operator's tenant alone: the one that was made first. Administrators of other tenants
/// get 403.
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
