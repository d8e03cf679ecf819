//! Reranking: a model that reads the query and a passage together reorders the best hits.
//!
//! It ranks better than the search, but is too slow for more than a few passages. If it is unavailable, the order of the
//! search stays, and the response has a warning.

use std::sync::Arc;

use connect::rerank::RemoteReranker;
use retrieval::embed::CrossEncoder;

use super::{Retrieved, blocking};

/// A reranking model.
#[derive(Clone, Debug)]
pub enum Reranker {
    /// A model on this machine.
    Local(Arc<CrossEncoder>),
    Remote(Arc<RemoteReranker>),
}

/// How many of the best hits are reranked.
pub(super) const CANDIDATES: usize = 30;

impl Reranker {
    /// Reorders the best hits. Their scores stay those of the search.
    pub(super) async fn rerank_best(&self, query: &str, retrieved: &mut Retrieved) {
        let texts: Vec<String> = retrieved
            .passages
            .iter()
            .take(CANDIDATES)
            .map(|(_, passage)| passage.text.clone())
            .collect();
        if texts.len() < 2 {
            return;
        }
        match self.order(query, texts).await {
            Ok(order) => retrieved.reorder(&order),
            Err(why) => {
                tracing::warn!(why, "cannot rerank hits");
                retrieved.warnings.push(format!("The hits were not reranked: {why}"));
            }
        }
    }

    /// The indexes of the texts, the best first.
    async fn order(&self, query: &str, texts: Vec<String>) -> Result<Vec<usize>, String> {
        match self {
            Self::Remote(reranker) => {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let ranked = reranker.rerank(query, &texts, texts.len()).await;
                let ranked = ranked.map_err(|error| error.to_string())?;
                Ok(ranked.into_iter().map(|ranked| ranked.index).collect())
            }
            Self::Local(model) => {
                let (model, query) = (Arc::clone(model), query.to_owned());
                let score = move || {
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    model.score(&query, &texts)
                };
                let scores = blocking::run("reranking hits", score).await;
                let scores = scores
                    .map_err(|error| error.to_string())?
                    .map_err(|error| error.to_string())?;
                let mut order: Vec<usize> = (0..scores.len()).collect();
                order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
                Ok(order)
            }
        }
    }
}

impl Retrieved {
    /// Passages that `order` does not name follow at the end, in their previous order.
    fn reorder(&mut self, order: &[usize]) {
        let mut passages: Vec<Option<_>> =
            std::mem::take(&mut self.passages).into_iter().map(Some).collect();
        for at in order {
            self.passages.extend(passages.get_mut(*at).and_then(Option::take));
        }
        self.passages.extend(passages.into_iter().flatten());
    }
}
