//! Where the bytes are: originals, artifacts and uploads under way, in a folder, S3 (R2, MinIO, …) or
//! Google Cloud Storage. One interface, one conformance suite (`tests/conformance`).
//!
//! Terms:
//! - an **original** is what somebody sent in, kept once per tenant under the SHA-256 of its bytes:
//!   `originals/<tenant>/<first two digits>/<hash>`. Nothing is shared between tenants.
//! - a **staged** object is an upload that is not published: `staging/<upload>`. It is nobody's until
//!   [`Blobs::publish`]; whoever dies in between leaves it to the cleanup task ([`Blobs::list_staged`]).
//! - an **artifact** is what a stage made: `artifacts/<tenant>/<doc>/<run>/<stage>/<name>`.
//! - the **marker** says which store this is: `docket-store.json` (`identity.rs`).
//! - a **checkpoint** is a signed statement about a tenant's audit log: `audit/<tenant>/<number>-<hash>.json`.
//!
//! An object appears whole or not at all, and lasts when the call that made it returns. In the
//! folder that takes an fsync of the file, a rename, and an fsync of every folder on the way that is
//! new.
//!
//! What this crate does *not* clean up: the parts of a large upload to a bucket whose process was
//! killed. No listing shows them. Give the bucket a lifecycle rule that aborts incomplete multipart
//! uploads after a day.

mod bucket;
mod error;
mod folder;
mod identity;
pub mod links;
mod place;
mod settings;
mod stream;
mod upload;
mod url;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ::url::Url;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::{ContentHash, DocId, StoredFile, TenantId};
use futures_util::stream::BoxStream;
use uuid::Uuid;

use bucket::Bucket;
pub use error::BlobError;
use error::Result;
use folder::Folder;
use identity::Identity;
pub use identity::StoreId;
pub use place::original_key as key_of_original;
pub use place::{ArtifactName, ArtifactPlace, CheckpointPlace, InvalidPlace};
use place::{artifacts_key, checkpoint_key, original_key, staged_key};
pub use settings::{Settings, Timeouts};
pub use stream::{BlobStream, Recorded};
pub use upload::{Staged, Upload};
pub use url::{BlobUrl, InvalidBlobUrl};

/// Says how TLS is computed in this process: HTTP clients bring no cryptography of their own. Whoever makes one calls
/// this first; that somebody else was first is fine.
pub fn install_tls_provider() {
    rustls::crypto::ring::default_provider().install_default().ok();
}

/// An object store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blobs {
    backend: Backend,
    identity: Arc<Identity>,
    address: Arc<str>,
}

#[derive(Clone, Debug)]
enum Backend {
    Folder(Arc<Folder>),
    Bucket(Arc<Bucket>),
}

/// An upload that was never published, nor discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagedObject {
    pub upload: Uuid,
    pub last_modified: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredOriginal {
    pub tenant: TenantId,
    pub sha256: ContentHash,
    pub size: u64,
    pub last_modified: DateTime<Utc>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredArtifact {
    pub place: ArtifactPlace,
    pub size: u64,
    pub last_modified: DateTime<Utc>,
}

/// What a link to an original should do when it is opened.
#[derive(Clone, Copy, Debug)]
pub struct Download<'a> {
    pub expires_in: Duration,
    /// The header of this name, which says what the browser saves it as.
    pub content_disposition: &'a str,
    pub media_type: &'a str,
}

/// One object of a listing.
#[derive(Clone, Debug)]
struct Found {
    key: String,
    size: u64,
    last_modified: DateTime<Utc>,
}

impl Blobs {
    /// Credentials and endpoints come from the environment (see [`Settings::from_environment`]). Makes the folder
    /// when it is not there, unless the settings say otherwise; asks nothing of a bucket yet: that is
    /// [`Blobs::check`].
    pub fn open(url: &BlobUrl) -> Result<Self> {
        Self::open_with(url, &Settings::from_environment())
    }

