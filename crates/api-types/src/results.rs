//! Results of extraction and their trades.

use chrono::{DateTime, NaiveDate, Utc};
use domain::{
    ChangeKind, Extraction, FieldGroup, FieldStatus, MatchStatus, ResultState, ResultSummary,
    ReviewStatus,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// A version of the result of a document.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ResultView {
    #[serde(flatten)]
    pub version: ResultVersionView,
    #[serde(flatten)]
    pub extraction: Extraction,
}

/// What is known of a result, without its fields.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ResultVersionView {
    pub doc_id: Uuid,
    /// The run that created it.
    pub run_id: Uuid,
    /// Counts the results of the document, from 1.
    #[schema(example = 2)]
    pub result_version: u32,
    /// `waiting`: a person reviewed the current result, so this one waits for promotion.
    pub state: ResultState,
    /// A person edited, approved or promoted it.
    pub is_reviewed: bool,
    /// The version that was promoted; null for the result of a run.
    pub promoted_from: Option<u32>,
    /// The version of the document type.
    pub type_version: u32,
    /// A field needs review, or the document was chosen for review at random.
    pub needs_review: bool,
    /// The document was chosen for review at random, to measure the error rate.
    pub sampled_for_review: bool,
    /// The fields, counted by status.
    pub summary: ResultSummary,
    pub created_at: DateTime<Utc>,
}

/// An entry of the list of results.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ResultEntryView {
    #[serde(flatten)]
    pub version: ResultVersionView,
    /// The name of the document type. Empty when the classifier abstained.
    #[schema(example = "contract_note")]
    pub document_type: String,
}

/// A page of the results of a document.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ResultQuery {
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// How a result differs from another one of the same document.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ResultDiffView {
    /// The result that is compared.
    pub before: ResultEntryView,
    /// The result that it is compared with.
    pub after: ResultEntryView,
    /// Fields with different values. Trades are compared with those of the same security, date or quantity, lines with those of the
    /// same name, and the rest by their order.
    pub changes: Vec<FieldChangeView>,
    /// How many values are the same in both.
    pub unchanged: u32,
}

/// A field that has different values in two results.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FieldChangeView {
    /// The path in the second result; in the first one, when only that has a value.
    #[schema(example = "trades.1.isin")]
    pub path: String,
    /// The path in the first result, when the trade or line has another position there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "trades.0.isin")]
    pub path_before: Option<String>,
    /// `added`: only the second result has a value. `removed`: only the first one has.
    pub change: ChangeKind,
    pub before: Option<ComparedFieldView>,
    pub after: Option<ComparedFieldView>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ComparedFieldView {
    #[schema(example = "DE0007164600")]
    pub value: String,
    pub confidence: f64,
    pub status: FieldStatus,
}

/// A trade of the current result of a document.
///
/// It keeps its id when another result becomes current and has a trade with the same side, ISIN, trade date and order
/// number, or else another trade at the same position. It keeps its match and review status if all its values are the same.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TradeView {
    pub trade_id: Uuid,
    pub document_id: Uuid,
    pub document_title: String,
    /// The run that created the result.
    pub run_id: Uuid,
    pub result_version: u32,
    /// Its place among the trades of the result, from 0.
    pub position: u32,
    /// The request record that it matches.
    pub request_id: Option<String>,
    #[schema(example = "buy")]
    pub side: Option<String>,
    #[schema(example = "DE0007164600")]
    pub isin: Option<String>,
    pub trade_date: Option<NaiveDate>,
    pub settlement_date: Option<NaiveDate>,
    /// The lowest confidence of its fields that have a value; 0 when none has.
    pub confidence_score: f64,
    pub match_status: MatchStatus,
    pub review_status: ReviewStatus,
    /// All its fields with their evidence.
    pub raw_extracted_data: FieldGroup,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which trades to list. Several conditions must all hold.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TradeQuery {
    /// Only trades of this document.
    #[serde(default)]
    pub document_id: Option<Uuid>,
    #[serde(default)]
    pub isin: Option<String>,
    /// The first trade date.
    #[serde(default)]
    pub date_from: Option<NaiveDate>,
    /// The last trade date.
    #[serde(default)]
    pub date_to: Option<NaiveDate>,
    #[serde(default)]
    pub match_status: Option<MatchStatus>,
    #[serde(default)]
    pub review_status: Option<ReviewStatus>,
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The format of the results of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultFormat {
    /// A page of documents.
    Json,
    /// All documents, each as one line of JSON.
    Ndjson,
    /// All documents, with a row for each field.
    Csv,
}

/// A page of the results of a batch, or all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BatchResultQuery {
    /// Instead of the `Accept` header. The default is `json`.
    #[serde(default)]
    #[param(inline)]
    pub format: Option<ResultFormat>,
    /// The page, counted from 1. Only of JSON, as are `limit` and `cursor`.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1_000_000)]
    pub page: Option<u32>,
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page: faster than a page number, and stable while rows are added.
    #[serde(default)]
    pub cursor: Option<String>,
}
