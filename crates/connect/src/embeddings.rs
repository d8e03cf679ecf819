//! Vectors from an OpenAI-compatible server: `POST /v1/embeddings`.

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
    /// How many texts go with one request.
    pub const LARGEST_BATCH: usize = 256;

    /// `dimension` is how many numbers the model's vectors have. An answer with another number is refused:
    /// vectors of two kinds cannot be compared.
    pub fn new(service: Service, dimension: usize, retries: Retries) -> Result<Self, ModelError> {
        let headers = bearer(&service)?;
        let (model, url) = (service.identity(), service.endpoint("v1", "embeddings"));
        Ok(Self { exchange: Exchange::new(service, url, headers, retries)?, model, dimension })
    }

    fn host(&self) -> &str {
        self.exchange.service.base_url.host_str().unwrap_or_default()
    }

    /// One vector for each text, in their order.
    pub async fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(Self::LARGEST_BATCH) {
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
        let answer: Answer = self.exchange.call().json(&body, self.most_bytes(texts.len())).await?;
        in_order(answer.data, texts.len())
            .and_then(|rows| rows.into_iter().map(|row| self.checked(row)).collect())
            .map_err(|reason| self.exchange.not_understood(reason))
    }

    /// A number in full has about 24 characters; the rest is for names and white space.
    fn most_bytes(&self, texts: usize) -> usize {
        64 * 1024 + texts * (1024 + self.dimension * 40)
    }

    fn checked(&self, row: Vec<f32>) -> Result<Vec<f32>, String> {
        if row.len() != self.dimension {
            return Err(format!(
                "its vectors have {} numbers where {} are set; correct the dimension or the model",
                row.len(),
                self.dimension
            ));
        }
        normalised(row).ok_or_else(|| "a vector has no direction".to_owned())
    }
}

impl Embedding for Embeddings {
    fn model(&self) -> &str {
        &self.model
    }

    /// Its tokenizer is not known here.
    fn count_tokens(&self, text: &str) -> usize {
        estimated_tokens(text)
    }

    fn embed(&self, texts: Vec<String>) -> Embedded<'_> {
        Box::pin(async move {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            self.embed_all(&texts).await.map_err(|error| {
                let said = error.to_string();
                if error.is_about_the_service() {
                    EmbeddingError::Passing(said)
                } else {
                    EmbeddingError::Lasting(said)
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

    /// At the address and with the key that the settings have now.
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

/// The vectors by `index`, which has to be a permutation of the texts.
fn in_order(rows: Vec<Row>, texts: usize) -> Result<Vec<Vec<f32>>, String> {
    if rows.len() != texts {
        return Err(format!("it sent {} vectors for {texts} texts", rows.len()));
    }
    let mut ordered = vec![None; texts];
    for Row { index, embedding } in rows {
        let place = ordered
            .get_mut(index)
            .ok_or_else(|| format!("it sent a vector for text {index} of {texts}"))?;
        if place.replace(embedding).is_some() {
            return Err(format!("it sent two vectors for text {index}"));
        }
    }
    // As many as there are places, and no place twice: all are taken.
    Ok(ordered.into_iter().flatten().collect())
}

/// The vector with length 1, or `None` when it points nowhere.
fn normalised(mut row: Vec<f32>) -> Option<Vec<f32>> {
    let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    for x in &mut row {
        #[expect(clippy::cast_possible_truncation, reason = "it came as f32 and only gets shorter")]
        let scaled = (f64::from(*x) / length) as f32;
        *x = scaled;
    }
    Some(row)
}
