//! Finding: by keywords and by embeddings, in exactly what the caller may see.

mod ask;
mod indexes;
mod knowledge_base;
mod models;
mod query_embedding;
mod rerank;
mod vectors;
mod work;
mod write;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use connect::llm::LanguageModel;
use domain::{Action, Actor, BatchId, Caller, DocId, FileKind, ReadableObject, Scope};
use retrieval::embedding::EmbeddingSource;
use retrieval::index::{DocFacts, Mode, Query, SearchHit, SearchScope};
use retrieval::snippet::{Snippet, snippet};
use retrieval::terms::QueryTerms;
use store::{PassageRecord, Store, Tx};
use uuid::Uuid;

pub use ask::{Answered, AskEvent, Citation, Question, Sentence};
pub use knowledge_base::KnownDocument;
pub use rerank::Reranker;
pub use vectors::VectorsKeeper;

use crate::OpsError;
use crate::documents::content_access::{ContentRights, readable_runs};
use indexes::Indexes;
use query_embedding::QueryEmbedding;
use write::Writer;

/// Who helps to find and to answer.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// What queries are embedded by.
    pub embedding: EmbeddingSource,
    /// Who checks the order of what was found.
    pub reranker: Option<Reranker>,
    /// Who writes answers; without one they are quoted.
    pub language_model: Option<Arc<dyn LanguageModel>>,
    /// About how much memory the tenants' indexes may take.
    pub memory: u64,
    /// How long a search waits for an index that is being loaded into it.
    pub index_timeout: Duration,
}

/// What is looked for, and in what.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub query: String,
    pub mode: Mode,
    pub limit: usize,
    pub filters: Filters,
}

/// What of the documents is wanted; what is left out lets everything through.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub document_ids: Vec<DocId>,
    pub kinds: Vec<FileKind>,
    pub batch_id: Option<BatchId>,
    /// One of these.
    pub tags: Vec<String>,
    pub created_from: Option<DateTime<Utc>>,
    pub created_to: Option<DateTime<Utc>>,
}

impl Filters {
    /// Whether a document is wanted, as the owner whose documents are looked through describes it.
    fn wants(&self, facts: &DocFacts, owner: Option<Actor>) -> bool {
        let Some(described) = facts.described_for(owner) else { return false };
        (self.document_ids.is_empty() || self.document_ids.contains(&facts.doc_id))
            && (self.kinds.is_empty() || self.kinds.contains(&facts.kind))
            && self.batch_id.is_none_or(|batch| facts.batch_ids.contains(&batch))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| described.tags.contains(tag)))
            && self.created_from.is_none_or(|from| described.created_at >= from)
            && self.created_to.is_none_or(|to| described.created_at < to)
    }
}

/// A passage that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    pub score: f32,
    pub passage: PassageRecord,
    pub snippet: Snippet,
}

#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    pub hits: Vec<Hit>,
    /// What was not done as well as it could have been, in sentences.
    pub warnings: Vec<String>,
}

/// In characters.
const LONGEST_SNIPPET: usize = 320;

/// What a search came to, before its texts are shortened.
#[derive(Clone)]
struct Retrieved {
    passages: Vec<(SearchHit, PassageRecord)>,
    terms: QueryTerms,
    /// How much each term says.
    weights: Vec<f32>,
    warnings: Vec<String>,
}

enum LookedUp {
    SearchHit(Retrieved),
    /// The query has to be embedded by this model.
    SearchedBy(String),
    /// The tenant's index has to be loaded first.
    NothingLoaded,
}

/// Searching and answering.
pub struct Search {
    store: Store,
    settings: SearchSettings,
    /// Who writes answers, of those settings.
    writer: Option<Writer>,
    vectors: VectorsKeeper,
    indexes: Arc<Indexes>,
}

impl Search {
    pub const MOST_HITS: usize = 100;
    const LONGEST_QUERY: usize = 2_000;

