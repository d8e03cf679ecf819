//! Which store this is: a small object, the *marker*, ties a store to one database.
//!
//! The database keeps the id of its store, and the store has the same id in its marker. A folder that is not
//! mounted, another bucket or a proxy that answers 404 to everything has no such marker: then nothing is written
//! there, and nothing that is missing there counts as lost.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use crate::error::{BlobError, Result};
use crate::{Backend, Blobs};

/// The key of the marker.
pub(crate) const MARKER: &str = "docket-store.json";

/// The id of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreId(pub Uuid);

#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    version: u32,
    store_id: Uuid,
}

impl Marker {
    const VERSION: u32 = 1;
}

/// What the database says which store this is, and whether it was found to be so.
#[derive(Debug, Default)]
pub(crate) struct Identity {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    expected: Option<StoreId>,
    verified_at: Option<Instant>,
}

impl Identity {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` while nobody said which store it has to be.
    pub(crate) fn expected(&self) -> Option<StoreId> {
        self.state().expected
    }

    fn expect(&self, id: StoreId) {
        *self.state() = State { expected: Some(id), verified_at: None };
    }

    /// Whether the marker was the right one when it was last read, and that was not longer ago than this.
    fn was_verified(&self, within: Duration) -> bool {
        self.state().verified_at.is_some_and(|at| at.elapsed() <= within)
    }

    /// Compares what a store has with what the database says.
    pub(crate) fn compare(&self, at: &str, found: Option<StoreId>) -> Result<()> {
        let mut state = self.state();
        let Some(expected) = state.expected else { return Ok(()) };
        if found == Some(expected) {
            state.verified_at = Some(Instant::now());
            return Ok(());
        }
        state.verified_at = None;
        Err(BlobError::OtherStore { at: at.to_owned(), found, expected })
    }
}

/// `None` for what is no marker: the store does not say whose it is.
pub(crate) fn parse_marker(bytes: &[u8]) -> Option<StoreId> {
    let marker: Marker = serde_json::from_slice(bytes).ok()?;
    (marker.version == Marker::VERSION).then_some(StoreId(marker.store_id))
}

impl Blobs {
    /// A bucket is asked again whether it is the right one when it was not asked for so long.
    const BUCKET_VERIFIED_FOR: Duration = Duration::from_secs(5);

    /// From now on this store has to have the marker of this id. Holds for all clones.
    pub fn expect_store(&self, id: StoreId) {
        self.identity.expect(id);
    }

    /// The id that the store has, whatever it should have.
    pub async fn read_marker(&self) -> Result<Option<StoreId>> {
        let read = match self.read_once(MARKER, None).await {
            Ok(stream) => stream.collect().await,
            Err(error) => Err(error),
        };
        match read {
            Ok(bytes) => Ok(parse_marker(&bytes)),
            Err(BlobError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the store its id.
    pub async fn write_marker(&self, id: StoreId) -> Result<()> {
        let marker = Marker { version: Marker::VERSION, store_id: id.0 };
        let text = serde_json::to_vec(&marker).map_err(|error| BlobError::Failed {
            attempt: "write the marker of",
            at: self.location(),
            source: Box::new(error),
        })?;
        self.put_unchecked(MARKER.to_owned(), Bytes::from(text)).await
    }

    /// Asks the store whether it is the one that the database expects. Says yes while nothing is expected.
    pub async fn verify(&self) -> Result<()> {
        if self.identity.expected().is_none() {
            return Ok(());
        }
        match &self.backend {
            Backend::Folder(folder) => folder.verify().await,
            Backend::Bucket(_) => {
                let found = self.read_marker().await?;
                self.identity.compare(&self.location(), found)
            }
        }
    }

    /// The same, which a bucket is not asked for each time: its URL stays what it is.
    pub(crate) async fn verify_recently(&self) -> Result<()> {
        let is_recent = self.identity.was_verified(Self::BUCKET_VERIFIED_FOR);
        match &self.backend {
            Backend::Bucket(_) if is_recent => Ok(()),
            _ => self.verify().await,
        }
    }

    /// Before something is stored. A folder looks again when the object gets its name (`folder/disk.rs`); a bucket
    /// is asked unless it was the right one the last time.
    pub(crate) async fn verify_before_writing(&self) -> Result<()> {
        match &self.backend {
            Backend::Bucket(_) if self.identity.was_verified(Duration::MAX) => Ok(()),
            _ => self.verify().await,
        }
    }

    /// What an error means: in a store that is not the right one, or not there, nothing else can be said.
    pub(crate) async fn explain(&self, error: BlobError) -> BlobError {
        let may_be_the_store =
            matches!(error, BlobError::NotFound { .. } | BlobError::Failed { .. });
        if !may_be_the_store {
            return error;
        }
        self.verify().await.err().unwrap_or(error)
    }

    pub(crate) async fn explained<T: Send>(&self, done: Result<T>) -> Result<T> {
        match done {
            Ok(value) => Ok(value),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// How the store is called in messages.
    pub fn location(&self) -> String {
        match &self.backend {
            Backend::Folder(folder) => folder.location(),
            Backend::Bucket(bucket) => bucket.location().to_owned(),
        }
    }

    /// Whether it is reached over the network by its own protocol: it may be away while Docket starts.
    pub fn is_bucket(&self) -> bool {
        matches!(self.backend, Backend::Bucket(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_read_back_and_anything_else_is_none() {
        let id = Uuid::from_u128(7);
        let text = serde_json::to_vec(&Marker { version: 1, store_id: id }).unwrap();
        assert_eq!(parse_marker(&text), Some(StoreId(id)));
        assert_eq!(
            String::from_utf8(text).unwrap(),
            r#"{"version":1,"store_id":"00000000-0000-0000-0000-000000000007"}"#
        );
        for other in ["", "{}", "null", r#"{"version":2,"store_id":"x"}"#] {
            assert_eq!(parse_marker(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn only_the_expected_id_will_do() {
        let identity = Identity::default();
        identity.compare("here", None).unwrap();
        let (ours, other) = (StoreId(Uuid::from_u128(1)), StoreId(Uuid::from_u128(2)));
        identity.expect(ours);
        identity.compare("here", Some(ours)).unwrap();
        assert!(identity.was_verified(Duration::MAX));
        for found in [None, Some(other)] {
            let error = identity.compare("here", found).unwrap_err();
            assert!(error.to_string().contains("docket check --adopt"), "{error}");
            assert!(!identity.was_verified(Duration::MAX));
        }
    }
}
