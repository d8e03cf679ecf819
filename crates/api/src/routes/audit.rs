//! The audit log.

use std::sync::Arc;

use api_types::{
    AuditEntryView, AuditPage, AuditQuery, ChainView, CheckpointPage, CheckpointQuery,
    CheckpointView, is_storable,
};
use axum::Json;
use axum::extract::State;
use domain::Caller;

use crate::Api;
use crate::extract::{Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{Checked, Guarded};
use crate::problem::ApiProblem;

/// Read the audit log
///
/// Newest first.
#[utoipa::path(
    get, path = "/audit", tag = "audit", operation_id = "list_audit",
    params(AuditQuery),
    responses((status = 200, body = AuditPage, description = "A page of the audit log"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<AuditQuery>,
) -> Result<Json<AuditPage>, ApiProblem> {
    read_page(&api, &caller, &query).await
}

/// Read the audit log (alias)
///
/// The same as `GET /v1/audit`.
#[utoipa::path(
    get, path = "/api/audit/logs", tag = "audit", operation_id = "list_audit_logs",
    params(AuditQuery),
    responses((status = 200, body = AuditPage, description = "A page of the audit log"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list_logs(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<AuditQuery>,
) -> Result<Json<AuditPage>, ApiProblem> {
    read_page(&api, &caller, &query).await
}

/// Verify the audit log
///
/// Recomputes every hash of the tenant's chain, and compares the log with its signed checkpoints. At most one check runs
/// per tenant, and two per server; beyond that, the response is 503, `audit_check_running`.
#[utoipa::path(
    get, path = "/audit/verify", tag = "audit", operation_id = "verify_audit",
    responses((status = 200, body = ChainView, description = "The result of the check"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn verify(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<ChainView>, ApiProblem> {
    let report = api.ops.audit.check_own_audit(&caller).await?;
    Ok(Json(ChainView {
        rows: report.rows,
        is_whole: report.is_intact(),
        faults: report.sentences(),
        checkpoints: report.checkpoints.compared,
        last_checkpoint_at: report.checkpoints.last_taken_at,
    }))
}

/// List signed checkpoints of the audit log
///
/// For storage outside of Docket: a later change of rows that a checkpoint covers contradicts it.
#[utoipa::path(
    get, path = "/audit/checkpoints", tag = "audit", operation_id = "list_audit_checkpoints",
    params(CheckpointQuery),
    responses((status = 200, body = CheckpointPage, description = "The checkpoints"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn checkpoints(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<CheckpointQuery>,
) -> Result<Json<CheckpointPage>, ApiProblem> {
    if !(1..=1000).contains(&query.limit) {
        return Err(ApiProblem::invalid("limit must be 1 to 1000.").for_field("limit"));
    }
    let found = api.ops.audit.list_checkpoints(&caller, query.after.into(), query.limit).await?;
    let items = found.into_iter().map(|found| CheckpointView {
        number: found.number,
        taken_at: found.taken_at,
        rows: found.rows,
        statement: found.signed.statement,
        signature: found.signed.signature,
        public_key: found.signed.public_key,
    });
    Ok(Json(CheckpointPage { items: items.collect() }))
}

async fn read_page(
    api: &Api,
    caller: &Caller,
    query: &AuditQuery,
) -> Result<Json<AuditPage>, ApiProblem> {
    if ![query.from, query.to].into_iter().flatten().all(is_storable) {
        return Err(ApiProblem::invalid("from and to must be in the years 1 to 9999."));
    }
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.audit.read_audit(caller, &query.filter(), &request).await?;
    Ok(Json(AuditPage {
        items: page.items.into_iter().map(AuditEntryView::from).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}
