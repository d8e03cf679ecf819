//! The queue: jobs, dead letters, runs to cancel.

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
use crate::extract::{Body, Id, Once, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{
    AboutOne, CanClash, Checked, DoneOnce, Guarded, IdempotencyKeyHeader, WithBody,
};
use crate::problem::ApiProblem;
use crate::replayed::marked;

/// List jobs
///
/// Newest first. A dead job says in `closed_by` when it needs no attention any more.
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
    let filter = JobFilter {
        status: query.status.map(Into::into),
        stage: query.stage,
        run_id: query.run_id.map(RunId),
    };
    let page = api.ops.runs.list_jobs(&caller, &filter, &request).await?;
    Ok(Json(page_view(page, &request)))
}

/// List dead jobs
///
/// Those that need attention, one for each document at most: each says what happened, in which stage, after how many
/// attempts, and what a person can do. A dead job leaves the list by itself when its document is deleted or withdrawn or
/// a later run takes the place of its run; somebody can discard it.
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

/// Give dead jobs a fresh start
///
/// Oldest first, those that need attention and fit every condition of the body; 1000 at most in one request.
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
            "created_after and created_before must lie in the years 1 to 9999",
        ));
    }
    // PostgreSQL's text cannot hold it, so nothing could match.
    if [&body.stage, &body.error_contains].into_iter().flatten().any(|text| text.contains('\0')) {
        return Err(ApiProblem::invalid("the body holds a NUL character; leave it out"));
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

/// Discard failures
///
/// Their dead jobs need no attention any more; their documents stay failed, with the reason. They can still be retried
/// or rerun. Jobs that are not dead or need no attention are left as they are, and the answer says why.
#[utoipa::path(
    post, path = "/jobs/dead/discard", tag = "jobs", operation_id = "discard_dead_jobs",
    params(IdempotencyKeyHeader),
    request_body = DiscardRequest,
    responses(
        (status = 200, body = DiscardResponse, description = "How many failures were discarded", headers(
            ("idempotent-replayed" = String, description = "`true` when it was done before"),
        )),
        Guarded, Checked, WithBody, CanClash, DoneOnce,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn discard_dead(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Once { body, claim }: Once<DiscardRequest>,
) -> Result<Response, ApiProblem> {
    let jobs: Vec<JobId> = body.job_ids.into_iter().map(JobId).collect();
    let done = api.ops.runs.discard_jobs(&caller, &jobs, claim.as_ref()).await?;
    let skipped = |SkippedJob { job_id, problem }| SkippedJobView { job_id: job_id.0, problem };
    let view = DiscardResponse {
        discarded: done.value.discarded,
        skipped: done.value.skipped.into_iter().map(skipped).collect(),
    };
    Ok(marked(Json(view), done.replayed))
}

/// Look at a job
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

/// Give a dead job a fresh start
///
/// One that was discarded, too. Not one whose document was deleted (`document_deleted`), nor one of a run that a later
/// run took the place of (`job_superseded`).
#[utoipa::path(
    post, path = "/jobs/{id}/retry", tag = "jobs", operation_id = "retry_job",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = JobView, description = "The job"), Guarded, Checked, AboutOne, CanClash),
    security(("bearer" = [])),
)]
pub(crate) async fn retry(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<JobView>, ApiProblem> {
    Ok(Json(view(api.ops.runs.retry_job(&caller, JobId(id)).await?)))
}

/// How the queues stand
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
/// Its job is given up; retrying that job goes on with the run.
#[utoipa::path(
    post, path = "/runs/{id}/cancel", tag = "jobs", operation_id = "cancel_run",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Cancelled"), Guarded, Checked, AboutOne, CanClash),
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
        status: job.status.into(),
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
