//! Signed checkpoints of the audit log.
//!
//! The database holds both the log and its hash chain, so a person who can write to it can rewrite both. A
//! *checkpoint* states the length and the head of every chain shard of a tenant at one moment, and is signed with a key
//! that is not in the database. A later change of any row that the checkpoint covers contradicts it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::TenantId;

/// The head of one chain shard: how many rows the shard has, and the hash of the last one, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ShardHead {
    /// Signed statements call a shard a lane.
    #[serde(rename = "lane")]
    pub shard: i16,
    pub length: i64,
    pub head: String,
}

/// The content of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointStatement {
    /// The version of this format.
    pub version: u8,
    pub tenant_id: TenantId,
    /// Counts up from 1 in each tenant.
    pub number: i64,
    pub taken_at: DateTime<Utc>,
    /// The rows of all shards together.
    pub rows: i64,
    /// The shards that have rows.
    #[serde(rename = "lanes")]
    pub shards: Vec<ShardHead>,
}

impl CheckpointStatement {
    pub const VERSION: u8 = 1;
}

/// A checkpoint as it is stored and exported. The signature covers the bytes of `statement`, so they are stored
/// unchanged. The other fields are Base64.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// A [`CheckpointStatement`] as JSON.
    pub statement: String,
    /// Ed25519.
    pub signature: String,
    pub public_key: String,
}

/// A checkpoint that is missing, not genuine, or contradicted by the log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CheckpointFault {
    /// The log does not have the row that was the last of a shard when the checkpoint was taken.
    Contradicted { number: i64, taken_at: DateTime<Utc>, shard: i16, position: i64 },
    /// Neither the database nor the object store has it, though they have later ones.
    Missing { from: i64, to: i64 },
    /// The signature does not belong to the statement, or the statement cannot be read.
    Forged { origin: CheckpointOrigin, number: Option<i64> },
    /// Signed with a key that is not among those that this process trusts.
    UnknownKey { origin: CheckpointOrigin, number: i64, public_key: String },
    /// Checkpoints exist of a tenant that the database does not have.
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
            Self::Contradicted { number, taken_at, shard, position } => write!(
                f,
                "the log contradicts its signed checkpoint {number} of {}: chain shard {shard} was changed, or cut, at or \
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed statements are stored for good, so their format must not change with the names in the code.
    #[test]
    fn a_signed_statement_keeps_its_format() {
        let signed = r#"{"version":1,"tenant_id":"00000000-0000-0000-0000-000000000007","number":2,"taken_at":"2026-01-02T03:04:05Z","rows":3,"lanes":[{"lane":5,"length":3,"head":"ab"}]}"#;
        let statement: CheckpointStatement = serde_json::from_str(signed).unwrap();
        assert_eq!(statement.shards, [ShardHead { shard: 5, length: 3, head: "ab".to_owned() }]);
        assert_eq!(serde_json::to_string(&statement).unwrap(), signed);
    }
}
