//! The caller's tenant: its rules, limits and usage.

use std::sync::Arc;

use api_types::{AcceptanceView, LimitsView, RulesView, TenantView, UsageView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Caller;

use crate::Api;
use crate::extract::{Body, SignedInCaller, Wording, from_value};
use crate::openapi::{Checked, Guarded, WithBody};
use crate::problem::ApiProblem;

/// Get the tenant
///
/// Its rules, limits and usage.
#[utoipa::path(
    get, path = "/tenant", tag = "tenant", operation_id = "look_at_tenant",
    responses((status = 200, body = TenantView, description = "The tenant"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn get(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<TenantView>, ApiProblem> {
    Ok(Json(view(&api, &caller).await?))
}

/// Change the tenant's rules
///
/// Replaces masks and pipeline. They apply to uploads and reruns from now on: existing documents keep their results until you rerun
/// them.
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
    // Both have the same form, except that file kinds are plain texts in the API type.
    let rules =
        serde_json::to_value(rules).map_err(|error| ApiProblem::internal(error.to_string()))?;
    let wording = Wording { field: "field", whole: "The JSON body" };
    let rules = from_value(rules).map_err(|mismatch| mismatch.into_problem(wording))?;
    api.ops.tenants.change_rules(&caller, rules).await?;
    Ok(Json(view(&api, &caller).await?))
}

/// Change the accepted error rate
///
/// Replaces the error rates that are accepted without review, for the tenant and for each document type, and the share of
/// accepted documents that is reviewed anyway. They apply to documents that are processed from now on.
#[utoipa::path(
    put, path = "/tenant/acceptance", tag = "tenant", operation_id = "change_acceptance",
    request_body = AcceptanceView,
    responses((status = 200, body = TenantView, description = "The tenant"), Guarded, Checked, WithBody),
    security(("bearer" = [])),
)]
pub(crate) async fn change_acceptance(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Body(acceptance): Body<AcceptanceView>,
) -> Result<Json<TenantView>, ApiProblem> {
    api.ops.tenants.change_acceptance(&caller, acceptance.into()).await?;
    Ok(Json(view(&api, &caller).await?))
}

async fn view(api: &Api, caller: &Caller) -> Result<TenantView, ApiProblem> {
    let found = api.ops.tenants.tenant_overview(caller).await?;
    let default_rate = api.settings.rate_limit_per_second.get();
    let rules = RulesView::of(&found.rules).map_err(|_| {
        ApiProblem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "The rules cannot be shown.")
    })?;
    Ok(TenantView {
        tenant_id: found.tenant.tenant_id.0,
        name: found.tenant.name,
        stages: found.stages.iter().map(ToString::to_string).collect(),
        acceptance: AcceptanceView::from(&found.rules.acceptance),
        rules,
        limits: LimitsView {
            max_upload_bytes: found.max_upload_bytes,
            queue_quota: found.queue_quota,
            requests_per_second: found.requests_per_second.unwrap_or(default_rate),
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