    pub(crate) fn new(store: Store, settings: SearchSettings) -> Self {
        let (embedding, clock) = (settings.embedding.clone(), Arc::clone(store.clock()));
        Self {
            indexes: Arc::new(Indexes::new(settings.memory)),
            vectors: VectorsKeeper::new(store.clone(), embedding, clock),
            writer: settings.language_model.clone().map(Writer::new),
            settings,
            store,
        }
    }

    /// What giving chunks their vectors needs, for workers.
    pub fn vectors(&self) -> VectorsKeeper {
        self.vectors.clone()
    }

    pub async fn search(
        &self,
        caller: &Caller,
        request: &SearchRequest,
    ) -> Result<SearchResult, OpsError> {
        let begun = self.store.clock().elapsed();
        let scope = caller.permit(Action::SeeKnowledgeBase)?;
        if !(1..=Self::MOST_HITS).contains(&request.limit) {
            return Err(OpsError::invalid(
                "limit",
                format!("between 1 and {} hits can be asked for", Self::MOST_HITS),
            ));
        }
        let retrieved = connect::in_trace(scope.trace(), self.retrieve(&scope, request)).await?;
        let hits = retrieved.hits();
        let warnings = retrieved.warnings;
        let took = self.store.clock().elapsed().saturating_sub(begun);
        metrics::histogram!("docket_search_seconds").record(took);
        tracing::info!(
            event = "search",
            tenant_id = %scope.tenant_id(),
            user_id = %scope.actor(),
            mode = ?request.mode,
            query_chars = request.query.chars().count(),
            hits = hits.len(),
            retrieval_ms = took.as_millis(),
            trace_id = scope.trace_id().map(|trace| trace.to_string()),
            "a search was answered"
        );
        Ok(SearchResult { hits, warnings })
    }

    async fn retrieve(
        &self,
        scope: &Scope,
        request: &SearchRequest,
    ) -> Result<Retrieved, OpsError> {
        let text = request.query.trim();
        if text.is_empty() {
            return Err(OpsError::invalid("query", "say what is looked for"));
        }
        if text.chars().count() > Self::LONGEST_QUERY {
            let most = Self::LONGEST_QUERY;
            return Err(OpsError::invalid("query", format!("{most} characters are the most")));
        }
        // A second opinion wants more to choose from.
        let limit = match self.settings.reranker {
            Some(_) => request.limit.max(rerank::READ_AGAIN),
            None => request.limit,
        };
        let wider = SearchRequest { limit, query: text.to_owned(), ..request.clone() };
        let mut retrieved = self.find(scope, &wider).await?;
        if let Some(opinion) = &self.settings.reranker {
            opinion.rerank_best(text, &mut retrieved).await;
            retrieved.passages.truncate(request.limit);
        }
        Ok(retrieved)
    }

    async fn find(&self, scope: &Scope, request: &SearchRequest) -> Result<Retrieved, OpsError> {
        if let Some(found) = self.find_in_what_is_loaded(scope, request).await? {
            return Ok(found);
        }
        let patiently = tokio::time::timeout(self.settings.index_timeout, async {
            loop {
                self.indexes.load(&self.store, scope).await?;
                if let Some(found) = self.find_in_what_is_loaded(scope, request).await? {
                    return Ok(found);
                }
            }
        });
        patiently.await.unwrap_or(Err(OpsError::IndexIsLoading))
    }

