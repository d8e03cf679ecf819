//! The caller's tenant: its rules, limits and usage.

use std::sync::Arc;

use api_types::{LimitsView, RulesView, TenantView, UsageView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Caller;

use crate::Api;
use crate::extract::{Body, SignedInCaller, Wording, from_value};
use crate::openapi::{Checked, Guarded, WithBody};
use crate::problem::ApiProblem;

/// Look at the tenant
///
/// Its rules, what the operator grants it, and what it uses.
#[utoipa::path(
    get, path = "/tenant", tag = "tenant", operation_id = "look_at_tenant",
    responses((status = 200, body = TenantView, description = "The tenant"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn look(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<TenantView>, ApiProblem> {
    Ok(Json(view(&api, &caller).await?))
}

/// Change the tenant's rules
///
/// The rules given take the place of those there were. They hold for what is handed in or run again from now on.
#[utoipa::path(
    put, path = "/tenant/rules", tag = "tenant", operation_id = "change_rules",
    request_body = RulesView,
    responses((status = 200, body = TenantView, description = "The tenant"), Guarded, Checked, WithBody),
    security(("bearer" = [])),
)]
pub(crate) async fn change_rules(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Body(rules): Body<RulesView>,
) -> Result<Json<TenantView>, ApiProblem> {
    // Both have the same form, but for kinds of files, which are texts only until here.
    let rules =
        serde_json::to_value(rules).map_err(|error| ApiProblem::internal(error.to_string()))?;
    let wording = Wording { field: "field", whole: "the JSON body" };
    let rules = from_value(rules).map_err(|mismatch| mismatch.into_problem(wording))?;
    api.ops.tenants.change_rules(&caller, rules).await?;
    Ok(Json(view(&api, &caller).await?))
}

async fn view(api: &Api, caller: &Caller) -> Result<TenantView, ApiProblem> {
    let found = api.ops.tenants.look_at_tenant(caller).await?;
    let usual = api.settings.rate_limit_per_second.get();
    let rules = RulesView::of(&found.rules).map_err(|_| {
        ApiProblem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the rules cannot be shown")
    })?;
    Ok(TenantView {
        tenant_id: found.tenant.tenant_id.0,
        name: found.tenant.name,
        stages: found.stages.iter().map(ToString::to_string).collect(),
        rules,
        limits: LimitsView {
            max_upload_bytes: found.max_upload_bytes,
            queue_quota: found.queue_quota,
            requests_per_second: found.requests_per_second.unwrap_or(usual),
            concurrent_uploads: found.concurrent_uploads,
            storage_quota_bytes: found.storage_quota,
        },
        usage: UsageView {
            documents: found.usage.documents,
            bytes: found.usage.bytes,
            waiting_runs: found.usage.waiting_runs,
            users: found.usage.users,
        },
    })
}
