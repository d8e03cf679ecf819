//! Work on a thread of its own, for what takes a processor a while.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use retrieval::answer::Embed;
use retrieval::embedding::Embedding;

use crate::OpsError;

/// Why there is no result. What a panic says may quote a document, so that it is not told.
#[derive(Debug, thiserror::Error)]
enum NoResult {
    #[error("the work panicked")]
    Panicked,
    #[error("the program is being stopped")]
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

/// Runs what needs vectors of texts that only it knows. A model on this machine embeds them on that very thread. A
/// server is asked in between: the work is run to see which texts it asks for, and again with their vectors, until it
/// asks for no others. It goes without those that the server does not give.
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
        let once = move || {
            let unknown = RefCell::new(Vec::new());
            let embed = |texts: &[&str]| match model.embed_blocking(texts) {
                Some(vectors) => vectors.unwrap_or_default(),
                None => vectors_of(texts, &known, &unknown),
            };
            let done = this(Some(&embed));
            (done, unknown.into_inner(), known)
        };
        let (done, unknown, earlier) = run(attempted, once).await?;
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
                tracing::warn!(%error, attempted, "words alone were compared");
                return Ok(done);
            }
        }
    }
}

/// None at all when one is not known, as from a model that failed.
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
    async fn the_error_of_a_panic_does_not_quote_what_it_says() {
        let secret = "the text of a document".to_owned();
        let worked = run("answering", move || assert!(secret.is_empty(), "{secret}")).await;
        let error = worked.unwrap_err();
        let told = format!("{error} {:?} {:?}", error.source().map(ToString::to_string), error);
        assert!(told.contains("panicked") && !told.contains("text of"), "{told}");
    }

    /// Gives a vector of the text's length, and notes what it was asked.
    #[derive(Debug, Default)]
    struct Server {
        asked: Mutex<Vec<Vec<String>>>,
        fails_at: Option<usize>,
    }

    impl Embedding for Server {
        fn model(&self) -> &'static str {
            "server/small"
        }

        fn count_tokens(&self, text: &str) -> usize {
            text.len()
        }

        fn embed(&self, texts: Vec<String>) -> Embedded<'_> {
            let mut asked = self.asked.lock().unwrap();
            asked.push(texts.clone());
            let fails = self.fails_at == Some(asked.len());
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

    /// Asks about one text, then about what follows from its vector.
    fn two_steps(embed: Option<Embed<'_>>) -> Vec<Vec<f32>> {
        let Some(embed) = embed else { return Vec::new() };
        let first = embed(&["four", "four"]);
        let Some([length]) = first.first().map(Vec::as_slice) else { return Vec::new() };
        let second = embed(&["four", &length.to_string()]);
        [first, second].concat()
    }

    #[tokio::test]
    async fn a_server_is_asked_once_for_each_text_and_never_from_the_working_thread() {
        let server = Arc::new(Server::default());
        let embedding: Arc<dyn Embedding> = server.clone();
        let vectors = run_with_vectors("testing", Some(embedding), two_steps).await.unwrap();
        assert_eq!(vectors, [[4.0], [4.0], [4.0], [1.0]]);
        assert_eq!(*server.asked.lock().unwrap(), [["four"], ["4"]]);
    }

    #[tokio::test]
    async fn work_goes_on_without_what_a_server_does_not_give() {
        for (fails_at, wanted) in [(1, vec![]), (2, vec![vec![4.0], vec![4.0]])] {
            let server = Server { fails_at: Some(fails_at), ..Server::default() };
            let embedding: Option<Arc<dyn Embedding>> = Some(Arc::new(server));
            let vectors = run_with_vectors("testing", embedding, two_steps).await.unwrap();
            assert_eq!(vectors, wanted);
        }
        let vectors = run_with_vectors("testing", None, two_steps).await.unwrap();
        assert!(vectors.is_empty());
    }
}
