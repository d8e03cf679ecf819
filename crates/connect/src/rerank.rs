//! Reranking by a Cohere-compatible server: `POST /v2/rerank`.
//!
//! A reranker improves the order of hits that were found without it, so a search goes on when it fails. It
//! fails quickly ([`Limits::RERANKING`](crate::Limits::RERANKING)) and with a
//! [`ModelError`], whose sentence can go into the response as a warning.

use serde::Deserialize;
use serde_json::json;

use crate::exchange::{Exchange, bearer};
use crate::{ModelError, Retries, Service};

/// A model that judges how well a text answers a query.
#[derive(Debug)]
pub struct RemoteReranker {
    exchange: Exchange,
    model: String,
}

/// The judgement on one of the texts.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Ranked {
    /// Which of the texts.
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

    /// The `most` best of `texts` for `query`, the best first; equally good ones in their order.
    pub async fn rerank(
        &self,
        query: &str,
        texts: &[&str],
        most: usize,
    ) -> Result<Vec<Ranked>, ModelError> {
        let wanted = most.min(texts.len());
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let body = json!({
            "model": self.exchange.service.model,
            "query": query,
            "documents": texts,
            "top_n": wanted,
        });
        // Some servers send the texts back.
        let sent: usize = texts.iter().map(|text| text.len()).sum();
        let most_bytes = 64 * 1024 + texts.len() * 1024 + sent * 6;
        let answer: Answer = self.exchange.call().json(&body, most_bytes).await?;
        let mut ranked = answer.results;
        check(&ranked, texts.len(), wanted)
            .map_err(|reason| self.exchange.not_understood(reason))?;
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        Ok(ranked)
    }
}

/// As many as were asked for, each a different one of the texts.
fn check(ranked: &[Ranked], texts: usize, wanted: usize) -> Result<(), String> {
    if ranked.len() != wanted {
        return Err(format!("it ranked {} texts where {wanted} were asked for", ranked.len()));
    }
    let mut seen = vec![false; texts];
    for Ranked { index, .. } in ranked {
        match seen.get_mut(*index) {
            None => return Err(format!("it ranked text {index} of {texts}")),
            Some(true) => return Err(format!("it ranked text {index} twice")),
            Some(place) => *place = true,
        }
    }
    Ok(())
}
