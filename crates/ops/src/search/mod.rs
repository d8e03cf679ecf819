//! Finding: by words and by meaning, in exactly what the caller may see.

mod ask;
mod indexes;
mod knowledge_base;
mod rerank;
mod vectors;
mod write;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use connect::llm::LanguageModel;
use domain::{Action, Actor, BatchId, Caller, DocId, FileKind, Scope};
use retrieval::embedding::EmbeddingSource;
use retrieval::index::{DocFacts, Found, Mode, Query, Within};
use retrieval::snippet::{Snippet, snippet};
use retrieval::terms::QueryTerms;
use store::{PassageRecord, Tx};

pub use ask::{Answered, AskEvent, Citation, Question, Sentence};
pub(crate) use indexes::Indexes;
pub use knowledge_base::KnownDocument;
pub use rerank::SecondOpinion;
pub use vectors::VectorsKeeper;

use crate::{Ops, OpsError};

/// Who helps to find and to answer.
#[derive(Clone, Debug)]
pub struct SearchSettings {
    /// What queries are embedded by.
    pub embedding: EmbeddingSource,
    /// Who checks the order of what was found.
    pub second_opinion: Option<SecondOpinion>,
    /// Who writes answers; without one they are quoted.
    pub language_model: Option<Arc<dyn LanguageModel>>,
    /// About how much memory the tenants' indexes may take.
    pub memory: u64,
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
    fn wants(&self, facts: &DocFacts) -> bool {
        (self.document_ids.is_empty() || self.document_ids.contains(&facts.doc_id))
            && (self.kinds.is_empty() || self.kinds.contains(&facts.kind))
            && self.batch_id.is_none_or(|batch| facts.batch_ids.contains(&batch))
            && (self.tags.is_empty() || self.tags.iter().any(|tag| facts.tags.contains(tag)))
            && self.created_from.is_none_or(|from| facts.created_at >= from)
            && self.created_to.is_none_or(|to| facts.created_at < to)
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
struct Retrieved {
    passages: Vec<(Found, PassageRecord)>,
    terms: QueryTerms,
    /// How much each term says.
    weights: Vec<f32>,
    warnings: Vec<String>,
}

impl Ops {
    pub const MOST_HITS: usize = 100;
    const LONGEST_QUERY: usize = 2_000;

    pub async fn search(
        &self,
        caller: &Caller,
        request: &SearchRequest,
    ) -> Result<SearchResult, OpsError> {
        let begun = self.clock.elapsed();
        let scope = caller.permit(Action::SeeKnowledgeBase)?;
        if !(1..=Self::MOST_HITS).contains(&request.limit) {
            return Err(OpsError::invalid(
                "limit",
                format!("between 1 and {} hits can be asked for", Self::MOST_HITS),
            ));
        }
        let retrieved = self.retrieve(&scope, request).await?;
        let hits = retrieved.hits();
        let warnings = retrieved.warnings;
        let took = self.clock.elapsed().saturating_sub(begun);
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
        let mut warnings = Vec::new();
        let vector = match request.mode {
            Mode::Lexical => None,
            Mode::Hybrid | Mode::Vector => self.embed_query(text, &mut warnings).await,
        };
        // A second opinion wants more to choose from.
        let limit = match self.search.second_opinion {
            Some(_) => request.limit.max(rerank::READ_AGAIN),
            None => request.limit,
        };
        let wider = SearchRequest { limit, ..request.clone() };
        let mut tx = self.store.read(scope).await?;
        let retrieved = self.look_up(&mut tx, scope, &wider, vector, warnings).await;
        tx.commit().await?;
        let mut retrieved = retrieved?;
        if let Some(opinion) = &self.search.second_opinion {
            opinion.put_in_order(text, &mut retrieved).await;
            retrieved.passages.truncate(request.limit);
        }
        Ok(retrieved)
    }

    async fn look_up(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        request: &SearchRequest,
        vector: Option<(String, Vec<f32>)>,
        mut warnings: Vec<String>,
    ) -> Result<Retrieved, OpsError> {
        let known = self.indexes.up_to_date(tx, scope.tenant_id()).await?;
        let fits = |(model, _): &(String, Vec<f32>)| known.model.as_ref() == Some(model);
        let is_usable = vector.as_ref().is_some_and(fits);
        if vector.is_some() && !is_usable && known.index.chunks() > 0 {
            warnings.push(
                "the documents are being prepared for another embedding model; until that is done \
                 they are found by their words alone"
                    .to_owned(),
            );
        }
        let (mode, limit, filters) = (request.mode, request.limit, request.filters.clone());
        let (terms, owner) = (QueryTerms::of(&request.query), scope.only_own());
        let work = move || {
            let visible = |facts: &DocFacts| is_visible(facts, owner);
            let within = Within { visible: &visible, wanted: &|facts| filters.wants(facts) };
            let vector = vector.as_ref().filter(|_| is_usable).map(|(_, numbers)| &numbers[..]);
            let query = Query { terms: &terms, vector, mode, limit };
            let found = known.index.search(&query, within);
            let weights = known.index.weights(&terms, &visible);
            (found, weights, terms)
        };
        let searched = tokio::task::spawn_blocking(work).await;
        let (found, weights, terms) =
            searched.map_err(|error| OpsError::internal("searching", error))?;
        let ids: Vec<_> = found.iter().map(|found| found.chunk_id).collect();
        let mut texts: std::collections::HashMap<_, _> = tx
            .find_passages(&ids)
            .await?
            .into_iter()
            .map(|passage| (passage.chunk_id, passage))
            .collect();
        let with_text = |found: Found| Some((found, texts.remove(&found.chunk_id)?));
        let passages = found.into_iter().filter_map(with_text).collect();
        Ok(Retrieved { passages, terms, weights, warnings })
    }

    /// Who has no model searches by words.
    async fn embed_query(
        &self,
        text: &str,
        warnings: &mut Vec<String>,
    ) -> Option<(String, Vec<f32>)> {
        let Some(embedding) = self.search.embedding.get().await else {
            warnings.push(
                "there is no embedding model, so documents are found by their words alone; `docket \
                 doctor` says how to get one"
                    .to_owned(),
            );
            return None;
        };
        match embedding.embed(vec![text.to_owned()]).await {
            Ok(mut vectors) => vectors.pop().map(|vector| (embedding.model().to_owned(), vector)),
            Err(error) => {
                tracing::warn!(%error, "a query was not embedded");
                warnings.push(format!("searched by words alone: {error}"));
                None
            }
        }
    }
}

impl Retrieved {
    fn hits(&self) -> Vec<Hit> {
        let hit = |(found, passage): &(Found, PassageRecord)| {
            hit(found, passage.clone(), &self.terms, &self.weights)
        };
        self.passages.iter().map(hit).collect()
    }
}

fn is_visible(facts: &DocFacts, owner: Option<Actor>) -> bool {
    owner.is_none_or(|owner| facts.owners.contains(&owner))
}

fn hit(found: &Found, passage: PassageRecord, terms: &QueryTerms, weights: &[f32]) -> Hit {
    let snippet = snippet(&passage.text, terms, weights, LONGEST_SNIPPET);
    Hit { score: found.score, passage, snippet }
}
