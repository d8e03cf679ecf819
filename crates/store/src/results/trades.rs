//! The trades of current results.

use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    DocId, FieldGroup, MatchStatus, ResultId, ReviewStatus, RunId, TradeFacts, TradeId,
    kept_trades, same_values,
};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use super::{NewRow, counted};
use crate::tx::Writing;
use crate::{StoreError, Tx, Window, sql, storable};

/// A trade of the current result of a document.
#[derive(Clone, Debug)]
pub struct TradeRecord {
    pub trade_id: TradeId,
    pub doc_id: DocId,
    pub run_id: RunId,
    pub result_version: u32,
    /// Its place among the trades of the result, from 0.
    pub position: u32,
    /// The request record that it matches.
    pub request_id: Option<String>,
    pub match_status: MatchStatus,
    pub review_status: ReviewStatus,
    pub facts: TradeFacts,
    pub fields: FieldGroup,
    /// The owner's title, where the scope is limited to an owner.
    pub document_title: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which trades to list; `None` matches every trade.
#[derive(Clone, Debug, Default)]
pub struct TradeFilter {
    pub doc_id: Option<DocId>,
    pub isin: Option<String>,
    /// The first and the last trade date.
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
    pub match_status: Option<MatchStatus>,
    pub review_status: Option<ReviewStatus>,
}

#[derive(FromRow)]
struct TradeRow {
    trade_id: Uuid,
    document_id: Uuid,
    run_id: Uuid,
    result_version: i32,
    position: i32,
    request_id: Option<String>,
    confidence_score: f64,
    raw_extracted_data: Json<FieldGroup>,
    match_status: String,
    review_status: String,
    side: Option<String>,
    isin: Option<String>,
    trade_date: Option<NaiveDate>,
    settlement_date: Option<NaiveDate>,
    document_title: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl TryFrom<TradeRow> for TradeRecord {
    type Error = StoreError;

    fn try_from(row: TradeRow) -> Result<Self, StoreError> {
        Ok(Self {
            trade_id: TradeId(row.trade_id),
            doc_id: DocId(row.document_id),
            run_id: RunId(row.run_id),
            result_version: counted(row.result_version),
            position: counted(row.position),
            request_id: row.request_id,
            match_status: row.match_status.parse()?,
            review_status: row.review_status.parse()?,
            facts: TradeFacts {
                side: row.side,
                isin: row.isin,
                trade_date: row.trade_date,
                settlement_date: row.settlement_date,
                confidence_score: row.confidence_score,
            },
            fields: row.raw_extracted_data.0,
            document_title: row.document_title,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

/// A trade of the result before, and what was decided about it.
#[derive(FromRow)]
struct OldTrade {
    trade_id: Uuid,
    request_id: Option<String>,
    match_status: String,
    review_status: String,
    raw_extracted_data: Json<FieldGroup>,
}

/// The trades to write, as one array per column.
#[derive(Default)]
struct Columns {
    ids: Vec<Uuid>,
    requests: Vec<Option<String>>,
    confidences: Vec<f64>,
    fields: Vec<Value>,
    match_statuses: Vec<String>,
    review_statuses: Vec<String>,
    sides: Vec<Option<String>>,
    isins: Vec<Option<String>>,
    trade_dates: Vec<Option<NaiveDate>>,
    settlement_dates: Vec<Option<NaiveDate>>,
}

impl Columns {
    fn push(&mut self, trade_id: Uuid, trade: &FieldGroup, decided: Option<&OldTrade>) {
        let pending = (MatchStatus::Pending.to_string(), ReviewStatus::Pending.to_string());
        let (match_status, review_status) = match decided {
            Some(old) => (old.match_status.clone(), old.review_status.clone()),
            None => pending,
        };
        let text = |text: String| storable::text(&text).into_owned();
        let facts = TradeFacts::of(trade);
        self.ids.push(trade_id);
        self.requests.push(decided.and_then(|old| old.request_id.clone()));
        self.confidences.push(facts.confidence_score);
        self.fields.push(storable::json(trade));
        self.match_statuses.push(match_status);
        self.review_statuses.push(review_status);
        self.sides.push(facts.side.map(text));
        self.isins.push(facts.isin.map(text));
        self.trade_dates.push(facts.trade_date);
        self.settlement_dates.push(facts.settlement_date);
    }
}

/// Replaces the trades of a document by those of its new current result. A trade that is the same keeps its id
/// ([`kept_trades`]), and with the same values also its match and review status.
pub(super) async fn replace(
    writing: &mut Writing<'_>,
    row: &NewRow<'_>,
    result_id: ResultId,
) -> Result<(), StoreError> {
    let before: Vec<OldTrade> = sqlx::query_as(
        "SELECT trade_id, request_id, match_status, review_status, raw_extracted_data
         FROM trades WHERE document_id = $1 ORDER BY position",
    )
    .bind(row.doc_id.0)
    .fetch_all(&mut *writing.connection)
    .await?;
    let after = &row.new.extraction.trades;
    if before.is_empty() && after.is_empty() {
        return Ok(());
    }
    let old: Vec<FieldGroup> = before.iter().map(|old| old.raw_extracted_data.0.clone()).collect();
    let mut columns = Columns::default();
    for (trade, kept) in after.iter().zip(kept_trades(&old, after)) {
        let kept = kept.and_then(|index| before.get(index));
        let trade_id = kept.map_or_else(|| writing.ids.next(), |old| old.trade_id);
        let decided = kept.filter(|old| same_values(&old.raw_extracted_data.0, trade));
        columns.push(trade_id, trade, decided);
    }
    sqlx::query(sql!("trades/replace"))
        .bind(row.tenant_id.0)
        .bind(row.doc_id.0)
        .bind(result_id.0)
        .bind(row.run_id.0)
        .bind(writing.now)
        .bind(columns.ids)
        .bind(columns.requests)
        .bind(columns.confidences)
        .bind(columns.fields)
        .bind(columns.match_statuses)
        .bind(columns.review_statuses)
        .bind(columns.sides)
        .bind(columns.isins)
        .bind(columns.trade_dates)
        .bind(columns.settlement_dates)
        .execute(&mut *writing.connection)
        .await?;
    Ok(())
}

impl Tx {
    /// The trades that fit, newest first. `window.skip` is not used.
    pub async fn list_trades(
        &mut self,
        filter: &TradeFilter,
        window: &Window,
    ) -> Result<Vec<TradeRecord>, StoreError> {
        let owner = self.owner();
        let statement =
            if owner.is_some() { sql!("trades/page_of_owner") } else { sql!("trades/page") };
        let rows: Vec<TradeRow> = sqlx::query_as(statement)
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(window.moment())
            .bind(window.id())
            .bind(filter.doc_id.map(|id| id.0))
            .bind(&filter.isin)
            .bind(filter.from)
            .bind(filter.to)
            .bind(filter.match_status.map(MatchStatus::as_str))
            .bind(filter.review_status.map(ReviewStatus::as_str))
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(TradeRecord::try_from).collect()
    }

    pub async fn find_trade(
        &mut self,
        trade_id: TradeId,
    ) -> Result<Option<TradeRecord>, StoreError> {
        let owner = self.owner();
        let row: Option<TradeRow> = sqlx::query_as(sql!("trades/find"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(trade_id.0)
            .fetch_optional(self.connection())
            .await?;
        row.map(TradeRecord::try_from).transpose()
    }

    /// The trades of a document, in their order.
    pub async fn trades_of_document(
        &mut self,
        doc_id: DocId,
    ) -> Result<Vec<TradeRecord>, StoreError> {
        let owner = self.owner();
        let rows: Vec<TradeRow> = sqlx::query_as(sql!("trades/of_document"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(doc_id.0)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(TradeRecord::try_from).collect()
    }
}
