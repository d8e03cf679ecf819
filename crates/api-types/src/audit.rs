//! The audit log.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use domain::{AuditFilter, AuditRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditEntryView {
    pub audit_id: Uuid,
    pub ts: DateTime<Utc>,
    #[schema(example = "USER_LOGIN")]
    pub action: String,
    /// A user's id, `api_key:` and a key's id, or `system`.
    pub actor: String,
    /// The current email address of the user, or name of the key. It is not part of the hash.
    pub actor_name: Option<String>,
    pub user_id: Option<Uuid>,
    #[schema(example = "user")]
    pub entity_type: String,
    pub entity_id: Uuid,
    #[schema(value_type = Object)]
    pub detail: Value,
    pub trace_id: Option<String>,
    /// The chain shard of the row, and its position there.
    pub lane: i16,
    pub position: i64,
    /// The hash of the row in the hash chain, in hexadecimal.
    pub hash: String,
}

impl From<AuditRecord> for AuditEntryView {
    fn from(record: AuditRecord) -> Self {
        Self {
            audit_id: record.audit_id.0,
            ts: record.ts,
            action: record.action,
            actor: record.actor,
            actor_name: record.actor_name,
            user_id: record.user_id.map(|id| id.0),
            entity_type: record.entity_type,
            entity_id: record.entity_id,
            detail: record.detail,
            trace_id: record.trace_id,
            lane: record.shard,
            position: record.position,
            hash: hexadecimal(&record.hash),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

/// Conditions on audit rows; a row must match all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Rows about this document.
    #[serde(default)]
    pub doc_id: Option<Uuid>,
    #[serde(default)]
    pub action: Option<String>,
    /// A user's email address or id, the name of an API key or `api_key:` and its id, or `system`. An unknown actor has no
    /// rows.
    #[serde(default)]
    #[param(example = "ada@example.com")]
    pub actor: Option<String>,
    #[serde(default)]
    pub entity_type: Option<String>,
    #[serde(default)]
    pub entity_id: Option<Uuid>,
    /// Inclusive.
    #[serde(default)]
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    #[serde(default)]
    pub to: Option<DateTime<Utc>>,
    /// The page, counted from 1.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1_000_000)]
    pub page: Option<u32>,
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page: faster than a page number, and stable while rows are added.
    #[serde(default)]
    pub cursor: Option<String>,
}

impl AuditQuery {
    pub fn filter(&self) -> AuditFilter {
        let about_document = self.doc_id.map(|_| "document".to_owned());
        AuditFilter {
            action: self.action.clone(),
            actor: self.actor.clone(),
            entity_type: about_document.or_else(|| self.entity_type.clone()),
            entity_id: self.doc_id.or(self.entity_id),
            from: self.from,
            to: self.to,
        }
    }
}
