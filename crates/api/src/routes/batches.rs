//! Batches: documents that are handed in together.

use std::sync::Arc;

use api_types::{
    BatchCounts, BatchPage, BatchResultPage, BatchResultView, BatchUploadResponse, BatchView,
    CreateBatchRequest, FileOutcome, FileProblem, PageQuery, UploadManyForm,
};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use domain::{BatchId, IdempotencyClaim};
use ops::{BatchItemRecord, BatchRecord, Described, OpsError, Received, RequestedBatch};

use super::documents::ingest_view;
use crate::Api;
use crate::extract::{Id, Once, Part, Query, SignedInCaller, Upload, cursor_of, page_request};
use crate::openapi::{
    AboutOne, CanClash, Checked, DoneOnce, Guarded, IdempotencyKeyHeader, Uploaded, WithBody,
};
use crate::problem::ApiProblem;
use crate::replayed::marked;

/// Make a batch
#[utoipa::path(
    post, path = "/batches", tag = "batches", operation_id = "create_batch",
    params(IdempotencyKeyHeader),
    request_body = CreateBatchRequest,
    responses(
        (status = 201, body = BatchView, description = "The batch", headers(
            ("location" = String, description = "The batch's address"),
            ("idempotent-replayed" = String, description = "`true` when it was done before"),
        )),
        Guarded, Checked, WithBody, CanClash, DoneOnce,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn create(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Once { body, claim }: Once<CreateBatchRequest>,
) -> Result<Response, ApiProblem> {
    let requested = RequestedBatch {
        name: body.name,
        webhook_url: body.webhook_url,
        schema_mapping: body.schema_mapping,
        dedupe: body.dedupe,
        pipeline: body.pipeline,
        expected_documents: body.expected_documents,
    };
    let done = api.ops.batches.create_batch(&caller, requested, claim.as_ref()).await?;
    let batch = api.ops.batches.find_batch(&caller, done.value).await?;
    let location = [(header::LOCATION, format!("/v1/batches/{}", done.value))];
    Ok(marked((StatusCode::CREATED, location, Json(view(batch))), done.replayed))
}

/// List batches
///
/// Newest first.
#[utoipa::path(
    get, path = "/batches", tag = "batches", operation_id = "list_batches",
    params(PageQuery),
    responses((status = 200, body = BatchPage, description = "A page of batches"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<PageQuery>,
) -> Result<Json<BatchPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.batches.list_batches(&caller, &request).await?;
    Ok(Json(BatchPage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Look at a batch
#[utoipa::path(
    get, path = "/batches/{id}", tag = "batches", operation_id = "find_batch",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = BatchView, description = "The batch"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<BatchView>, ApiProblem> {
    Ok(Json(view(api.ops.batches.find_batch(&caller, BatchId(id)).await?)))
}

/// Add documents to a batch
///
/// Many files: their headers and the other fields may come to 256 kB. Each file is accepted or refused by itself, as the
/// answer says. A title, a password and tags are for the file that comes next.
#[utoipa::path(
    post, path = "/batches/{id}/documents", tag = "batches", operation_id = "add_to_batch",
    params(("id" = Uuid, Path),
           IdempotencyKeyHeader),
    request_body(content = UploadManyForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, body = BatchUploadResponse, description = "At least one was accepted"),
        (status = 200, body = BatchUploadResponse, description = "None was accepted; each says why"),
        Guarded, Checked, Uploaded, AboutOne, CanClash,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn add(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    upload: Upload,
) -> Result<Response, ApiProblem> {
    let permit = api.ops.uploads.admit_upload(&caller).await?;
    api.ops.batches.check_batch_for_upload(&caller, BatchId(id)).await?;
    let mut form = upload.read(&api, permit);
    let (mut files, mut all_replayed) = (Vec::new(), true);
    let mut said = Described::default();
    loop {
        let next = match form.next(&api).await {
            Ok(Some(Part::Field(field))) => field.add_to(&mut said).map(|()| None),
            Ok(Some(Part::File { file_name, received })) => Ok(Some((file_name, received))),
            Ok(None) => break,
            Err(problem) => Err(problem),
        };
        match next {
            Ok(None) => {}
            Ok(Some((file_name, received))) => {
                let batch_id = Some(BatchId(id));
                let described = Described { file_name, batch_id, ..std::mem::take(&mut said) };
                let claim = form.claim_nth(files.len(), &described, &received);
                let (file, replayed) = take(&api, described, received, claim.as_ref()).await;
                all_replayed &= replayed;
                files.push(file);
            }
            // What came before is accepted and must be told; the rest of the form cannot be read.
            Err(problem) if problem.code == "too_large" => {
                api.ops.uploads.note_too_large_in_batch(&caller, BatchId(id)).await?;
                if files.is_empty() {
                    return Err(problem);
                }
                files.push(refused("the rest of the form".to_owned(), &problem));
                break;
            }
            Err(problem) if !files.is_empty() => {
                files.push(refused("the rest of the form".to_owned(), &problem));
                break;
            }
            Err(problem) => return Err(problem),
        }
    }
    if files.is_empty() {
        return Err(ApiProblem::invalid("the form holds no file: send them in fields named file"));
    }
    let accepted = files.iter().any(|file| file.accepted.is_some());
    let status = if accepted { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(marked((status, Json(BatchUploadResponse { batch_id: id, files })), all_replayed))
}

/// What became of a file, and whether that had happened before.
async fn take(
    api: &Api,
    described: Described,
    received: Received,
    claim: Option<&IdempotencyClaim>,
) -> (FileOutcome, bool) {
    let filename = described.file_name.clone();
    match api.ops.uploads.submit_document(received, described, claim).await {
        Ok(done) => {
            let accepted = Some(ingest_view(&done.value));
            (FileOutcome { filename, accepted, problem: None }, done.replayed)
        }
        Err(error) => (refused(filename, &problem_of(error)), false),
    }
}

fn problem_of(error: OpsError) -> ApiProblem {
    error.into()
}

fn refused(filename: String, problem: &ApiProblem) -> FileOutcome {
    let problem = FileProblem { code: problem.code.to_owned(), detail: problem.detail.clone() };
    FileOutcome { filename, accepted: None, problem: Some(problem) }
}

/// What became of a batch's documents
///
/// In the order they came.
#[utoipa::path(
    get, path = "/batches/{id}/results", tag = "batches", operation_id = "list_batch_results",
    params(("id" = Uuid, Path), PageQuery),
    responses((status = 200, body = BatchResultPage, description = "A page of the batch's documents"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn results(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Query(query): Query<PageQuery>,
) -> Result<Json<BatchResultPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.batches.list_batch_results(&caller, BatchId(id), &request).await?;
    Ok(Json(BatchResultPage {
        items: page.items.into_iter().map(result_view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

fn view(batch: BatchRecord) -> BatchView {
    BatchView {
        batch_id: batch.batch_id.0,
        name: batch.name,
        status: batch.status,
        webhook_url: batch.webhook_url,
        schema_mapping: batch.schema_mapping,
        dedupe: batch.dedupe,
        pipeline: batch.pipeline,
        expected_documents: batch.expected,
        counts: BatchCounts {
            offered: batch.offered,
            refused: batch.refused,
            documents: batch.documents,
            succeeded: batch.succeeded,
            failed: batch.failed,
            pending: batch.documents - batch.succeeded - batch.failed,
        },
        created_at: batch.created_at,
        updated_at: batch.updated_at,
        finished_at: batch.finished_at,
    }
}

fn result_view(item: BatchItemRecord) -> BatchResultView {
    BatchResultView {
        doc_id: item.doc_id.0,
        run_id: item.run_id,
        title: item.title,
        filename: item.filename,
        status: item.status,
        dedup_result: item.outcome,
        run_status: item.run_status,
        error: item.error,
        stats: item.stats,
        added_at: item.added_at,
        finished_at: item.finished_at,
    }
}
