//! Finding and asking, in exactly what the caller may see.

use std::convert::Infallible;
use std::sync::Arc;

use api_types::{
    AreaView, AskBody, AskResponse, CitationView, HighlightView, HitView, KnowledgeBasePage,
    KnownDocumentView, PageQuery, SearchBody, SearchFilters, SearchMode, SearchQuery,
    SearchResponse, SentenceView, is_storable,
};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use domain::{BatchId, Caller, DocId};
use ops::{
    Answered, AskEvent, Citation, Filters, Hit, KnownDocument, Mode, Question, SearchRequest,
    Sentence,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::Api;
use crate::extract::{Body, Query, SignedInCaller, cursor_of, page_request};
use crate::openapi::{Checked, Guarded, WithBody};
use crate::problem::ApiProblem;

const USUAL_HITS: u32 = 10;

/// Search
///
/// By words and by meaning, in the documents that the caller may see and that are served now.
#[utoipa::path(
    post, path = "/search", tag = "search", operation_id = "search",
    request_body = SearchBody,
    responses((status = 200, body = SearchResponse, description = "The passages that were found, the best first"), Guarded, Checked, WithBody),
    security(("bearer" = [])),
)]
pub(crate) async fn search(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Body(body): Body<SearchBody>,
) -> Result<Json<SearchResponse>, ApiProblem> {
    searched(&api, &caller, body).await.map(Json)
}

/// Search with query parameters
#[utoipa::path(
    get, path = "/search", tag = "search", operation_id = "search_by_address",
    params(SearchQuery),
    responses((status = 200, body = SearchResponse, description = "The passages that were found, the best first"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn search_by_address(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<SearchQuery>,
) -> Result<Json<SearchResponse>, ApiProblem> {
    searched(&api, &caller, query.into_body()).await.map(Json)
}

pub(super) async fn searched(
    api: &Api,
    caller: &Caller,
    body: SearchBody,
) -> Result<SearchResponse, ApiProblem> {
    let request = SearchRequest {
        query: body.query,
        mode: match body.mode {
            SearchMode::Hybrid => Mode::Hybrid,
            SearchMode::Lexical => Mode::Lexical,
            SearchMode::Vector => Mode::Vector,
        },
        limit: body.limit.unwrap_or(USUAL_HITS) as usize,
        filters: filters(body.filters)?,
    };
    let result = api.ops.search.search(caller, &request).await?;
    Ok(SearchResponse { hits: hit_views(result.hits), warnings: result.warnings })
}

/// Ask a question
///
/// Answers from what is found, and cites it; or says that the documents do not say. With `Accept:
/// text/event-stream` it tells `passages`, then `delta`s of an answer that is not checked yet, then the
/// `answer`, which takes their place; or a `problem`.
#[utoipa::path(
    post, path = "/ask", tag = "search", operation_id = "ask",
    request_body = AskBody,
    responses(
        (status = 200, content((AskResponse = "application/json"), (String = "text/event-stream")),
         description = "The answer with its sources, or that the documents do not say"),
        Guarded, Checked, WithBody,
    ),
    security(("bearer" = [])),
)]
pub(crate) async fn ask(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    headers: HeaderMap,
    Body(body): Body<AskBody>,
) -> Result<Response, ApiProblem> {
    if wants_events(&headers) {
        return Ok(tell(api, caller, question(body)?));
    }
    Ok(Json(asked(&api, &caller, body).await?).into_response())
}

pub(super) async fn asked(
    api: &Api,
    caller: &Caller,
    body: AskBody,
) -> Result<AskResponse, ApiProblem> {
    Ok(answer_view(api.ops.search.ask(caller, &question(body)?, None).await?))
}

fn question(body: AskBody) -> Result<Question, ApiProblem> {
    Ok(Question { question: body.question, filters: filters(body.filters)? })
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|kinds| kinds.contains("text/event-stream"))
}

/// The answer as it comes. It ends with the client.
fn tell(api: Arc<Api>, caller: Caller, question: Question) -> Response {
    let (sender, receiver) = mpsc::unbounded_channel();
    let told = sender.clone();
    tokio::spawn(async move {
        let work = async {
            let (events, mut happened) = mpsc::unbounded_channel();
            let asking = api.ops.search.ask(&caller, &question, Some(&events));
            tokio::pin!(asking);
            let ended = loop {
                tokio::select! {
                    biased;
                    Some(event) = happened.recv() => drop(told.send(event_view(event))),
                    ended = &mut asking => break ended,
                }
            };
            while let Ok(event) = happened.try_recv() {
                told.send(event_view(event)).ok();
            }
            ended
        };
        let last = tokio::select! {
            () = sender.closed() => return,
            ended = work => match ended {
                Ok(answered) => event("answer", &json!(answer_view(answered))),
                Err(error) => {
                    let problem = ApiProblem::from(error);
                    event("problem", &json!({
                        "status": problem.status.as_u16(),
                        "code": problem.code,
                        "detail": problem.detail,
                    }))
                }
            },
        };
        sender.send(last).ok();
    });
    let events = futures_util::stream::unfold(receiver, |mut receiver| async {
        let event = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event), receiver))
    });
    Sse::new(events).into_response()
}

