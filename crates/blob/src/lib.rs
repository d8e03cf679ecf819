//! The object store: originals, artifacts and uploads in progress, in a folder, S3 (R2, MinIO, …) or Google Cloud
//! Storage. One interface, one conformance suite (`tests/conformance`).
//!
//! Terms:
//! - an **original** is an uploaded file, stored once per tenant under the SHA-256 of its bytes:
//!   `originals/<tenant>/<first two digits>/<hash>`. Nothing is shared between tenants.
//! - a **staged** object is an upload that is not published: `staging/<upload>`. It belongs to no tenant before
//!   [`Blobs::publish`]; the cleanup task deletes what a process that died left ([`Blobs::list_staged`]).
//! - an **artifact** is the output of a stage: `artifacts/<tenant>/<doc>/<run>/<stage>/<name>`.
//! - the **marker** identifies the store: `docket-store.json` (`identity.rs`).
//! - a **checkpoint** is a signed statement about a tenant's audit log: `audit/<tenant>/<number>-<hash>.json`.
//!
//! An object appears completely or not at all, and is durable when the call that created it returns. In a folder that
//! takes an fsync of the file, a rename, and an fsync of every new folder on the path.
//!
//! What this crate does *not* clean up: the parts of a large upload to a bucket whose process was
//! killed. No listing shows them. Give the bucket a lifecycle rule that aborts incomplete multipart
//! uploads after a day.

mod bucket;
mod error;
mod folder;
mod identity;
mod keys;
pub mod links;
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
pub use keys::original_key as key_of_original;
pub use keys::{ArtifactName, ArtifactPlace, CheckpointPlace, InvalidPlace};
use keys::{artifacts_key, checkpoint_key, original_key, staged_key};
pub use settings::{Settings, Timeouts};
pub use stream::{BlobStream, Recorded};
pub use upload::{Staged, Upload};
pub use url::{BlobUrl, InvalidBlobUrl};

/// Installs the TLS provider of this process, which HTTP clients need. Repeated calls do nothing.
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

/// An upload that was neither published nor discarded.
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

/// Options of a signed link to an original.
#[derive(Clone, Copy, Debug)]
pub struct Download<'a> {
    pub expires_in: Duration,
    /// The value of this header, which contains the file name.
    pub content_disposition: &'a str,
    pub media_type: &'a str,
}

/// One object of a listing.
#[derive(Clone, Debug)]
struct ListedObject {
    key: String,
    size: u64,
    last_modified: DateTime<Utc>,
}

impl Blobs {
    /// Credentials and endpoints come from the environment (see [`Settings::from_environment`]). Creates the folder if it is
    /// missing, unless the settings say otherwise; sends no request to a bucket: see [`Blobs::check`].
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

    /// The address of an original, for users: `file:///…`, `s3://…` or `gs://…`.
    pub fn address_of_original(&self, tenant: TenantId, hash: &ContentHash) -> String {
        format!("{}/{}", self.address, original_key(tenant, hash))
    }

    /// Creates the folders of a store that is known to be the right one.
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

    /// Nothing is stored before the first batch (folder, at most one mebibyte) or part (bucket) is full.
    pub async fn begin_upload(&self, upload: Uuid) -> Result<Upload> {
        self.verify_before_writing().await?;
        Ok(Upload::new(self.clone(), upload))
    }

    /// Makes the upload an original of this tenant. The original is durable and the staged object deleted when it returns.
    /// The call may be repeated, also after an error. Publishing existing content writes the same bytes again.
    pub async fn publish(&self, tenant: TenantId, staged: &Staged) -> Result<()> {
        self.publish_at(original_key(tenant, &staged.sha256), staged).await
    }

    /// Whether publishing it is only a rename, so that a caller may hold locks meanwhile.
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

    /// If it fails, the cleanup task deletes the object.
    pub async fn discard(&self, staged: Staged) {
        if staged.is_stored()
            && let Err(error) = self.delete_staged(staged.upload()).await
        {
            let upload = staged.upload();
            tracing::warn!(%upload, %error, "a discarded upload is left to the cleanup task");
        }
    }

