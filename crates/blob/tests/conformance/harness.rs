//! A store with a tenant, and helpers for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use blob::{
    ArtifactPlace, BlobError, BlobUrl, Blobs, Settings, Staged, StoredArtifact, Timeouts, Upload,
};
use bytes::Bytes;
use domain::{ContentHash, DocId, IdGen, RunId, TenantId};
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use testkit::CountedIds;
use uuid::Uuid;

/// Longer than anything here takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A store and a tenant of its own on it.
#[derive(Debug)]
pub(crate) struct Harness {
    pub(crate) blobs: Blobs,
    pub(crate) tenant: TenantId,
    pub(crate) doc: DocId,
    ids: CountedIds,
}

impl Harness {
    /// No two harnesses use the same ids.
    pub(crate) fn on(blobs: &Blobs) -> Self {
        static HARNESSES: AtomicU64 = AtomicU64::new(1);
        let ids = CountedIds::after(HARNESSES.fetch_add(1, Ordering::Relaxed) * 1_000);
        let (tenant, doc) = (TenantId(ids.next()), DocId(ids.next()));
        Self { blobs: blobs.clone(), tenant, doc, ids }
    }

    pub(crate) fn id(&self) -> Uuid {
        self.ids.next()
    }

    pub(crate) async fn begin(&self) -> Upload {
        self.blobs.begin_upload(self.id()).await.unwrap()
    }

    /// Sends the content in pieces of an odd size.
    pub(crate) async fn try_upload(&self, content: &[u8]) -> Result<Staged, BlobError> {
        let mut upload = self.blobs.begin_upload(self.id()).await?;
        for piece in content.chunks(60_013) {
            upload.write(Bytes::copy_from_slice(piece)).await?;
        }
        upload.finish().await
    }

    pub(crate) async fn upload(&self, content: &[u8]) -> Staged {
        self.try_upload(content).await.unwrap()
    }

    pub(crate) async fn publish(&self, content: &[u8]) -> ContentHash {
        let staged = self.upload(content).await;
        self.blobs.publish(self.tenant, &staged).await.unwrap();
        staged.sha256
    }

    pub(crate) async fn try_read(&self, hash: &ContentHash) -> Result<Bytes, BlobError> {
        self.blobs.read_original(self.tenant, hash, None).await?.collect().await
    }

    pub(crate) async fn has(&self, hash: &ContentHash) -> bool {
        match self.try_read(hash).await {
            Ok(_) => true,
            Err(BlobError::NotFound { .. }) => false,
            Err(error) => panic!("{error:?}"),
        }
    }

    /// The originals of this tenant.
    pub(crate) async fn originals(&self) -> Vec<(ContentHash, u64)> {
        let all: Vec<_> = self.blobs.list_originals().try_collect().await.unwrap();
        let mine = all.into_iter().filter(|original| original.tenant == self.tenant);
        mine.map(|original| (original.sha256, original.size)).collect()
    }

    pub(crate) async fn staged(&self) -> Vec<Uuid> {
        let all: Vec<_> = self.blobs.list_staged().try_collect().await.unwrap();
        all.into_iter().map(|staged| staged.upload).collect()
    }

    pub(crate) fn place(&self, stage: &str, name: &str) -> ArtifactPlace {
        let (tenant, doc, run) = (self.tenant, self.doc, RunId(Uuid::from_u128(1)));
        ArtifactPlace {
            tenant,
            doc,
            run,
            stage: stage.parse().unwrap(),
            name: name.parse().unwrap(),
        }
    }

    /// In the order of their keys.
    pub(crate) async fn artifacts(&self) -> Vec<StoredArtifact> {
        let listed = self.blobs.list_artifacts(self.tenant, self.doc);
        let mut all: Vec<_> = listed.try_collect().await.unwrap();
        all.sort_by_key(|artifact| artifact.place.key());
        all
    }
}

/// The same bytes for the same seed; no two pieces of it are alike.
pub(crate) fn content(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

pub(crate) fn sha256(bytes: &[u8]) -> ContentHash {
    ContentHash(Sha256::digest(bytes).into())
}

pub(crate) fn open(url: &str, environment: Vec<(String, String)>) -> Blobs {
    let url: BlobUrl = url.parse().unwrap();
    Blobs::open_with(&url, &Settings::with_environment(environment)).unwrap()
}

/// Short timeouts for servers that fail, but long enough for a busy machine.
pub(crate) fn open_impatient(url: &str, environment: Vec<(String, String)>) -> Blobs {
    let url: BlobUrl = url.parse().unwrap();
    let mut settings = Settings::with_environment(environment);
    settings.timeouts = Timeouts {
        connect: Duration::from_secs(3),
        response: Duration::from_secs(3),
        // One for a fault, one for a connection that the proxy closed when it changed.
        retries: 2,
        retry_for: Duration::from_secs(1),
        check: Duration::from_secs(3),
    };
    Blobs::open_with(&url, &settings).unwrap()
}

/// Waits for an asynchronous effect of a store.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(TIMEOUT, wait).await;
    assert!(waited.is_ok(), "{what}: not within {TIMEOUT:?}");
}