    /// The query is embedded before anybody is made to wait for it, by the model that the tenant was searched by
    /// the last time; once more when its index turns out to have the vectors of another by now.
    async fn find_in_what_is_loaded(
        &self,
        scope: &Scope,
        request: &SearchRequest,
    ) -> Result<Option<Retrieved>, OpsError> {
        let mut searched_by = self.indexes.model_of(scope.tenant_id());
        loop {
            let query_embedding = match request.mode {
                Mode::Lexical => QueryEmbedding::default(),
                Mode::Hybrid | Mode::Vector => {
                    self.embed_query(&request.query, searched_by.as_deref()).await
                }
            };
            let mut tx = self.store.read(scope).await?;
            let looked_up = self.look_up(&mut tx, scope, request, query_embedding).await;
            tx.commit().await?;
            match looked_up? {
                LookedUp::SearchHit(retrieved) => return Ok(Some(retrieved)),
                LookedUp::SearchedBy(model) => searched_by = Some(model),
                LookedUp::NothingLoaded => return Ok(None),
            }
        }
    }

    async fn look_up(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        request: &SearchRequest,
        query_embedding: QueryEmbedding,
    ) -> Result<LookedUp, OpsError> {
        let Some(known) = self.indexes.up_to_date(tx, scope.tenant_id()).await? else {
            return Ok(LookedUp::NothingLoaded);
        };
        if let Some(model) = &known.model
            && query_embedding.is_not_of(model)
        {
            return Ok(LookedUp::SearchedBy(model.clone()));
        }
        let QueryEmbedding { vector, mut warnings, .. } = query_embedding;
        let (mode, limit, filters) = (request.mode, request.limit, request.filters.clone());
        let (terms, owner) = (QueryTerms::of(&request.query), scope.only_own());
        let by_meaning = vector.is_some();
        let search = move || {
            let visible = |facts: &DocFacts| facts.described_for(owner).is_some();
            let matching = |facts: &DocFacts| filters.wants(facts, owner);
            let within = SearchScope { visible: &visible, matching: &matching };
            let query = Query { terms: &terms, vector: vector.as_deref(), mode, limit };
            let (found, weights) = known.index.search_and_weigh(&query, within);
            (found, weights, terms)
        };
        let (found, weights, terms) = work::run("searching", search).await?;
        if by_meaning && found.iter().any(|found| found.similarity.is_none()) {
            let wait = "some documents wait for the embedding model; until then they are found by their words \
                        alone";
            warnings.push(wait.to_owned());
        }
        let ids: Vec<_> = found.iter().map(|found| found.chunk_id).collect();
        let mut texts = readable_passages(tx, &ids).await?;
        let with_text = |found: SearchHit| Some((found, texts.remove(&found.chunk_id)?));
        let passages = found.into_iter().filter_map(with_text).collect();
        Ok(LookedUp::SearchHit(Retrieved { passages, terms, weights, warnings }))
    }
}

impl Retrieved {
    fn hits(&self) -> Vec<Hit> {
        let hit = |(found, passage): &(SearchHit, PassageRecord)| {
            hit(found, passage.clone(), &self.terms, &self.weights)
        };
        self.passages.iter().map(hit).collect()
    }
}

/// The texts of chunks, of documents that everybody in the scope may read.
async fn readable_passages(
    tx: &mut Tx,
    chunks: &[Uuid],
) -> Result<HashMap<Uuid, PassageRecord>, OpsError> {
    let passages = tx.find_passages(chunks).await?;
    let documents: BTreeSet<DocId> = passages.iter().map(|passage| passage.doc_id).collect();
    let served: Vec<_> = documents.into_iter().map(|doc_id| (doc_id, None)).collect();
    let rights = ContentRights::default();
    let readable = readable_runs(tx, ReadableObject::SearchHit, rights, &served).await?;
    let readable: HashSet<DocId> = readable.into_iter().map(|(doc_id, _)| doc_id).collect();
    let passages = passages.into_iter().filter(|passage| readable.contains(&passage.doc_id));
    Ok(passages.map(|passage| (passage.chunk_id, passage)).collect())
}

fn hit(found: &SearchHit, passage: PassageRecord, terms: &QueryTerms, weights: &[f32]) -> Hit {
    let snippet = snippet(&passage.text, terms, weights, LONGEST_SNIPPET);
    Hit { score: found.score, passage, snippet }
}
