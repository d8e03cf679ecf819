//! Embedding queries, by the model whose vectors the tenant's index has.

use crate::Search;

/// The vector of a query; without one, `warnings` says why.
#[derive(Debug, Default)]
pub(super) struct QueryEmbedding {
    /// The model of the vector, also if embedding failed.
    model: Option<String>,
    pub(super) vector: Option<Vec<f32>>,
    pub(super) warnings: Vec<String>,
}

impl QueryEmbedding {
    /// Whether an index with vectors of `model` needs the query embedded by that model instead. `false` without any model.
    pub(super) fn is_of_other_model(&self, model: &str) -> bool {
        self.model.as_deref().is_some_and(|own| own != model)
    }

    fn none(model: Option<String>, warning: String) -> Self {
        Self { model, vector: None, warnings: vec![warning] }
    }
}

impl Search {
    /// Embeds a query by `index_model`, or else by the current model. Holds no lock and no transaction, because embedding
    /// is slow.
    pub(super) async fn embed_query(
        &self,
        query: &str,
        index_model: Option<&str>,
    ) -> QueryEmbedding {
        let models = self.embeddings.models();
        let Some(current) = models.current().await else {
            let none = "No embedding model is installed, so documents are found by keywords only. `docket doctor` \
                        says how to install one.";
            return QueryEmbedding::none(None, none.to_owned());
        };
        let model = index_model.unwrap_or(current.model());
        let embedding = match models.named(model, &current).await {
            Ok(embedding) => embedding,
            Err(why) => {
                let until_then = format!(
                    "The documents are being embedded by a new model. Until that is done they are found by keywords \
                     only, because the previous model {model} cannot be opened: {why}"
                );
                return QueryEmbedding::none(Some(model.to_owned()), until_then);
            }
        };
        match embedding.embed(vec![query.to_owned()]).await {
            Ok(mut vectors) => QueryEmbedding {
                model: Some(model.to_owned()),
                vector: vectors.pop(),
                warnings: Vec::new(),
            },
            Err(error) => {
                tracing::warn!(%error, "cannot embed a query");
                QueryEmbedding::none(
                    Some(model.to_owned()),
                    format!("Documents were found by keywords only: {error}"),
                )
            }
        }
    }
}
