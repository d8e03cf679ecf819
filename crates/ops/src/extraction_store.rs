//! Gives the stages of extraction the document types, the layout memory and the chosen error rate of a tenant.

use domain::{Caller, Dependency, Failure, TenantId};
use extraction::acceptance::TenantAcceptance;
use extraction::memory::{Fingerprint, MemoryEntry};
use extraction::tenant_store::{ExtractionStore, ExtractionStoreFuture, TypeVersion};
use extraction::types::DocumentType;
use store::Store;

use crate::documents::layout_memory::similar_layouts;
use crate::{DocumentTypes, OpsError, Quality};

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct TenantExtraction {
    store: Store,
}

impl TenantExtraction {
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    fn document_types(&self) -> DocumentTypes {
        DocumentTypes::new(self.store.clone())
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
    fn types(&self, tenant_id: TenantId) -> ExtractionStoreFuture<'_, Vec<TypeVersion>> {
        Box::pin(async move {
            let types = self.document_types().of_tenant(tenant_id).await;
            let types = types.map_err(|error| unreadable(&error))?.into_iter();
            Ok(types
                .map(|of| TypeVersion { version: of.version, document_type: of.definition })
                .collect())
        })
    }

    fn type_version<'a>(
        &'a self,
        tenant_id: TenantId,
        name: &'a str,
        version: u32,
    ) -> ExtractionStoreFuture<'a, Option<DocumentType>> {
        Box::pin(async move {
            let caller = Caller::system(tenant_id);
            match self.document_types().find(&caller, name, Some(version)).await {
                Ok(found) => Ok(Some(found.definition)),
                Err(OpsError::NotFound(_)) => Ok(None),
                Err(error) => Err(unreadable(&error)),
            }
        })
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
