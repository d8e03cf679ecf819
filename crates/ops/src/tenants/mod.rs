//! Tenants: creating them, and their rules, limits and usage.

mod change_limits;
mod change_rules;
pub(crate) mod create;
pub(crate) mod first_start;
pub(crate) mod limit_overrides;
mod list;
pub(crate) mod overview;
mod permit_configuration;

use std::sync::Arc;

use store::Store;

use crate::{Access, Intake};
use limit_overrides::TenantLimitOverrides;

/// Tenants and their settings.
pub struct Tenants {
    pub(crate) store: Store,
    pub(crate) access: Arc<Access>,
    pub(crate) intake: Intake,
    pub(crate) limits: Arc<TenantLimitOverrides>,
}
