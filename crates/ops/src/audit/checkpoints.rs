//! Signing checkpoints of the audit log at intervals, and exporting them.

use std::time::Duration;

use blob::CheckpointPlace;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::{
    Action, Caller, CheckpointStatement, ClockUse, ContentHash, SignedCheckpoint, TenantId,
};
use sha2::{Digest, Sha256};
use store::{AcrossTenants, CheckpointRecord};
use tokio_util::sync::CancellationToken;

use super::AuditKey;
use crate::{Audit, OpsError};

/// How the audit log is protected from those who can write to the database.
#[derive(Clone, Debug)]
pub struct AuditSettings {
    pub key: AuditKey,
    /// How long rows may wait for a checkpoint. Until then, tampering with them cannot be proved.
    pub checkpoint_every: chrono::Duration,
}

impl Audit {
    /// How often to check whether checkpoints are due.
    const CHECK_INTERVAL: Duration = Duration::from_mins(1);

    /// Runs until `stop`. Errors are logged only: the next round tries again.
    pub async fn run_checkpoint_task(&self, stop: CancellationToken) {
        loop {
            let take_due_checkpoints = async {
                match self.store.clock().now_for(ClockUse::Schedule) {
                    Some(now) => self.take_checkpoints(now - self.settings.checkpoint_every).await,
                    None => Ok(0),
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                taken = take_due_checkpoints => {
                    if let Err(error) = taken {
                        let error = &error as &dyn std::error::Error;
                        tracing::warn!(error, "cannot take a checkpoint of the audit log");
                    }
                }
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(Self::CHECK_INTERVAL) => {}
            }
        }
    }

    /// Takes a checkpoint for every tenant whose log has grown since a checkpoint that was taken at `taken_until` or
    /// earlier.
    pub async fn take_checkpoints(&self, taken_until: DateTime<Utc>) -> Result<usize, OpsError> {
        let mut across = self.store.across_tenants().await?;
        let due =
            across.tenants_without_checkpoint_since(taken_until, self.store.clock().now()).await?;
        across.commit().await?;
        let mut taken = 0;
        for tenant_id in due {
            taken += usize::from(self.take_checkpoint(tenant_id).await?);
        }
        Ok(taken)
    }

    /// Writes the object before the row, so the object store has every checkpoint that the database has. An object without
    /// a row can remain when two servers take a checkpoint at the same time; its statement is true as well.
    async fn take_checkpoint(&self, tenant_id: TenantId) -> Result<bool, OpsError> {
        let mut across = self.store.across_tenants().await?;
        let last = across.last_checkpoint(tenant_id).await?;
        self.check_last_checkpoint(&mut across, tenant_id, last.as_ref()).await?;
        let shards = across.shard_heads(tenant_id).await?;
        across.commit().await?;
        let statement = CheckpointStatement {
            version: CheckpointStatement::VERSION,
            tenant_id,
            number: last.map_or(0, |last| last.number) + 1,
            taken_at: self.store.clock().now(),
            rows: shards.iter().map(|shard| shard.length).sum(),
            shards,
        };
        let signed = self.settings.key.sign(&statement).map_err(write_error)?;
        let place = place_of(tenant_id, statement.number, &signed);
        let object = serde_json::to_vec(&signed).map_err(write_error)?;
        self.blobs.put_checkpoint(&place, Bytes::from(object)).await?;
        let mut across = self.store.across_tenants().await?;
        let is_first = across.insert_checkpoint(&statement, &signed).await?;
        across.commit().await?;
        if is_first {
            metrics::counter!("docket_audit_checkpoints_total").increment(1);
            let (number, rows, digest) = (statement.number, statement.rows, place.digest);
            // Logs are often stored on other machines: this line alone shows later whether the checkpoint was replaced.
            tracing::info!(%tenant_id, number, rows, %digest, "checkpoint of the audit log signed");
        }
        Ok(is_first)
    }

    /// Detects tampering with rows that the last checkpoint covers, without a request.
    async fn check_last_checkpoint(
        &self,
        across: &mut AcrossTenants,
        tenant_id: TenantId,
        last: Option<&CheckpointRecord>,
    ) -> Result<(), OpsError> {
        let Some(last) = last else { return Ok(()) };
        let stated: Option<CheckpointStatement> = serde_json::from_str(&last.signed.statement).ok();
        let shards = stated.map(|stated| stated.shards).unwrap_or_default();
        if shards.is_empty() || !across.contradicted(tenant_id, &shards).await?.is_empty() {
            metrics::counter!("docket_audit_contradictions_total").increment(1);
            tracing::error!(
                %tenant_id,
                number = last.number,
                "the audit log contradicts its last checkpoint: run `docket audit verify`"
            );
        }
        Ok(())
    }

    /// The checkpoints of the caller's tenant after a number, for storage outside of Docket.
    pub async fn list_checkpoints(
        &self,
        caller: &Caller,
        after: i64,
        limit: u32,
    ) -> Result<Vec<CheckpointRecord>, OpsError> {
        let scope = caller.permit(Action::ReadAudit)?;
        let mut tx = self.store.read(&scope).await?;
        let found = tx.list_checkpoints(after, limit.into()).await?;
        tx.commit().await?;
        Ok(found)
    }

    /// Every tenant's checkpoints, for the operator. Takes new ones first, so that the export covers every row.
    pub async fn export_checkpoints(&self) -> Result<Vec<SignedCheckpoint>, OpsError> {
        self.take_checkpoints(self.store.clock().now()).await?;
        let mut across = self.store.across_tenants().await?;
        across.use_one_snapshot().await?;
        let mut exported = Vec::new();
        for tenant in across.list_tenants().await? {
            let found = across.all_checkpoints(tenant.tenant_id).await?;
            exported.extend(found.into_iter().map(|found| found.signed));
        }
        across.commit().await?;
        Ok(exported)
    }
}

pub(super) fn place_of(
    tenant: TenantId,
    number: i64,
    signed: &SignedCheckpoint,
) -> CheckpointPlace {
    let digest = ContentHash(Sha256::digest(&signed.statement).into());
    CheckpointPlace { tenant, number, digest }
}

fn write_error(error: serde_json::Error) -> OpsError {
    OpsError::internal("writing a checkpoint", error)
}
