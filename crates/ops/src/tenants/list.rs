//! Listing all tenants, for the operator.

use domain::Tenant;

use crate::{OpsError, Tenants};

impl Tenants {
    pub async fn list_tenants(&self) -> Result<Vec<Tenant>, OpsError> {
        let mut across = self.store.across_tenants().await?;
        let tenants = across.list_tenants().await?;
        across.commit().await?;
        Ok(tenants)
    }
}
