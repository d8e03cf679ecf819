//! An object store in a bucket: S3 and compatible servers (R2, MinIO, …), or Google Cloud Storage.
//!
//! An object of a bucket appears completely and is durable as soon as its request is answered. So a small upload is
//! published with one put; a large one, whose hash is known only at the end, is staged in parts and copied to its key by
//! the store itself.

mod failure;
mod open;
mod part_uploader;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::signer::{Method, SignedUrlOptions, Signer};
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use url::Url;
use uuid::Uuid;

use crate::error::{BlobError, Result};
use crate::keys::staged_key;
use crate::stream::within;
use crate::upload::Content;
use crate::{BlobStream, Download, ListedObject, Staged};
use failure::{BucketLocation, status_of};
pub(crate) use part_uploader::PartUploader;

/// S3 accepts no parts under 5 MiB, and R2 needs all but the last to have the same size.
pub(crate) const PART_SIZE: usize = 5 * 1024 * 1024;
/// The most that S3 copies in one request, and less than 10,000 parts.
pub(crate) const MAX_OBJECT_SIZE: u64 = 5 * 1024 * 1024 * 1024;
/// Concurrent deletions.
const CONCURRENT_DELETIONS: usize = 8;

/// What a client must support.
trait Client: ObjectStore + Signer + PaginatedListStore {}
impl<T: ObjectStore + Signer + PaginatedListStore> Client for T {}

#[derive(Debug)]
pub(crate) struct Bucket {
    client: Arc<dyn Client>,
    prefix: String,
    location: BucketLocation,
    check_within: Duration,
}

impl Bucket {
    pub(crate) async fn check(&self) -> Result<()> {
        let options = PaginatedListOptions { max_keys: Some(1), ..Default::default() };
        let prefix = self.path(&staged_key(Uuid::nil()))?;
        let list = async {
            let listed = self.client.list_paginated(Some(prefix.as_ref()), options).await;
            listed.map(drop).map_err(|error| self.failed("list its objects", error))
        };
        self.in_time(list).await
    }

    /// For checks, which must be fast.
    pub(crate) async fn in_time(&self, work: impl Future<Output = Result<()>>) -> Result<()> {
        match tokio::time::timeout(self.check_within, work).await {
            Ok(done) => done,
            Err(late) => Err(self.location.unavailable("answer in time", Box::new(late))),
        }
    }

    pub(crate) fn location(&self) -> &str {
        &self.location.at
    }

    pub(crate) async fn begin_parts(&self, upload: Uuid) -> Result<PartUploader> {
        let path = self.path(&staged_key(upload))?;
        let begun = self.client.put_multipart(&path).await;
        let upload = begun.map_err(|error| self.failed("begin an upload", error))?;
        Ok(PartUploader::new(upload, self.location.clone()))
    }

    pub(crate) async fn publish(&self, staged: &Staged, key: &str) -> Result<()> {
        match staged.content() {
            Content::InMemory(bytes) => self.put(key, bytes.clone()).await,
            Content::Stored { .. } => self.copy_and_remove(staged, key).await,
        }
    }

    async fn copy_and_remove(&self, staged: &Staged, key: &str) -> Result<()> {
        let from = staged_key(staged.upload());
        let (source, target) = (self.path(&from)?, self.path(key)?);
        match self.client.copy(&source, &target).await {
            Ok(()) => {}
            // Fine only when an earlier call has copied and removed it.
            Err(object_store::Error::NotFound { .. }) => match self.client.head(&target).await {
                Ok(there) if there.size == staged.size => {}
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {
                    return Err(BlobError::NotFound { key: from });
                }
                Err(error) => return Err(self.failed("publish an upload", error)),
            },
            Err(error) => return Err(self.failed("publish an upload", error)),
        }
        if let Err(error) = self.delete(&from).await {
            tracing::warn!(key = from, %error, "a published upload is left to the cleanup task");
        }
        Ok(())
    }

    pub(crate) async fn put(&self, key: &str, bytes: Bytes) -> Result<()> {
        let put = self.client.put(&self.path(key)?, bytes.into()).await;
        put.map(drop).map_err(|error| self.failed("store an object", error))
    }

