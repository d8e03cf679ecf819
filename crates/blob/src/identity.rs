//! The identity of a store: a small object, the *marker*, links a store to one database.
//!
//! The database stores the id of its store, and the store has the same id in its marker. A folder that is not mounted,
//! another bucket or a proxy that answers 404 to everything has no such marker: then nothing is written there, and an
//! object that is missing there does not count as lost.

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

/// The id that the database expects, and when the store was last verified.
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

    /// `None` while no id was set.
    pub(crate) fn expected(&self) -> Option<StoreId> {
        self.state().expected
    }

    fn expect(&self, id: StoreId) {
        *self.state() = State { expected: Some(id), verified_at: None };
    }

    /// Whether the marker was right when it was last read, no longer ago than this.
    fn was_verified(&self, within: Duration) -> bool {
        self.state().verified_at.is_some_and(|at| at.elapsed() <= within)
    }

    /// Compares the id of a store with the expected one.
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

/// `None` when the content is not a valid marker.
pub(crate) fn parse_marker(bytes: &[u8]) -> Option<StoreId> {
    let marker: Marker = serde_json::from_slice(bytes).ok()?;
    (marker.version == Marker::VERSION).then_some(StoreId(marker.store_id))
}

impl Blobs {
    /// For how long a verified bucket is not verified again.
    const BUCKET_VERIFIED_FOR: Duration = Duration::from_secs(5);

    /// From now on the store must have a marker with this id. Applies to all clones.
    pub fn expect_store(&self, id: StoreId) {
        self.identity.expect(id);
    }

    /// The id in the store's marker, whatever is expected.
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

    /// Writes the marker.
    pub async fn write_marker(&self, id: StoreId) -> Result<()> {
        let marker = Marker { version: Marker::VERSION, store_id: id.0 };
        let text = serde_json::to_vec(&marker).map_err(|error| BlobError::Failed {
            attempt: "write the marker of",
            at: self.location(),
            source: Box::new(error),
        })?;
        self.put_unchecked(MARKER.to_owned(), Bytes::from(text)).await
    }

    /// Checks that the store has the expected id. Succeeds while none is expected.
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

    /// The same, but a bucket is not asked again soon, because its URL cannot lead elsewhere.
    pub(crate) async fn verify_recently(&self) -> Result<()> {
        let is_recent = self.identity.was_verified(Self::BUCKET_VERIFIED_FOR);
        match &self.backend {
            Backend::Bucket(_) if is_recent => Ok(()),
            _ => self.verify().await,
        }
    }

    /// Call it before storing something. A folder is verified again when the object gets its name (`folder/disk.rs`); a
    /// bucket is verified unless it was right the last time.
    pub(crate) async fn verify_before_writing(&self) -> Result<()> {
        match &self.backend {
            Backend::Bucket(_) if self.identity.was_verified(Duration::MAX) => Ok(()),
            _ => self.verify().await,
        }
    }

    /// Replaces an error by the one that explains it, if the store is not the right one or not available.
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

    /// The name of the store in messages.
    pub fn location(&self) -> String {
        match &self.backend {
            Backend::Folder(folder) => folder.location(),
            Backend::Bucket(bucket) => bucket.location().to_owned(),
        }
    }

    /// Whether it is reached over the network, so that it may be unavailable while Docket starts.
    pub fn is_bucket(&self) -> bool {
        matches!(self.backend, Backend::Bucket(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_reads_back_and_other_content_is_not_a_marker() {
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
    fn only_the_expected_id_is_accepted() {
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
