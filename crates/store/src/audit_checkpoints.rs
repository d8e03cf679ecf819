//! Signed checkpoints of the audit log. `ops/src/audit/checkpoints.rs` takes and verifies them.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{CheckpointStatement, ShardHead, SignedCheckpoint, TenantId};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// A stored checkpoint whose signature is not verified yet.
#[derive(Clone, Debug)]
pub struct CheckpointRecord {
    pub number: i64,
    pub taken_at: DateTime<Utc>,
    pub rows: i64,
    pub signed: SignedCheckpoint,
}

#[derive(FromRow)]
struct CheckpointRow {
    number: i64,
    taken_at: DateTime<Utc>,
    rows: i64,
    statement: String,
    signature: String,
    public_key: String,
}

impl From<CheckpointRow> for CheckpointRecord {
    fn from(row: CheckpointRow) -> Self {
        let CheckpointRow { number, taken_at, rows, statement, signature, public_key } = row;
        let signed = SignedCheckpoint { statement, signature, public_key };
        Self { number, taken_at, rows, signed }
    }
}

impl Tx {
    /// The tenant's checkpoints after this number, in order.
    pub async fn list_checkpoints(
        &mut self,
        after: i64,
        limit: i64,
    ) -> Result<Vec<CheckpointRecord>, StoreError> {
        let rows: Vec<CheckpointRow> = sqlx::query_as(sql!("audit/checkpoints"))
            .bind(self.tenant_id().0)
            .bind(after)
            .bind(limit)
            .fetch_all(self.connection())
            .await?;
        Ok(rows.into_iter().map(CheckpointRecord::from).collect())
    }
}

impl AcrossTenants {
    /// The tenants whose log has grown since their last checkpoint, if that was taken before this moment, or that have none.
    /// A checkpoint with a time later than now counts as old, because the clock was set back.
    pub async fn tenants_without_checkpoint_since(
        &mut self,
        moment: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<TenantId>, StoreError> {
        /// By how much the clocks of two processes may differ.
        const TOLERANCE: TimeDelta = TimeDelta::minutes(1);
        let ids: Vec<Uuid> = sqlx::query_scalar(sql!("audit/checkpoints_due"))
            .bind(moment)
            .bind(now + TOLERANCE)
            .fetch_all(self.connection())
            .await?;
        Ok(ids.into_iter().map(TenantId).collect())
    }

    pub async fn last_checkpoint(
        &mut self,
        tenant_id: TenantId,
    ) -> Result<Option<CheckpointRecord>, StoreError> {
        let row: Option<CheckpointRow> = sqlx::query_as(
            "SELECT number, taken_at, rows, statement, signature, public_key FROM audit_checkpoints
             WHERE tenant_id = $1 ORDER BY number DESC LIMIT 1",
        )
        .bind(tenant_id.0)
        .fetch_optional(self.connection())
        .await?;
        Ok(row.map(CheckpointRecord::from))
    }

    pub async fn all_checkpoints(
        &mut self,
        tenant_id: TenantId,
    ) -> Result<Vec<CheckpointRecord>, StoreError> {
        let rows: Vec<CheckpointRow> = sqlx::query_as(sql!("audit/checkpoints"))
            .bind(tenant_id.0)
            .bind(0_i64)
            .bind(i64::MAX)
            .fetch_all(self.connection())
            .await?;
        Ok(rows.into_iter().map(CheckpointRecord::from).collect())
    }

    pub async fn shard_heads(&mut self, tenant_id: TenantId) -> Result<Vec<ShardHead>, StoreError> {
        let rows: Vec<(i16, i64, String)> = sqlx::query_as(sql!("audit/shard_heads"))
            .bind(tenant_id.0)
            .fetch_all(self.connection())
            .await?;
        let head = |(shard, length, head)| ShardHead { shard, length, head };
        Ok(rows.into_iter().map(head).collect())
    }

    /// `false` when another server has taken the checkpoint with this number.
    pub async fn insert_checkpoint(
        &mut self,
        statement: &CheckpointStatement,
        signed: &SignedCheckpoint,
    ) -> Result<bool, StoreError> {
        let inserted = sqlx::query(
            "INSERT INTO audit_checkpoints (tenant_id, number, taken_at, rows, statement, signature, public_key)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        )
        .bind(statement.tenant_id.0)
        .bind(statement.number)
        .bind(statement.taken_at)
        .bind(statement.rows)
        .bind(&signed.statement)
        .bind(&signed.signature)
        .bind(&signed.public_key)
        .execute(self.connection())
        .await?;
        Ok(inserted.rows_affected() == 1)
    }

    /// The indexes of those shard heads that the log contradicts.
    pub async fn contradicted(
        &mut self,
        tenant_id: TenantId,
        stated: &[ShardHead],
    ) -> Result<Vec<usize>, StoreError> {
        let ordinals: Vec<i64> = sqlx::query_scalar(sql!("audit/contradicted"))
            .bind(tenant_id.0)
            .bind(stated.iter().map(|head| head.shard).collect::<Vec<_>>())
            .bind(stated.iter().map(|head| head.length).collect::<Vec<_>>())
            .bind(stated.iter().map(|head| head.head.as_str()).collect::<Vec<_>>())
            .fetch_all(self.connection())
            .await?;
        Ok(ordinals.into_iter().filter_map(|ordinal| usize::try_from(ordinal - 1).ok()).collect())
    }
}
