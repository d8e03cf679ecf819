//! The entries of a tenant's layout memory that apply to a document.

use domain::{Action, Caller, TenantId};
use extraction::memory::{Fingerprint, MemoryEntry};
use store::Store;

use super::learn_layout::{MAX_COMPARED, readable};
use crate::OpsError;

/// The entries of the tenant's memory that may apply to a document with this fingerprint.
pub async fn similar_layouts(
    store: &Store,
    tenant_id: TenantId,
    fingerprint: &Fingerprint,
) -> Result<Vec<MemoryEntry>, OpsError> {
    if fingerprint.is_empty() {
        return Ok(Vec::new());
    }
    let scope = Caller::system(tenant_id).permit(Action::SeeDocuments)?;
    let mut tx = store.read(&scope).await?;
    let records = tx.similar_layouts(&fingerprint.bands(), MAX_COMPARED).await?;
    tx.commit().await?;
    Ok(readable(records, None).1)
}
