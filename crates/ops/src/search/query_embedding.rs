//! What a query means: its vector, by the model by which the tenant is searched.

use crate::Search;

/// The vector of a query, or why it has none.
#[derive(Debug, Default)]
pub(super) struct QueryEmbedding {
    /// Whose vector it is, or would be.
    model: Option<String>,
    pub(super) vector: Option<Vec<f32>>,
    pub(super) warnings: Vec<String>,
}

impl QueryEmbedding {
    /// Whether an index with vectors of `model` has to be asked with another vector. Who has no model at all
    /// has no other.
    pub(super) fn is_not_of(&self, model: &str) -> bool {
        self.model.as_deref().is_some_and(|own| own != model)
    }

    fn none(model: Option<String>, warning: String) -> Self {
        Self { model, vector: None, warnings: vec![warning] }
    }
}

impl Search {
    /// What a query means to the model by which the tenant is searched, as far as that is known, or else to the
    /// current one. Holds no lock and no transaction: a model takes its time.
    pub(super) async fn embed_query(
        &self,
        query: &str,
        searched_by: Option<&str>,
    ) -> QueryEmbedding {
        let models = self.vectors.models();
        let Some(current) = models.current().await else {
            let none = "there is no embedding model, so documents are found by their words alone; `docket \
                        doctor` says how to get one";
            return QueryEmbedding::none(None, none.to_owned());
        };
        let model = searched_by.unwrap_or(current.model());
        let embedding = match models.named(model, &current).await {
            Ok(embedding) => embedding,
            Err(why) => {
                let until_then = format!(
                    "the documents are being prepared for another embedding model; until that is done they are \
                     found by their words alone, because {model}, which they were prepared with, cannot be \
                     opened: {why}"
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
                tracing::warn!(%error, "a query was not embedded");
                QueryEmbedding::none(
                    Some(model.to_owned()),
                    format!("searched by words alone: {error}"),
                )
            }
        }
    }
}
