//! Search by keywords and by embeddings, restricted to the documents that the caller may see.

mod answer_writer;
mod ask;
mod blocking;
mod embedding_maintenance;
mod embedding_models;
mod indexes;
mod knowledge_base;
mod query_embedding;
mod rerank;

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

pub use ask::{AskEvent, AskResult, Citation, Question, Sentence};
pub use embedding_maintenance::EmbeddingMaintenance;
pub use knowledge_base::KnowledgeBaseDocument;
pub use rerank::Reranker;

use crate::OpsError;
use crate::documents::content_access::{ContentRights, readable_runs};
use answer_writer::AnswerWriter;
use indexes::Indexes;
use query_embedding::QueryEmbedding;

/// Settings of search and answering.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// The model that embeds queries.
    pub embedding: EmbeddingSource,
    /// Reorders the best hits.
    pub reranker: Option<Reranker>,
    /// Writes answers; without one, answers are quotes.
    pub language_model: Option<Arc<dyn LanguageModel>>,
    /// About how much memory the tenants' indexes may use.
    pub memory: u64,
    /// How long a search waits for an index that is being loaded.
    pub index_timeout: Duration,
}

/// A query and where to search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    pub query: String,
    pub mode: Mode,
    pub limit: usize,
    pub filters: Filters,
}

/// Conditions on documents. An empty condition matches all.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    pub document_ids: Vec<DocId>,
    pub kinds: Vec<FileKind>,
    pub batch_id: Option<BatchId>,
    /// Any of these.
    pub tags: Vec<String>,
    pub created_from: Option<DateTime<Utc>>,
    pub created_to: Option<DateTime<Utc>>,
}

impl Filters {
    /// Whether a document matches, with the tags and date that `owner` gave it.
    fn matches(&self, facts: &DocFacts, owner: Option<Actor>) -> bool {
        let Some(described) = facts.described_for(owner) else { return false };
        (self.document_ids.is_empty() || self.document_ids.contains(&facts.doc_id))
            && (self.kinds.is_empty() || self.kinds.contains(&facts.kind))
            && self.batch_id.is_none_or(|batch| facts.batch_ids.contains(&batch))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| described.tags.contains(tag)))
            && self.created_from.is_none_or(|from| described.created_at >= from)
            && self.created_to.is_none_or(|to| described.created_at < to)
    }
}

/// A passage that matches the query.
#[derive(Clone, Debug)]
pub struct Hit {
    pub score: f32,
    pub passage: PassageRecord,
    pub snippet: Snippet,
}

#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    pub hits: Vec<Hit>,
    /// Limitations of this result, as sentences.
    pub warnings: Vec<String>,
}

/// In characters.
const MAX_SNIPPET_LENGTH: usize = 320;

/// The result of a search, with the whole text of the passages.
#[derive(Clone)]
struct Retrieved {
    passages: Vec<(SearchHit, PassageRecord)>,
    terms: QueryTerms,
    /// The weight of each term.
    weights: Vec<f32>,
    warnings: Vec<String>,
}

enum IndexLookup {
    Retrieved(Retrieved),
    /// The query must be embedded by this model.
    NeedsModel(String),
    /// The tenant's index must be loaded first.
    NotLoaded,
}

/// Searching and answering.
pub struct Search {
    store: Store,
    settings: SearchSettings,
    /// Made from `settings.language_model`.
    writer: Option<AnswerWriter>,
    embeddings: EmbeddingMaintenance,
    indexes: Arc<Indexes>,
}

impl Search {
    pub const MAX_HITS: usize = 100;
    const MAX_QUERY_LENGTH: usize = 2_000;

    pub(crate) fn new(store: Store, settings: SearchSettings) -> Self {
        let (embedding, clock) = (settings.embedding.clone(), Arc::clone(store.clock()));
        Self {
            indexes: Arc::new(Indexes::new(settings.memory)),
            embeddings: EmbeddingMaintenance::new(store.clone(), embedding, clock),
            writer: settings.language_model.clone().map(AnswerWriter::new),
            settings,
            store,
        }
    }

    /// For workers, which embed chunks.
    pub fn embeddings(&self) -> EmbeddingMaintenance {
        self.embeddings.clone()
    }

