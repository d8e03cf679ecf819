//! The audit log: reading it, signing checkpoints of it, and verifying it against them.

mod checkpoints;
pub(crate) mod checks;
mod key;
mod read;
mod verify;

pub use checkpoints::AuditSettings;
pub use key::{AuditKey, InvalidPublicKey, PublicKey};
