//! Gives the stages of extraction the document types, the layout memory and the chosen error rate of a tenant.

use domain::{Dependency, Failure, TenantId};
use extraction::acceptance::TenantAcceptance;
use extraction::memory::{Fingerprint, MemoryEntry};
use extraction::tenant_store::{ExtractionStore, ExtractionStoreFuture, TypeVersion};
use extraction::types::{DocumentType, builtin};
use store::Store;

use crate::documents::layout_memory::similar_layouts;
use crate::{OpsError, Quality};

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct TenantExtraction {
    store: Store,
}

impl TenantExtraction {
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

fn unreadable(error: &OpsError) -> Failure {
    let text = format!("the settings of extraction could not be read: {error}");
    match error {
        OpsError::Store(error) if error.is_unavailable() => {
            Failure::unavailable(Dependency::Database, text)
        }
        _ => Failure::retry(text),
    }
}

impl ExtractionStore for TenantExtraction {
    fn types(&self, _: TenantId) -> ExtractionStoreFuture<'_, Vec<TypeVersion>> {
        let builtin = builtin().iter();
        let types = builtin.map(|of| TypeVersion { version: 0, document_type: of.clone() });
        Box::pin(async move { Ok(types.collect()) })
    }

    fn type_version<'a>(
        &'a self,
        _: TenantId,
        name: &'a str,
        _: u32,
    ) -> ExtractionStoreFuture<'a, Option<DocumentType>> {
        Box::pin(async move { Ok(builtin().iter().find(|of| of.name == name).cloned()) })
    }

    fn memory<'a>(
        &'a self,
        tenant_id: TenantId,
        fingerprint: &'a Fingerprint,
    ) -> ExtractionStoreFuture<'a, Vec<MemoryEntry>> {
        Box::pin(async move {
            let similar = similar_layouts(&self.store, tenant_id, fingerprint).await;
            similar.map_err(|error| unreadable(&error))
        })
    }

    fn acceptance<'a>(
        &'a self,
        tenant_id: TenantId,
        document_type: &'a str,
    ) -> ExtractionStoreFuture<'a, TenantAcceptance> {
        Box::pin(async move {
            let quality = Quality { store: self.store.clone() };
            let found = quality.acceptance(tenant_id, document_type).await;
            found.map_err(|error| unreadable(&error))
        })
    }
}
