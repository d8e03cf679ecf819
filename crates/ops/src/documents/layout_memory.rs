//! The layout memory of a tenant: listing and deleting entries, and finding those that apply to a document.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity, MemoryId, TenantId};
use extraction::memory::{Fingerprint, MemoryEntry};
use serde_json::json;
use store::{After, LayoutMemorySummary, Store, Window};

use super::learn_layout::{MAX_COMPARED, readable};
use crate::{OpsError, Page};

/// How many entries are handed to the extraction of a document.
const MAX_APPLIED: usize = 8;

/// The layout memory of tenants.
pub struct LayoutMemory {
    pub(crate) store: Store,
}

impl LayoutMemory {
    /// The entries, the ones that were learnt last first.
    pub async fn list(
        &self,
        caller: &Caller,
        document_type: Option<&str>,
        after: Option<After>,
        limit: u32,
    ) -> Result<Page<LayoutMemorySummary>, OpsError> {
        let scope = caller.permit(Action::ManageDocumentTypes)?;
        let mut tx = self.store.read(&scope).await?;
        let window = Window { after, skip: 0, limit: i64::from(limit) + 1 };
        let mut items = tx.list_layout_memory(document_type, &window).await?;
        tx.commit().await?;
        let has_more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let place =
            |entry: &LayoutMemorySummary| After { moment: entry.learnt_at, id: entry.memory_id.0 };
        let next = items.last().filter(|_| has_more).map(place);
        Ok(Page { items, next })
    }

    /// Deletes an entry. Results that it influenced stay as they are.
    pub async fn delete(&self, caller: &Caller, memory_id: MemoryId) -> Result<(), OpsError> {
        let scope = caller.permit(Action::ManageDocumentTypes)?;
        let mut tx = self.store.begin(&scope).await?;
        let deleted = tx.delete_layout_memory(memory_id).await?;
        let Some((doc_id, document_type)) = deleted else {
            return Err(OpsError::NotFound("entry of the layout memory"));
        };
        tx.append_audit(AuditEntry {
            action: AuditAction::LayoutMemoryDeleted,
            entity: Entity::Document(doc_id),
            detail: json!({ "memory_id": memory_id, "document_type": document_type }),
        })
        .await?;
        Ok(tx.commit().await?)
    }

    /// Deletes the entries of a document type. Returns how many there were.
    pub async fn delete_of_type(
        &self,
        caller: &Caller,
        document_type: &str,
    ) -> Result<u64, OpsError> {
        let scope = caller.permit(Action::ManageDocumentTypes)?;
        let mut tx = self.store.begin(&scope).await?;
        let entries = tx.delete_layout_memory_of_type(document_type).await?;
        if entries > 0 {
            tx.append_audit(AuditEntry {
                action: AuditAction::LayoutMemoryDeleted,
                entity: Entity::Tenant(scope.tenant_id()),
                detail: json!({ "document_type": document_type, "entries": entries }),
            })
            .await?;
        }
        tx.commit().await?;
        Ok(entries)
    }
}

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
    let mut entries = readable(records, None).1;
    entries.sort_by(|a, b| {
        let similarity = |entry: &MemoryEntry| entry.fingerprint.similarity(fingerprint);
        similarity(b).total_cmp(&similarity(a))
    });
    entries.truncate(MAX_APPLIED);
    Ok(entries)
}
