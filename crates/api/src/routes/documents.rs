//! Documents: uploading, reading, tagging, retrying, withdrawing and deleting them.

use std::sync::Arc;

use api_types::{
    AttachmentView, DocumentDetailView, DocumentProgressView, DocumentTitle, DocumentView,
    IngestResponse, IngestStatus, LinkQuery, LinkView, RerunResponse, Tags, UploadForm,
    VersionView,
};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use domain::{Caller, DedupResult, DocId, RunState};
use ops::{
    Accepted, DocumentDetail, DocumentProgress, ListedDocument, Outcome, PartRecord, VersionRecord,
};

use super::{runs, trades};
use crate::Api;
use crate::extract::{Body, Id, Query, SignedInCaller, Upload};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IdempotencyKeyHeader, Idempotent, Uploaded, WithBody,
};
use crate::problem::ApiProblem;
use crate::replay_header::with_replay_header;

/// Upload a document
///
/// A document is identified by its content: the same content again is skipped, or joins the run in progress.
#[utoipa::path(
    post, path = "/ingest", tag = "documents", operation_id = "ingest",
    params(IdempotencyKeyHeader),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, body = IngestResponse, description = "Accepted",
         headers(("location" = String, description = "The path of the run"))),
        (status = 200, body = IngestResponse, description = "Nothing to do: the document is active"),
        Guarded, Checked, Uploaded, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn ingest(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    upload: Upload,
) -> Result<Response, ApiProblem> {
    upload_one(&api, &caller, upload).await
}

/// Upload a document (alias)
///
/// The same as `POST /v1/ingest`.
#[utoipa::path(
    post, path = "/documents", tag = "documents", operation_id = "create_document",
    params(IdempotencyKeyHeader),
    request_body(content = UploadForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, body = IngestResponse, description = "Accepted",
         headers(("location" = String, description = "The path of the run"))),
        (status = 200, body = IngestResponse, description = "Nothing to do: the document is active"),
        Guarded, Checked, Uploaded, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn create(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    upload: Upload,
) -> Result<Response, ApiProblem> {
    upload_one(&api, &caller, upload).await
}

/// Accepts a form with exactly one file and its metadata.
async fn upload_one(
    api: &Arc<Api>,
    caller: &Caller,
    upload: Upload,
) -> Result<Response, ApiProblem> {
    let permit = api.ops.uploads.admit_upload(caller).await?;
    let mut form = upload.read(api, permit);
    let (metadata, received) = form.read_one(api).await?;
    let claim = form.claim(&metadata, &received);
    let done = api.ops.uploads.submit_document(received, metadata, claim.as_ref()).await?;
    Ok(answer(done))
}

fn answer(done: Outcome<Accepted>) -> Response {
    let view = ingest_view(&done.value);
    let status =
        if view.status == IngestStatus::Skipped { StatusCode::OK } else { StatusCode::ACCEPTED };
    let location = match view.run_id {
        Some(run_id) => format!("/v1/ingestion-runs/{run_id}"),
        None => format!("/v1/documents/{}", view.doc_id),
    };
    with_replay_header((status, [(header::LOCATION, location)], Json(view)), done.replayed)
}

pub(super) fn ingest_view(accepted: &Accepted) -> IngestResponse {
    let (status, reason) = match (accepted.result, &accepted.run) {
        (DedupResult::Skipped, _) | (_, None) => {
            (IngestStatus::Skipped, Some("already ingested, no changes".to_owned()))
        }
        (DedupResult::InProgress, Some(run)) => {
            let status =
                if run.is_running() { IngestStatus::Running } else { IngestStatus::Queued };
            (status, Some("the same content is already being processed".to_owned()))
        }
        (DedupResult::New | DedupResult::NewVersion, Some(_)) => (IngestStatus::Queued, None),
    };
    IngestResponse {
        doc_id: accepted.doc_id.0,
        run_id: accepted.run.as_ref().map(|run| run.run_id.0),
        status,
        dedup_result: accepted.result.to_string(),
        content_hash: accepted.content_hash.clone(),
        reason,
    }
}

/// Get a document
///
/// With its versions, its latest runs and their stages, its attachments and its trades.
#[utoipa::path(
    get, path = "/documents/{id}", tag = "documents", operation_id = "find_document",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = DocumentDetailView, description = "The document"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<DocumentDetailView>, ApiProblem> {
    let DocumentDetail { document, versions, runs, parts, trades } =
        api.ops.documents.find_document(&caller, DocId(id)).await?;
    Ok(Json(DocumentDetailView {
        document: view(document),
        versions: versions.into_iter().map(version_view).collect(),
        runs: runs.into_iter().map(runs::view).collect(),
        parts: parts.into_iter().map(attachment_view).collect(),
        trades: trades.into_iter().map(trades::view).collect(),
    }))
}

