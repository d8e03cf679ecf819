//! Embeddings from an OpenAI-compatible server: `POST /v1/embeddings`.

use std::sync::Arc;

use retrieval::embedding::{
    Embedded, Embedding, EmbeddingError, Origin, Reopened, ServiceModel, estimated_tokens,
};
use serde::Deserialize;
use serde_json::json;

use crate::exchange::{Exchange, bearer};
use crate::{ModelError, Retries, Service};

/// A model that turns text into vectors of one dimension and length 1.
#[derive(Debug)]
pub struct Embeddings {
    exchange: Exchange,
    /// Host and model: only vectors of the same model can be compared.
    model: String,
    dimension: usize,
}

impl Embeddings {
    /// The largest number of texts in one request.
    pub const MAX_BATCH: usize = 256;

    /// `dimension` is the length of the model's vectors. An answer with another length is refused, because
    /// such vectors cannot be compared.
    pub fn new(service: Service, dimension: usize, retries: Retries) -> Result<Self, ModelError> {
        let headers = bearer(&service)?;
        let (model, url) = (service.identity(), service.endpoint("v1", "embeddings"));
        Ok(Self { exchange: Exchange::new(service, url, headers, retries)?, model, dimension })
    }

    fn host(&self) -> &str {
        self.exchange.service.base_url.host_str().unwrap_or_default()
    }

    /// One vector for each text, in the same order.
    pub async fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(Self::MAX_BATCH) {
            vectors.extend(self.embed_batch(batch).await?);
        }
        Ok(vectors)
    }

    async fn embed_batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let body = json!({
            "model": self.exchange.service.model,
            "input": texts,
            "encoding_format": "float",
        });
        let answer: Answer = self.exchange.call().json(&body, self.max_bytes(texts.len())).await?;
        in_order(answer.data, texts.len())
            .and_then(|rows| rows.into_iter().map(|row| self.checked(row)).collect())
            .map_err(|reason| self.exchange.invalid_response(reason))
    }

    /// A number takes about 24 characters; the rest is for names and white space.
    fn max_bytes(&self, texts: usize) -> usize {
        64 * 1024 + texts * (1024 + self.dimension * 40)
    }

    fn checked(&self, row: Vec<f32>) -> Result<Vec<f32>, String> {
        if row.len() != self.dimension {
            return Err(format!(
                "its vectors have {} numbers, but {} are configured; correct the dimension or the model",
                row.len(),
                self.dimension
            ));
        }
        normalised(row).ok_or_else(|| "a vector has length 0 or is not finite".to_owned())
    }
}

impl Embedding for Embeddings {
    fn model(&self) -> &str {
        &self.model
    }

    /// An estimate, because the server's tokenizer is not known here.
    fn count_tokens(&self, text: &str) -> usize {
        estimated_tokens(text)
    }

    fn embed(&self, texts: Vec<String>) -> Embedded<'_> {
        Box::pin(async move {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.embed_all(&texts).await.map_err(|error| {
                let message = error.to_string();
                if error.is_service_failure() {
                    EmbeddingError::Transient(message)
                } else {
                    EmbeddingError::Permanent(message)
                }
            })
        })
    }

    fn origin(&self) -> Origin {
        Origin::Service(ServiceModel {
            host: self.host().to_owned(),
            name: self.exchange.service.model.clone(),
            dimension: self.dimension,
        })
    }

    /// Uses the address and the key of the current settings.
    fn sibling(&self, of: &ServiceModel) -> Reopened {
        if of.host != self.host() {
            return Err(of.is_not_configured());
        }
        let service = Service { model: of.name.clone(), ..self.exchange.service.clone() };
        let sibling = Self::new(service, of.dimension, self.exchange.retries.clone());
        Ok(Arc::new(sibling.map_err(|error| error.to_string())?))
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    index: usize,
    embedding: Vec<f32>,
}

/// Sorts the vectors by `index`, which must be a permutation of the texts.
fn in_order(rows: Vec<Row>, texts: usize) -> Result<Vec<Vec<f32>>, String> {
    if rows.len() != texts {
        return Err(format!("it sent {} vectors for {texts} texts", rows.len()));
    }
    let mut ordered = vec![None; texts];
    for Row { index, embedding } in rows {
        let slot = ordered
            .get_mut(index)
            .ok_or_else(|| format!("it sent a vector for text {index} of {texts}"))?;
        if slot.replace(embedding).is_some() {
            return Err(format!("it sent two vectors for text {index}"));
        }
    }
    // As many vectors as slots, and no slot twice: every slot is filled.
    Ok(ordered.into_iter().flatten().collect())
}

/// Scales the vector to length 1; `None` when its length is 0 or not finite.
fn normalised(mut row: Vec<f32>) -> Option<Vec<f32>> {
    let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    for x in &mut row {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the input is f32 and the result is smaller"
        )]
        let scaled = (f64::from(*x) / length) as f32;
        *x = scaled;
    }
    Some(row)
}
