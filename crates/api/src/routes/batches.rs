//! Batches: documents that are uploaded together.

use std::sync::Arc;

use api_types::{
    BatchCounts, BatchPage, BatchUploadResponse, BatchView, CreateBatchRequest, FileOutcome,
    FileProblem, PageQuery, UploadManyForm,
};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use domain::{BatchId, IdempotencyClaim};
use ops::{BatchRecord, OpsError, RequestedBatch, StagedUpload, UploadMetadata};

use super::documents::ingest_view;
use crate::Api;
use crate::extract::{
    FormPart, Id, IdempotentBody, Query, SignedInCaller, Upload, cursor_of, page_request,
};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IdempotencyKeyHeader, Idempotent, Uploaded, WithBody,
};
use crate::problem::ApiProblem;
use crate::replay_header::with_replay_header;

/// Create a batch
#[utoipa::path(
    post, path = "/batches", tag = "batches", operation_id = "create_batch",
    params(IdempotencyKeyHeader),
    request_body = CreateBatchRequest,
    responses(
        (status = 201, body = BatchView, description = "The batch", headers(
            ("location" = String, description = "The path of the batch"),
            ("idempotent-replayed" = String, description = "`true` if the response is that of an earlier request"),
        )),
        Guarded, Checked, WithBody, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn create(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    IdempotentBody { body, claim }: IdempotentBody<CreateBatchRequest>,
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
    Ok(with_replay_header((StatusCode::CREATED, location, Json(view(batch))), done.replayed))
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

/// Get a batch
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
/// Accepts many files; their headers and the other fields may have up to 256 kB in total. Each file is accepted or refused
/// separately, as the response says. A title, a password and tags apply to the next file in the form.
#[utoipa::path(
    post, path = "/batches/{id}/documents", tag = "batches", operation_id = "add_to_batch",
    params(("id" = Uuid, Path),
           IdempotencyKeyHeader),
    request_body(content = UploadManyForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, body = BatchUploadResponse, description = "At least one file was accepted"),
        (status = 200, body = BatchUploadResponse, description = "No file was accepted; each result says why"),
        Guarded, Checked, Uploaded, AboutOne, CanConflict,
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
    let mut metadata = UploadMetadata::default();
    loop {
        let next = match form.next(&api).await {
            Ok(Some(FormPart::Field(field))) => field.add_to(&mut metadata).map(|()| None),
            Ok(Some(FormPart::File { file_name, received })) => Ok(Some((file_name, received))),
            Ok(None) => break,
            Err(problem) => Err(problem),
        };
        match next {
            Ok(None) => {}
            Ok(Some((file_name, received))) => {
                let batch_id = Some(BatchId(id));
                let described =
                    UploadMetadata { file_name, batch_id, ..std::mem::take(&mut metadata) };
                let claim = form.claim_nth(files.len(), &described, &received);
                let (file, replayed) = submit(&api, described, received, claim.as_ref()).await;
                all_replayed &= replayed;
                files.push(file);
            }
            // Earlier files are accepted, so the response must list them; the rest of the form cannot be read.
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
        return Err(ApiProblem::invalid(
            "The form contains no file. Send files in fields named file.",
        ));
    }
    let accepted = files.iter().any(|file| file.accepted.is_some());
    let status = if accepted { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(with_replay_header(
        (status, Json(BatchUploadResponse { batch_id: id, files })),
        all_replayed,
    ))
}

/// Submits a file; returns its result and whether that was replayed.
async fn submit(
    api: &Api,
    described: UploadMetadata,
    received: StagedUpload,
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