    pub fn open_with(url: &BlobUrl, settings: &Settings) -> Result<Self> {
        let identity = Arc::new(Identity::default());
        let backend = match url {
            BlobUrl::Folder(root) => {
                Backend::Folder(Arc::new(Folder::open(root, settings, &identity)?))
            }
            BlobUrl::S3(at) => Backend::Bucket(Arc::new(Bucket::open_s3(at, settings)?)),
            BlobUrl::Gcs(at) => Backend::Bucket(Arc::new(Bucket::open_gcs(at, settings)?)),
        };
        Ok(Self { backend, identity, address: url.to_string().into() })
    }

    /// Where an original is, for people: `file:///…`, `s3://…` or `gs://…`.
    pub fn address_of_original(&self, tenant: TenantId, hash: &ContentHash) -> String {
        format!("{}/{}", self.address, original_key(tenant, hash))
    }

    /// Makes what a store needs beside its marker: for one that is known to be the right one.
    pub async fn prepare(&self) -> Result<()> {
        match &self.backend {
            Backend::Folder(folder) => folder.prepare().await,
            Backend::Bucket(_) => Ok(()),
        }
    }

    /// Whether the store can be used now, and is the right one. Answers within [`Timeouts::check`].
    pub async fn check(&self) -> Result<()> {
        match &self.backend {
            Backend::Folder(folder) => folder.check().await,
            Backend::Bucket(bucket) => {
                let listed = async { self.explained(bucket.check().await).await };
                let (listed, verified) =
                    tokio::join!(bucket.in_time(listed), bucket.in_time(self.verify_recently()),);
                listed.and(verified)
            }
        }
    }

    /// Nothing is stored before the first step (folder, a mebibyte at most) or part (bucket) is full.
    pub async fn begin_upload(&self, upload: Uuid) -> Result<Upload> {
        self.verify_before_writing().await?;
        Ok(Upload::new(self.clone(), upload))
    }

    /// Makes the upload an original of this tenant. Lasts when it returns; the staged object is gone
    /// then. To repeat it is fine, after an error too, as is publishing what is there already: that
    /// writes the same bytes anew.
    pub async fn publish(&self, tenant: TenantId, staged: &Staged) -> Result<()> {
        self.publish_at(original_key(tenant, &staged.sha256), staged).await
    }

    /// Whether publishing it takes a new name and no more, so that somebody may wait for it with locks held.
    pub fn is_published_at_once(&self, staged: &Staged) -> bool {
        matches!(self.backend, Backend::Folder(_)) && staged.is_stored()
    }

    async fn publish_at(&self, key: String, staged: &Staged) -> Result<()> {
        let published = match &self.backend {
            Backend::Folder(folder) => folder.publish(staged, key).await,
            Backend::Bucket(bucket) => {
                self.verify_before_writing().await?;
                bucket.publish(staged, &key).await
            }
        };
        self.explained(published).await
    }

    /// When it fails, the cleanup task will find the object.
    pub async fn discard(&self, staged: Staged) {
        if staged.is_stored()
            && let Err(error) = self.delete_staged(staged.upload()).await
        {
            let upload = staged.upload();
            tracing::warn!(%upload, %error, "a discarded upload is left to the cleanup task");
        }
    }

