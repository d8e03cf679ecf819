//! API keys.

use std::sync::Arc;

use api_types::{ApiKeyPage, ApiKeyView, CreateApiKeyRequest, CreatedApiKeyView, PageQuery};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::ApiKeyId;
use ops::RequestedApiKey;

use crate::Api;
use crate::extract::{Body, Id, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{AboutOne, Checked, Guarded, WithBody};
use crate::problem::ApiProblem;

/// List API keys
#[utoipa::path(
    get, path = "/api-keys", tag = "api-keys", operation_id = "list_api_keys",
    params(PageQuery),
    responses((status = 200, body = ApiKeyPage, description = "A page of API keys"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<PageQuery>,
) -> Result<Json<ApiKeyPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.access.list_api_keys(&caller, &request).await?;
    Ok(Json(ApiKeyPage {
        items: page.items.into_iter().map(ApiKeyView::from).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Create an API key
///
/// The key is valid until it expires or is revoked, and while the user who created it is active. The response is the only
/// one that contains the key. The route does not support `Idempotency-Key`, because replaying the response would require
/// storing the secret.
#[utoipa::path(
    post, path = "/api-keys", tag = "api-keys", operation_id = "create_api_key",
    request_body = CreateApiKeyRequest,
    responses(
        (status = 201, body = CreatedApiKeyView, description = "The new key, with its secret",
         headers(("location" = String, description = "The path of the key"))),
        Guarded, Checked, WithBody,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn create(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Body(body): Body<CreateApiKeyRequest>,
) -> Result<Response, ApiProblem> {
    let requested =
        RequestedApiKey { name: body.name, role: body.role.into(), expires_at: body.expires_at };
    let created = api.ops.access.create_api_key(&caller, requested).await?;
    let location = [(header::LOCATION, format!("/v1/api-keys/{}", created.key.api_key_id))];
    let view = CreatedApiKeyView { api_key: created.key.into(), key: created.secret };
    Ok((StatusCode::CREATED, location, Json(view)).into_response())
}

/// Get an API key
#[utoipa::path(
    get, path = "/api-keys/{id}", tag = "api-keys", operation_id = "find_api_key",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = ApiKeyView, description = "The API key"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<ApiKeyView>, ApiProblem> {
    Ok(Json(api.ops.access.find_api_key(&caller, ApiKeyId(id)).await?.into()))
}

/// Revoke an API key
///
/// Takes effect at once on this server, and within a minute on all others.
#[utoipa::path(
    delete, path = "/api-keys/{id}", tag = "api-keys", operation_id = "revoke_api_key",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Revoked"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn revoke(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<StatusCode, ApiProblem> {
    api.ops.access.revoke_api_key(&caller, ApiKeyId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
