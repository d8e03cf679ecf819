//! The originals of a tenant, and the ones that are no longer needed.

use chrono::{DateTime, Utc};
use domain::{ContentHash, RunId, TenantId, TenantRules};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// An original that nothing refers to, locked for deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbandonedBlob {
    pub tenant_id: TenantId,
    pub hash: ContentHash,
}

impl Tx {
    /// Records that an original is about to be published. Commit this before publishing it: from then on the cleanup task
    /// keeps it for as long as an upload may take. Returns the tenant's rules.
    pub async fn announce_blob(
        &mut self,
        hash: &ContentHash,
        bytes_len: u64,
        media_type: &str,
    ) -> Result<TenantRules, StoreError> {
        let Json(rules) = sqlx::query_scalar(sql!("blobs/announce"))
            .bind(self.tenant_id().0)
            .bind(hash.as_bytes())
            .bind(i64::try_from(bytes_len).unwrap_or(i64::MAX))
            .bind(media_type)
            .bind(self.now())
            .fetch_one(self.connection())
            .await?;
        Ok(rules)
    }
}

impl Tx {
    /// The content of a run; `None` when its original was deleted.
    pub async fn content_of_run(
        &mut self,
        run_id: RunId,
    ) -> Result<Option<ContentHash>, StoreError> {
        let tenant_id = self.tenant_id().0;
        let hash: Option<Option<Vec<u8>>> = sqlx::query_scalar(
            "SELECT content_sha256 FROM ingestion_runs WHERE tenant_id = $1 AND run_id = $2",
        )
        .bind(tenant_id)
        .bind(run_id.0)
        .fetch_optional(self.connection())
        .await?;
        hash.flatten().as_deref().map(content_hash).transpose()
    }
}

impl AcrossTenants {
    /// Finds an original that was last uploaded before `untouched_since` and that nothing needs; a failed run needs it
    /// until `failed_before`. The row stays locked until this transaction ends, so that an upload of the same content
    /// waits until the original is deleted, and then stores it again.
    pub async fn find_abandoned_blob(
        &mut self,
        untouched_since: DateTime<Utc>,
        failed_before: DateTime<Utc>,
    ) -> Result<Option<AbandonedBlob>, StoreError> {
        let row: Option<(Uuid, Vec<u8>)> = sqlx::query_as(sql!("blobs/abandoned"))
            .bind(untouched_since)
            .bind(failed_before)
            .fetch_optional(self.connection())
            .await?;
        row.map(|(tenant_id, sha256)| {
            Ok(AbandonedBlob { tenant_id: TenantId(tenant_id), hash: content_hash(&sha256)? })
        })
        .transpose()
    }

    /// Deletes the row of an original whose bytes were deleted.
    pub async fn delete_blob_row(&mut self, blob: &AbandonedBlob) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM blobs WHERE tenant_id = $1 AND sha256 = $2")
            .bind(blob.tenant_id.0)
            .bind(blob.hash.as_bytes())
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

pub(crate) fn content_hash(bytes: &[u8]) -> Result<ContentHash, StoreError> {
    ContentHash::try_from(bytes).map_err(|_| StoreError::Unreadable {
        what: "content hash",
        value: format!("{bytes:02x?}"),
    })
}
