//! Runs: the processing of documents.

use std::sync::Arc;

use api_types::{FileContent, RunPage, RunQuery, RunView, StageProgress, StageView};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::{DocId, RunId};
use ops::{RunDetail, StageRecord};
use uuid::Uuid;

use crate::Api;
use crate::content_disposition::content_disposition;
use crate::extract::{Id, Path, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{AboutOne, Checked, Guarded};
use crate::problem::ApiProblem;

/// List runs
///
/// Newest first.
#[utoipa::path(
    get, path = "/ingestion-runs", tag = "documents", operation_id = "list_runs",
    params(RunQuery),
    responses((status = 200, body = RunPage, description = "A page of runs"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<RunQuery>,
) -> Result<Json<RunPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page =
        api.ops.runs.list_runs(&caller, query.status, query.doc_id.map(DocId), &request).await?;
    Ok(Json(RunPage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Look at a run
#[utoipa::path(
    get, path = "/ingestion-runs/{id}", tag = "documents", operation_id = "find_run",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = RunView, description = "The run"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<RunView>, ApiProblem> {
    Ok(Json(view(api.ops.runs.find_run(&caller, RunId(id)).await?)))
}

/// Download what a stage left
///
/// Everyone who sees the document can read the run of its active version, and its latest run while no version
/// is active. Older runs are for administrators and reviewers (403, `run_is_older`), runs from before a mask for
/// administrators (403, `run_is_before_mask`).
#[utoipa::path(
    get, path = "/ingestion-runs/{id}/artifacts/{stage}/{name}", tag = "documents",
    operation_id = "get_artifact",
    params(("id" = Uuid, Path), ("stage" = String, Path, example = "layout"),
           ("name" = String, Path, example = "document.md")),
    responses(
        (status = 200, content_type = "application/octet-stream", body = FileContent,
         description = "The file that the stage left"),
        Guarded, Checked, AboutOne,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn artifact(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path((id, stage, name)): Path<(String, String, String)>,
) -> Result<Response, ApiProblem> {
    let id: Uuid = id.parse().map_err(|_| no_such_run())?;
    let found = api.ops.content.read_stage_artifact(&caller, RunId(id), &stage, &name).await?;
    let mut response = Body::from_stream(found.bytes).into_response();
    let headers = response.headers_mut();
    // A stranger's bytes: saved, never shown.
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    if let Ok(disposition) = HeaderValue::from_str(&content_disposition(&found.file_name)) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

fn no_such_run() -> ApiProblem {
    ApiProblem::new(StatusCode::NOT_FOUND, "not_found", "there is no such run")
}

pub(super) fn view(RunDetail { run, stages, is_readable }: RunDetail) -> RunView {
    RunView {
        run_id: run.run_id.0,
        tenant_id: run.tenant_id.0,
        doc_id: run.doc_id.0,
        status: run.status,
        run_type: run.run_type,
        pipeline: run.pipeline,
        parent_run_id: run.parent_run_id,
        reason: run.reason,
        batch_id: run.batch_id,
        created_at: run.created_at,
        started_at: run.started_at,
        updated_at: run.updated_at,
        finished_at: run.finished_at,
        config: run.config.into(),
        stats: run.stats,
        error: run.error,
        error_code: run.error_code,
        artifacts_readable: is_readable,
        stages: stages.into_iter().map(stage_view).collect(),
    }
}

fn stage_view(stage: StageRecord) -> StageView {
    let progress = stage.progress_done.zip(stage.progress_total);
    let duration = stage.started_at.zip(stage.ended_at).map(|(from, to)| to - from);
    StageView {
        name: stage.name,
        status: stage.status,
        started_at: stage.started_at,
        ended_at: stage.ended_at,
        duration_ms: duration.map(|duration| duration.num_milliseconds()),
        worker_id: stage.worker_id,
        retries: stage.retries,
        error: stage.error,
        progress: progress.map(|(done, total)| StageProgress { done, total }),
        waiting_for: stage.waiting_for,
        artifacts: stage.artifacts.into_iter().map(Into::into).collect(),
    }
}
