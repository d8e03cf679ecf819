//! The tenants whose limits differ from the defaults, in memory because every request needs them.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::{TenantId, TenantLimits};

#[derive(Debug, Default)]
pub(crate) struct TenantLimitOverrides(RwLock<HashMap<TenantId, TenantLimits>>);

impl TenantLimitOverrides {
    pub(crate) fn of(&self, tenant_id: TenantId) -> TenantLimits {
        let overrides = self.0.read().unwrap_or_else(PoisonError::into_inner);
        overrides.get(&tenant_id).copied().unwrap_or_default()
    }

    pub(crate) fn replace(&self, overrides: Vec<(TenantId, TenantLimits)>) {
        let overrides = overrides.into_iter().collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = overrides;
    }
}
