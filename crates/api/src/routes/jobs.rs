//! Jobs, dead jobs and queues; cancelling runs.

use std::sync::Arc;

use api_types::{
    DiscardRequest, DiscardResponse, JobPage, JobQuery, JobView, PageQuery, QueueView, QueuesView,
    RequeueRequest, RequeueResponse, SkippedJobView, is_storable,
};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::{DocId, JobId, RunId};
use ops::{DeadJobFilter, JobFilter, JobRecord, Page, PageRequest, RequestedRequeue, SkippedJob};

use crate::Api;
use crate::extract::{Body, Id, IdempotentBody, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IdempotencyKeyHeader, Idempotent, WithBody,
};
use crate::problem::ApiProblem;
use crate::replay_header::with_replay_header;

/// List jobs
///
/// Newest first. `closed_by` of a dead job says why it needs no attention.
#[utoipa::path(
    get, path = "/jobs", tag = "jobs", operation_id = "list_jobs",
    params(JobQuery),
    responses((status = 200, body = JobPage, description = "A page of jobs"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<JobQuery>,
) -> Result<Json<JobPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let filter =
        JobFilter { status: query.status, stage: query.stage, run_id: query.run_id.map(RunId) };
    let page = api.ops.runs.list_jobs(&caller, &filter, &request).await?;
    Ok(Json(page_view(page, &request)))
}

/// List dead jobs
///
/// Dead jobs that need attention, at most one per document. Each says what happened, in which stage, after how many
/// attempts, and what to do. A dead job leaves the list when its document is deleted or withdrawn, when a later run
/// replaces its run, or when it is discarded.
#[utoipa::path(
    get, path = "/jobs/dead", tag = "jobs", operation_id = "list_dead_jobs",
    params(PageQuery),
    responses((status = 200, body = JobPage, description = "A page of jobs"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list_dead(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<PageQuery>,
) -> Result<Json<JobPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.runs.list_dead_jobs(&caller, &request).await?;
    Ok(Json(page_view(page, &request)))
}

/// Requeue dead jobs
///
/// Requeues dead jobs that need attention and match every condition of the body, oldest first, at most 1000 per request.
#[utoipa::path(
    post, path = "/jobs/dead/requeue", tag = "jobs", operation_id = "requeue_dead_jobs",
    request_body = RequeueRequest,
    responses((status = 200, body = RequeueResponse, description = "How many jobs were requeued"), Guarded, Checked, WithBody),
    security(("bearer" = [])),
)]
pub(crate) async fn requeue_dead(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Body(body): Body<RequeueRequest>,
) -> Result<Json<RequeueResponse>, ApiProblem> {
    let requeued = api.ops.runs.requeue_dead_jobs(&caller, &requested(body)?).await?;
    Ok(Json(RequeueResponse { requeued }))
}

fn requested(body: RequeueRequest) -> Result<RequestedRequeue, ApiProblem> {
    if ![body.created_after, body.created_before].into_iter().flatten().all(is_storable) {
        return Err(ApiProblem::invalid(
            "created_after and created_before must be in the years 1 to 9999.",
        ));
    }
    // PostgreSQL cannot store NUL in texts, so nothing could match.
    if [&body.stage, &body.error_contains].into_iter().flatten().any(|text| text.contains('\0')) {
        return Err(ApiProblem::invalid("The body contains a NUL character. Remove it."));
    }
    let filter = DeadJobFilter {
        stage: body.stage,
        error_class: body.error_class.map(|class| class.as_str().to_owned()),
        created_from: body.created_after,
        created_before: body.created_before,
        run_id: body.run_id.map(RunId),
        doc_id: body.doc_id.map(DocId),
        error_contains: body.error_contains,
    };
    Ok(RequestedRequeue { filter, all: body.all })
}

