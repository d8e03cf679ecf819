//! Reranking by a Cohere-compatible server: `POST /v2/rerank`.
//!
//! A reranker only improves the order of hits, so search continues when it fails. It fails quickly
//! ([`Limits::RERANKING`](crate::Limits::RERANKING)) with a [`ModelError`], whose message can be returned as a warning.

use serde::Deserialize;
use serde_json::json;

use crate::exchange::{Exchange, bearer};
use crate::{ModelError, Retries, Service};

/// A model that scores how well a text answers a query.
#[derive(Debug)]
pub struct RemoteReranker {
    exchange: Exchange,
    model: String,
}

/// The score of one text.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Ranked {
    /// The position of the text in the request.
    pub index: usize,
    /// More is better; the scale is the model's own.
    #[serde(rename = "relevance_score")]
    pub score: f64,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Ranked>,
}

impl RemoteReranker {
    /// Where Cohere serves its own models.
    pub const BASE_URL: &str = "https://api.cohere.com";

    pub fn new(service: Service, retries: Retries) -> Result<Self, ModelError> {
        let headers = bearer(&service)?;
        let (model, url) = (service.identity(), service.endpoint("v2", "rerank"));
        Ok(Self { exchange: Exchange::new(service, url, headers, retries)?, model })
    }

    /// Which model this is: host and name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// The best `limit` texts for `query`, the best first; ties keep the order of the texts.
    pub async fn rerank(
        &self,
        query: &str,
        texts: &[&str],
        limit: usize,
    ) -> Result<Vec<Ranked>, ModelError> {
        let count = limit.min(texts.len());
        if count == 0 {
            return Ok(Vec::new());
        }
        let body = json!({
            "model": self.exchange.service.model,
            "query": query,
            "documents": texts,
            "top_n": count,
        });
        // Some servers send the texts back.
        let sent: usize = texts.iter().map(|text| text.len()).sum();
        let max_bytes = 64 * 1024 + texts.len() * 1024 + sent * 6;
        let answer: Answer = self.exchange.call().json(&body, max_bytes).await?;
        let mut ranked = answer.results;
        check(&ranked, texts.len(), count)
            .map_err(|reason| self.exchange.invalid_response(reason))?;
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        Ok(ranked)
    }
}

/// There must be `count` results, each for a different text.
fn check(ranked: &[Ranked], texts: usize, count: usize) -> Result<(), String> {
    if ranked.len() != count {
        return Err(format!("it ranked {} texts instead of {count}", ranked.len()));
    }
    let mut seen = vec![false; texts];
    for Ranked { index, .. } in ranked {
        match seen.get_mut(*index) {
            None => return Err(format!("it ranked text {index} of {texts}")),
            Some(true) => return Err(format!("it ranked text {index} twice")),
            Some(seen) => *seen = true,
        }
    }
    Ok(())
}
