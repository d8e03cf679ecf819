//! Signed checkpoints of the audit log.
//!
//! The hash chain of the log is kept beside the log, so whoever may write to the database can rewrite both. A
//! *checkpoint* states where every lane of a tenant's chain ended at one moment and is signed with a key that is not
//! in the database. Whatever is changed below a checkpoint afterwards contradicts it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::TenantId;

/// The end of one lane: how many rows it has, and the hash of the last, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LaneHead {
    pub lane: i16,
    pub length: i64,
    pub head: String,
}

/// What a checkpoint states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointStatement {
    /// Of this format.
    pub version: u8,
    pub tenant_id: TenantId,
    /// Counts up by one in each tenant.
    pub number: i64,
    pub taken_at: DateTime<Utc>,
    /// Of all lanes together.
    pub rows: i64,
    /// The lanes that have rows.
    pub lanes: Vec<LaneHead>,
}

impl CheckpointStatement {
    pub const VERSION: u8 = 1;
}

/// A checkpoint as it is stored and exported: the signature is over the bytes of `statement`, so they are kept as
/// they were signed. Everything else is Base64.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// A [`CheckpointStatement`] as JSON.
    pub statement: String,
    /// Ed25519.
    pub signature: String,
    pub public_key: String,
}

/// A checkpoint of the log that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CheckpointFault {
    /// The log does not have the row that ended a lane when the checkpoint was taken.
    Contradicted { number: i64, taken_at: DateTime<Utc>, lane: i16, position: i64 },
    /// Neither the database nor the object store has it, though they have later ones.
    Missing { from: i64, to: i64 },
    /// The signature does not belong to the statement, or the statement cannot be read.
    Forged { origin: CheckpointOrigin, number: Option<i64> },
    /// Signed with a key that is not among those that this process trusts.
    UnknownKey { origin: CheckpointOrigin, number: i64, public_key: String },
    /// There are checkpoints of a tenant that the database does not have.
    TenantMissing,
}

/// Where a checkpoint was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckpointOrigin {
    Database,
    ObjectStore,
    /// The file that the log is verified against.
    File,
}

impl std::fmt::Display for CheckpointOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Database => "the database",
            Self::ObjectStore => "the object store",
            Self::File => "the file",
        })
    }
}

impl std::fmt::Display for CheckpointFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Contradicted { number, taken_at, lane, position } => write!(
                f,
                "the log contradicts its signed checkpoint {number} of {}: lane {lane} was changed, or cut, at or \
                 before position {position}",
                taken_at.format("%F %T UTC")
            ),
            Self::Missing { from, to } if from == to => write!(f, "checkpoint {from} is missing"),
            Self::Missing { from, to } => write!(f, "the checkpoints {from} to {to} are missing"),
            Self::Forged { origin, number: Some(number) } => {
                write!(f, "the signature of checkpoint {number} in {origin} is wrong")
            }
            Self::Forged { origin, number: None } => {
                write!(f, "a checkpoint in {origin} cannot be read, or its signature is wrong")
            }
            Self::UnknownKey { origin, number, public_key } => write!(
                f,
                "checkpoint {number} in {origin} is signed with the key {public_key}, which is not trusted here; if it \
                 is the key of another server, or an earlier one, add it to audit_trusted_keys"
            ),
            Self::TenantMissing => f.write_str(
                "there are signed checkpoints of this tenant, but the database does not have it",
            ),
        }
    }
}
