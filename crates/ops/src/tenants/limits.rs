//! The tenants whose limits are not everybody's, kept in memory: every request asks.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use domain::{TenantId, TenantLimits};

#[derive(Debug, Default)]
pub(crate) struct SpecialLimits(RwLock<HashMap<TenantId, TenantLimits>>);

impl SpecialLimits {
    pub(crate) fn of(&self, tenant_id: TenantId) -> TenantLimits {
        let special = self.0.read().unwrap_or_else(PoisonError::into_inner);
        special.get(&tenant_id).copied().unwrap_or_default()
    }

    pub(crate) fn replace(&self, special: Vec<(TenantId, TenantLimits)>) {
        let special = special.into_iter().collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = special;
    }
}
