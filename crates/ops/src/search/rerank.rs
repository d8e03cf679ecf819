//! A second opinion on what was found: a model that reads query and passage together.
//!
//! It is better at telling what answers, and too slow for more than a few. When it cannot be asked, the
//! order stays as it was, and the answer says so.

use std::sync::Arc;

use connect::rerank::RemoteReranker;
use retrieval::embed::CrossEncoder;

use super::{Retrieved, work};

/// Who gives it.
#[derive(Clone, Debug)]
pub enum Reranker {
    /// A model on this machine.
    Local(Arc<CrossEncoder>),
    Remote(Arc<RemoteReranker>),
}

/// So many of the best are read again.
pub(super) const READ_AGAIN: usize = 30;

impl Reranker {
    /// Puts the best first, by this opinion; the scores shown stay those of the search.
    pub(super) async fn rerank_best(&self, query: &str, retrieved: &mut Retrieved) {
        let texts: Vec<String> = retrieved
            .passages
            .iter()
            .take(READ_AGAIN)
            .map(|(_, passage)| passage.text.clone())
            .collect();
        if texts.len() < 2 {
            return;
        }
        match self.order(query, texts).await {
            Ok(order) => retrieved.reorder(&order),
            Err(why) => {
                tracing::warn!(why, "the order of what was found was not checked");
                retrieved.warnings.push(format!("the order is that of the first search: {why}"));
            }
        }
    }

    /// The numbers of the texts, the best first.
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
                let scores = work::run("ordering what was found", score).await;
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
    /// What the order does not name stays behind, as it was.
    fn reorder(&mut self, order: &[usize]) {
        let mut passages: Vec<Option<_>> =
            std::mem::take(&mut self.passages).into_iter().map(Some).collect();
        for at in order {
            self.passages.extend(passages.get_mut(*at).and_then(Option::take));
        }
        self.passages.extend(passages.into_iter().flatten());
    }
}
