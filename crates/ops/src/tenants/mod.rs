//! Tenants: adding them, and their rules, limits and usage.

mod change_limits;
mod change_rules;
pub(crate) mod create;
pub(crate) mod first_start;
pub(crate) mod limits;
mod list;
pub(crate) mod overview;
mod see_configuration;

use std::sync::Arc;

use store::Store;

use crate::{Access, Intake};
use limits::SpecialLimits;

/// Tenants and what is set for them.
pub struct Tenants {
    pub(crate) store: Store,
    pub(crate) access: Arc<Access>,
    pub(crate) intake: Intake,
    pub(crate) limits: Arc<SpecialLimits>,
}
