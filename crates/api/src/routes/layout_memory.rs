//! The layout memory of a tenant.

use std::sync::Arc;

use api_types::{
    DeleteLayoutMemoryQuery, DeletedLayoutMemory, LayoutMemoryFieldView, LayoutMemoryPage,
    LayoutMemoryQuery, LayoutMemoryView,
};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::MemoryId;
use ops::LayoutMemorySummary;

use crate::Api;
use crate::extract::{Id, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{AboutOne, Checked, Guarded};
use crate::problem::ApiProblem;

/// List the layout memory
///
/// What confirmed documents taught about later documents of the same issuers: one entry for each document and type, the one
/// that was learnt last first. The guide "Layout memory" explains how entries are used.
#[utoipa::path(
    get, path = "/layout-memory", tag = "document-types", operation_id = "list_layout_memory",
    params(LayoutMemoryQuery),
    responses((status = 200, body = LayoutMemoryPage, description = "A page of entries"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<LayoutMemoryQuery>,
) -> Result<Json<LayoutMemoryPage>, ApiProblem> {
    let request = page_request(None, query.limit, query.cursor.as_deref())?;
    let document_type = query.document_type.as_deref();
    let memory = &api.ops.layout_memory;
    let page = memory.list(&caller, document_type, request.after, request.limit).await?;
    Ok(Json(LayoutMemoryPage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Delete an entry of the layout memory
///
/// Later documents are extracted without what this one taught. Results stay as they are.
#[utoipa::path(
    delete, path = "/layout-memory/{id}", tag = "document-types",
    operation_id = "delete_layout_memory_entry",
    params(("id" = Uuid, Path)),
    responses((status = 204, description = "Deleted"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn delete(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<StatusCode, ApiProblem> {
    api.ops.layout_memory.delete(&caller, MemoryId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Delete the layout memory of a document type
///
/// Useful after the fields of a type were changed. Results stay as they are.
#[utoipa::path(
    delete, path = "/layout-memory", tag = "document-types", operation_id = "delete_layout_memory",
    params(DeleteLayoutMemoryQuery),
    responses(
        (status = 200, body = DeletedLayoutMemory, description = "How many entries were deleted"),
        Guarded, Checked,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn delete_of_type(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<DeleteLayoutMemoryQuery>,
) -> Result<Json<DeletedLayoutMemory>, ApiProblem> {
    let memory = &api.ops.layout_memory;
    let deleted = memory.delete_of_type(&caller, &query.document_type).await?;
    Ok(Json(DeletedLayoutMemory { deleted }))
}

fn view(entry: LayoutMemorySummary) -> LayoutMemoryView {
    let counts = entry.counts;
    let (right, wrong) = counts.values().fold((0, 0), |(right, wrong), count| {
        (count.0.saturating_add(right), count.1.saturating_add(wrong))
    });
    let fields = entry.fields.into_iter().map(|field| {
        let (right, wrong) = counts.get(&field).copied().unwrap_or_default();
        LayoutMemoryFieldView { field, right, wrong }
    });
    LayoutMemoryView {
        memory_id: entry.memory_id.0,
        document_type: entry.document_type,
        document_id: entry.doc_id.0,
        document_title: entry.document_title,
        fields: fields.collect(),
        right,
        wrong,
        learnt_at: entry.learnt_at,
        last_used_at: entry.last_used_at,
    }
}