    /// A range that ends behind the end is cut; one that starts there is [`BlobError::OutOfRange`]. The whole is
    /// compared with its hash on its way out.
    ///
    /// [`BlobError::NotFound`] is certain here and wherever else something is read, once the store is known
    /// ([`Blobs::expect_store`]): its marker was there before and after the object was looked for a second time.
    pub async fn read_original(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream> {
        Ok(self.read(original_key(tenant, hash), range).await?.of_hash(*hash))
    }

    /// The original as an open file, where the store is a folder: nothing needs to be copied then. It was read once
    /// and compared with its hash.
    pub async fn open_original(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<std::fs::File>> {
        self.open_file(original_key(tenant, hash), Some(*hash)).await
    }

    /// The same, for a caller who knows that its hash was compared a moment ago.
    pub async fn reopen_original(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<std::fs::File>> {
        self.open_file(original_key(tenant, hash), None).await
    }

    async fn open_file(
        &self,
        key: String,
        hash: Option<ContentHash>,
    ) -> Result<Option<std::fs::File>> {
        let Backend::Folder(folder) = &self.backend else { return Ok(None) };
        match folder.open_file(key.clone(), hash).await {
            Err(BlobError::NotFound { .. }) => {
                // As `read` does.
                self.verify().await?;
                let again = folder.open_file(key, hash).await;
                self.explained(again).await.map(Some)
            }
            opened => self.explained(opened).await.map(Some),
        }
    }

    /// How large the original is, without reading it.
    pub async fn size_of_original(&self, tenant: TenantId, hash: &ContentHash) -> Result<u64> {
        Ok(self.read(original_key(tenant, hash), Some(0..0)).await?.size())
    }

    /// Whether the original is as it was recorded; quick: whether it is there in its size. Gives nothing of it.
    pub async fn check_original(
        &self,
        tenant: TenantId,
        recorded: &Recorded,
        is_quick: bool,
    ) -> Result<()> {
        self.compare(original_key(tenant, &recorded.sha256), recorded, is_quick).await
    }

    /// The same of an artifact.
    pub async fn check_artifact(
        &self,
        place: &ArtifactPlace,
        recorded: &Recorded,
        is_quick: bool,
    ) -> Result<()> {
        self.compare(place.key(), recorded, is_quick).await
    }

    async fn compare(&self, key: String, recorded: &Recorded, is_quick: bool) -> Result<()> {
        let stream = self.read(key, is_quick.then_some(0..0)).await?;
        stream.checked(recorded)?.read_through().await
    }

    /// Whether nobody works on a staged upload any more: its process has ended. `false` where that cannot be told.
    pub async fn is_abandoned(&self, upload: Uuid) -> Result<bool> {
        match &self.backend {
            Backend::Folder(folder) => folder.is_abandoned(staged_key(upload)).await,
            Backend::Bucket(_) => Ok(false),
        }
    }

    /// That it is not there is fine.
    pub async fn delete_original(&self, tenant: TenantId, hash: &ContentHash) -> Result<()> {
        self.delete(original_key(tenant, hash)).await
    }

    /// Every original, of all tenants: for whoever looks for those that nothing refers to.
    pub fn list_originals(&self) -> BoxStream<'static, Result<StoredOriginal>> {
        place::only(self.list_below("originals"), |found| {
            let (tenant, sha256) = place::read_original_key(&found.key)?;
            let Found { size, last_modified, .. } = found;
            Some(StoredOriginal { tenant, sha256, size, last_modified })
        })
    }

    pub async fn put_artifact(&self, place: &ArtifactPlace, bytes: Bytes) -> Result<StoredFile> {
        let key = place.key();
        let size_bytes = bytes.len() as u64;
        let sha256 = upload::hash_whole(bytes.clone()).await?;
        self.put(key.clone(), bytes).await?;
        Ok(StoredFile { key, size_bytes, sha256 })
    }

    /// Makes an upload an artifact: for what is too large to be held in memory.
    pub async fn publish_artifact(
        &self,
        place: &ArtifactPlace,
        staged: &Staged,
    ) -> Result<StoredFile> {
        let key = place.key();
        self.publish_at(key.clone(), staged).await?;
        Ok(StoredFile { key, size_bytes: staged.size, sha256: staged.sha256 })
    }

    pub async fn read_artifact(
        &self,
        place: &ArtifactPlace,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream> {
        self.read(place.key(), range).await
    }

    /// Every artifact, of all tenants: for whoever looks for those that nothing refers to.
    pub fn list_all_artifacts(&self) -> BoxStream<'static, Result<StoredArtifact>> {
        self.artifacts_below("artifacts")
    }

    /// What all runs of a document left, in no order.
    pub fn list_artifacts(
        &self,
        tenant: TenantId,
        doc: DocId,
    ) -> BoxStream<'static, Result<StoredArtifact>> {
        self.artifacts_below(&artifacts_key(tenant, doc))
    }

    fn artifacts_below(&self, key: &str) -> BoxStream<'static, Result<StoredArtifact>> {
        place::only(self.list_below(key), |found| {
            let place = found.key.parse().ok()?;
            let Found { size, last_modified, .. } = found;
            Some(StoredArtifact { place, size, last_modified })
        })
    }

