//! Removes abandoned uploads and originals that nothing refers to.
//!
//! *Invariant:* an original is removed only while its row is locked, and only if its last upload began longer ago than any
//! upload can last. An upload updates that row before it publishes the original: it either waits for the lock until the
//! bytes are removed and then stores them again, or has updated the row so that the original is not removed.

use std::sync::Arc;

use blob::Blobs;
use chrono::{DateTime, Utc};
use domain::{Clock, ClockUse};
use futures_util::TryStreamExt;
use store::Store;
use uuid::Uuid;

use crate::OpsError;

/// How long unreferenced objects are kept.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// Uploads without a document.
    pub orphans: chrono::Duration,
    /// Originals of documents that failed and were never served.
    pub failed: chrono::Duration,
}

/// How many objects one sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedObjects {
    pub staged: u32,
    pub originals: u32,
}

#[derive(Clone, Debug)]
pub struct OriginalsCleanup {
    pub store: Store,
    pub blobs: Blobs,
    pub clock: Arc<dyn Clock>,
    pub retention: Retention,
}

impl OriginalsCleanup {
    /// The most originals that one sweep removes; the next sweep continues.
    const MAX_PER_SWEEP: u32 = 10_000;
    /// An upload whose process has ended is removed after this time. Where processes on several machines share a folder
    /// without locks between them, an upload that receives nothing for so long may be removed as well.
    const ABANDONED_AFTER: chrono::Duration = chrono::Duration::minutes(10);

    pub async fn sweep(&self) -> Result<RemovedObjects, OpsError> {
        let mut swept = RemovedObjects { staged: self.sweep_staged().await?, originals: 0 };
        while swept.originals < Self::MAX_PER_SWEEP && self.remove_one_original().await? {
            swept.originals += 1;
        }
        if swept != RemovedObjects::default() {
            tracing::info!(
                staged = swept.staged,
                originals = swept.originals,
                "removed unreferenced originals and abandoned uploads"
            );
        }
        Ok(swept)
    }

    async fn sweep_staged(&self) -> Result<u32, OpsError> {
        let mut across = self.store.across_tenants().await?;
        let is_confirmed = across.confirms_time_for(ClockUse::Delete).await?;
        across.commit().await?;
        let Some(now) = self.clock.now_for(ClockUse::Delete).filter(|_| is_confirmed) else {
            return Ok(0);
        };
        let before = now - self.retention.orphans;
        let mut staged = self.blobs.list_staged();
        let mut removed = 0;
        while let Some(object) = staged.try_next().await? {
            let is_old = object.last_modified < before && began_before(object.upload, before);
            let is_abandoned = now - object.last_modified > Self::ABANDONED_AFTER
                && began_before(object.upload, now - Self::ABANDONED_AFTER)
                && self.blobs.is_abandoned(object.upload).await?;
            if is_old || is_abandoned {
                self.blobs.delete_staged(object.upload).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Deletes the bytes while the row is locked. After a crash in between, the row remains for the next sweep, and an
    /// upload of the same content stores the bytes again.
    async fn remove_one_original(&self) -> Result<bool, OpsError> {
        let Some(now) = self.clock.now_for(ClockUse::Delete) else { return Ok(false) };
        let mut across = self.store.across_tenants().await?;
        let (untouched_since, failed_before) =
            (now - self.retention.orphans, now - self.retention.failed);
        let Some(blob) = across.find_abandoned_blob(untouched_since, failed_before).await? else {
            across.commit().await?;
            return Ok(false);
        };
        // Checked before the deletion, which a rollback cannot undo.
        if !across.confirms_time_for(ClockUse::Delete).await? {
            across.rollback().await?;
            return Ok(false);
        }
        self.blobs.delete_original(blob.tenant_id, &blob.hash).await?;
        across.delete_blob_row(&blob).await?;
        across.commit().await?;
        Ok(true)
    }
}

/// By the upload's id, which contains the database's time. The modification time of an object comes from the clock of the
/// writing machine or of the object store, which may be wrong.
fn began_before(upload: Uuid, moment: DateTime<Utc>) -> bool {
    let seconds = upload.get_timestamp().map(|began| began.to_unix().0);
    let began = seconds.and_then(|seconds| DateTime::from_timestamp_secs(seconds.try_into().ok()?));
    began.is_none_or(|began| began < moment)
}
