//! Layout memory: what a confirmed document teaches about the next one from the same issuer.
//!
//! [`ReviewedDocument::learn`] finds where each confirmed value stands, and keeps its *anchors*: the words beside, above and before it, and
//! its place on the page. [`Recall`] compares the surroundings of every value of a new document with those anchors. How much
//! a match counts depends on how similar both layouts are ([`Fingerprint`]) and on how often the entry was right.
//!
//! An entry contains no text of a document: words are hashes, and values are not stored at all. The memory of a tenant
//! is used for documents of that tenant only; who looks entries up takes care of that.

mod context;
mod fingerprint;
mod judge;
mod learn;
mod places;
mod recall;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
mod tokens;

use domain::FieldKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

pub use context::Context;
pub use fingerprint::{Collector, Fingerprint};
pub use judge::Verdict;
pub use learn::{LEARNT_PAGES, ReviewedDocument};
pub use recall::{Recall, Support};

/// What one confirmed document taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// The name of the document type.
    pub document_type: String,
    pub fingerprint: Fingerprint,
    pub fields: Vec<FieldMemory>,
}

/// Where a field stands in a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldMemory {
    /// As the document type names it: `invoice_number`, `trades[].isin`.
    pub field: String,
    pub kind: FieldKind,
    /// Several when the value occurs more than once and it is not known which of them counts, or in several trades.
    pub rules: Vec<Rule>,
    /// How often a reviewer confirmed a value that this memory had chosen, and how often one corrected it.
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    pub counts: Counts,
}

/// How to compose a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// One for a value that stands on the page; several when the value is the sum of those.
    pub terms: Vec<Context>,
    /// How many places of the value were equally likely when the rule was learnt: 1 when it is certain.
    pub places: u32,
}

/// How often a memory was right and wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub right: u32,
    pub wrong: u32,
}

impl Counts {
    /// Before there is experience, a memory counts like one that was right 4 times out of 5.
    const PRIOR: (f32, f32) = (4.0, 1.0);

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The mean of the Beta distribution of how often the memory is right.
    pub fn reliability(self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let (right, wrong) = (self.right as f32, self.wrong as f32);
        let (prior_right, prior_wrong) = Self::PRIOR;
        (right + prior_right) / (right + wrong + prior_right + prior_wrong)
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadableMemory {
    #[error("the entry of the layout memory cannot be read: {0}")]
    Malformed(String),
    #[error(
        "the entry of the layout memory has version {found}; this Docket reads up to {}",
        MemoryEntry::VERSION
    )]
    TooNew { found: u64 },
}

impl MemoryEntry {
    pub const VERSION: u64 = 1;

    /// Reads the stored form. The database has the counts in a table of their own, because they change.
    pub fn read(stored: Value) -> Result<Self, UnreadableMemory> {
        match stored.get("version").and_then(Value::as_u64) {
            Some(found) if found > Self::VERSION => Err(UnreadableMemory::TooNew { found }),
            _ => serde_json::from_value(stored)
                .map_err(|error| UnreadableMemory::Malformed(error.to_string())),
        }
    }

    /// From 0 to 1: how reliable the fields are on average.
    pub fn reliability(&self) -> f32 {
        let sum: f32 = self.fields.iter().map(|field| field.counts.reliability()).sum();
        #[expect(clippy::cast_precision_loss, reason = "a few fields")]
        let count = self.fields.len().max(1) as f32;
        sum / count
    }

    pub fn to_json(&self) -> Value {
        // String keys and whole numbers: this cannot fail.
        let mut json = serde_json::to_value(self).unwrap_or_default();
        json["version"] = Self::VERSION.into();
        json
    }
}
