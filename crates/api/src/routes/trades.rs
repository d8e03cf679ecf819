//! The trades of current results.

use std::sync::Arc;

use api_types::{LinkQuery, LinkView, TradePage, TradeQuery, TradeView, is_storable_date};
use axum::Json;
use axum::extract::State;
use domain::{Caller, DocId, TradeId};
use ops::{TradeFilter, TradeRecord};
use uuid::Uuid;

use super::documents::link;
use crate::Api;
use crate::extract::{Id, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{AboutOne, Checked, Guarded};
use crate::problem::ApiProblem;

/// List trades
///
/// Newest first. Trades of results that the caller may not read are left out.
#[utoipa::path(
    get, path = "/trades", tag = "results", operation_id = "list_trades",
    params(TradeQuery),
    responses((status = 200, body = TradePage, description = "A page of trades"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<TradeQuery>,
) -> Result<Json<TradePage>, ApiProblem> {
    let request = page_request(None, query.limit, query.cursor.as_deref())?;
    for (date, field) in [(query.date_from, "date_from"), (query.date_to, "date_to")] {
        if date.is_some_and(|date| !is_storable_date(date)) {
            let problem = format!("{field} must be in the years 1 to 9999.");
            return Err(ApiProblem::invalid(problem).for_field(field));
        }
    }
    let filter = TradeFilter {
        doc_id: query.document_id.map(DocId),
        isin: query.isin.map(|isin| isin.trim().to_ascii_uppercase()),
        from: query.date_from,
        to: query.date_to,
        match_status: query.match_status,
        review_status: query.review_status,
    };
    let page = api.ops.results.list_trades(&caller, &filter, request.after, request.limit).await?;
    Ok(Json(TradePage {
        items: page.items.into_iter().map(view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

/// Get a trade
#[utoipa::path(
    get, path = "/trades/{id}", tag = "results", operation_id = "find_trade",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = TradeView, description = "The trade"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn find(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
) -> Result<Json<TradeView>, ApiProblem> {
    Ok(Json(view(api.ops.results.find_trade(&caller, TradeId(id)).await?)))
}

/// Create a link to the original of a trade
///
/// The same as `GET /v1/documents/{id}/original` for the document of the trade.
#[utoipa::path(
    get, path = "/trades/{id}/pdf", tag = "results", operation_id = "link_to_trade_pdf",
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
    link_to_original(&api, &caller, id, query).await
}

/// Create a link to the original of a trade (alias)
///
/// The same as `GET /v1/trades/{id}/pdf`.
#[utoipa::path(
    get, path = "/documents/trades/{id}/pdf", tag = "results", operation_id = "link_to_pdf_of_trade",
    params(("id" = Uuid, Path), LinkQuery),
    responses((status = 200, body = LinkView, description = "The link"), Guarded, Checked, AboutOne),
    security(("bearer" = [])),
)]
pub(crate) async fn document_pdf(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    Query(query): Query<LinkQuery>,
) -> Result<Json<LinkView>, ApiProblem> {
    link_to_original(&api, &caller, id, query).await
}

async fn link_to_original(
    api: &Api,
    caller: &Caller,
    trade_id: Uuid,
    query: LinkQuery,
) -> Result<Json<LinkView>, ApiProblem> {
    let trade = api.ops.results.find_trade(caller, TradeId(trade_id)).await?;
    link(api, caller, trade.doc_id, query).await
}

pub(super) fn view(trade: TradeRecord) -> TradeView {
    TradeView {
        trade_id: trade.trade_id.0,
        document_id: trade.doc_id.0,
        document_title: trade.document_title,
        run_id: trade.run_id.0,
        result_version: trade.result_version,
        position: trade.position,
        request_id: trade.request_id,
        side: trade.facts.side,
        isin: trade.facts.isin,
        trade_date: trade.facts.trade_date,
        settlement_date: trade.facts.settlement_date,
        confidence_score: trade.facts.confidence_score,
        match_status: trade.match_status,
        review_status: trade.review_status,
        raw_extracted_data: trade.fields,
        created_at: trade.created_at,
        updated_at: trade.updated_at,
    }
}
