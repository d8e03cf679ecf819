//! Runs CPU-bound work on the blocking pool.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use retrieval::answer::Embed;
use retrieval::embedding::Embedding;

use crate::OpsError;

/// Why the work has no result. Leaves out the panic message, which may contain document text.
#[derive(Debug, thiserror::Error)]
enum NoResult {
    #[error("the task panicked")]
    Panicked,
    #[error("the process is stopping")]
    Stopped,
}

pub(super) async fn run<T: Send + 'static>(
    attempted: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, OpsError> {
    let worked = tokio::task::spawn_blocking(work).await;
    worked.map_err(|error| {
        let why = if error.is_panic() { NoResult::Panicked } else { NoResult::Stopped };
        OpsError::internal(attempted, why)
    })
}

type Vectors = HashMap<String, Vec<f32>>;

/// Runs work that needs vectors of texts which only the work determines. A local model embeds them on the same thread.
/// For a remote model the work runs repeatedly: it reports the texts that it needs, these are embedded, and it runs again
/// with their vectors, until it needs no others. If the remote model fails, the work continues without those vectors.
pub(super) async fn run_with_vectors<T: Send + 'static>(
    attempted: &'static str,
    embedding: Option<Arc<dyn Embedding>>,
    work: impl Fn(Option<Embed<'_>>) -> T + Send + Sync + 'static,
) -> Result<T, OpsError> {
    let Some(embedding) = embedding else { return run(attempted, move || work(None)).await };
    let work = Arc::new(work);
    let mut known = Vectors::new();
    loop {
        let (this, model) = (Arc::clone(&work), Arc::clone(&embedding));
        let attempt = move || {
            let unknown = RefCell::new(Vec::new());
            let embed = |texts: &[&str]| match model.embed_blocking(texts) {
                Some(vectors) => vectors.unwrap_or_default(),
                None => vectors_of(texts, &known, &unknown),
            };
            let done = this(Some(&embed));
            (done, unknown.into_inner(), known)
        };
        let (done, unknown, earlier) = run(attempted, attempt).await?;
        if unknown.is_empty() {
            return Ok(done);
        }
        known = earlier;
        match embedding.embed(unknown.clone()).await {
            Ok(vectors) if vectors.len() == unknown.len() => {
                known.extend(unknown.into_iter().zip(vectors));
            }
            Ok(_) => return Ok(done),
            Err(error) => {
                tracing::warn!(%error, attempted, "cannot embed texts; comparing keywords only");
                return Ok(done);
            }
        }
    }
}

/// Empty if the vector of any text is unknown, as from a model that failed. Adds unknown texts to `unknown`.
fn vectors_of(texts: &[&str], known: &Vectors, unknown: &RefCell<Vec<String>>) -> Vec<Vec<f32>> {
    let found: Option<Vec<_>> = texts.iter().map(|text| known.get(*text).cloned()).collect();
    found.unwrap_or_else(|| {
        let mut unknown = unknown.borrow_mut();
        for text in texts.iter().filter(|text| !known.contains_key(**text)) {
            if !unknown.iter().any(|asked| asked == text) {
                unknown.push((*text).to_owned());
            }
        }
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::sync::Mutex;

    use retrieval::embedding::{Embedded, EmbeddingError, Origin, ServiceModel};

    use super::*;

    #[tokio::test]
    async fn the_error_of_a_panic_does_not_contain_its_message() {
        let secret = "the text of a document".to_owned();
        let worked = run("answering", move || assert!(secret.is_empty(), "{secret}")).await;
        let error = worked.unwrap_err();
        let message = format!("{error} {:?} {:?}", error.source().map(ToString::to_string), error);
        assert!(message.contains("panicked") && !message.contains("text of"), "{message}");
    }

    /// Returns the text's length as its vector, and records the requests.
    #[derive(Debug, Default)]
    struct RemoteModel {
        requests: Mutex<Vec<Vec<String>>>,
        fails_at: Option<usize>,
    }

    impl Embedding for RemoteModel {
        fn model(&self) -> &'static str {
            "server/small"
        }

        fn count_tokens(&self, text: &str) -> usize {
            text.len()
        }

        fn embed(&self, texts: Vec<String>) -> Embedded<'_> {
            let mut requests = self.requests.lock().unwrap();
            requests.push(texts.clone());
            let fails = self.fails_at == Some(requests.len());
            Box::pin(async move {
                if fails {
                    return Err(EmbeddingError::Transient("it is away".to_owned()));
                }
                #[expect(clippy::cast_precision_loss, reason = "texts are short")]
                let vector = |text: &String| vec![text.len() as f32];
                Ok(texts.iter().map(vector).collect())
            })
        }

        fn origin(&self) -> Origin {
            let (host, name) = ("server".to_owned(), "small".to_owned());
            Origin::Service(ServiceModel { host, name, dimension: 1 })
        }
    }

    /// Needs the vector of one text, then of a text that depends on that vector.
    fn two_steps(embed: Option<Embed<'_>>) -> Vec<Vec<f32>> {
        let Some(embed) = embed else { return Vec::new() };
        let first = embed(&["four", "four"]);
        let Some([length]) = first.first().map(Vec::as_slice) else { return Vec::new() };
        let second = embed(&["four", &length.to_string()]);
        [first, second].concat()
    }

    #[tokio::test]
    async fn a_remote_model_embeds_each_text_once_between_the_attempts() {
        let server = Arc::new(RemoteModel::default());
        let embedding: Arc<dyn Embedding> = server.clone();
        let vectors = run_with_vectors("testing", Some(embedding), two_steps).await.unwrap();
        assert_eq!(vectors, [[4.0], [4.0], [4.0], [1.0]]);
        assert_eq!(*server.requests.lock().unwrap(), [["four"], ["4"]]);
    }

    #[tokio::test]
    async fn work_continues_without_vectors_if_the_remote_model_fails() {
        for (fails_at, wanted) in [(1, vec![]), (2, vec![vec![4.0], vec![4.0]])] {
            let server = RemoteModel { fails_at: Some(fails_at), ..RemoteModel::default() };
            let embedding: Option<Arc<dyn Embedding>> = Some(Arc::new(server));
            let vectors = run_with_vectors("testing", embedding, two_steps).await.unwrap();
            assert_eq!(vectors, wanted);
        }
        let vectors = run_with_vectors("testing", None, two_steps).await.unwrap();
        assert!(vectors.is_empty());
    }
}
