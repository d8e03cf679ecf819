//! The events that followers of a tenant receive.

pub(crate) mod follow;

use std::sync::Arc;

use store::Store;

use crate::Access;

/// The events of a tenant.
pub struct Events {
    pub(crate) store: Store,
    pub(crate) access: Arc<Access>,
}
