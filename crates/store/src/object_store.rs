//! What the database knows of the object store: its id, and the objects that must be in it.

use domain::{Artifact, ContentHash, DocId, RunId, StageName, TenantId};
use sqlx::types::Json;
use uuid::Uuid;

use crate::documents::content_hash;
use crate::{AcrossTenants, StoreError, Tx, sql};

/// An original that the database refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownOriginal {
    pub tenant_id: TenantId,
    pub sha256: ContentHash,
    pub size: u64,
    /// The latest document with this content. `None`: it was announced, and nothing refers to it.
    pub doc_id: Option<DocId>,
}

/// The recorded artifacts of a stage of a run.
#[derive(Clone, Debug)]
pub struct KnownArtifacts {
    pub run_id: RunId,
    pub stage: String,
    pub artifacts: Vec<Artifact>,
}

impl Tx {
    /// The size of an original when it was submitted.
    pub async fn size_of_original(
        &mut self,
        hash: &ContentHash,
    ) -> Result<Option<u64>, StoreError> {
        let found: Option<i64> =
            sqlx::query_scalar("SELECT bytes_len FROM blobs WHERE tenant_id = $1 AND sha256 = $2")
                .bind(self.tenant_id().0)
                .bind(hash.as_bytes())
                .fetch_optional(self.connection())
                .await?;
        Ok(found.and_then(|size| u64::try_from(size).ok()))
    }
}

impl AcrossTenants {
    /// The id of the object store that belongs to this database, if it has one.
    pub async fn object_store_id(&mut self) -> Result<Option<Uuid>, StoreError> {
        Ok(sqlx::query_scalar("SELECT store_id FROM object_store")
            .fetch_optional(self.connection())
            .await?)
    }

    /// Sets the id of the object store. `false` when there is one already; waits for another transaction that sets it.
    pub async fn insert_object_store_id(&mut self, id: Uuid) -> Result<bool, StoreError> {
        let now = self.now();
        let claimed = sqlx::query(
            "INSERT INTO object_store (store_id, linked_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        )
        .bind(id)
        .bind(now)
        .execute(self.connection())
        .await?;
        Ok(claimed.rows_affected() == 1)
    }

    /// Replaces the object store of this database.
    pub async fn set_object_store(&mut self, id: Uuid) -> Result<(), StoreError> {
        let now = self.now();
        sqlx::query(sql!("objects/set_store"))
            .bind(id)
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Some originals that must be in the object store.
    pub async fn served_originals(
        &mut self,
        max: i64,
    ) -> Result<Vec<(TenantId, ContentHash)>, StoreError> {
        let rows: Vec<(Uuid, Vec<u8>)> = sqlx::query_as(sql!("objects/served_originals"))
            .bind(max)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter()
            .map(|(tenant, sha256)| Ok((TenantId(tenant), content_hash(&sha256)?)))
            .collect()
    }

    /// The originals after this one, in order.
    pub async fn known_originals(
        &mut self,
        after: Option<&KnownOriginal>,
        max: i64,
    ) -> Result<Vec<KnownOriginal>, StoreError> {
        type Row = (Uuid, Vec<u8>, i64, Option<Uuid>);
        let (tenant, sha256) = after.map_or((Uuid::nil(), Vec::new()), |after| {
            (after.tenant_id.0, after.sha256.as_bytes().to_vec())
        });
        let rows: Vec<Row> = sqlx::query_as(sql!("objects/originals"))
            .bind(tenant)
            .bind(sha256)
            .bind(max)
            .fetch_all(self.connection())
            .await?;
        let known = |(tenant, sha256, size, doc): Row| {
            Ok(KnownOriginal {
                tenant_id: TenantId(tenant),
                sha256: content_hash(&sha256)?,
                size: u64::try_from(size).unwrap_or(0),
                doc_id: doc.map(DocId),
            })
        };
        rows.into_iter().map(known).collect()
    }

    /// The artifacts of stages, after this stage of this run, in order.
    pub async fn known_artifacts(
        &mut self,
        after: Option<&KnownArtifacts>,
        max: i64,
    ) -> Result<Vec<KnownArtifacts>, StoreError> {
        type Row = (Uuid, String, Json<Vec<Artifact>>);
        let (run, stage) =
            after.map_or((Uuid::nil(), ""), |after| (after.run_id.0, after.stage.as_str()));
        let rows: Vec<Row> = sqlx::query_as(sql!("objects/artifacts"))
            .bind(run)
            .bind(stage)
            .bind(max)
            .fetch_all(self.connection())
            .await?;
        let known =
            |(run, stage, Json(artifacts))| KnownArtifacts { run_id: RunId(run), stage, artifacts };
        Ok(rows.into_iter().map(known).collect())
    }

    /// The indexes of those originals that the database does not know.
    pub async fn unknown_originals(
        &mut self,
        found: &[(TenantId, ContentHash)],
    ) -> Result<Vec<usize>, StoreError> {
        let tenants: Vec<Uuid> = found.iter().map(|(tenant, _)| tenant.0).collect();
        let hashes: Vec<&[u8]> = found.iter().map(|(_, hash)| &hash.as_bytes()[..]).collect();
        let ordinals: Vec<i64> = sqlx::query_scalar(sql!("objects/unknown_originals"))
            .bind(tenants)
            .bind(hashes)
            .fetch_all(self.connection())
            .await?;
        Ok(indices(&ordinals))
    }

    /// The indexes of those artifacts that no stage lists. `images` is the stage under which page images are stored.
    pub async fn unknown_artifacts(
        &mut self,
        found: &[(RunId, StageName, String)],
        images: &StageName,
    ) -> Result<Vec<usize>, StoreError> {
        let runs: Vec<Uuid> = found.iter().map(|(run, _, _)| run.0).collect();
        let stages: Vec<&str> = found.iter().map(|(_, stage, _)| stage.as_str()).collect();
        let keys: Vec<&str> = found.iter().map(|(_, _, key)| key.as_str()).collect();
        let ordinals: Vec<i64> = sqlx::query_scalar(sql!("objects/unknown_artifacts"))
            .bind(runs)
            .bind(stages)
            .bind(keys)
            .bind(images.as_str())
            .fetch_all(self.connection())
            .await?;
        Ok(indices(&ordinals))
    }
}

/// SQL ordinals start at 1.
fn indices(ordinals: &[i64]) -> Vec<usize> {
    ordinals.iter().filter_map(|ordinal| usize::try_from(ordinal - 1).ok()).collect()
}
