//! Lists of documents, and how many there are of what.

use std::collections::HashMap;
use std::sync::Arc;

use api_types::{
    BatchFacetView, DocumentCursor, DocumentPage, DocumentQuery, DocumentSort,
    DocumentStatusFilter, DocumentSummary, FacetQuery, FacetValueView, FacetView, FacetsView,
    PageQuery, SortKey, is_storable,
};
use axum::Json;
use axum::extract::State;
use domain::{BatchId, DocumentStatus, FileKind};
use ops::{
    BatchFacet, DocumentFilter, DocumentOrder, DocumentPlace, DocumentWindow, FacetCounts,
    ValueCount,
};

use super::documents::view;
use crate::Api;
use crate::extract::{Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{Checked, Guarded};
use crate::problem::ApiProblem;

/// List documents
///
/// The latest uploads first, unless `sort` says otherwise; without `status`, the documents that are ready (`active`). A
/// list of one status, type, source, tag, batch or owner is read from an index, however many documents there are. With
/// several conditions, and with `search`, the server examines one list for documents that meet the others, 10,000
/// documents at most for a page: such a page may hold fewer than `limit`, or none, and still have a `next_cursor` to
/// continue from. Only without one has the list ended.
///
/// Callers who see only their own documents sort by the titles they gave.
#[utoipa::path(
    get, path = "/documents", tag = "documents", operation_id = "list_documents",
    params(DocumentQuery),
    responses((status = 200, body = DocumentPage, description = "A page of documents"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<DocumentQuery>,
) -> Result<Json<DocumentPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, None)?;
    let sort = query.sort.unwrap_or_default();
    let after = query.cursor.as_deref().map(|cursor| place_of(cursor, sort)).transpose()?;
    let limit = i64::from(request.limit);
    let skip = (i64::from(request.page) - 1) * limit;
    let window = DocumentWindow { order: order_of(sort), after, skip, limit };
    let DocumentQuery { status, kind, source, tag, batch_id, search, from, to, .. } = query;
    let filter = filter_of(FacetQuery { status, kind, source, tag, batch_id, search, from, to })?;
    let page = api.ops.documents.list_documents(&caller, &filter, window).await?;
    Ok(Json(DocumentPage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: page.next.map(|place| cursor_text(place, sort)),
    }))
}

