//! Verifying that the audit log was not tampered with: for the operator over all tenants, for an auditor in their own.
//!
//! The hash chain detects changes by an attacker who did not recompute it. The checkpoints also detect a recomputed
//! chain: they are read from the database, from the object store and, if given, from an exported file.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use blob::CheckpointPlace;
use domain::{
    Action, Caller, ChainReport, CheckpointFault, CheckpointOrigin, CheckpointReport,
    CheckpointStatement, ShardHead, SignedCheckpoint, Tenant, TenantId,
};
use futures_util::TryStreamExt;
use store::AcrossTenants;

use super::checkpoints::place_of;
use crate::{Audit, OpsError};

/// Checkpoints to compare with, by tenant, each with where it was read from.
type CheckpointsByTenant = BTreeMap<TenantId, Vec<(CheckpointOrigin, SignedCheckpoint)>>;

impl Audit {
    /// `against` are checkpoints from an exported file.
    pub async fn verify_audit(
        &self,
        against: &[SignedCheckpoint],
    ) -> Result<Vec<ChainReport>, OpsError> {
        // Listed before the database snapshot is taken: everything that these checkpoints state must be in it.
        let objects: Vec<CheckpointPlace> = self.blobs.list_checkpoints(None).try_collect().await?;
        let mut known = by_tenant(against);
        let mut across = self.store.across_tenants().await?;
        // No statement timeout: the operator waits for a long log.
        across.set_statement_timeout(None).await?;
        across.use_one_snapshot().await?;
        let mut reports = Vec::new();
        for tenant in across.list_tenants().await? {
            let from_file = known.remove(&tenant.tenant_id).unwrap_or_default();
            reports.push(self.verify_tenant(&mut across, tenant, &objects, from_file).await?);
        }
        across.commit().await?;
        let seen: HashSet<TenantId> = reports.iter().map(|report| report.tenant_id).collect();
        let stored = objects.iter().map(|place| place.tenant);
        let missing: BTreeSet<TenantId> =
            stored.chain(known.into_keys()).filter(|tenant| !seen.contains(tenant)).collect();
        reports.extend(missing.into_iter().map(report_of_missing_tenant));
        Ok(reports)
    }

    pub(crate) async fn verify_own_audit(&self, caller: &Caller) -> Result<ChainReport, OpsError> {
        let scope = caller.permit(Action::ReadAudit)?;
        let mut tx = self.store.read(&scope).await?;
        let tenant = tx.find_tenant().await?.tenant;
        tx.commit().await?;
        let listing = self.blobs.list_checkpoints(Some(tenant.tenant_id));
        let objects: Vec<CheckpointPlace> = listing.try_collect().await?;
        let mut across = self.store.across_tenants().await?;
        across.set_statement_timeout(Some(self.store.statement_timeouts().requests)).await?;
        across.use_one_snapshot().await?;
        let report = self.verify_tenant(&mut across, tenant, &objects, Vec::new()).await?;
        across.commit().await?;
        Ok(report)
    }

    async fn verify_tenant(
        &self,
        across: &mut AcrossTenants,
        tenant: Tenant,
        objects: &[CheckpointPlace],
        from_file: Vec<(CheckpointOrigin, SignedCheckpoint)>,
    ) -> Result<ChainReport, OpsError> {
        let tenant_id = tenant.tenant_id;
        let mut signed = from_file;
        let in_database = across.all_checkpoints(tenant_id).await?;
        let mut places = HashSet::new();
        for found in in_database {
            places.insert(place_of(tenant_id, found.number, &found.signed));
            signed.push((CheckpointOrigin::Database, found.signed));
        }
        // Most are in the database as well; only the others have to be read.
        for place in objects.iter().filter(|place| place.tenant == tenant_id) {
            if !places.contains(place) {
                let object = self.blobs.read_checkpoint(place).await?;
                let unreadable = SignedCheckpoint {
                    statement: String::new(),
                    signature: String::new(),
                    public_key: String::new(),
                };
                let read = serde_json::from_slice(&object).unwrap_or(unreadable);
                signed.push((CheckpointOrigin::ObjectStore, read));
            }
        }
        Ok(ChainReport {
            tenant_id,
            rows: across.count_audit_rows(tenant_id).await?,
            faults: across.find_chain_faults(tenant_id).await?,
            checkpoints: self.compare(across, tenant_id, &signed).await?,
            tenant_name: tenant.name,
        })
    }