    /// A range that ends after the object is cut; one that starts after it is [`BlobError::OutOfRange`]. A whole object is
    /// compared with its hash while it is read.
    ///
    /// [`BlobError::NotFound`] is reliable for all reads once the store's id is known ([`Blobs::expect_store`]): the marker
    /// was verified before the object was requested a second time.
    pub async fn read_original(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream> {
        Ok(self.read(original_key(tenant, hash), range).await?.of_hash(*hash))
    }

    /// The original as an open file if the store is a folder, so that nothing is copied. Its hash was verified.
    pub async fn open_original(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<std::fs::File>> {
        self.open_file(original_key(tenant, hash), Some(*hash)).await
    }

    /// The same without verifying the hash, for a caller that has just done so.
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
                // As in `read`.
                self.verify().await?;
                let again = folder.open_file(key, hash).await;
                self.explained(again).await.map(Some)
            }
            opened => self.explained(opened).await.map(Some),
        }
    }

    /// The size of the original, without reading it.
    pub async fn size_of_original(&self, tenant: TenantId, hash: &ContentHash) -> Result<u64> {
        Ok(self.read(original_key(tenant, hash), Some(0..0)).await?.size())
    }

    /// Checks that the original has its recorded size and hash; with `is_quick`, its size only.
    pub async fn check_original(
        &self,
        tenant: TenantId,
        recorded: &Recorded,
        is_quick: bool,
    ) -> Result<()> {
        self.compare(original_key(tenant, &recorded.sha256), recorded, is_quick).await
    }

    /// The same for an artifact.
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

    /// Whether the process of a staged upload has ended. `false` where that is unknown.
    pub async fn is_abandoned(&self, upload: Uuid) -> Result<bool> {
        match &self.backend {
            Backend::Folder(folder) => folder.is_abandoned(staged_key(upload)).await,
            Backend::Bucket(_) => Ok(false),
        }
    }

    /// Succeeds when it does not exist.
    pub async fn delete_original(&self, tenant: TenantId, hash: &ContentHash) -> Result<()> {
        self.delete(original_key(tenant, hash)).await
    }

    /// All originals of all tenants, to find those that nothing refers to.
    pub fn list_originals(&self) -> BoxStream<'static, Result<StoredOriginal>> {
        keys::only(self.list_below("originals"), |found| {
            let (tenant, sha256) = keys::read_original_key(&found.key)?;
            let ListedObject { size, last_modified, .. } = found;
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

    /// Makes an upload an artifact, for content that is too large for memory.
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

    /// All artifacts of all tenants, to find those that nothing refers to.
    pub fn list_all_artifacts(&self) -> BoxStream<'static, Result<StoredArtifact>> {
        self.artifacts_below("artifacts")
    }

    /// The artifacts of all runs of a document, in no order.
    pub fn list_artifacts(
        &self,
        tenant: TenantId,
        doc: DocId,
    ) -> BoxStream<'static, Result<StoredArtifact>> {
        self.artifacts_below(&artifacts_key(tenant, doc))
    }

    fn artifacts_below(&self, key: &str) -> BoxStream<'static, Result<StoredArtifact>> {
        keys::only(self.list_below(key), |found| {
            let place = found.key.parse().ok()?;
            let ListedObject { size, last_modified, .. } = found;
            Some(StoredArtifact { place, size, last_modified })
        })
    }

    /// Succeeds when it does not exist.
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
        keys::only(self.list_below("staging"), |found| {
            let upload = keys::read_staged_key(&found.key)?;
            Some(StagedObject { upload, last_modified: found.last_modified })
        })
    }

    /// Succeeds when it does not exist.
    pub async fn delete_staged(&self, upload: Uuid) -> Result<()> {
        self.delete(staged_key(upload)).await
    }

    /// Repeating it writes the same bytes again.
    pub async fn put_checkpoint(&self, place: &CheckpointPlace, bytes: Bytes) -> Result<()> {
        self.put(checkpoint_key(place), bytes).await
    }

    pub async fn read_checkpoint(&self, place: &CheckpointPlace) -> Result<Bytes> {
        self.read(checkpoint_key(place), None).await?.collect().await
    }

    /// Succeeds when it does not exist.
    pub async fn delete_checkpoint(&self, place: &CheckpointPlace) -> Result<()> {
        self.delete(checkpoint_key(place)).await
    }

    /// The checkpoints of one tenant, or of all.
    pub fn list_checkpoints(
        &self,
        tenant: Option<TenantId>,
    ) -> BoxStream<'static, Result<CheckpointPlace>> {
        let below = tenant.map_or_else(|| "audit".to_owned(), |tenant| format!("audit/{tenant}"));
        keys::only(self.list_below(&below), |found| keys::read_checkpoint_key(&found.key))
    }

    /// A URL of the object store that gives its holder the original until it expires; `None` for a folder. It cannot be
    /// revoked, so it must be short-lived; users get Docket's own [`links`]. It does not check that the original exists.
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

    fn list_below(&self, key: &str) -> BoxStream<'static, Result<ListedObject>> {
        match &self.backend {
            Backend::Folder(folder) => folder.list_below(key),
            Backend::Bucket(bucket) => bucket.list_below(key),
        }
    }
}
