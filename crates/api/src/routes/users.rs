//! The users of a tenant.

use std::sync::Arc;

use api_types::{CreateUserRequest, PageQuery, UpdateUserRequest, UserPage, UserView};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use domain::UserId;
use ops::{RequestedChange, RequestedUser};

use crate::Api;
use crate::extract::{Body, Id, IdempotentBody, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IdempotencyKeyHeader, Idempotent, WithBody,
};
use crate::problem::ApiProblem;
use crate::replay_header::with_replay_header;

/// List users
#[utoipa::path(
    get, path = "/users", tag = "users", operation_id = "list_users",
    params(PageQuery),
    responses((status = 200, body = UserPage, description = "A page of users"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<PageQuery>,
) -> Result<Json<UserPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.access.list_users(&caller, &request).await?;
    Ok(Json(UserPage {
        items: page.items.into_iter().map(UserView::from).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Add a user
#[utoipa::path(
    post, path = "/users", tag = "users", operation_id = "create_user",
    params(IdempotencyKeyHeader),
    request_body = CreateUserRequest,
    responses(
        (status = 201, body = UserView, description = "The user", headers(
            ("location" = String, description = "The path of the user"),
            ("idempotent-replayed" = String, description = "`true` if the response is that of an earlier request"),
        )),
        Guarded, Checked, WithBody, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn create(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    IdempotentBody { body, claim }: IdempotentBody<CreateUserRequest>,
) -> Result<Response, ApiProblem> {
    let requested =
        RequestedUser { email: body.email, password: body.password, role: body.role.into() };
    let done = api.ops.access.create_user(&caller, requested, claim.as_ref()).await?;
    let location = [(header::LOCATION, format!("/v1/users/{}", done.value.user_id))];
    let view = Json(UserView::from(done.value));
    Ok(with_replay_header((StatusCode::CREATED, location, view), done.replayed))
}

/// Get a user
#[utoipa::path(
    get, path = "/users/{id}", tag = "users", operation_id = "find_user",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = UserView, description = "The user"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<UserView>, ApiProblem> {
    Ok(Json(api.ops.access.find_user(&caller, UserId(id)).await?.into()))
}

/// Change a user
///
/// Changes the role or the password, or deactivates or reactivates the user. Ends the user's sessions.
#[utoipa::path(
    patch, path = "/users/{id}", tag = "users", operation_id = "update_user",
    params(("id" = Uuid, Path)),
    request_body = UpdateUserRequest,
    responses((status = 200, body = UserView, description = "The user"), Guarded, Checked, WithBody, AboutOne, CanConflict),
    security(("bearer" = [])),
)]
pub(crate) async fn update(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Body(body): Body<UpdateUserRequest>,
) -> Result<Json<UserView>, ApiProblem> {
    let change = RequestedChange {
        role: body.role.map(Into::into),
        active: body.active,
        password: body.password,
    };
    Ok(Json(api.ops.access.update_user(&caller, UserId(id), change).await?.into()))
}

/// Deactivate a user
///
/// They can no longer sign in. The audit log keeps what they did.
#[utoipa::path(
    delete, path = "/users/{id}", tag = "users", operation_id = "deactivate_user",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Deactivated"), Guarded, Checked, AboutOne, CanConflict),
    security(("bearer" = [])),
)]
pub(crate) async fn deactivate(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<StatusCode, ApiProblem> {
    api.ops.access.deactivate_user(&caller, UserId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