    /// That it is not there is fine.
    pub async fn delete_artifact(&self, place: &ArtifactPlace) -> Result<()> {
        self.delete(place.key()).await
    }

    /// All artifacts of a document.
    pub async fn delete_artifacts(&self, tenant: TenantId, doc: DocId) -> Result<()> {
        let key = artifacts_key(tenant, doc);
        match &self.backend {
            Backend::Folder(folder) => folder.delete_tree(key).await,
            Backend::Bucket(bucket) => bucket.delete_below(&key).await,
        }
    }

    pub fn list_staged(&self) -> BoxStream<'static, Result<StagedObject>> {
        place::only(self.list_below("staging"), |found| {
            let upload = place::read_staged_key(&found.key)?;
            Some(StagedObject { upload, last_modified: found.last_modified })
        })
    }

    /// That it is not there is fine.
    pub async fn delete_staged(&self, upload: Uuid) -> Result<()> {
        self.delete(staged_key(upload)).await
    }

    /// To repeat it writes the same bytes again.
    pub async fn put_checkpoint(&self, place: &CheckpointPlace, bytes: Bytes) -> Result<()> {
        self.put(checkpoint_key(place), bytes).await
    }

    pub async fn read_checkpoint(&self, place: &CheckpointPlace) -> Result<Bytes> {
        self.read(checkpoint_key(place), None).await?.collect().await
    }

    /// That it is not there is fine.
    pub async fn delete_checkpoint(&self, place: &CheckpointPlace) -> Result<()> {
        self.delete(checkpoint_key(place)).await
    }

    /// Those of one tenant, or of all.
    pub fn list_checkpoints(
        &self,
        tenant: Option<TenantId>,
    ) -> BoxStream<'static, Result<CheckpointPlace>> {
        let below = tenant.map_or_else(|| "audit".to_owned(), |tenant| format!("audit/{tenant}"));
        place::only(self.list_below(&below), |found| place::read_checkpoint_key(&found.key))
    }

    /// A URL of the object store that gives the original to whoever has it, until it expires; `None` for the
    /// folder, which has none. Nothing revokes it, so it must be short-lived; people get our own [`links`].
    /// Does not look whether the original is there.
    pub async fn sign_original(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
        download: Download<'_>,
    ) -> Result<Option<Url>> {
        match &self.backend {
            Backend::Folder(_) => Ok(None),
            Backend::Bucket(bucket) => {
                bucket.sign(&original_key(tenant, hash), download).await.map(Some)
            }
        }
    }

    async fn put(&self, key: String, bytes: Bytes) -> Result<()> {
        if self.is_bucket() {
            self.verify_before_writing().await?;
        }
        self.explained(self.put_unchecked(key, bytes).await).await
    }

    async fn put_unchecked(&self, key: String, bytes: Bytes) -> Result<()> {
        match &self.backend {
            Backend::Folder(folder) => folder.put(key, bytes).await,
            Backend::Bucket(bucket) => bucket.put(&key, bytes).await,
        }
    }

    /// That an object is missing is believed when the store was the right one before and after it was looked for.
    async fn read(&self, key: String, range: Option<Range<u64>>) -> Result<BlobStream> {
        match self.read_once(&key, range.clone()).await {
            Err(BlobError::NotFound { .. }) if self.identity.expected().is_some() => {
                self.verify().await?;
                self.explained(self.read_once(&key, range).await).await
            }
            found => self.explained(found).await,
        }
    }

    async fn read_once(&self, key: &str, range: Option<Range<u64>>) -> Result<BlobStream> {
        match &self.backend {
            Backend::Folder(folder) => folder.read(key.to_owned(), range).await,
            Backend::Bucket(bucket) => bucket.read(key, range).await,
        }
    }

    async fn delete(&self, key: String) -> Result<()> {
        match &self.backend {
            Backend::Folder(folder) => folder.delete(key).await,
            Backend::Bucket(bucket) => bucket.delete(&key).await,
        }
    }

    fn list_below(&self, key: &str) -> BoxStream<'static, Result<Found>> {
        match &self.backend {
            Backend::Folder(folder) => folder.list_below(key),
            Backend::Bucket(bucket) => bucket.list_below(key),
        }
    }
}
