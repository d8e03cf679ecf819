//! The audit log: reading it, signing checkpoints of it, and verifying it against them.

mod checkpoints;
mod key;
mod read;
mod verify;

pub use checkpoints::AuditSettings;
pub use key::{AuditKey, InvalidPublicKey, PublicKey};
