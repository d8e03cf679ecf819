//! Rerunning a document, with the same original or an updated one.

use std::sync::Arc;

use api_types::{RerunRequest, RerunResponse, UpdateForm};
use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::{Caller, DocId, RunState, Secret};
use ops::{Accepted, Outcome, RerunOptions};

use crate::Api;
use crate::extract::{Id, IdempotentBody, SignedInCaller, Upload, is_form};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IdempotencyKeyHeader, Idempotent, Uploaded, WithBody,
};
use crate::problem::ApiProblem;
use crate::replay_header::with_replay_header;

/// The body of a rerun request.
pub(crate) enum RerunBody {
    SameOriginal(IdempotentBody<RerunRequest>),
    UpdatedOriginal(Upload),
}

impl<S: Send + Sync> FromRequest<S> for RerunBody {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiProblem> {
        if is_form(request.headers()) {
            Upload::from_request(request, state).await.map(Self::UpdatedOriginal)
        } else {
            IdempotentBody::from_request(request, state).await.map(Self::SameOriginal)
        }
    }
}

/// Rerun a document
///
/// The current version stays active until the new run succeeds. A form with a file updates the original: the document keeps
/// its id, its owners and their titles, and gets a new version once the run succeeds. The file must have the document's
/// file kind. A file with the document's current content is a plain rerun; a file with the content of another document is
/// refused (409, `content_is_another_document`).
#[utoipa::path(
    post, path = "/documents/{id}/rerun", tag = "documents", operation_id = "rerun_document",
    params(("id" = Uuid, Path), IdempotencyKeyHeader),
    request_body(content(
        (RerunRequest = "application/json"),
        (UpdateForm = "multipart/form-data"),
    )),
    responses(
        (status = 202, body = RerunResponse, description = "The run that was queued"),
        Guarded, Checked, WithBody, Uploaded, AboutOne, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn rerun(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    body: RerunBody,
) -> Result<Response, ApiProblem> {
    let doc_id = DocId(id);
    let done = match body {
        RerunBody::SameOriginal(IdempotentBody { body, claim }) => {
            let rerun = RerunOptions {
                reason: body.reason,
                pipeline: body.pipeline,
                from_stage: body.from_stage,
                password: body.password.map(Secret::new),
                document_type: body.document_type,
                file_name: None,
            };
            api.ops.runs.rerun_document(&caller, doc_id, rerun, claim.as_ref()).await?
        }
        RerunBody::UpdatedOriginal(upload) => update(&api, &caller, doc_id, upload).await?,
    };
    answer(done)
}

async fn update(
    api: &Arc<Api>,
    caller: &Caller,
    doc_id: DocId,
    upload: Upload,
) -> Result<Outcome<Accepted>, ApiProblem> {
    api.ops.runs.check_document_for_update(caller, doc_id).await?;
    let permit = api.ops.uploads.admit_upload(caller).await?;
    let mut form = upload.read_update(api, permit);
    let (metadata, received) = form.read_one(api).await?;
    let claim = form.claim(&metadata, &received);
    Ok(api.ops.runs.update_original(caller, doc_id, received, metadata, claim.as_ref()).await?)
}

fn answer(done: Outcome<Accepted>) -> Result<Response, ApiProblem> {
    let run =
        done.value.run.ok_or_else(|| ApiProblem::internal("a rerun without a run".to_owned()))?;
    let view = RerunResponse {
        doc_id: done.value.doc_id.0,
        run_id: run.run_id.0,
        status: RunState::Queued,
    };
    Ok(with_replay_header((StatusCode::ACCEPTED, Json(view)), done.replayed))
}
