//! Processing a document again, with the same original or an updated one.

use std::sync::Arc;

use api_types::{RerunRequest, RerunResponse, UpdateForm};
use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::{Caller, DocId, RunState, Secret};
use ops::{Accepted, Done, Rerun};

use crate::Api;
use crate::extract::{Id, Once, SignedInCaller, Upload, is_form};
use crate::openapi::{
    AboutOne, CanClash, Checked, DoneOnce, Guarded, IdempotencyKeyHeader, Uploaded, WithBody,
};
use crate::problem::ApiProblem;
use crate::replayed::marked;

/// How a rerun is asked for.
pub(crate) enum Asked {
    WithTheSameOriginal(Once<RerunRequest>),
    WithAnother(Upload),
}

impl<S: Send + Sync> FromRequest<S> for Asked {
    type Rejection = ApiProblem;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiProblem> {
        if is_form(request.headers()) {
            Upload::from_request(request, state).await.map(Self::WithAnother)
        } else {
            Once::from_request(request, state).await.map(Self::WithTheSameOriginal)
        }
    }
}

/// Process a document again
///
/// What is served stays served until the new run succeeds. Sent as a form with a file, the document gets an updated
/// original: it keeps its id, its owners and what they call it, and has a new version once the run succeeds. The file
/// must be of the document's kind. A file with the content that the document has is a plain rerun; one whose content is
/// another document is refused (409, `content_is_another_document`).
#[utoipa::path(
    post, path = "/documents/{id}/rerun", tag = "documents", operation_id = "rerun_document",
    params(("id" = Uuid, Path), IdempotencyKeyHeader),
    request_body(content(
        (RerunRequest = "application/json"),
        (UpdateForm = "multipart/form-data"),
    )),
    responses(
        (status = 202, body = RerunResponse, description = "The run that was queued"),
        Guarded, Checked, WithBody, Uploaded, AboutOne, CanClash, DoneOnce,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn rerun(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    asked: Asked,
) -> Result<Response, ApiProblem> {
    let doc_id = DocId(id);
    let done = match asked {
        Asked::WithTheSameOriginal(Once { body, claim }) => {
            let rerun = Rerun {
                reason: body.reason,
                pipeline: body.pipeline,
                from_stage: body.from_stage,
                password: body.password.map(Secret::new),
            };
            api.ops.runs.rerun_document(&caller, doc_id, rerun, claim.as_ref()).await?
        }
        Asked::WithAnother(upload) => update(&api, &caller, doc_id, upload).await?,
    };
    answer(done)
}

async fn update(
    api: &Arc<Api>,
    caller: &Caller,
    doc_id: DocId,
    upload: Upload,
) -> Result<Done<Accepted>, ApiProblem> {
    api.ops.runs.check_document_for_update(caller, doc_id).await?;
    let permit = api.ops.uploads.admit_upload(caller).await?;
    let mut form = upload.read_update(api, permit);
    let (described, received) = form.take_one(api).await?;
    let claim = form.claim(&described, &received);
    Ok(api.ops.runs.update_original(caller, doc_id, received, described, claim.as_ref()).await?)
}

fn answer(done: Done<Accepted>) -> Result<Response, ApiProblem> {
    let run =
        done.value.run.ok_or_else(|| ApiProblem::internal("a rerun without a run".to_owned()))?;
    let view = RerunResponse {
        doc_id: done.value.doc_id.0,
        run_id: run.run_id.0,
        status: RunState::Queued,
    };
    Ok(marked((StatusCode::ACCEPTED, Json(view)), done.replayed))
}