/// Count what documents could be narrowed down by
///
/// Each facet counts the documents that fit all conditions but its own, so that it shows what else could be chosen.
/// Up to 10,000 documents are looked at, the newest. Where that is all of them, every count is exact and
/// `is_complete` is true (for tags: when there are no more than the 20 that are listed). Where it is not, counts are of
/// those 10,000 and `at_least` is true, and a value that none of them has is missing. Without conditions, whoever
/// sees all documents of the tenant gets status, type and source complete in any case, each exact below 10,000.
#[utoipa::path(
    get, path = "/documents/facets", tag = "documents", operation_id = "count_facets",
    params(FacetQuery),
    responses((status = 200, body = FacetsView, description = "The counts"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn facets(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<FacetQuery>,
) -> Result<Json<FacetsView>, ApiProblem> {
    let filter = filter_of(query)?;
    let found = api.ops.documents.count_facets(&caller, &filter).await?;
    Ok(Json(FacetsView {
        status: facet_view(found.status),
        kind: facet_view(found.kind),
        source: facet_view(found.source),
        tag: facet_view(found.tag),
        batches: found.batches.into_iter().map(batch_view).collect(),
    }))
}

/// List documents that never got a version
#[utoipa::path(
    get, path = "/documents/orphans", tag = "documents", operation_id = "list_orphans",
    params(PageQuery),
    responses((status = 200, body = DocumentPage, description = "A page of documents"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn orphans(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<PageQuery>,
) -> Result<Json<DocumentPage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.documents.list_orphans(&caller, &request).await?;
    Ok(Json(DocumentPage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Count documents by where they stand
#[utoipa::path(
    get, path = "/documents/stats/summary", tag = "documents", operation_id = "count_documents",
    responses((status = 200, body = DocumentSummary, description = "The counts"), Guarded),
    security(("bearer" = [])),
)]
pub(crate) async fn summary(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
) -> Result<Json<DocumentSummary>, ApiProblem> {
    let counts: HashMap<DocumentStatus, i64> =
        api.ops.documents.count_documents(&caller).await?.into_iter().collect();
    let of = |status| counts.get(&status).copied().unwrap_or_default();
    Ok(Json(DocumentSummary {
        total: counts.values().sum(),
        uploaded: of(DocumentStatus::Uploaded),
        processing: of(DocumentStatus::Processing),
        active: of(DocumentStatus::Active),
        failed: of(DocumentStatus::Failed),
        inactive: of(DocumentStatus::Inactive),
        rejected: of(DocumentStatus::Rejected),
    }))
}

fn filter_of(query: FacetQuery) -> Result<DocumentFilter, ApiProblem> {
    if ![query.from, query.to].into_iter().flatten().all(is_storable) {
        return Err(ApiProblem::invalid("from and to are moments of the years 1 to 9999"));
    }
    Ok(DocumentFilter {
        status: query.status.unwrap_or(DocumentStatusFilter::Active).status(),
        kind: kind_of(query.kind.as_deref())?,
        source: query.source,
        tag: query.tag,
        batch_id: query.batch_id.map(BatchId),
        search: query.search.filter(|text| !text.is_empty()),
        from: query.from,
        to: query.to,
    })
}

/// In its usual spelling: jpg for jpeg.
fn kind_of(text: Option<&str>) -> Result<Option<String>, ApiProblem> {
    let kind = text.map(str::parse::<FileKind>).transpose();
    let kind = kind.map_err(|error| ApiProblem::invalid(error.to_string()).for_field("type"))?;
    Ok(kind.map(|kind| kind.to_string()))
}

fn order_of(sort: DocumentSort) -> DocumentOrder {
    match sort {
        DocumentSort::Newest => DocumentOrder::Newest,
        DocumentSort::Oldest => DocumentOrder::Oldest,
        DocumentSort::Title => DocumentOrder::Title,
        DocumentSort::TitleDesc => DocumentOrder::TitleDescending,
        DocumentSort::Updated => DocumentOrder::Changed,
    }
}

fn place_of(cursor: &str, sort: DocumentSort) -> Result<DocumentPlace, ApiProblem> {
    let cursor: DocumentCursor = cursor.parse().map_err(|_| {
        ApiProblem::invalid("cursor must be the next_cursor of an earlier page").for_field("cursor")
    })?;
    if cursor.sort != sort {
        let (of, now) = (cursor.sort.as_str(), sort.as_str());
        let problem = format!(
            "the cursor belongs to the sort order {of}, and the request has {now}: start again without a cursor"
        );
        return Err(ApiProblem::invalid(problem).for_field("cursor"));
    }
    let key = match cursor.key {
        SortKey::Moment(moment) => ops::SortKey::Moment(moment),
        SortKey::Title(title) => ops::SortKey::Title(title),
    };
    Ok(DocumentPlace { order: order_of(sort), key, id: cursor.id })
}

fn cursor_text(place: DocumentPlace, sort: DocumentSort) -> String {
    let key = match place.key {
        ops::SortKey::Moment(moment) => SortKey::Moment(moment),
        ops::SortKey::Title(title) => SortKey::Title(title),
    };
    DocumentCursor { sort, key, id: place.id }.to_string()
}

fn facet_view(counts: FacetCounts) -> FacetView {
    let value =
        |ValueCount { value, documents, at_least }| FacetValueView { value, documents, at_least };
    FacetView {
        values: counts.values.into_iter().map(value).collect(),
        is_complete: !counts.is_incomplete,
    }
}

fn batch_view(BatchFacet { batch, documents, at_least }: BatchFacet) -> BatchFacetView {
    BatchFacetView {
        batch_id: batch.batch_id.0,
        name: batch.name,
        created_at: batch.created_at,
        documents,
        at_least,
    }
}