/// Discard dead jobs
///
/// Discarded jobs need no attention; their documents stay failed, with the reason. Both can still be retried or rerun. Jobs
/// that are not dead or already need no attention are skipped, and the response says why.
#[utoipa::path(
    post, path = "/jobs/dead/discard", tag = "jobs", operation_id = "discard_dead_jobs",
    params(IdempotencyKeyHeader),
    request_body = DiscardRequest,
    responses(
        (status = 200, body = DiscardResponse, description = "How many dead jobs were discarded", headers(
            ("idempotent-replayed" = String, description = "`true` if the response is that of an earlier request"),
        )),
        Guarded, Checked, WithBody, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn discard_dead(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    IdempotentBody { body, claim }: IdempotentBody<DiscardRequest>,
) -> Result<Response, ApiProblem> {
    let jobs: Vec<JobId> = body.job_ids.into_iter().map(JobId).collect();
    let done = api.ops.runs.discard_jobs(&caller, &jobs, claim.as_ref()).await?;
    let skipped = |SkippedJob { job_id, problem }| SkippedJobView { job_id: job_id.0, problem };
    let view = DiscardResponse {
        discarded: done.value.discarded,
        skipped: done.value.skipped.into_iter().map(skipped).collect(),
    };
    Ok(with_replay_header(Json(view), done.replayed))
}

/// Get a job
#[utoipa::path(
    get, path = "/jobs/{id}", tag = "jobs", operation_id = "find_job",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = JobView, description = "The job"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<JobView>, ApiProblem> {
    Ok(Json(view(api.ops.runs.find_job(&caller, JobId(id)).await?)))
}

/// Retry a dead job
///
/// A discarded job can be retried too, but not a job whose document was deleted (`document_deleted`), nor one whose run was
/// replaced by a later run (`job_superseded`).
#[utoipa::path(
    post, path = "/jobs/{id}/retry", tag = "jobs", operation_id = "retry_job",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = JobView, description = "The job"), Guarded, Checked, AboutOne, CanConflict),
    security(("bearer" = [])),
)]
pub(crate) async fn retry(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<JobView>, ApiProblem> {
    Ok(Json(view(api.ops.runs.retry_job(&caller, JobId(id)).await?)))
}

/// List queues
#[utoipa::path(
    get, path = "/queues", tag = "jobs", operation_id = "list_queues",
    responses((status = 200, body = QueuesView, description = "Every queue"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn queues(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<QueuesView>, ApiProblem> {
    let now = api.ops.clock().now();
    let queues = api.ops.runs.list_queues(&caller).await?.into_iter().map(|queue| QueueView {
        stage: queue.stage,
        waiting: queue.waiting,
        paused: queue.paused,
        in_flight: queue.in_flight,
        dead: queue.dead,
        finished_last_minute: queue.finished_last_minute,
        oldest_age_seconds: queue.oldest.map(|oldest| (now - oldest).num_seconds().max(0)),
    });
    Ok(Json(QueuesView { queues: queues.collect() }))
}

/// Cancel a run
///
/// The job of the run becomes a dead job; retrying that job resumes the run.
#[utoipa::path(
    post, path = "/runs/{id}/cancel", tag = "jobs", operation_id = "cancel_run",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Cancelled"), Guarded, Checked, AboutOne, CanConflict),
    security(("bearer" = [])),
)]
pub(crate) async fn cancel_run(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<StatusCode, ApiProblem> {
    api.ops.runs.cancel_run(&caller, RunId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn page_view(page: Page<JobRecord>, request: &PageRequest) -> JobPage {
    JobPage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }
}

fn view(job: JobRecord) -> JobView {
    JobView {
        job_id: job.job_id.0,
        kind: job.kind,
        run_id: job.run_id.0,
        doc_id: job.doc_id.0,
        doc_title: job.doc_title,
        stage: job.stage.to_string(),
        status: job.status,
        priority: job.priority,
        attempts: job.attempts,
        max_attempts: job.max_attempts,
        expiries: job.expiries,
        next_run_at: job.next_run_at,
        worker_id: job.worker_id,
        lease_until: job.lease_until,
        started_at: job.started_at,
        error: job.error,
        error_class: job.error_class,
        error_code: job.error_code,
        closed_by: job.closed_by.map(|closed_by| closed_by.as_str().to_owned()),
        guidance: job.guidance,
        waiting_for: job.paused_for,
        pauses: job.pauses,
        created_at: job.created_at,
        updated_at: job.updated_at,
    }
}
