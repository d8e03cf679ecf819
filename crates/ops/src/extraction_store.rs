//! Gives the stages of extraction the document types and the layout memory of a tenant.

use domain::{Action, Caller, Dependency, Failure, TenantId, TenantRules};
use extraction::acceptance::TenantAcceptance;
use extraction::calibration::Calibration;
use extraction::memory::{Fingerprint, MemoryEntry};
use extraction::tenant_store::{ExtractionStore, ExtractionStoreFuture, TypeVersion};
use extraction::types::{DocumentType, builtin};
use store::Store;

use crate::OpsError;
use crate::documents::layout_memory::similar_layouts;

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

impl TenantExtraction {
    async fn rules(&self, tenant_id: TenantId) -> Result<TenantRules, OpsError> {
        let scope = Caller::system(tenant_id).permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let rules = tx.find_tenant().await?.rules;
        tx.commit().await?;
        Ok(rules)
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
            let rules = self.rules(tenant_id).await.map_err(|error| unreadable(&error))?;
            Ok(TenantAcceptance {
                accepted_error_rate: rules.acceptance.error_rate_of(document_type),
                review_share: rules.acceptance.share_for_review(),
                calibration: Calibration::builtin().clone(),
            })
        })
    }
}
