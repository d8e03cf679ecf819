//! Short ids: the last digits of an id.

use std::sync::Arc;

use api_types::FoundIdsView;
use axum::Json;
use axum::extract::State;
use ops::FoundIds;

use crate::Api;
use crate::extract::{Path, SignedInCaller};
use crate::openapi::{AboutOne, Checked, Guarded};
use crate::problem::ApiProblem;

/// Find an id by its last digits
///
/// The documents, runs, batches and dead jobs whose ids end with these 4 to 32 hexadecimal digits, as far as the
/// caller may see them. The last digits of an id are random; the first ones are the time of its creation.
#[utoipa::path(
    get, path = "/ids/{id}", tag = "documents", operation_id = "find_ids",
    params(("id" = String, Path, description = "An id, or at least its last 4 digits", example = "5921a8f5")),
    responses((status = 200, body = FoundIdsView, description = "The ids"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(end_of_id): Path<String>,
) -> Result<Json<FoundIdsView>, ApiProblem> {
    let FoundIds { documents, runs, batches, jobs, is_cut_short } =
        api.ops.documents.find_ids(&caller, &end_of_id).await?;
    Ok(Json(FoundIdsView { documents, runs, batches, jobs, is_complete: !is_cut_short }))
}
