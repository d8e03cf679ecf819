//! The audit log: reading it, signing checkpoints of it, and verifying it against them.

mod checkpoints;
mod checks;
mod key;
mod read;
mod verify;

use blob::Blobs;
use store::Store;
use tokio_util::task::TaskTracker;

use crate::tenant_slots::TenantSlots;

pub use checkpoints::AuditSettings;
pub use key::{AuditKey, InvalidPublicKey, PublicKey};

/// The audit log. Cheap to clone.
#[derive(Clone)]
pub struct Audit {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) background: TaskTracker,
    pub(crate) settings: AuditSettings,
    pub(crate) checks: TenantSlots,
}
