//! Results of extraction: reading, comparing and promoting them.

use std::sync::Arc;

use api_types::{
    ComparedFieldView, FieldChangeView, ResultDiffView, ResultEntryView, ResultPage, ResultQuery,
    ResultVersionView, ResultView,
};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use domain::{ComparedField, DocId, FieldChange};
use ops::{ComparedResults, ResultRecord};
use serde::Deserialize;
use uuid::Uuid;

use crate::Api;
use crate::extract::{Id, IdempotentBody, Path, Query, SignedInCaller, page_request};
use crate::openapi::{
    AboutOne, CanConflict, Checked, Guarded, IdempotencyKeyHeader, Idempotent, WithBody,
};
use crate::problem::ApiProblem;
use crate::replay_header::with_replay_header;

/// Get the result of a document
///
/// The current result: its fields with their evidence, trades, lines, checks and warnings. 404 when the document has none.
/// A result from before a mask is for administrators only (403, `run_is_before_mask`).
#[utoipa::path(
    get, path = "/documents/{id}/result", tag = "results", operation_id = "get_result",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = ResultView, description = "The current result"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn current(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<ResultView>, ApiProblem> {
    Ok(Json(view(api.ops.results.find_result(&caller, DocId(id), None).await?)))
}

/// List the results of a document
///
/// The latest version first. Results that the caller may not read are left out.
#[utoipa::path(
    get, path = "/documents/{id}/results", tag = "results", operation_id = "list_results",
    params(("id" = Uuid, Path), ResultQuery),
    responses((status = 200, body = ResultPage, description = "A page of results"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Query(query): Query<ResultQuery>,
) -> Result<Json<ResultPage>, ApiProblem> {
    let limit = page_request(None, query.limit, None)?.limit;
    let before = query.cursor.as_deref().map(str::parse::<u32>).transpose().map_err(|_| {
        ApiProblem::invalid("cursor must be the next_cursor of an earlier page.")
            .for_field("cursor")
    })?;
    let page = api.ops.results.list_results(&caller, DocId(id), before, limit).await?;
    Ok(Json(ResultPage {
        items: page.items.iter().map(entry_view).collect(),
        limit,
        next_cursor: page.next.map(|version| version.to_string()),
    }))
}

#[derive(Debug, Deserialize)]
pub(crate) struct VersionPath {
    id: String,
    version: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct DiffPath {
    id: String,
    version: String,
    other: String,
}

/// Get a version of the result of a document
#[utoipa::path(
    get, path = "/documents/{id}/results/{version}", tag = "results", operation_id = "find_result",
    params(("id" = Uuid, Path), ("version" = u32, Path)),
    responses((status = 200, body = ResultView, description = "The result"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(VersionPath { id, version }): Path<VersionPath>,
) -> Result<Json<ResultView>, ApiProblem> {
    let (doc_id, version) = (doc_id_of(&id)?, version_of(&version, "version")?);
    Ok(Json(view(api.ops.results.find_result(&caller, doc_id, Some(version)).await?)))
}

/// Compare two results of a document
///
/// Field by field, from the first version to the second.
#[utoipa::path(
    get, path = "/documents/{id}/results/{version}/diff/{other}", tag = "results", operation_id = "compare_results",
    params(("id" = Uuid, Path), ("version" = u32, Path), ("other" = u32, Path)),
    responses((status = 200, body = ResultDiffView, description = "The differences"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn diff(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(DiffPath { id, version, other }): Path<DiffPath>,
) -> Result<Json<ResultDiffView>, ApiProblem> {
    let versions = (version_of(&version, "version")?, version_of(&other, "other")?);
    let compared = api.ops.results.compare_results(&caller, doc_id_of(&id)?, versions).await?;
    let ComparedResults { before, after, diff } = compared;
    Ok(Json(ResultDiffView {
        before: entry_view(&before),
        after: entry_view(&after),
        changes: diff.changes.into_iter().map(change_view).collect(),
        unchanged: diff.unchanged,
    }))
}

/// Promote a result
///
/// Makes a copy of this version the current result, as a new version. Results of later runs wait for promotion from then
/// on. The current result cannot be promoted (409, `result_is_current`).
#[utoipa::path(
    post, path = "/documents/{id}/results/{version}/promote", tag = "results", operation_id = "promote_result",
    params(("id" = Uuid, Path), ("version" = u32, Path), IdempotencyKeyHeader),
    request_body = Object,
    responses(
        (status = 201, body = ResultView, description = "The new current result", headers(
            ("location" = String, description = "The path of the new version"),
            ("idempotent-replayed" = String, description = "`true` if the response is that of an earlier request"),
        )),
        Guarded, Checked, WithBody, AboutOne, CanConflict, Idempotent,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn promote(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Path(VersionPath { id, version }): Path<VersionPath>,
    IdempotentBody { claim, .. }: IdempotentBody<PromoteRequest>,
) -> Result<Response, ApiProblem> {
    let (doc_id, version) = (doc_id_of(&id)?, version_of(&version, "version")?);
    let results = &api.ops.results;
    let done = results.promote_result(&caller, doc_id, version, claim.as_ref()).await?;
    let promoted = results.find_result(&caller, doc_id, Some(done.value)).await?;
    let location = format!("/v1/documents/{doc_id}/results/{}", done.value);
    let response = (StatusCode::CREATED, [(header::LOCATION, location)], Json(view(promoted)));
    Ok(with_replay_header(response, done.replayed))
}

/// An empty object.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromoteRequest {}

fn doc_id_of(id: &str) -> Result<DocId, ApiProblem> {
    let invalid = |_| ApiProblem::invalid("The id in the path must be a UUID.").for_field("id");
    id.parse::<Uuid>().map(DocId).map_err(invalid)
}

fn version_of(version: &str, field: &'static str) -> Result<u32, ApiProblem> {
    version.parse().map_err(|_| {
        ApiProblem::invalid("The version in the path must be a whole number.").for_field(field)
    })
}

pub(super) fn view(result: ResultRecord) -> ResultView {
    ResultView { version: version_view(&result), extraction: result.extraction }
}

fn entry_view(result: &ResultRecord) -> ResultEntryView {
    let document_type = result.extraction.document_type.clone();
    ResultEntryView { version: version_view(result), document_type }
}

fn version_view(result: &ResultRecord) -> ResultVersionView {
    ResultVersionView {
        doc_id: result.doc_id.0,
        run_id: result.run_id.0,
        result_version: result.result_version,
        state: result.state,
        is_reviewed: result.is_reviewed,
        promoted_from: result.promoted_from,
        type_version: result.type_version,
        needs_review: result.sampled_for_review || result.extraction.needs_review(),
        sampled_for_review: result.sampled_for_review,
        summary: result.extraction.summary(),
        created_at: result.created_at,
    }
}

fn change_view(change: FieldChange) -> FieldChangeView {
    let field = |field: ComparedField| ComparedFieldView {
        value: field.value,
        confidence: field.confidence,
        status: field.status,
    };
    FieldChangeView {
        path: change.path,
        path_before: change.path_before,
        change: change.kind,
        before: change.before.map(field),
        after: change.after.map(field),
    }
}
