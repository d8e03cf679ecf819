//! Which originals there are, and which nobody needs any more.

use chrono::{DateTime, Utc};
use domain::{ContentHash, RunId, TenantId, TenantRules};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// An original that nobody refers to, held for whoever removes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbandonedBlob {
    pub tenant_id: TenantId,
    pub hash: ContentHash,
}

impl Tx {
    /// Says that an original is about to be published. To be committed before it is: from then on the
    /// cleanup task leaves it alone for as long as an upload may take. Gives the tenant's rules.
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
    /// What a run works on, as far as it is still kept.
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
    /// Finds an original that was last uploaded before `untouched_since` and that nothing needs; a run
    /// that failed needs it until `failed_before`. It stays locked until this transaction ends, so
    /// that an upload of the same content waits until it is gone, and then brings it anew.
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

    /// Forgets an original whose bytes are gone.
    pub async fn forget_blob(&mut self, blob: &AbandonedBlob) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM blobs WHERE tenant_id = $1 AND sha256 = $2")
            .bind(blob.tenant_id.0)
            .bind(blob.hash.as_bytes())
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

pub(crate) fn content_hash(bytes: &[u8]) -> Result<ContentHash, StoreError> {
    ContentHash::try_from(bytes).map_err(|_| StoreError::NotUnderstood {
        what: "content hash",
        value: format!("{bytes:02x?}"),
    })
}