fn event_view(happened: AskEvent) -> Event {
    match happened {
        AskEvent::Passages(hits) => event("passages", &json!({ "hits": hit_views(hits) })),
        AskEvent::Delta(text) => event("delta", &json!({ "text": text })),
    }
}

fn event(name: &str, data: &Value) -> Event {
    Event::default().event(name).data(data.to_string())
}

/// List the knowledge base
///
/// The documents that may influence answers to the caller, newest first. What is not here influences none.
#[utoipa::path(
    get, path = "/knowledge-base", tag = "search", operation_id = "list_knowledge_base",
    params(PageQuery),
    responses((status = 200, body = KnowledgeBasePage, description = "A page of the documents that answers are made from"), Guarded, Checked),
    security(("bearer" = [])),
)]
pub(crate) async fn knowledge_base(
    State(api): State<Arc<Api>>,
    SignedInCaller(caller): SignedInCaller,
    Query(query): Query<PageQuery>,
) -> Result<Json<KnowledgeBasePage>, ApiProblem> {
    let request = page_request(query.page, query.limit, query.cursor.as_deref())?;
    let page = api.ops.search.list_knowledge_base(&caller, &request).await?;
    Ok(Json(KnowledgeBasePage {
        items: page.items.into_iter().map(known_view).collect(),
        limit: request.limit,
        next_cursor: cursor_of(page.next),
    }))
}

fn filters(filters: SearchFilters) -> Result<Filters, ApiProblem> {
    let moments = [filters.created_from, filters.created_to];
    if moments.into_iter().flatten().any(|moment| !is_storable(moment)) {
        return Err(ApiProblem::invalid("created_from and created_to lie in the years 1 to 9999"));
    }
    let kinds: Result<Vec<_>, _> = filters.types.iter().map(|kind| kind.parse()).collect();
    let kinds =
        kinds.map_err(|error: domain::UnknownFileKind| ApiProblem::invalid(error.to_string()))?;
    Ok(Filters {
        document_ids: filters.document_ids.into_iter().map(DocId).collect(),
        kinds,
        batch_id: filters.batch_id.map(BatchId),
        tags: filters.tags,
        created_from: filters.created_from,
        created_to: filters.created_to,
    })
}

fn hit_views(hits: Vec<Hit>) -> Vec<HitView> {
    (1..).zip(hits).map(|(rank, hit)| hit_view(rank, hit)).collect()
}

fn hit_view(rank: usize, Hit { score, passage, snippet }: Hit) -> HitView {
    let highlight =
        |range: &std::ops::Range<usize>| HighlightView { start: range.start, end: range.end };
    HitView {
        rank,
        score,
        doc_id: passage.doc_id.0,
        doc_version_id: passage.doc_version_id,
        chunk_id: passage.chunk_id,
        title: passage.title,
        filename: passage.filename,
        file_kind: passage.file_kind,
        heading: passage.heading,
        pages: (passage.first_page..=passage.last_page).collect(),
        highlights: snippet.highlights.iter().map(highlight).collect(),
        snippet: snippet.text,
        areas: passage.areas.iter().map(area_view).collect(),
    }
}

fn area_view(area: &domain::ChunkArea) -> AreaView {
    AreaView { page: area.page, area: area.area }
}

fn answer_view(answered: Answered) -> AskResponse {
    let sentence = |Sentence { text, citations }: Sentence| SentenceView { text, citations };
    AskResponse {
        abstained: answered.answer.is_none(),
        answer: answered.answer,
        reason: answered.reason,
        confidence: answered.confidence,
        provider: answered.provider,
        sentences: answered.sentences.into_iter().map(sentence).collect(),
        citations: answered.citations.into_iter().map(citation_view).collect(),
        nearest: hit_views(answered.nearest),
        warnings: answered.warnings,
    }
}

fn citation_view(Citation { number, passage, quote }: Citation) -> CitationView {
    CitationView {
        number,
        doc_id: passage.doc_id.0,
        doc_version_id: passage.doc_version_id,
        chunk_id: passage.chunk_id,
        title: passage.title,
        pages: (passage.first_page..=passage.last_page).collect(),
        quote,
        areas: passage.areas.iter().map(area_view).collect(),
    }
}

fn known_view(known: KnownDocument) -> KnownDocumentView {
    KnownDocumentView {
        doc_id: known.doc_id.0,
        doc_version_id: known.doc_version_id,
        title: known.title,
        filename: known.filename,
        file_kind: known.file_kind,
        chunks: known.chunks,
        pages: known.pages,
        activated_at: known.activated_at,
    }
}
