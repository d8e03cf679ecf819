//! The results of a batch: a page as JSON, or all of them as lines of JSON or as CSV.

use std::sync::Arc;

use api_types::{BatchResultPage, BatchResultQuery, BatchResultView, ResultFormat};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use domain::BatchId;
use futures_util::stream::{self, Stream};
use ops::{After, BatchReading, BatchResult, Page, PageRequest};

use super::results;
use crate::Api;
use crate::csv::append_row;
use crate::extract::{Id, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{AboutOne, Checked, Guarded};
use crate::problem::ApiProblem;

/// The columns of the CSV. A later version may add columns at the end.
const COLUMNS: [&str; 12] = [
    "doc_id",
    "title",
    "filename",
    "status",
    "document_type",
    "result_version",
    "field",
    "value",
    "raw",
    "confidence",
    "field_status",
    "page",
];

/// How many documents are read at once for a stream.
const PORTION: u32 = 50;

/// List the results of a batch
///
/// The documents of the batch in the order they were added, each with its current result. The `Accept` header or `format`
/// selects a page as JSON (the default), or all documents as NDJSON (`application/x-ndjson`, one line per document) or as
/// CSV (`text/csv`). The CSV has one row per field, named by its path, and one row for a document without fields. An
/// apostrophe precedes texts that a spreadsheet would run as a formula.
#[utoipa::path(
    get, path = "/batches/{id}/results", tag = "batches", operation_id = "list_batch_results",
    params(("id" = Uuid, Path), BatchResultQuery),
    responses(
        (status = 200, description = "The batch's documents", content(
            (BatchResultPage = "application/json"),
            (String = "application/x-ndjson"),
            (String = "text/csv"),
        )),
        Guarded, Checked, AboutOne,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn list(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Id(id): Id,
    headers: HeaderMap,
    Query(query): Query<BatchResultQuery>,
) -> Result<Response, ApiProblem> {
    let batch_id = BatchId(id);
    let format = query.format.unwrap_or_else(|| accepted_format(&headers));
    let (media_type, write): (_, fn(&mut String, BatchResult)) = match format {
        ResultFormat::Json => {
            let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
            let page = api.ops.batches.list_batch_results(&caller, batch_id, &request).await?;
            return Ok(Json(page_view(page, &request)).into_response());
        }
        ResultFormat::Ndjson => ("application/x-ndjson", append_line),
        ResultFormat::Csv => ("text/csv; charset=utf-8; header=present", append_rows),
    };
    // The first page decides whether there is such a batch.
    let request = PageRequest { after: None, page: 1, limit: PORTION };
    let mut reading = api.ops.batches.begin_reading(&caller, batch_id);
    let first = api.ops.batches.read_on(&mut reading, &request).await?;
    let mut head = String::new();
    if format == ResultFormat::Csv {
        append_row(&mut head, COLUMNS);
    }
    let pieces = pieces(Arc::clone(&api), reading, (head, first), write);
    let mut response = Body::from_stream(pieces).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    Ok(response)
}

/// The format of the first known media type in the `Accept` header.
fn accepted_format(headers: &HeaderMap) -> ResultFormat {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut media_types = accepted.flat_map(|value| value.split(',')).map(|media_type| {
        media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    });
    let format = media_types.find_map(|media_type| match media_type.as_str() {
        "text/csv" => Some(ResultFormat::Csv),
        "application/x-ndjson" | "application/ndjson" => Some(ResultFormat::Ndjson),
        "application/json" => Some(ResultFormat::Json),
        _ => None,
    });
    format.unwrap_or(ResultFormat::Json)
}

/// The texts of one page after the other, so that no more than a page is in memory. When the access of the caller ends, so does
/// the connection.
fn pieces(
    api: Arc<Api>,
    reading: BatchReading,
    (head, first): (String, Page<BatchResult>),
    write: fn(&mut String, BatchResult),
) -> impl Stream<Item = Result<String, ops::OpsError>> {
    enum Next {
        Write(String, Page<BatchResult>),
        Read(After),
        End,
    }
    stream::try_unfold((reading, Next::Write(head, first)), move |(mut reading, next)| {
        let api = Arc::clone(&api);
        async move {
            let (mut text, page) = match next {
                Next::Write(head, page) => (head, page),
                Next::Read(after) => {
                    let request = PageRequest { after: Some(after), page: 1, limit: PORTION };
                    (String::new(), api.ops.batches.read_on(&mut reading, &request).await?)
                }
                Next::End => return Ok(None),
            };
            page.items.into_iter().for_each(|item| write(&mut text, item));
            Ok(Some((text, (reading, page.next.map_or(Next::End, Next::Read)))))
        }
    })
}

fn append_line(text: &mut String, item: BatchResult) {
    // A view has only string keys and finite numbers, so this cannot fail.
    text.push_str(&serde_json::to_string(&result_view(item)).unwrap_or_default());
    text.push('\n');
}

fn append_rows(csv: &mut String, BatchResult { item, result }: BatchResult) {
    let doc_id = item.doc_id.to_string();
    let document = [doc_id.as_str(), &item.title, &item.filename, item.status.as_str()];
    let Some(result) = result else {
        append_row(csv, document.into_iter().chain([""; 8]));
        return;
    };
    let version = result.result_version.to_string();
    let extraction = &result.extraction;
    let kind = [extraction.document_type.as_str(), version.as_str()];
    let row = |cells: [&str; 6], csv: &mut String| {
        append_row(csv, document.into_iter().chain(kind).chain(cells));
    };
    let mut has_fields = false;
    for (path, field) in extraction.all_fields() {
        has_fields = true;
        let confidence = field.confidence.to_string();
        let page = field.page.map(|page| page.to_string()).unwrap_or_default();
        let value = field.value.as_deref().unwrap_or_default();
        let raw = field.raw.as_deref().unwrap_or_default();
        row([&path, value, raw, &confidence, field.status.as_str(), &page], csv);
    }
    if !has_fields {
        row([""; 6], csv);
    }
}

fn page_view(page: Page<BatchResult>, request: &PageRequest) -> BatchResultPage {
    BatchResultPage {
        items: page.items.into_iter().map(result_view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }
}

fn result_view(BatchResult { item, result }: BatchResult) -> BatchResultView {
    BatchResultView {
        doc_id: item.doc_id.0,
        run_id: item.run_id,
        title: item.title,
        filename: item.filename,
        status: item.status,
        dedup_result: item.outcome,
        run_status: item.run_status.0,
        error: item.error,
        stats: item.stats,
        added_at: item.added_at,
        finished_at: item.finished_at,
        result: result.map(results::view),
    }
}