    pub(crate) async fn read(&self, key: &str, range: Option<Range<u64>>) -> Result<BlobStream> {
        let path = self.path(key)?;
        // A request for an empty range is not possible.
        if range.as_ref().is_some_and(Range::is_empty) {
            let size = self.size_of(&path, key).await?;
            let range = within(range, size)?;
            return Ok(BlobStream::new(key.to_owned(), size, range, stream::empty().boxed()));
        }
        let wanted = range.clone().map(GetRange::Bounded);
        let options = GetOptions { range: wanted, ..Default::default() };
        let got = match self.client.get_opts(&path, options).await {
            Ok(got) => got,
            Err(error) => return Err(self.not_read(error, &path, key, range).await),
        };
        let (size, range) = (got.meta.size, got.range.clone());
        let location = self.location.clone();
        let failed = move |error| location.failed("give all of an object", error);
        let body = got.into_stream().map_err(failed).boxed();
        Ok(BlobStream::new(key.to_owned(), size, range, body))
    }

    /// Stores report in different ways that a range starts after the end.
    async fn not_read(
        &self,
        error: object_store::Error,
        path: &Path,
        key: &str,
        range: Option<Range<u64>>,
    ) -> BlobError {
        let may_be_the_range = range.is_some()
            && matches!(error, object_store::Error::Generic { .. })
            && status_of(&error).is_none_or(|status| status == 416);
        if may_be_the_range
            && let Ok(size) = self.size_of(path, key).await
            && let Err(out_of_range) = within(range, size)
        {
            return out_of_range;
        }
        self.missing_or_failed(error, key, "give an object")
    }

    async fn size_of(&self, path: &Path, key: &str) -> Result<u64> {
        let head = self.client.head(path).await;
        let head = head.map_err(|error| self.missing_or_failed(error, key, "describe an object"));
        head.map(|there| there.size)
    }

    pub(crate) async fn delete(&self, key: &str) -> Result<()> {
        match self.client.delete(&self.path(key)?).await {
            Ok(()) => Ok(()),
            Err(error) => match self.missing_or_failed(error, key, "delete an object") {
                BlobError::NotFound { .. } => Ok(()),
                failed => Err(failed),
            },
        }
    }

    pub(crate) async fn delete_below(&self, key: &str) -> Result<()> {
        let each = async |found: ListedObject| self.delete(&found.key).await;
        self.list_below(key).try_for_each_concurrent(CONCURRENT_DELETIONS, each).await
    }

    pub(crate) fn list_below(&self, key: &str) -> BoxStream<'static, Result<ListedObject>> {
        let path = match self.path(key) {
            Ok(path) => path,
            Err(error) => return stream::once(std::future::ready(Err(error))).boxed(),
        };
        let location = self.location.clone();
        let skipped = if self.prefix.is_empty() { 0 } else { self.prefix.len() + 1 };
        let found = self.client.list(Some(&path)).map(move |listed| {
            let meta = listed.map_err(|error| location.failed("list its objects", error))?;
            let key = meta.location.as_ref().get(skipped..).unwrap_or_default().to_owned();
            Ok(ListedObject { key, size: meta.size, last_modified: meta.last_modified })
        });
        found.boxed()
    }

    pub(crate) async fn sign(&self, key: &str, download: Download<'_>) -> Result<Url> {
        let path = self.path(key)?;
        let Download { expires_in, content_disposition, media_type } = download;
        let options = SignedUrlOptions::new().with_query([
            ("response-content-disposition", content_disposition.to_owned()),
            ("response-content-type", media_type.to_owned()),
        ]);
        let signed = self.client.signed_url_opts(Method::GET, &path, expires_in, &options);
        signed.await.map_err(|error| self.failed("sign a link", error))
    }

    fn missing_or_failed(
        &self,
        error: object_store::Error,
        key: &str,
        attempt: &'static str,
    ) -> BlobError {
        match self.failed(attempt, error) {
            BlobError::NotFound { .. } => BlobError::NotFound { key: key.to_owned() },
            failed => failed,
        }
    }

    fn failed(&self, attempt: &'static str, error: object_store::Error) -> BlobError {
        self.location.failed(attempt, error)
    }

    fn path(&self, key: &str) -> Result<Path> {
        let whole =
            if self.prefix.is_empty() { key.to_owned() } else { format!("{}/{key}", self.prefix) };
        Path::parse(&whole).map_err(|error| BlobError::Failed {
            attempt: "use the key",
            at: whole,
            source: Box::new(error),
        })
    }
}