/// Delete a document
///
/// Nobody can see, find or read the document or its runs, and links to it stop working. Its rows and its original stay in
/// the database and the object store until they are erased.
#[utoipa::path(
    delete, path = "/documents/{id}", tag = "documents", operation_id = "delete_document",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Deleted"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn delete(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<StatusCode, ApiProblem> {
    api.ops.documents.delete_document(&caller, DocId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Retry a failed document
#[utoipa::path(
    post, path = "/documents/{id}/retry", tag = "documents", operation_id = "retry_document",
    params(("id" = Uuid, Path)),
    responses((status = 202, body = RerunResponse, description = "The run that was queued"), Guarded, Checked, AboutOne, CanConflict),
    security(("bearer" = [])),
)]
pub(crate) async fn retry(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<(StatusCode, Json<RerunResponse>), ApiProblem> {
    let run_id = api.ops.runs.retry_document(&caller, DocId(id)).await?;
    Ok(queued(id, run_id.0))
}

/// Tag a document
///
/// Replaces all tags of the document.
#[utoipa::path(
    put, path = "/documents/{id}/tags", tag = "documents", operation_id = "tag_document",
    params(("id" = Uuid, Path)),
    request_body = Tags,
    responses((status = 200, body = Tags, description = "The new tags of the document"), Guarded, Checked, WithBody, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn tag(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Body(body): Body<Tags>,
) -> Result<Json<Tags>, ApiProblem> {
    Ok(Json(Tags { tags: api.ops.documents.tag_document(&caller, DocId(id), body.tags).await? }))
}

/// Rename a document
///
/// Administrators and reviewers change the title for everyone. Other owners of the document change it for themselves
/// only. The file name stays as it is.
#[utoipa::path(
    put, path = "/documents/{id}/title", tag = "documents", operation_id = "rename_document",
    params(("id" = Uuid, Path)),
    request_body = DocumentTitle,
    responses((status = 200, body = DocumentTitle, description = "The new title of the document"), Guarded, Checked, WithBody, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn rename(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Body(body): Body<DocumentTitle>,
) -> Result<Json<DocumentTitle>, ApiProblem> {
    let title = api.ops.documents.rename_document(&caller, DocId(id), &body.title).await?;
    Ok(Json(DocumentTitle { title }))
}

/// Withdraw a document
///
/// Deactivates its active version. Nothing is deleted.
#[utoipa::path(
    post, path = "/documents/{id}/deactivate", tag = "documents", operation_id = "deactivate_document",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Withdrawn"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn deactivate(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<StatusCode, ApiProblem> {
    api.ops.documents.deactivate_document(&caller, DocId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Create a link to the original
///
/// Anyone with the link can read the original, until the link expires, the document is deleted, or the caller who created
/// it may no longer read the original. The original of a document with masks, or that contains a deleted file, is for
/// administrators only (403, `original_is_masked` or `original_holds_deleted`).
#[utoipa::path(
    get, path = "/documents/{id}/original", tag = "documents", operation_id = "link_to_original",
    params(("id" = Uuid, Path), LinkQuery),
    responses((status = 200, body = LinkView, description = "The link"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn original(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Query(query): Query<LinkQuery>,
) -> Result<Json<LinkView>, ApiProblem> {
    link(&api, &caller, DocId(id), query).await
}

/// Create a link to the original (alias)
///
/// The same as `GET /v1/documents/{id}/original`.
#[utoipa::path(
    get, path = "/documents/{id}/pdf", tag = "documents", operation_id = "link_to_pdf",
    params(("id" = Uuid, Path), LinkQuery),
    responses((status = 200, body = LinkView, description = "The link"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn pdf(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Query(query): Query<LinkQuery>,
) -> Result<Json<LinkView>, ApiProblem> {
    link(&api, &caller, DocId(id), query).await
}

pub(super) async fn link(
    api: &Api,
    caller: &Caller,
    doc_id: DocId,
    query: LinkQuery,
) -> Result<Json<LinkView>, ApiProblem> {
    let hours = query.expires_in_hours.unwrap_or(1);
    let signed = api.ops.content.create_link(caller, doc_id, hours).await?;
    Ok(Json(LinkView {
        url: format!("/v1/files/{}", signed.token),
        filename: signed.file_name,
        expires_in_hours: hours,
        expires_at: signed.expires_at,
    }))
}

fn queued(doc_id: uuid::Uuid, run_id: uuid::Uuid) -> (StatusCode, Json<RerunResponse>) {
    (StatusCode::ACCEPTED, Json(RerunResponse { doc_id, run_id, status: RunState::Queued }))
}

pub(super) fn view(listed: ListedDocument) -> DocumentView {
    let ListedDocument { document, progress, has_page_images } = listed;
    DocumentView {
        doc_id: document.doc_id.0,
        title: document.title,
        filename: document.filename,
        status: document.status,
        error: document.error,
        error_code: document.error_code,
        file_kind: document.file_kind,
        source_uri: document.source_uri,
        source: document.source,
        content_type: document.mime,
        size_bytes: document.bytes_len,
        pages: document.pages,
        doc_version_id: document.doc_version_id,
        version_label: document.version_label,
        content_hash: document.content_hash,
        revision: document.revision,
        tags: document.tags,
        content_locked: document.content_locked,
        is_searchable: document.is_searchable,
        has_page_images,
        progress: progress.map(progress_view),
        created_at: document.created_at,
        updated_at: document.updated_at,
    }
}

fn progress_view(progress: DocumentProgress) -> DocumentProgressView {
    DocumentProgressView {
        run_id: progress.run_id.0,
        stage: progress.stage,
        is_running: progress.is_running,
        done: progress.done,
        total: progress.total,
        waiting_for: progress.waiting_for,
    }
}

fn attachment_view(part: PartRecord) -> AttachmentView {
    AttachmentView {
        doc_id: part.doc_id.0,
        name: part.name,
        title: part.title,
        status: part.status,
        place: if part.is_within { "within" } else { "around" }.to_owned(),
    }
}

fn version_view(version: VersionRecord) -> VersionView {
    VersionView {
        doc_version_id: version.doc_version_id,
        run_id: version.run_id.0,
        version_label: version.version_label,
        content_hash: version.content_hash,
        is_active: version.is_active,
        is_searchable: version.is_searchable,
        created_at: version.created_at,
        deactivated_at: version.deactivated_at,
    }
}
