//! Work on a thread of its own, for what takes a processor a while.

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

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[tokio::test]
    async fn the_error_of_a_panic_does_not_quote_what_it_says() {
        let secret = "the text of a document".to_owned();
        let worked = run("answering", move || assert!(secret.is_empty(), "{secret}")).await;
        let error = worked.unwrap_err();
        let told = format!("{error} {:?} {:?}", error.source().map(ToString::to_string), error);
        assert!(told.contains("panicked") && !told.contains("text of"), "{told}");
    }
}
