//! Signing in and out.

use std::sync::Arc;

use api_types::{CallerKind, ChangePasswordRequest, LoginRequest, LoginResponse, MeView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Actor;
use ops::SignedIn;

use crate::Api;
use crate::extract::{Body, Client, SignedInCaller};
use crate::openapi::{CanClash, Checked, Guarded, Open, WithBody};
use crate::problem::ApiProblem;

/// Sign in
///
/// Answers with a token that is good until `expires_at`, or until the user signs out or is changed.
#[utoipa::path(
    post, path = "/auth/login", tag = "session",
    request_body = LoginRequest,
    responses((status = 200, body = LoginResponse, description = "A token, and who it is for"), Open, Checked, WithBody),
)]
pub(crate) async fn login(
    State(api): State<Arc<Api>>,
    client: Client,
    Body(request): Body<LoginRequest>,
) -> Result<Json<LoginResponse>, ApiProblem> {
    let signed_in = api
        .ops
        .access
        .login(&request.email, request.password, client.address, client.trace)
        .await?;
    Ok(Json(login_view(signed_in)))
}

fn login_view(signed_in: SignedIn) -> LoginResponse {
    LoginResponse {
        token: signed_in.token,
        expires_at: signed_in.expires_at,
        user: signed_in.user.into(),
    }
}

/// Change one's own password
///
/// Whoever knows the password may replace it. All other sessions of the user end; this one goes on with the token in the
/// answer.
#[utoipa::path(
    put, path = "/me/password", tag = "session", operation_id = "change_own_password",
    request_body = ChangePasswordRequest,
    responses((status = 200, body = LoginResponse, description = "A token, and who it is for"), Guarded, Checked, WithBody, CanClash),
    security(("bearer" = [])),
)]
pub(crate) async fn change_password(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    client: Client,
    Body(request): Body<ChangePasswordRequest>,
) -> Result<Json<LoginResponse>, ApiProblem> {
    let ChangePasswordRequest { current_password, new_password } = request;
    let signed_in = api
        .ops
        .access
        .change_own_password(&caller, current_password, &new_password, client.address)
        .await?;
    Ok(Json(login_view(signed_in)))
}

/// Sign out
///
/// Ends the presented token everywhere.
#[utoipa::path(
    post, path = "/auth/logout", tag = "session",
    responses((status = 204, description = "Signed out"), Guarded, CanClash),
    security(("bearer" = [])),
)]
pub(crate) async fn logout(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<StatusCode, ApiProblem> {
    api.ops.access.logout(&caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sign out everywhere
///
/// Ends every session of the user, the presented token included. API keys stay valid.
#[utoipa::path(
    delete, path = "/me/sessions", tag = "session", operation_id = "logout_everywhere",
    responses((status = 204, description = "Signed out everywhere"), Guarded, CanClash),
    security(("bearer" = [])),
)]
pub(crate) async fn logout_everywhere(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<StatusCode, ApiProblem> {
    api.ops.access.logout_everywhere(&caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Who am I
#[utoipa::path(
    get, path = "/me", tag = "session",
    responses((status = 200, body = MeView, description = "The caller"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn me(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<MeView>, ApiProblem> {
    let (kind, id) = match caller.actor {
        Actor::User(id) => (CallerKind::User, id.0),
        Actor::ApiKey(id) => (CallerKind::ApiKey, id.0),
        Actor::System => return Err(ApiProblem::internal("the system has no session".to_owned())),
    };
    let tenant = api.ops.tenants.own_tenant(&caller).await?;
    Ok(Json(MeView {
        kind,
        id,
        tenant_id: tenant.tenant_id.0,
        tenant_name: tenant.name,
        role: caller.role.into(),
        name: caller.name,
    }))
}