    pub async fn search(
        &self,
        caller: &Caller,
        request: &SearchRequest,
    ) -> Result<SearchResult, OpsError> {
        let started = self.store.clock().elapsed();
        let scope = caller.permit(Action::SeeKnowledgeBase)?;
        if !(1..=Self::MAX_HITS).contains(&request.limit) {
            return Err(OpsError::invalid(
                "limit",
                format!("limit must be 1 to {}.", Self::MAX_HITS),
            ));
        }
        let retrieved = connect::in_trace(scope.trace(), self.retrieve(&scope, request)).await?;
        let hits = retrieved.hits();
        let warnings = retrieved.warnings;
        let took = self.store.clock().elapsed().saturating_sub(started);
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
            "search completed"
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
            return Err(OpsError::invalid("query", "The query must not be empty."));
        }
        if text.chars().count() > Self::MAX_QUERY_LENGTH {
            let most = Self::MAX_QUERY_LENGTH;
            let problem = format!("The query must have at most {most} characters.");
            return Err(OpsError::invalid("query", problem));
        }
        // A reranker needs more candidates than hits.
        let limit = match self.settings.reranker {
            Some(_) => request.limit.max(rerank::CANDIDATES),
            None => request.limit,
        };
        let wider = SearchRequest { limit, query: text.to_owned(), ..request.clone() };
        let mut retrieved = self.find_passages(scope, &wider).await?;
        if let Some(reranker) = &self.settings.reranker {
            reranker.rerank_best(text, &mut retrieved).await;
            retrieved.passages.truncate(request.limit);
        }
        Ok(retrieved)
    }

    /// Searches the index. If it is not loaded, loads it and waits up to `index_timeout`.
    async fn find_passages(
        &self,
        scope: &Scope,
        request: &SearchRequest,
    ) -> Result<Retrieved, OpsError> {
        if let Some(found) = self.search_loaded_index(scope, request).await? {
            return Ok(found);
        }
        let loading = tokio::time::timeout(self.settings.index_timeout, async {
            loop {
                self.indexes.load(&self.store, scope).await?;
                if let Some(found) = self.search_loaded_index(scope, request).await? {
                    return Ok(found);
                }
            }
        });
        loading.await.unwrap_or(Err(OpsError::IndexIsLoading))
    }

    /// Embeds the query without holding a connection, by the model of the tenant's index at the last search. If the index
    /// has the vectors of another model by now, embeds the query again. `None` if the index is not loaded.
    async fn search_loaded_index(
        &self,
        scope: &Scope,
        request: &SearchRequest,
    ) -> Result<Option<Retrieved>, OpsError> {
        let mut model = self.indexes.model_of(scope.tenant_id());
        loop {
            let query_embedding = match request.mode {
                Mode::Lexical => QueryEmbedding::default(),
                Mode::Hybrid | Mode::Vector => {
                    self.embed_query(&request.query, model.as_deref()).await
                }
            };
            let mut tx = self.store.read(scope).await?;
            let lookup = self.search_index(&mut tx, scope, request, query_embedding).await;
            tx.commit().await?;
            match lookup? {
                IndexLookup::Retrieved(retrieved) => return Ok(Some(retrieved)),
                IndexLookup::NeedsModel(needed) => model = Some(needed),
                IndexLookup::NotLoaded => return Ok(None),
            }
        }
    }

    async fn search_index(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        request: &SearchRequest,
        query_embedding: QueryEmbedding,
    ) -> Result<IndexLookup, OpsError> {
        let Some(snapshot) = self.indexes.up_to_date(tx, scope.tenant_id()).await? else {
            return Ok(IndexLookup::NotLoaded);
        };
        if let Some(model) = &snapshot.model
            && query_embedding.is_of_other_model(model)
        {
            return Ok(IndexLookup::NeedsModel(model.clone()));
        }
        let QueryEmbedding { vector, mut warnings, .. } = query_embedding;
        let (mode, limit, filters) = (request.mode, request.limit, request.filters.clone());
        let (terms, owner) = (QueryTerms::of(&request.query), scope.only_own());
        let has_vector = vector.is_some();
        let search = move || {
            let visible = |facts: &DocFacts| facts.described_for(owner).is_some();
            let matching = |facts: &DocFacts| filters.matches(facts, owner);
            let within = SearchScope { visible: &visible, matching: &matching };
            let query = Query { terms: &terms, vector: vector.as_deref(), mode, limit };
            let (found, weights) = snapshot.index.search_and_weigh(&query, within);
            (found, weights, terms)
        };
        let (found, weights, terms) = blocking::run("searching", search).await?;
        if has_vector && found.iter().any(|found| found.similarity.is_none()) {
            let waiting =
                "Some documents are not embedded yet, so they are found by keywords only.";
            warnings.push(waiting.to_owned());
        }
        let ids: Vec<_> = found.iter().map(|found| found.chunk_id).collect();
        let mut texts = readable_passages(tx, &ids).await?;
        let with_text = |found: SearchHit| Some((found, texts.remove(&found.chunk_id)?));
        let passages = found.into_iter().filter_map(with_text).collect();
        Ok(IndexLookup::Retrieved(Retrieved { passages, terms, weights, warnings }))
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

/// The texts of chunks whose documents the scope may read.
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
    let snippet = snippet(&passage.text, terms, weights, MAX_SNIPPET_LENGTH);
    Hit { score: found.score, passage, snippet }
}