    async fn compare(
        &self,
        across: &mut AcrossTenants,
        tenant_id: TenantId,
        signed: &[(CheckpointOrigin, SignedCheckpoint)],
    ) -> Result<CheckpointReport, OpsError> {
        let mut report = CheckpointReport::default();
        let mut genuine: Vec<CheckpointStatement> = Vec::new();
        for (origin, signed) in signed {
            match self.settings.key.verify(signed, *origin) {
                // A genuine checkpoint of another tenant was put in this tenant's place.
                Ok(statement) if statement.tenant_id != tenant_id => {
                    let number = Some(statement.number);
                    report.faults.push(CheckpointFault::Forged { origin: *origin, number });
                }
                Ok(statement) => genuine.push(statement),
                Err(fault) => report.faults.push(fault),
            }
        }
        genuine.sort_by_key(|statement| (statement.number, statement.taken_at));
        genuine.dedup();
        report.compared = genuine.len();
        report.last_taken_at = genuine.iter().map(|statement| statement.taken_at).max();
        report.faults.extend(gaps(&genuine));
        report.faults.extend(contradictions(across, tenant_id, &genuine).await?);
        Ok(report)
    }
}

/// The first checkpoint that the log contradicts, in each chain shard. Later ones of the same shard follow from it.
async fn contradictions(
    across: &mut AcrossTenants,
    tenant_id: TenantId,
    genuine: &[CheckpointStatement],
) -> Result<Vec<CheckpointFault>, OpsError> {
    // A shard that did not grow has the same end in many checkpoints.
    let mut seen: HashSet<&ShardHead> = HashSet::new();
    let mut ends: Vec<ShardHead> = Vec::new();
    let mut stated_by: Vec<&CheckpointStatement> = Vec::new();
    for statement in genuine {
        for end in statement.shards.iter().filter(|end| seen.insert(end)) {
            ends.push(end.clone());
            stated_by.push(statement);
        }
    }
    let mut shards = BTreeSet::new();
    let mut faults = Vec::new();
    for place in across.contradicted(tenant_id, &ends).await? {
        let (Some(end), Some(statement)) = (ends.get(place), stated_by.get(place)) else {
            continue;
        };
        if shards.insert(end.shard) {
            faults.push(CheckpointFault::Contradicted {
                number: statement.number,
                taken_at: statement.taken_at,
                shard: end.shard,
                position: end.length,
            });
        }
    }
    Ok(faults)
}

/// Missing numbers up to the last checkpoint.
fn gaps(genuine: &[CheckpointStatement]) -> Vec<CheckpointFault> {
    let mut expected = 1;
    let mut faults = Vec::new();
    for number in genuine.iter().map(|statement| statement.number) {
        if number > expected {
            faults.push(CheckpointFault::Missing { from: expected, to: number - 1 });
        }
        expected = expected.max(number + 1);
    }
    faults
}

/// Skips a checkpoint whose statement cannot be parsed: the CLI rejects it when it reads the file.
fn by_tenant(against: &[SignedCheckpoint]) -> CheckpointsByTenant {
    let mut known = CheckpointsByTenant::new();
    for signed in against {
        if let Ok(statement) = serde_json::from_str::<CheckpointStatement>(&signed.statement) {
            let of_tenant = known.entry(statement.tenant_id).or_default();
            of_tenant.push((CheckpointOrigin::File, signed.clone()));
        }
    }
    known
}

fn report_of_missing_tenant(tenant_id: TenantId) -> ChainReport {
    let faults = vec![CheckpointFault::TenantMissing];
    ChainReport {
        tenant_id,
        tenant_name: "(unknown)".to_owned(),
        rows: 0,
        faults: Vec::new(),
        checkpoints: CheckpointReport { compared: 0, last_taken_at: None, faults },
    }
}
